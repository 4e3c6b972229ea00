/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * syntrace-bench-model LEAVES: mines the model of a synthetic graph, without a trace. Prints
 *
 *     <elapsed seconds> <user CPU seconds> <system CPU seconds> <peak RSS in KiB> <tasks> <percent of leaves in tasks>
 *
 * The times do not include the time to make the graph; the peak includes the graph.
 *
 * The graph has the tasks of a server: 4 threads of a first pool send work to 4 threads of a second pool. There are 40
 * kinds of tasks with up to 24 leaves, subtasks that several kinds share, and noise in 2 % of the gaps.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "decoder/model/detour.h"
#include "decoder/model/model.h"
#include "tests/lib/random.h"

#define NR_PAIRS 4u
#define NR_KINDS 40u
#define NR_SHARED 10u
#define MOST_OPS 24u
#define NR_LABELS 2000u
#define NR_NOISE 20u

struct ops {
	uint32_t nr, labels[MOST_OPS];
};

struct grammar {
	uint32_t nr_labels;
	struct ops shared[NR_SHARED], kinds[NR_KINDS][2];
};

static void add_ops(struct grammar *g, struct ops *o, uint32_t nr)
{
	while (nr--)
		o->labels[o->nr++] = g->nr_labels++;
}

static void make_grammar(struct grammar *g, struct syt_random *r)
{
	g->nr_labels = NR_NOISE;
	for (uint32_t i = 0; i < NR_SHARED; i++)
		add_ops(g, &g->shared[i], 2 + (uint32_t)syt_random_below(r, 4));
	for (uint32_t i = 0; i < 2 * NR_KINDS; i++) {
		struct ops *o = &g->kinds[i / 2][i % 2];
		const struct ops *shared = &g->shared[syt_random_below(r, NR_SHARED)];

		add_ops(g, o, 2 + (uint32_t)syt_random_below(r, 4));
		for (uint32_t n = 0; n < shared->nr; n++)
			o->labels[o->nr++] = shared->labels[n];
		add_ops(g, o, 1 + (uint32_t)syt_random_below(r, 3));
	}
}

/* Adds the leaves of one side of a task to THREAD, beginning at *NEXT; the first one starts at START. */
static void add_side(struct syt_model_leaf *leaves, uint32_t *next, const struct ops *o,
                     uint32_t thread, uint32_t start, uint8_t kind, struct syt_random *r)
{
	for (uint32_t i = 0; i < o->nr; i++) {
		if (i && syt_random_below(r, 50) == 0) {
			leaves[*next] = (struct syt_model_leaf){
				.label = (uint32_t)syt_random_below(r, NR_NOISE),
				.thread = thread,
				.start = *next - 1};
			++*next;
		}
		leaves[*next] = (struct syt_model_leaf){.label = o->labels[i],
		                                        .thread = thread,
		                                        .start = i ? *next - 1 : start,
		                                        .kind = i ? SYT_EDGE_PROGRAM : kind};
		++*next;
	}
}

/* Fills the leaves of the threads of one pair. The first pool has the leaves below MIDDLE. */
static void fill_pair(const struct grammar *g, struct syt_model_leaf *leaves, uint32_t pair,
                      uint32_t begin, uint32_t middle, uint32_t end, struct syt_random *r)
{
	uint32_t a = begin, b = middle;
	const struct ops *idle = &g->shared[0];

	while (a + 2 * MOST_OPS < middle && b + 2 * MOST_OPS < end) {
		const struct ops *kind = g->kinds[syt_random_below(r, NR_KINDS)];

		add_side(leaves, &a, &kind[0], pair, a == begin ? SYT_NONE : a - 1,
		         SYT_EDGE_PROGRAM, r);
		add_side(leaves, &b, &kind[1], NR_PAIRS + pair, a - 1, SYT_EDGE_STREAM, r);
	}
	for (; a < middle; a++)
		leaves[a] = (struct syt_model_leaf){
			.label = idle->labels[0], .thread = pair, .start = a - 1};
	for (; b < end; b++)
		leaves[b] = (struct syt_model_leaf){
			.label = idle->labels[1], .thread = NR_PAIRS + pair, .start = b - 1};
}

static void make_input(struct syt_model_input *in, uint32_t nr)
{
	static uint32_t roles[2 * NR_PAIRS];
	static struct syt_model_label labels[NR_LABELS];
	static char texts[NR_LABELS][64];
	struct grammar g = {.nr_labels = 0};
	struct syt_random r = {1};

	make_grammar(&g, &r);
	*in = (struct syt_model_input){.nr_leaves = nr,
	                               .nr_labels = NR_LABELS,
	                               .nr_threads = 2 * NR_PAIRS,
	                               .labels = labels,
	                               .roles = roles,
	                               .nr_workers = 2};
	in->leaves = syt_store_alloc(nr, sizeof(*in->leaves));
	for (uint32_t i = 0; i < NR_LABELS; i++) {
		snprintf(texts[i], sizeof(texts[i]), "server: worker;step_%04u;pthread_mutex_lock",
		         i);
		labels[i] = (struct syt_model_label){.text = texts[i], .turn = SYT_TURN_OTHER};
	}
	/* the threads of the first pool come first */
	for (uint32_t pair = 0; pair < NR_PAIRS; pair++)
		roles[NR_PAIRS + pair] = 1;
	uint32_t each = nr / (2 * NR_PAIRS);
	struct syt_model_leaf *pairs = syt_store_alloc(2 * (uint64_t)each, sizeof(*pairs));

	for (uint32_t pair = 0; pair < NR_PAIRS; pair++) {
		fill_pair(&g, pairs, pair, 0, each, 2 * each, &r);
		for (uint32_t i = 0; i < 2 * each; i++) {
			struct syt_model_leaf *l = &pairs[i];
			uint32_t at_a = pair * each, at_b = (NR_PAIRS + pair) * each - each;

			if (l->start != SYT_NONE)
				l->start += l->start < each ? at_a : at_b;
			in->leaves[i + (i < each ? at_a : at_b)] = *l;
		}
	}
	in->nr_leaves = 2 * NR_PAIRS * each;
	syt_store_free(pairs);
}

static double seconds(time_t s, long us)
{
	return (double)s + (double)us / 1e6;
}

int main(int argc, char **argv)
{
	struct syt_model_options options = {.least = SYT_MODEL_LEAST};
	unsigned long nr = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
	struct timespec begin, end;
	struct rusage before, after;
	struct syt_model_input in;
	struct syt_model m;

	if (nr < 1000 || nr > UINT32_MAX / 4) {
		fprintf(stderr, "usage: syntrace-bench-model LEAVES\n");
		return 2;
	}
	make_input(&in, (uint32_t)nr);
	getrusage(RUSAGE_SELF, &before);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	syt_model_detours(&in);
	if (syt_model_open(&m, &in, &options))
		return 1;
	clock_gettime(CLOCK_MONOTONIC, &end);
	getrusage(RUSAGE_SELF, &after);
	printf("%.3f %.3f %.3f %ld %u %.1f\n",
	       seconds(end.tv_sec - begin.tv_sec, (end.tv_nsec - begin.tv_nsec) / 1000),
	       seconds(after.ru_utime.tv_sec - before.ru_utime.tv_sec,
	               after.ru_utime.tv_usec - before.ru_utime.tv_usec),
	       seconds(after.ru_stime.tv_sec - before.ru_stime.tv_sec,
	               after.ru_stime.tv_usec - before.ru_stime.tv_usec),
	       after.ru_maxrss, m.nr_tasks, 100.0 * (double)m.nr_in_tasks / (double)in.nr_leaves);
	syt_model_close(&m);
	syt_store_free(in.leaves);
	return 0;
}
