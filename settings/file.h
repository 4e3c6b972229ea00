/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Reads one configuration file: `[section]`, `key = value`, comments that begin with ; or #. The path may
 * name a FIFO or a device, so open() does not wait. Only a small regular file is read. A user file or a
 * project file is read only if no other user can have written it. */
#ifndef SYT_SETTINGS_FILE_H
#define SYT_SETTINGS_FILE_H

#include <stddef.h>

/* The kinds of configuration files, in increasing order of priority. */
enum syt_settings_layer {
	SYT_SETTINGS_SYSTEM,
	SYT_SETTINGS_USER,
	SYT_SETTINGS_PROJECT,
	SYT_SETTINGS_NAMED, /* the file of SYNTRACE_CONFIG replaces all other files */
};

enum syt_settings_state {
	SYT_SETTINGS_READ,
	SYT_SETTINGS_ABSENT,
	SYT_SETTINGS_REFUSED, /* the file is ignored with a warning */
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
	char *problem; /* message if the file is refused or wrong: "PATH: reason" or "PATH:LINE: reason" */
	size_t nr;
	struct syt_setting *all; /* settings in the order of the lines of the file */
};

/* Reads the file PATH into F. syt_settings_file_close() frees PATH. F must not move, because its settings point to
 * F. */
void syt_settings_file_open(struct syt_settings_file *f, enum syt_settings_layer layer, char *path);
void syt_settings_file_close(struct syt_settings_file *f);

/* Returns "system", "user", "project" or "named". */
const char *syt_settings_layer_text(enum syt_settings_layer layer);

#endif
