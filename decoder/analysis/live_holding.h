/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The locks that each thread of a running process image holds, from the events that a tail (decoder/read/tail.h)
 * reports. Times are ticks of the image. A thread forgets its locks when events of it are missing.
 *
 * Ids of objects are the ids in the events, from 1; syt_live_object() converts them to indices.
 */
#ifndef SYT_DECODER_ANALYSIS_LIVE_HOLDING_H
#define SYT_DECODER_ANALYSIS_LIVE_HOLDING_H

#include "decoder/read/tail.h"

/* The ways in which a call changes the locks that its thread holds. */
enum syt_live_step {
	SYT_LIVE_NONE,
	SYT_LIVE_TAKE,
	SYT_LIVE_SHARE,
	SYT_LIVE_RELEASE,
	SYT_LIVE_COND,
	SYT_LIVE_FORGET,
	SYT_LIVE_END
};

struct syt_live_hold {
	uint32_t object, depth; /* id of the lock */
	uint32_t stack, call;   /* of the call that took the lock */
	uint64_t since;
	bool is_shared;
	unsigned nr_looks; /* for the caller: number of looks at the trace during the hold */
	bool is_told;      /* for the caller */
};

struct syt_live_thread {
	uint64_t last;      /* end of the thread's last event */
	uint64_t told;      /* for the caller */
	bool is_incomplete; /* events are missing: the thread may hold locks that it took unseen */
	bool has_ended;
	size_t nr, room;
	struct syt_live_hold *holds;
};

/* The holds of one process image. A new struct has only zero members. */
struct syt_live_holds {
	uint32_t nr_threads, nr_foreign;
	size_t room_threads, room_foreign;
	struct syt_live_thread *threads;
	uint8_t *foreign; /* [id of a lock]: threads release this lock without holding it */
};

/* Called when THREAD releases the lock of the hold WAS at the time AT. */
typedef void syt_live_released(void *context, struct syt_tail_image *i, uint32_t thread,
                               const struct syt_live_hold *was, uint64_t at);

/* Returns the effect of the call INFO on locks. */
enum syt_live_step syt_live_step_of(const struct syt_call_info *info);

/* Returns the definition of CALL, or NULL if the image has none. */
const struct syt_call_info *syt_live_call(const struct syt_tail_image *i, uint32_t call);
/* Returns the index of the object ID in the image, or SYT_NONE. Reads new definitions if necessary. */
uint32_t syt_live_object(struct syt_tail_image *i, uint32_t id);
/* Returns the thread with the number THREAD. The address is valid until the next call with a new thread. */
struct syt_live_thread *syt_live_thread_at(struct syt_live_holds *h, uint32_t thread);

/* Applies the event E of THREAD, a call with the effect STEP from IN to OUT. */
void syt_live_step(struct syt_live_holds *h, struct syt_tail_image *i, uint32_t thread,
                   const struct syt_event *e, enum syt_live_step step, uint64_t in, uint64_t out,
                   syt_live_released *released, void *context);
/* Events of THREAD before TICKS are missing. */
void syt_live_gap(struct syt_live_holds *h, uint32_t thread, uint64_t ticks);

/* Returns true if the call W of a thread of I has not returned yet. */
bool syt_live_is_waiting(struct syt_live_holds *h, const struct syt_tail_image *i,
                         const struct syt_waiting *w);
/* Returns true if the lock of HOLD is still held, as far as is known. W is the call in which the thread waits, or
 * NULL. */
bool syt_live_is_held(const struct syt_live_holds *h, const struct syt_tail_image *i,
                      const struct syt_live_hold *hold, const struct syt_waiting *w);

void syt_live_fini(struct syt_live_holds *h);

#endif
