/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The critical sections of one mutex, and their use of other objects: wakes and waits.
 *
 * A section goes from a lock to the unlock by the same thread. A wait for a condition variable cuts a section into
 * holds, which are disjoint and therefore ordered. Only the outermost sections of a recursive mutex count.
 */
#ifndef SYT_DECODER_SECTION_H
#define SYT_DECODER_SECTION_H

#include "decoder/order/order.h"

struct syt_section {
	struct syt_place begin, end; /* lock and unlock; end.thread SYT_NONE: not recorded */
};

/* The time from one acquisition of the mutex to the next release. */
struct syt_hold {
	uint32_t section;
	struct syt_place acquire; /* the lock, or the wait that acquired the mutex again */
	uint32_t
		waits_for; /* condition variable (trace-wide) whose wait ends the hold, or SYT_NONE */
	bool is_last;      /* the last hold of its section */
	bool is_after_failed_wait; /* the hold begins after a wait that timed out or was cancelled */
};

enum syt_use { SYT_USE_WAKE, SYT_USE_WAKE_ALL, SYT_USE_WAIT };

/* A section wakes OBJECT by a signal or post, inside of the section or as the thread's next synchronization; or
 * waits for OBJECT, a condition variable inside of the section, or a token or bytes just before the section. */
struct syt_section_use {
	uint32_t object; /* trace-wide; one object for both ends of a connection */
	uint32_t section;
	uint8_t use; /* enum syt_use */
};

struct syt_sections {
	size_t nr, room;
	struct syt_section *all; /* in order of their begins */
	size_t nr_holds, room_holds;
	struct syt_hold *holds; /* in order */
	size_t nr_uses, room_uses;
	struct syt_section_use *uses; /* by object, then section */
};

/* Finds the sections of MUTEX, from the time on at which no event on MUTEX is missing. Returns false if the
 * sections have no meaning, because a thread unlocks MUTEX without a lock. Close S in all cases. */
bool syt_sections_open(struct syt_sections *s, const struct syt_order *o, uint32_t mutex);
void syt_sections_close(struct syt_sections *s);

#endif
