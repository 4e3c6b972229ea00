/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * syntrace doctor: reports before the run which parts of a program cannot be recorded.
 */
#define _GNU_SOURCE
#include <argp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/environment.h"
#include "base/err.h"
#include "tool/options.h"
#include "tool/program.h"
#include "tool/say.h"
#include "tool/verbs.h"

struct options {
	const char *program;
	bool is_jsonl;
};

static const struct argp_option option_rows[] = {
	{"format", 'f', "text|jsonl", 0, "text, or one JSON object per line (default: text)", 0},
	{0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'f':
		o->is_jsonl = !strcmp(argument, "jsonl");
		if (!o->is_jsonl && strcmp(argument, "text"))
			argp_error(state, "unknown format '%s': use text or jsonl", argument);
		return 0;
	case ARGP_KEY_ARG:
		if (o->program)
			argp_error(state, "doctor takes only one PROGRAM");
		o->program = argument;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "PROGRAM is missing");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = option_rows,
	.parser = parse,
	.args_doc = "PROGRAM",
	.doc = "Report before the run which parts of PROGRAM cannot be recorded. PROGRAM is "
	       "searched in PATH, and is not run.\vExit status: 0 if all of it can be recorded, 1 "
	       "if parts or all of it cannot, 2 for wrong usage, 4 if PROGRAM cannot be read.",
};

static const char *const verdicts[] = {
	[SYT_BLINDNESS_NOTE] = "visible",
	[SYT_BLINDNESS_PART] = "partly blind",
	[SYT_BLINDNESS_ALL] = "blind",
};

static const char *const hidden[] = {
	[SYT_BLINDNESS_NOTE] = "nothing",
	[SYT_BLINDNESS_PART] = "part",
	[SYT_BLINDNESS_ALL] = "all",
};

static void print_json(const struct syt_program *p)
{
	for (unsigned i = 0; i < p->nr_findings; i++) {
		printf("{\"v\":1,\"finding\":\"%s\",\"hides\":\"%s\",\"text\":\"",
		       p->findings[i].name, hidden[p->findings[i].blindness]);
		syt_print_escaped(p->findings[i].text, true);
		puts("\"}");
	}
	fputs("{\"v\":1,\"program\":\"", stdout);
	syt_print_escaped(p->path, true);
	printf("\",\"verdict\":\"%s\",\"imports\":%u,\"libraries\":%u,\"library_imports\":%u}\n",
	       verdicts[syt_program_blindness(p)], p->nr_imports, p->nr_libraries,
	       p->nr_library_imports);
}

static void print_text(const struct syt_program *p)
{
	syt_print_escaped(p->path, false);
	printf(": %s\n", verdicts[syt_program_blindness(p)]);
	for (unsigned i = 0; i < p->nr_findings; i++) {
		printf("  %-16s ", p->findings[i].name);
		syt_print_escaped(p->findings[i].text, false);
		putchar('\n');
	}
	if (syt_program_blindness(p) != SYT_BLINDNESS_ALL)
		printf("  %-16s %u intercepted functions in the program, %u in the %u libraries "
		       "that it loads at its start\n",
		       "imports", p->nr_imports, p->nr_library_imports, p->nr_libraries);
}

static int doctor_main(int argc, char **argv)
{
	struct options o = {0};

	syt_options_parse("doctor", &argp, argc, argv, 0, SYT_STATUS_USAGE, &o);

	struct syt_program *p = syt_program_create(o.program);
	int status = SYT_STATUS_UNREADABLE;

	if (p->error) {
		syt_warn("%s", p->error);
	} else {
		syt_environment_check(p);
		if (o.is_jsonl)
			print_json(p);
		else
			print_text(p);
		status = syt_program_blindness(p) == SYT_BLINDNESS_NOTE ? 0 : SYT_STATUS_BLIND;
	}
	if (fflush(stdout)) {
		syt_warn_errno("cannot write the result");
		status = SYT_STATUS_UNREADABLE;
	}
	syt_program_destroy(p);
	return status;
}

const struct syt_launcher_verb syt_verb_doctor = {
	.main = doctor_main, .argp = &argp, .options_bytes = sizeof(struct options)};
