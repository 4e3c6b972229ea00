/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The store of a fleet in ClickHouse, which has no transactions and drops no duplicates (doc/fleet.md, "ClickHouse"). The loader
 * therefore inserts batches. The rows of a batch have one day and one shard, so they become one part of the table, in one step. A
 * batch is in the journal until all its rows are in the tables. After a crash, the number of its rows in a table is 0 or all, and
 * the loader inserts what is missing.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/compare.h"
#include "base/counts.h"
#include "base/err.h"
#include "base/rest.h"
#include "fleet/clickhouse.h"
#include "fleet/clickhouse_native.h"
#include "fleet/names.h"
#include "fleet/store.h"
#include "fleet/store_sqlite.h"

#define CLUSTER "syntrace"
#define MOST_WINDOWS                                                                               \
	2000u /* of one call: their ids are part of a query, which has at most 256 KiB */
#define MOST_KNOWN ((size_t)1 << 20) /* names that are not inserted again */
#define MOST_JOURNAL ((uint64_t)1 << 30)
#define WAIT_S 60    /* for an INSERT of a loader that was killed */
#define ROLL "roll-" /* a file of the journal: a day that is being summed up, or dropped */
#define ROLL_S 3600  /* of one request */
#define PARTS_S 600  /* until a server removes old parts */
#define MAGIC "syntrace-fleet batch 1"
#define NAMES ".names.sqlite" /* what names the stacks and locks, in the journal (fleet/names.h) */

struct own {
	struct syt_clickhouse *c;
	struct syt_fleet_store names; /* in the journal; opened when it is needed first */
	char *names_path;             /* NULL: not open */
	bool is_to_read;
	struct syt_counts
		known; /* keys of stacks and locks that are on a shard: a: key, b: shard, and whether it is a lock */
};

/* ---- tables ---- */

static const struct syt_native_column window_columns[] = {
	{"id", SYT_NATIVE_TEXT},
	{"day", SYT_NATIVE_TEXT},
	{"begin_ns", SYT_NATIVE_INTEGER},
	{"length_ns", SYT_NATIVE_INTEGER},
	{"host", SYT_NATIVE_TEXT},
	{"boot", SYT_NATIVE_TEXT},
	{"service", SYT_NATIVE_TEXT},
	{"version", SYT_NATIVE_TEXT},
	{"build", SYT_NATIVE_TEXT},
	{"exe", SYT_NATIVE_TEXT},
	{"wall_ns", SYT_NATIVE_INTEGER},
	{"events", SYT_NATIVE_INTEGER},
	{"lost", SYT_NATIVE_INTEGER},
	{"weight", SYT_NATIVE_NUMBER},
	{"open", SYT_NATIVE_INTEGER},
	{"unseen_ns", SYT_NATIVE_INTEGER},
	{"paused_bytes", SYT_NATIVE_INTEGER},
	{"nr", SYT_NATIVE_INTEGER},
	{"lossy", SYT_NATIVE_INTEGER},
	{"fleet_length_ns", SYT_NATIVE_NUMBER},
	{"facts", SYT_NATIVE_INTEGER},
	{"batch", SYT_NATIVE_KEY},
};
static const struct syt_native_column profile_columns[] = {
	{"day", SYT_NATIVE_TEXT},       {"begin_ns", SYT_NATIVE_INTEGER},
	{"host", SYT_NATIVE_TEXT},      {"service", SYT_NATIVE_TEXT},
	{"version", SYT_NATIVE_TEXT},   {"build", SYT_NATIVE_TEXT},
	{"weight", SYT_NATIVE_NUMBER},  {"event", SYT_NATIVE_TEXT},
	{"what", SYT_NATIVE_TEXT},      {"class", SYT_NATIVE_TEXT},
	{"reason", SYT_NATIVE_TEXT},    {"charged", SYT_NATIVE_TEXT},
	{"call", SYT_NATIVE_TEXT},      {"lock", SYT_NATIVE_INTEGER},
	{"stack", SYT_NATIVE_INTEGER},  {"culprit", SYT_NATIVE_INTEGER},
	{"n", SYT_NATIVE_INTEGER},      {"ns", SYT_NATIVE_INTEGER},
	{"max_ns", SYT_NATIVE_INTEGER}, {"batch", SYT_NATIVE_KEY},
};
static const struct syt_native_column stack_columns[] = {
	{"stack", SYT_NATIVE_INTEGER},
	{"rank", SYT_NATIVE_RANK},
	{"function", SYT_NATIVE_TEXT},
	{"path", SYT_NATIVE_TEXT},
};
static const struct syt_native_column rolled_columns[] = {{"day", SYT_NATIVE_TEXT}};
static const struct syt_native_column lock_columns[] = {
	{"lock", SYT_NATIVE_INTEGER},
	{"rank", SYT_NATIVE_RANK},
	{"kind", SYT_NATIVE_TEXT},
	{"name", SYT_NATIVE_TEXT},
};

enum { STACKS, LOCKS, PROFILE, WINDOWS, ROLLED, NR_TABLES };

#define COLUMNS(of) sizeof(of) / sizeof((of)[0]), of
static const struct syt_native_table tables[NR_TABLES] = {
	{"stacks", COLUMNS(stack_columns), "ReplacingMergeTree(rank) ORDER BY (stack)"},
	{"locks", COLUMNS(lock_columns), "ReplacingMergeTree(rank) ORDER BY (lock)"},
	{"profile", COLUMNS(profile_columns),
         "MergeTree PARTITION BY day ORDER BY (service, event, what, version, stack, host, "
         "begin_ns)"},
	{"windows", COLUMNS(window_columns),
         "MergeTree PARTITION BY day ORDER BY (service, version, host, begin_ns)"},
	{"rolled", COLUMNS(rolled_columns), "MergeTree ORDER BY (day)"}};

static int send_formatted(struct own *o, size_t shard, char *sql)
{
	int status = syt_clickhouse_send(o->c, shard, "", sql, NULL, 0, NULL);

	free(sql);
	return status;
}

static int create_tables(struct own *o, size_t shard)
{
	const char *database = syt_clickhouse_database(o->c);

	for (size_t n = 0; n < NR_TABLES; n++) {
		const struct syt_native_table *t = &tables[n];
		char *columns = syt_native_columns(t);
		int status = send_formatted(
			o, shard,
			syt_asprintf("CREATE TABLE IF NOT EXISTS %s_local (%s) ENGINE = %s",
		                     t->name, columns, t->engine));

		if (!status)
			status = send_formatted(
				o, shard,
				syt_asprintf("CREATE TABLE IF NOT EXISTS %s (%s) ENGINE = "
			                     "Distributed(" CLUSTER ", %s, %s_local)",
			                     t->name, columns, database, t->name));
		free(columns);
		if (status)
			return -1;
	}
	return 0;
}

/* Checks that each server knows as many shards as the store has. */
static int check_shards(struct syt_fleet_store *s)
{
	struct own *o = s->own;
	size_t nr = syt_clickhouse_shards(o->c);

	for (size_t n = 0; n < nr; n++) {
		int64_t known = syt_clickhouse_count(
			o->c, n,
			"SELECT uniqExact(shard_num) FROM system.clusters WHERE cluster = '" CLUSTER
			"'");

		if (known < 0)
			return -1;
		if ((size_t)known == nr)
			continue;
		syt_warn("%s: shard %zu has %" PRId64 " shards in the cluster " CLUSTER
		         " of its configuration, not %zu",
		         s->path, n + 1, known, nr);
		return -1;
	}
	return 0;
}

static struct own *open_client(struct syt_fleet_store *s)
{
	struct own *o = syt_calloc(1, sizeof(*o));

	s->own = o;
	o->c = syt_clickhouse_open(s->path);
	return o->c ? o : NULL;
}

static int open_store(struct syt_fleet_store *s, bool is_to_read)
{
	struct own *o = open_client(s);

	if (!o || (!is_to_read && check_shards(s)))
		return -1;
	o->is_to_read = is_to_read;
	return 0;
}

static void close_store(struct syt_fleet_store *s)
{
	struct own *o = s->own;

	if (o->c)
		syt_clickhouse_close(o->c);
	if (o->names_path)
		syt_fleet_store_close(&o->names);
	free(o->names_path);
	syt_counts_fini(&o->known);
	free(o);
}

static struct syt_fleet_store *open_names(struct syt_fleet_store *s)
{
	struct own *o = s->own;
	char *path;

	if (o->names_path)
		return &o->names;
	if (!s->journal) {
		syt_warn("%s: the addresses of call paths are in the journal of the loader: use "
		         "--journal=DIR",
		         s->path);
		return NULL;
	}
	if (!o->is_to_read)
		mkdir(s->journal, 0700);
	path = syt_asprintf("%s/" NAMES, s->journal);
	if (o->is_to_read ? syt_fleet_store_open_to_read(&o->names, path)
	                  : syt_names_open(&o->names, path)) {
		syt_fleet_store_close(&o->names);
		free(path);
		return NULL;
	}
	o->names_path = path;
	return &o->names;
}

static int create(struct syt_fleet_store *s)
{
	struct own *o = open_client(s);
	size_t nr = o ? syt_clickhouse_shards(o->c) : 0;
	int status = o ? 0 : -1;

	for (size_t n = 0; !status && n < nr; n++)
		status = send_formatted(o, n,
		                        syt_asprintf("CREATE DATABASE IF NOT EXISTS %s",
		                                     syt_clickhouse_database(o->c)));
	if (!status)
		status = check_shards(s);
	for (size_t n = 0; !status && n < nr; n++)
		status = create_tables(o, n);
	return status;
}

/* ---- batches ---- */

/* The rows of one day and one shard. */
struct batch {
	char day[16];
	uint64_t shard, name;
	uint64_t nr_profile, nr_windows;
	struct syt_native_bytes profile, windows; /* in the format Native */
};

static int insert(struct own *o, size_t shard, const struct syt_native_table *t, uint64_t name,
                  const struct syt_native_bytes *b)
{
	/* a server refuses a second query with the id of one that still runs */
	char *sql = syt_asprintf("INSERT INTO %s_local FORMAT Native", t->name),
	     *id = syt_asprintf("&query_id=syntrace-%s-%016" PRIx64, t->name, name);
	int status = syt_clickhouse_send(o->c, shard, name ? id : "", sql, b->all, b->nr, NULL);

	free(sql);
	free(id);
	return status;
}

/* Inserts the rows of a batch into a table unless they are there. */
static int insert_missing(struct syt_fleet_store *s, const struct batch *b,
                          const struct syt_native_table *t, uint64_t nr,
                          const struct syt_native_bytes *rows, bool is_retry)
{
	struct own *o = s->own;
	char *sql;
	int64_t found;

	if (!nr)
		return 0;
	if (is_retry) {
		sql = syt_asprintf(
			"SELECT count() FROM %s_local WHERE day = '%s' AND batch = %" PRIu64,
			t->name, b->day, b->name);
		found = syt_clickhouse_count(o->c, b->shard, sql);
		free(sql);
		if (found < 0)
			return -1;
		if ((uint64_t)found == nr)
			return 0;
		if (found) {
			syt_warn("%s: the batch %016" PRIx64 " has %" PRId64 " of %" PRIu64
			         " rows in %s_local",
			         s->path, b->name, found, nr, t->name);
			return -1;
		}
	}
	return insert(o, b->shard, t, b->name, rows);
}

static int insert_batch(struct syt_fleet_store *s, const struct batch *b, bool is_retry)
{
	if (insert_missing(s, b, &tables[PROFILE], b->nr_profile, &b->profile, is_retry))
		return -1;
	return insert_missing(s, b, &tables[WINDOWS], b->nr_windows, &b->windows, is_retry);
}

/* ---- the journal ---- */

static int write_all(int fd, const struct syt_native_bytes *b)
{
	for (size_t at = 0; at < b->nr;) {
		ssize_t nr = write(fd, b->all + at, b->nr - at);

		if (nr < 0)
			return -1;
		at += (size_t)nr;
	}
	return 0;
}

static uint64_t hash_of(const struct batch *b)
{
	return XXH3_64bits(b->profile.all, b->profile.nr) ^
	       XXH3_64bits_withSeed(b->windows.all, b->windows.nr, 1);
}

/* Writes the NR parts to the file NAME of the journal DIR, and all to the disk. */
static int write_journal(const struct syt_fleet_store *s, int dir, const char *name,
                         const struct syt_native_bytes *parts, size_t nr)
{
	int fd = openat(dir, ".new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600),
	    status = fd < 0;

	for (size_t n = 0; n < nr && !status; n++)
		status = write_all(fd, &parts[n]);
	status = status || fsync(fd) || renameat(dir, ".new", dir, name) || fsync(dir);
	if (status)
		syt_warn_errno("%s/%s", s->journal, name);
	if (fd >= 0)
		close(fd);
	return status ? -1 : 0;
}

static int write_batch(const struct syt_fleet_store *s, int dir, const char *name,
                       const struct batch *b)
{
	char *line = syt_asprintf(MAGIC " %s %" PRIu64 " %" PRIx64 " %" PRIu64 " %" PRIu64
	                                " %zu %zu %" PRIx64 " %s\n",
	                          b->day, b->shard, b->name, b->nr_profile, b->nr_windows,
	                          b->profile.nr, b->windows.nr, hash_of(b), s->path);
	const struct syt_native_bytes parts[] = {
		{(unsigned char *)line, strlen(line), 0}, b->profile, b->windows};
	int status = write_journal(s, dir, name, parts, 3);

	free(line);
	return status;
}

/* Reads the SIZE bytes of a file of the journal. Returns false if they are no batch. */
static bool parse_batch(const struct syt_fleet_store *s, struct batch *b, unsigned char *text,
                        size_t size)
{
	unsigned char *end = memchr(text, '\n', size);
	size_t profile = 0, windows = 0, rest;
	uint64_t hash = 0;
	int at = 0;

	if (!end)
		return false;
	*end = 0;
	rest = size - (size_t)(end + 1 - text);
	if (sscanf((char *)text,
	           MAGIC " %15s %" SCNu64 " %" SCNx64 " %" SCNu64 " %" SCNu64 " %zu %zu %" SCNx64
	                 " %n",
	           b->day, &b->shard, &b->name, &b->nr_profile, &b->nr_windows, &profile, &windows,
	           &hash, &at) != 8 ||
	    !at || strcmp((char *)text + at, s->path) != 0)
		return false;
	b->profile = (struct syt_native_bytes){end + 1, profile, 0};
	b->windows = (struct syt_native_bytes){end + 1 + profile, windows, 0};
	return profile <= rest && windows == rest - profile && hash_of(b) == hash &&
	       b->shard < syt_clickhouse_shards(((struct own *)s->own)->c) &&
	       strspn(b->day, "0123456789-") == strlen(b->day);
}

/* Waits until the servers have ended the INSERTs of a loader that was killed. */
static int wait_for_inserts(struct syt_fleet_store *s, const struct batch *b)
{
	struct own *o = s->own;
	char *sql = syt_asprintf("SELECT count() FROM system.processes WHERE query_id LIKE "
	                         "'syntrace-%%-%016" PRIx64 "'",
	                         b->name);
	time_t end = time(NULL) + WAIT_S;
	int64_t nr;

	while ((nr = syt_clickhouse_count(o->c, b->shard, sql)) > 0 && time(NULL) < end)
		syt_rest(0.1);
	free(sql);
	if (nr > 0)
		syt_warn("%s: an INSERT of the batch %016" PRIx64 " still runs", s->path, b->name);
	return nr ? -1 : 0;
}

/* Reads the file NAME of the journal into FILE, and a NUL. Returns -1 after a message. */
static int read_journal(const struct syt_fleet_store *s, int dir, const char *name,
                        struct syt_native_bytes *file)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct stat st;
	ssize_t nr = -1;

	if (fd >= 0 && !fstat(fd, &st) && (uint64_t)st.st_size <= MOST_JOURNAL) {
		file->all = syt_calloc((size_t)st.st_size + 1, 1);
		while ((nr = read(fd, file->all + file->nr, (size_t)st.st_size - file->nr)) > 0)
			file->nr += (size_t)nr;
	}
	if (nr < 0)
		syt_warn_errno("%s/%s", s->journal, name);
	if (fd >= 0)
		close(fd);
	return nr < 0 ? -1 : 0;
}

static int remove_journal(const struct syt_fleet_store *s, int dir, const char *name)
{
	if (!unlinkat(dir, name, 0) && !fsync(dir))
		return 0;
	syt_warn_errno("%s/%s", s->journal, name);
	return -1;
}

static int recover(struct syt_fleet_store *s, int dir, const char *name)
{
	struct batch b = {.shard = 0};
	struct syt_native_bytes file = {0};
	int status = read_journal(s, dir, name, &file);

	if (!status && !parse_batch(s, &b, file.all, file.nr)) {
		syt_warn("%s/%s is no batch of the store %s", s->journal, name, s->path);
		status = -1;
	}
	if (!status)
		status = wait_for_inserts(s, &b) || insert_batch(s, &b, true);
	if (!status)
		status = remove_journal(s, dir, name);
	free(file.all);
	return status ? -1 : 0;
}

/* ---- summing up days ---- */

/*
 * A day is summed up into a table of its own, on each shard, whose one part then replaces the parts of the day in one step. A server
 * that is killed soon after may find the old parts on its disk again. Therefore the day stays in the journal until they have gone, and
 * rows with a batch are ignored if the sums (batch 0) are there: a second turn changes no sum.
 */
#define SATURATED(x)                                                                               \
	"least(sum(intDiv(" x ", 1048576)) + intDiv(sum(" x " % 1048576), 1048576), "              \
	"8796093022207) * 1048576 + sum(" x " % 1048576) % 1048576"
#define WEIGHT(x)                                                                                  \
	"if(sum(1.0 * " x ") > 0, " SYT_SQL_TOTAL("(weight * " x ")") " / " SYT_SQL_TOTAL(         \
		"(1.0 * " x ")") ", max(weight))"
#define GROUPS "day, host, service, version, build"
#define WORDS "event, what, class, reason, charged, call, lock, stack, culprit"

/* clang-format off */
static const struct {
	size_t table;
	const char *sums, *from, *groups; /* FROM: a format, with the day once or twice */
} rolls[] = {
	{PROFILE,
	 "day, last, host, service, version, build, " WEIGHT("ns") ", " WORDS ", " SATURATED("n") ", " SATURATED("ns")
	 ", max(max_ns), toUInt64(0)",
	 "(SELECT " GROUPS ", weight, " WORDS ", n, ns, max_ns FROM profile_local WHERE day = '%s') AS a ANY LEFT JOIN "
	 "(SELECT " GROUPS ", max(begin_ns) AS last FROM windows_local WHERE day = '%s' GROUP BY " GROUPS ") AS b USING (" GROUPS ")",
	 "last, " GROUPS ", " WORDS},
	{WINDOWS,
	 "min(id), day, max(begin_ns), " SATURATED("length_ns") ", host, '', service, version, build, '', " SATURATED("wall_ns") ", "
	 SATURATED("events") ", " SATURATED("lost") ", " WEIGHT("wall_ns") ", " SATURATED("open") ", " SATURATED("unseen_ns") ", "
	 SATURATED("paused_bytes") ", sum(nr), sum(lossy), " SYT_SQL_TOTAL("fleet_length_ns") ", toInt64(0), toUInt64(0)",
	 "(SELECT * FROM windows_local WHERE day = '%s') AS a",
	 GROUPS}};
/* clang-format on */

/* Waits until the servers have removed the old parts of the day from their disks. */
static int wait_for_parts(struct syt_fleet_store *s, size_t shard, const struct syt_native_table *t,
                          const char *day)
{
	struct own *o = s->own;
	char *sql =
		syt_asprintf("SELECT count() FROM system.parts WHERE database = '%s' AND table = "
	                     "'%s_local' AND partition = '%s' AND NOT active",
	                     syt_clickhouse_database(o->c), t->name, day);
	time_t end = time(NULL) + PARTS_S;
	int64_t nr = 1;

	/* without this request, the server removes them some time later */
	while (!send_formatted(
		       o, shard,
		       syt_asprintf("ALTER TABLE %s_local DROP PARTITION 'none'", t->name)) &&
	       (nr = syt_clickhouse_count(o->c, shard, sql)) > 0 && time(NULL) < end)
		syt_rest(0.5);
	free(sql);
	if (nr > 0)
		syt_warn("%s: the server keeps old parts of %s_local on its disk", s->path,
		         t->name);
	return nr ? -1 : 0;
}

static int roll_table(struct syt_fleet_store *s, size_t shard, const char *day, size_t at)
{
	const struct syt_native_table *t = &tables[rolls[at].table];
	struct own *o = s->own;
	char *columns = syt_native_columns(t), *sql, *from;
	int64_t nr_sums;
	int status;

	sql = syt_asprintf("SELECT count() FROM %s_local WHERE day = '%s' AND batch = 0", t->name,
	                   day);
	nr_sums = syt_clickhouse_count(o->c, shard, sql);
	free(sql);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
	from = syt_asprintf(rolls[at].from, day, day);
#pragma GCC diagnostic pop
	sql = nr_sums > 0
	              ? syt_asprintf(
				"INSERT INTO %s_rolling SELECT * FROM %s_local WHERE day = '%s' "
				"AND batch = 0",
				t->name, t->name, day)
	              : syt_asprintf("INSERT INTO %s_rolling SELECT %s FROM %s GROUP BY %s",
	                             t->name, rolls[at].sums, from, rolls[at].groups);
	status = nr_sums < 0 ||
	         send_formatted(o, shard,
	                        syt_asprintf("DROP TABLE IF EXISTS %s_rolling", t->name)) ||
	         send_formatted(o, shard,
	                        syt_asprintf("CREATE TABLE %s_rolling (%s) ENGINE = %s", t->name,
	                                     columns, t->engine)) ||
	         syt_clickhouse_send(o->c, shard, "", sql, NULL, 0, NULL) ||
	         send_formatted(o, shard,
	                        syt_asprintf("OPTIMIZE TABLE %s_rolling PARTITION '%s' FINAL",
	                                     t->name, day)) ||
	         send_formatted(o, shard,
	                        syt_asprintf("ALTER TABLE %s_local REPLACE PARTITION '%s' FROM "
	                                     "%s_rolling",
	                                     t->name, day, t->name)) ||
	         send_formatted(o, shard, syt_asprintf("DROP TABLE %s_rolling", t->name)) ||
	         wait_for_parts(s, shard, t, day);
	free(sql);
	free(from);
	free(columns);
	return status ? -1 : 0;
}

/* Refuses windows of the day and of those before it. */
static int mark_rolled(struct own *o, const char *day)
{
	int status = 0;

	for (size_t n = 0; n < syt_clickhouse_shards(o->c) && !status; n++)
		status = send_formatted(
			o, n, syt_asprintf("INSERT INTO rolled_local (day) VALUES ('%s')", day));
	return status;
}

static int drop_day(struct syt_fleet_store *s, size_t shard, const char *day)
{
	static const size_t all[] = {PROFILE, WINDOWS};
	struct own *o = s->own;

	/* the windows last: the day is found again if this program is killed */
	for (size_t n = 0; n < 2; n++)
		if (send_formatted(o, shard,
		                   syt_asprintf("ALTER TABLE %s_local DROP PARTITION '%s'",
		                                tables[all[n]].name, day)) ||
		    wait_for_parts(s, shard, &tables[all[n]], day))
			return -1;
	return 0;
}

/* Sums up the day in NAME, a file of the journal, or drops it. */
static int finish_day(struct syt_fleet_store *s, int dir, const char *name)
{
	bool is_drop = !strncmp(name, ROLL "drop-", strlen(ROLL "drop-"));
	const char *day = name + strlen(is_drop ? ROLL "drop-" : ROLL "day-");
	struct own *o = s->own;
	struct syt_native_bytes file = {0};
	int status = read_journal(s, dir, name, &file);

	if (!status && (strspn(day, "0123456789-") != strlen(day) || strlen(day) != 10 ||
	                strcmp((char *)file.all, s->path) != 0)) {
		syt_warn("%s/%s is no day of the store %s", s->journal, name, s->path);
		status = -1;
	}
	free(file.all);
	syt_clickhouse_set_timeout(o->c, ROLL_S);
	if (!status)
		status = mark_rolled(o, day);
	for (size_t n = 0; n < syt_clickhouse_shards(o->c) && !status; n++)
		status = is_drop ? drop_day(s, n, day)
		                 : roll_table(s, n, day, 0) || roll_table(s, n, day, 1);
	syt_clickhouse_set_timeout(o->c, 0);
	return status ? -1 : remove_journal(s, dir, name);
}

/* Opens and locks the journal, and finishes the batches in it. Returns its descriptor, or -1 after a message. */
static int open_journal(struct syt_fleet_store *s)
{
	struct dirent *entry;
	int dir = -1, status = 0;
	DIR *names = NULL;

	if (s->journal && (!mkdir(s->journal, 0700) || errno == EEXIST))
		dir = open(s->journal, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir >= 0 && !flock(dir, LOCK_EX))
		names = opendir(s->journal);
	if (!names) {
		syt_warn_errno("the journal %s", s->journal ? s->journal : "");
		if (dir >= 0)
			close(dir);
		return -1;
	}
	while (!status && (entry = readdir(names)))
		if (!strncmp(entry->d_name, ROLL, strlen(ROLL)))
			status = finish_day(s, dir, entry->d_name);
		else if (*entry->d_name != '.')
			status = recover(s, dir, entry->d_name);
	closedir(names);
	if (!status)
		return dir;
	close(dir);
	return -1;
}

/* ---- loading ---- */

static int compare_ids(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void keep(void *id)
{
	(void)id;
}

/* Marks the windows whose id is in the store, or is that of an earlier one in ALL, as duplicates. */
static int find_duplicates(struct syt_fleet_store *s, struct syt_window_file *const *all, size_t nr,
                           enum syt_store_result *results)
{
	struct own *o = s->own;
	char *sql, *answer = NULL, *rest = NULL;
	void *ids = NULL;
	size_t bytes;
	FILE *f = syt_memstream(&sql, &bytes);
	int status;

	fputs("SELECT DISTINCT id FROM windows WHERE id IN (", f);
	for (size_t n = 0; n < nr; n++) {
		fputs(n ? "," : "", f);
		syt_clickhouse_quote(f, all[n]->id);
	}
	fputs(")", f);
	fclose(f);
	status = syt_clickhouse_send(o->c, 0, "", sql, NULL, 0, &answer);
	free(sql);
	if (status)
		return -1;
	for (char *id = strtok_r(answer, "\n", &rest); id; id = strtok_r(NULL, "\n", &rest))
		tsearch(id, &ids, compare_ids);
	for (size_t n = 0; n < nr; n++)
		if (tfind(all[n]->id, &ids, compare_ids))
			results[n] = SYT_STORE_DUPLICATE;
		else
			tsearch(all[n]->id, &ids, compare_ids);
	tdestroy(ids, keep);
	free(answer);
	return 0;
}

static int compare_keys(const struct syt_upload_fact *a, const struct syt_upload_fact *b)
{
	for (unsigned n = 0; n < SYT_NR_WORDS; n++) {
		int order = strcmp(a->words[n], b->words[n]);

		if (order)
			return order;
	}
	SYT_ORDER(a->lock, b->lock);
	SYT_ORDER(a->stack, b->stack);
	SYT_ORDER(a->culprit, b->culprit);
	return 0;
}

SYT_COMPARATOR(by_key, struct syt_upload_fact)
{
	return compare_keys(a, b);
}

/* Sums equal facts into the last one of them, and marks the others by n = -1. Returns false if a sum is too large. */
static bool sum_facts(struct syt_window_file *w, int64_t *nr)
{
	*nr = (int64_t)w->nr_facts;
	if (w->nr_facts)
		qsort(w->facts, w->nr_facts, sizeof(*w->facts), by_key);
	for (size_t n = 1; n < w->nr_facts; n++) {
		struct syt_upload_fact *a = &w->facts[n - 1], *b = &w->facts[n];

		if (compare_keys(a, b) != 0)
			continue;
		if (__builtin_add_overflow(a->n, b->n, &b->n) ||
		    __builtin_add_overflow(a->ns, b->ns, &b->ns))
			return false;
		b->max_ns = a->max_ns > b->max_ns ? a->max_ns : b->max_ns;
		a->n = -1;
		--*nr;
	}
	return true;
}

static void add_profile(struct syt_native *b, const struct syt_window_file *w, const char *day,
                        uint64_t batch)
{
	for (size_t n = 0; n < w->nr_facts; n++) {
		const struct syt_upload_fact *f = &w->facts[n];

		if (f->n < 0)
			continue;
		syt_native_text(b, day);
		syt_native_integer(b, w->begin_ns);
		syt_native_text(b, w->host);
		syt_native_text(b, w->service);
		syt_native_text(b, w->version);
		syt_native_text(b, w->build);
		syt_native_number(b, w->weight);
		for (unsigned k = 0; k < SYT_NR_WORDS; k++)
			syt_native_text(b, f->words[k]);
		syt_native_integer(b, f->lock);
		syt_native_integer(b, f->stack);
		syt_native_integer(b, f->culprit);
		syt_native_integer(b, f->n);
		syt_native_integer(b, f->ns);
		syt_native_integer(b, f->max_ns);
		syt_native_key(b, batch);
	}
}

static void add_window(struct syt_native *b, const struct syt_window_file *w, const char *day,
                       int64_t nr_facts, uint64_t batch)
{
	syt_native_text(b, w->id);
	syt_native_text(b, day);
	syt_native_integer(b, w->begin_ns);
	syt_native_integer(b, w->length_ns);
	syt_native_text(b, w->host);
	syt_native_text(b, w->boot);
	syt_native_text(b, w->service);
	syt_native_text(b, w->version);
	syt_native_text(b, w->build);
	syt_native_text(b, w->exe);
	syt_native_integer(b, w->wall_ns);
	syt_native_integer(b, w->events);
	syt_native_integer(b, w->lost);
	syt_native_number(b, w->weight);
	syt_native_integer(b, w->open);
	syt_native_integer(b, w->unseen_ns);
	syt_native_integer(b, w->paused_bytes);
	syt_native_integer(b, 1);
	syt_native_integer(b, w->lost > 0);
	syt_native_number(b, w->weight * (double)w->length_ns);
	syt_native_integer(b, nr_facts);
	syt_native_key(b, batch);
}

/* The shard of is_new() that stands for the names in the journal. */
#define JOURNAL SYT_CLICKHOUSE_SHARDS

/* Returns true, once for each key and shard, if the key has not been inserted there. */
static bool is_new(struct own *o, int64_t key, uint64_t shard, bool is_lock)
{
	uint64_t *nr;

	if (o->known.nr >= MOST_KNOWN) {
		syt_counts_fini(&o->known);
		o->known = (struct syt_counts){0};
	}
	nr = syt_counts_at(&o->known, (uint64_t)key, shard * 2 + is_lock);
	return !(*nr)++;
}

/* A window and its place. */
struct item {
	struct syt_window_file *w;
	size_t at; /* of its result */
	char day[16];
	uint64_t shard;
	int64_t nr_facts;
};

/* Keeps what names the stacks and locks of the windows ALL. */
static int keep_names(struct syt_fleet_store *s, const struct item *all, size_t nr)
{
	const struct syt_window_file **windows = syt_calloc(nr, sizeof(*windows));
	struct syt_fleet_store *names;
	size_t nr_windows = 0;
	int status = 0;

	for (size_t n = 0; n < nr; n++) {
		const struct syt_window_file *w = all[n].w;
		bool has_new = false;

		for (size_t k = 0; k < w->nr_stacks; k++)
			has_new |= is_new(s->own, w->stacks[k].key, JOURNAL, false);
		for (size_t k = 0; k < w->nr_locks; k++)
			has_new |= is_new(s->own, w->locks[k].key, JOURNAL, true);
		if (has_new)
			windows[nr_windows++] = w;
	}
	if (nr_windows) {
		names = open_names(s);
		status = names ? syt_store_keep_names(names, windows, nr_windows) : -1;
	}
	free(windows);
	return status;
}

static void add_names(struct own *o, struct syt_native *stacks, struct syt_native *locks,
                      const struct syt_window_file *w, uint64_t shard)
{
	for (size_t n = 0; n < w->nr_stacks; n++)
		if (is_new(o, w->stacks[n].key, shard, false)) {
			syt_native_integer(stacks, w->stacks[n].key);
			syt_native_rank(stacks, 0);
			syt_native_text(stacks, w->stacks[n].function);
			syt_native_text(stacks, w->stacks[n].path);
		}
	for (size_t n = 0; n < w->nr_locks; n++)
		if (is_new(o, w->locks[n].key, shard, true)) {
			syt_native_integer(locks, w->locks[n].key);
			syt_native_rank(locks, 0);
			syt_native_text(locks, w->locks[n].kind);
			syt_native_text(locks, w->locks[n].name);
		}
}

SYT_COMPARATOR(by_place, struct item)
{
	int order = strcmp(a->day, b->day);

	if (order)
		return order;
	SYT_ORDER(a->shard, b->shard);
	return strcmp(a->w->id, b->w->id);
}

static int insert_block(struct own *o, uint64_t shard, struct syt_native *b)
{
	struct syt_native_bytes packed = {0};
	int status = 0;

	if (b->nr) {
		syt_native_pack(&packed, b);
		status = insert(o, shard, b->table, 0, &packed);
	}
	free(packed.all);
	return status;
}

/* Inserts the NR windows, which have one day and one shard. */
static int load_batch(struct syt_fleet_store *s, int dir, const struct item *all, size_t nr)
{
	struct syt_native blocks[NR_TABLES];
	struct own *o = s->own;
	struct batch b = {.shard = all->shard};
	char name[32];
	XXH3_state_t *hash = XXH3_createState();
	int status;

	if (!hash)
		syt_die_of_memory(1, 1);
	XXH3_64bits_reset(hash);
	for (size_t n = 0; n < nr; n++)
		XXH3_64bits_update(hash, all[n].w->id, strlen(all[n].w->id));
	b.name = XXH3_64bits_digest(hash) | 1; /* 0 is no batch */
	XXH3_freeState(hash);
	memcpy(b.day, all->day, sizeof(b.day));
	for (size_t n = 0; n < NR_TABLES; n++)
		blocks[n] = (struct syt_native){.table = &tables[n]};
	for (size_t n = 0; n < nr; n++) {
		add_names(o, &blocks[STACKS], &blocks[LOCKS], all[n].w, b.shard);
		add_profile(&blocks[PROFILE], all[n].w, b.day, b.name);
		add_window(&blocks[WINDOWS], all[n].w, b.day, all[n].nr_facts, b.name);
	}
	b.nr_profile = blocks[PROFILE].nr;
	b.nr_windows = blocks[WINDOWS].nr;
	syt_native_pack(&b.profile, &blocks[PROFILE]);
	syt_native_pack(&b.windows, &blocks[WINDOWS]);
	snprintf(name, sizeof(name), "%016" PRIx64, b.name);
	status = keep_names(s, all, nr) | insert_block(o, b.shard, &blocks[STACKS]) |
	         insert_block(o, b.shard, &blocks[LOCKS]);
	if (status)
		syt_counts_fini(&o->known), o->known = (struct syt_counts){0};
	if (!status)
		status = write_batch(s, dir, name, &b);
	if (!status)
		status = insert_batch(s, &b, false);
	/* after a failure, the rows may be in the table: the next call finds the batch in the journal */
	if (!status)
		status = remove_journal(s, dir, name);
	free(b.profile.all);
	free(b.windows.all);
	return status;
}

static void set_place(struct item *i, const struct own *o)
{
	time_t t = (time_t)(i->w->begin_ns / 1000000000);
	struct tm tm = {0};

	gmtime_r(&t, &tm);
	strftime(i->day, sizeof(i->day), "%Y-%m-%d", &tm);
	i->shard = XXH3_64bits(i->w->host, strlen(i->w->host)) % syt_clickhouse_shards(o->c);
}

/* Stores the last day that is summed up in DAY. */
static int read_rolled(struct own *o, char day[16])
{
	char *answer;

	if (syt_clickhouse_send(o->c, 0, "", "SELECT max(day) FROM rolled", NULL, 0, &answer))
		return -1;
	snprintf(day, 16, "%.*s", (int)strcspn(answer, "\n"), answer);
	free(answer);
	return 0;
}

/* Adds the windows that have no result yet. */
static void add_new(struct syt_fleet_store *s, int dir, struct syt_window_file *const *windows,
                    size_t nr, enum syt_store_result *results)
{
	struct item *all = syt_calloc(nr, sizeof(*all));
	char rolled[16];
	size_t nr_items = 0;
	int status = read_rolled(s->own, rolled);

	for (size_t n = 0; n < nr && !status; n++) {
		struct item i = {.w = windows[n], .at = n};

		if (results[n] != SYT_STORE_FAILED)
			continue;
		if (!sum_facts(i.w, &i.nr_facts)) {
			results[n] = SYT_STORE_REJECTED;
			continue;
		}
		set_place(&i, s->own);
		if (strcmp(i.day, rolled) <= 0)
			results[n] = SYT_STORE_ROLLED;
		else
			all[nr_items++] = i;
	}
	if (nr_items)
		qsort(all, nr_items, sizeof(*all), by_place);
	for (size_t n = 0, end; n < nr_items && !status; n = end) {
		for (end = n + 1; end < nr_items && !strcmp(all[end].day, all[n].day) &&
		                  all[end].shard == all[n].shard;
		     end++)
			;
		status = load_batch(s, dir, all + n, end - n);
		for (size_t k = n; k < end && !status; k++)
			results[all[k].at] = SYT_STORE_LOADED;
	}
	free(all);
}

static void add(struct syt_fleet_store *s, struct syt_window_file *const *windows, size_t nr,
                enum syt_store_result *results)
{
	int dir = open_journal(s);

	memset(results, 0, nr * sizeof(*results)); /* SYT_STORE_FAILED */
	if (dir < 0)
		return;
	if (!find_duplicates(s, windows, nr, results))
		add_new(s, dir, windows, nr, results);
	/* a copy of a window that is not in the store is no duplicate */
	for (size_t n = 0; n < nr; n++)
		for (size_t k = 0; k < n && results[n] == SYT_STORE_DUPLICATE; k++)
			if (results[k] == SYT_STORE_FAILED &&
			    !strcmp(windows[k]->id, windows[n]->id))
				results[n] = SYT_STORE_FAILED;
	close(dir);
}

/* Writes what to do with the day to the journal, and does it. */
static int change_day(struct syt_fleet_store *s, const char *what, const char *day)
{
	const struct syt_native_bytes path = {(unsigned char *)syt_asprintf("%s", s->path),
	                                      strlen(s->path), 0};
	char *name = syt_asprintf(ROLL "%s-%s", what, day);
	int dir = open_journal(s), status = -1;

	if (dir >= 0)
		status = write_journal(s, dir, name, &path, 1);
	if (!status)
		status = finish_day(s, dir, name);
	if (dir >= 0)
		close(dir);
	free(path.all);
	free(name);
	return status;
}

/* The table of all shards has the new names when one shard has them. */
static int rename_all(struct syt_fleet_store *s, bool is_lock, const struct syt_store_name *all,
                      size_t nr)
{
	struct syt_native b = {.table = &tables[is_lock ? LOCKS : STACKS]};

	for (size_t n = 0; n < nr; n++) {
		syt_native_integer(&b, all[n].key);
		syt_native_rank(&b, all[n].rank);
		syt_native_text(&b, all[n].texts[0]);
		syt_native_text(&b, all[n].texts[1]);
	}
	return insert_block(s->own, 0, &b);
}

static int recover_all(struct syt_fleet_store *s)
{
	int dir = open_journal(s);

	if (dir >= 0)
		close(dir);
	return dir < 0 ? -1 : 0;
}

static int roll(struct syt_fleet_store *s, const char *day)
{
	return change_day(s, "day", day);
}

static int drop(struct syt_fleet_store *s, const char *day)
{
	return change_day(s, "drop", day);
}

static int check(struct syt_fleet_store *s)
{
	/* clang-format off */
	static const char *const questions[] = {
		"SELECT count() FROM (SELECT id FROM windows GROUP BY id HAVING count() > 1)",
		/* batches whose facts are not those of their windows */
		"SELECT count() FROM (SELECT batch, sum(d) AS e FROM ("
		"SELECT batch, sum(facts) AS d FROM windows WHERE batch != 0 GROUP BY batch UNION ALL "
		"SELECT batch, -toInt64(count()) AS d FROM profile WHERE batch != 0 GROUP BY batch) GROUP BY batch HAVING e != 0)",
		"SELECT sum(nr) FROM windows",
		"SELECT count() FROM profile"};
	/* clang-format on */
	struct own *o = s->own;
	int64_t nr[4];

	for (unsigned n = 0; n < 4; n++) {
		nr[n] = syt_clickhouse_count(o->c, 0, questions[n]);
		if (nr[n] < 0)
			return -1;
	}
	printf("{\"v\":1,\"type\":\"check\",\"windows\":%" PRId64 ",\"facts\":%" PRId64
	       ",\"twice\":%" PRId64 ",\"no_window\":%" PRId64 ",\"no_words\":0}\n",
	       nr[2], nr[3], nr[0], nr[1]);
	return nr[0] || nr[1];
}

/* ---- rows ---- */

struct answer {
	char *text;
	struct syt_tab_rows rows;
};

/* Returns SQL with the values in the places of its parameters ?1, ?2 .. */
static char *with_values(const char *sql, const struct syt_store_value *values, size_t nr)
{
	size_t bytes;
	char *text;
	FILE *f = syt_memstream(&text, &bytes);

	for (const char *p = sql; *p; p++) {
		size_t number = 0;

		if (!nr || *p != '?') {
			putc(*p, f);
			continue;
		}
		while (p[1] >= '0' && p[1] <= '9')
			number = number * 10 + (size_t)(*++p - '0');
		if (!number || number > nr)
			abort(); /* a text of this program */
		if (values[number - 1].text)
			syt_clickhouse_quote(f, values[number - 1].text);
		else
			fprintf(f, "%" PRId64, values[number - 1].number);
	}
	/* the newline ends a comment of the user */
	fputs("\nFORMAT TabSeparatedWithNamesAndTypes", f);
	fclose(f);
	return text;
}

static bool is_select(const char *sql)
{
	return !strncasecmp(sql + strspn(sql, " \t\r\n("), "SELECT", 6);
}

static int malformed(const struct syt_fleet_store *s)
{
	syt_warn("%s: the answer of the server is malformed", s->path);
	return -1;
}

static int ask(struct syt_store_rows *r, const char *sql, const struct syt_store_value *values,
               size_t nr)
{
	struct own *o = r->store->own;
	struct answer *a;
	char *trimmed, *text, *settings;
	int status;

	if (!is_select(sql)) {
		syt_warn("sql takes one SELECT");
		return -1;
	}
	trimmed = syt_asprintf("%s", sql);
	for (size_t n = strlen(trimmed); n && strchr(" \t\r\n;", trimmed[n - 1]);)
		trimmed[--n] = 0;
	text = with_values(trimmed, values, nr);
	free(trimmed);
	r->own = a = syt_calloc(1, sizeof(*a));
	settings = syt_asprintf("&readonly=1&max_execution_time=%d&max_memory_usage=%" PRId64,
	                        SYT_STORE_SECONDS, SYT_STORE_MEMORY);
	status = syt_clickhouse_send(o->c, 0, settings, text, NULL, 0, &a->text);
	free(settings);
	free(text);
	if (status)
		return -1;
	if (!syt_tab_open(&a->rows, a->text))
		return malformed(r->store);
	r->nr = a->rows.nr;
	r->cells = syt_calloc(r->nr, sizeof(*r->cells));
	for (size_t n = 0; n < r->nr; n++)
		r->cells[n].name = a->rows.names[n];
	return 0;
}

/* Stores the text of a cell of TYPE, a type of ClickHouse. Returns false if it is malformed. */
static bool read_cell(struct syt_store_cell *c, const char *text, const char *type)
{
	char *end;

	*c = (struct syt_store_cell){.name = c->name, .text = ""};
	if (!text)
		return true;
	if (!strncmp(type, "Nullable(", 9))
		type += 9;
	errno = 0;
	if (!strncmp(type, "Int", 3) || !strncmp(type, "UInt", 4)) {
		c->type = SYT_CELL_INTEGER;
		c->integer = strtoll(text, &end, 10);
		c->number = (double)c->integer;
		if (errno == ERANGE) {
			c->type = SYT_CELL_NUMBER;
			c->number = strtod(text, &end);
		}
	} else if (!strncmp(type, "Float", 5)) {
		c->type = SYT_CELL_NUMBER;
		c->number = strtod(text, &end);
	} else {
		c->type = SYT_CELL_TEXT;
		c->text = text;
		return true;
	}
	return end != text && !*end;
}

static int next(struct syt_store_rows *r)
{
	struct answer *a = r->own;
	int status = syt_tab_next(&a->rows);

	if (status < 0)
		return malformed(r->store);
	for (size_t n = 0; n < r->nr && status; n++)
		if (!read_cell(&r->cells[n], a->rows.cells[n], a->rows.types[n]))
			return malformed(r->store);
	return status;
}

static void done(struct syt_store_rows *r)
{
	struct answer *a = r->own;

	syt_tab_close(&a->rows);
	free(a->text);
	free(a);
}

const struct syt_store_operations syt_store_clickhouse = {
	.join = "ANY LEFT JOIN",
	.stacks = "(SELECT stack, argMax(path, rank) AS stack_path FROM stacks GROUP BY stack)",
	.locks = "(SELECT lock, argMax(kind, rank) AS lock_kind, argMax(name, rank) AS lock_name "
		 "FROM locks GROUP BY lock)",
	.most_windows = MOST_WINDOWS,
	.create = create,
	.open = open_store,
	.close = close_store,
	.add = add,
	.check = check,
	.recover = recover_all,
	.roll = roll,
	.drop = drop,
	.names = open_names,
	.rename = rename_all,
	.ask = ask,
	.next = next,
	.done = done};
