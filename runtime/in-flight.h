/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Notes the calls that are about to move bytes, because some of these calls never return.
 *
 * The kernel delivers a signal when a system call returns. If a handler then ends the process or jumps away,
 * the bytes were often moved, but no event counts them. The kernel may also end the process, or the thread may
 * be cancelled, when the call returns. After an unrecorded call that moved bytes, all later bytes of the stream
 * are at a higher position than their events say.
 *
 * So, before a call moves bytes, the thread notes the endpoint and the position in the dump. The note takes
 * some stores to a page that every event writes to. A call that returns removes its note (entry). A remaining
 * entry shows a call that was left by a jump or that never returned. One entry for each endpoint is enough,
 * because all bytes behind its position are uncertain.
 *
 * Any thread and signal handler may call these functions, which make no system call and leave errno unchanged.
 */
#ifndef SYT_RUNTIME_IN_FLIGHT_H
#define SYT_RUNTIME_IN_FLIGHT_H

#include "runtime/endpoint.h"
#include "runtime/frame.h"
#include "runtime/self.h"

/* Returns the first free entry of M. Returns SYT_NR_IN_FLIGHT if no entry is free, or if OBJECT already has an
 * entry, from a call that this call interrupts or from a call that was left by a jump. */
uint8_t syt_in_flight_find(const struct syt_in_flight *m, uint32_t object, bool is_out);

/* Writes the note of a call on E, which has counters, to the entry M. Returns false if M is in use or the counters belong to
 * another endpoint by now. */
static inline bool syt_in_flight_note_first(struct syt_in_flight *m, const struct syt_endpoint *e,
                                            bool is_out)
{
	/* the upper bits of a counter are the generation of its endpoint */
	uint64_t position =
		__atomic_load_n(is_out ? &e->slot->tx : &e->slot->rx, __ATOMIC_RELAXED) ^
		(uint64_t)syt_facts_generation(e->facts) << 48;

	if (__builtin_expect(position > SYT_ENDPOINT_COUNT || m->object, 0))
		return false;
	m->position = position;
	m->is_out = is_out;
	SYT_ORDERED();
	m->object = e->object;
	SYT_ORDERED();
	return true;
}

/* Removes the note M of OBJECT. If a coroutine moved to another thread during the call, M now belongs to another
 * call. */
static inline void syt_in_flight_remove(struct syt_in_flight *m, uint32_t object)
{
	SYT_ORDERED();
	if (m->object == object)
		m->object = 0;
}

/* Notes that F's call is about to send to E (IS_OUT) or to receive from E. Returns the number of the note. */
uint8_t syt_in_flight_begin(const struct syt_frame *f, const struct syt_endpoint *e, bool is_out);

/* Removes the note ENTRY: the call has returned, and its bytes are counted and recorded. */
void syt_in_flight_end(const struct syt_frame *f, const struct syt_endpoint *e, uint8_t entry);

#endif
