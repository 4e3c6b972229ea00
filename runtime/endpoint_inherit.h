/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The fds that a process image passes on to the image that replaces it (exec) or that it spawns. The list
 * says which fd is an eventfd, epoll instance, timerfd or signalfd, and which one, because the kernel has
 * no name for these. The list is a text, which travels in the environment with the exec itself.
 *
 * No allocation, no libc call; any thread; vfork children.
 */
#ifndef SYT_RUNTIME_ENDPOINT_INHERIT_H
#define SYT_RUNTIME_ENDPOINT_INHERIT_H

#include <stdbool.h>
#include <stddef.h>

enum syt_inherit {
	SYT_INHERIT_NONE,  /* the fds of the new image are unknown */
	SYT_INHERIT_EXEC,  /* the same process */
	SYT_INHERIT_SPAWN, /* a child, with the fds of this process */
};

/* Returns the maximum number of bytes of the text; 0: the text would be empty. */
size_t syt_endpoint_inherit_bytes(enum syt_inherit inherit);
/* Fills TEXT. Returns false, with TEXT empty, if there turns out to be no fd to list. */
bool syt_endpoint_inherit_text(enum syt_inherit inherit, char *text, size_t bytes);

/* Applies TEXT if it was meant for this process. Call it in the new image, before the program. */
void syt_endpoint_inherit(const char *text);

#endif
