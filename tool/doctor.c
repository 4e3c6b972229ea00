/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * syntrace doctor: reports before a run which parts of a program cannot be recorded.
 *
 * The command also checks the effect of the SYNTRACE_* environment variables, because the recorder must not print
 * in the traced program. The directory of the trace is checked by the rules of the recorder (runtime/own.c): the
 * user owns the directory, and no other user may write to the directory or to the shared file of the trace. The
 * directory that SYNTRACE_SESSION names must exist. The recorder creates any other directory.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/err.h"
#include "base/json.h"
#include "format/format.h"
#include "tool/options.h"
#include "tool/program.h"

struct options {
	const char *program;
	bool is_jsonl;
};

static const struct argp_option option_rows[] = {
	{"format", 'f', "text|jsonl", 0,
         "print the result as text, or as JSON with one object per "
         "line (default: text)",
         0},
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
			argp_error(state, "the verb doctor takes only one PROGRAM");
		o->program = argument;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "the argument PROGRAM is missing");
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
	       "searched in PATH, and is not run.\vExit status: 0 if the whole program can be "
	       "recorded, 1 if a part of the program or the whole program cannot be recorded, 2 "
	       "for wrong usage, 4 if PROGRAM cannot be read.",
};

/* ---- environment variables ---- */

static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

/* Returns the reason why the directory DIR cannot be created, or NULL. */
static const char *refuses(const char *dir)
{
	char *above = syt_asprintf("%s", dir), *end = above + strlen(above);
	const char *why = NULL;

	while (end > above && end[-1] == '/')
		*--end = 0;
	while (end > above && end[-1] != '/')
		*--end = 0;
	if (access(*above ? above : ".", W_OK | X_OK))
		why = strerror(errno);
	free(above);
	return why;
}

#define OTHERS_WRITE (S_IWGRP | S_IWOTH)

/* Returns the reason why the shared file of a trace in DIR cannot be used, or NULL. */
static const char *why_not_shared(const char *dir)
{
	char *path = syt_asprintf("%s/" SYT_TRACE_NAME, dir);
	const char *why = NULL;
	struct stat st;

	if (!lstat(path, &st)) {
		if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() || st.st_nlink != 1)
			why = "its file " SYT_TRACE_NAME " is not a file of this user's alone";
		else if (st.st_mode & OTHERS_WRITE)
			why = "other users may write to its file " SYT_TRACE_NAME;
	}
	free(path);
	return why;
}

/* Returns the reason why a trace cannot be recorded into DIR, or NULL. IS_MADE: the recorder creates DIR. */
static const char *why_not(const char *dir, bool is_made)
{
	struct stat st;
	uint64_t room;
	struct statvfs fs;

	if (lstat(dir, &st))
		return errno != ENOENT || !is_made ? strerror(errno) : refuses(dir);
	if (!S_ISDIR(st.st_mode))
		return strerror(ENOTDIR);
	if (st.st_uid != geteuid())
		return "it belongs to another user";
	if (st.st_mode & OTHERS_WRITE)
		return "other users may write to it: chmod go-w";
	if (access(dir, W_OK | X_OK))
		return strerror(errno);
	room = statvfs(dir, &fs) ? UINT64_MAX : fs.f_bavail * fs.f_frsize / 2;
	return room < SYT_DUMP_LEAST_BYTES ? strerror(ENOSPC) : why_not_shared(dir);
}

static void check_environment(struct syt_program *p)
{
	const char *disable = variable("SYNTRACE_DISABLE"), *size = variable("SYNTRACE_MAX_SIZE");
	const char *name = variable("SYNTRACE_SESSION") ? "SYNTRACE_SESSION" : "SYNTRACE_DIR";
	const char *dir = variable(name);
	const char *why = why_not(dir ? dir : SYT_DIR_DEFAULT, strcmp(name, "SYNTRACE_SESSION"));
	uint64_t bytes;

	if (disable && strcmp(disable, "0"))
		syt_finding_add(p, "disabled", SYT_BLINDNESS_ALL,
		                "SYNTRACE_DISABLE is set in the environment, so nothing is "
		                "recorded: unset it");
	if (why && dir)
		syt_finding_add(p, "directory", SYT_BLINDNESS_NOTE,
		                "%s is %s (%s): with LD_PRELOAD alone, nothing is recorded, "
		                "without a message; unset the variable, or use syntrace record",
		                name, dir, why);
	else if (why)
		syt_finding_add(p, "directory", SYT_BLINDNESS_NOTE,
		                "the directory is " SYT_DIR_DEFAULT
		                " (%s): with LD_PRELOAD alone, nothing is recorded, without a "
		                "message; set SYNTRACE_DIR to another directory",
		                why);
	if (size && syt_parse_size(size, &bytes) && bytes < SYT_DUMP_LEAST_BYTES)
		syt_finding_add(
			p, "room", SYT_BLINDNESS_NOTE,
			"SYNTRACE_MAX_SIZE is %s, but a dump needs at least %uK: with LD_PRELOAD "
			"alone, nothing is recorded, without a message; increase it",
			size, (unsigned)(SYT_DUMP_LEAST_BYTES >> 10));
}

/* ---- output ---- */

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
		syt_json_begin_line(&j, "obstacle");
		syt_json_string(&j, "finding", p->findings[i].name);
		syt_json_string(&j, "hides", hidden[p->findings[i].blindness]);
		syt_json_string(&j, "text", p->findings[i].text);
		syt_json_end_line(&j);
	}
	syt_json_begin_line(&j, "program");
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
		check_environment(p);
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
