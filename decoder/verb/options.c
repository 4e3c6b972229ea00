/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/verb/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/read/number.h"
#include "decoder/base/work.h"

#define MEMORY_MIN (UINT64_C(1) << 20)

enum {
	KEY_COLOR = 0x1000,
	KEY_NO_PAGER,
	KEY_FAIL_ON_LOSS,
	KEY_DEBUGINFOD,
	KEY_PROBLEMS,
	KEY_MEMORY
};

static const struct argp_option shared_options[] = {
	{"format", 'f', "FORMAT", 0, NULL, 90},
	{"fail-on-loss", KEY_FAIL_ON_LOSS, NULL, 0,
         "exit with status 3 when events were lost, overwritten or damaged", 90},
	{"problems", KEY_PROBLEMS, "N", 0, "tell at most N problems per dump (default 10)", 90},
	{"debuginfod", KEY_DEBUGINFOD, NULL, 0,
         "let elfutils ask the servers of DEBUGINFOD_URLS for missing debug information", 90},
	{"jobs", 'j', "N", 0, "work with N threads (default: one per processor)", 90},
	{"memory", KEY_MEMORY, "SIZE", 0,
         "keep about SIZE bytes in memory, e.g. 512M or 2G, and what goes beyond in temporary "
         "files "
         "in TMPDIR (default: a quarter of the machine's memory, at most 768M)",
         90},
	{"color", KEY_COLOR, "WHEN", OPTION_ARG_OPTIONAL,
         "auto (default: on a terminal, unless NO_COLOR is set), always or never", 90},
	{"no-pager", KEY_NO_PAGER, NULL, 0,
         "do not show output on a terminal through SYNTRACE_PAGER, PAGER or less", 90},
	{NULL, 0, NULL, 0, NULL, 0},
};

static const char *const format_names[] = {
	[SYT_FORMAT_TEXT] = "text",         [SYT_FORMAT_JSONL] = "jsonl",
	[SYT_FORMAT_DOT] = "dot",           [SYT_FORMAT_JSON] = "json",
	[SYT_FORMAT_MARKDOWN] = "markdown", [SYT_FORMAT_JUNIT] = "junit",
};

#define NR_FORMATS (sizeof(format_names) / sizeof(format_names[0]))

/* The formats of a verb, to be freed. */
static char *format_text(const struct syt_verb *verb)
{
	char *text = NULL;

	for (unsigned n = 0; n < NR_FORMATS; n++) {
		if (!(verb->formats >> n & 1))
			continue;
		char *longer = text ? syt_asprintf("%s, %s", text, format_names[n])
		                    : syt_asprintf("%s (default)", format_names[n]);

		free(text);
		text = longer;
	}
	return text;
}

static void parse_format(struct syt_options *o, const char *arg, struct argp_state *state)
{
	for (unsigned n = 0; n < NR_FORMATS; n++) {
		if (strcmp(arg, format_names[n]) != 0 || !(o->verb->formats >> n & 1))
			continue;
		o->format = (enum syt_format)n;
		return;
	}
	char *all = format_text(o->verb);

	argp_error(state, "%s has no format '%s'; there are %s", o->verb->name, arg, all);
	free(all);
}

static void parse_color(struct syt_options *o, const char *arg, struct argp_state *state)
{
	if (!arg || strcmp(arg, "always") == 0)
		o->color = SYT_WHEN_ALWAYS;
	else if (strcmp(arg, "never") == 0)
		o->color = SYT_WHEN_NEVER;
	else if (strcmp(arg, "auto") == 0)
		o->color = SYT_WHEN_AUTO;
	else
		argp_error(state, "--color takes auto, always or never, not '%s'", arg);
}

static void parse_problems(struct syt_options *o, const char *arg, struct argp_state *state)
{
	char *end;
	unsigned long n = strtoul(arg, &end, 10);

	if (!*arg || *end || n > 64)
		argp_error(state, "--problems takes a number up to 64, not '%s'", arg);
	o->nr_problems = (unsigned)n;
}

static void parse_jobs(struct syt_options *o, const char *arg, struct argp_state *state)
{
	uint64_t n;

	if (!syt_number_parse(arg, &n) || !n || n > SYT_WORKERS_MAX)
		argp_error(state, "--jobs takes a number from 1 to %u, not '%s'", SYT_WORKERS_MAX,
		           arg);
	else
		o->nr_jobs = (unsigned)n;
}

static void parse_memory(struct syt_options *o, const char *arg, struct argp_state *state)
{
	if (!syt_size_parse(arg, &o->memory) || o->memory < MEMORY_MIN)
		argp_error(state, "--memory takes a size from 1M on, not '%s'", arg);
}

/* "P.T.N", and not the name of a trace. */
static bool is_id(const char *text)
{
	unsigned nr_dots = 0;

	for (const char *p = text; *p; p++) {
		if (*p == '.' && p > text && p[-1] != '.' && p[1])
			nr_dots++;
		else if (*p < '0' || *p > '9')
			return false;
	}
	return nr_dots == 2;
}

static void parse_args(struct syt_options *o, struct argp_state *state)
{
	o->inputs = (const char **)(state->argv + state->next);
	o->nr_inputs = (size_t)(state->argc - state->next);
	if (o->verb->takes_id && is_id(o->inputs[0])) {
		o->id = *o->inputs++;
		if (!--o->nr_inputs)
			argp_error(state, "no trace given behind the event '%s'", o->id);
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct syt_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = o->verb_options;
		return 0;
	case 'f':
		parse_format(o, arg, state);
		return 0;
	case KEY_COLOR:
		parse_color(o, arg, state);
		return 0;
	case KEY_NO_PAGER:
		o->has_pager = false;
		return 0;
	case KEY_FAIL_ON_LOSS:
		o->fail_on_loss = true;
		return 0;
	case KEY_DEBUGINFOD:
		o->has_debuginfod = true;
		return 0;
	case 'j':
		parse_jobs(o, arg, state);
		return 0;
	case KEY_MEMORY:
		parse_memory(o, arg, state);
		return 0;
	case KEY_PROBLEMS:
		parse_problems(o, arg, state);
		return 0;
	case ARGP_KEY_ARGS:
		parse_args(o, state);
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state,
		           "no trace given: a trace directory, a dump, or - for standard input");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* --format's help names what this verb has. */
static char *filter(int key, const char *text, void *input)
{
	const struct syt_options *o = input;

	return key == 'f' && o ? format_text(o->verb) : (char *)(uintptr_t)text;
}

void syt_options_parse(struct syt_options *o, int argc, char **argv)
{
	static const struct argp no_argp;
	const struct argp_child children[] = {
		{o->verb->argp ? o->verb->argp : &no_argp, 0, NULL, 10},
		{NULL, 0, NULL, 0},
	};
	const struct argp argp = {
		.options = shared_options,
		.parser = parse,
		.args_doc = o->verb->args_doc   ? o->verb->args_doc
	                    : o->verb->takes_id ? "[ID] TRACE..."
	                                        : "TRACE...",
		.doc = o->verb->doc,
		.children = children,
		.help_filter = filter,
	};

	o->format = o->verb->formats & 1u << SYT_FORMAT_TEXT
	                    ? SYT_FORMAT_TEXT
	                    : (enum syt_format)__builtin_ctz(o->verb->formats);
	o->has_pager = true;
	o->nr_problems = 10;
	o->verb_options = syt_calloc(1, o->verb->options_bytes);
	argp_err_exit_status = SYT_EXIT_USAGE;
	argp_parse(&argp, argc, argv, 0, NULL, o);
}

void syt_options_fini(struct syt_options *o)
{
	if (o->verb->fini)
		o->verb->fini(o->verb_options);
	free(o->verb_options);
}
