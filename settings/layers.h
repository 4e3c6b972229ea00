/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Makes the list of configuration files, and checks the names of their sections. */
#ifndef SYT_SETTINGS_LAYERS_H
#define SYT_SETTINGS_LAYERS_H

#include "settings/settings.h"

/* Reads all configuration files at the first call. Ends the program if a file is wrong. */
void syt_settings_open(struct syt_settings *s);

/* Prints MESSAGE, frees it, and ends the program with the exit status of wrong usage. */
void syt_settings_end(char *message) __attribute__((noreturn));
/* Prints the error WHY with the file and the line of the setting X, frees WHY, and ends the program. */
void syt_settings_end_at(const struct syt_setting *x, char *why) __attribute__((noreturn));

#endif
