/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The part of a fleet that a query selects: conditions on dimensions, and a period. The dimensions are columns of the view profile
 * (doc/fleet.md); those of windows are day, host, service, version and build. */
#ifndef SYT_FLEET_SELECTION_H
#define SYT_FLEET_SELECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYT_QUERY_DIMENSIONS                                                                       \
	"day, host, service, version, build, event, what, class, reason, charged, call"
#define SYT_QUERY_WHERES 16u
/* numbers of the SQL parameters with the two versions, behind two times and the conditions */
#define SYT_QUERY_AGAINST (SYT_QUERY_WHERES + 3)
#define SYT_QUERY_VERSION (SYT_QUERY_WHERES + 4)

struct syt_fleet_query {
	const char *question; /* locks, waits, lines, versions, hosts, stability, health */
	const char *by;       /* dimensions, joined by commas; or NULL */
	unsigned nr_wheres;   /* number of conditions KEY=VALUE */
	const char
		*keys[SYT_QUERY_WHERES]; /* one of the dimensions, checked by syt_query_where() */
	const char *values[SYT_QUERY_WHERES];
	int64_t from,
		to; /* times of the day in ns; to: INT64_MAX without one, after syt_query_finish() */
	uint64_t limit;                /* 0: no limit */
	const char *against, *version; /* of the question versions */
	/* Of source lines: the directory of fleet/symbols.h, and the journal of the loader of a ClickHouse store; or NULL. The program
	 * sets them, not the user of a server. */
	const char *symbols, *journal;
	bool is_json;
};

/* Sets OPTION (by, where, service, from, to, limit, against, version: an option of the verb query) to VALUE, which Q keeps.
 * Returns NULL, or what is wrong: a text that follows the name of the option. */
const char *syt_query_set(struct syt_fleet_query *q, const char *option, const char *value);
/* Checks that the options suit the question, after the last of them. Returns NULL, or what is wrong. */
const char *syt_query_finish(struct syt_fleet_query *q);

/* Returns the dimension with the name of BYTES bytes at TEXT, or NULL. */
const char *syt_query_dimension(const char *text, size_t bytes);
/* Returns true if KEY is a dimension of windows (otherwise it is one of facts). */
bool syt_query_is_of_window(const char *key);
/* Returns the SQL condition of the waits of an answer. Idle waits delay no work, so only a user who names a class gets them. */
const char *syt_query_waits(const struct syt_fleet_query *q);

#endif
