/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "tool/options.h"

#include <stdlib.h>

#include "base/err.h"

/* Environment variables of the recorder.  They override configuration files. */
static const struct syt_settings_variable variables[] = {
	{"stream", "SYNTRACE_MODE", NULL, NULL},
	{"ring", "SYNTRACE_RING", NULL, NULL},
	{"max-size", "SYNTRACE_MAX_SIZE", NULL, NULL},
	{NULL, NULL, NULL, NULL},
};

/* Kept until the tool ends, because options point into it. */
static struct syt_settings settings = {.variables = variables};

void syt_options_parse(const char *verb, const struct argp *argp, int argc, char **argv,
                       unsigned flags, int usage, void *options)
{
	const struct syt_settings_verb sections = {.own = verb};

	argv[0] = syt_asprintf("syntrace %s", verb);
	argp_err_exit_status = usage;
	syt_settings_parse(&settings, &sections, argp, argc, argv, flags, options);
}

void syt_options_show(const char *name, const struct syt_launcher_verb *verb,
                      syt_settings_shown *shown, void *context)
{
	const struct syt_settings_verb sections = {.own = name};
	void *options = syt_calloc(1, verb->options_bytes);

	syt_settings_show_verb(&settings, &sections, verb->argp, options, NULL, shown, context);
	if (verb->fini)
		verb->fini(options);
	free(options);
}
