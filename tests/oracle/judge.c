/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * judge whole|killed|lossy LOG TRACE...: compares the decoder's order of the traces with the order that the
 * program wrote into LOG. Prints the differences. Exit status 1 if there are any.
 */
#include "tests/oracle/judge.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "decoder/check/check.h"
#include "decoder/order/verify.h"
#include "decoder/host/join.h"
#include "decoder/read/part.h"
#include "decoder/read/reader.h"

#define SHOWN 12u

#define LOG_NAME(name_) #name_,
static const char *const call_names[] = {"none", LOG_CALLS(LOG_NAME)};
#undef LOG_NAME

const char *judge_call(const struct log_entry *e)
{
	return e->call < LOG_NR_CALLS ? call_names[e->call] : "?";
}

uint32_t judge_slot(const struct judge *j, const struct log_entry *e)
{
	return (uint32_t)(((const char *)e - (const char *)j->log->slots) /
	                  sizeof(struct log_slot));
}

uint32_t judge_seq(const struct judge *j, const struct log_entry *e)
{
	return (uint32_t)(e - j->log->slots[judge_slot(j, e)].entries) + 1;
}

const struct log_entry *judge_entry(const struct judge *j, uint32_t slot, uint32_t seq)
{
	if (slot >= LOG_SLOTS || !seq || seq > j->log->slots[slot].nr || seq > LOG_ENTRIES)
		return NULL;
	return &j->log->slots[slot].entries[seq - 1];
}

const struct syt_place *judge_place(const struct judge *j, uint32_t slot, uint32_t seq)
{
	if (!judge_entry(j, slot, seq) || j->places[slot][seq - 1].thread == SYT_NONE)
		return NULL;
	return &j->places[slot][seq - 1];
}

const struct log_entry *judge_at(const struct judge *j, struct syt_place at)
{
	return at.thread == SYT_NONE ? NULL : j->entries[at.thread][at.row];
}

static void tell(const struct judge *j, const struct log_entry *e)
{
	uint32_t slot = judge_slot(j, e), seq = judge_seq(j, e);
	const struct syt_place *at = judge_place(j, slot, seq);
	char id[SYT_NODE_TEXT] = "no event";

	if (at)
		syt_order_node_text(&j->order[0], *at, id, sizeof(id));
	printf("    %s of thread %" PRIu32 ", call %" PRIu32 " on object %d, result %" PRId64
	       ", section %" PRIu64 ": %s, %" PRIu64 " to %" PRIu64 " ns%s\n",
	       judge_call(e), slot, seq, e->object - 1, e->result, e->serial, id, e->begin_ns,
	       e->end_ns, e->state == 2 ? "" : ", under way");
	for (unsigned n = 0; n < e->nr_sources; n++) {
		static const char *const whys[] = {"life",  "lock",  "token",   "round", "once",
		                                   "bytes", "ready", "connect", "close"};
		const struct log_source *s = &e->sources[n];

		at = judge_place(j, s->slot, s->seq);
		if (at)
			syt_order_node_text(j->order, *at, id, sizeof(id));
		printf("      after thread %u, call %" PRIu32 " (%s, %s%s)\n", s->slot, s->seq,
		       at ? id : "no event", whys[s->why],
		       s->sureness == LOG_SURE ? "" : ", not for sure");
	}
}

void judge_fail(struct judge *j, const char *what, const struct log_entry *a,
                const struct log_entry *b, const char *more)
{
	if (j->nr_failures++ >= SHOWN)
		return;
	printf("  WRONG: %s %s\n", what, more);
	if (a)
		tell(j, a);
	if (b)
		tell(j, b);
}

void judge_miss(struct judge *j, const char *what, const struct log_entry *a,
                const struct log_entry *b, const char *more)
{
	j->nr_missed++;
	if (j->mode == JUDGE_WHOLE)
		judge_fail(j, what, a, b, more);
}

/* Checks that the decoder's own checks find no violation. */
static void check_invariants(struct judge *j)
{
	struct syt_verdict v;

	if (!syt_verify(&j->order->edges, &v))
		judge_fail(j, "edges run backwards or in a circle", NULL, NULL, "");
	if (j->order->coverage.defects)
		judge_fail(j, "edges were refused", NULL, NULL, "");
	for (unsigned i = 0; i < syt_nr_invariants; i++) {
		struct syt_check c;

		syt_check_run(&c, &syt_invariants[i], j->order, 1);
		if (c.nr_violations)
			judge_fail(j, c.findings[0].what, NULL, NULL, syt_invariants[i].name);
		syt_check_close(&c);
	}
}

/* Returns the number of events that are missing according to the trace. */
static uint64_t nr_counted(const struct syt_trace_data *t, const struct syt_read_report *r)
{
	uint64_t nr = r->nr_unreadable + r->is_damaged;

	for (uint32_t n = 0; n < t->nr_images; n++) {
		const struct syt_image *i = &t->images[n];

		nr += i->nr_overwritten + i->nr_missing + i->nr_lost + i->is_damaged + i->nr_pauses;
	}
	return nr;
}

/* Counts the acquires and bytes whose source the decoder reports as unknown. */
static uint64_t nr_unexplained(const struct syt_order *o)
{
	return syt_coverage_unattributed(&o->coverage) + syt_coverage_bytes_unmatched(&o->coverage);
}

static struct log_file *map_log(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	/* a private mapping, because the program may still run and write */
	struct log_file *log = mmap(NULL, sizeof(*log), PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);

	if (fd < 0 || log == MAP_FAILED || log->magic != LOG_MAGIC) {
		fprintf(stderr, "%s: no log\n", path);
		exit(2);
	}
	close(fd);
	return log;
}

int main(int argc, char **argv)
{
	static const char *const modes[] = {"whole", "killed", "lossy"};
	static struct judge j;
	const struct syt_host_settings hosts = {.join = SYT_HOSTS_JOIN, .wander_ppm = -1};
	struct syt_read_options options = {.nr_workers = 1, .join = &hosts.join};
	struct syt_read_report report;
	struct syt_order order;

	if (argc < 4) {
		fprintf(stderr, "usage: judge whole|killed|lossy LOG TRACE...\n");
		return 2;
	}
	while (j.mode <= JUDGE_LOSSY && strcmp(argv[1], modes[j.mode]))
		j.mode++;
	j.log = map_log(argv[2]);
	struct syt_trace_data *trace =
		syt_read((const char *const *)&argv[3], (size_t)argc - 3, &options, &report);

	if (syt_order_open(&order, trace))
		return 2;
	j.order = &order;
	if (syt_reach_open(&j.reach, &order.edges, false))
		return 2;
	judge_map(&j);
	judge_knowledge(&j);
	judge_edges(&j);
	judge_tokens(&j);
	check_invariants(&j);
	const struct syt_calls calls = syt_calls_of(trace);
	uint64_t nr_gone = nr_counted(trace, &report) + calls.ghosts + calls.left_out;

	/* the decoder concludes less from a sampled trace, also if the sampler has kept all calls */
	if (j.mode == JUDGE_LOSSY && j.nr_missed && !nr_gone && !syt_trace_is_sampled(trace))
		judge_fail(&j, "missing data is not counted", NULL, NULL, "");
	if (j.mode == JUDGE_KILLED && j.nr_missed && !nr_unexplained(&order))
		judge_fail(&j, "missing data is not counted", NULL, NULL, "");
	if (j.mode == JUDGE_WHOLE && (nr_gone || !j.log->is_over))
		judge_fail(&j, "events are missing, or the program did not end", NULL, NULL, "");
	printf("seed %" PRIu64 " %s: %" PRIu64 " calls, %" PRIu64 " with event; %" PRIu64
	       " pairs known (%" PRIu64 " by the threads' own order), %" PRIu64
	       " only perhaps, %" PRIu64 " missed; %" PRIu64 " edges, %" PRIu64 " by name; %" PRIu64
	       " events gone, %" PRIu64 " unsure; %" PRIu64 " wrong\n",
	       j.log->seed, modes[j.mode], j.nr_entries, j.nr_mapped, j.nr_pairs, j.nr_implied,
	       j.nr_perhaps, j.nr_missed, j.nr_edges, j.nr_named, nr_gone, j.nr_unsure,
	       j.nr_failures);
	return j.nr_failures ? 1 : 0;
}
