/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Describes the fds that a process image passes on to the image that replaces it (exec) or that it spawns. The
 * description tells which fd is an eventfd, epoll instance, timerfd or signalfd, and gives its identity,
 * because the kernel has no name for these. The description is a text in the environment of the exec.
 *
 * The functions allocate nothing, call no libc function, and may run in any thread and in vfork children.
 */
#ifndef SYT_RUNTIME_ENDPOINT_INHERIT_H
#define SYT_RUNTIME_ENDPOINT_INHERIT_H

#include <stdbool.h>
#include <stddef.h>

enum syt_inherit {
	SYT_INHERIT_NONE,  /* the fds of the new image are unknown */
	SYT_INHERIT_EXEC,  /* the new image has the same pid (exec) */
	SYT_INHERIT_SPAWN, /* a child, with the fds of this process */
};

/* Returns the maximum number of bytes of the text that describes the fds; 0: the text would be empty. */
size_t syt_endpoint_inherit_bytes(enum syt_inherit inherit);
/* Writes the description of the fds to TEXT. Returns false, with TEXT empty, if there is no fd to describe. */
bool syt_endpoint_inherit_text(enum syt_inherit inherit, char *text, size_t bytes);

/* Assigns the identities in TEXT to this process's fds if TEXT was made for this process. Call it in the
 * new process image, before the program runs. */
void syt_endpoint_inherit(const char *text);

#endif
