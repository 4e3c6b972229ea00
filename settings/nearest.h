/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The name that was meant, of those that there are. */
#ifndef SYT_SETTINGS_NEAREST_H
#define SYT_SETTINGS_NEAREST_H

#include <stddef.h>

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
