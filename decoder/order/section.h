/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The critical sections of one mutex, and the other objects that they wake or wait for.
 *
 * A critical section lasts from the lock call to the unlock call of the same thread. A wait for a condition
 * variable splits a critical section into several holdings of the mutex. Holdings do not overlap, so they have an
 * order. For a recursive mutex, only the outermost critical sections count.
 */
#ifndef SYT_DECODER_SECTION_H
#define SYT_DECODER_SECTION_H

#include "decoder/order/order.h"

struct syt_section {
	struct syt_place begin, end; /* lock and unlock event; end.thread SYT_NONE: no unlock */
};

/* One holding of the mutex: the time from an acquisition to the next release. */
struct syt_hold {
	uint32_t section;
	struct syt_place acquire; /* the lock event, or the wait that acquired the mutex again */
	uint32_t
		waits_for; /* trace-wide condition variable whose wait ends the hold, or SYT_NONE */
	bool is_last;      /* the last holding of its critical section */
	bool is_after_failed_wait; /* holding begins after a wait that timed out or was cancelled */
};

enum syt_use { SYT_USE_WAKE, SYT_USE_WAKE_ALL, SYT_USE_WAIT };

/* The use of OBJECT by a critical section. A section wakes OBJECT by a signal, post or write inside of the section,
 * or as the thread's next synchronization event. A section waits for OBJECT if OBJECT is a condition variable of a
 * wait inside of the section, or if the thread waited for a token or data of OBJECT just before the section. */
struct syt_section_use {
	uint32_t object; /* trace-wide number; both ends of a connection have one number */
	uint32_t section;
	uint8_t use; /* enum syt_use */
};

struct syt_sections {
	size_t nr, room;
	struct syt_section *all; /* sorted by their begins */
	size_t nr_holds, room_holds;
	struct syt_hold *holds; /* sorted by time */
	size_t nr_uses, room_uses;
	struct syt_section_use *uses; /* sorted by object, then critical section */
};

/* Finds the critical sections of MUTEX, from the time on at which no event on MUTEX is missing. Returns false if a
 * thread unlocks MUTEX without having locked it, because critical sections then have no meaning. Close S in all
 * cases. */
bool syt_sections_open(struct syt_sections *s, const struct syt_order *o, uint32_t mutex);
void syt_sections_close(struct syt_sections *s);

#endif
