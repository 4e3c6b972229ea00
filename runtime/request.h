/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Sends questions to `syntrace record`, which may hold descriptors that a traced process must not hold. A
 * question is a few stores into the trace's shared file, and a futex wake if `syntrace record` sleeps. The
 * process does not wait for the answer, which only the decoder reads. A program that was started without
 * `syntrace record` gets no answer.
 *
 * Only runtime/ uses this function. It is lock-free and may run in any thread and in signal handlers.
 */
#ifndef SYT_RUNTIME_REQUEST_H
#define SYT_RUNTIME_REQUEST_H

#include "format/format.h"

/* Asks `syntrace record` to find the peer of FD, a connected unix socket that M describes. */
void syt_request_peer(int fd, const struct syt_meta_endpoint *m);

#endif
