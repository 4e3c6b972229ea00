/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The store of a fleet (doc/fleet.md): an SQLite database, or the shards of a ClickHouse cluster. A window is in the store once or
 * not at all, whenever the loader stops. doc/fleet.md describes what a power failure of a ClickHouse server can lose. One thread at a time may use a store.
 */
#ifndef SYT_FLEET_STORE_H
#define SYT_FLEET_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fleet/window_file.h"

#define SYT_STORE_SECONDS 60                    /* of one query */
#define SYT_STORE_MEMORY (INT64_C(4) << 30)     /* of one query */
#define SYT_STORE_FACTS 100000u                 /* that one call of syt_fleet_store_add() adds */
#define SYT_STORE_BYTES (SYT_WINDOW_MOST_BYTES) /* of their files */

enum syt_store_result {
	SYT_STORE_FAILED, /* after a message: a full disk, for example */
	SYT_STORE_LOADED,
	SYT_STORE_DUPLICATE,
	SYT_STORE_REJECTED, /* the store cannot represent a value */
	SYT_STORE_ROLLED    /* the day of the window is summed up */
};

/* A value of a parameter of an SQL text. */
struct syt_store_value {
	const char *text; /* NULL: the number */
	int64_t number;
};

enum syt_cell_type { SYT_CELL_NULL, SYT_CELL_INTEGER, SYT_CELL_NUMBER, SYT_CELL_TEXT };

struct syt_store_cell {
	const char *name; /* of the column */
	enum syt_cell_type type;
	int64_t integer;
	double number;    /* of an integer, too; otherwise 0 */
	const char *text; /* of a text; otherwise "" */
};

/* The rows of a query. The cells are those of the row that syt_store_next() has found. */
struct syt_store_rows {
	struct syt_fleet_store *store;
	size_t nr;
	struct syt_store_cell *cells;
	void *own;
};

struct syt_fleet_store {
	const struct syt_store_operations *all;
	const char *path;    /* the store, as the user named it */
	const char *journal; /* directory of the batches and names of a ClickHouse store, or NULL */
	void *own;
};

/* A stack or a lock with a new name. */
struct syt_store_name {
	int64_t key;
	unsigned rank;  /* grows with each new name of the key; 1..255 */
	char *texts[2]; /* of a stack: function and path; of a lock: kind and name */
};

/* What a kind of store can do. The functions below describe the operations. */
struct syt_store_operations {
	/* The text of a join that finds at most one row, and tables of the names of stacks and locks. */
	const char *join, *stacks, *locks;
	size_t most_windows; /* of one call of add */
	int (*create)(struct syt_fleet_store *s);
	int (*open)(struct syt_fleet_store *s, bool is_to_read);
	void (*close)(struct syt_fleet_store *s);
	void (*add)(struct syt_fleet_store *s, struct syt_window_file *const *windows, size_t nr,
	            enum syt_store_result *results);
	int (*check)(struct syt_fleet_store *s);
	int (*recover)(
		struct syt_fleet_store *s); /* finishes what a killed program began; or NULL */
	int (*roll)(struct syt_fleet_store *s, const char *day);
	int (*drop)(struct syt_fleet_store *s, const char *day);
	/* The SQLite store that keeps what names the stacks and locks, open as the store, or NULL after a message. */
	struct syt_fleet_store *(*names)(struct syt_fleet_store *s);
	/* Replaces the names of NR stacks or locks; or NULL if names() returns the store itself. */
	int (*rename)(struct syt_fleet_store *s, bool is_lock, const struct syt_store_name *all,
	              size_t nr);
	int (*ask)(struct syt_store_rows *r, const char *sql, const struct syt_store_value *values,
	           size_t nr);
	int (*next)(struct syt_store_rows *r);
	void (*done)(struct syt_store_rows *r);
};

extern const struct syt_store_operations syt_store_sqlite, syt_store_clickhouse;

/* Creates the tables of the store PATH: a file, or clickhouse://HOST:PORT[,HOST:PORT]/DATABASE. Does nothing if they are there.
 * Returns 0, or -1 after a message. */
int syt_fleet_store_create(const char *path);
bool syt_fleet_store_is_clickhouse(const char *path);

/* Open the store PATH, for loading or for queries of a user. JOURNAL is the directory of the batches that are being loaded. The
 * second function permits only the reading of tables, and bounds the time and the memory of a query. Both return 0, or -1 after
 * a message; the caller closes the store in any case. */
int syt_fleet_store_open(struct syt_fleet_store *s, const char *path, const char *journal);
int syt_fleet_store_open_to_read(struct syt_fleet_store *s, const char *path);
void syt_fleet_store_close(struct syt_fleet_store *s);

/* Adds the NR windows, which are in the store for good when the function returns. Stores the result of each in RESULTS. Sorts
 * the facts of the windows. */
void syt_fleet_store_add(struct syt_fleet_store *s, struct syt_window_file *const *windows,
                         size_t nr, enum syt_store_result *results);

/* Checks that each id occurs once and that each fact has its window. Prints the number of windows and facts. Returns 0, 1 if
 * the store is wrong, or -1 after a message. */
int syt_fleet_store_check(struct syt_fleet_store *s);

/* Sums up each DAY (2026-11-24) before BEFORE: one row of windows for each host, service, version and build, and one row of facts for
 * each of their words, locks and stacks. Drops the days before KEEP, and refuses windows of all these days from now on. A killed
 * call changes no sum; the next one continues. Prints the numbers of days. Returns 0, or -1 after a message. */
int syt_fleet_store_roll(struct syt_fleet_store *s, const char *before, const char *keep);

/* The sum of X, an SQL expression of floating-point numbers that are not negative. Each number is split into a multiple of 2^18 and a
 * rest in units of 1/1024, rounded down. The two parts have sums of integers, which do not depend on the order of the rows. */
#define SYT_SQL_HIGH(x) "sum(floor(" x " / 262144))"
#define SYT_SQL_LOW(x) "sum(floor(1024 * (" x " - 262144 * floor(" x " / 262144))))"
#define SYT_SQL_TOTAL(x) "(" SYT_SQL_HIGH(x) " * 262144 + " SYT_SQL_LOW(x) " / 1024.0)"

/* Runs the query SQL. Its parameters ?1, ?2 .. have the NR values. Returns 0, or -1 after a message. */
int syt_store_ask(struct syt_store_rows *r, struct syt_fleet_store *s, const char *sql,
                  const struct syt_store_value *values, size_t nr);
/* Goes to the next row. Returns 1, 0 after the last row, or -1 after a message. */
int syt_store_next(struct syt_store_rows *r);
void syt_store_done(struct syt_store_rows *r);

#endif
