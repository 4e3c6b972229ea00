/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Notes the calls that are about to move bytes, because some of these calls never return.
 *
 * The kernel delivers a signal when a system call returns. If a handler then ends the process or
 * jumps away, the bytes were often moved, but no event counts them. The kernel may also end a
 * process there, and a thread may be cancelled. After an unrecorded call, all later bytes of the
 * stream are at a higher position than their events say.
 *
 * So the slot of the thread names the bytes that a call may move, before the call moves them. The
 * note takes some stores to a page that every event writes to. A call that returns removes its
 * entry. A remaining entry shows a call that was left by a jump or that never returned. One entry
 * for each object is enough, because the doubt begins at its position.
 *
 * Any thread, signal handlers included; no system call, no errno.
 */
#ifndef SYT_RUNTIME_IN_FLIGHT_H
#define SYT_RUNTIME_IN_FLIGHT_H

#include "runtime/endpoint.h"
#include "runtime/frame.h"

/* Notes that F's call is about to send to E (IS_OUT) or to receive from it. Returns the entry. */
uint8_t syt_in_flight_begin(const struct syt_frame *f, const struct syt_endpoint *e, bool is_out);

/* Removes ENTRY: the call has returned, and its bytes are counted and recorded. */
void syt_in_flight_end(const struct syt_frame *f, const struct syt_endpoint *e, uint8_t entry);

#endif
