/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "fleet/rows.h"

#include <inttypes.h>
#include <math.h>

void syt_rows_begin(struct syt_fleet_rows *r, struct syt_out *out, bool is_json, const char *type,
                    const char *const *titles, size_t nr)
{
	*r = (struct syt_fleet_rows){
		.out = out, .is_json = is_json, .type = type, .json = {.out = out}};
	if (is_json)
		return;
	r->table = syt_table_create(titles[0], NULL);
	for (size_t n = 1; n < nr; n++)
		syt_table_column(r->table, titles[n]);
}

void syt_rows_end(struct syt_fleet_rows *r)
{
	if (r->table)
		syt_table_end(r->table, r->out);
}

void syt_row_begin(struct syt_fleet_rows *r)
{
	if (r->table)
		syt_table_row(r->table);
	else
		syt_json_begin_line(&r->json, r->type);
}

void syt_row_end(struct syt_fleet_rows *r)
{
	if (!r->table)
		syt_json_end_line(&r->json);
}

void syt_row_text(struct syt_fleet_rows *r, const char *key, const char *text)
{
	if (r->table)
		syt_table_cell(r->table, "%s", text ? text : "");
	else
		syt_json_string(&r->json, key, text);
}

void syt_row_integer(struct syt_fleet_rows *r, const char *key, int64_t v)
{
	if (r->table)
		syt_table_cell(r->table, "%" PRId64, v);
	else
		syt_json_i64(&r->json, key, v);
}

void syt_row_number(struct syt_fleet_rows *r, const char *key, double v)
{
	if (r->table) {
		if (isfinite(v))
			syt_table_cell(r->table, "%.4g", v);
		else
			syt_table_cell(r->table, "%s", "");
	} else if (isfinite(v)) {
		syt_json_key(&r->json, key);
		syt_out_printf(r->out, "%.17g", v);
	} else {
		syt_json_null(&r->json, key);
	}
}

void syt_row_share(struct syt_fleet_rows *r, const char *key, double v)
{
	if (r->table && isfinite(v))
		syt_table_cell(r->table, "%.3g %%", v * 100);
	else
		syt_row_number(r, key, v);
}

void syt_row_bool(struct syt_fleet_rows *r, const char *key, bool v, const char *word)
{
	if (r->table)
		syt_table_cell(r->table, "%s", v ? word : "");
	else
		syt_json_bool(&r->json, key, v);
}
