/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Who is to blame for a wait: each instant of it is charged to what let it last then.
 *
 * For a lock that is its holder, with the call path by which it had got the lock.  A holder that
 * was in a call at that instant passes the blame on: to the holders of what it waited for itself,
 * or, when an edge tells who ended its wait, to what that thread did on its way there, and so on.  A
 * call of which nobody knows who ended it is to blame itself (a sleep, a read from a disk).
 *
 * The pieces of a wait are disjoint and their sum is the wait, always.  One thread at a time.
 */
#ifndef SYT_DECODER_ANALYSIS_BLAME_H
#define SYT_DECODER_ANALYSIS_BLAME_H

#include "decoder/order/label.h"
#include "decoder/order/order.h"
#include "decoder/analysis/holding.h"
#include "decoder/analysis/lockset.h"

/* clang-format off */
#define SYT_BLAMES(BLAME) \
	BLAME(HELD,     "held",      "the holder ran")                                               \
	BLAME(CALL,     "call",      "the holder was in a call")                                     \
	BLAME(RUNNING,  "running",   "the thread that the holder waited for ran")                    \
	BLAME(HANDOVER, "hand-over", "hand-off: between the release and the wake-up of the waiter") \
	BLAME(UNSEEN,   "unseen",    "unknown: the holder is not in the trace, or not certain")      \
	BLAME(CUT,      "cut",       "unknown: the decoder did not follow the cause further")
/* clang-format on */

/* clang-format off */
enum syt_blame_kind {
#define BLAME(name_, word_, text_) SYT_BLAME_##name_,
	SYT_BLAMES(BLAME)
#undef BLAME
	SYT_NR_BLAMES
};
/* clang-format on */

struct syt_blame {
	uint8_t kind;      /* enum syt_blame_kind */
	bool is_passed_on; /* not to who held the lock that was waited for first */
	uint32_t side;     /* call stack (decoder/order/label.h) of HELD: the acquisition; CALL: the
	                      call; RUNNING: what it was on its way to; else SYT_NONE */
	uint32_t direct;   /* and of the acquisition by who held the first lock, or SYT_NONE */
	uint32_t object;   /* HELD, CALL: the lock that was held (trace-wide); RUNNING: what it did
	                      something to; SYT_NONE: none */
	syt_time time;
	struct syt_place at; /* the event of `side` */
};

struct syt_blames {
	size_t nr, room;
	struct syt_blame *all;
};

struct syt_blamer {
	const struct syt_order *order;
	struct syt_labels *labels;
	struct syt_lockset locks;
	struct syt_holdings **holdings; /* [object], NULL until they are asked for */
	size_t nr_blocks, room_blocks;
	/* of the store: short lists of holdings, one behind the other */
	struct syt_holding **blocks;
	size_t nr_in_block;
	uint64_t nr_edges;
	uint32_t *edges;   /* those that say who ended a wait, by target */
	uint32_t chain[8]; /* threads that are being followed */
	unsigned depth;
	uint32_t direct;
	uint64_t nr_left; /* pieces that the present wait may still have */
	struct syt_blames *out;
};

/* ORDER must hold its causal edges; it and LABELS must outlive B. */
void syt_blamer_open(struct syt_blamer *b, const struct syt_order *order,
                     struct syt_labels *labels);
void syt_blamer_close(struct syt_blamer *b);

const struct syt_holdings *syt_blamer_holdings(struct syt_blamer *b, uint32_t object);

/* An edge that may say who ended a wait: no order by mutual exclusion, nothing inferred. */
bool syt_blamer_tells(const struct syt_edge *e);

/* The last of those into WAIT, also when it is ambiguous; SYT_NONE when there is none. */
uint32_t syt_blamer_last_into(const struct syt_blamer *b, struct syt_place wait);

/* The last of the edges that ended the wait WAIT; SYT_NONE when it is not known for certain. */
uint32_t syt_blamer_ended_by(const struct syt_blamer *b, struct syt_place wait);

/* Adds to OUT the pieces of [FROM, TO) of the event WAIT, which waits for the lock OBJECT. */
void syt_blame_wait(struct syt_blamer *b, uint32_t object, struct syt_place wait, syt_time from,
                    syt_time to, struct syt_blames *out);

/* The same for a wait for something that is no lock. */
void syt_blame_call(struct syt_blamer *b, struct syt_place wait, syt_time from, syt_time to,
                    struct syt_blames *out);

/* Pieces of the same kind, stacks and object become one; in an order that depends on these alone. */
void syt_blames_merge(struct syt_blames *blames);
void syt_blames_close(struct syt_blames *blames);

const char *syt_blame_word(enum syt_blame_kind kind); /* in JSON */
const char *syt_blame_text(enum syt_blame_kind kind);

#endif
