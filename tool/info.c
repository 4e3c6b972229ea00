/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* syntrace info --config: the options of each verb without a command line, and the origin of each value. */
#include <errno.h>
#include <unistd.h>

#include "base/err.h"
#include "base/json.h"
#include "base/table.h"
#include "tool/options.h"

struct options {
	bool has_config, is_jsonl;
};

static const struct argp_option option_rows[] = {
	{"config", 'c', NULL, 0,
         "print the value of each option, and the file or variable that "
         "sets it",
         0},
	{"format", 'f', "text|jsonl", 0,
         "print the values as text, or as JSON with one object per "
         "line (default: text)",
         0},
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
		o->is_jsonl = syt_parse_format(state, argument);
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "info takes no argument; for facts about a trace use "
		                  "syntrace-decode info TRACE");
		return 0;
	case ARGP_KEY_END:
		if (!o->has_config)
			argp_error(state, "the option --config is missing");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = option_rows,
	.parser = parse,
	.args_doc = "--config",
	.doc = "Print the value that each option of syntrace has if the command line does not set "
	       "it, and the configuration file or environment variable that sets it. For the "
	       "options of syntrace-decode, use syntrace-decode info --config.\vExit status: 0 if "
	       "the values were printed, 2 for wrong usage or an error in a configuration file, 4 "
	       "if the output could not be written.",
};

struct shown {
	struct syt_out out;
	struct syt_table *table; /* NULL: print JSON */
	const char *verb;
};

static void print_json(struct shown *s, const struct syt_effective *e)
{
	struct syt_json j = {.out = &s->out};

	syt_json_begin_line(&j, "setting");
	syt_json_string(&j, "section", s->verb);
	syt_json_string(&j, "key", e->key);
	syt_json_string(&j, "value", e->value);
	syt_json_string(&j, "from", syt_settings_origin_text(e->origin));
	if (e->origin == SYT_FROM_FILE) {
		syt_json_string(&j, "file", e->setting->file->path);
		syt_json_u64(&j, "line", e->setting->line);
	}
	if (e->origin == SYT_FROM_VARIABLE)
		syt_json_string(&j, "variable", e->variable->name);
	syt_json_end_line(&j);
}

static void show(void *context, const struct syt_effective *e)
{
	struct shown *s = context;

	if (!s->table) {
		print_json(s, e);
		return;
	}
	syt_table_row(s->table);
	syt_table_cell(s->table, "%s", s->verb);
	syt_table_cell(s->table, "%s", e->key);
	syt_table_cell(s->table, "%s", e->value ? e->value : "-");
	if (e->origin == SYT_FROM_FILE)
		syt_table_cell(s->table, "%s:%u", e->setting->file->path, e->setting->line);
	else if (e->origin == SYT_FROM_VARIABLE)
		syt_table_cell(s->table, "%s", e->variable->name);
	else
		syt_table_cell(s->table, "%s", syt_settings_origin_text(e->origin));
}

static int run(void *options)
{
	const struct options *o = options;
	struct shown s = {0};

	syt_out_open(&s.out, STDOUT_FILENO, false);
	syt_out_measure(&s.out);
	if (!o->is_jsonl)
		s.table = syt_table_create("SECTION", "KEY", "VALUE", "FROM", NULL);
	for (const struct syt_verb_row *v = syt_verbs; v->name; v++) {
		s.verb = v->name;
		syt_options_show(v, show, &s);
	}
	if (s.table)
		syt_table_end(s.table, &s.out);
	errno = syt_out_close(&s.out);
	if (!errno)
		return 0;
	syt_warn_errno("cannot write the result");
	return SYT_STATUS_UNREADABLE;
}

const struct syt_launcher_verb syt_verb_info = {.run = run,
                                                .argp = &argp,
                                                .options_bytes = sizeof(struct options),
                                                .usage = SYT_STATUS_USAGE};
