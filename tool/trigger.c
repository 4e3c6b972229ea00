/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#define _GNU_SOURCE
#include "tool/trigger.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "tool/child.h"
#include "tool/options.h"

#define REST_MS 5000 /* time limit for the decoder's description of the last event */
#define NICER 5      /* nice value of the decoder relative to the program */
#define MOST_ONE_IN 1000000000ul

/* Returns whether TEXT up to END is a time with the unit us, ms or s, from a microsecond to a day. */
static bool is_span(const char *text, const char *end)
{
	static const struct {
		const char *name;
		double seconds;
	} units[] = {{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
	char *unit;
	double n = strtod(text, &unit);

	if (*text < '0' || *text > '9' || strspn(text, "0123456789.") != (size_t)(unit - text))
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if ((size_t)(end - unit) == strlen(units[i].name) &&
		    !strncmp(unit, units[i].name, strlen(units[i].name)))
			return n * units[i].seconds >= 0.999e-6 && n * units[i].seconds <= 86400;
	return false;
}

static int signal_of(const char *text)
{
	static const struct {
		const char *name;
		int number;
	} signals[] = {{"USR1", SIGUSR1}, {"USR2", SIGUSR2}, {"HUP", SIGHUP}};

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if (!strcmp(text, signals[i].name))
			return signals[i].number;
	return 0;
}

static void add_option(struct syt_trigger *t, char *option)
{
	t->watch = syt_realloc(t->watch, t->nr + 1, sizeof(*t->watch));
	t->watch[t->nr++] = option;
}

/* Returns the number behind the last colon of TEXT, in MODEL:N, or NULL: TEXT is a file name only. */
static const char *one_in_of(const char *text)
{
	const char *colon = strrchr(text, ':');

	return colon && colon[1] && !colon[1 + strspn(colon + 1, "0123456789")] ? colon + 1 : NULL;
}

/* Adds the trigger for requests that depart from a model. TEXT is MODEL or MODEL:N. */
static const char *add_odd(struct syt_trigger *t, const char *text)
{
	static const char option[] = "--against=";
	const char *one_in = one_in_of(text), *why = NULL;
	size_t bytes = one_in ? (size_t)(one_in - text) - 1 : strlen(text);
	unsigned long nr;
	char *model;

	for (size_t n = 0; n < t->nr; n++)
		if (!strncmp(t->watch[n], option, sizeof(option) - 1))
			return "takes at most one odd=MODEL";
	if (one_in && !syt_parse_count(one_in, MOST_ONE_IN, &nr))
		return "takes a number from 1 to 1000000000 after odd=MODEL:";
	model = syt_strndup(text, bytes);
	if (access(model, R_OK))
		why = "takes a readable file of syntrace-decode workload --save after odd=";
	else
		add_option(t, syt_asprintf("%s%s", option, model));
	if (!why && one_in)
		add_option(t, syt_asprintf("--one-in=%s", one_in));
	free(model);
	return why;
}

const char *syt_trigger_add(struct syt_trigger *t, const char *text)
{
	bool is_slow = !strncmp(text, "slow=", 5), is_hold = !strncmp(text, "hold=", 5);
	const char *colon = is_slow ? strchr(text, ':') : NULL;
	int signal = signal_of(text);

	if (signal) {
		if (t->signal && t->signal != signal)
			return "takes at most one signal";
		t->signal = signal;
		return NULL;
	}
	if (!strncmp(text, "odd=", 4))
		return add_odd(t, text + 4);
	if (!is_slow && !is_hold)
		return "takes USR1, USR2, HUP, slow=TIME, slow=TIME:CALL, hold=TIME, odd=MODEL or "
		       "odd=MODEL:N";
	if (!is_span(text + 5, colon ? colon : text + strlen(text)))
		return "takes a time from 1us to 86400s after slow= and hold=, as in slow=50ms";
	if (colon && !colon[1])
		return "takes the name of a call after slow=TIME:";
	add_option(t, syt_asprintf("--%s", text));
	return NULL;
}

/* Starts the decoder with its output to OUT. Returns its process id, or 0 after a message. */
static pid_t spawn(const struct syt_trigger *t, const char *dir, int out)
{
	char **argv = syt_calloc(t->nr + 7, sizeof(*argv));
	char *every = syt_asprintf("--every=%.3fs", t->every);
	size_t nr = 0;

	argv[nr++] = (char *)"syntrace-decode";
	argv[nr++] = (char *)"watch";
	argv[nr++] = (char *)"--stay";
	argv[nr++] = every;
	memcpy(argv + nr, t->watch, t->nr * sizeof(*argv));
	argv[nr + t->nr] = (char *)"--";
	argv[nr + t->nr + 1] = (char *)(uintptr_t)dir;
	pid_t pid = syt_decoder_start(argv, out, -1,
	                              ", so slow calls and long-held locks will not cause copies "
	                              "of the trace");

	free(argv);
	free(every);
	return pid;
}

bool syt_trigger_start(struct syt_trigger *t, const char *dir)
{
	int ends[2];

	if (!t->nr)
		return true;
	if (pipe2(ends, O_CLOEXEC)) {
		syt_warn_errno("cannot create a pipe");
		return false;
	}
	t->pid = spawn(t, dir, ends[1]);
	close(ends[1]);
	if (!t->pid) {
		close(ends[0]);
		return false;
	}
	setpriority(PRIO_PROCESS, (id_t)t->pid, getpriority(PRIO_PROCESS, 0) + NICER);
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	t->fd = ends[0];
	return true;
}

/* Waits for the end of the decoder process and takes its exit status. */
static void collect(struct syt_trigger *t)
{
	(void)TEMP_FAILURE_RETRY(waitpid(t->pid, NULL, 0));
	close(t->fd);
	t->pid = 0;
}

static void stop(struct syt_trigger *t)
{
	if (!t->pid)
		return;
	kill(t->pid, SIGKILL); /* the decoder has no data to save */
	collect(t);
}

bool syt_trigger_read(struct syt_trigger *t, void (*begin)(void *context),
                      void (*tell)(void *context, const char *what), void *context)
{
	ssize_t n = read(t->fd, t->line + t->used, sizeof(t->line) - t->used);
	char *end;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	if (n <= 0) {
		syt_warn("syntrace-decode watch has ended, so slow calls and long-held locks cause "
		         "no more copies of the trace; recording continues");
		collect(t);
		return false;
	}
	t->used += (size_t)n;
	/* Truncates a line of the decoder's output that is too long. */
	if (t->used == sizeof(t->line))
		t->line[t->used - 1] = '\n';
	while (t->pid && t->used) {
		size_t bytes;

		if (!t->has_begun)
			begin(context);
		end = memchr(t->line, '\n', t->used);
		t->has_begun = !end;
		if (!end)
			break;
		bytes = (size_t)(end - t->line) + 1;
		*end = 0;
		tell(context, t->line);
		t->used -= bytes;
		memmove(t->line, t->line + bytes, t->used);
		if (!--t->nr_left) {
			syt_warn("--trigger-max is reached: slow calls and long-held locks cause "
			         "no more copies of the trace; recording continues");
			stop(t);
		}
		if (t->is_ending)
			break;
	}
	return t->pid;
}

void syt_trigger_end(struct syt_trigger *t, void (*tell)(void *context, const char *what),
                     void *context)
{
	struct pollfd watch = {.fd = t->fd, .events = POLLIN};

	t->is_ending = true; /* makes syt_trigger_read() stop after one event */
	while (t->pid && t->has_begun && poll(&watch, 1, REST_MS) > 0)
		syt_trigger_read(t, NULL, tell, context);
	stop(t);
}

void syt_trigger_fini(struct syt_trigger *t)
{
	for (size_t i = 0; i < t->nr; i++)
		free(t->watch[i]);
	free(t->watch);
}
