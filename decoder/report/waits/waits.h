/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Where the wall time of each thread went: on a processor, off it between calls, or waiting; for
 * what, and whether somebody's work waited for that (decoder/report/waits/service.h, doc/reports.md).
 *
 * The parts of a thread's time are disjoint and add up to it, always.
 */
#ifndef SYT_DECODER_REPORT_WAITS_WAITS_H
#define SYT_DECODER_REPORT_WAITS_WAITS_H

#include "decoder/order/label.h"
#include "decoder/order/order.h"
#include "decoder/analysis/blame.h"

/* What is waited for: word, text behind "waited". */
/* clang-format off */
#define SYT_WAITS_KINDS(KIND) \
	KIND(LOCK,      "lock",      "for a lock")                         \
	KIND(PRODUCER,  "producer",  "to be signalled")                    \
	KIND(MESSAGE,   "message",   "for a message")                      \
	KIND(READINESS, "readiness", "for readiness")                      \
	KIND(ROOM,      "room",      "for room to send")                   \
	KIND(PEERS,     "peers",     "for the others of its team or barrier") \
	KIND(TIMER,     "timer",     "for time to pass")                   \
	KIND(CHILD,     "child",     "for a child's end")                  \
	KIND(THREAD,    "thread",    "for a thread's end")                 \
	KIND(FILE,      "file",      "for a file")                         \
	KIND(CALL,      "call",      "in another call")
/* clang-format on */

/* Why a wait is what it is: class, word, text behind "waited". */
/* clang-format off */
#define SYT_WAITS_REASONS(REASON) \
	REASON(ARRIVED,   IDLE,      "arrived",   "until work came")                                        \
	REASON(CLIENT,    IDLE,      "client",    "until somebody who had connected to it turned to it")                  \
	REASON(TIME,      IDLE,      "time",      "for time to pass, and nobody waited for it")             \
	REASON(ASKED,     HARMFUL,   "asked",     "for what it had asked for")                              \
	REASON(SERVER,    HARMFUL,   "server",    "for somebody to whom it had connected")          \
	REASON(LOCKED,    HARMFUL,   "locked",    "for a lock that others held")                            \
	REASON(PEERS,     HARMFUL,   "peers",     "for the last of those that have to come together")       \
	REASON(ROOM,      HARMFUL,   "room",      "to get rid of what it had")                              \
	REASON(OWN,       HARMFUL,   "own",       "for a file, which nobody but itself has asked for")      \
	REASON(AWAITED,   HARMFUL,   "awaited",   "while somebody waited for it")                           \
	REASON(END,       UNDECIDED, "end",       "for the end of a thread or child: it may have nothing else to do") \
	REASON(JOINED,    UNDECIDED, "joined",    "for time to pass, while somebody waited for its end")    \
	REASON(MADE,      UNDECIDED, "made",      "for a thread or child that it had made, and asked for nothing else") \
	REASON(HIDDEN,    UNDECIDED, "hidden",    "for a thread of which nobody knows who gives it work")   \
	REASON(MUTUAL,    UNDECIDED, "mutual",    "for a thread that waits for it in the same way")         \
	REASON(AMBIGUOUS, UNDECIDED, "ambiguous", "for one of several")                                     \
	REASON(MISSING,   UNDECIDED, "missing",   "and the events that would tell for what are missing")    \
	REASON(FAR,       UNDECIDED, "far",       "for what came over more threads than are followed")      \
	REASON(UNENDED,   UNDECIDED, "unended",   "and had not come back at the end")                       \
	REASON(UNTOLD,    UNDECIDED, "untold",    "and nobody knows what ended it")
/* clang-format on */

#define SYT_WAITS_CLASSES(CLASS)                                                                   \
	CLASS(IDLE, "idle")                                                                        \
	CLASS(HARMFUL, "harmful")                                                                  \
	CLASS(UNDECIDED, "undecided")

/* clang-format off */
enum syt_waits_kind {
#define KIND(name_, word_, text_) SYT_WAITS_FOR_##name_,
	SYT_WAITS_KINDS(KIND)
#undef KIND
	SYT_NR_WAITS_KINDS
};

enum syt_waits_reason {
#define REASON(name_, class_, word_, text_) SYT_WAITS_##name_,
	SYT_WAITS_REASONS(REASON)
#undef REASON
	SYT_NR_WAITS_REASONS
};

enum syt_waits_class {
#define CLASS(name_, word_) SYT_WAITS_CLASS_##name_,
	SYT_WAITS_CLASSES(CLASS)
#undef CLASS
	SYT_NR_WAITS_CLASSES
};
/* clang-format on */

/* Where time went. wall: on_cpu + off_cpu + unmeasured + all by_class; as much by kind, by reason. */
struct syt_waits_sums {
	syt_time wall;
	syt_time on_cpu;  /* between calls, in short ones, and in the long one that ended it */
	syt_time off_cpu; /* between calls: ready and not running, or in a call that is not seen */
	syt_time unmeasured; /* between calls, before the first and after the last measurement */
	syt_time by_kind[SYT_NR_WAITS_KINDS][SYT_NR_WAITS_CLASSES];
	syt_time by_class[SYT_NR_WAITS_CLASSES];
	syt_time by_reason[SYT_NR_WAITS_REASONS];
	uint64_t nr_waits;
};

/* Waits at one call path, for one reason; of a group: ended by one call path, and charged to one. */
struct syt_waits_group {
	uint8_t kind, reason; /* enum syt_waits_kind, _reason */
	uint8_t blame;        /* enum syt_blame_kind, of `culprit`, or SYT_NR_BLAMES */
	uint32_t waiter;      /* side */
	uint32_t ender;       /* side of who ended it, or of who held the lock; SYT_NONE: unknown */
	uint32_t culprit;     /* side of what let it last; SYT_NONE: that is no call path */
	uint32_t nr_threads;
	uint64_t nr;         /* waits that have a part in it; of a path: waits */
	syt_time time, most; /* in all, and the largest part */
	syt_time of_wall;    /* wall time of the threads that waited so */
	/* the wait with the largest part; thread SYT_NONE: one that had not ended */
	struct syt_place at;
	struct syt_place by; /* what is `culprit` there, or ended it; thread SYT_NONE: unknown */
	uint32_t thread;     /* trace-wide, of the largest part */
};

struct syt_waits {
	const struct syt_order *order;
	struct syt_labels *labels;
	struct syt_waits_sums all;
	struct syt_waits_sums *threads; /* by trace-wide number; wall 0: without events */
	size_t nr_paths,
		nr_groups; /* harmful ones, undecided ones, idle ones; each longest first */
	struct syt_waits_group *paths; /* without who ended them, and what they are charged to */
	struct syt_waits_group *groups;
};

/* Which threads to look at. */
struct syt_waits_filter {
	bool has_pid, has_tid, has_number;
	uint64_t pid, tid;      /* as the kernel numbers them */
	uint64_t image, thread; /* P and T */
};

/* ORDER must hold its causal edges. FILTER may be NULL. */
void syt_waits_open(struct syt_waits *w, const struct syt_order *order, struct syt_labels *labels,
                    const struct syt_waits_filter *filter);
void syt_waits_close(struct syt_waits *w);

/* So much of its threads' time; harmful, too, so that it stands out. */
bool syt_waits_is_large(const struct syt_waits_group *path, unsigned least_thousandths);
bool syt_waits_stands_out(const struct syt_waits_group *path, unsigned least_thousandths);

enum syt_waits_class syt_waits_class(enum syt_waits_reason reason);
const char *syt_waits_kind_word(enum syt_waits_kind kind);
const char *syt_waits_kind_text(enum syt_waits_kind kind);
const char *syt_waits_reason_word(enum syt_waits_reason reason);
const char *syt_waits_reason_text(enum syt_waits_reason reason);
const char *syt_waits_class_word(enum syt_waits_class class);

#endif
