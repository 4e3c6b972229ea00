/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Which files there are, and which sections. */
#ifndef SYT_SETTINGS_LAYERS_H
#define SYT_SETTINGS_LAYERS_H

#include "settings/settings.h"

/* Reads all files, the weakest first, unless that has been done. Ends the program when one is wrong. */
void syt_settings_open(struct syt_settings *s);

/* Says what is wrong, and ends the program as on wrong usage.  MESSAGE and WHY are freed. */
void syt_settings_end(char *message) __attribute__((noreturn));
/* The same of a line in a file. */
void syt_settings_end_at(const struct syt_setting *x, char *why) __attribute__((noreturn));

#endif
