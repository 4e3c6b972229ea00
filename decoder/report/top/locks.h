/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Sums of the waits for and holds of each lock while the program runs (doc/reports.md, "Live view"). */
#ifndef SYT_DECODER_REPORT_TOP_LOCKS_H
#define SYT_DECODER_REPORT_TOP_LOCKS_H

#include "base/counts.h"
#include "decoder/analysis/live_holding.h"

/* The columns by which the locks can be sorted. */
enum syt_top_key {
	SYT_TOP_WAITED,
	SYT_TOP_WAITS,
	SYT_TOP_LONGEST,
	SYT_TOP_HELD,
	SYT_TOP_ACQUIRED,
	SYT_NR_TOP_KEYS
};

struct syt_top_sum {
	uint64_t by_key[SYT_NR_TOP_KEYS]; /* numbers, and times in ns */
};

struct syt_top_lock {
	struct syt_tail_image *image; /* the first process image that used the lock */
	uint32_t object;              /* index in the image's objects */
	struct syt_top_sum last, total;
	/* facts of the last look */
	uint64_t waiting_ns,
		holding_ns;  /* lengths, until now, of the waits and holds in progress */
	unsigned nr_waiting; /* number of threads that wait now */
	uint64_t held_ns; /* length of the longest hold in progress; 0: no thread holds the lock */
	struct syt_tail_image *holder_image;
	uint32_t holder; /* thread of this hold */
	bool has_holder_ended;
	uint32_t first_stack;  /* call stack of the first acquisition */
	uint32_t holder_stack; /* call stack at which the holder took the lock */
	/* these call stacks, if their frames have been read, otherwise 0 */
	uint32_t first_read, holder_read;
};

struct syt_top_order {
	enum syt_top_key key;
	bool is_total; /* by the total, otherwise by the last interval */
};

struct syt_top_locks {
	struct syt_tail tail;
	uint64_t interval_ns; /* interval before the first look */
	struct syt_top_order order;
	bool is_final;    /* this reading of the trace ends the look */
	size_t nr_wanted; /* locks for which call stacks are read */
	size_t nr, room;
	struct syt_top_lock *all;
	struct syt_counts
		shared; /* (identity, kind and generation) -> number of a shared lock, plus 1 */
	uint64_t nr_events, nr_last; /* number of decoded events: all, and in the last interval */
	uint64_t nr_recorded;        /* number of recorded events at the last look */
	uint64_t nr_lost;   /* number of losses that the recorder counted, at the last look */
	uint64_t nr_gaps;   /* number of times at which events of a thread were missing */
	uint64_t looked_ns; /* time of the last complete look, by CLOCK_MONOTONIC; 0: none */
	uint64_t last_ns;   /* length of the last interval */
	unsigned nr_threads, nr_live; /* threads; process images that record */
};

/* Opens the trace directory DIR. Returns false after a message. */
bool syt_top_open(struct syt_top_locks *t, const char *dir);
void syt_top_close(struct syt_top_locks *t);

/* Reads the new events, for at most MOST_NS (0: without limit). t->tail.is_behind tells if events are unread. Returns
 * false after a message if the trace is gone. */
bool syt_top_look(struct syt_top_locks *t, uint64_t most_ns);

/* Returns the value of the column ORDER of lock L. The total includes waits and holds in progress. */
uint64_t syt_top_value(const struct syt_top_lock *l, struct syt_top_order order);

/* Returns pointers to all locks, sorted by t->order. The caller frees the array. */
const struct syt_top_lock **syt_top_sorted(const struct syt_top_locks *t);

#endif
