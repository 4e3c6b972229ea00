/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Suggests a known name for an unknown name. */
#ifndef SYT_SETTINGS_NEAREST_H
#define SYT_SETTINGS_NEAREST_H

#include <stddef.h>

/* The known name that is most similar to WANTED. */
struct syt_nearest_name {
	const char *wanted;
	const char *name; /* NULL if no name is similar */
	size_t distance;
};

/* Stores NAME in N if NAME is more similar to N->wanted than all names tried before. NAME must live as long
 * as N. */
void syt_nearest_try(struct syt_nearest_name *n, const char *name);
/* Returns "; did you mean 'NAME'?" or "". The caller frees the text. */
char *syt_nearest_text(const struct syt_nearest_name *n);

#endif
