/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The wakes, requeues and waits of a family of futex words. Two words belong to one family if
 * waiters were moved between them, or if one call woke waiters of both. decoder/match/match_futex.c
 * derives the edges. Scratch members of matching are beside the events.
 */
#ifndef SYT_DECODER_FUTEX_H
#define SYT_DECODER_FUTEX_H

#include "decoder/match/match.h"
#include "decoder/match/wakeup.h"

struct syt_futex_wake {
	syt_time in, latest;
	syt_time latest_so_far; /* maximum up to this element */
	struct syt_place place;
	uint32_t word, word2; /* trace-wide objects; word2: or SYT_NONE */
	uint32_t bitset;      /* 0: any bit */
	uint64_t spare;       /* its wake-ups that are not certainly used by a wait */
};

struct syt_futex_move {
	syt_time in, latest, latest_so_far;
	struct syt_place place;
	uint32_t from, to;
};

struct syt_futex_wait {
	syt_time in, out;
	struct syt_place place;
	uint32_t word, bitset;
	uint64_t first; /* index of its candidates */
	uint32_t nr;
	bool is_certain; /* one candidate is left, and its wake-up is subtracted */
	/* another wait may have used its wake-up, because a waker was not recorded */
	bool is_doubtful;
	enum syt_reason reason; /* if nr is 0 */
};

/* One family of words. */
struct syt_futexes {
	struct syt_match *m;
	syt_time complete_from;
	bool is_preshared;
	uint32_t nr_wakes, nr_waits, nr_moves;
	uint64_t nr_candidates;
	struct syt_futex_wake *wakes; /* by in */
	struct syt_wakeup *wakeups;   /* of the wakes */
	struct syt_futex_wait *waits; /* by out */
	struct syt_futex_move *moves; /* by in */
	uint32_t *candidates;
	size_t room_wakes, room_wakeups, room_waits, room_moves, room_candidates;
};

/* Calls MATCH for each family of the trace. All members of F except m are zero. */
void syt_futexes_each(struct syt_futexes *f, void (*match)(struct syt_futexes *f));

#endif
