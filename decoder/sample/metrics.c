/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/sample/metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/counts.h"
#include "base/err.h"

static bool is_kept(const uint8_t *kept, uint64_t i)
{
	return !kept || kept[i];
}

void syt_sample_paths(const struct syt_sample_input *in, const uint8_t *kept,
                      struct syt_sample_path *all)
{
	/* [thread]: number of events of the part up to the present event */
	uint32_t *part = syt_calloc(in->nr_threads, sizeof(*part));

	for (uint64_t i = 0; i < in->nr; i++) {
		const struct syt_sample_event *e = &in->events[i];

		/* a ghost has no call path */
		if (!is_kept(kept, i) || e->is_ghost) {
			part[e->thread] = 0;
			continue;
		}
		all[e->path].nr++;
		/* the part must contain the event before the leaf task */
		if (e->task_rows && part[e->thread] >= e->task_rows) {
			struct syt_sample_path *p = &all[e->task_path];

			p->nr_tasks++;
			p->ms += (double)e->task_ms;
			p->ms2 += (double)e->task_ms * (double)e->task_ms;
		}
		part[e->thread]++;
	}
	free(part);
}

static double mean(const struct syt_sample_path *p)
{
	return p->nr_tasks ? p->ms / (double)p->nr_tasks : 0;
}

static double deviation(const struct syt_sample_path *p)
{
	double m = mean(p);

	return p->nr_tasks ? sqrt(fmax(0, p->ms2 / (double)p->nr_tasks - m * m)) : 0;
}

double syt_sample_similarity(const struct syt_sample_path *a, const struct syt_sample_path *b,
                             uint32_t nr)
{
	double sum = 0;

	for (uint32_t i = 0; i < nr; i++) {
		double means = mean(&a[i]) - mean(&b[i]);
		double deviations = deviation(&a[i]) - deviation(&b[i]);

		sum += means * means + deviations * deviations;
	}
	return sqrt(sum);
}

double syt_sample_entropy(const struct syt_sample_path *all, uint32_t nr)
{
	double sum = 0, entropy = 0;

	for (uint32_t i = 0; i < nr; i++)
		sum += (double)all[i].nr;
	for (uint32_t i = 0; i < nr; i++)
		if (all[i].nr)
			entropy -= (double)all[i].nr / sum * log((double)all[i].nr / sum);
	return fmax(0, entropy);
}

/* The events of each turn. */
struct turns {
	uint64_t *first;   /* [turn], and one more: index in `paths` */
	uint32_t *paths;   /* the call paths of the events of a turn, one turn after the other */
	uint64_t *nr_kept; /* [turn] */
};

static void open_turns(struct turns *t, const struct syt_sample_input *in, const uint8_t *kept)
{
	uint64_t sum = 0;

	t->first = syt_store_alloc((uint64_t)in->nr_turns + 1, sizeof(*t->first));
	t->nr_kept = syt_store_alloc(in->nr_turns, sizeof(*t->nr_kept));
	t->paths = syt_store_alloc(in->nr, sizeof(*t->paths));
	SYT_EACH(i, (uint64_t)0, in->nr) {
		t->first[in->events[i].turn]++;
		t->nr_kept[in->events[i].turn] += is_kept(kept, i);
	}
	for (uint32_t turn = 0; turn <= in->nr_turns; turn++) {
		sum += t->first[turn];
		t->first[turn] = sum;
	}
	/* each path is put before those that the turn already has */
	SYT_EACH(i, (uint64_t)0, in->nr)
		t->paths[--t->first[in->events[i].turn]] = in->events[i].path;
}

static void close_turns(struct turns *t)
{
	syt_store_free(t->first);
	syt_store_free(t->nr_kept);
	syt_store_free(t->paths);
}

static int by_number(const void *a_, const void *b_)
{
	const uint32_t *a = a_, *b = b_;

	return *a < *b ? -1 : *a > *b;
}

/* Sorts the NR numbers at ALL and removes equal ones. Returns how many are left. */
static uint64_t make_set(uint32_t *all, uint64_t nr)
{
	uint64_t left = 0;

	qsort(all, nr, sizeof(*all), by_number);
	for (uint64_t i = 0; i < nr; i++)
		if (!left || all[left - 1] != all[i])
			all[left++] = all[i];
	return left;
}

static void count_turns(const struct syt_sample_input *in, const uint8_t *kept,
                        struct syt_sample_coverage *c)
{
	struct syt_counts shapes = {0};
	struct turns t;

	open_turns(&t, in, kept);
	for (uint32_t turn = 0; turn < in->nr_turns; turn++) {
		uint64_t nr = t.first[turn + 1] - t.first[turn];
		uint32_t *paths = t.paths + t.first[turn];
		XXH128_hash_t h;

		if (t.nr_kept[turn] < nr)
			continue;
		c->turns++;
		nr = make_set(paths, nr);
		h = XXH3_128bits(paths, nr * sizeof(*paths));
		++*syt_counts_at(&shapes, h.low64, h.high64);
	}
	c->turn_shapes = (uint32_t)shapes.nr;
	syt_counts_fini(&shapes);
	close_turns(&t);
}

void syt_sample_coverage(const struct syt_sample_input *in, const uint8_t *kept,
                         struct syt_sample_coverage *c)
{
	bool *has_path = syt_calloc(in->nr_paths, sizeof(*has_path));
	bool has_kind[SYT_NR_EDGE_KINDS] = {false};

	memset(c, 0, sizeof(*c));
	count_turns(in, kept, c);
	SYT_EACH(i, (uint64_t)0, in->nr) {
		const struct syt_sample_event *e = &in->events[i];

		if (!is_kept(kept, i))
			continue;
		c->paths += !has_path[e->path];
		has_path[e->path] = true;
		for (uint32_t s = e->first_source; s < e[1].first_source; s++) {
			const struct syt_sample_source *source = &in->sources[s];

			c->edges++;
			if (!is_kept(kept, source->from))
				continue;
			c->edges_whole++;
			c->edge_kinds += !has_kind[source->kind];
			has_kind[source->kind] = true;
		}
	}
	free(has_path);
}
