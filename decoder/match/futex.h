/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * What happened on futexes: the wakes, requeues and waits of a family of words, which are all the
 * words between which waiters were moved, or that one wake woke together.  decoder/match/match_futex.c
 * says who woke whom.  Matching scratch is kept beside the events.
 */
#ifndef SYT_DECODER_FUTEX_H
#define SYT_DECODER_FUTEX_H

#include "decoder/match/match.h"
#include "decoder/match/wakeup.h"

struct syt_futex_wake {
	syt_time in, latest;
	syt_time latest_so_far; /* of all up to this one */
	struct syt_place place;
	uint32_t word, word2; /* trace-wide objects; word2: or SYT_NONE */
	uint32_t bitset;      /* 0: any */
	uint64_t spare;       /* its own wake-ups that are not certainly somebody's */
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
	uint64_t first; /* candidates */
	uint32_t nr;
	bool is_certain;        /* one is left, and has been counted */
	bool is_doubtful;       /* it may have what is another's, because somebody is not seen */
	enum syt_reason reason; /* when nr is 0 */
};

/* Words between which waiters were moved. */
struct syt_futexes {
	struct syt_match *m;
	syt_time complete_from;
	bool is_preshared;
	uint32_t nr_wakes, nr_waits, nr_moves;
	uint64_t nr_candidates;
	struct syt_futex_wake *wakes; /* by in */
	struct syt_wakeup *wakeups;   /* of them */
	struct syt_futex_wait *waits; /* by out */
	struct syt_futex_move *moves; /* by in */
	uint32_t *candidates;
	size_t room_wakes, room_wakeups, room_waits, room_moves, room_candidates;
};

/* Calls MATCH for each family of the trace. F is all zero but for m. */
void syt_futexes_each(struct syt_futexes *f, void (*match)(struct syt_futexes *f));

#endif
