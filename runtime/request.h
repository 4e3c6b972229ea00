/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Questions to `syntrace record`, which may hold the fds that a traced process must not.  A
 * question is a few stores into the trace's shared file, and a futex wake when somebody sleeps;
 * nobody waits for the answer, which the decoder reads.  Nobody answers when the program was
 * started without it.
 *
 * Inside of runtime/ only; lock-free; any thread, signal handlers included.
 */
#ifndef SYT_RUNTIME_REQUEST_H
#define SYT_RUNTIME_REQUEST_H

#include "format/format.h"

/* Which socket is the other end of FD, a connected unix socket that M describes? */
void syt_request_peer(int fd, const struct syt_meta_endpoint *m);

#endif
