/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Invariants: what must hold in every true trace of a machine that works, and so tells, where it
 * does not, that the recorder, the decoder or the trace is wrong.
 *
 * An invariant is a row of decoder/check/checks.def and a function in a file of its own, check_NAME.c,
 * which states on top what it proves, why that must hold, and what may excuse a trace.  It reads
 * the order of the trace and writes into its struct syt_check: how much it looked at, what
 * contradicts itself, and what could not be proven and why.  What has an innocent explanation
 * (events overwritten, somebody untraced, a call that did not come back before its process ended)
 * is no violation.
 */
#ifndef SYT_DECODER_CHECK_H
#define SYT_DECODER_CHECK_H

#include "decoder/order/order.h"

/* Why something could not be proven. */
/* clang-format off */
#define SYT_EXCUSES(EXCUSE) \
	EXCUSE(OVERWRITTEN, "events were overwritten or lost")                                   \
	EXCUSE(DAMAGED,     "bytes of the dump are damaged")                                     \
	EXCUSE(UNTRACED,    "an untraced process takes part")                             \
	EXCUSE(BEFORE,      "the state before the trace began is unknown")                      \
	EXCUSE(PRESHARED,   "the object is in shared memory of unknown identity")                        \
	EXCUSE(FOREIGN,     "a thread released the object without an acquisition")                     \
	EXCUSE(UNENDED,     "the end was not recorded: a call did not return, or a thread was stopped") \
	EXCUSE(UNSEEN,      "the operation was inside libc or in another pid namespace")     \
	EXCUSE(NO_OFFSET,   "the positions in the stream are unknown")                               \
	EXCUSE(UNCERTAIN,   "calls overlap in time, so their order is unknown")                  \
	EXCUSE(KERNEL,      "the kernel did the operation")                                                \
	EXCUSE(TOO_MANY,    "there are too many possibilities")

enum syt_excuse {
#define EXCUSE(name_, text_) SYT_EXCUSE_##name_,
	SYT_EXCUSES(EXCUSE)
#undef EXCUSE
	SYT_NR_EXCUSES
};
/* clang-format on */

/* One violation: WHAT says of the event(s) AT, or of the object, or the process, what is wrong. */
struct syt_violation {
	const char *what; /* static, or `text` */
	char *text;       /* owned; or NULL */
	uint32_t object;  /* trace-wide, or SYT_NONE */
	uint32_t image;   /* index in trace->images, or SYT_NONE: that of the events */
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

/* A thread whose last event, at AT, does not say that it ended: it may have done one more thing
 * that it could not record any more. */
struct syt_cut {
	uint32_t image; /* index in trace->images */
	syt_time at;
};

struct syt_check {
	const struct syt_order *order;
	uint32_t nr_cuts;
	struct syt_cut *cuts; /* by image and time */
	bool has_untraced;   /* something in its processes was not traced, or a dump is not given */
	uint32_t *of_thread; /* [trace-wide thread]: scratch, all 0 between checks */
	uint64_t nr_examples; /* violations to keep */
	uint64_t nr_checked;  /* in the invariant's unit */
	uint64_t nr_violations;
	uint64_t nr_findings; /* kept */
	size_t room;
	struct syt_violation *findings;
	uint64_t unproven[SYT_NR_EXCUSES]; /* in the invariant's unit */
	unsigned nr_sums;
	struct syt_sum sums[SYT_CHECK_SUMS];
};

/* A row of decoder/check/checks.def. */
struct syt_invariant {
	const char *name, *unit;
	const char *proves; /* of a trace without violations */
	const char *means;  /* what a violation is a sign of, and what to do */
	void (*run)(struct syt_check *c);
};

#define CHECK(name_, unit_, proves_, means_) void syt_check_##name_(struct syt_check *c);
#include "decoder/check/checks.def"
#undef CHECK

extern const struct syt_invariant syt_invariants[];
extern const unsigned syt_nr_invariants;

/* Runs INVARIANT over ORDER; C is to be ended by syt_check_close. */
void syt_check_run(struct syt_check *c, const struct syt_invariant *invariant,
                   const struct syt_order *order, uint64_t nr_examples);
void syt_check_close(struct syt_check *c);

const char *syt_excuse_text(enum syt_excuse excuse);
const char *syt_excuse_name(enum syt_excuse excuse);
uint64_t syt_check_unproven(const struct syt_check *c);

/* ---- for checks ---- */

void syt_check_violation(struct syt_check *c, struct syt_violation f);

/* The same, of an object and one or two events; B.thread SYT_NONE: of one. */
void syt_check_violation_at(struct syt_check *c, const char *what, uint32_t object,
                            struct syt_place a, struct syt_place b);

static inline void syt_check_excuse(struct syt_check *c, enum syt_excuse excuse, uint64_t nr)
{
	c->unproven[excuse] += nr;
}

/* Adds VALUE to the sum NAME, which is shown beside the result. */
void syt_check_sum(struct syt_check *c, const char *name, uint64_t value);

#define SYT_NOWHERE ((struct syt_place){SYT_NONE, SYT_NONE})

/* From here on no event on OBJECT is missing; UINT64_MAX: that is never certain. Where recording was paused nothing is
 * proven that rests on it. */
syt_time syt_check_complete_from(const struct syt_check *c, uint32_t object);

/* The events of T that are left follow each other: none is missing between two of them. */
bool syt_check_is_whole(const struct syt_thread *t);

/* Nor before them, and T was not begun by a fork, as a copy of a thread that held something. */
bool syt_check_knows_all(const struct syt_thread *t);

/* How many calls on OBJECT that took effect by T may not be recorded, because their threads were
 * stopped before: one of each. */
uint64_t syt_check_unrecorded(const struct syt_check *c, uint32_t object, syt_time t);

/* When the last of the threads' last events began: until then IMAGE surely lived. */
syt_time syt_check_last_begin(const struct syt_image *image);

/* Others than the trace's processes may use OBJECT: it has a name, or some of them are blind. */
bool syt_check_is_open(const struct syt_check *c, uint32_t object);

#endif
