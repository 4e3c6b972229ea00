/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "fleet/names.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/err.h"
#include "fleet/store_sqlite.h"
#include "fleet/symbols.h"

#define MOST 1000 /* rows that are read at once */
#define MOST_AT_ONCE "1000"

/* The names of a store that are not in this database change with it. */
static const char renaming[] =
	"CREATE TABLE IF NOT EXISTS renamed(is_lock INTEGER NOT NULL, key INTEGER NOT NULL, "
	"rank INTEGER NOT NULL, is_new INTEGER NOT NULL, PRIMARY KEY(is_lock, key)) STRICT, "
	"WITHOUT ROWID;"
	"CREATE INDEX IF NOT EXISTS new_names ON renamed(is_lock, key) WHERE is_new;"
	"CREATE TRIGGER IF NOT EXISTS rename_stack AFTER UPDATE OF path ON stacks WHEN old.path <> "
	"new.path BEGIN INSERT INTO renamed VALUES(0, new.stack, 1, 1) ON CONFLICT DO UPDATE SET "
	"rank = min(rank + 1, 255), is_new = 1; END;"
	"CREATE TRIGGER IF NOT EXISTS rename_lock AFTER UPDATE OF name ON locks WHEN old.name <> "
	"new.name BEGIN INSERT INTO renamed VALUES(1, new.lock, 1, 1) ON CONFLICT DO UPDATE SET "
	"rank = min(rank + 1, 255), is_new = 1; END;";

static int warn(const struct syt_fleet_store *s)
{
	syt_warn("%s: %s", s->path, sqlite3_errmsg(syt_store_db(s)));
	return -1;
}

int syt_names_open(struct syt_fleet_store *s, const char *path)
{
	int status = syt_fleet_store_create(path);

	*s = (struct syt_fleet_store){0};
	if (!status)
		status = syt_fleet_store_open(s, path, NULL);
	return status                                                      ? status
	       : sqlite3_exec(syt_store_db(s), renaming, NULL, NULL, NULL) ? warn(s)
	                                                                   : 0;
}

struct build {
	char *id, *path;
	enum syt_symbols_rank rank;
	bool is_open;
	struct syt_binary *binary; /* NULL: not opened, or without names */
};

struct names {
	struct syt_fleet_store *of; /* the store, whose names change */
	struct syt_fleet_store *s;  /* the SQLite store that keeps what names it */
	const char *dir;
	struct build *builds;
	size_t nr, room;
};

/* Runs SQL with a number and texts for its parameters. A text may be NULL. Returns 0, or -1 after a message. */
static int run(struct syt_fleet_store *s, const char *sql, int64_t number, const char *a,
               const char *b)
{
	sqlite3_stmt *t = NULL;
	int status = sqlite3_prepare_v2(syt_store_db(s), sql, -1, &t, NULL);

	if (!status) {
		sqlite3_bind_int64(t, 1, number);
		if (a)
			sqlite3_bind_text(t, 2, a, -1, SQLITE_STATIC);
		if (b)
			sqlite3_bind_text(t, 3, b, -1, SQLITE_STATIC);
		status = sqlite3_step(t);
	}
	sqlite3_finalize(t);
	if (status == SQLITE_DONE || status == SQLITE_ROW)
		return 0;
	return warn(s);
}

static int read_builds(struct names *n)
{
	sqlite3_stmt *t;
	int status;

	if (sqlite3_prepare_v2(syt_store_db(n->s),
	                       "SELECT build, path, rank FROM builds ORDER BY build", -1, &t, NULL))
		return warn(n->s);
	while ((status = sqlite3_step(t)) == SQLITE_ROW)
		*SYT_ADD(n->builds, n->nr, n->room) = (struct build){
			.id = syt_asprintf("%s", (const char *)sqlite3_column_text(t, 0)),
			.path = syt_asprintf("%s", (const char *)sqlite3_column_text(t, 1)),
			.rank = (enum syt_symbols_rank)sqlite3_column_int(t, 2)};
	sqlite3_finalize(t);
	return status == SQLITE_DONE ? 0 : -1;
}

static void close_builds(struct names *n)
{
	for (size_t k = 0; k < n->nr; k++) {
		syt_binary_close(n->builds[k].binary);
		free(n->builds[k].id);
		free(n->builds[k].path);
	}
	free(n->builds);
}

static int compare_build(const void *id, const void *build)
{
	return strcmp(id, ((const struct build *)build)->id);
}

/* Returns the build ID with its files open, or NULL if there are no files. */
static struct build *open_build(struct names *n, const char *id)
{
	struct build *b = n->nr && *id
	                          ? bsearch(id, n->builds, n->nr, sizeof(*n->builds), compare_build)
	                          : NULL;

	if (!b || !b->rank)
		return NULL;
	if (!b->is_open)
		b->binary = syt_binary_open(n->dir, id);
	b->is_open = true;
	return b->binary ? b : NULL;
}

/* Marks what has a place in a build whose files have become better. */
static int mark_improved(struct names *n)
{
	for (size_t k = 0; k < n->nr; k++) {
		struct build *b = &n->builds[k];
		enum syt_symbols_rank rank = syt_symbols_rank(n->dir, b->id);

		if (rank <= b->rank)
			continue;
		b->rank = rank;
		if (run(n->s, "UPDATE frames SET is_new = ?1 WHERE instr(frames, ?2)", 1, b->id,
		        NULL) ||
		    run(n->s, "UPDATE places SET is_new = ?1 WHERE instr(place, ?2)", 1, b->id,
		        NULL) ||
		    run(n->s, "UPDATE builds SET rank = ?1 WHERE build = ?2", rank, b->id, NULL))
			return -1;
	}
	return 0;
}

/* Returns the name of PLACE, [build, module, address] or a name. Sets *RANK to the rank of its file if that is lower. The caller
 * frees the name. */
static char *name_place(struct names *n, const json_t *place, bool is_function,
                        enum syt_symbols_rank *rank)
{
	const char *build = json_string_value(json_array_get(place, 0));
	uint64_t at = (uint64_t)json_integer_value(json_array_get(place, 2));
	const struct build *b = build ? open_build(n, build) : NULL;
	char *name = NULL;

	if (json_is_string(place))
		return syt_asprintf("%s", json_string_value(place));
	if (b)
		name = is_function ? syt_binary_function(b->binary, at)
		                   : syt_binary_variable(b->binary, at);
	if (!name) {
		*rank = SYT_RANK_NONE;
		name = syt_asprintf("%s+0x%" PRIx64, json_string_value(json_array_get(place, 1)),
		                    at);
	} else if (b->rank < *rank) {
		*rank = b->rank;
	}
	for (char *p = name; *p; p++)
		*p = *p == ';' || (unsigned char)*p < 0x20 ? ':' : *p;
	return name;
}

static int name_stack(struct names *n, int64_t stack, const char *text)
{
	json_t *frames = json_loads(text, 0, NULL);
	char *path, *function = NULL;
	enum syt_symbols_rank rank = SYT_RANK_DEBUG;
	char digit[2] = "0";
	size_t bytes;
	int status;
	FILE *f = syt_memstream(&path, &bytes);

	for (size_t k = json_array_size(frames); k-- > 0;) {
		free(function);
		function = name_place(n, json_array_get(frames, k), true, &rank);
		fprintf(f, "%s%s", function, k ? ";" : "");
	}
	fclose(f);
	digit[0] = (char)('0' + rank);
	status = run(n->s, "UPDATE stacks SET path = ?2, function = ?3 WHERE stack = ?1", stack,
	             path, function ? function : "");
	if (!status)
		status = run(n->s, "UPDATE stacks SET rank = CAST(?2 AS INTEGER) WHERE stack = ?1",
		             stack, digit, NULL);
	if (!status)
		status = run(n->s, "UPDATE places SET is_new = 1 WHERE made = ?1", stack, NULL,
		             NULL);
	if (!status)
		status = run(n->s, "UPDATE frames SET is_new = 0 WHERE stack = ?1", stack, NULL,
		             NULL);
	json_decref(frames);
	free(function);
	free(path);
	return status;
}

/* The name of a lock comes from its variable, or from the function that made it. */
static int name_lock(struct names *n, int64_t lock, const char *text)
{
	json_t *place = json_loads(text, 0, NULL);
	enum syt_symbols_rank rank = SYT_RANK_DEBUG;
	int status;
	char *name = json_is_array(place) ? name_place(n, place, false, &rank) : NULL;

	status = name ? run(n->s, "UPDATE locks SET name = ?2 WHERE lock = ?1", lock, name, NULL)
	              : run(n->s,
	                    "UPDATE locks SET name = coalesce((SELECT function || '()' FROM places "
	                    "JOIN stacks ON stack = made "
	                    "WHERE places.lock = ?1), name) WHERE lock = ?1",
	                    lock, NULL, NULL);
	if (!status)
		status =
			run(n->s, "UPDATE places SET is_new = 0 WHERE lock = ?1", lock, NULL, NULL);
	json_decref(place);
	free(name);
	return status;
}

/* Names the rows that SQL selects, some at once, until there are none. */
static int name_all(struct names *n, const char *sql,
                    int (*name)(struct names *n, int64_t key, const char *text))
{
	int status = 0, nr = 1;

	while (!status && nr) {
		sqlite3_stmt *t;
		int64_t keys[MOST];
		char *texts[MOST];

		if (sqlite3_prepare_v2(syt_store_db(n->s), sql, -1, &t, NULL))
			return warn(n->s);
		for (nr = 0; nr < MOST && sqlite3_step(t) == SQLITE_ROW; nr++) {
			keys[nr] = sqlite3_column_int64(t, 0);
			texts[nr] = syt_asprintf("%s", (const char *)sqlite3_column_text(t, 1));
		}
		sqlite3_finalize(t);
		for (int k = 0; k < nr; k++) {
			status = status ? status : name(n, keys[k], texts[k]);
			free(texts[k]);
		}
	}
	return status;
}

static int update(struct names *n)
{
	if (read_builds(n) || mark_improved(n) ||
	    name_all(n, "SELECT stack, frames FROM frames WHERE is_new LIMIT " MOST_AT_ONCE,
	             name_stack) ||
	    name_all(n, "SELECT lock, place FROM places WHERE is_new LIMIT " MOST_AT_ONCE,
	             name_lock))
		return -1;
	return 0;
}

/* Renames stacks or locks in the store as in the database, some at once. */
static int send_names(struct names *n, bool is_lock)
{
	static const char *const names[] = {
		"SELECT stack, renamed.rank, function, path FROM renamed JOIN stacks ON stack = "
		"key WHERE is_lock = 0 AND is_new LIMIT " MOST_AT_ONCE,
		"SELECT lock, renamed.rank, kind, name FROM renamed JOIN locks ON lock = key WHERE "
		"is_lock = 1 AND is_new LIMIT " MOST_AT_ONCE};
	static const char *const sent[] = {
		"UPDATE renamed SET is_new = 0 WHERE is_lock = 0 AND key = ?1",
		"UPDATE renamed SET is_new = 0 WHERE is_lock = 1 AND key = ?1"};
	struct syt_store_name all[MOST];
	sqlite3_stmt *t;
	int status;
	size_t nr;

	do {
		if (sqlite3_prepare_v2(syt_store_db(n->s), names[is_lock], -1, &t, NULL))
			return warn(n->s);
		for (nr = 0; nr < MOST && sqlite3_step(t) == SQLITE_ROW; nr++) {
			all[nr].key = sqlite3_column_int64(t, 0);
			all[nr].rank = (unsigned)sqlite3_column_int(t, 1);
			for (int k = 0; k < 2; k++)
				all[nr].texts[k] = syt_asprintf(
					"%s", (const char *)sqlite3_column_text(t, k + 2));
		}
		sqlite3_finalize(t);
		status = n->of->all->rename(n->of, is_lock, all, nr);
		for (size_t k = 0; k < nr; k++) {
			if (!status)
				status = run(n->s, sent[is_lock], all[k].key, NULL, NULL);
			free(all[k].texts[0]);
			free(all[k].texts[1]);
		}
	} while (!status && nr == MOST);
	return status;
}

static int send(struct names *n)
{
	return send_names(n, false) | send_names(n, true);
}

/* Runs STEP in a transaction. */
static int commit(struct names *n, int (*step)(struct names *n))
{
	sqlite3 *db = syt_store_db(n->s);
	int status = sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) ? warn(n->s) : step(n);

	if (!status && sqlite3_exec(db, "COMMIT", NULL, NULL, NULL))
		status = warn(n->s);
	if (status)
		sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
	return status;
}

int syt_names_update(struct syt_fleet_store *s, const char *dir)
{
	struct names n = {.of = s, .s = s->all->names(s), .dir = dir};
	int status = n.s ? commit(&n, update) : -1;

	/* the ranks of the names are kept before a name is sent: no other name is sent with the rank */
	if (!status && s->all->rename)
		status = commit(&n, send);
	close_builds(&n);
	return status;
}

#define FETCH_S 60
#define REST_S 600

void syt_names_fetch(struct syt_fleet_store *s, const char *dir, const char *urls)
{
	static time_t next;
	struct names n = {.s = s->all->names(s), .dir = dir};
	time_t begin = time(NULL);

	if (begin < next || !n.s || read_builds(&n)) {
		close_builds(&n);
		return;
	}
	for (size_t k = 0; k < n.nr && time(NULL) < begin + FETCH_S; k++)
		if (!syt_symbols_rank(dir, n.builds[k].id) &&
		    syt_symbols_fetch(dir, n.builds[k].id, urls)) {
			next = time(NULL) + REST_S;
			break;
		}
	close_builds(&n);
}

void syt_names_find(struct syt_fleet_store *s, const char *dir)
{
	struct names n = {.s = s->all->names(s), .dir = dir};

	if (n.s && !read_builds(&n))
		for (size_t k = 0; k < n.nr; k++)
			if (!syt_symbols_rank(dir, n.builds[k].id))
				syt_symbols_put(dir, n.builds[k].path, n.builds[k].id, true);
	close_builds(&n);
}
