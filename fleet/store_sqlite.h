/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Gives fleet/names.c, which works on SQLite only, the database of a store. */
#ifndef SYT_FLEET_STORE_SQLITE_H
#define SYT_FLEET_STORE_SQLITE_H

#include <sqlite3.h>

#include "fleet/store.h"

/* Returns the database of the store, or NULL if it is not in SQLite. */
sqlite3 *syt_store_db(const struct syt_fleet_store *s);

#endif
