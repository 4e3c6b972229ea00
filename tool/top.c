/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* syntrace top: repeatedly copies the trace of a running program and runs `syntrace-decode contention` on the copy. */
#define _GNU_SOURCE
#include <argp.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tool/child.h"
#include "base/err.h"
#include "tool/directory.h"
#include "tool/options.h"
#include "tool/snapshot.h"
#include "tool/verbs.h"

#define INTERVAL_DEFAULT 2.0

struct options {
	const char *what;
	double interval;      /* seconds between two snapshots */
	unsigned long rounds; /* number of snapshots; 0: until the last process ends */
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'i':
		if (!syt_parse_number(argument, 0.1, 86400, &o->interval))
			argp_error(state, "--interval takes seconds from 0.1 on, not '%s'",
			           argument);
		return 0;
	case 'n':
		if (!syt_parse_count(argument, ULONG_MAX, &o->rounds))
			argp_error(state, "--rounds takes a number, not '%s'", argument);
		return 0;
	default:
		return syt_live_parse(key, argument, state, &o->what);
	}
}

static bool is_live(const struct syt_live *l)
{
	for (unsigned p = 0; p < SYT_NR_TRACE_PROCESSES; p++)
		if (l->trace->pids[p] && syt_process_lives(l->trace->pids[p], 0))
			return true;
	return false;
}

/* Shows the lock contention in the copy DIR. Returns false after a message if the decoder cannot be started. */
static bool show(char *dir)
{
	char *argv[] = {(char *)"syntrace-decode",
	                (char *)"contention",
	                (char *)"--format=text",
	                (char *)"--no-pager",
	                dir,
	                NULL};
	pid_t pid = syt_decoder_start(argv, -1, "");

	return pid && TEMP_FAILURE_RETRY(waitpid(pid, NULL, 0)) == pid;
}

static void remove_directory(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (e->d_name[0] != '.')
			unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
	rmdir(path);
}

/* Waits for SECONDS. Returns true if a signal of ENDS arrives. */
static bool rest(const sigset_t *ends, double seconds)
{
	struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};

	return sigtimedwait(ends, NULL, &t) > 0;
}

static bool watch(struct syt_live *l, const struct options *o, const sigset_t *ends)
{
	const char *place = getenv("TMPDIR");
	char *top = syt_asprintf("%s/syntrace-top.XXXXXX", place && *place ? place : "/tmp");
	bool is_done = mkdtemp(top), is_ending = false;
	char *dir = syt_asprintf("%s/copy", top), *old = syt_asprintf("%s.old", dir);

	if (!is_done)
		syt_warn_errno("cannot make %s", top);
	for (unsigned long n = 0; is_done && !is_ending && (!o->rounds || n < o->rounds); n++) {
		is_ending = n && rest(ends, o->interval);
		is_ending |= n && !is_live(l);
		if (is_ending)
			break;
		is_done = syt_snapshot(l, dir, true);
		if (is_done && isatty(STDOUT_FILENO))
			fputs("\033[H\033[J", stdout);
		fflush(stdout);
		is_done = is_done && show(dir);
	}
	remove_directory(dir);
	remove_directory(old);
	rmdir(top);
	free(top);
	free(dir);
	free(old);
	return is_done;
}

static const struct argp_option option_rows[] = {
	{"interval", 'i', "SECONDS", 0, "show the waits again every SECONDS (default: 2)", 0},
	{"rounds", 'n', "N", 0,
         "end after showing the waits N times (default: when the last "
         "recorded process has ended)",
         0},
	{0},
};
static const struct argp argp = {
	.options = option_rows,
	.parser = parse,
	.args_doc = "[PID|NAME|DIR]",
	.doc = "Show how long threads wait for locks, and which threads hold the locks, while the "
	       "program is recorded. For this, repeatedly copies the trace and runs "
	       "'syntrace-decode contention' on the copy. Name the trace by the pid of a recorded "
	       "process (PID), the name of the recorded program (NAME), or the trace directory "
	       "(DIR).\vExit status: 0 if the waits were shown, 2 for wrong usage, 4 if there is "
	       "no such trace, or the trace could not be copied.",
};

static int run(void *options)
{
	const struct options *o = options;
	struct syt_live l;
	bool is_done = syt_live_open(&l, o->what);
	sigset_t ends;

	/* Blocked signals do not end this tool before it removes the copies. */
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	is_done = is_done && watch(&l, o, &ends);
	syt_live_close(&l);
	return is_done ? 0 : SYT_STATUS_UNREADABLE;
}

const struct syt_launcher_verb syt_verb_top = {
	.run = run,
	.argp = &argp,
	.options_bytes = sizeof(struct options),
	.defaults = &(const struct options){.interval = INTERVAL_DEFAULT},
	.usage = SYT_STATUS_USAGE,
};
