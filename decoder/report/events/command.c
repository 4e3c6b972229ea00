/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* syntrace-decode events prints every event of every thread, in the order of time. */
#include <fnmatch.h>
#include <stdlib.h>

#include "decoder/command/command.h"
#include "decoder/read/call.h"
#include "decoder/report/events/batch.h"
#include "decoder/read/merge.h"
#include "decoder/read/number.h"
#include "decoder/show/print.h"

struct options {
	struct syt_option_list pids, threads, calls, objects;
	struct syt_moment from, to;
	uint64_t limit;
	bool has_no_stacks;
};

/* clang-format off */
#define AT(member_) offsetof(struct options, member_)
static const struct syt_option option_rows[] = {
	{{"pid", 0, "PID", 0, "print only events of the process with this pid (repeatable, as are --thread, --call and --object)", 0}, AT(pids), syt_parse_number_list},
	SYT_OPTION_THREADS(AT(threads), "print only events"),
	{{"call", 0, "NAME", 0, "print only events of the function or system call NAME, in which * and ? match any characters", 0}, AT(calls), syt_parse_list},
	{{"object", 0, "OBJECT", 0, "print only events on this lock, socket or other object, for "
	                            "example mutex:server.lock; * and ? match any characters, and "
	                            "mutex alone matches all mutexes",
	  0}, AT(objects), syt_parse_list},
	{{"from", 0, "TIME", 0, "print only events that begin at this time or later: in seconds as printed, in ns as in JSON, or +TIME after the begin of the trace", 0}, AT(from), syt_parse_moment},
	{{"to", 0, "TIME", 0, "print only events that begin before this time", 0}, AT(to), syt_parse_moment},
	SYT_OPTION_LIMIT(AT(limit), "print only the first N of the events that the other options "
	                            "select"),
	{{"stacks", 0, NULL, 0, "print the call stack of each event (default: yes)", 0}, AT(has_no_stacks), syt_parse_false},
	{{"no-stacks", 0, NULL, 0, "print the events without their call stacks", 0}, AT(has_no_stacks), syt_parse_true},
	SYT_OPTION_END,
};
/* clang-format on */

/* ---- filters ---- */

/* The calls and objects of one process image that pass the filters of the options. */
struct kept {
	bool *calls;   /* [call]: the call passes; NULL: all calls pass */
	bool *objects; /* [object]: the object passes; NULL: all objects pass */
};

static bool keeps_thread(void *context, const struct syt_thread *t)
{
	const struct options *o = context;
	char pid[12];

	snprintf(pid, sizeof(pid), "%u", t->image->file.pid);
	return syt_list_matches(&o->pids, pid) && syt_list_matches_thread(&o->threads, t);
}

static bool object_matches(const struct syt_option_list *l, const struct syt_image *i, uint32_t n)
{
	for (size_t k = 0; k < l->nr; k++)
		if (syt_object_matches(i, n, l->items[k]))
			return true;
	return syt_list_matches(l, syt_kind_text(i->objects[n].kind));
}

static struct kept *keep_images(const struct options *o, const struct syt_trace_data *t)
{
	struct kept *kept = syt_calloc(t->nr_images, sizeof(*kept));

	for (uint32_t n = 0; n < t->nr_images; n++) {
		const struct syt_image *i = &t->images[n];

		if (o->calls.nr)
			kept[n].calls = syt_calloc(i->nr_calls, sizeof(bool));
		for (uint32_t k = 0; kept[n].calls && k < i->nr_calls; k++)
			kept[n].calls[k] =
				i->calls[k].name && syt_list_matches(&o->calls, i->calls[k].name);
		if (o->objects.nr)
			kept[n].objects = syt_calloc(i->nr_objects, sizeof(bool));
		for (uint32_t k = 0; kept[n].objects && k < i->nr_objects; k++)
			kept[n].objects[k] = object_matches(&o->objects, i, k);
	}
	return kept;
}

static void free_kept(struct kept *kept, uint32_t nr)
{
	for (uint32_t n = 0; n < nr; n++) {
		free(kept[n].calls);
		free(kept[n].objects);
	}
	free(kept);
}

static bool keeps_object(const struct kept *k, const struct syt_thread *t, const struct syt_row *r)
{
	if (!k->objects || (r->object != SYT_NONE && k->objects[r->object]))
		return true;
	const struct syt_extra *x = syt_thread_extra(t, r);

	if (x->object2 != SYT_NONE && k->objects[x->object2])
		return true;
	for (uint32_t n = 0; n < x->nr_ready; n++) {
		uint32_t object = t->ready[x->ready + n].object;

		if (object != SYT_NONE && k->objects[object])
			return true;
	}
	return false;
}

/* ---- the verb ---- */

static uint64_t nr_events(const struct syt_trace_data *t)
{
	uint64_t nr = 0;

	for (uint32_t n = 0; n < t->nr_images; n++)
		for (uint32_t k = 0; k < t->images[n].nr_threads; k++)
			nr += t->images[n].threads[k].nr_rows;
	return nr;
}

static enum syt_exit run(struct syt_command *c)
{
	const struct syt_trace_data *trace = c->trace;
	struct options *o = c->options;
	if (o->has_no_stacks)
		syt_names_without_symbols(trace);
	struct kept *kept = keep_images(o, trace);
	syt_time from = syt_moment_time(&o->from, trace, 0);
	syt_time to = syt_moment_time(&o->to, trace, UINT64_MAX);
	struct syt_event_batch *batch = syt_event_batch_create(c, !o->has_no_stacks);
	uint64_t left = o->limit ? o->limit : UINT64_MAX, most = left;
	struct syt_merge m;

	syt_merge_open(&m, trace, keeps_thread, o);
	while (left && syt_merge_next(&m)) {
		const struct syt_thread *t = m.current.thread;
		const struct syt_row *r = &t->rows[m.current.row];
		const struct kept *k = &kept[t->image - trace->images];

		if (m.current.stamp >= to)
			break;
		if (m.current.stamp < from || (k->calls && !k->calls[r->call]) ||
		    !keeps_object(k, t, r))
			continue;
		left--;
		if (!syt_event_batch_add(batch, t, m.current.row))
			break;
	}
	syt_merge_close(&m);
	syt_event_batch_finish(batch);
	if (left == most && c->format == SYT_FORMAT_TEXT)
		syt_print_no_match(c->out, trace, "event", nr_events(trace));
	free_kept(kept, trace->nr_images);
	return SYT_EXIT_OK;
}

static void fini(void *options)
{
	struct options *o = options;

	free(o->pids.items);
	free(o->threads.items);
	free(o->calls.items);
	free(o->objects.items);
}

const struct syt_report syt_report_events = {
	.name = "events",
	.summary = "every recorded event (a call of a lock, socket or thread function), in the "
		   "order of time",
	.doc = "Prints the recorded events in the order of time, with their call stacks. An event "
	       "is one call of a function that threads synchronize with, for example "
	       "pthread_mutex_lock, read or epoll_wait.",
	.formats = 1u << SYT_FORMAT_TEXT | 1u << SYT_FORMAT_JSONL,
	.options = option_rows,
	.options_bytes = sizeof(struct options),
	.run = run,
	.fini = fini,
};
