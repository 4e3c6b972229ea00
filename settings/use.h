/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Computes the values of a verb's options from the command line and all sources of settings. Only settings/
 * uses this header. */
#ifndef SYT_SETTINGS_USE_H
#define SYT_SETTINGS_USE_H

#include "settings/settings.h"

#define SYT_SETTINGS_PARTS 2u /* number of argp tables: the outer argp and its child */

/* An option of an argp and its effective value. */
struct syt_settings_choice {
	struct syt_settings_part *part;
	const struct argp_option *option;
	struct syt_effective effective;
};

/* An argp and its options. */
struct syt_settings_part {
	struct syt_settings_use *use;
	const struct argp *argp;
	void *input;
	struct argp original, wrapped; /* `argp` points to `original` */
	size_t nr;
	struct syt_settings_choice *all;
};

struct syt_settings_use {
	struct syt_settings *settings;
	struct syt_settings_verb verb;
	bool is_settled;
	unsigned nr_parts;
	struct syt_settings_part parts[SYT_SETTINGS_PARTS];
	/* the children of the wrapped outer argp: its own child and syt_help_argp, up to an empty row */
	struct argp_child children[SYT_SETTINGS_PARTS + 1];
};

/* Prepares USE for VERB, whose options are ARGP. The parser of ARGP gets INPUT. S may be NULL. */
void syt_use_open(struct syt_settings_use *use, struct syt_settings *s,
                  const struct syt_settings_verb *verb, const struct argp *argp, void *input);
/* Frees the members of USE, but not USE. */
void syt_use_close(struct syt_settings_use *use);
/* Reads the configuration files and passes the settings to the argp parsers. Later calls do nothing. */
void syt_use_settle(struct syt_settings_use *use);

/* The options --help, -h and --usage of all verbs. */
extern const struct argp syt_help_argp;
/* Ends the program, with a suggestion, if a long option of the command line ARGV is unknown. Leaves all other
 * mistakes to argp_parse(), which gets the same FLAGS. */
void syt_use_check_names(const struct syt_settings_use *use, int argc, char **argv, unsigned flags);

/* Returns the option NAME, or NULL. */
struct syt_settings_choice *syt_use_find(struct syt_settings_use *use, const char *name);
/* Returns the variable of the option KEY that is set, or NULL. */
const struct syt_settings_variable *syt_variable_of(const struct syt_settings *s, const char *key);

#endif
