/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "fleet/answers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/err.h"
#include "base/random.h"
#include "fleet/rows.h"
#include "fleet/sums.h"

#define TOP_PATHS 100u
#define NR_SPLITS 200u /* random splits of the hosts */

/* The weighted waits of one day by the top call paths: of all hosts, and of each host. */
struct day {
	const char *day;
	double sums[TOP_PATHS];
	size_t nr_hosts;
	double (*of_host)[TOP_PATHS];
};

/* The top call paths of all days. */
struct tops {
	size_t nr;
	const char *paths[TOP_PATHS];
	double sums[TOP_PATHS];
};

static size_t find_path(const struct tops *t, const char *path)
{
	size_t n = 0;

	while (n < t->nr && strcmp(t->paths[n], path) != 0)
		n++;
	return n;
}

struct path_sum {
	const char *path;
	double sum;
};

static int largest_path_first(const void *a_, const void *b_)
{
	const struct path_sum *a = a_, *b = b_;

	SYT_ORDER(b->sum, a->sum);
	return strcmp(a->path, b->path);
}

static void find_tops(struct tops *t, struct syt_sums *u)
{
	struct path_sum *all = syt_calloc(u->nr, sizeof(*all));
	size_t nr = 0;

	if (u->nr)
		qsort(u->all, u->nr, sizeof(*u->all), syt_sums_by_subject);
	for (size_t n = 0; n < u->nr; n++) {
		if (!nr || strcmp(all[nr - 1].path, u->all[n].subject) != 0)
			all[nr++].path = u->all[n].subject;
		all[nr - 1].sum += u->all[n].sum;
	}
	if (nr)
		qsort(all, nr, sizeof(*all), largest_path_first);
	t->nr = nr < TOP_PATHS ? nr : TOP_PATHS;
	for (size_t n = 0; n < t->nr; n++)
		t->paths[n] = all[n].path;
	free(all);
}

static int by_part(const void *a_, const void *b_)
{
	return strcmp(((const struct syt_sums_group *)a_)->part,
	              ((const struct syt_sums_group *)b_)->part);
}

/* Fills D with the groups of a day, from index *AT of U on. */
static void fill_day(struct day *d, const struct tops *t, const struct syt_sums *u, size_t *at)
{
	const struct syt_sums_group *first = &u->all[*at];

	*d = (struct day){.day = first->part, .nr_hosts = first->nr_hosts};
	d->of_host = syt_calloc(d->nr_hosts, sizeof(*d->of_host));
	for (; *at < u->nr && !strcmp(u->all[*at].part, first->part); ++*at) {
		const struct syt_sums_group *g = &u->all[*at];
		size_t path = find_path(t, g->subject);

		if (path == t->nr)
			continue;
		d->sums[path] += g->sum;
		for (size_t n = 0; n < d->nr_hosts; n++)
			d->of_host[n][path] += g->z[n];
	}
}

/* Returns the distance that 95 % of random splits of the hosts of the day stay below. */
static double chance_of(const struct day *d, size_t nr_paths)
{
	double distances[NR_SPLITS], sums[2][TOP_PATHS];
	size_t *order = syt_calloc(d->nr_hosts, sizeof(*order));
	uint64_t random = 1;

	for (size_t n = 0; n < d->nr_hosts; n++)
		order[n] = n;
	for (unsigned split = 0; split < NR_SPLITS; split++) {
		memset(sums, 0, sizeof(sums));
		for (size_t n = d->nr_hosts; n-- > 0;) {
			size_t other = (size_t)(syt_random_next(&random) % (n + 1)),
			       host = order[other];

			order[other] = order[n];
			order[n] = host;
			for (size_t k = 0; k < nr_paths; k++)
				sums[n % 2][k] += d->of_host[host][k];
		}
		distances[split] = syt_distance(sums[0], sums[1], nr_paths);
	}
	free(order);
	return syt_quantile(distances, NR_SPLITS, 0.95);
}

int syt_answer_stability(struct syt_fleet_store *s, const struct syt_fleet_query *q,
                         struct syt_out *out)
{
	static const char *const titles[] = {"DAY", ">ENTROPY bits", ">DISTANCE", ">BY CHANCE",
	                                     "CHANGED"};
	struct day days[2] = {{.day = NULL}, {.day = NULL}};
	struct tops tops = {.nr = 0};
	struct syt_fleet_rows r;
	struct syt_sums u;
	int status = syt_sums_open(&u, s, q, "day", SYT_SUMS_PATH, syt_query_waits(q));

	if (status) {
		syt_sums_close(&u);
		return status;
	}
	find_tops(&tops, &u);
	if (u.nr)
		qsort(u.all, u.nr, sizeof(*u.all), by_part);
	syt_rows_begin(&r, out, q->is_json, "stability", titles, 5);
	for (size_t at = 0; at < u.nr;) {
		struct day *d = &days[1];
		double distance = NAN, chance;

		fill_day(d, &tops, &u, &at);
		chance = d->nr_hosts > 1 ? chance_of(d, tops.nr) : NAN;
		if (days[0].day)
			distance = syt_distance(days[0].sums, d->sums, tops.nr);
		syt_row_begin(&r);
		syt_row_text(&r, "day", d->day);
		syt_row_number(&r, "entropy_bits", syt_entropy(d->sums, tops.nr));
		syt_row_number(&r, "distance", distance);
		syt_row_number(&r, "by_chance", chance);
		syt_row_bool(&r, "changed", distance > chance, "changed");
		syt_row_end(&r);
		free(d->of_host);
		days[0] = *d;
	}
	syt_rows_end(&r);
	syt_sums_close(&u);
	return 0;
}
