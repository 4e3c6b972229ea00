/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Turns: a turn is the execution of a thread from one wait at the head of its loop to the next (doc/sampling.md). This module finds
 * the begins of turns event by event, as a recorder would, so it knows only the past of the thread.
 */
#ifndef SYT_DECODER_SAMPLE_TURN_H
#define SYT_DECODER_SAMPLE_TURN_H

#include "decoder/read/trace.h"

#define SYT_SAMPLE_TURN_EVENTS 4096u
#define SYT_SAMPLE_TURN_NS UINT64_C(1000000000)

/* The present turn of a thread. A thread without events has only zero members. */
struct syt_sample_turn {
	uint32_t nr;     /* number of events of the turn */
	uint32_t head;   /* site of the wait at the head of the loop plus 1; 0: no wait yet */
	uint32_t latest; /* site of the latest wait plus 1, if it is not the head's; otherwise 0 */
	uint16_t depth;  /* stack depth of the head */
	uint64_t since_ns; /* time of the first event */
};

/* Returns true if the next event of the thread begins a turn, and updates T. SITE and DEPTH are the site and the stack depth of
 * the event; NS is its time. IS_WAIT: the event is a wait, see syt_sample_is_wait(). IS_KEPT: a sampler keeps the
 * turn up to now, so the head does not change. */
bool syt_sample_turn_begins(struct syt_sample_turn *t, uint32_t site, uint16_t depth, bool is_wait,
                            bool is_kept, uint64_t ns);

/* Returns true if the event R is a wait: a readiness call, a wait for a condition variable, or a call other than that of a lock
 * that waited for another thread, for a process, for input or for some time. */
bool syt_sample_is_wait(const struct syt_image *i, const struct syt_row *r,
                        const struct syt_extra *x);

#endif
