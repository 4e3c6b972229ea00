/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The weighted sums of a query by group and host. A group has two keys: its part (the dimensions of windows, such as
 * the version) and its subject (a lock or a call path, and the dimensions of facts). The hosts of a part are all hosts
 * with a window there, also those without a fact of the subject.
 *
 * The SQL texts run on both kinds of store. A sum is a sum of integers (SYT_SQL_HIGH), so it depends neither on the order of the rows nor on
 * the store.
 */
#ifndef SYT_FLEET_SUMS_H
#define SYT_FLEET_SUMS_H

#include "fleet/selection.h"
#include "fleet/statistics.h"
#include "fleet/store.h"

/* The two columns of the sum of X, an SQL expression of a floating-point number that is not negative. */
#define SYT_SQL_SUM(x) SYT_SQL_HIGH(x) ", " SYT_SQL_LOW(x)

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

/* The names of stacks and locks beside the columns of the view profile. */
#define SYT_SUMS_PATH "stack_path"
#define SYT_SUMS_LOCK_NAMES "lock_name,lock_kind"

/* Sums the facts that Q selects and for which CONDITION, an SQL expression, is true. SUBJECT has the columns of the subject, joined
 * by commas: those of the view profile, and the names above. PART has the names of dimensions of windows, or is NULL. Returns 0, or
 * -1 after a message. */
int syt_sums_open(struct syt_sums *u, struct syt_fleet_store *s, const struct syt_fleet_query *q,
                  const char *part, const char *subject, const char *condition);
void syt_sums_close(struct syt_sums *u);

/* Returns the ratio of the group's sum and the lifetimes of the threads of its hosts. */
struct syt_ratio syt_sums_ratio(const struct syt_sums *u, const struct syt_sums_group *g);

/* Compares two groups by their subjects, for sorting. */
int syt_sums_by_subject(const void *a, const void *b);

/* Asks for the facts that Q selects and for which CONDITION is true, summed by the columns KEYS, which are joined by commas. A row has
 * the keys and the sums of weighted time, waits and time (syt_sums_number()). IS_OF_WINDOWS leaves out the conditions of Q on
 * facts. Returns 0, or -1 after a message. */
int syt_sums_ask_facts(struct syt_store_rows *t, struct syt_fleet_store *s,
                       const struct syt_fleet_query *q, const char *keys, const char *condition,
                       bool is_of_windows);
/* Asks the SQL text BEGIN, which ends with WHERE or AND, the conditions of Q on windows, and END. The rows have NR_COLUMNS. */
int syt_sums_ask_windows(struct syt_store_rows *t, struct syt_fleet_store *s,
                         const struct syt_fleet_query *q, const char *begin, const char *end,
                         size_t nr_columns);
/* Returns the sum whose two columns begin at AT. */
double syt_sums_number(const struct syt_store_rows *t, size_t at);
/* Returns the text of a cell. The caller frees it. */
char *syt_sums_text(const struct syt_store_rows *t, size_t at);

#endif
