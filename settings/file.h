/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * One configuration file: `[section]`, `key = value`, comments that begin with ; or #.  What the
 * words mean is settings.c's.
 *
 * A file may be anything: it is opened without waiting, read only when it is a regular one and
 * small, and the user's or the project's only when nobody else can have written it.
 */
#ifndef SYT_SETTINGS_FILE_H
#define SYT_SETTINGS_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* The weakest first. */
enum syt_settings_layer {
	SYT_SETTINGS_SYSTEM,
	SYT_SETTINGS_USER,
	SYT_SETTINGS_PROJECT,
	SYT_SETTINGS_NAMED, /* by SYNTRACE_CONFIG: there are no others then */
};

enum syt_settings_state {
	SYT_SETTINGS_READ,
	SYT_SETTINGS_ABSENT,
	SYT_SETTINGS_REFUSED, /* not read, which is no error */
	SYT_SETTINGS_WRONG,
};

struct syt_settings_file;

struct syt_setting {
	const struct syt_settings_file *file;
	unsigned line;
	char *section, *key, *value;
};

struct syt_settings_file {
	enum syt_settings_layer layer;
	enum syt_settings_state state;
	char *path;
	char *problem; /* "PATH: why" or "PATH:LINE: why", when it is refused or wrong */
	size_t nr;
	struct syt_setting *all; /* in the order of lines */
};

/* PATH becomes the file's. F must stay where it is. */
void syt_settings_file_open(struct syt_settings_file *f, enum syt_settings_layer layer, char *path);
void syt_settings_file_close(struct syt_settings_file *f);

/* "system", "user", "project", "named" */
const char *syt_settings_layer_text(enum syt_settings_layer layer);

#endif
