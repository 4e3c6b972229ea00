/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "settings/nearest.h"

#include <stdint.h>
#include <string.h>

#include "base/err.h"

#define NAME_BYTES 64u /* a name of this length or more counts as similar to no name */

/* Returns the number of characters that must be inserted, deleted or replaced to turn A into B. */
static size_t distance(const char *a, const char *b)
{
	size_t nr_a = strlen(a), nr_b = strlen(b), row[NAME_BYTES + 1];

	if (nr_a > NAME_BYTES || nr_b > NAME_BYTES)
		return SIZE_MAX;
	for (size_t i = 0; i <= nr_b; i++)
		row[i] = i;
	for (size_t i = 1; i <= nr_a; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t k = 1; k <= nr_b; k++) {
			size_t best = diagonal + (a[i - 1] != b[k - 1]);

			diagonal = row[k];
			if (row[k] + 1 < best)
				best = row[k] + 1;
			if (row[k - 1] + 1 < best)
				best = row[k - 1] + 1;
			row[k] = best;
		}
	}
	return row[nr_b];
}

void syt_nearest_try(struct syt_nearest_name *n, const char *name)
{
	size_t d = distance(n->wanted, name);

	/* For a suggestion, at most half of the characters may differ. */
	if (d > strlen(name) / 2 || (n->name && d >= n->distance))
		return;
	n->name = name;
	n->distance = d;
}

char *syt_nearest_text(const struct syt_nearest_name *n)
{
	return n->name ? syt_asprintf("; did you mean '%s'?", n->name) : syt_asprintf("%s", "");
}
