/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "fleet/sql.h"

#include <stdlib.h>

#include "base/err.h"
#include "fleet/rows.h"

static void put_cell(struct syt_fleet_rows *r, const struct syt_store_cell *c)
{
	switch (c->type) {
	case SYT_CELL_INTEGER:
		syt_row_integer(r, c->name, c->integer);
		return;
	case SYT_CELL_NUMBER:
		syt_row_number(r, c->name, c->number);
		return;
	default:
		syt_row_text(r, c->name, c->type == SYT_CELL_NULL ? NULL : c->text);
	}
}

/* Returns true if each name of a column is a JSON key that needs no escapes. */
static bool has_good_names(const struct syt_store_rows *t)
{
	for (size_t n = 0; n < t->nr; n++)
		for (const unsigned char *p = (const unsigned char *)t->cells[n].name; *p; p++)
			if (*p < 0x20 || *p == '"' || *p == '\\' || *p >= 0x7f)
				return false;
	return true;
}

int syt_fleet_sql(struct syt_fleet_store *s, const char *text, struct syt_out *out, bool is_json)
{
	struct syt_fleet_rows r;
	struct syt_store_rows t;
	const char **titles;
	int status = syt_store_ask(&t, s, text, NULL, 0);

	if (!status && !has_good_names(&t)) {
		syt_warn("give each column a name of printable ASCII characters without quotes: AS "
		         "NAME");
		status = -1;
	}
	if (status) {
		syt_store_done(&t);
		return -1;
	}
	titles = syt_calloc(t.nr, sizeof(*titles));
	for (size_t n = 0; n < t.nr; n++)
		titles[n] = t.cells[n].name;
	syt_rows_begin(&r, out, is_json, "row", titles, t.nr);
	while ((status = syt_store_next(&t)) > 0) {
		syt_row_begin(&r);
		for (size_t n = 0; n < t.nr; n++)
			put_cell(&r, &t.cells[n]);
		syt_row_end(&r);
	}
	syt_rows_end(&r);
	syt_store_done(&t);
	free(titles);
	return status;
}
