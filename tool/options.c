/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "tool/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

/* Environment variables of the recorder that override configuration files. */
static const struct syt_settings_variable variables[] = {
	{"stream", "SYNTRACE_MODE", NULL, NULL},
	{"ring", "SYNTRACE_RING", NULL, NULL},
	{"max-size", "SYNTRACE_MAX_SIZE", NULL, NULL},
	{NULL, NULL, NULL, NULL},
};

/* The settings are never freed, because options point to their texts. */
static struct syt_settings settings = {.variables = variables};

static void *create(const struct syt_launcher_verb *verb)
{
	void *options = syt_calloc(1, verb->options_bytes);

	return verb->defaults ? memcpy(options, verb->defaults, verb->options_bytes) : options;
}

static void destroy(const struct syt_launcher_verb *verb, void *options)
{
	if (verb->fini)
		verb->fini(options);
	free(options);
}

int syt_verb_run(const struct syt_verb_row *row, int argc, char **argv)
{
	const struct syt_launcher_verb *verb = row->verb;
	const struct syt_settings_verb sections = {.own = row->name};
	void *options = create(verb);

	argv[0] = syt_asprintf("syntrace %s", row->name);
	argp_err_exit_status = verb->usage;
	syt_settings_parse(&settings, &sections, verb->argp, argc, argv, verb->argp_flags, options);
	int status = verb->run(options);

	destroy(verb, options);
	return status;
}

void syt_options_show(const struct syt_verb_row *row, syt_settings_shown *shown, void *context)
{
	const struct syt_settings_verb sections = {.own = row->name};
	void *options = create(row->verb);

	syt_settings_show_verb(&settings, &sections, row->verb->argp, options, NULL, shown,
	                       context);
	destroy(row->verb, options);
}

bool syt_parse_size(const char *text, uint64_t *bytes)
{
	static const char units[] = "KMGT";
	char *end;

	errno = 0;
	*bytes = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || errno)
		return false;
	if (!*end)
		return true;
	const char *unit = memchr(units, *end & ~0x20, 4);
	unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;

	if (!unit || end[1] || *bytes > UINT64_MAX >> shift)
		return false;
	*bytes <<= shift;
	return true;
}

bool syt_parse_number(const char *text, double least, double most, double *number)
{
	char *end;

	*number = strtod(text, &end);
	return end != text && !*end && *number >= least && *number <= most;
}

bool syt_parse_count(const char *text, unsigned long most, unsigned long *count)
{
	char *end;

	*count = strtoul(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && *count && *count <= most;
}

bool syt_parse_format(const struct argp_state *state, const char *text)
{
	bool is_jsonl = !strcmp(text, "jsonl");

	if (!is_jsonl && strcmp(text, "text"))
		argp_error(state, "unknown format '%s': use text or jsonl", text);
	return is_jsonl;
}
