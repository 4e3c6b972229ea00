/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Reads the configuration files of syntrace and syntrace-decode. A setting in a file has the effect of an
 * option on the command line, with lower priority. The key is the long name of an option in the argp table
 * of a verb. The argp parser of the verb checks the value.
 *
 *  command line > environment > project > user > system
 *
 * A verb calls syt_settings_parse() instead of argp_parse(). syt_settings_parse() parses the command line
 * first. Before ARGP_KEY_END it passes the settings of all other options to the parser, in the order of
 * priority. Each option reaches the parser only once. If two options exclude each other, the parser refuses
 * the second option with ECANCELED.
 *
 * All functions are for a single-threaded tool.
 */
#ifndef SYT_SETTINGS_SETTINGS_H
#define SYT_SETTINGS_SETTINGS_H

#include <argp.h>
#include <stdbool.h>

#include "settings/file.h"

/* A flag of struct argp_option: a project file cannot set this option, because another user may have made the
 * project directory. Options that write files, contact a network or change how the traced program runs have this
 * flag. */
#define SYT_OPTION_NOT_OF_PROJECT 0x10000

#define SYT_SETTINGS_LAYERS 3

/* The environment variable that names the only configuration file. An empty value means no file. */
#define SYT_SETTINGS_VARIABLE "SYNTRACE_CONFIG"

/* An environment variable with the meaning of an option. */
struct syt_settings_variable {
	const char *key; /* key of the option; a variable without an option is only printed */
	const char *name;
	/* value of the option if the variable is not empty; NULL: the option gets the value of the variable */
	const char *value;
	const char *standard; /* the default value of a variable without an option */
};

struct syt_settings {
	/* the variables in the order of priority; the last row has no key */
	const struct syt_settings_variable *variables;
	/* the verbs that may have a section [decode VERB], up to NULL; NULL: any verb */
	const char *const *decode_verbs;
	/* syt_settings_parse() sets the following members. */
	bool is_open;
	unsigned nr_files;
	struct syt_settings_file files[SYT_SETTINGS_LAYERS];
	struct syt_settings_use *use; /* values of the options after syt_settings_parse() */
};

/* The sections of configuration files that apply to a verb. */
struct syt_settings_verb {
	const char *shared; /* name of the section for options that all verbs share; may be NULL */
	const char *own;    /* name of the section for all options of this verb */
};

/* Parses the command line like argp_parse() and applies the settings. ARGP has at most one child, and the child has
 * no child. Ends the program if a file or a setting is wrong. Reads no file if S is NULL. */
void syt_settings_parse(struct syt_settings *s, const struct syt_settings_verb *verb,
                        const struct argp *argp, int argc, char **argv, unsigned flags,
                        void *input);
/* Frees the contents of S. Option values that syt_settings_parse() has stored may point to these contents. */
void syt_settings_close(struct syt_settings *s);

/* Returns the setting that an argp parser is parsing, or NULL for an option of the command line. */
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
	bool is_shared; /* the option belongs to the outer argp, which all verbs share */
	/* value as text; "yes" or "no" for an option without argument; NULL: unknown */
	const char *value;
	enum syt_settings_origin origin;
	const struct syt_settings_variable *variable; /* set for SYT_FROM_VARIABLE */
	const struct syt_setting *setting;            /* set for SYT_FROM_FILE */
};

typedef void syt_settings_shown(void *context, const struct syt_effective *e);

/* Calls SHOWN for each option of the verb whose command line was parsed. */
void syt_settings_show(const struct syt_settings *s, syt_settings_shown *shown, void *context);

/* Calls SHOWN for each option of VERB with an empty command line. Ends the program if a setting is wrong. */
void syt_settings_show_verb(struct syt_settings *s, const struct syt_settings_verb *verb,
                            const struct argp *argp, void *input, void *child_input,
                            syt_settings_shown *shown, void *context);

/* Returns "default", "file", "environment" or "command line". */
const char *syt_settings_origin_text(enum syt_settings_origin origin);

#endif
