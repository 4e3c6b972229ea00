/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Supports vfork, whose child runs in the memory and on the thread of its parent. The kernel stops the parent
 * until the child calls exec or exits. The child has its own file descriptors and its own pid. */
#ifndef SYT_PRELOAD_VFORK_H
#define SYT_PRELOAD_VFORK_H

#include <stddef.h>

/* Registers memory that the calling vfork child mapped for its exec. The parent unmaps it. If no
 * vfork child is running, the function does nothing. */
void syt_vfork_left(void *address, size_t bytes);

#endif
