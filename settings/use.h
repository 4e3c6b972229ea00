/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The effective settings of a verb. For the files of this directory only. */
#ifndef SYT_SETTINGS_USE_H
#define SYT_SETTINGS_USE_H

#include "settings/settings.h"

#define SYT_SETTINGS_PARTS 2u /* the outer argp and its child */

/* An argp and the effective value of each of its options. */
struct syt_settings_part {
	struct syt_settings_use *use;
	const struct argp *argp;
	void *input;
	struct argp original, wrapped; /* argp points to the original */
	size_t nr;
	struct syt_effective *all; /* all[i]: argp->options[i] */
};

struct syt_settings_use {
	struct syt_settings *settings;
	struct syt_settings_verb verb;
	bool is_settled;
	unsigned nr_parts;
	struct syt_settings_part parts[SYT_SETTINGS_PARTS];
	struct argp_child children[SYT_SETTINGS_PARTS]; /* child of the wrapped outer argp */
};

/* Prepares USE for the verb with the options of ARGP. INPUT is the input of ARGP's parser. S may be
 * NULL. */
void syt_use_open(struct syt_settings_use *use, struct syt_settings *s,
                  const struct syt_settings_verb *verb, const struct argp *argp, void *input);
/* Frees the values. USE itself belongs to the caller. */
void syt_use_close(struct syt_settings_use *use);
/* Reads the files, if they have not been read, and passes the settings to the parsers. Does so only
 * once. */
void syt_use_settle(struct syt_settings_use *use);

/* Finds the option NAME and sets *PART and *I to its argp and its index. Returns false if there is
 * none. */
bool syt_use_find(struct syt_settings_use *use, const char *name, struct syt_settings_part **part,
                  size_t *i);
/* Returns true if O is an option, and neither documentation nor an alias. */
bool syt_is_option(const struct argp_option *o);
/* Returns the variable of the option KEY that is set, or NULL. */
const struct syt_settings_variable *syt_variable_of(const struct syt_settings *s, const char *key);

#endif
