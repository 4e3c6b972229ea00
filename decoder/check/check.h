/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Invariants: conditions that hold in every true trace of a working machine. A violation shows that
 * the recorder, the decoder or the trace is wrong.
 *
 * An invariant is a row of decoder/check/checks.def and a function in a file of its own,
 * check_NAME.c. The head of check_NAME.c states the invariant, the reason why it must hold, and the
 * excuses: innocent explanations of a contradiction, which is then no violation (events
 * overwritten, an untraced process, a call that did not return before its process ended). The
 * function reads the order of the trace. It writes into its struct syt_check how much it examined,
 * the contradictions, and how much it could not prove and why.
 */
#ifndef SYT_DECODER_CHECK_H
#define SYT_DECODER_CHECK_H

#include "decoder/order/order.h"

/* Reasons why an invariant could not be proven. */
/* clang-format off */
#define SYT_EXCUSES(EXCUSE) \
	EXCUSE(OVERWRITTEN, "events were overwritten or lost")                                   \
	EXCUSE(DAMAGED,     "bytes of the trace file are damaged")                                     \
	EXCUSE(UNTRACED,    "a process that is not recorded uses the same object")                             \
	EXCUSE(BEFORE,      "the state before the trace began is unknown")                      \
	EXCUSE(PRESHARED,   "the object is in shared memory of unknown identity")                        \
	EXCUSE(FOREIGN,     "a thread released the object without an acquisition")                     \
	EXCUSE(UNENDED,     "the end was not recorded: a call did not return, or a thread was stopped") \
	EXCUSE(UNSEEN,      "libc did the operation itself, or it happened in another pid namespace")     \
	EXCUSE(NO_OFFSET,   "the position of the bytes in the connection is unknown")                               \
	EXCUSE(UNCERTAIN,   "calls overlap in time, so their order is unknown")                  \
	EXCUSE(KERNEL,      "the kernel did the operation")                                                \
	EXCUSE(TOO_MANY,    "there are too many possible orders to check")

enum syt_excuse {
#define EXCUSE(name_, text_) SYT_EXCUSE_##name_,
	SYT_EXCUSES(EXCUSE)
#undef EXCUSE
	SYT_NR_EXCUSES
};
/* clang-format on */

/* One violation: WHAT describes the error in the event(s) AT, in the object, or in the process. */
struct syt_violation {
	const char *what; /* static, or `text` */
	char *text;       /* owned; or NULL */
	uint32_t object;  /* trace-wide, or SYT_NONE */
	uint32_t image;   /* index in trace->images, or SYT_NONE: the image of the events */
	unsigned nr_at;
	struct syt_place at[2]; /* row SYT_NONE: the thread as a whole */
	bool has_numbers;
	uint64_t expected, found;
};

struct syt_sum {
	const char *name; /* static; also the member's name in JSON */
	uint64_t value;
};

#define SYT_CHECK_SUMS 12u

/* A thread whose last event, at AT, is not its end, or is an end by cancellation.  The thread may
 * have done one more operation which it could not record. */
struct syt_cut {
	uint32_t image; /* index in trace->images */
	syt_time at;
};

struct syt_check {
	const struct syt_order *order;
	uint32_t nr_cuts;
	struct syt_cut *cuts; /* by image and time */
	bool has_untraced;    /* a part of its processes was not traced, or a dump is absent */
	uint32_t *of_thread;  /* [trace-wide thread]: scratch, all 0 between checks */
	uint64_t nr_examples; /* violations to keep */
	uint64_t nr_checked;  /* in the invariant's unit */
	uint64_t nr_violations;
	uint64_t nr_findings; /* kept */
	size_t room;
	struct syt_violation *findings, unkept;
	uint64_t unproven[SYT_NR_EXCUSES]; /* in the invariant's unit */
	unsigned nr_sums;
	struct syt_sum sums[SYT_CHECK_SUMS];
};

/* A row of decoder/check/checks.def. */
struct syt_invariant {
	const char *name, *unit;
	const char *proves; /* the property of a trace without violations */
	const char *means;  /* the causes of a violation, and the next step */
	void (*run)(struct syt_check *c);
};

#define CHECK(name_, unit_, proves_, means_) void syt_check_##name_(struct syt_check *c);
#include "decoder/check/checks.def"
#undef CHECK

extern const struct syt_invariant syt_invariants[];
extern const unsigned syt_nr_invariants;

/* Runs INVARIANT over ORDER. The caller ends C with syt_check_close. */
void syt_check_run(struct syt_check *c, const struct syt_invariant *invariant,
                   const struct syt_order *order, uint64_t nr_examples);
void syt_check_close(struct syt_check *c);

const char *syt_excuse_text(enum syt_excuse excuse);
const char *syt_excuse_name(enum syt_excuse excuse);
uint64_t syt_check_unproven(const struct syt_check *c);

/* ---- for checks ---- */

/* Count and keep a violation, and return it, valid until the next violation. OBJECT may be
 * SYT_NONE, and A and B may be SYT_NOWHERE. _numbers: two numbers differ from each other. */
struct syt_violation *syt_check_violation(struct syt_check *c, struct syt_violation f);
struct syt_violation *syt_check_violation_at(struct syt_check *c, const char *what, uint32_t object,
                                             struct syt_place a, struct syt_place b);
struct syt_violation *syt_check_numbers(struct syt_check *c, const char *what, uint32_t object,
                                        struct syt_place a, struct syt_place b, uint64_t expected,
                                        uint64_t found);

static inline void syt_check_excuse(struct syt_check *c, enum syt_excuse excuse, uint64_t nr)
{
	c->unproven[excuse] += nr;
}

/* Adds VALUE to the sum NAME, which is shown beside the result. */
void syt_check_sum(struct syt_check *c, const char *name, uint64_t value);

#define SYT_NOWHERE ((struct syt_place){SYT_NONE, SYT_NONE})

/* Returns the time from which no event on OBJECT is missing; UINT64_MAX: there is no certain time.
 * It is UINT64_MAX if recording was paused, so a check that needs this time proves no event. */
syt_time syt_check_complete_from(const struct syt_check *c, uint32_t object);

/* Returns whether no event is missing between two of the remaining events of T. */
bool syt_check_is_whole(const struct syt_thread *t);

/* Returns whether T also has no event missing before them, and did not begin by a fork, as a copy
 * of a thread that held objects. */
bool syt_check_knows_all(const struct syt_thread *t);

/* Returns how many calls on OBJECT took effect by T and may not be recorded, because their threads
 * were stopped before: at most one call per thread. */
uint64_t syt_check_unrecorded(const struct syt_check *c, uint32_t object, syt_time t);

/* Returns when the latest of the threads' last events began: IMAGE certainly lived until then. */
syt_time syt_check_last_begin(const struct syt_image *image);

/* Returns whether processes outside of the trace may use OBJECT: it is shared, and has a name or a
 * part of the trace's processes was not traced. */
bool syt_check_is_open(const struct syt_check *c, uint32_t object);

#endif
