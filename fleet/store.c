/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "fleet/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

#define CLICKHOUSE "clickhouse://"

bool syt_fleet_store_is_clickhouse(const char *path)
{
	return !strncmp(path, CLICKHOUSE, strlen(CLICKHOUSE));
}

static void choose(struct syt_fleet_store *s, const char *path, const char *journal)
{
	*s = (struct syt_fleet_store){.path = path, .journal = journal};
	s->all = syt_fleet_store_is_clickhouse(path) ? &syt_store_clickhouse : &syt_store_sqlite;
}

int syt_fleet_store_create(const char *path)
{
	struct syt_fleet_store s;
	int status;

	choose(&s, path, NULL);
	status = s.all->create(&s);
	syt_fleet_store_close(&s);
	return status;
}

int syt_fleet_store_open(struct syt_fleet_store *s, const char *path, const char *journal)
{
	choose(s, path, journal);
	return s->all->open(s, false);
}

int syt_fleet_store_open_to_read(struct syt_fleet_store *s, const char *path)
{
	choose(s, path, NULL);
	return s->all->open(s, true);
}

void syt_fleet_store_close(struct syt_fleet_store *s)
{
	if (s->own)
		s->all->close(s);
	s->own = NULL;
}

void syt_fleet_store_add(struct syt_fleet_store *s, struct syt_window_file *const *windows,
                         size_t nr, enum syt_store_result *results)
{
	s->all->add(s, windows, nr, results);
}

int syt_fleet_store_check(struct syt_fleet_store *s)
{
	return s->all->check(s);
}

/* ---- summing up days ---- */

struct days {
	size_t nr, room;
	char **all; /* sorted */
};

static int compare_days(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool has_day(const struct days *d, const char *day)
{
	return d->nr && bsearch(&day, d->all, d->nr, sizeof(*d->all), compare_days);
}

static void free_days(struct days *d)
{
	for (size_t n = 0; n < d->nr; n++)
		free(d->all[n]);
	free(d->all);
}

/* Reads the days that SQL selects. */
static int read_days(struct days *d, struct syt_fleet_store *s, const char *sql, const char *before)
{
	struct syt_store_value value = {before, 0};
	struct syt_store_rows t;
	int status = syt_store_ask(&t, s, sql, &value, 1);

	while (!status && (status = syt_store_next(&t)) > 0) {
		/* a server may answer anything, and a day becomes part of an SQL text */
		if (strlen(t.cells[0].text) == 10 && strspn(t.cells[0].text, "0123456789-") == 10)
			*SYT_ADD(d->all, d->nr, d->room) = syt_asprintf("%s", t.cells[0].text);
		status = 0;
	}
	syt_store_done(&t);
	if (d->nr)
		qsort(d->all, d->nr, sizeof(*d->all), compare_days);
	return status;
}

int syt_fleet_store_roll(struct syt_fleet_store *s, const char *before, const char *keep)
{
	struct days days = {0}, rolled = {0};
	size_t nr_rolled = 0, nr_dropped = 0;
	int status = s->all->recover ? s->all->recover(s) : 0;

	if (!status)
		status = read_days(&days, s, "SELECT DISTINCT day FROM windows WHERE day < ?1", before);
	if (!status)
		status = read_days(&rolled, s, "SELECT DISTINCT day FROM rolled WHERE day < ?1",
		                   before);
	for (size_t n = 0; n < days.nr && !status; n++)
		if (strcmp(days.all[n], keep) < 0) {
			status = s->all->drop(s, days.all[n]);
			nr_dropped += !status;
		} else if (!has_day(&rolled, days.all[n])) {
			status = s->all->roll(s, days.all[n]);
			nr_rolled += !status;
		}
	free_days(&days);
	free_days(&rolled);
	if (!status)
		printf("{\"v\":1,\"type\":\"roll\",\"rolled\":%zu,\"dropped\":%zu}\n", nr_rolled,
		       nr_dropped);
	return status;
}

int syt_store_ask(struct syt_store_rows *r, struct syt_fleet_store *s, const char *sql,
                  const struct syt_store_value *values, size_t nr)
{
	*r = (struct syt_store_rows){.store = s};
	return s->all->ask(r, sql, values, nr);
}

int syt_store_next(struct syt_store_rows *r)
{
	return r->store->all->next(r);
}

void syt_store_done(struct syt_store_rows *r)
{
	if (r->own)
		r->store->all->done(r);
	free(r->cells);
	r->own = NULL;
	r->cells = NULL;
}
