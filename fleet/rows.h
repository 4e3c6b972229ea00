/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Prints the rows of an answer, as a table or as JSON lines. A row gives its members in the order of the titles. Text comes
 * from uploads: control characters are escaped. */
#ifndef SYT_FLEET_ROWS_H
#define SYT_FLEET_ROWS_H

#include "base/json.h"
#include "base/table.h"

struct syt_fleet_rows {
	struct syt_out *out;
	bool is_json;
	const char *type; /* type of the JSON lines */
	struct syt_json json;
	struct syt_table *table; /* NULL: JSON lines */
};

/* Begins the output of rows of TYPE. TITLES has NR titles, as those of a table (base/table.h). */
void syt_rows_begin(struct syt_fleet_rows *r, struct syt_out *out, bool is_json, const char *type,
                    const char *const *titles, size_t nr);
void syt_rows_end(struct syt_fleet_rows *r);

void syt_row_begin(struct syt_fleet_rows *r);
void syt_row_end(struct syt_fleet_rows *r);
void syt_row_text(struct syt_fleet_rows *r, const char *key, const char *text); /* NULL: no value */
void syt_row_integer(struct syt_fleet_rows *r, const char *key, int64_t v);
void syt_row_number(struct syt_fleet_rows *r, const char *key, double v); /* NAN: no value */
/* A share from 0 to 1, as a percentage in a table. */
void syt_row_share(struct syt_fleet_rows *r, const char *key, double v);
void syt_row_bool(struct syt_fleet_rows *r, const char *key, bool v, const char *word);

#endif
