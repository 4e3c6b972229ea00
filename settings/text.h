/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Memory and words of the room: both tools use it, so it has neither one's. */
#ifndef SYT_SETTINGS_TEXT_H
#define SYT_SETTINGS_TEXT_H

#include <stddef.h>

/* MEMORY; without any the tool says so and ends as on wrong usage. */
void *syt_settings_need(void *memory);

/* Like asprintf; never NULL. */
char *syt_settings_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* One line on standard error, "TOOL: MESSAGE"; the message may hold bytes of a file: those that are
 * not printable ASCII are escaped. */
void syt_settings_say(const char *tool, const char *message);

/* Remembers which of the names that it is shown is the nearest to WANTED. */
struct syt_nearest_name {
	const char *wanted;
	const char *name; /* NULL: none is near */
	size_t distance;
};

void syt_nearest_try(struct syt_nearest_name *n, const char *name);
/* "; did you mean 'NAME'?", or nothing; to be freed. */
char *syt_nearest_text(const struct syt_nearest_name *n);

#endif
