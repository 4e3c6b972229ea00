/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The store of a fleet in SQLite. Each window is one transaction, and its id is unique. */
#include "fleet/store_sqlite.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/err.h"

#define APPLICATION 0x73796e66 /* "synf": marks the file as a store */

struct statements {
	sqlite3_stmt *rolled, *window, *dim, *dim_of, *fact, *stack, *lock, *build, *frames, *place;
};

struct own {
	sqlite3 *db;
	const char *path;
	struct statements all;
	time_t deadline; /* of the queries of a store that is open to read */
};

/* clang-format off */
static const char schema[] =
	"BEGIN IMMEDIATE;"
	"CREATE TABLE windows(w INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, day TEXT NOT NULL, begin_ns INTEGER NOT NULL,"
	" length_ns INTEGER NOT NULL, host TEXT NOT NULL, boot TEXT NOT NULL, service TEXT NOT NULL, version TEXT NOT NULL,"
	" build TEXT NOT NULL, exe TEXT NOT NULL, wall_ns INTEGER NOT NULL, events INTEGER NOT NULL, lost INTEGER NOT NULL,"
	" weight REAL NOT NULL, open INTEGER NOT NULL, unseen_ns INTEGER NOT NULL, paused_bytes INTEGER NOT NULL) STRICT;"
	"CREATE INDEX windows_by_service ON windows(service, begin_ns);"
	"CREATE TABLE dims(dim INTEGER PRIMARY KEY, event TEXT NOT NULL, what TEXT NOT NULL, class TEXT NOT NULL,"
	" reason TEXT NOT NULL, charged TEXT NOT NULL, call TEXT NOT NULL,"
	" UNIQUE(event, what, class, reason, charged, call)) STRICT;"
	"CREATE TABLE facts(w INTEGER NOT NULL, dim INTEGER NOT NULL, lock INTEGER NOT NULL, stack INTEGER NOT NULL,"
	" culprit INTEGER NOT NULL, n INTEGER NOT NULL, ns INTEGER NOT NULL, max_ns INTEGER NOT NULL,"
	" PRIMARY KEY(w, dim, lock, stack, culprit)) STRICT, WITHOUT ROWID;"
	"CREATE TABLE stacks(stack INTEGER PRIMARY KEY, rank INTEGER NOT NULL, function TEXT NOT NULL, path TEXT NOT NULL) STRICT;"
	"CREATE TABLE locks(lock INTEGER PRIMARY KEY, rank INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL) STRICT;"
	"CREATE VIEW profile AS SELECT day, begin_ns, host, service, version, build, weight, event, what, class, reason, charged,"
	" call, lock, stack, culprit, n, ns, max_ns FROM facts JOIN windows USING (w) JOIN dims USING (dim);"
	"PRAGMA application_id = 1937337958;"
	"PRAGMA user_version = 1;"
	"COMMIT;";

/* What the store keeps to name places later (fleet/names.h). Stores of earlier versions get these tables when they are opened. */
static const char naming[] =
	"CREATE TABLE IF NOT EXISTS builds(build TEXT PRIMARY KEY, path TEXT NOT NULL, rank INTEGER NOT NULL) STRICT, WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS frames(stack INTEGER PRIMARY KEY, frames TEXT NOT NULL, is_new INTEGER NOT NULL) STRICT;"
	"CREATE INDEX IF NOT EXISTS new_frames ON frames(stack) WHERE is_new;"
	"CREATE TABLE IF NOT EXISTS places(lock INTEGER PRIMARY KEY, place TEXT NOT NULL, made INTEGER NOT NULL,"
	" is_new INTEGER NOT NULL) STRICT;"
	"CREATE INDEX IF NOT EXISTS new_places ON places(lock) WHERE is_new;"
	"CREATE INDEX IF NOT EXISTS places_by_stack ON places(made);";

/* Columns of days that are summed up. Stores of version 1 get them when they are opened to load. */
static const char upgrade[] =
	"BEGIN IMMEDIATE;"
	"ALTER TABLE windows ADD COLUMN nr INTEGER NOT NULL DEFAULT 1;"
	"ALTER TABLE windows ADD COLUMN lossy INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE windows ADD COLUMN fleet_length_ns REAL NOT NULL DEFAULT 0;"
	"ALTER TABLE facts ADD COLUMN weight REAL;" /* NULL: that of the window */
	"UPDATE windows SET lossy = lost > 0, fleet_length_ns = weight * length_ns;"
	"CREATE INDEX windows_by_day ON windows(day);"
	"CREATE TABLE rolled(day TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;"
	"DROP VIEW profile;"
	"CREATE VIEW profile AS SELECT day, begin_ns, host, service, version, build, coalesce(facts.weight, windows.weight) AS weight,"
	" event, what, class, reason, charged, call, lock, stack, culprit, n, ns, max_ns FROM facts JOIN windows USING (w)"
	" JOIN dims USING (dim);"
	"PRAGMA user_version = 2;"
	"COMMIT;";

/* Sums up the day ?1. The first window of each host, service, version and build becomes their sum. A sum of integers is at most
 * about 2^63 - 1. */
#define SATURATED(x) \
	"min(sum(" x " / 1048576) + sum(" x " % 1048576) / 1048576, 8796093022207) * 1048576 + sum(" x " % 1048576) % 1048576"
#define WEIGHT(of, x) \
	"CASE WHEN sum(1.0 * " x ") > 0 THEN " SYT_SQL_TOTAL("(" of " * " x ")") " / " SYT_SQL_TOTAL("(1.0 * " x ")") " ELSE max(" of ") END"
static const char *const roll_day[] = {
	"CREATE TEMP TABLE members AS SELECT w, min(w) OVER (PARTITION BY host, service, version, build) AS first"
	" FROM windows WHERE day = ?1",
	"CREATE TEMP TABLE sums AS SELECT first, dim, lock, stack, culprit, " SATURATED("n") " AS n, " SATURATED("ns") " AS ns,"
	" max(max_ns) AS max_ns, " WEIGHT("coalesce(facts.weight, windows.weight)", "ns") " AS weight FROM members JOIN facts USING (w)"
	" JOIN windows USING (w) GROUP BY first, dim, lock, stack, culprit",
	"DELETE FROM facts WHERE w IN (SELECT w FROM members)",
	"INSERT INTO facts SELECT * FROM sums",
	"CREATE TEMP TABLE days AS SELECT first, min(id) AS id, max(begin_ns) AS begin_ns, " SATURATED("length_ns") " AS length_ns, "
	SATURATED("wall_ns") " AS wall_ns, " SATURATED("events") " AS events, " SATURATED("lost") " AS lost, "
	WEIGHT("weight", "wall_ns") " AS weight, " SATURATED("open") " AS open, " SATURATED("unseen_ns") " AS unseen_ns, "
	SATURATED("paused_bytes") " AS paused_bytes, sum(nr) AS nr, sum(lossy) AS lossy, "
	SYT_SQL_TOTAL("fleet_length_ns") " AS fleet_length_ns FROM members JOIN windows USING (w) GROUP BY first",
	"DELETE FROM windows WHERE w IN (SELECT w FROM members WHERE w <> first)",
	"UPDATE windows SET id = d.id, begin_ns = d.begin_ns, length_ns = d.length_ns, boot = '', exe = '', wall_ns = d.wall_ns,"
	" events = d.events, lost = d.lost, weight = d.weight, open = d.open, unseen_ns = d.unseen_ns, paused_bytes = d.paused_bytes,"
	" nr = d.nr, lossy = d.lossy, fleet_length_ns = d.fleet_length_ns FROM days AS d WHERE w = d.first",
	"INSERT OR IGNORE INTO rolled VALUES(?1)",
	"DROP TABLE temp.members",
	"DROP TABLE temp.sums",
	"DROP TABLE temp.days",
	NULL};
static const char *const drop_day[] = {
	"DELETE FROM facts WHERE w IN (SELECT w FROM windows WHERE day = ?1)",
	"DELETE FROM windows WHERE day = ?1",
	"INSERT OR IGNORE INTO rolled VALUES(?1)",
	NULL};
/* clang-format on */
_Static_assert(APPLICATION == 1937337958, "the number in the schema");

static int warn(const struct own *s)
{
	syt_warn("%s: %s", s->path, s->db ? sqlite3_errmsg(s->db) : "out of memory");
	return -1;
}

/* Sets *V to the integer that SQL, a statement of this file, selects. */
static int get(struct own *s, const char *sql, int64_t *v)
{
	sqlite3_stmt *statement;
	int status;

	if (sqlite3_prepare_v2(s->db, sql, -1, &statement, NULL))
		return warn(s);
	status = sqlite3_step(statement);
	*v = status == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
	sqlite3_finalize(statement);
	return status == SQLITE_ROW || status == SQLITE_DONE ? 0 : warn(s);
}

static int open_file(struct syt_fleet_store *store, int flags)
{
	struct own *s = syt_calloc(1, sizeof(*s));

	store->own = s;
	s->path = store->path;
	if (sqlite3_open_v2(s->path, &s->db, flags, NULL))
		return warn(s);
	sqlite3_busy_timeout(s->db, 10000);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	return 0;
}

static int check_kind(struct own *s)
{
	int64_t application, version;

	if (get(s, "PRAGMA application_id", &application) ||
	    get(s, "PRAGMA user_version", &version))
		return -1;
	if (application == APPLICATION && version == 1 && !sqlite3_db_readonly(s->db, "main"))
		return sqlite3_exec(s->db, naming, NULL, NULL, NULL) ||
		                       sqlite3_exec(s->db, upgrade, NULL, NULL, NULL)
		               ? warn(s)
		               : 0;
	if (application == APPLICATION && version == 1) {
		syt_warn("%s is a store of an earlier version: update it with init", s->path);
		return -1;
	}
	if (application == APPLICATION && version == 2)
		return 0;
	syt_warn("%s is no store of syntrace-fleet: make one with init", s->path);
	return -1;
}

static int create(struct syt_fleet_store *store)
{
	int status = open_file(store, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
	struct own *s = store->own;
	int64_t nr_tables = 0;

	if (!status)
		status = get(s, "SELECT count(*) FROM sqlite_schema", &nr_tables);
	if (!status && !nr_tables &&
	    (sqlite3_exec(s->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL) ||
	     sqlite3_exec(s->db, schema, NULL, NULL, NULL)))
		return warn(s);
	return status ? status : check_kind(s);
}

static int prepare(struct own *s, sqlite3_stmt **statement, const char *sql)
{
	return sqlite3_prepare_v3(s->db, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL)
	               ? warn(s)
	               : 0;
}

static int open_to_load(struct own *s)
{
	if (check_kind(s))
		return -1;
	if (sqlite3_exec(s->db, "PRAGMA synchronous = FULL", NULL, NULL, NULL) ||
	    sqlite3_exec(s->db, naming, NULL, NULL, NULL))
		return warn(s);
	if (prepare(s, &s->all.rolled,
	            "SELECT EXISTS(SELECT 1 FROM rolled WHERE day >= "
	            "date(?/1000000000,'unixepoch'))") ||
	    prepare(s, &s->all.window,
	            "INSERT INTO windows(id, begin_ns, length_ns, host, boot, service, version, "
	            "build, exe, wall_ns, "
	            "events, lost, weight, open, unseen_ns, paused_bytes, day, lossy, "
	            "fleet_length_ns) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,"
	            "date(?2/1000000000,'unixepoch'), ?12 > 0, ?13 * ?3)") ||
	    prepare(s, &s->all.dim,
	            "INSERT INTO dims(event, what, class, reason, charged, call) "
	            "VALUES(?,?,?,?,?,?) ON CONFLICT DO NOTHING") ||
	    prepare(s, &s->all.dim_of,
	            "SELECT dim FROM dims WHERE event = ? AND what = ? AND class = ? AND reason = "
	            "? AND charged = ? AND call = ?") ||
	    prepare(s, &s->all.fact,
	            "INSERT INTO facts VALUES(?,?,?,?,?,?,?,?,NULL) ON CONFLICT DO UPDATE SET n = "
	            "n + "
	            "excluded.n, "
	            "ns = ns + excluded.ns, max_ns = max(max_ns, excluded.max_ns)") ||
	    prepare(s, &s->all.stack,
	            "INSERT INTO stacks VALUES(?, 0, ?, ?) ON CONFLICT DO NOTHING") ||
	    prepare(s, &s->all.lock,
	            "INSERT INTO locks VALUES(?, 0, ?, ?) ON CONFLICT DO NOTHING") ||
	    prepare(s, &s->all.build,
	            "INSERT INTO builds VALUES(?, ?, 0) ON CONFLICT DO NOTHING") ||
	    prepare(s, &s->all.frames,
	            "INSERT INTO frames VALUES(?, ?, 1) ON CONFLICT DO NOTHING") ||
	    prepare(s, &s->all.place,
	            "INSERT INTO places VALUES(?, ?, ?, 1) ON CONFLICT DO NOTHING"))
		return -1;
	return 0;
}

/* ---- queries of a user ---- */

/* Permits only to read tables with the functions of SQLite that have no effect. */
static int authorize(void *unused, int action, const char *a, const char *b, const char *c,
                     const char *d)
{
	(void)unused;
	(void)a;
	(void)c;
	(void)d;
	if (action == SQLITE_FUNCTION)
		return b && (!strcmp(b, "load_extension") || !strcmp(b, "fts3_tokenizer"))
		               ? SQLITE_DENY
		               : SQLITE_OK;
	return action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_RECURSIVE
	               ? SQLITE_OK
	               : SQLITE_DENY;
}

static int is_late(void *deadline)
{
	return time(NULL) > *(const time_t *)deadline;
}

static int open_to_read(struct own *s)
{
	if (check_kind(s))
		return -1;
	if (sqlite3_exec(s->db, "PRAGMA query_only = 1", NULL, NULL, NULL))
		return warn(s);
	s->deadline = time(NULL) + SYT_STORE_SECONDS;
	sqlite3_progress_handler(s->db, 100000, is_late, &s->deadline);
	sqlite3_hard_heap_limit64(SYT_STORE_MEMORY);
	sqlite3_limit(s->db, SQLITE_LIMIT_SQL_LENGTH, 100000);
	sqlite3_limit(s->db, SQLITE_LIMIT_LENGTH, 16 << 20);
	sqlite3_limit(s->db, SQLITE_LIMIT_EXPR_DEPTH, 100);
	sqlite3_limit(s->db, SQLITE_LIMIT_COMPOUND_SELECT, 50);
	sqlite3_limit(s->db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_set_authorizer(s->db, authorize, NULL);
	return 0;
}

static int open_store(struct syt_fleet_store *store, bool is_to_read)
{
	if (open_file(store, is_to_read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE))
		return -1;
	return is_to_read ? open_to_read(store->own) : open_to_load(store->own);
}

static void close_store(struct syt_fleet_store *store)
{
	struct own *s = store->own;

	sqlite3_finalize(s->all.rolled);
	sqlite3_finalize(s->all.window);
	sqlite3_finalize(s->all.dim);
	sqlite3_finalize(s->all.dim_of);
	sqlite3_finalize(s->all.fact);
	sqlite3_finalize(s->all.stack);
	sqlite3_finalize(s->all.lock);
	sqlite3_finalize(s->all.build);
	sqlite3_finalize(s->all.frames);
	sqlite3_finalize(s->all.place);
	sqlite3_close(s->db);
	free(s);
}

/* ---- loading ---- */

/* Runs the statement once. Returns the status of SQLite. */
static int run(sqlite3_stmt *statement)
{
	int status = sqlite3_step(statement);

	sqlite3_reset(statement);
	return status == SQLITE_DONE || status == SQLITE_ROW ? SQLITE_OK : status;
}

static void bind_text(sqlite3_stmt *statement, int at, const char *text)
{
	sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC);
}

static int add_window(struct own *s, const struct syt_window_file *w)
{
	sqlite3_stmt *t = s->all.window;
	int at = 1;

	bind_text(t, at++, w->id);
	sqlite3_bind_int64(t, at++, w->begin_ns);
	sqlite3_bind_int64(t, at++, w->length_ns);
	bind_text(t, at++, w->host);
	bind_text(t, at++, w->boot);
	bind_text(t, at++, w->service);
	bind_text(t, at++, w->version);
	bind_text(t, at++, w->build);
	bind_text(t, at++, w->exe);
	sqlite3_bind_int64(t, at++, w->wall_ns);
	sqlite3_bind_int64(t, at++, w->events);
	sqlite3_bind_int64(t, at++, w->lost);
	sqlite3_bind_double(t, at++, w->weight);
	sqlite3_bind_int64(t, at++, w->open);
	sqlite3_bind_int64(t, at++, w->unseen_ns);
	sqlite3_bind_int64(t, at++, w->paused_bytes);
	return run(t);
}

static int add_names(struct own *s, const struct syt_window_file *w)
{
	int status = SQLITE_OK;

	for (size_t n = 0; n < w->nr_stacks && !status; n++) {
		sqlite3_bind_int64(s->all.stack, 1, w->stacks[n].key);
		bind_text(s->all.stack, 2, w->stacks[n].function);
		bind_text(s->all.stack, 3, w->stacks[n].path);
		status = run(s->all.stack);
	}
	for (size_t n = 0; n < w->nr_locks && !status; n++) {
		sqlite3_bind_int64(s->all.lock, 1, w->locks[n].key);
		bind_text(s->all.lock, 2, w->locks[n].kind);
		bind_text(s->all.lock, 3, w->locks[n].name);
		status = run(s->all.lock);
	}
	return status;
}

/* Keeps what names the stacks and locks later. */
static int add_places(struct own *s, const struct syt_window_file *w)
{
	int status = SQLITE_OK;

	for (size_t n = 0; n < w->nr_modules && !status; n++) {
		if (!*w->modules[n].build)
			continue;
		bind_text(s->all.build, 1, w->modules[n].build);
		bind_text(s->all.build, 2, w->modules[n].path);
		status = run(s->all.build);
	}
	for (size_t n = 0; n < w->nr_stacks && !status; n++) {
		sqlite3_bind_int64(s->all.frames, 1, w->stacks[n].key);
		bind_text(s->all.frames, 2, w->stacks[n].frames);
		status = run(s->all.frames);
	}
	for (size_t n = 0; n < w->nr_locks && !status; n++) {
		if (!w->locks[n].made && !strcmp(w->locks[n].place, "null"))
			continue;
		sqlite3_bind_int64(s->all.place, 1, w->locks[n].key);
		bind_text(s->all.place, 2, w->locks[n].place);
		sqlite3_bind_int64(s->all.place, 3, w->locks[n].made);
		status = run(s->all.place);
	}
	return status;
}

/* Ends the transaction: commits it, or undoes it after a failure. */
static int end(struct own *s, int status)
{
	if (!status)
		status = sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL);
	if (!status)
		return 0;
	warn(s);
	sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	return -1;
}

int syt_store_keep_names(struct syt_fleet_store *store,
                         const struct syt_window_file *const *windows, size_t nr)
{
	struct own *s = store->own;
	int status = sqlite3_exec(s->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);

	for (size_t n = 0; n < nr && !status; n++) {
		status = add_names(s, windows[n]);
		if (!status)
			status = add_places(s, windows[n]);
	}
	return end(s, status);
}

static int add_fact(struct own *s, int64_t window, const struct syt_upload_fact *f)
{
	const int64_t values[] = {f->lock, f->stack, f->culprit, f->n, f->ns, f->max_ns};
	int64_t dim = 0;
	int status;

	for (unsigned n = 0; n < SYT_NR_WORDS; n++) {
		bind_text(s->all.dim, (int)n + 1, f->words[n]);
		bind_text(s->all.dim_of, (int)n + 1, f->words[n]);
	}
	status = run(s->all.dim);
	if (status)
		return status;
	status = sqlite3_step(s->all.dim_of);
	if (status == SQLITE_ROW)
		dim = sqlite3_column_int64(s->all.dim_of, 0);
	sqlite3_reset(s->all.dim_of);
	if (status != SQLITE_ROW)
		return status == SQLITE_DONE ? SQLITE_CORRUPT : status;
	sqlite3_bind_int64(s->all.fact, 1, window);
	sqlite3_bind_int64(s->all.fact, 2, dim);
	for (int n = 0; n < 6; n++)
		sqlite3_bind_int64(s->all.fact, n + 3, values[n]);
	return run(s->all.fact);
}

static int add_all(struct own *s, const struct syt_window_file *w)
{
	int status = add_names(s, w);
	int64_t window;

	if (!status)
		status = add_places(s, w);
	if (!status)
		status = add_window(s, w);
	window = sqlite3_last_insert_rowid(s->db);
	for (size_t n = 0; n < w->nr_facts && !status; n++)
		status = add_fact(s, window, &w->facts[n]);
	return status;
}

/* Returns true if the day of the window is summed up. */
static bool is_rolled(struct own *s, const struct syt_window_file *w)
{
	bool is_true;

	sqlite3_bind_int64(s->all.rolled, 1, w->begin_ns);
	is_true =
		sqlite3_step(s->all.rolled) == SQLITE_ROW && sqlite3_column_int64(s->all.rolled, 0);
	sqlite3_reset(s->all.rolled);
	return is_true;
}

static enum syt_store_result add_one(struct own *s, const struct syt_window_file *w)
{
	enum syt_store_result result = SYT_STORE_FAILED;
	int status = sqlite3_exec(s->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);

	if (!status && is_rolled(s, w)) {
		sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
		return SYT_STORE_ROLLED;
	}
	if (!status)
		status = add_all(s, w);
	if (!status)
		status = sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL);
	if (!status)
		return SYT_STORE_LOADED;
	/* the id is the only unique column; the sum of equal facts may exceed an integer, and STRICT then refuses it */
	if (sqlite3_extended_errcode(s->db) == SQLITE_CONSTRAINT_UNIQUE)
		result = SYT_STORE_DUPLICATE;
	else if ((status & 0xff) == SQLITE_CONSTRAINT || (status & 0xff) == SQLITE_MISMATCH ||
	         (status & 0xff) == SQLITE_TOOBIG)
		result = SYT_STORE_REJECTED;
	else
		warn(s);
	sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	return result;
}

static void add(struct syt_fleet_store *store, struct syt_window_file *const *windows, size_t nr,
                enum syt_store_result *results)
{
	for (size_t n = 0; n < nr; n++)
		results[n] = add_one(store->own, windows[n]);
}

static int check(struct syt_fleet_store *store)
{
	struct own *s = store->own;
	static const char *const questions[] = {
		"SELECT count(*) FROM (SELECT id FROM windows GROUP BY id HAVING count(*) > 1)",
		"SELECT count(*) FROM facts LEFT JOIN windows USING (w) WHERE windows.id IS NULL",
		"SELECT count(*) FROM facts LEFT JOIN dims USING (dim) WHERE dims.event IS NULL",
		"SELECT total(nr) FROM windows",
		"SELECT count(*) FROM facts",
	};
	int64_t nr[5];

	for (unsigned n = 0; n < 5; n++)
		if (get(s, questions[n], &nr[n]))
			return -1;
	printf("{\"v\":1,\"type\":\"check\",\"windows\":%" PRId64 ",\"facts\":%" PRId64
	       ",\"twice\":%" PRId64 ",\"no_window\":%" PRId64 ",\"no_words\":%" PRId64 "}\n",
	       nr[3], nr[4], nr[0], nr[1], nr[2]);
	return nr[0] || nr[1] || nr[2];
}

/* Runs the statements ALL for DAY in one transaction. */
static int change_day(struct syt_fleet_store *store, const char *const *all, const char *day)
{
	struct own *s = store->own;
	int status = sqlite3_exec(s->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);

	for (size_t n = 0; all[n] && !status; n++) {
		sqlite3_stmt *t = NULL;

		status = sqlite3_prepare_v2(s->db, all[n], -1, &t, NULL);
		if (!status && sqlite3_bind_parameter_count(t))
			bind_text(t, 1, day);
		if (!status)
			status = run(t);
		sqlite3_finalize(t);
	}
	return end(s, status);
}

static int roll(struct syt_fleet_store *store, const char *day)
{
	return change_day(store, roll_day, day);
}

static int drop(struct syt_fleet_store *store, const char *day)
{
	return change_day(store, drop_day, day);
}

/* ---- rows ---- */

static int ask(struct syt_store_rows *r, const char *sql, const struct syt_store_value *values,
               size_t nr)
{
	struct own *s = r->store->own;
	sqlite3_stmt *t = NULL;
	const char *rest;

	if (sqlite3_prepare_v2(s->db, sql, -1, &t, &rest))
		return warn(s);
	if (!t || rest[strspn(rest, " \t\n;")]) {
		syt_warn("sql takes one query");
		sqlite3_finalize(t);
		return -1;
	}
	r->own = t;
	for (size_t n = 0; n < nr; n++)
		if (values[n].text)
			bind_text(t, (int)n + 1, values[n].text);
		else
			sqlite3_bind_int64(t, (int)n + 1, values[n].number);
	r->nr = (size_t)sqlite3_column_count(t);
	r->cells = syt_calloc(r->nr, sizeof(*r->cells));
	for (size_t n = 0; n < r->nr; n++)
		r->cells[n].name = sqlite3_column_name(t, (int)n);
	return 0;
}

static void read_cell(struct syt_store_cell *c, sqlite3_stmt *t, int column)
{
	c->integer = 0;
	c->number = 0;
	c->text = "";
	switch (sqlite3_column_type(t, column)) {
	case SQLITE_NULL:
		c->type = SYT_CELL_NULL;
		return;
	case SQLITE_INTEGER:
		c->type = SYT_CELL_INTEGER;
		c->integer = sqlite3_column_int64(t, column);
		c->number = (double)c->integer;
		return;
	case SQLITE_FLOAT:
		c->type = SYT_CELL_NUMBER;
		c->number = sqlite3_column_double(t, column);
		return;
	default:
		c->type = SYT_CELL_TEXT;
		c->text = (const char *)sqlite3_column_text(t, column);
		c->text = c->text ? c->text : "";
	}
}

static int next(struct syt_store_rows *r)
{
	struct own *s = r->store->own;
	int status = sqlite3_step(r->own);

	if (status == SQLITE_DONE)
		return 0;
	if (status == SQLITE_INTERRUPT) {
		syt_warn("%s: the query took more than a minute", s->path);
		return -1;
	}
	if (status != SQLITE_ROW)
		return warn(s);
	for (size_t n = 0; n < r->nr; n++)
		read_cell(&r->cells[n], r->own, (int)n);
	return 1;
}

static void done(struct syt_store_rows *r)
{
	sqlite3_finalize(r->own);
}

sqlite3 *syt_store_db(const struct syt_fleet_store *s)
{
	return ((struct own *)s->own)->db;
}

static struct syt_fleet_store *names(struct syt_fleet_store *s)
{
	return s;
}

const struct syt_store_operations syt_store_sqlite = {
	.join = "LEFT JOIN",
	.stacks = "(SELECT stack, path AS stack_path FROM stacks)",
	.locks = "(SELECT lock, kind AS lock_kind, name AS lock_name FROM locks)",
	.most_windows = 1,
	.create = create,
	.open = open_store,
	.close = close_store,
	.add = add,
	.check = check,
	.roll = roll,
	.drop = drop,
	.names = names,
	.ask = ask,
	.next = next,
	.done = done};
