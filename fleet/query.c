/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "fleet/query.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "fleet/answers.h"
#include "fleet/rows.h"
#include "fleet/sums.h"

#define MAD_MOST 5 /* median absolute deviations of a usual host */
#define MOST_KEYS 12u

/* ---- the head of an answer ---- */

static double column(sqlite3_stmt *t, int at)
{
	return sqlite3_column_double(t, at);
}

/* Stores the time of the waits for locks in *NS. */
static int sum_lock_waits(struct syt_fleet_store *s, const struct syt_fleet_query *q, double *ns)
{
	sqlite3_stmt *t = syt_sums_prepare(
		s, q,
		"SELECT total(ns) FROM facts JOIN windows USING (w) JOIN dims USING (dim) WHERE "
		"event = 'wait' AND what = 'lock' AND",
		true, "");
	int status;

	if (!t)
		return -1;
	status = sqlite3_step(t);
	*ns = status == SQLITE_ROW ? column(t, 0) : 0;
	if (status != SQLITE_ROW)
		syt_warn("%s: %s", s->path, sqlite3_errmsg(s->db));
	sqlite3_finalize(t);
	return status == SQLITE_ROW ? 0 : -1;
}

/* Prints the windows and the coverage of the answer. */
static int put_head(struct syt_fleet_store *s, const struct syt_fleet_query *q, struct syt_out *out)
{
	sqlite3_stmt *t = syt_sums_prepare(
		s, q,
		"SELECT count(*), count(DISTINCT host), total(length_ns), "
		"total(weight * length_ns), total(lost), total(unseen_ns) FROM windows WHERE",
		true, "");
	struct syt_json j = {.out = out};
	double of_time, locks_ns;

	if (!t || sum_lock_waits(s, q, &locks_ns)) {
		sqlite3_finalize(t);
		return -1;
	}
	if (sqlite3_step(t) != SQLITE_ROW) {
		syt_warn("%s: %s", s->path, sqlite3_errmsg(s->db));
		sqlite3_finalize(t);
		return -1;
	}
	of_time = column(t, 3) > 0 ? column(t, 2) / column(t, 3) : 0;
	if (q->is_json) {
		syt_json_begin_line(&j, "coverage");
		syt_json_i64(&j, "windows", sqlite3_column_int64(t, 0));
		syt_json_i64(&j, "hosts", sqlite3_column_int64(t, 1));
		syt_json_key(&j, "of_time");
		syt_out_printf(out, "%.17g", of_time);
		syt_json_key(&j, "lost");
		syt_out_printf(out, "%.17g", column(t, 4));
		syt_json_key(&j, "unseen_ns");
		syt_out_printf(out, "%.17g", column(t, 5));
		syt_json_end_line(&j);
	} else {
		syt_out_printf(out,
		               "%" PRId64 " windows of %" PRId64
		               " hosts, %.3g %% of their time; %.0f events lost; holder "
		               "not seen for %.2g %% of the waiting for locks\n\n",
		               (int64_t)sqlite3_column_int64(t, 0),
		               (int64_t)sqlite3_column_int64(t, 1), of_time * 100, column(t, 4),
		               locks_ns > 0 ? column(t, 5) / locks_ns * 100 : 0);
	}
	sqlite3_finalize(t);
	return 0;
}

/* ---- keys of a question ---- */

struct key {
	const char *name, *title, *sql;
};

/* The keys of an answer: those of the part and then those of the subject. */
struct keys {
	size_t nr_parts, nr;
	struct key all[MOST_KEYS];
	char *part;    /* names of the dimensions of windows, or NULL */
	char *subject; /* SQL text */
	char *names;   /* memory of the names in `all` */
};

/* Joins the NR keys from ALL on by SEPARATOR, or returns NULL for none. */
static char *join(const struct key *all, size_t nr, const char *separator)
{
	char *text;
	size_t bytes;
	FILE *f;

	if (!nr)
		return NULL;
	f = syt_memstream(&text, &bytes);
	for (size_t n = 0; n < nr; n++)
		fprintf(f, "%s%s", n ? separator : "", all[n].sql);
	fclose(f);
	return text;
}

/* Adds the dimensions in BY, which are of windows or not. */
static void add_by(struct keys *k, char *by, bool is_of_windows)
{
	char *rest = NULL;

	for (char *name = strtok_r(by, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
		const char *key = syt_query_dimension(name, strlen(name));

		if (syt_query_is_of_window(key) == is_of_windows)
			k->all[k->nr++] = (struct key){key, key, key};
	}
}

static void keys_open(struct keys *k, const struct syt_fleet_query *q, const struct key *subjects,
                      size_t nr)
{
	char *by[2] = {syt_asprintf("%s", q->by ? q->by : ""),
	               syt_asprintf("%s", q->by ? q->by : "")};

	memset(k, 0, sizeof(*k));
	add_by(k, by[0], true);
	k->nr_parts = k->nr;
	for (size_t n = 0; n < nr; n++)
		k->all[k->nr++] = subjects[n];
	add_by(k, by[1], false);
	k->part = join(k->all, k->nr_parts, ",");
	k->subject = join(k->all + k->nr_parts, k->nr - k->nr_parts, "||char(31)||");
	free(by[0]);
	free(by[1]);
}

static void keys_close(struct keys *k)
{
	free(k->part);
	free(k->subject);
}

/* Prints the keys of the group G. A key without a name identifies the subject and is not printed. */
static void put_keys(struct syt_fleet_rows *r, const struct keys *k, const struct syt_sums_group *g)
{
	char *texts[2] = {g->part, g->subject};

	for (size_t side = 0, n = 0; side < 2; side++) {
		const char *p = texts[side];

		for (size_t end = side ? k->nr : k->nr_parts; n < end; n++) {
			size_t bytes = strcspn(p, "\x1f");
			char *value = syt_strndup(p, bytes);

			if (k->all[n].name)
				syt_row_text(r, k->all[n].name, value);
			free(value);
			p += bytes + (p[bytes] != '\0');
		}
	}
}

/* Begins the rows of a question, whose titles are those of the keys and the NR others. */
static void begin_rows(struct syt_fleet_rows *r, const struct syt_fleet_query *q,
                       struct syt_out *out, const struct keys *k, const char *type,
                       const char *const *others, size_t nr)
{
	const char *titles[MOST_KEYS + 16];
	size_t nr_titles = 0;

	for (size_t n = 0; n < k->nr; n++)
		if (k->all[n].name)
			titles[nr_titles++] = k->all[n].title;
	for (size_t n = 0; n < nr; n++)
		titles[nr_titles++] = others[n];
	syt_rows_begin(r, out, q->is_json, type, titles, nr_titles);
}

/* Writes the share of the threads' time that the waits of G took, their number and their time. */
static void put_amounts(struct syt_fleet_rows *r, const struct syt_fleet_query *q,
                        const struct syt_sums *u, const struct syt_sums_group *g)
{
	struct syt_ratio ratio = syt_sums_ratio(u, g);

	syt_row_share(r, "of_time", ratio.ratio);
	syt_row_share(r, "low", ratio.has_interval ? ratio.low : NAN);
	syt_row_share(r, "high", ratio.has_interval ? ratio.high : NAN);
	syt_row_integer(r, "hosts", (int64_t)ratio.nr_hosts);
	syt_row_number(r, "waits", g->n);
	syt_row_number(r, "wait_ns", q->is_json ? g->ns : g->ns / 1e9);
	syt_row_number(r, "fleet_ns", q->is_json ? g->sum : g->sum / 1e9);
}

/* ---- locks and waits ---- */

/* Returns the call path that waited for the lock, or held it, for the longest weighted time, or NULL. */
static char *longest_path(struct syt_fleet_store *s, const struct syt_fleet_query *q,
                          const char *lock, const char *event)
{
	char *begin = syt_asprintf("SELECT path FROM facts JOIN windows USING (w) JOIN dims USING "
	                           "(dim) JOIN stacks USING "
	                           "(stack) WHERE lock = %lld AND event = '%s' AND",
	                           strtoll(lock, NULL, 10), event);
	struct syt_fleet_query windows = *q;
	sqlite3_stmt *t;
	char *path = NULL;

	t = syt_sums_prepare(s, &windows, begin, true,
	                     "GROUP BY stack ORDER BY total(weight * ns) DESC, path LIMIT 1");
	free(begin);
	if (t && sqlite3_step(t) == SQLITE_ROW && sqlite3_column_text(t, 0))
		path = syt_asprintf("%s", (const char *)sqlite3_column_text(t, 0));
	sqlite3_finalize(t);
	return path;
}

static int ask_locks(struct syt_fleet_store *s, const struct syt_fleet_query *q,
                     struct syt_out *out)
{
	static const struct key subjects[] = {{NULL, NULL, "lock"},
	                                      {"lock", "LOCK", "coalesce(locks.name, '')"},
	                                      {"kind", "KIND", "coalesce(locks.kind, '')"}};
	static const char *const titles[] = {">OF TIME",    ">LOW",           ">HIGH",
	                                     ">HOSTS",      ">WAITS",         ">WAITED s",
	                                     ">OF FLEET s", "WAITED MOST BY", "HELD MOST BY"};
	struct syt_fleet_rows r;
	struct syt_sums u;
	struct keys k;
	int status;

	keys_open(&k, q, subjects, 3);
	status = syt_sums_open(&u, s, q, k.part, k.subject,
	                       "event = 'wait' AND what = 'lock' AND lock <> 0");
	if (!status)
		begin_rows(&r, q, out, &k, "lock", titles, 9);
	for (size_t n = 0; n < u.nr && !status && (!q->limit || n < q->limit); n++) {
		const struct syt_sums_group *g = &u.all[n];
		char *waited = longest_path(s, q, g->subject, "wait"),
		     *held = longest_path(s, q, g->subject, "hold");

		syt_row_begin(&r);
		put_keys(&r, &k, g);
		put_amounts(&r, q, &u, g);
		syt_row_text(&r, "waited_by", waited);
		syt_row_text(&r, "held_by", held);
		syt_row_end(&r);
		free(waited);
		free(held);
	}
	if (!status)
		syt_rows_end(&r);
	syt_sums_close(&u);
	keys_close(&k);
	return status;
}

static int ask_waits(struct syt_fleet_store *s, const struct syt_fleet_query *q,
                     struct syt_out *out)
{
	static const struct key subjects[] = {{NULL, NULL, "stack"}, {"path", "PATH", "path"}};
	static const char *const titles[] = {">OF TIME", ">LOW",      ">HIGH",      ">HOSTS",
	                                     ">WAITS",   ">WAITED s", ">OF FLEET s"};
	struct syt_fleet_rows r;
	struct syt_sums u;
	struct keys k;
	int status;

	keys_open(&k, q, subjects, 2);
	status = syt_sums_open(&u, s, q, k.part, k.subject, syt_query_waits(q));
	if (!status)
		begin_rows(&r, q, out, &k, "wait", titles, 7);
	for (size_t n = 0; n < u.nr && !status && (!q->limit || n < q->limit); n++) {
		const struct syt_sums_group *g = &u.all[n];

		syt_row_begin(&r);
		put_keys(&r, &k, g);
		put_amounts(&r, q, &u, g);
		syt_row_end(&r);
	}
	if (!status)
		syt_rows_end(&r);
	syt_sums_close(&u);
	keys_close(&k);
	return status;
}

/* ---- hosts ---- */

static int ask_hosts(struct syt_fleet_store *s, const struct syt_fleet_query *q,
                     struct syt_out *out)
{
	static const char *const titles[] = {"HOST", ">OF TIME", ">DEVIATION", "ODD"};
	struct syt_fleet_rows r;
	struct syt_sums u;
	int status = syt_sums_open(&u, s, q, NULL, "''", syt_query_waits(q));
	double *shares, *sorted, median, mad;

	if (status || !u.nr) {
		syt_sums_close(&u);
		return status;
	}
	shares = syt_calloc(u.nr_hosts, sizeof(*shares));
	sorted = syt_calloc(u.nr_hosts, sizeof(*sorted));
	for (size_t n = 0; n < u.nr_hosts; n++)
		sorted[n] = shares[n] = u.hosts[n].x > 0 ? u.all[0].z[n] / u.hosts[n].x : 0;
	median = syt_median(sorted, u.nr_hosts);
	for (size_t n = 0; n < u.nr_hosts; n++)
		sorted[n] = fabs(shares[n] - median);
	mad = syt_median(sorted, u.nr_hosts);
	syt_rows_begin(&r, out, q->is_json, "host", titles, 4);
	for (size_t n = 0; n < u.nr_hosts && (!q->limit || n < q->limit); n++) {
		double from_median = shares[n] - median;
		double deviation = mad > 0           ? from_median / mad
		                   : from_median > 0 ? INFINITY
		                   : from_median < 0 ? -INFINITY
		                                     : 0;

		syt_row_begin(&r);
		syt_row_text(&r, "host", u.hosts[n].host);
		syt_row_share(&r, "share", shares[n]);
		syt_row_number(&r, "deviation", deviation);
		syt_row_bool(&r, "odd", fabs(deviation) > MAD_MOST, "odd");
		syt_row_end(&r);
	}
	syt_rows_end(&r);
	free(shares);
	free(sorted);
	syt_sums_close(&u);
	return 0;
}

/* ---- health ---- */

static int ask_health(struct syt_fleet_store *s, const struct syt_fleet_query *q,
                      struct syt_out *out)
{
	static const char *const titles[] = {"SERVICE",      "VERSION",     ">WINDOWS",
	                                     ">HOSTS",       ">EVENTS",     ">LOST",
	                                     ">WITH LOSSES", ">OPEN CALLS", "LAST"};
	sqlite3_stmt *t = syt_sums_prepare(
		s, q,
		"SELECT service, version, count(*), count(DISTINCT host), total(events), "
		"total(lost), total(lost > 0), total(open), "
		"strftime('%Y-%m-%dT%H:%M:%SZ', max(begin_ns) / 1000000000, 'unixepoch') "
		"FROM windows WHERE",
		true, "GROUP BY service, version ORDER BY service, version");
	struct syt_fleet_rows r;
	int status;

	if (!t)
		return -1;
	syt_rows_begin(&r, out, q->is_json, "health", titles, 9);
	for (uint64_t n = 0;
	     (status = sqlite3_step(t)) == SQLITE_ROW && (!q->limit || n < q->limit); n++) {
		syt_row_begin(&r);
		syt_row_text(&r, "service", (const char *)sqlite3_column_text(t, 0));
		syt_row_text(&r, "version", (const char *)sqlite3_column_text(t, 1));
		syt_row_integer(&r, "windows", sqlite3_column_int64(t, 2));
		syt_row_integer(&r, "hosts", sqlite3_column_int64(t, 3));
		syt_row_number(&r, "events", column(t, 4));
		syt_row_number(&r, "lost", column(t, 5));
		syt_row_number(&r, "windows_with_losses", column(t, 6));
		syt_row_number(&r, "open", column(t, 7));
		syt_row_text(&r, "last", (const char *)sqlite3_column_text(t, 8));
		syt_row_end(&r);
	}
	syt_rows_end(&r);
	sqlite3_finalize(t);
	if (status == SQLITE_DONE || status == SQLITE_ROW)
		return 0;
	syt_warn("%s: %s", s->path, sqlite3_errmsg(s->db));
	return -1;
}

/* ---- the questions ---- */

static const struct {
	const char *name;
	int (*ask)(struct syt_fleet_store *s, const struct syt_fleet_query *q, struct syt_out *out);
} questions[] = {{"locks", ask_locks},
                 {"waits", ask_waits},
                 {"versions", syt_answer_versions},
                 {"hosts", ask_hosts},
                 {"stability", syt_answer_stability},
                 {"health", ask_health}};

#define NR_QUESTIONS (sizeof(questions) / sizeof(questions[0]))

bool syt_query_is_question(const char *text)
{
	for (size_t n = 0; n < NR_QUESTIONS; n++)
		if (!strcmp(questions[n].name, text))
			return true;
	return false;
}

int syt_fleet_query(struct syt_fleet_store *s, const struct syt_fleet_query *q, struct syt_out *out)
{
	if (put_head(s, q, out))
		return -1;
	for (size_t n = 0; n < NR_QUESTIONS; n++)
		if (!strcmp(questions[n].name, q->question))
			return questions[n].ask(s, q, out);
	return -1;
}
