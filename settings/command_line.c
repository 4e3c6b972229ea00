/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The help options of all verbs, and messages about misspelt options. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "settings/nearest.h"
#include "settings/use.h"

#define KEY_USAGE 0x0fff

/* argp's own help has no -h. The option -? stays for scripts. */
static const struct argp_option help_rows[] = {
	{"help", 'h', NULL, 0, "print this text", -1},
	{NULL, '?', NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, -1},
	{"usage", KEY_USAGE, NULL, 0, "print a shorter text", -1},
	{NULL, 0, NULL, 0, NULL, 0},
};

static error_t parse_help(int key, char *argument, struct argp_state *state)
{
	(void)argument;
	if (key != 'h' && key != '?' && key != KEY_USAGE)
		return ARGP_ERR_UNKNOWN;
	argp_state_help(state, state->out_stream,
	                key == KEY_USAGE ? ARGP_HELP_USAGE | ARGP_HELP_EXIT_OK
	                                 : ARGP_HELP_STD_HELP);
	return 0;
}

const struct argp syt_help_argp = {.options = help_rows, .parser = parse_help};

/* The search for the long option NAME, which may be abbreviated. */
struct search {
	const char *name;
	size_t bytes;
	const struct argp_option *found;
	struct syt_nearest_name nearest;
};

static void try(struct search *s, const struct argp_option *o)
{
	if (!o->name)
		return;
	syt_nearest_try(&s->nearest, o->name);
	if (!strncmp(o->name, s->name, s->bytes) && (!s->found || !o->name[s->bytes]))
		s->found = o;
}

static bool needs_argument(const struct argp_option *o)
{
	return o->arg && !(o->flags & OPTION_ARG_OPTIONAL);
}

/* Returns true if the long option WORD needs its argument in the next word. Ends the program if no option has this
 * name. */
static bool check_long(const struct syt_settings_use *use, const char *word, const char *program)
{
	size_t bytes = strcspn(word + 2, "=");
	char *name = syt_strndup(word + 2, bytes);
	struct search s = {.name = name, .bytes = bytes, .nearest = {.wanted = name}};

	for (unsigned n = 0; n < use->nr_parts; n++)
		for (size_t i = 0; i < use->parts[n].nr; i++)
			try(&s, use->parts[n].all[i].option);
	try(&s, &help_rows[0]);
	try(&s, &help_rows[2]);
	if (!s.found)
		syt_die(argp_err_exit_status,
		        "unknown option '--%s'%s%s%s; '%s --help' lists the options", name,
		        s.nearest.name ? "; did you mean '--" : "",
		        s.nearest.name ? s.nearest.name : "", s.nearest.name ? "'?" : "", program);
	free(name);
	return needs_argument(s.found) && !word[2 + bytes];
}

/* Returns true if the word with the short options LETTERS ends with an option that needs the next word. */
static bool check_short(const struct syt_settings_use *use, const char *letters)
{
	for (; *letters; letters++)
		for (unsigned n = 0; n < use->nr_parts; n++)
			for (size_t i = 0; i < use->parts[n].nr; i++) {
				const struct argp_option *o = use->parts[n].all[i].option;

				if (o->key == *letters && o->arg)
					return needs_argument(o) && !letters[1];
			}
	return false;
}

void syt_use_check_names(const struct syt_settings_use *use, int argc, char **argv, unsigned flags)
{
	for (int n = 1; n < argc; n++) {
		if (argv[n][0] != '-' || !argv[n][1]) {
			if (flags & ARGP_IN_ORDER)
				return;
		} else if (argv[n][1] != '-') {
			n += check_short(use, argv[n] + 1);
		} else if (!argv[n][2]) {
			return;
		} else {
			n += check_long(use, argv[n], argv[0]);
		}
	}
}
