/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* syntrace top: finds the trace of a running program, and becomes `syntrace-decode top`. */
#include <argp.h>
#include <limits.h>
#include <stdlib.h>

#include "base/err.h"
#include "tool/child.h"
#include "tool/live.h"
#include "tool/options.h"
#include "tool/verbs.h"

#define KEY_LIMIT 0x100

struct options {
	const char *what;
	double interval;                            /* seconds */
	const char *rounds, *sort, *limit, *format; /* for the decoder; NULL: not given */
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct options *o = state->input;
	unsigned long count;

	switch (key) {
	case 'i':
		if (!syt_parse_number(argument, 0.1, 86400, &o->interval))
			argp_error(state, "--interval takes seconds from 0.1 on, not '%s'",
			           argument);
		return 0;
	case 'n':
		if (!syt_parse_count(argument, ULONG_MAX, &count))
			argp_error(state, "--rounds takes a number, not '%s'", argument);
		o->rounds = argument;
		return 0;
	case 's':
		o->sort = argument;
		return 0;
	case KEY_LIMIT:
		o->limit = argument;
		return 0;
	case 'f':
		syt_parse_format(state, argument);
		o->format = argument;
		return 0;
	default:
		return syt_live_parse(key, argument, state, &o->what);
	}
}

static const struct argp_option option_rows[] = {
	{"interval", 'i', "SECONDS", 0, "show the locks again every SECONDS (default: 2)", 0},
	{"rounds", 'n', "N", 0,
         "end after showing the locks N times (default: when the last recorded process has ended)",
         0},
	{"sort", 's', "COLUMN", 0,
         "sort by waited, waits, longest, held or acquired, in the last interval; or by "
         "total-waited and so on (default: waited)",
         0},
	{"limit", KEY_LIMIT, "N", 0,
         "show at most N locks (default: as many as fit on the screen; 10 in text that is not on a "
         "terminal; all in JSON)",
         0},
	{"format", 'f', "text|jsonl", 0,
         "print text, or JSON with one object per line (default: text)", 0},
	{0},
};
static const struct argp argp = {
	.options = option_rows,
	.parser = parse,
	.args_doc = "[PID|NAME|DIR]",
	.doc = "Show how long threads wait for locks, and which threads hold the locks, while the "
	       "program is recorded. On a terminal, the keys w (waited), n (number of waits), m "
	       "(longest), h (held) and a (acquired) sort by the last interval, the same keys in "
	       "upper case sort by the total, and q quits. Name the trace by the pid of a recorded "
	       "process (PID), the name of the recorded program (NAME), or the trace directory "
	       "(DIR).\vExit status: 0 if the locks were shown, 2 for wrong usage, 4 if there is "
	       "no such trace.",
};

static void add(char **argv, unsigned *nr, const char *option, const char *value)
{
	if (value)
		argv[(*nr)++] = syt_asprintf("--%s=%s", option, value);
}

/* Becomes the decoder, which reads the trace DIR. Returns only if this fails. */
static void run_decoder(const struct options *o, char *dir)
{
	char *interval = syt_asprintf("%.3fs", o->interval);
	char *argv[9] = {(char *)"syntrace-decode", (char *)"top"};
	unsigned nr = 2;

	add(argv, &nr, "interval", interval);
	add(argv, &nr, "rounds", o->rounds);
	add(argv, &nr, "sort", o->sort);
	add(argv, &nr, "limit", o->limit);
	add(argv, &nr, "format", o->format);
	argv[nr] = dir;
	syt_decoder_exec(argv);
	while (nr > 2)
		free(argv[--nr]);
	free(interval);
}

static int run(void *options)
{
	const struct options *o = options;
	struct syt_live l;

	if (syt_live_open(&l, o->what))
		run_decoder(o, l.dir);
	syt_live_close(&l);
	return SYT_STATUS_UNREADABLE;
}

const struct syt_launcher_verb syt_verb_top = {
	.run = run,
	.argp = &argp,
	.options_bytes = sizeof(struct options),
	.defaults = &(const struct options){.interval = 2},
	.usage = SYT_STATUS_USAGE,
};
