/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * syntrace info --config: the options of each verb without a command line, and the origin of each value.
 */
#define _GNU_SOURCE
#include <argp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/options.h"
#include "base/err.h"
#include "tool/say.h"
#include "tool/verbs.h"

struct options {
	bool has_config, is_jsonl;
};

static const struct argp_option option_rows[] = {
	{"config", 'c', NULL, 0, "print the value of each option and its origin", 0},
	{"format", 'f', "text|jsonl", 0, "text, or one JSON object per line (default: text)", 0},
	{0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'c':
		o->has_config = true;
		return 0;
	case 'f':
		o->is_jsonl = !strcmp(argument, "jsonl");
		if (!o->is_jsonl && strcmp(argument, "text"))
			argp_error(state, "unknown format '%s': use text or jsonl", argument);
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "info takes no argument; for facts about a trace use "
		                  "syntrace-decode info TRACE");
		return 0;
	case ARGP_KEY_END:
		if (!o->has_config)
			argp_error(state, "--config is missing");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = option_rows,
	.parser = parse,
	.args_doc = "--config",
	.doc = "Print the value that each option of each verb has without a command line, and the "
	       "configuration file or variable that sets it. For the options of syntrace-decode, "
	       "use syntrace-decode info --config.\vExit status: 0 printed, 2 for wrong usage or "
	       "an error in a file, 4 if the output could not be written.",
};

/* ---- printing ---- */

#define COLUMNS 4u

struct shown {
	bool is_jsonl;
	const char *verb;
	char *(*rows)[COLUMNS];
	size_t nr;
};

static void print_json(const struct shown *s, const struct syt_effective *e)
{
	printf("{\"v\":1,\"type\":\"setting\",\"section\":\"%s\",\"key\":\"%s\",\"value\":",
	       s->verb, e->key);
	if (e->value) {
		putchar('"');
		syt_print_escaped(e->value, true);
		putchar('"');
	} else {
		fputs("null", stdout);
	}
	printf(",\"from\":\"%s\"", syt_settings_origin_text(e->origin));
	if (e->origin == SYT_FROM_FILE) {
		fputs(",\"file\":\"", stdout);
		syt_print_escaped(e->setting->file->path, true);
		printf("\",\"line\":%u", e->setting->line);
	}
	if (e->origin == SYT_FROM_VARIABLE)
		printf(",\"variable\":\"%s\"", e->variable->name);
	puts("}");
}

static char *origin_of(const struct syt_effective *e)
{
	switch (e->origin) {
	case SYT_FROM_FILE:
		return syt_asprintf("%s:%u", e->setting->file->path, e->setting->line);
	case SYT_FROM_VARIABLE:
		return syt_asprintf("%s", e->variable->name);
	default:
		return syt_asprintf("%s", syt_settings_origin_text(e->origin));
	}
}

static void add_row(struct shown *s, char *first, char *second, char *third, char *fourth)
{
	char *row[COLUMNS] = {first, second, third, fourth};

	s->rows = syt_realloc(s->rows, s->nr + 1, sizeof(*s->rows));
	memcpy(s->rows[s->nr++], row, sizeof(row));
}

static void show(void *context, const struct syt_effective *e)
{
	struct shown *s = context;

	if (s->is_jsonl)
		print_json(s, e);
	else
		add_row(s, syt_asprintf("%s", s->verb), syt_asprintf("%s", e->key),
		        syt_asprintf("%s", e->value ? e->value : "-"), origin_of(e));
}

/* Prints the rows.  Each column is as wide as its longest cell; the last column is not padded. */
static void print_rows(struct shown *s)
{
	size_t width[COLUMNS] = {0};

	for (size_t n = 0; n < s->nr; n++)
		for (unsigned c = 0; c < COLUMNS; c++)
			if (strlen(s->rows[n][c]) > width[c])
				width[c] = strlen(s->rows[n][c]);
	for (size_t n = 0; n < s->nr; n++) {
		for (unsigned c = 0; c < COLUMNS; c++) {
			syt_print_escaped(s->rows[n][c], false);
			if (c + 1 < COLUMNS)
				printf("%*s", (int)(width[c] - strlen(s->rows[n][c]) + 1), "");
			free(s->rows[n][c]);
		}
		putchar('\n');
	}
	free(s->rows);
}

static int info_main(int argc, char **argv)
{
	static const struct {
		const char *name;
		const struct syt_launcher_verb *verb;
	} verbs[] = {
#define VERB(name_, what_) {#name_, &syt_verb_##name_},
#include "settings/launcher-verbs.def"
#undef VERB
	};
	struct options o = {0};

	syt_options_parse("info", &argp, argc, argv, 0, SYT_STATUS_USAGE, &o);

	struct shown s = {.is_jsonl = o.is_jsonl};

	if (!s.is_jsonl)
		add_row(&s, syt_asprintf("SECTION"), syt_asprintf("KEY"), syt_asprintf("VALUE"),
		        syt_asprintf("FROM"));
	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++) {
		s.verb = verbs[i].name;
		syt_options_show(s.verb, verbs[i].verb, show, &s);
	}
	print_rows(&s);
	if (!fflush(stdout))
		return 0;
	syt_warn_errno("cannot write the result");
	return SYT_STATUS_UNREADABLE;
}

const struct syt_launcher_verb syt_verb_info = {
	.main = info_main, .argp = &argp, .options_bytes = sizeof(struct options)};
