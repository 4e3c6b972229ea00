/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * vfork: the child runs in its parent's memory and on its parent's thread, which the kernel stops
 * until the child execs or exits.  The child has file descriptors and a pid of its own, though.
 */
#ifndef SYT_PRELOAD_VFORK_H
#define SYT_PRELOAD_VFORK_H

#include <stddef.h>

/* The calling vfork child has mapped this for its exec: the parent gives it back. */
void syt_vfork_left(void *address, size_t bytes);

#endif
