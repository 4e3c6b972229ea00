/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* syntrace doctor: reports before the run which parts of a program cannot be recorded. */
#include <errno.h>
#include <unistd.h>

#include "base/err.h"
#include "base/json.h"
#include "tool/environment.h"
#include "tool/options.h"
#include "tool/program.h"

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
		o->is_jsonl = syt_parse_format(state, argument);
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

static void print_json(struct syt_out *out, const struct syt_program *p)
{
	struct syt_json j = {.out = out};

	for (unsigned i = 0; i < p->nr_findings; i++) {
		syt_json_begin_line(&j, NULL);
		syt_json_string(&j, "finding", p->findings[i].name);
		syt_json_string(&j, "hides", hidden[p->findings[i].blindness]);
		syt_json_string(&j, "text", p->findings[i].text);
		syt_json_end_line(&j);
	}
	syt_json_begin_line(&j, NULL);
	syt_json_string(&j, "program", p->path);
	syt_json_string(&j, "verdict", verdicts[syt_program_blindness(p)]);
	syt_json_u64(&j, "imports", p->nr_imports);
	syt_json_u64(&j, "libraries", p->nr_libraries);
	syt_json_u64(&j, "library_imports", p->nr_library_imports);
	syt_json_end_line(&j);
}

static void print_text(struct syt_out *out, const struct syt_program *p)
{
	syt_out_safe(out, p->path);
	syt_out_printf(out, ": %s\n", verdicts[syt_program_blindness(p)]);
	for (unsigned i = 0; i < p->nr_findings; i++) {
		syt_out_printf(out, "  %-16s ", p->findings[i].name);
		syt_out_safe(out, p->findings[i].text);
		syt_out_char(out, '\n');
	}
	if (syt_program_blindness(p) != SYT_BLINDNESS_ALL)
		syt_out_printf(out,
		               "  %-16s %u intercepted functions in the program, %u in the %u "
		               "libraries that it loads at its start\n",
		               "imports", p->nr_imports, p->nr_library_imports, p->nr_libraries);
}

static int run(void *options)
{
	const struct options *o = options;
	struct syt_program *p = syt_program_create(o->program);
	int status = SYT_STATUS_UNREADABLE;
	struct syt_out out;

	syt_out_open(&out, STDOUT_FILENO, false);
	if (p->error) {
		syt_warn("%s", p->error);
	} else {
		syt_environment_check(p);
		if (o->is_jsonl)
			print_json(&out, p);
		else
			print_text(&out, p);
		status = syt_program_blindness(p) == SYT_BLINDNESS_NOTE ? 0 : SYT_STATUS_BLIND;
	}
	errno = syt_out_close(&out);
	if (errno) {
		syt_warn_errno("cannot write the result");
		status = SYT_STATUS_UNREADABLE;
	}
	syt_program_destroy(p);
	return status;
}

const struct syt_launcher_verb syt_verb_doctor = {.run = run,
                                                  .argp = &argp,
                                                  .options_bytes = sizeof(struct options),
                                                  .usage = SYT_STATUS_USAGE};
