/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * What an image leaves to the one that replaces it (exec) or that it spawns: which of the fds that
 * it passes on are which eventfd, epoll instance, timerfd or signalfd, for which the kernel has no
 * name that could be asked for.  A text, which travels in the environment with the exec itself.
 *
 * No allocation, no libc call; any thread; vfork children.
 */
#ifndef SYT_RUNTIME_ENDPOINT_HEIR_H
#define SYT_RUNTIME_ENDPOINT_HEIR_H

#include <stdbool.h>
#include <stddef.h>

enum syt_heir {
	SYT_HEIR_NONE,  /* its fds are not known */
	SYT_HEIR_EXEC,  /* the same process */
	SYT_HEIR_SPAWN, /* a child, with the fds of this process */
};

/* Bytes that the text takes at most; 0: there is nothing to say. */
size_t syt_endpoint_will_room(enum syt_heir heir);
/* Fills TEXT; false, and empty, when there turns out to be nothing to say. */
bool syt_endpoint_will(enum syt_heir heir, char *text, size_t bytes);

/* In the new image, before the program: TEXT, if it was meant for this process, comes into force.
 */
void syt_endpoint_inherit(const char *text);

#endif
