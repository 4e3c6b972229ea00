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

/* The target of a wait: word in JSON, text behind "waited". */
/* clang-format off */
#define SYT_WAITS_KINDS(KIND) \
	KIND(LOCK,      "lock",      "for a lock")                                    \
	KIND(PRODUCER,  "producer",  "for a signal or a token")                       \
	KIND(MESSAGE,   "message",   "for a message")                                 \
	KIND(READINESS, "readiness", "for a ready file descriptor")                   \
	KIND(ROOM,      "room",      "for room to send")                              \
	KIND(PEERS,     "peers",     "for the other threads of its team or barrier")  \
	KIND(TIMER,     "timer",     "for time to pass")                              \
	KIND(CHILD,     "child",     "for the end of a child process")                \
	KIND(THREAD,    "thread",    "for the end of a thread")                       \
	KIND(FILE,      "file",      "for a file")                                    \
	KIND(CALL,      "call",      "in another call")
/* clang-format on */

/* The reason for a wait's class: class, word in JSON, sentence. */
/* clang-format off */
#define SYT_WAITS_REASONS(REASON) \
	REASON(ARRIVED,   IDLE,      "arrived",   "the wait ended when new work arrived")                                 \
	REASON(CLIENT,    IDLE,      "client",    "the wait ended when a connected client became active")                 \
	REASON(TIME,      IDLE,      "time",      "the thread let time pass, and no other thread waited for it")          \
	REASON(ASKED,     HARMFUL,   "asked",     "the thread waited for the answer to its own request")                  \
	REASON(SERVER,    HARMFUL,   "server",    "the thread waited for a server to which it had connected")             \
	REASON(LOCKED,    HARMFUL,   "locked",    "another thread held the lock")                                         \
	REASON(PEERS,     HARMFUL,   "peers",     "the thread waited for the last thread of its barrier or team")         \
	REASON(ROOM,      HARMFUL,   "room",      "the thread waited for room for the data that it sent")                 \
	REASON(OWN,       HARMFUL,   "own",       "the thread waited for a file operation of its own")                    \
	REASON(AWAITED,   HARMFUL,   "awaited",   "another thread waited for this thread meanwhile")                      \
	REASON(END,       UNDECIDED, "end",       "the thread waited for the end of a thread or child process; it may have no other work") \
	REASON(JOINED,    UNDECIDED, "joined",    "the thread let time pass while another thread waited for its end")     \
	REASON(MADE,      UNDECIDED, "made",      "the thread waited for a thread or child process that it had created, but not for an answer") \
	REASON(HIDDEN,    UNDECIDED, "hidden",    "the trace does not show which thread gives the waker its work")        \
	REASON(MUTUAL,    UNDECIDED, "mutual",    "the waker waits for this thread in the same way")                      \
	REASON(AMBIGUOUS, UNDECIDED, "ambiguous", "several threads may have ended the wait")                              \
	REASON(MISSING,   UNDECIDED, "missing",   "the events that would explain the wait are missing")                   \
	REASON(FAR,       UNDECIDED, "far",       "the cause lies behind more threads than the decoder follows")          \
	REASON(UNENDED,   UNDECIDED, "unended",   "the call had not returned at the end of the trace")                    \
	REASON(UNTOLD,    UNDECIDED, "untold",    "the trace does not show which event ended the wait")
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
