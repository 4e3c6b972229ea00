/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * What makes `syntrace record` copy the trace: a signal, a slow call, a lock that is held for long.  The latter two are seen by
 * `syntrace-decode watch`, which looks at the dumps from outside and tells us through a pipe.
 */
#ifndef SYT_TOOL_TRIGGER_H
#define SYT_TOOL_TRIGGER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define SYT_TRIGGER_LINE 4096u

struct syt_trigger {
	int signal;            /* 0: none */
	size_t nr;             /* of what is watched for */
	char **watch;          /* as options of `watch` */
	double every;          /* seconds from one copy to the next, at least */
	unsigned long nr_left; /* copies that may still be made for what is watched for */
	/* once it was started */
	pid_t pid; /* 0: nothing is watched */
	int fd;
	size_t used;
	bool has_begun; /* the line that is being read */
	bool is_ending;
	char line[SYT_TRIGGER_LINE];
};

/* TEXT as behind --trigger. NULL, or what is wrong with it: "--trigger takes ..., not 'TEXT'" */
const char *syt_trigger_add(struct syt_trigger *t, const char *text);

/* False after a message. */
bool syt_trigger_start(struct syt_trigger *t, const char *dir);
/* There is something at `fd`: for each thing that was seen calls BEGIN at once, and TELL when it is known what it is. False: nothing
 * is watched any more. */
bool syt_trigger_read(struct syt_trigger *t, void (*begin)(void *context),
                      void (*tell)(void *context, const char *what), void *context);
/* The program has ended: waits for the rest of what has begun, for some seconds, and stops watching. */
void syt_trigger_end(struct syt_trigger *t, void (*tell)(void *context, const char *what),
                     void *context);
void syt_trigger_fini(struct syt_trigger *t);

#endif
