/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "fleet/sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/err.h"

sqlite3_stmt *syt_sums_prepare(struct syt_fleet_store *s, const struct syt_fleet_query *q,
                               const char *begin, bool is_of_windows, const char *end)
{
	sqlite3_stmt *t = NULL;
	size_t bytes;
	char *sql;
	FILE *f = syt_memstream(&sql, &bytes);

	fprintf(f, "%s begin_ns >= ?1 AND begin_ns < ?2", begin);
	for (unsigned n = 0; n < q->nr_wheres; n++)
		if (!is_of_windows || syt_query_is_of_window(q->keys[n]))
			fprintf(f, " AND %s = ?%u", q->keys[n], n + 3);
	fprintf(f, " %s", end);
	fclose(f);
	if (sqlite3_prepare_v2(s->db, sql, -1, &t, NULL)) {
		syt_warn("%s: %s", s->path, sqlite3_errmsg(s->db));
		t = NULL;
	}
	free(sql);
	if (!t)
		return NULL;
	sqlite3_bind_int64(t, 1, q->from);
	sqlite3_bind_int64(t, 2, q->to);
	for (unsigned n = 0; n < q->nr_wheres; n++)
		if (!is_of_windows || syt_query_is_of_window(q->keys[n]))
			sqlite3_bind_text(t, (int)n + 3, q->values[n], -1, SQLITE_STATIC);
	if (q->against && !is_of_windows) {
		sqlite3_bind_text(t, (int)SYT_QUERY_AGAINST, q->against, -1, SQLITE_STATIC);
		sqlite3_bind_text(t, (int)SYT_QUERY_VERSION, q->version, -1, SQLITE_STATIC);
	}
	return t;
}

static char *text(sqlite3_stmt *t, int column)
{
	const char *value = (const char *)sqlite3_column_text(t, column);

	return syt_asprintf("%s", value ? value : "");
}

static int end(struct syt_fleet_store *s, sqlite3_stmt *t, int status)
{
	sqlite3_finalize(t);
	if (status == SQLITE_DONE)
		return 0;
	syt_warn("%s: %s", s->path,
	         status == SQLITE_INTERRUPT ? "the query took more than a minute"
	                                    : sqlite3_errmsg(s->db));
	return -1;
}

/* Returns the SQL text that joins the values of the columns NAMES, which are joined by commas. */
static char *joined(const char *names)
{
	char *sql;
	size_t bytes;
	FILE *f = syt_memstream(&sql, &bytes);

	fputs("''", f);
	if (names)
		fputs("||", f);
	for (const char *p = names; p && *p; p++)
		if (*p == ',')
			fputs("||char(31)||", f);
		else
			putc(*p, f);
	fclose(f);
	return sql;
}

static int read_hosts(struct syt_sums *u, struct syt_fleet_store *s,
                      const struct syt_fleet_query *q, const char *part)
{
	char *begin = syt_asprintf(
		"SELECT %s AS part, host, total(weight * wall_ns) FROM windows WHERE", part);
	sqlite3_stmt *t =
		syt_sums_prepare(s, q, begin, true, "GROUP BY part, host ORDER BY part, host");
	int status;

	free(begin);
	if (!t)
		return -1;
	while ((status = sqlite3_step(t)) == SQLITE_ROW)
		*SYT_ADD(u->hosts, u->nr_hosts, u->room_hosts) =
			(struct syt_sums_host){text(t, 0), text(t, 1), sqlite3_column_double(t, 2)};
	return end(s, t, status);
}

/* Returns the index of the first host of PART from which on all hosts compare as not below HOST. */
static size_t find_host(const struct syt_sums *u, const char *part, const char *host)
{
	size_t low = 0, high = u->nr_hosts;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(u->hosts[middle].part, part);

		if (order < 0 || (!order && strcmp(u->hosts[middle].host, host) < 0))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct syt_sums_group *add_group(struct syt_sums *u, const char *part, const char *subject)
{
	struct syt_sums_group *g = SYT_ADD(u->all, u->nr, u->room);

	*g = (struct syt_sums_group){.part = syt_asprintf("%s", part),
	                             .subject = syt_asprintf("%s", subject),
	                             .first = find_host(u, part, "")};
	while (g->first + g->nr_hosts < u->nr_hosts &&
	       !strcmp(u->hosts[g->first + g->nr_hosts].part, part))
		g->nr_hosts++;
	g->z = syt_calloc(g->nr_hosts, sizeof(*g->z));
	return g;
}

static void add_row(struct syt_sums *u, sqlite3_stmt *t)
{
	struct syt_sums_group *g = u->nr ? &u->all[u->nr - 1] : NULL;
	char *part = text(t, 0), *subject = text(t, 1), *host = text(t, 2);
	size_t at = find_host(u, part, host);

	if (!g || strcmp(g->part, part) != 0 || strcmp(g->subject, subject) != 0)
		g = add_group(u, part, subject);
	if (at >= g->first && at < g->first + g->nr_hosts)
		g->z[at - g->first] += sqlite3_column_double(t, 3);
	g->sum += sqlite3_column_double(t, 3);
	g->n += sqlite3_column_double(t, 4);
	g->ns += sqlite3_column_double(t, 5);
	free(part);
	free(subject);
	free(host);
}

static int largest_first(const void *a_, const void *b_)
{
	const struct syt_sums_group *a = a_, *b = b_;
	int order;

	SYT_ORDER(b->sum, a->sum);
	order = strcmp(a->part, b->part);
	return order ? order : strcmp(a->subject, b->subject);
}

int syt_sums_open(struct syt_sums *u, struct syt_fleet_store *s, const struct syt_fleet_query *q,
                  const char *part_, const char *subject, const char *condition)
{
	char *part = joined(part_), *begin;
	sqlite3_stmt *t;
	int status;

	memset(u, 0, sizeof(*u));
	if (read_hosts(u, s, q, part)) {
		free(part);
		return -1;
	}
	begin = syt_asprintf(
		"SELECT %s AS part, %s AS subject, host, total(weight * ns), total(n), total(ns) "
		"FROM facts "
		"JOIN windows USING (w) JOIN dims USING (dim) JOIN stacks USING (stack) "
		"LEFT JOIN locks USING (lock) WHERE %s AND",
		part, subject, condition);
	t = syt_sums_prepare(s, q, begin, false,
	                     "GROUP BY part, subject, host ORDER BY part, subject, host");
	free(begin);
	free(part);
	if (!t)
		return -1;
	while ((status = sqlite3_step(t)) == SQLITE_ROW)
		add_row(u, t);
	if (u->nr)
		qsort(u->all, u->nr, sizeof(*u->all), largest_first);
	return end(s, t, status);
}

void syt_sums_close(struct syt_sums *u)
{
	for (size_t n = 0; n < u->nr_hosts; n++) {
		free(u->hosts[n].part);
		free(u->hosts[n].host);
	}
	for (size_t n = 0; n < u->nr; n++) {
		free(u->all[n].part);
		free(u->all[n].subject);
		free(u->all[n].z);
	}
	free(u->hosts);
	free(u->all);
	memset(u, 0, sizeof(*u));
}

struct syt_ratio syt_sums_ratio(const struct syt_sums *u, const struct syt_sums_group *g)
{
	struct syt_host_sum *hosts = syt_calloc(g->nr_hosts, sizeof(*hosts));
	struct syt_ratio ratio;

	for (size_t n = 0; n < g->nr_hosts; n++)
		hosts[n] = (struct syt_host_sum){g->z[n], u->hosts[g->first + n].x};
	ratio = syt_ratio_of(hosts, g->nr_hosts);
	free(hosts);
	return ratio;
}

int syt_sums_by_subject(const void *a, const void *b)
{
	return strcmp(((const struct syt_sums_group *)a)->subject,
	              ((const struct syt_sums_group *)b)->subject);
}
