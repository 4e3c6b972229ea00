/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "fleet/answers.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/err.h"
#include "fleet/rows.h"
#include "fleet/sums.h"

#define FALSE_MOST 0.05 /* expected share of false differences */

/* A call path in two versions. */
struct pair {
	const char *path;
	struct syt_ratio before, after;
	double p; /* probability of the difference by chance */
};

static int largest_change_first(const void *a_, const void *b_)
{
	const struct pair *a = a_, *b = b_;

	SYT_ORDER(fabs(b->after.ratio - b->before.ratio), fabs(a->after.ratio - a->before.ratio));
	return strcmp(a->path, b->path);
}

/* Returns the ratio of PART when no host waited there. */
static struct syt_ratio no_waits(const struct syt_sums *u, const char *part)
{
	struct syt_sums_group g = {.part = NULL};
	struct syt_ratio ratio;

	while (g.first < u->nr_hosts && strcmp(u->hosts[g.first].part, part) != 0)
		g.first++;
	while (g.first + g.nr_hosts < u->nr_hosts &&
	       !strcmp(u->hosts[g.first + g.nr_hosts].part, part))
		g.nr_hosts++;
	g.z = syt_calloc(g.nr_hosts, sizeof(*g.z));
	ratio = syt_sums_ratio(u, &g);
	free(g.z);
	return ratio;
}

/* Pairs the groups of U, and stores the number of paths without function names in *NR_UNNAMED. */
static struct pair *make_pairs(struct syt_sums *u, const struct syt_fleet_query *q, size_t *nr,
                               uint64_t *nr_unnamed)
{
	struct pair *pairs = syt_calloc(u->nr, sizeof(*pairs));

	*nr = 0;
	*nr_unnamed = 0;
	if (u->nr)
		qsort(u->all, u->nr, sizeof(*u->all), syt_sums_by_subject);
	for (size_t n = 0, next; n < u->nr; n = next) {
		struct pair *p = &pairs[*nr];

		*p = (struct pair){u->all[n].subject, no_waits(u, q->against),
		                   no_waits(u, q->version), 1};
		for (next = n; next < u->nr && !strcmp(u->all[next].subject, p->path); next++) {
			bool is_before = !strcmp(u->all[next].part, q->against);

			if (is_before)
				p->before = syt_sums_ratio(u, &u->all[next]);
			else
				p->after = syt_sums_ratio(u, &u->all[next]);
		}
		/* an offset is another place in another build */
		if (strstr(p->path, "+0x")) {
			++*nr_unnamed;
			continue;
		}
		p->p = syt_welch(&p->before, &p->after);
		++*nr;
	}
	return pairs;
}

static void put_pair(struct syt_fleet_rows *r, const struct pair *p, double most)
{
	const struct syt_ratio *a = &p->before, *b = &p->after;

	syt_row_begin(r);
	syt_row_text(r, "path", p->path);
	syt_row_share(r, "before", a->ratio);
	syt_row_share(r, "before_low", a->has_interval ? a->low : NAN);
	syt_row_share(r, "before_high", a->has_interval ? a->high : NAN);
	syt_row_share(r, "after", b->ratio);
	syt_row_share(r, "after_low", b->has_interval ? b->low : NAN);
	syt_row_share(r, "after_high", b->has_interval ? b->high : NAN);
	syt_row_number(r, "ratio", a->ratio > 0 ? b->ratio / a->ratio : NAN);
	syt_row_bool(r, "differs", p->p <= most, "differs");
	syt_row_end(r);
}

int syt_answer_versions(struct syt_fleet_store *s, const struct syt_fleet_query *q,
                        struct syt_out *out)
{
	static const char *const titles[] = {"PATH", ">BEFORE", ">LOW",   ">HIGH",  ">AFTER",
	                                     ">LOW", ">HIGH",   ">RATIO", "DIFFERS"};
	struct syt_fleet_rows r;
	struct syt_sums u;
	struct pair *pairs;
	uint64_t nr_unnamed;
	double *p, most;
	size_t nr;
	char *condition = syt_asprintf("version IN (?%u, ?%u) AND %s", SYT_QUERY_AGAINST,
	                               SYT_QUERY_VERSION, syt_query_waits(q));
	int status = syt_sums_open(&u, s, q, "version", SYT_SUMS_PATH, condition);

	free(condition);
	if (status) {
		syt_sums_close(&u);
		return status;
	}
	pairs = make_pairs(&u, q, &nr, &nr_unnamed);
	p = syt_calloc(nr, sizeof(*p));
	for (size_t n = 0; n < nr; n++)
		p[n] = pairs[n].p;
	most = syt_benjamini_hochberg(p, nr, FALSE_MOST);
	if (nr)
		qsort(pairs, nr, sizeof(*pairs), largest_change_first);
	syt_rows_begin(&r, out, q->is_json, "version", titles, 9);
	for (size_t n = 0; n < nr && (!q->limit || n < q->limit); n++)
		put_pair(&r, &pairs[n], most);
	syt_rows_end(&r);
	if (nr_unnamed)
		syt_warn("cannot compare %" PRIu64 " call paths whose functions have no names",
		         nr_unnamed);
	free(pairs);
	free(p);
	syt_sums_close(&u);
	return 0;
}
