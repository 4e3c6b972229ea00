/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "fleet/query.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/compare.h"
#include "base/err.h"
#include "fleet/answers.h"
#include "fleet/rows.h"
#include "fleet/sums.h"

#define MAD_MOST 5 /* median absolute deviations of a usual host */
#define MOST_KEYS 12u

/* clang-format off */
static const char windows_by_host[] =
	"SELECT host, sum(nr), " SYT_SQL_SUM("(1.0 * length_ns)") ", " SYT_SQL_SUM("fleet_length_ns") ", "
	SYT_SQL_SUM("(1.0 * lost)") ", " SYT_SQL_SUM("(1.0 * unseen_ns)") " FROM windows WHERE";
static const char windows_by_version[] =
	"SELECT service, version, host, sum(nr), sum(lossy), max(begin_ns), " SYT_SQL_SUM("(1.0 * events)") ", "
	SYT_SQL_SUM("(1.0 * lost)") ", " SYT_SQL_SUM("(1.0 * open)") " FROM windows WHERE";
/* clang-format on */

/* ---- the head of an answer ---- */

/* Stores the time of the waits for locks in *NS. */
static int sum_lock_waits(struct syt_fleet_store *s, const struct syt_fleet_query *q, double *ns)
{
	struct syt_store_rows t;
	int status =
		syt_sums_ask_facts(&t, s, q, "event", "event = 'wait' AND what = 'lock'", true);

	*ns = 0;
	if (!status && (status = syt_store_next(&t)) > 0) {
		*ns = syt_sums_number(&t, 5);
		status = 0;
	}
	syt_store_done(&t);
	return status;
}

struct head {
	int64_t nr_windows, nr_hosts;
	double length_ns, fleet_ns, lost, unseen_ns;
};

static int read_head(struct syt_fleet_store *s, const struct syt_fleet_query *q, struct head *h)
{
	struct syt_store_rows t;
	int status =
		syt_sums_ask_windows(&t, s, q, windows_by_host, "GROUP BY host ORDER BY host", 10);

	memset(h, 0, sizeof(*h));
	while (!status && (status = syt_store_next(&t)) > 0) {
		h->nr_windows += t.cells[1].integer;
		h->nr_hosts++;
		h->length_ns += syt_sums_number(&t, 2);
		h->fleet_ns += syt_sums_number(&t, 4);
		h->lost += syt_sums_number(&t, 6);
		h->unseen_ns += syt_sums_number(&t, 8);
		status = 0;
	}
	syt_store_done(&t);
	return status;
}

/* Prints the windows and the coverage of the answer. */
static int put_head(struct syt_fleet_store *s, const struct syt_fleet_query *q, struct syt_out *out)
{
	struct syt_json j = {.out = out};
	double of_time, locks_ns = 0;
	struct head h;

	/* the lines have no sum of the waits for locks */
	if ((!q->is_json && sum_lock_waits(s, q, &locks_ns)) || read_head(s, q, &h))
		return -1;
	of_time = h.fleet_ns > 0 ? h.length_ns / h.fleet_ns : 0;
	if (q->is_json) {
		syt_json_begin_line(&j, "coverage");
		syt_json_i64(&j, "windows", h.nr_windows);
		syt_json_i64(&j, "hosts", h.nr_hosts);
		syt_json_key(&j, "of_time");
		syt_out_printf(out, "%.17g", of_time);
		syt_json_key(&j, "lost");
		syt_out_printf(out, "%.17g", h.lost);
		syt_json_key(&j, "unseen_ns");
		syt_out_printf(out, "%.17g", h.unseen_ns);
		syt_json_end_line(&j);
	} else {
		syt_out_printf(out,
		               "%" PRId64 " windows of %" PRId64
		               " hosts, %.3g %% of their time; %.0f events lost; holder "
		               "not seen for %.2g %% of the waiting for locks\n\n",
		               h.nr_windows, h.nr_hosts, of_time * 100, h.lost,
		               locks_ns > 0 ? h.unseen_ns / locks_ns * 100 : 0);
	}
	return 0;
}

/* ---- keys of a question ---- */

struct key {
	const char *name, *title, *column;
};

/* The keys of an answer: those of the part and then those of the subject. */
struct keys {
	size_t nr_parts, nr;
	struct key all[MOST_KEYS];
	char *part;    /* names of the dimensions of windows, or NULL */
	char *subject; /* names of columns (fleet/sums.h) */
};

/* Joins the columns of the NR keys from ALL on by commas, or returns NULL for none. */
static char *join(const struct key *all, size_t nr)
{
	char *text;
	size_t bytes;
	FILE *f;

	if (!nr)
		return NULL;
	f = syt_memstream(&text, &bytes);
	for (size_t n = 0; n < nr; n++)
		fprintf(f, "%s%s", n ? "," : "", all[n].column);
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
	k->part = join(k->all, k->nr_parts);
	k->subject = join(k->all + k->nr_parts, k->nr - k->nr_parts);
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

/* The call path of a lock with the longest weighted time. */
struct longest {
	char *lock, *path;
	bool is_hold;
	double ns;
};

struct all_longest {
	size_t nr, room;
	struct longest *all; /* sorted by lock; holdings before waits */
};

SYT_COMPARATOR(by_lock, struct longest)
{
	int order = strcmp(a->lock, b->lock);

	if (order)
		return order;
	SYT_ORDER(b->is_hold, a->is_hold);
	SYT_ORDER(b->ns, a->ns);
	return strcmp(a->path, b->path);
}

/* Finds the call paths that waited for each lock, and held it, for the longest time. */
static int find_longest(struct all_longest *l, struct syt_fleet_store *s,
                        const struct syt_fleet_query *q)
{
	struct syt_store_rows t;
	int status =
		syt_sums_ask_facts(&t, s, q, "lock,event,stack," SYT_SUMS_PATH, "lock <> 0", true);
	size_t kept = 0;

	while (!status && (status = syt_store_next(&t)) > 0) {
		*SYT_ADD(l->all, l->nr, l->room) =
			(struct longest){syt_sums_text(&t, 0), syt_sums_text(&t, 3),
		                         !strcmp(t.cells[1].text, "hold"), syt_sums_number(&t, 4)};
		status = 0;
	}
	syt_store_done(&t);
	if (l->nr)
		qsort(l->all, l->nr, sizeof(*l->all), by_lock);
	for (size_t n = 0; n < l->nr; n++)
		if (kept && l->all[kept - 1].is_hold == l->all[n].is_hold &&
		    !strcmp(l->all[kept - 1].lock, l->all[n].lock)) {
			free(l->all[n].lock);
			free(l->all[n].path);
		} else {
			l->all[kept++] = l->all[n];
		}
	l->nr = kept;
	return status;
}

static void free_longest(struct all_longest *l)
{
	for (size_t n = 0; n < l->nr; n++) {
		free(l->all[n].lock);
		free(l->all[n].path);
	}
	free(l->all);
}

/* Returns the call path of the lock that SUBJECT begins with, or NULL. */
static const char *longest_path(const struct all_longest *l, const char *subject, bool is_hold)
{
	char *lock = syt_strndup(subject, strcspn(subject, "\x1f"));
	size_t low = 0, high = l->nr;
	const char *path = NULL;

	while (low < high && !path) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(l->all[middle].lock, lock);

		if (!order)
			order = l->all[middle].is_hold == is_hold ? 0 : is_hold ? 1 : -1;
		if (!order)
			path = l->all[middle].path;
		else if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	free(lock);
	return path;
}

static int ask_locks(struct syt_fleet_store *s, const struct syt_fleet_query *q,
                     struct syt_out *out)
{
	static const struct key subjects[] = {
		{NULL, NULL, "lock"}, {"lock", "LOCK", "lock_name"}, {"kind", "KIND", "lock_kind"}};
	static const char *const titles[] = {">OF TIME",    ">LOW",           ">HIGH",
	                                     ">HOSTS",      ">WAITS",         ">WAITED s",
	                                     ">OF FLEET s", "WAITED MOST BY", "HELD MOST BY"};
	struct all_longest longest = {0};
	struct syt_fleet_rows r;
	struct syt_sums u;
	struct keys k;
	int status;

	keys_open(&k, q, subjects, 3);
	status = syt_sums_open(&u, s, q, k.part, k.subject,
	                       "event = 'wait' AND what = 'lock' AND lock <> 0");
	if (!status)
		status = find_longest(&longest, s, q);
	if (!status)
		begin_rows(&r, q, out, &k, "lock", titles, 9);
	for (size_t n = 0; n < u.nr && !status && (!q->limit || n < q->limit); n++) {
		const struct syt_sums_group *g = &u.all[n];

		syt_row_begin(&r);
		put_keys(&r, &k, g);
		put_amounts(&r, q, &u, g);
		syt_row_text(&r, "waited_by", longest_path(&longest, g->subject, false));
		syt_row_text(&r, "held_by", longest_path(&longest, g->subject, true));
		syt_row_end(&r);
	}
	if (!status)
		syt_rows_end(&r);
	free_longest(&longest);
	syt_sums_close(&u);
	keys_close(&k);
	return status;
}

static int ask_waits(struct syt_fleet_store *s, const struct syt_fleet_query *q,
                     struct syt_out *out)
{
	static const struct key subjects[] = {{NULL, NULL, "stack"},
	                                      {"path", "PATH", SYT_SUMS_PATH}};
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
	int status = syt_sums_open(&u, s, q, NULL, NULL, syt_query_waits(q));
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

/* The windows of a version. */
struct health {
	char *service, *version;
	int64_t nr_windows, nr_hosts, last_ns;
	double events, lost, lossy, open;
};

static void put_health(struct syt_fleet_rows *r, const struct health *h)
{
	time_t last = (time_t)(h->last_ns / 1000000000);
	char text[64] = "";
	struct tm tm;

	if (gmtime_r(&last, &tm))
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	syt_row_begin(r);
	syt_row_text(r, "service", h->service);
	syt_row_text(r, "version", h->version);
	syt_row_integer(r, "windows", h->nr_windows);
	syt_row_integer(r, "hosts", h->nr_hosts);
	syt_row_number(r, "events", h->events);
	syt_row_number(r, "lost", h->lost);
	syt_row_number(r, "windows_with_losses", h->lossy);
	syt_row_number(r, "open", h->open);
	syt_row_text(r, "last", text);
	syt_row_end(r);
}

/* Adds the row of a host. Returns false if it belongs to another version. */
static bool add_health(struct health *h, const struct syt_store_rows *t)
{
	if (!h->service) {
		h->service = syt_sums_text(t, 0);
		h->version = syt_sums_text(t, 1);
	} else if (strcmp(h->service, t->cells[0].text) != 0 ||
	           strcmp(h->version, t->cells[1].text) != 0) {
		return false;
	}
	h->nr_windows += t->cells[3].integer;
	h->nr_hosts++;
	h->lossy += t->cells[4].number;
	h->last_ns = t->cells[5].integer > h->last_ns ? t->cells[5].integer : h->last_ns;
	h->events += syt_sums_number(t, 6);
	h->lost += syt_sums_number(t, 8);
	h->open += syt_sums_number(t, 10);
	return true;
}

static void end_health(struct health *h)
{
	free(h->service);
	free(h->version);
	memset(h, 0, sizeof(*h));
}

static int ask_health(struct syt_fleet_store *s, const struct syt_fleet_query *q,
                      struct syt_out *out)
{
	static const char *const titles[] = {"SERVICE",      "VERSION",     ">WINDOWS",
	                                     ">HOSTS",       ">EVENTS",     ">LOST",
	                                     ">WITH LOSSES", ">OPEN CALLS", "LAST"};
	struct health h = {.service = NULL};
	struct syt_store_rows t;
	struct syt_fleet_rows r;
	uint64_t nr = 0;
	int status = syt_sums_ask_windows(
		&t, s, q, windows_by_version,
		"GROUP BY service, version, host ORDER BY service, version, host", 12);

	if (status) {
		syt_store_done(&t);
		return status;
	}
	syt_rows_begin(&r, out, q->is_json, "health", titles, 9);
	while ((!q->limit || nr < q->limit) && (status = syt_store_next(&t)) > 0) {
		if (add_health(&h, &t))
			continue;
		put_health(&r, &h);
		end_health(&h);
		add_health(&h, &t);
		nr++;
	}
	if (h.service && status >= 0 && (!q->limit || nr < q->limit))
		put_health(&r, &h);
	end_health(&h);
	syt_rows_end(&r);
	syt_store_done(&t);
	return status < 0 ? -1 : 0;
}

/* ---- the questions ---- */

static const struct {
	const char *name;
	int (*ask)(struct syt_fleet_store *s, const struct syt_fleet_query *q, struct syt_out *out);
} questions[] = {{"locks", ask_locks},        {"waits", ask_waits},
                 {"lines", syt_answer_lines}, {"versions", syt_answer_versions},
                 {"hosts", ask_hosts},        {"stability", syt_answer_stability},
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
