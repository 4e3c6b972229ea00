/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Calls that are about to move bytes, for those of them that never come back.
 *
 * A signal is delivered when a system call returns, so a handler that ends the process (or jumps away) in the middle of
 * a call finds its effect done more often than not; the kernel may end a process there, too, and a thread may be cancelled.
 * Then bytes are under way that nobody counts, and all that is sent afterwards stands further on than its position says.
 * So the slot of the thread names what a call may move before it moves it: some stores, to a page that every event writes to.
 * What came back is taken out again; what is still there was left, or never returned. One entry for each object is enough,
 * because its position is where the doubt begins.  Any thread, signal handlers included; no system call, no errno.
 */
#ifndef SYT_RUNTIME_MOVING_H
#define SYT_RUNTIME_MOVING_H

#include "runtime/endpoint.h"
#include "runtime/frame.h"

/* The call of F is about to send to E (IS_OUT) or to receive from it. Returns what syt_moving_end wants. */
uint8_t syt_moving_begin(const struct syt_frame *f, const struct syt_endpoint *e, bool is_out);

/* It has returned, and what it moved is counted and recorded. */
void syt_moving_end(const struct syt_frame *f, const struct syt_endpoint *e, uint8_t entry);

#endif
