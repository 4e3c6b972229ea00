/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The short form of the calls that move bytes or wait for descriptors: one call of the recorder before the real call and one after it.
 * The event has only the members that the call has, and no other member is cleared or copied. The rules of
 * runtime/frame.h hold.
 *
 * The functions do exactly the work of the steps that they replace, in the same order. In an unusual case
 * they do nothing, and the wrapper takes these steps (preload/io.c): a signal handler that interrupted the
 * recorder, a pause, a vfork child, a stack that is not the thread's own, a descriptor that is not known yet.
 */
#ifndef SYT_RUNTIME_MOVE_H
#define SYT_RUNTIME_MOVE_H

#include <stdbool.h>
#include <stdint.h>

#include "format/event.h"
#include "runtime/endpoint.h"
#include "runtime/frame.h"

/* Returned by syt_move_begin() in an unusual case. */
#define SYT_MOVE_UNUSUAL UINT8_MAX

/* Begins CALL, which sends to FD (IS_OUT) or receives from it: gets the endpoint, captures the call stack of the
 * wrapper's frame FP, notes the call in the dump and reads the clock. Fills F and E. Returns the number of the
 * note (syt_in_flight_begin()), or SYT_MOVE_UNUSUAL, with F and E undefined. */
uint8_t syt_move_begin(struct syt_frame *f, struct syt_endpoint *e, const void *fp, uint32_t call,
                       int fd, bool is_out);

/* Ends CALL, which moved BYTES (not 0) by syt_move_begin() with these F, E, IS_OUT and NOTE, and has no other
 * properties: counts the bytes, reads the clock, records the event and removes the note. Returns false if the
 * kind of endpoint needs other steps; the function then has done nothing. */
bool syt_move_end(struct syt_frame *f, const struct syt_endpoint *e, uint32_t call, bool is_out,
                  uint8_t note, uint64_t bytes);

/* Begins CALL, which waits until a descriptor of the epoll instance EP is ready, as syt_move_begin() does. Returns
 * false in an unusual case, with F and E undefined. */
bool syt_ready_begin(struct syt_frame *f, struct syt_endpoint *e, const void *fp, uint32_t call,
                     int ep);

/* Ends CALL, which syt_ready_begin() began with F on OBJECT, and which found the one descriptor READY: records the
 * event with the time F->out. */
void syt_ready_end(struct syt_frame *f, uint32_t call, uint32_t object, struct syt_ready ready);

#endif
