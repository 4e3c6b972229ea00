/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* What fleet/names.c and the store in ClickHouse need of a store in SQLite. */
#ifndef SYT_FLEET_STORE_SQLITE_H
#define SYT_FLEET_STORE_SQLITE_H

#include <sqlite3.h>

#include "fleet/store.h"

/* Returns the database of the store, which is in SQLite. */
sqlite3 *syt_store_db(const struct syt_fleet_store *s);

/* Keeps what names the stacks and locks of the NR windows, in one transaction. Returns 0, or -1 after a message. */
int syt_store_keep_names(struct syt_fleet_store *s, const struct syt_window_file *const *windows,
                         size_t nr);

#endif
