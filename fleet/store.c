/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "fleet/store.h"

#include <stdlib.h>
#include <string.h>

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
