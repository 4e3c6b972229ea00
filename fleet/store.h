/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The store of a fleet in SQLite (doc/fleet.md). Each window is one transaction, and its id is unique, so a window is in
 * the store once or not at all, whenever the loader or the machine stops. One thread at a time may use a store.
 */
#ifndef SYT_FLEET_STORE_H
#define SYT_FLEET_STORE_H

#include <sqlite3.h>
#include <time.h>

#include "fleet/window_file.h"

struct syt_store_statements {
	sqlite3_stmt *window, *dim, *dim_of, *fact, *stack, *lock, *build, *frames, *place;
};

struct syt_fleet_store {
	sqlite3 *db;
	const char *path;
	struct syt_store_statements all;
	time_t deadline; /* of the queries of a store that is open to read */
};

/* Creates the tables in the file PATH. Does nothing if the file is a store already. Returns 0, or -1 after a message. */
int syt_fleet_store_create(const char *path);

/* Open the store in the file PATH, for loading or for queries of a user. The second one permits only the reading of
 * tables, and bounds the time and the memory of a query. Both return 0, or -1 after a message. */
int syt_fleet_store_open(struct syt_fleet_store *s, const char *path);
int syt_fleet_store_open_to_read(struct syt_fleet_store *s, const char *path);
void syt_fleet_store_close(struct syt_fleet_store *s);

enum syt_store_result {
	SYT_STORE_LOADED,
	SYT_STORE_DUPLICATE,
	SYT_STORE_REJECTED, /* the store cannot represent a value */
	SYT_STORE_FAILED    /* after a message: a full disk, for example */
};

/* Adds the window W in one transaction, which is on the disk when the function returns. */
enum syt_store_result syt_fleet_store_add(struct syt_fleet_store *s,
                                          const struct syt_window_file *w);

/* Checks that each id occurs once and that each fact has its window and its words. Prints the number of windows and facts.
 * Returns 0, 1 if the store is wrong, or -1 after a message. */
int syt_fleet_store_check(struct syt_fleet_store *s);

#endif
