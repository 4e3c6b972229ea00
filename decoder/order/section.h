/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The critical sections of one mutex, and their use of other objects: wakes and waits.
 *
 * A section goes from a lock to the unlock by the same thread. A cond wait cuts it into holds,
 * which are disjoint and therefore ordered. Only the outermost sections of a recursive mutex count.
 */
#ifndef SYT_DECODER_SECTION_H
#define SYT_DECODER_SECTION_H

#include "decoder/order/order.h"

struct syt_section {
	struct syt_place begin, end; /* lock and unlock; end.thread SYT_NONE: not recorded */
};

/* The stretch from one acquisition to the next release. */
struct syt_hold {
	uint32_t section;
	struct syt_place acquire; /* the lock, or the cond wait that acquired the mutex again */
	/* trace-wide number of the condition variable on which it ends by waiting, or SYT_NONE */
	uint32_t waits_for;
	bool is_last;              /* the last hold of its section */
	bool is_after_failed_wait; /* it begins after a wait that timed out or was cancelled */
};

enum syt_use { SYT_USE_WAKE, SYT_USE_WAKE_ALL, SYT_USE_WAIT };

/* A section wakes OBJECT by a signal or post, inside of it or as the thread's next synchronization
 * after it. Or it waits for OBJECT: for a condition variable inside, or by taking a token or bytes
 * just before. */
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

/* Finds the sections of MUTEX, from the time on at which no event on it is missing.
 * Returns false if they have no meaning, because a thread unlocks it without having locked it.
 * Close S in all cases. */
bool syt_sections_open(struct syt_sections *s, const struct syt_order *o, uint32_t mutex);
void syt_sections_close(struct syt_sections *s);

#endif
