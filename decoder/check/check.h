/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Invariants: conditions that hold in every true trace of a working machine. A violation shows that the recorder,
 * the decoder or the trace is wrong.
 *
 * An invariant is a row of decoder/check/checks.def and a function in a file of its own, check_NAME.c. The comment
 * at the top of check_NAME.c states the invariant, the reason why it must hold, and the excuses. An excuse is an
 * innocent explanation of a contradiction, which is then no violation: events overwritten, an untraced process, a
 * call that did not return before its process ended. The function reads the ordered trace. The function writes into
 * its struct syt_check how much it examined, which contradictions it found, and how much it could not prove and
 * why.
 */
#ifndef SYT_DECODER_CHECK_H
#define SYT_DECODER_CHECK_H

#include "decoder/order/order.h"

/* Reasons why an invariant could not be proven (excuses). */
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
	EXCUSE(TOO_MANY,    "there are too many possible orders to check") \
	EXCUSE(NOT_SAMPLED, "the sampler left out calls on the object")

enum syt_excuse {
#define EXCUSE(name_, text_) SYT_EXCUSE_##name_,
	SYT_EXCUSES(EXCUSE)
#undef EXCUSE
	SYT_NR_EXCUSES
};
/* clang-format on */

/* One violation of an invariant. WHAT describes the error in the events AT, in the object, or in the process. */
struct syt_violation {
	const char *what; /* static text, or equal to `text` */
	char *text;       /* allocated text, or NULL */
	uint32_t object;  /* trace-wide number, or SYT_NONE */
	uint32_t image;   /* index in trace->images; SYT_NONE: the image of the events */
	unsigned nr_at;
	struct syt_place at[2]; /* row SYT_NONE: the thread as a whole */
	bool has_numbers;
	uint64_t expected, found;
};

struct syt_sum {
	const char *name; /* static text, also the name of the member in JSON */
	uint64_t value;
};

#define SYT_CHECK_SUMS 12u

/* A thread that was stopped: its last event, at the time AT, is not the end of the thread, or is an end by
 * cancellation. The thread may have done one more operation that it could not record. */
struct syt_cut {
	uint32_t image; /* index of the process image in trace->images */
	syt_time at;
};

struct syt_check {
	const struct syt_order *order;
	uint32_t nr_cuts;
	struct syt_cut *cuts; /* sorted by process image and time */
	bool has_untraced;    /* some process was not traced, or its dump is absent */
	uint32_t *of_thread;  /* [trace-wide thread]: scratch memory, all 0 between checks */
	bool is_void; /* the invariant says nothing about this trace; reports leave it out */
	uint64_t nr_examples; /* maximum number of violations to store */
	uint64_t nr_checked;  /* number of examined items, counted in the invariant's unit */
	uint64_t nr_violations;
	uint64_t nr_findings; /* number of stored violations */
	size_t room;
	struct syt_violation *findings, unkept;
	uint64_t unproven[SYT_NR_EXCUSES]; /* number unproven, in the invariant's unit */
	unsigned nr_sums;
	struct syt_sum sums[SYT_CHECK_SUMS];
};

/* An invariant: a row of decoder/check/checks.def. */
struct syt_invariant {
	const char *name, *unit;
	const char *proves; /* the property that a trace without violations has */
	const char *means;  /* the causes of a violation, and what the user should do next */
	void (*run)(struct syt_check *c);
};

#define CHECK(name_, unit_, proves_, means_) void syt_check_##name_(struct syt_check *c);
#include "decoder/check/checks.def"
#undef CHECK

extern const struct syt_invariant syt_invariants[];
extern const unsigned syt_nr_invariants;

/* Checks INVARIANT for the trace ORDER. The caller must end C with syt_check_close(). */
void syt_check_run(struct syt_check *c, const struct syt_invariant *invariant,
                   const struct syt_order *order, uint64_t nr_examples);
void syt_check_close(struct syt_check *c);

const char *syt_excuse_text(enum syt_excuse excuse);
const char *syt_excuse_name(enum syt_excuse excuse);
uint64_t syt_check_unproven(const struct syt_check *c);

/* ---- functions for checks ---- */

/* Count and store a violation, and return it. The pointer is valid until the next violation. OBJECT may be
 * SYT_NONE, and the events A and B may be SYT_NOWHERE. syt_check_numbers() reports that EXPECTED and FOUND
 * differ. */
struct syt_violation *syt_check_violation(struct syt_check *c, struct syt_violation f);
struct syt_violation *syt_check_violation_at(struct syt_check *c, const char *what, uint32_t object,
                                             struct syt_place a, struct syt_place b);
struct syt_violation *syt_check_numbers(struct syt_check *c, const char *what, uint32_t object,
                                        struct syt_place a, struct syt_place b, uint64_t expected,
                                        uint64_t found);

/* Calls CHECK_OBJECT for each object of the trace, in several threads. The violations come in the order of the objects. CHECK_OBJECT must
 * use no other data of the invariant. */
void syt_check_objects(struct syt_check *c,
                       void (*check_object)(struct syt_check *c, uint32_t object));

static inline void syt_check_excuse(struct syt_check *c, enum syt_excuse excuse, uint64_t nr)
{
	c->unproven[excuse] += nr;
}

/* Adds VALUE to the sum NAME, which the report shows beside the result of the invariant. */
void syt_check_sum(struct syt_check *c, const char *name, uint64_t value);

#define SYT_NOWHERE ((struct syt_place){SYT_NONE, SYT_NONE})

/* Returns the time from which on the trace has all events on OBJECT, or UINT64_MAX if no time is certain. If the
 * recording was paused, it returns UINT64_MAX, so a check that needs this time proves no event. */
syt_time syt_check_complete_from(const struct syt_check *c, uint32_t object);

/* Returns true if no event is missing between the first and the last remaining event of thread T. */
bool syt_check_is_whole(const struct syt_thread *t);

/* Returns true if the trace has all events of thread T, and T is no copy (fork) of a thread that may have held
 * objects. */
bool syt_check_knows_all(const struct syt_thread *t);

/* Returns how many calls on OBJECT may have taken effect by T without being recorded, because their threads were
 * stopped before. Each stopped thread counts as one call. */
uint64_t syt_check_unrecorded(const struct syt_check *c, uint32_t object, syt_time t);

/* Returns the latest begin of a last event of the threads of IMAGE. The process image certainly lived until
 * then. */
syt_time syt_check_last_begin(const struct syt_image *image);

/* Returns true if processes outside of the trace may use OBJECT: it is shared, and it has a name, or some process
 * of the trace was not traced. */
bool syt_check_is_open(const struct syt_check *c, uint32_t object);

#endif
