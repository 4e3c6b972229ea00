/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Configuration files of both tools. A setting in a file has the effect of an option on the command
 * line, but less precedence. There is no list of settings: a key is the long name of an option in a
 * verb's argp table. The value goes to the verb's own parser, which reports errors in it.
 *
 *	command line > environment > project > user > system
 *
 * A verb calls syt_settings_parse() instead of argp_parse(). This function parses the command line
 * first. Before ARGP_KEY_END it passes the strongest setting of each other option to the option's
 * parser, the strongest first. So a file never passes an option to a parser twice. If options
 * exclude each other, the parser can refuse the weaker option with ECANCELED.
 *
 * All functions are for a single-threaded tool.
 */
#ifndef SYT_SETTINGS_SETTINGS_H
#define SYT_SETTINGS_SETTINGS_H

#include <argp.h>

#include "settings/file.h"

/*
 * A flag beside the flags of struct argp_option: a project file cannot set this option. A project
 * file came with a directory, which another user may have made. Use the flag for each option that
 * writes to other places, contacts a network, or changes how the traced program runs.
 */
#define SYT_OPTION_NOT_OF_PROJECT 0x10000

#define SYT_SETTINGS_LAYERS 3

/* Environment variable that names the only configuration file. Empty: no file. */
#define SYT_SETTINGS_VARIABLE "SYNTRACE_CONFIG"

/* An environment variable with the meaning of an option. */
struct syt_settings_variable {
	const char *key; /* key of the option; a variable without an option is only shown */
	const char *name;
	/* the value of a non-empty variable; NULL: the variable's own value */
	const char *value;
	const char *standard; /* for a variable without an option: the default */
};

struct syt_settings {
	/* The variables, the strongest first. The last has no key. */
	const struct syt_settings_variable *variables;
	/* The verbs that may have a section [decode VERB], up to NULL. NULL if they are unknown. */
	const char *const *decode_verbs;
	/* set when options are parsed */
	bool is_open;
	unsigned nr_files;
	struct syt_settings_file files[SYT_SETTINGS_LAYERS];
	struct syt_settings_use *use; /* of syt_settings_parse() */
};

/* The sections that apply to a verb. */
struct syt_settings_verb {
	const char *shared; /* section of all verbs, for the options of the outer argp; or NULL */
	const char *own;    /* section of the verb, for all of its options */
};

/*
 * Parses the command line like argp_parse() and applies the settings. ARGP has at most one child,
 * which has no child. Ends the program, as argp does, if a file or a setting is wrong. If S is
 * NULL, no file is read.
 */
void syt_settings_parse(struct syt_settings *s, const struct syt_settings_verb *verb,
                        const struct argp *argp, int argc, char **argv, unsigned flags,
                        void *input);
/* Frees S. The results of the parse may point into S. */
void syt_settings_close(struct syt_settings *s);

/* For a parser: returns the setting that is being parsed, or NULL for an option of the command
 * line. */
const struct syt_setting *syt_settings_source(const struct argp_state *state);

enum syt_settings_origin {
	SYT_FROM_DEFAULT,
	SYT_FROM_FILE,
	SYT_FROM_VARIABLE,
	SYT_FROM_COMMAND_LINE,
};

/* The effective value of an option, and its source. */
struct syt_effective {
	const char *key;
	bool is_shared; /* an option of the outer argp */
	const char *
		/* "yes" or "no" for an option without argument; NULL if the help does not name the
		 * default */
		value;
	enum syt_settings_origin origin;
	const struct syt_settings_variable *variable; /* set for SYT_FROM_VARIABLE */
	const struct syt_setting *setting;            /* set for SYT_FROM_FILE */
};

typedef void syt_settings_shown(void *context, const struct syt_effective *e);

/* Calls SHOWN for each option of the verb whose command line was parsed. */
void syt_settings_show(const struct syt_settings *s, syt_settings_shown *shown, void *context);

/* Same for another verb with an empty command line. Ends the program if a setting is wrong. */
void syt_settings_show_verb(struct syt_settings *s, const struct syt_settings_verb *verb,
                            const struct argp *argp, void *input, void *child_input,
                            syt_settings_shown *shown, void *context);

/* Returns "default", "file", "environment" or "command line". */
const char *syt_settings_origin_text(enum syt_settings_origin origin);

#endif
