/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The critical sections of one mutex, and what they have to do with other objects: whom they wake,
 * and what they wait for.
 *
 * A section goes from a lock to the unlock by the same thread; a cond wait cuts it into holds,
 * which are disjoint and so have an order.  Of a recursive mutex only the outermost count.
 */
#ifndef SYT_DECODER_SECTION_H
#define SYT_DECODER_SECTION_H

#include "decoder/history/history.h"

struct syt_section {
	struct syt_place begin,
		end; /* the lock; the unlock, thread SYT_NONE: it has not been seen */
};

/* From one acquisition to the next release. */
struct syt_hold {
	uint32_t section;
	struct syt_place acquire; /* the lock, or the cond wait that took the mutex back */
	uint32_t waits_for; /* trace-wide number of the cond whose wait ends it, or SYT_NONE */
	bool is_last;       /* the section ends with it */
	bool is_in_vain;    /* it begins after a wait that timed out or was cancelled */
};

enum syt_use { SYT_USE_WAKE, SYT_USE_WAKE_ALL, SYT_USE_WAIT };

/* A section signals or posts OBJECT, inside of it or as the thread's next synchronization after it;
 * or it waits for it: a cond, inside, or what the thread took a token or bytes of just before. */
struct syt_section_use {
	uint32_t object; /* trace-wide; of a socket with a peer, one of the two for both */
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

/* Of the mutex OBJECT, from where on no event on it is missing. False when it has none that mean
 * anything: a thread unlocks it without having locked it. To be closed in any case. */
bool syt_sections_open(struct syt_sections *s, const struct syt_places *places,
                       const struct syt_objects *objects, const struct syt_histories *histories,
                       uint32_t object);
void syt_sections_close(struct syt_sections *s);

#endif
