/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Prints the answer to an SQL query of a user. */
#ifndef SYT_FLEET_SQL_H
#define SYT_FLEET_SQL_H

#include "base/out.h"
#include "fleet/store.h"

/* Runs TEXT, one SELECT, on the store S, which is opened to read. Returns 0, or -1 after a message. */
int syt_fleet_sql(struct syt_fleet_store *s, const char *text, struct syt_out *out, bool is_json);

#endif
