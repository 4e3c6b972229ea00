/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The triggers of `syntrace record`: a signal, a slow call, or a lock that is held for a long time makes a copy of
 * the trace. `syntrace-decode watch` finds slow calls and held locks: it reads the dumps, and reports through a
 * pipe. */
#ifndef SYT_TOOL_TRIGGER_H
#define SYT_TOOL_TRIGGER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define SYT_TRIGGER_LINE 4096u

struct syt_trigger {
	int signal;            /* 0: none */
	size_t nr;             /* number of options in `watch` */
	char **watch;          /* options for `syntrace-decode watch` */
	double every;          /* least number of seconds between two copies */
	unsigned long nr_left; /* copies that slow calls and held locks may still make */
	/* the following members are set by syt_trigger_start() */
	pid_t pid; /* the decoder; 0: it does not run */
	int fd;
	size_t used;
	bool has_begun; /* a line has begun */
	bool is_ending;
	char line[SYT_TRIGGER_LINE];
};

/* Adds a trigger from TEXT, the argument of --trigger. Returns NULL, or the error as the rest of a sentence: "takes
 * ..." after the name of the option. */
const char *syt_trigger_add(struct syt_trigger *t, const char *text);

/* Starts the decoder for the trace in DIR. Returns false after a message. */
bool syt_trigger_start(struct syt_trigger *t, const char *dir);
/* Reads from `fd`. For each event, calls BEGIN at once, and TELL when the description WHAT has arrived. Returns
 * false if the decoder has ended. */
bool syt_trigger_read(struct syt_trigger *t, void (*begin)(void *context),
                      void (*tell)(void *context, const char *what), void *context);
/* Ends the decoder after the program has ended. Waits some seconds for the description of a begun event. */
void syt_trigger_end(struct syt_trigger *t, void (*tell)(void *context, const char *what),
                     void *context);
void syt_trigger_fini(struct syt_trigger *t);

#endif
