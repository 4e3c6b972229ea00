/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Configuration files of both tools: what stands in one is as if it stood on the command line, and
 * weaker.  There is no list of settings: a key is the long name of an option in a verb's argp table, its
 * value goes to the verb's own parser, which says what is wrong with it.
 *
 *	command line > environment > project > user > system
 *
 * A verb calls syt_settings_parse() where it would call argp_parse().  The command line is parsed first;
 * before ARGP_KEY_END the strongest setting of each option that it did not give is handed to the
 * option's parser, the strongest first.  So a parser never sees an option twice because of a file, and
 * of options that exclude each other it can refuse the weaker one (ECANCELED).
 */
#ifndef SYT_SETTINGS_SETTINGS_H
#define SYT_SETTINGS_SETTINGS_H

#include <argp.h>

#include "settings/file.h"

/*
 * Beside the flags of struct argp_option: not in the file of a project, which came with a directory
 * that somebody else may have made.  For each option that writes elsewhere, asks a network, or changes how
 * the traced program runs.
 */
#define SYT_OPTION_NOT_OF_PROJECT 0x10000

#define SYT_SETTINGS_LAYERS 3

/* Of the environment: the only file; empty: none. */
#define SYT_SETTINGS_VARIABLE "SYNTRACE_CONFIG"

/* A variable of the environment that says what an option says. */
struct syt_settings_variable {
	const char *key; /* the option's; or of what has no option, and is only shown */
	const char *name;
	const char *value;    /* what it says when it is set and not empty; NULL: its own value */
	const char *standard; /* of what has no option: what holds without it */
};

struct syt_settings {
	/* Variables in the order of strength; the last one has no key. */
	const struct syt_settings_variable *variables;
	/* The verbs V that have a section [decode V], up to NULL; NULL: that is not known. */
	const char *const *decode_verbs;
	/* filled when options are parsed */
	bool is_open;
	unsigned nr_files;
	struct syt_settings_file files[SYT_SETTINGS_LAYERS];
	struct syt_settings_use *use; /* of syt_settings_parse() */
};

/* The sections that hold for a verb. */
struct syt_settings_verb {
	const char *shared; /* of all verbs, for the options of the outer argp; NULL: none */
	const char *own;    /* the verb's, for all of its options */
};

/*
 * argp_parse(), with settings.  ARGP has at most one child, which has none.  Ends the program, as argp
 * does, when a file or a setting is wrong.  S may be NULL: no files.
 */
void syt_settings_parse(struct syt_settings *s, const struct syt_settings_verb *verb,
                        const struct argp *argp, int argc, char **argv, unsigned flags,
                        void *input);
/* What was parsed may point into S. */
void syt_settings_close(struct syt_settings *s);

/* For a parser: the setting that it is given, NULL when it comes from the command line. */
const struct syt_setting *syt_settings_source(const struct argp_state *state);

enum syt_settings_origin {
	SYT_FROM_DEFAULT,
	SYT_FROM_FILE,
	SYT_FROM_VARIABLE,
	SYT_FROM_COMMAND_LINE,
};

/* What holds, and why. */
struct syt_effective {
	const char *key;
	bool is_shared; /* an option of the outer argp */
	const char *
		value; /* of an option without argument: "yes" or "no"; NULL: the default has no words */
	enum syt_settings_origin origin;
	const struct syt_settings_variable *variable; /* where it is FROM_VARIABLE */
	const struct syt_setting *setting;            /* where it is FROM_FILE */
};

typedef void syt_settings_shown(void *context, const struct syt_effective *e);

/* Tells what holds for the verb whose command line was parsed. */
void syt_settings_show(const struct syt_settings *s, syt_settings_shown *shown, void *context);

/* The same for another verb, whose command line would be empty.  Wrong settings end the program. */
void syt_settings_show_verb(struct syt_settings *s, const struct syt_settings_verb *verb,
                            const struct argp *argp, void *input, void *child_input,
                            syt_settings_shown *shown, void *context);

/* "default", "file", "environment", "command line" */
const char *syt_settings_origin_text(enum syt_settings_origin origin);

#endif
