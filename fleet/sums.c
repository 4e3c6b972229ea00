/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "fleet/sums.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/compare.h"
#include "base/err.h"

/* ---- SQL texts ---- */

/* clang-format off */
/* As SYT_SQL_SUM(), with names of the two columns. */
#define NAMED_SUM(x, high, low) SYT_SQL_HIGH(x) " AS " high ", " SYT_SQL_LOW(x) " AS " low
static const char named_sums[] =
	NAMED_SUM("(weight * ns)", "s1", "s2") ", " NAMED_SUM("(1.0 * n)", "s3", "s4") ", " NAMED_SUM("(1.0 * ns)", "s5", "s6");
/* clang-format on */

static void put_day(FILE *f, const char *compare, int64_t ns)
{
	time_t s = (time_t)(ns / 1000000000);
	struct tm tm;
	char day[16];

	if (gmtime_r(&s, &tm) && strftime(day, sizeof(day), "%Y-%m-%d", &tm))
		fprintf(f, " AND day %s '%s'", compare, day);
}

/* Writes the conditions of Q. Those on the day let a store leave out the other days. */
static void put_conditions(FILE *f, const struct syt_fleet_query *q, bool is_of_windows)
{
	fputs(" begin_ns >= ?1 AND begin_ns < ?2", f);
	if (q->from)
		put_day(f, ">=", q->from);
	if (q->to != INT64_MAX)
		put_day(f, "<=", q->to);
	for (unsigned n = 0; n < q->nr_wheres; n++)
		if (!is_of_windows || syt_query_is_of_window(q->keys[n]))
			fprintf(f, " AND %s = ?%u", q->keys[n], n + 3);
}

/* Asks SQL, which it frees, with the values of Q. A server may answer anything, so the number of columns is checked. */
static int ask(struct syt_store_rows *t, struct syt_fleet_store *s, const struct syt_fleet_query *q,
               char *sql, bool is_of_windows, size_t nr_columns)
{
	struct syt_store_value values[SYT_QUERY_VERSION] = {{NULL, q->from}, {NULL, q->to}};
	size_t nr = 2 + q->nr_wheres;
	int status;

	for (unsigned n = 0; n < q->nr_wheres; n++)
		values[n + 2].text = q->values[n];
	if (q->against && !is_of_windows) {
		values[SYT_QUERY_AGAINST - 1].text = q->against;
		values[SYT_QUERY_VERSION - 1].text = q->version;
		nr = SYT_QUERY_VERSION;
	}
	status = syt_store_ask(t, s, sql, values, nr);
	free(sql);
	if (!status && t->nr != nr_columns) {
		syt_warn("%s: the answer has %zu columns, not %zu", s->path, t->nr, nr_columns);
		status = -1;
	}
	return status;
}

int syt_sums_ask_windows(struct syt_store_rows *t, struct syt_fleet_store *s,
                         const struct syt_fleet_query *q, const char *begin, const char *end,
                         size_t nr_columns)
{
	size_t bytes;
	char *sql;
	FILE *f = syt_memstream(&sql, &bytes);

	fputs(begin, f);
	put_conditions(f, q, true);
	fprintf(f, " %s", end);
	fclose(f);
	return ask(t, s, q, sql, true, nr_columns);
}

/* Returns the number of names in NAMES, which are joined by commas. */
static size_t count(const char *names)
{
	size_t nr = names != NULL;

	for (const char *p = names; p && *p; p++)
		nr += *p == ',';
	return nr;
}

/* Returns true if NAME is one of NAMES, which are joined by commas. */
static bool has(const char *names, const char *name)
{
	size_t bytes = strlen(name);

	for (const char *p = names; p; p = strchr(p, ','), p += p != NULL)
		if (!strncmp(p, name, bytes) && (!p[bytes] || p[bytes] == ','))
			return true;
	return false;
}

/* Returns the columns of the view profile that the columns KEYS are computed from. */
static char *numbers_of(const char *keys)
{
	char *rest = NULL, *all = syt_asprintf("%s", keys), *names;
	size_t bytes;
	FILE *f = syt_memstream(&names, &bytes);
	const char *comma = "";

	for (char *key = strtok_r(all, ",", &rest); key; key = strtok_r(NULL, ",", &rest)) {
		size_t at = (size_t)(key - all);
		bool is_path = !strcmp(key, SYT_SUMS_PATH), is_name = has(SYT_SUMS_LOCK_NAMES, key);

		if ((is_path && has(keys, "stack")) ||
		    (is_name && (has(keys, "lock") || !strcmp(key, "lock_kind"))) ||
		    has(keys + at + strlen(key) + (keys[at + strlen(key)] == ','), key))
			continue;
		fprintf(f, "%s%s", comma, is_path ? "stack" : is_name ? "lock" : key);
		comma = ",";
	}
	fclose(f);
	free(all);
	return names;
}

/* Sums by number first, because the tables of names would make each row long. A store of several servers joins subqueries only. */
int syt_sums_ask_facts(struct syt_store_rows *t, struct syt_fleet_store *s,
                       const struct syt_fleet_query *q, const char *keys, const char *condition,
                       bool is_of_windows)
{
	static const char sums[] = "s1, s2, s3, s4, s5, s6";
	bool has_path = has(keys, SYT_SUMS_PATH), has_lock = has(keys, "lock_name");
	char *numbers = numbers_of(keys), *sql;
	size_t bytes;
	FILE *f = syt_memstream(&sql, &bytes);

	fprintf(f, "SELECT %s, sum(s1), sum(s2), sum(s3), sum(s4), sum(s5), sum(s6) FROM ", keys);
	if (has_path && has_lock)
		fprintf(f, "(SELECT %s, " SYT_SUMS_PATH ", %s FROM ", numbers, sums);
	fprintf(f, "(SELECT %s, ", numbers);
	fprintf(f, "%s FROM profile WHERE %s AND", named_sums, condition);
	put_conditions(f, q, is_of_windows);
	fprintf(f, " GROUP BY %s) AS c", numbers);
	if (has_path)
		fprintf(f, " %s %s AS d USING (stack)", s->all->join, s->all->stacks);
	if (has_path && has_lock)
		fputs(") AS e", f);
	if (has_lock)
		fprintf(f, " %s %s AS g USING (lock)", s->all->join, s->all->locks);
	fprintf(f, " GROUP BY %s ORDER BY %s", keys, keys);
	fclose(f);
	free(numbers);
	return ask(t, s, q, sql, is_of_windows, count(keys) + 6);
}

/* ---- rows ---- */

double syt_sums_number(const struct syt_store_rows *t, size_t at)
{
	return t->cells[at].number * 262144 + t->cells[at + 1].number / 1024;
}

char *syt_sums_text(const struct syt_store_rows *t, size_t at)
{
	return t->cells[at].type == SYT_CELL_INTEGER
	               ? syt_asprintf("%" PRId64, t->cells[at].integer)
	               : syt_asprintf("%s", t->cells[at].text);
}

/* Returns the texts of the NR cells from AT on, joined. */
static char *joined(const struct syt_store_rows *t, size_t at, size_t nr)
{
	size_t bytes;
	char *text;
	FILE *f = syt_memstream(&text, &bytes);

	for (size_t n = at; n < at + nr; n++) {
		char *cell = syt_sums_text(t, n);

		if (n > at)
			putc(SYT_SUMS_SEPARATOR, f);
		fputs(cell, f);
		free(cell);
	}
	fclose(f);
	return text;
}

static int read_hosts(struct syt_sums *u, struct syt_fleet_store *s,
                      const struct syt_fleet_query *q, const char *part)
{
	static const char sum[] = SYT_SQL_SUM("(weight * wall_ns)");
	char *keys = syt_asprintf("%s%shost", part ? part : "", part ? "," : ""),
	     *begin = syt_asprintf("SELECT %s, %s FROM windows WHERE", keys, sum),
	     *end = syt_asprintf("GROUP BY %s ORDER BY %s", keys, keys);
	struct syt_store_rows t;
	size_t nr = count(part);
	int status = syt_sums_ask_windows(&t, s, q, begin, end, nr + 3);

	while (!status && (status = syt_store_next(&t)) > 0) {
		*SYT_ADD(u->hosts, u->nr_hosts, u->room_hosts) = (struct syt_sums_host){
			joined(&t, 0, nr), syt_sums_text(&t, nr), syt_sums_number(&t, nr + 1)};
		status = 0;
	}
	syt_store_done(&t);
	free(end);
	free(begin);
	free(keys);
	return status;
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

/* Adds a row, whose keys are NR_PART columns of the part, NR_SUBJECT columns of the subject, and the host. */
static void add_row(struct syt_sums *u, const struct syt_store_rows *t, size_t nr_part,
                    size_t nr_subject)
{
	struct syt_sums_group *g = u->nr ? &u->all[u->nr - 1] : NULL;
	size_t nr = nr_part + nr_subject;
	char *part = joined(t, 0, nr_part), *subject = joined(t, nr_part, nr_subject),
	     *host = syt_sums_text(t, nr);
	size_t at = find_host(u, part, host);
	double z = syt_sums_number(t, nr + 1);

	if (!g || strcmp(g->part, part) != 0 || strcmp(g->subject, subject) != 0)
		g = add_group(u, part, subject);
	if (at >= g->first && at < g->first + g->nr_hosts)
		g->z[at - g->first] += z;
	g->sum += z;
	g->n += syt_sums_number(t, nr + 3);
	g->ns += syt_sums_number(t, nr + 5);
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
                  const char *part, const char *subject, const char *condition)
{
	size_t nr_part = count(part), nr_subject = count(subject);
	struct syt_store_rows t;
	char *keys;
	int status;

	memset(u, 0, sizeof(*u));
	if (read_hosts(u, s, q, part))
		return -1;
	keys = syt_asprintf("%s%s%s%shost", part ? part : "", part ? "," : "",
	                    subject ? subject : "", subject ? "," : "");
	status = syt_sums_ask_facts(&t, s, q, keys, condition, false);
	free(keys);
	while (!status && (status = syt_store_next(&t)) > 0) {
		add_row(u, &t, nr_part, nr_subject);
		status = 0;
	}
	syt_store_done(&t);
	if (u->nr)
		qsort(u->all, u->nr, sizeof(*u->all), largest_first);
	return status;
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
