/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Classifies a call: did it wait, for which kind of event, and was the wait harmful (another thread depended on
 * it), idle (the thread had no work) or undecided (doc/reports.md)? */
#ifndef SYT_DECODER_ANALYSIS_CLASSIFY_H
#define SYT_DECODER_ANALYSIS_CLASSIFY_H

#include "decoder/analysis/blame.h"
#include "decoder/analysis/service.h"

/* The kinds of waits: word in JSON, the awaited event in short, text after "waited". */
/* clang-format off */
#define SYT_WAITS_KINDS(KIND) \
	KIND(LOCK,      "lock",      "lock",             "for a lock")                                      \
	KIND(PRODUCER,  "producer",  "wake-up",          "for a wake-up by another thread")                 \
	KIND(MESSAGE,   "message",   "message",          "for a message")                                   \
	KIND(READINESS, "readiness", "ready descriptor", "for a ready file descriptor")                     \
	KIND(ROOM,      "room",      "send buffer",      "for free space to send")                          \
	KIND(PEERS,     "peers",     "barrier",          "for the other threads of its barrier")            \
	KIND(TEAM,      "team",      "OpenMP team",      "for the other threads of its OpenMP team")        \
	KIND(ONCE,      "once",      "initialization",   "for the end of an initialization (pthread_once)") \
	KIND(TIMER,     "timer",     "timer",            "for time to pass")                                \
	KIND(CHILD,     "child",     "child process",    "for the end of a child process")                  \
	KIND(THREAD,    "thread",    "end of a thread",  "for the end of a thread")                         \
	KIND(FILE,      "file",      "file",             "for a file")                                      \
	KIND(CALL,      "call",      "other call",       "in a call of another kind")

/* The reasons for the class of a wait: class, word in JSON, sentence. */
#define SYT_WAITS_REASONS(REASON) \
	REASON(ARRIVED,   IDLE,      "arrived",   "the wait ended when new work arrived")                                 \
	REASON(CLIENT,    IDLE,      "client",    "the wait ended when a connected client became active")                 \
	REASON(TIME,      IDLE,      "time",      "the thread let time pass, and no other thread waited for it")          \
	REASON(ASKED,     HARMFUL,   "asked",     "the thread waited for the answer to its own request")                  \
	REASON(SERVER,    HARMFUL,   "server",    "the thread waited for a server to which it had connected")             \
	REASON(LOCKED,    HARMFUL,   "locked",    "another thread held the lock")                                         \
	REASON(PEERS,     HARMFUL,   "peers",     "the thread waited for the last thread of its barrier")         \
	REASON(TEAM,      HARMFUL,   "team",      "the thread waited for the last thread of its OpenMP team")     \
	REASON(ONCE,      HARMFUL,   "once",      "another thread ran the initialization")                        \
	REASON(ROOM,      HARMFUL,   "room",      "the thread waited for free space for the data that it sent")                 \
	REASON(OWN,       HARMFUL,   "own",       "the thread waited for its own file operation")                    \
	REASON(STUCK,     HARMFUL,   "stuck",     "no thread of the trace can end the call, which had not returned")               \
	REASON(AWAITED,   HARMFUL,   "awaited",   "another thread waited for this thread at the same time")                      \
	REASON(END,       UNDECIDED, "end",       "the thread waited for the end of a thread or child process; it may have no other work") \
	REASON(JOINED,    UNDECIDED, "joined",    "the thread let time pass while another thread waited for its end")     \
	REASON(MADE,      UNDECIDED, "made",      "the thread waited for a thread or child process that it had created, but not for an answer") \
	REASON(HIDDEN,    UNDECIDED, "hidden",    "the trace does not show which thread gives work to the thread that ended the wait")        \
	REASON(MUTUAL,    UNDECIDED, "mutual",    "the thread that ended the wait also waits for this thread")                      \
	REASON(AMBIGUOUS, UNDECIDED, "ambiguous", "several threads may have ended the wait")                              \
	REASON(MISSING,   UNDECIDED, "missing",   "the events that would explain the wait are missing")                   \
	REASON(FAR,       UNDECIDED, "far",       "the chain of threads that led to the wake-up is too long to follow")          \
	REASON(UNENDED,   UNDECIDED, "unended",   "the call had not returned at the end of the trace")                    \
	REASON(UNTOLD,    UNDECIDED, "untold",    "the trace does not show which event ended the wait")

#define SYT_WAITS_CLASSES(CLASS)                                                                   \
	CLASS(IDLE, "idle")                                                                        \
	CLASS(HARMFUL, "harmful")                                                                  \
	CLASS(UNDECIDED, "undecided")

enum syt_waits_kind {
#define KIND(name_, word_, noun_, text_) SYT_WAITS_FOR_##name_,
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

extern const struct syt_waits_words {
	const char *word, *noun, *text;
} syt_waits_kinds[];

extern const struct syt_waits_reason_words {
	enum syt_waits_class class;
	const char *word, *text;
} syt_waits_reasons[];

extern const char *const syt_waits_classes[]; /* word of each class in JSON */

struct syt_wait_reason {
	enum syt_waits_kind kind;
	/* reason of the class; TIME stands also for AWAITED and JOINED, which need the demands */
	enum syt_waits_reason reason;
	uint32_t edge; /* happens-before edge that certainly ended the wait, or SYT_NONE */
	uint32_t lock; /* lock for which the thread waited, if its holders are known, or SYT_NONE */
};

/* Returns the kind of wait of a call of SHAPE on an object of KIND, provided that the call waits. */
enum syt_waits_kind syt_waits_kind_of(uint8_t shape, enum syt_kind kind);

/* Fills WHY with the kind and the reason of the wait in the event AT, whose begin and end differ. Returns false,
 * with WHY undefined, if the call did not wait. */
bool syt_wait_classify(struct syt_wait_reason *why, const struct syt_blamer *blamer,
                       const struct syt_services *services, struct syt_place at);

/* Returns the kind and the reason of the wait in a call of IMAGE that had not returned at the end of the dump. */
struct syt_wait_reason syt_wait_classify_unended(const struct syt_image *image,
                                                 const struct syt_waiting_info *waiting);

#endif
