/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The triggers of `syntrace record` copy the trace after a signal, a slow call, or a lock that is held for a long
 * time. `syntrace-decode watch` finds slow calls and held locks in the dumps, and reports through a pipe. */
#ifndef SYT_TOOL_TRIGGER_H
#define SYT_TOOL_TRIGGER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define SYT_TRIGGER_LINE 4096u

struct syt_trigger {
	int signal;            /* number of the trigger signal; 0: none */
	size_t nr;             /* number of options in `watch` */
	char **watch;          /* options for `syntrace-decode watch` */
	double every;          /* minimum number of seconds between two copies */
	unsigned long nr_left; /* remaining number of copies for slow calls and held locks */
	/* syt_trigger_start() sets the following members. */
	pid_t pid; /* process id of the decoder; 0: the decoder does not run */
	int fd;
	size_t used;
	bool has_begun; /* `line` contains the begin of a line */
	bool is_ending;
	char line[SYT_TRIGGER_LINE];
};

/* Adds the trigger TEXT, the argument of --trigger. Returns NULL, or an error message without its subject, such as
 * "takes one signal". */
const char *syt_trigger_add(struct syt_trigger *t, const char *text);

/* Starts the decoder for the trace in DIR. Returns false after a message. */
bool syt_trigger_start(struct syt_trigger *t, const char *dir);
/* Reads events from `fd`. Calls BEGIN at the begin of each event, and TELL after the description WHAT. Returns
 * false if the decoder has ended. */
bool syt_trigger_read(struct syt_trigger *t, void (*begin)(void *context),
                      void (*tell)(void *context, const char *what), void *context);
/* Ends the decoder after the program has ended. Waits up to 5 seconds for the description of the last event. */
void syt_trigger_end(struct syt_trigger *t, void (*tell)(void *context, const char *what),
                     void *context);
void syt_trigger_fini(struct syt_trigger *t);

#endif
