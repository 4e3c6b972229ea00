/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The wakes, requeues and waits of a family of futex words. Two futex words belong to one family if waiters
 * were moved between them, or if one call woke waiters of both. decoder/match/match_futex.c derives the
 * happens-before edges, and keeps its intermediate results in members of these structures. */
#ifndef SYT_DECODER_FUTEX_H
#define SYT_DECODER_FUTEX_H

#include "decoder/match/match.h"
#include "decoder/match/wakeup.h"

struct syt_futex_wake {
	syt_time in, latest;
	syt_time latest_so_far; /* maximum of `latest` up to this element */
	struct syt_place place;
	uint32_t word, word2; /* trace-wide numbers of the futex words; word2 may be SYT_NONE */
	uint32_t bitset;      /* bits of the call; 0 means any bit */
	uint64_t spare;       /* number of its wake-ups not certainly used by a wait */
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
	uint64_t first; /* index of the wait's first element in `candidates` */
	uint32_t nr;
	bool is_certain; /* one possible wake is left, and its wake-up is subtracted */
	/* a waker was not recorded, so another wait may have used this wake-up */
	bool is_doubtful;
	enum syt_reason reason; /* reason why the wait has no edge, if nr is 0 */
};

/* The events of one family of futex words. */
struct syt_futexes {
	struct syt_match *m;
	syt_time complete_from;
	bool is_preshared;
	uint32_t nr_wakes, nr_waits, nr_moves;
	uint64_t nr_candidates;
	struct syt_futex_wake *wakes; /* sorted by begin (in) */
	struct syt_wakeup *wakeups;   /* [wake]: its remaining wake-ups */
	struct syt_futex_wait *waits; /* sorted by end (out) */
	struct syt_futex_move *moves; /* sorted by begin (in) */
	uint32_t *candidates;
	size_t room_wakes, room_wakeups, room_waits, room_moves, room_candidates;
};

/* Calls MATCH once for each family of futex words in the trace. F must be zeroed except its member m. */
void syt_futexes_each(struct syt_futexes *f, void (*match)(struct syt_futexes *f));

#endif
