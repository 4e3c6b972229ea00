/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The weighted sums of a query by group and host. A group has two keys: its part (the dimensions of windows, such as
 * the version) and its subject (a lock or a call path, and the dimensions of facts). The hosts of a part are all hosts
 * with a window there, also those without a fact of the subject.
 */
#ifndef SYT_FLEET_SUMS_H
#define SYT_FLEET_SUMS_H

#include "fleet/selection.h"
#include "fleet/statistics.h"
#include "fleet/store.h"

struct syt_sums_host {
	char *part, *host;
	double x; /* weighted lifetimes of threads */
};

struct syt_sums_group {
	char *part, *subject;   /* the values of the keys, joined by SYT_SUMS_SEPARATOR */
	size_t first, nr_hosts; /* the hosts of its part */
	double *z;              /* [host of its part] */
	double sum, n, ns;      /* sum of z; waits; their time without weights */
};

struct syt_sums {
	size_t nr_hosts, room_hosts;
	struct syt_sums_host *hosts; /* sorted by part, then by host */
	size_t nr, room;
	struct syt_sums_group *all; /* the largest sum first */
};

#define SYT_SUMS_SEPARATOR '\x1f'

/* Sums the facts that Q selects and for which CONDITION, an SQL expression, is true. SUBJECT is the SQL text of the subject. PART
 * has the names of dimensions of windows, joined by commas, or NULL. Returns 0, or -1 after a message. */
int syt_sums_open(struct syt_sums *u, struct syt_fleet_store *s, const struct syt_fleet_query *q,
                  const char *part, const char *subject, const char *condition);
void syt_sums_close(struct syt_sums *u);

/* Returns the ratio of the group's sum and the lifetimes of the threads of its hosts. */
struct syt_ratio syt_sums_ratio(const struct syt_sums *u, const struct syt_sums_group *g);

/* Compares two groups by their subjects, for sorting. */
int syt_sums_by_subject(const void *a, const void *b);

/* Prepares the SQL text BEGIN, which ends with WHERE or AND, the conditions of Q, and END, and binds the values of Q.
 * IS_OF_WINDOWS leaves out the conditions on facts. Returns NULL after a message. */
sqlite3_stmt *syt_sums_prepare(struct syt_fleet_store *s, const struct syt_fleet_query *q,
                               const char *begin, bool is_of_windows, const char *end);

#endif
