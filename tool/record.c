/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* syntrace record: prepares the directory and the environment, runs the program, and reports the result. This tool
 * ends with the exit status of the program, or by the same signal. */
#define _GNU_SOURCE
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/format.h"
#include "format/budget.h"
#include "format/sampler_text.h"
#include "base/err.h"
#include "tool/answer.h"
#include "tool/child.h"
#include "tool/directory.h"
#include "tool/launch.h"
#include "tool/options.h"
#include "tool/pause.h"
#include "tool/perf_map.h"
#include "tool/program.h"
#include "tool/snapshot.h"
#include "tool/summary.h"
#include "tool/trigger.h"
#include "tool/verbs.h"

enum {
	KEY_RING = 0x100,
	KEY_STREAM,
	KEY_MAX_SIZE,
	KEY_DURATION,
	KEY_NO_CLOBBER,
	KEY_PAUSED,
	KEY_SAMPLE,
	KEY_BUDGET,
	KEY_TRIGGER,
	KEY_TRIGGER_EVERY,
	KEY_TRIGGER_MAX,
};

#define TRIGGER_EVERY_DEFAULT 10.0 /* seconds */
#define TRIGGER_MAX_DEFAULT 10u

struct options {
	const char *dir;
	char *ring, *max_size; /* decimal numbers of bytes */
	const char *sampler, *budget;
	bool is_stream, is_quiet, keep, is_paused;
	bool is_mode_given; /* true: SYNTRACE_MODE is set and overrides configuration files */
	unsigned long duration_ms;
	struct syt_trigger trigger;
	char **command;
};

static const struct argp_option option_rows[] = {
	{"output", 'o', "DIR", SYT_OPTION_NOT_OF_PROJECT,
         "write the trace into DIR (default: ./" SYT_DIR_DEFAULT "); if DIR contains a finished trace, rename it to DIR.old",
         0},
	{"ring", KEY_RING, "SIZE", 0,
         "keep only the newest SIZE bytes of events of each thread (default: 64M)", 0},
	{"stream", KEY_STREAM, NULL, 0, "keep all events of each thread, up to --max-size", 0},
	{"max-size", KEY_MAX_SIZE, "SIZE", 0, "limit the trace of each process to SIZE bytes "
	                                      "(default: 16G)", 0},
	{"duration", KEY_DURATION, "SECONDS", SYT_OPTION_NOT_OF_PROJECT,
         "end the program with SIGTERM after SECONDS", 0},
	{"no-clobber", KEY_NO_CLOBBER, NULL, 0, "fail if the output directory already contains a "
	                                        "trace", 0},
	{"paused", KEY_PAUSED, NULL, 0, "run the program without recording it, until 'syntrace "
	                                "resume'", 0},
	{"sample", KEY_SAMPLE, "SAMPLER", 0,
         "record only the calls that SAMPLER selects, and the rest of their turns: bump, bucket or p:P, with options as in "
         "'bump:lambda=4,floor=0.01' and 'bucket:size=1,rate=1'. The trace is a true part of the whole trace", 0},
	{"budget", KEY_BUDGET, "BUDGET", 0,
         "with --sample: select more or fewer calls each second, so that the events take BUDGET: bytes of the trace in a second "
         "(64K/s) or a share of the CPU time of the processes (2%)", 0},
	{"trigger", KEY_TRIGGER, "WHAT", SYT_OPTION_NOT_OF_PROJECT,
         "copy the trace into DIR.1, DIR.2, ... at an event, as 'syntrace snapshot' does "
         "(repeatable). With USR1, USR2 or HUP: copy when syntrace receives this signal, which "
         "PROGRAM then does not receive. With slow=TIME: copy when a thread waits longer than TIME "
         "(50us, 50ms, 5s) for a lock, for free space to send, for a connection, for a file, or "
         "for the other threads of a barrier or OpenMP team. With slow=TIME:CALL: copy when the "
         "function CALL takes longer than TIME. With hold=TIME: copy when a thread holds a lock "
         "for longer than TIME. With odd=MODEL: copy when a request departs from MODEL, a file of "
         "'syntrace-decode workload --save', or when the mix of requests has shifted. With "
         "odd=MODEL:N: a request departs if at most one in N like requests is as odd (default 100)",
         0},
	{"trigger-every", KEY_TRIGGER_EVERY, "SECONDS", SYT_OPTION_NOT_OF_PROJECT,
         "wait at least SECONDS between two copies for slow calls or long-held locks (default "
         "10)", 0},
	{"trigger-max", KEY_TRIGGER_MAX, "N", SYT_OPTION_NOT_OF_PROJECT,
         "make at most N copies for slow calls and long-held locks (default 10)", 0},
	{"quiet", 'q', NULL, 0, "print no summary of the recording at the end", 0},
	{0},
};

/* Stores the size ARGUMENT in *TO as a decimal number of bytes. */
static void parse_size(struct argp_state *state, const char *argument, uint64_t least, char **to)
{
	uint64_t bytes;

	if (!syt_parse_size(argument, &bytes) || !bytes)
		argp_error(state,
		           "a SIZE is a number of bytes with an optional K, M, G or T, not '%s'",
		           argument);
	if (bytes < least)
		argp_error(
			state,
			"--max-size takes a size of at least %uK, not '%s': a smaller trace file "
			"has no space for the names of calls and objects",
			(unsigned)(least >> 10), argument);
	free(*to);
	*to = syt_asprintf("%" PRIu64, bytes);
}

#define SAMPLER_FORM                                                                               \
	"p:P (P from 0 to 1), bump[:lambda=L,floor=P] or bucket[:size=N,rate=R] (L and R from 0.1 to " \
	"1000, N from 1 to 1000), and for each at=root|site and hops=N"

#define BUDGET_FORM "bytes in a second (65536/s, 64K/s, 1M/s) or a share of the CPU time (2%%, up to 100%%)"

/* Returns true if TEXT is a sampler of the recorder. */
static bool is_sampler(const char *text)
{
	struct syt_sampler_options o;
	const char *end = syt_sampler_parse(&o, text);

	return end && !*end && strlen(text) < SYT_SAMPLER_TEXT_BYTES;
}

static bool has_text(const char *text)
{
	return text && *text;
}

/* Returns whether the command line or a stronger setting has chosen --ring or --stream. */
static bool is_overruled(struct options *o, const struct argp_state *state)
{
	const char *mode = getenv("SYNTRACE_MODE");

	if (!syt_settings_source(state))
		return false;
	if (o->is_stream || o->ring)
		return true;
	o->is_mode_given = mode && *mode;
	return false;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct options *o = state->input;
	struct syt_budget budget;
	const char *why;
	double seconds;

	switch (key) {
	case 'o':
		o->dir = argument;
		if (!*argument)
			argp_error(state, "-o takes a directory");
		return 0;
	case 'q':
		o->is_quiet = true;
		return 0;
	case KEY_RING:
		if (is_overruled(o, state))
			return ECANCELED;
		parse_size(state, argument, 0, &o->ring);
		return 0;
	case KEY_MAX_SIZE:
		parse_size(state, argument, SYT_DUMP_LEAST_BYTES, &o->max_size);
		return 0;
	case KEY_STREAM:
		if (is_overruled(o, state))
			return ECANCELED;
		o->is_stream = true;
		return 0;
	case KEY_DURATION:
		if (!syt_parse_number(argument, 0.001, 1e9, &seconds))
			argp_error(state, "--duration takes seconds, not '%s'", argument);
		o->duration_ms = (unsigned long)lrint(seconds * 1000);
		return 0;
	case KEY_TRIGGER:
		why = syt_trigger_add(&o->trigger, argument);
		if (why)
			argp_error(state, "--trigger %s; not '%s'", why, argument);
		return 0;
	case KEY_TRIGGER_EVERY:
		if (!syt_parse_number(argument, 0.1, 86400, &o->trigger.every))
			argp_error(state,
			           "--trigger-every takes seconds from 0.1 to 86400, not '%s'",
			           argument);
		return 0;
	case KEY_TRIGGER_MAX:
		if (!syt_parse_count(argument, 1000000, &o->trigger.nr_left))
			argp_error(state,
			           "--trigger-max takes a number from 1 to 1000000, not '%s'",
			           argument);
		return 0;
	case KEY_PAUSED:
		o->is_paused = true;
		return 0;
	case KEY_SAMPLE:
		if (!is_sampler(argument))
			argp_error(state, "--sample takes " SAMPLER_FORM ", not '%s'", argument);
		o->sampler = argument;
		return 0;
	case KEY_BUDGET:
		if (!syt_budget_parse(&budget, argument))
			argp_error(state, "--budget takes " BUDGET_FORM ", not '%s'", argument);
		o->budget = argument;
		return 0;
	case KEY_NO_CLOBBER:
		o->keep = true;
		return 0;
	case ARGP_KEY_ARGS:
		o->command = state->argv + state->next;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "the argument PROGRAM is missing");
		return 0;
	case ARGP_KEY_END:
		if (o->is_stream && o->ring)
			argp_error(state, "--ring and --stream cannot be used together");
		if (o->budget && !o->sampler && !has_text(getenv("SYNTRACE_SAMPLE")))
			argp_error(state, "--budget is for a sampled trace: add --sample, as in "
			                  "--sample=bucket");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = option_rows,
	.parser = parse,
	.args_doc = "[--] PROGRAM [ARGUMENT...]",
	.doc = "Run PROGRAM, and record the synchronization and communication of PROGRAM and of "
	       "all programs that it starts.\vExit status: the exit status of PROGRAM. If a signal "
	       "ended PROGRAM, the same signal ends syntrace. The status is 125 if syntrace failed "
	       "and PROGRAM was not run, 126 if PROGRAM could not be run, 127 if PROGRAM was not "
	       "found.",
};

/* Prints why the directory DIR has no dump of the program. */
static void explain(const struct syt_program *p, const char *dir)
{
	unsigned nr = 0;

	if (getenv("SYNTRACE_DISABLE")) {
		syt_warn("the environment variable SYNTRACE_DISABLE prevents recording: unset it");
		nr++;
	}
	for (unsigned i = 0; i < p->nr_findings; i++) {
		if (p->findings[i].blindness == SYT_BLINDNESS_ALL) {
			syt_warn("%s", p->findings[i].text);
			nr++;
		}
	}
	if (!nr && !syt_refusal_explain(dir))
		syt_warn("perhaps the program removed LD_PRELOAD or SYNTRACE_SESSION from its "
		         "environment, or cannot write to the directory");
}

struct check {
	const struct syt_program *program;
	struct syt_trigger *trigger;
	const char *dir, *name; /* trace directory: absolute path, and path that the user gave */
	char *copied;           /* path of the last copy of the trace; NULL: copying failed */
	unsigned nr_snapshots;
	bool has_warned;
};

/* Warns if the program has no dump one second after its start. */
static void check_in(pid_t pid, void *context)
{
	struct check *c = context;

	if (syt_summary_has(c->dir, pid))
		return;
	c->has_warned = true;
	syt_warn("process %d is not being recorded:", (int)pid);
	explain(c->program, c->dir);
}

/* Returns DIR quoted for a shell. The caller frees the text. */
static char *quoted(const char *dir)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
				    "_./-+:@%,=";
	const char *quote = dir[strspn(dir, plain)] ? "'" : "";
	char *text;
	size_t bytes;
	FILE *f = syt_memstream(&text, &bytes);

	fputs(quote, f);
	for (const char *p = dir; *p; p++)
		fprintf(f, *p == '\'' ? "'\\''" : "%c", *p);
	fputs(quote, f);
	fclose(f);
	return text;
}

/* Makes the next copy of the trace. Returns the directory of the copy, which the caller frees, or NULL after a
 * message. */
static char *copy_next(struct check *c, bool is_quiet)
{
	char *dir = syt_asprintf("%s.%u", c->name, ++c->nr_snapshots);
	struct syt_live l;
	bool is_done = syt_live_open_directory(&l, c->dir) && syt_snapshot(&l, dir, false, is_quiet);

	syt_live_close(&l);
	if (is_done)
		return dir;
	free(dir);
	return NULL;
}

/* Copies the trace after the trigger signal. */
static void copy_trace(void *context)
{
	free(copy_next(context, false));
}

/* Returns the verb of syntrace-decode that explains the event WHAT best. A call that has not returned, and a lock
 * that is still held, are calls at the end of the copy. */
static const char *verb_for(const char *what)
{
	if (!strncmp(what, "blocked:", 8) || strstr(what, " has been held for "))
		return "blocked";
	if (!strncmp(what, "odd:", 4) || !strncmp(what, "shift:", 6))
		return "requests";
	return strncmp(what, "hold:", 5) ? "waits" : "contention";
}

/* Copies the trace when `watch` has found a slow call, or a lock that is held for a long time. */
static void copy_now(void *context)
{
	struct check *c = context;

	free(c->copied);
	c->copied = copy_next(c, true);
}

/* Prints the description WHAT of the event after the copy. */
static void tell_why(void *context, const char *what)
{
	const struct check *c = context;
	char *argument = c->copied ? quoted(c->copied) : NULL;

	if (c->copied)
		syt_warn("%s: copied into %s; next: syntrace-decode %s %s", what, c->copied,
		         verb_for(what), argument);
	else
		syt_warn("%s", what);
	free(argument);
}

static bool read_watch(void *context)
{
	struct check *c = context;

	return syt_trigger_read(c->trigger, copy_now, tell_why, c);
}

static void print_bytes(char *to, size_t size, uint64_t bytes)
{
	static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
	double value = (double)bytes;
	unsigned unit = 0;

	while (value >= 1024 && unit + 1 < sizeof(units) / sizeof(*units)) {
		value /= 1024;
		unit++;
	}
	snprintf(to, size, "%.*f %s", unit ? 1 : 0, value, units[unit]);
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* Prints whether the trace in DIR exceeded its budget. */
static void tell_budget(const char *dir)
{
	struct syt_live l;

	if (syt_live_open_directory(&l, dir)) {
		const struct syt_budget *b = syt_budget_of(l.trace);

		if (b->limit && b->nr_ghosts)
			syt_warn("the budget was exceeded in %u of %u seconds by ghosts alone, the short "
			         "events that a sampled trace must have; use a greater --budget",
			         b->nr_ghosts, b->nr_seconds);
		else if (b->limit && b->nr_least)
			syt_warn("the budget was exceeded in %u of %u seconds, although the sampler "
			         "selected as few calls as it can; use a greater --budget",
			         b->nr_least, b->nr_seconds);
	}
	syt_live_close(&l);
}

static void summarize(const struct syt_summary *s, const char *dir, const char *path)
{
	char bytes[32];
	char *argument = quoted(dir);

	print_bytes(bytes, sizeof(bytes), s->bytes);
	syt_warn("recorded %u process image%s, %" PRIu64 " thread%s, %" PRIu64 " event%s, %s in %s",
	         s->nr_dumps, plural(s->nr_dumps), s->nr_threads, plural(s->nr_threads),
	         s->nr_events, plural(s->nr_events), bytes, dir);
	if (s->nr_overwritten)
		syt_warn("newer events overwrote the %" PRIu64 " oldest events; to keep more, use "
		         "a larger --ring SIZE, or --stream",
		         s->nr_overwritten);
	tell_budget(path);
	if (s->nr_pauses)
		syt_warn("recording was paused %u time%s%s: the trace has no events of these "
		         "pauses",
		         s->nr_pauses, plural(s->nr_pauses),
		         s->is_paused ? ", the last time until the end" : "");
	for (unsigned i = 0; i < SYT_NR_LOSSES; i++) {
		if (s->lost[i])
			syt_warn("lost %" PRIu64 ": %s", s->lost[i], syt_loss_text(i));
	}
	if (s->nr_live)
		syt_warn("%u process%s still running, and recording continues", s->nr_live,
		         s->nr_live == 1 ? " is" : "es are");
	if (s->nr_unreadable)
		syt_warn("%u file%s in it no readable dump", s->nr_unreadable,
		         s->nr_unreadable == 1 ? " is" : "s are");
	syt_warn("next: syntrace-decode diagnose %s", argument);
	free(argument);
}

#define NR_ENTRIES 8u

/* Returns whether the recorder removes ENTRY from the environment (runtime/env.c). The recorder does not
 * remove SYNTRACE_* variables that only the tools read. */
static bool is_of_recorder(const char *entry)
{
	static const char *const names[] = {
		"SYNTRACE_DIR=", "SYNTRACE_MODE=",    "SYNTRACE_RING=", "SYNTRACE_MAX_SIZE=",
		"SYNTRACE_FDS=", "SYNTRACE_SESSION=", "SYNTRACE_ID=",   "SYNTRACE_DISABLE=",
		"SYNTRACE_PAUSED=", "SYNTRACE_SAMPLE=", "SYNTRACE_SAMPLE_SHADOW=", "SYNTRACE_BUDGET="};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(entry, names[i], strlen(names[i])))
			return true;
	return false;
}

/* Returns the environment of this tool, followed by entries that the recorder removes before the program sees the
 * environment (preload/env.c). Two colons at the end mark LD_PRELOAD as an entry of the recorder. The caller frees
 * the array, and the strings after the first *NR_KEPT. */
static char **make_environment(const struct options *o, const struct syt_program *p,
                               const char *library, const char *dir, const char *id,
                               size_t *nr_kept)
{
	const char *others = getenv("LD_PRELOAD");
	const char *mode = o->is_mode_given ? NULL
	                   : o->is_stream   ? "stream"
	                   : o->ring        ? "ring"
	                                    : NULL;
	const char *settings[][2] = {
		{"SYNTRACE_SESSION=", dir},
		{"SYNTRACE_ID=", id},
		{"SYNTRACE_MODE=", mode},
		{"SYNTRACE_RING=", o->ring},
		{"SYNTRACE_MAX_SIZE=", o->max_size},
	};
	const size_t nr_settings = sizeof(settings) / sizeof(*settings);
	const char *replaced[NR_ENTRIES] = {"SYNTRACE_ID="};
	size_t nr_replaced = 1, nr_hidden = 0;

	for (size_t n = 0; n < nr_settings; n++)
		if (settings[n][1])
			replaced[nr_replaced++] = settings[n][0];
	char **made = syt_environment_without(replaced, NR_ENTRIES, nr_kept);
	size_t to = *nr_kept;

	for (size_t i = 0; i < *nr_kept; i++)
		nr_hidden += is_of_recorder(made[i]);
	made[to++] = syt_asprintf("LD_PRELOAD=%s%s%s%s::", p->preload ? p->preload : "",
	                          others ? others : "", others && *others ? ":" : "", library);
	for (size_t n = 0; n < nr_settings; n++)
		if (settings[n][1])
			made[to++] = syt_asprintf("%s%s", settings[n][0], settings[n][1]);
	/* The recorder removes an even number of entries (preload/env.c). A second entry of a name has no effect. */
	if ((to - *nr_kept + nr_hidden) % 2)
		made[to] = syt_asprintf("%s", made[to - 1]);
	return made;
}

/* Stores the end NOW of the program PID, which has recorded events into DIR and was killed. */
static void mark_end(const char *dir, pid_t pid, const struct syt_clock_pair *now)
{
	struct syt_live l;

	if (syt_live_open_directory(&l, dir))
		syt_live_mark_end(&l, (uint32_t)pid, now);
	syt_live_close(&l);
}

/* Prints the result after the program has ended. */
static void report(const struct options *o, const struct check *check, bool is_blind, pid_t pid)
{
	struct syt_clock_pair now = syt_clock_pair_now();
	int fd = open(check->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct syt_summary s;

	if (fd >= 0) {
		syt_perf_maps_keep(fd, fd);
		close(fd);
	}
	if (syt_summary_read(&s, check->dir, pid)) {
		syt_warn("the trace directory %s was removed or renamed during the recording, so "
		         "there is no summary",
		         check->dir);
		return;
	}
	if (!s.has_pid && !check->has_warned && !is_blind) {
		syt_warn("nothing was recorded of %s itself:", o->command[0]);
		explain(check->program, check->dir);
	} else if (s.has_pid && !o->is_quiet)
		syt_refusal_explain_noted(check->dir);
	if (s.has_pid)
		mark_end(check->dir, pid, &now);
	if (s.nr_dumps && !o->is_quiet)
		summarize(&s, o->dir, check->dir);
}

/* Stores the sampler of the option or of the environment in the trace in DIR. Returns false after a message. */
static bool set_sampler(const struct options *o, const char *dir)
{
	const char *text = o->sampler ? o->sampler : getenv("SYNTRACE_SAMPLE");
	const char *shadow = getenv("SYNTRACE_SAMPLE_SHADOW");
	const char *limit = o->budget ? o->budget : getenv("SYNTRACE_BUDGET");
	struct syt_budget budget = {.limit = 0};
	struct syt_live l;
	bool is_done;

	if (!has_text(text))
		return true;
	if (has_text(limit) && !syt_budget_parse(&budget, limit)) {
		syt_warn("SYNTRACE_BUDGET takes " BUDGET_FORM ", not '%s'", limit);
		return false;
	}
	if (!is_sampler(text)) {
		syt_warn("SYNTRACE_SAMPLE takes " SAMPLER_FORM ", not '%s'", text);
		return false;
	}
#if !defined(__x86_64__)
	syt_warn("samplers are available on x86-64 only");
	return false;
#endif
	is_done = syt_live_open_directory(&l, dir);
	if (is_done) {
		memcpy(l.trace->sampler, text, strlen(text));
		*syt_budget_of(l.trace) = budget;
		l.trace->is_shadow = shadow && *shadow && strcmp(shadow, "0") != 0;
		l.trace->unpaused = l.trace->control = SYT_CONTROL_SAMPLED;
	}
	syt_live_close(&l);
	return is_done;
}

/* Pauses the trace in DIR if an option or the environment asks for it. Returns false after a message. */
static bool pause_first(const struct options *o, const char *dir)
{
	const char *value = getenv("SYNTRACE_PAUSED");
	struct syt_live l;
	bool is_done;

	if (!o->is_paused && (!value || !*value || !strcmp(value, "0")))
		return true;
	is_done = syt_live_open_directory(&l, dir) && syt_pause(&l, false);

	syt_live_close(&l);
	return is_done;
}

static int record(struct options *o, const struct syt_program *p)
{
	bool is_new = false, is_blind = syt_program_blindness(p) == SYT_BLINDNESS_ALL;
	char *library = syt_library_find();
	char *dir = library ? syt_directory_create(o->dir, o->keep, &is_new) : NULL;
	struct check check = {.program = p, .trigger = &o->trigger, .dir = dir, .name = o->dir};
	char **environment = NULL;
	size_t nr_kept = 0;
	int status = SYT_STATUS_TOOL;

	if (!dir)
		goto end;
	if (is_blind) {
		syt_warn("nothing will be recorded of %s, or of the programs that it starts:",
		         o->command[0]);
		explain(p, dir);
	}

	struct syt_answerer *answerer = is_blind ? NULL : syt_answerer_start(dir);
	char *id = syt_answerer_id(answerer);

	if (!is_blind)
		environment = make_environment(o, p, library, dir, id, &nr_kept);

	struct syt_launch launch = {
		.argv = o->command,
		.environment = environment,
		.duration_ms = o->duration_ms,
		.check = is_blind ? NULL : check_in,
		.trigger = is_blind ? 0 : o->trigger.signal,
		.on_trigger = copy_trace,
		.watched = -1,
		.on_watched = read_watch,
		.context = &check,
	};

	if (is_blind ||
	    (set_sampler(o, dir) && pause_first(o, dir) && syt_trigger_start(&o->trigger, dir))) {
		launch.watched = o->trigger.pid ? o->trigger.fd : -1;
		status = syt_launch(&launch);
	}
	syt_trigger_end(&o->trigger, tell_why, &check);
	syt_answerer_stop(answerer);
	if (launch.pid)
		report(o, &check, is_blind, launch.pid);
	if (is_new)
		rmdir(dir); /* removes the directory only if nothing was recorded */
	for (char **own = environment ? environment + nr_kept : NULL; own && *own; own++)
		free(*own);
	free(environment);
	free(check.copied);
	free(id);
end:
	free(dir);
	free(library);
	return status;
}

static int run(void *options)
{
	struct options *o = options;
	struct syt_program *p = syt_program_create(o->command[0]);
	int status;

	/* A program that cannot run must not rename the previous trace. */
	if (p->is_missing) {
		syt_warn("cannot run %s", p->error);
		status = SYT_STATUS_NOT_FOUND;
	} else if (p->refusal) {
		errno = p->refusal;
		syt_warn_errno("cannot run %s", o->command[0]);
		status = SYT_STATUS_NOT_RUN;
	} else {
		status = record(o, p);
	}
	syt_program_destroy(p);
	return status;
}

static void fini(void *options)
{
	struct options *o = options;

	free(o->ring);
	free(o->max_size);
	syt_trigger_fini(&o->trigger);
}

const struct syt_launcher_verb syt_verb_record = {
	.run = run,
	.argp = &argp,
	.options_bytes = sizeof(struct options),
	.defaults = &(const struct options){.dir = SYT_DIR_DEFAULT,
                                            .trigger = {.every = TRIGGER_EVERY_DEFAULT,
                                                        .nr_left = TRIGGER_MAX_DEFAULT}},
	.fini = fini,
	.argp_flags = ARGP_IN_ORDER,
	.usage = SYT_STATUS_TOOL,
};
