/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Marks: a release in a kept turn of a sampled thread marks its object, and the acquire that it ends keeps the turn of its
 * thread, with one hop less (doc/sampling.md, "Marks").
 *
 * The marks are in the shared file of the trace, so that they reach other processes. A mark is one word of a hash table. The
 * table is lossy: a mark may take the place of another one, and two threads that change one mark at once may lose a change.
 * A lost or wrong mark costs an edge or some bytes, and never makes the trace untrue. No function waits, and none allocates
 * memory. All may be called in any thread and in signal handlers.
 *
 * A wrapper marks its object before the real call, because the acquiring thread may go on before the call returns.
 */
#ifndef SYT_RUNTIME_MARK_H
#define SYT_RUNTIME_MARK_H

#include <stdbool.h>
#include <stdint.h>

#include "format/event.h"
#include "runtime/alive.h"

struct syt_endpoint;
struct syt_frame;
struct syt_self;

#define SYT_MARK_ALL 0xffffffu /* a release that ends all waits */

/* Returns true if a release may mark its object: a sampler selects the calls. */
static inline bool syt_mark_may(void)
{
	return __builtin_expect((int32_t)syt_control() < 0, 0);
}

/* Marks OBJECT for NR waits that have begun by now. */
void syt_mark_wake(uint32_t object, uint32_t nr);
/* Marks NR tokens of the semaphore OBJECT, which waits take after AHEAD other ones. */
void syt_mark_post(uint32_t object, uint32_t ahead, uint32_t nr);
/* Does syt_mark_post() or syt_mark_wake() for CALL on the object in memory at ADDRESS. */
void syt_mark_release(uint32_t call, uint32_t object, const volatile void *address);
/* Marks the signal OBJECT to the process PID, or to a thread of it. */
void syt_mark_signal(uint32_t object, uint64_t pid);
/* Mark the thread of this process, the process PID, or the next child of this process whose image begins. */
void syt_mark_thread(uint32_t thread);
void syt_mark_process(uint32_t pid);
void syt_mark_spawn(void);
/* Marks this process, the fork of the thread that S still describes. */
void syt_mark_forked(const struct syt_self *s);

/* Marks the data that a send to E at POSITION (UINT64_MAX: unknown) may add to the stream. syt_mark_sent(): the send is over,
 * and its data end before END. */
void syt_mark_send(const struct syt_endpoint *e, uint64_t position);
void syt_mark_sent(const struct syt_endpoint *e, uint64_t position, uint64_t end);

/* The table of marks, once this process has used it. */
extern struct syt_shared_mark *syt_mark_table __attribute__((visibility("hidden")));

#define SYT_MARK_WAYS 4u /* number of entries that may have the mark of a key */

/* Returns true if the table, which is there, has a mark of KEY. */
static inline bool syt_mark_may_be(uint64_t key)
{
	const struct syt_shared_mark *m =
		&syt_mark_table[(key >> 32) % (SYT_NR_MARKS / SYT_MARK_WAYS) * SYT_MARK_WAYS];

	for (unsigned i = 0; i < SYT_MARK_WAYS; i++)
		if (__builtin_expect(__atomic_load_n(&m[i].key, __ATOMIC_RELAXED) == key, 0))
			return key && __atomic_load_n(&m[i].word, __ATOMIC_RELAXED);
	return false;
}

/* Returns true if a mark may tell of data that are received from E, of which only `slot` and `word` need be set. */
bool syt_mark_may_end(const struct syt_endpoint *e);

/* Returns true if a mark may tell of a release of OBJECT. */
bool syt_mark_may_be_on(uint32_t object);

/* Notes for the event of the present call that it received the data from BEGIN to END from E. syt_mark_ready(): that data can be
 * received from E. */
void syt_mark_received(const struct syt_endpoint *e, uint64_t begin, uint64_t end);
void syt_mark_ready(const struct syt_endpoint *e);

/* Returns the hops of the release that ended the acquire E of the thread S with the frame F and SHAPE, or 0 if the release
 * made no mark. Takes the mark. */
unsigned syt_mark_taken(const struct syt_self *s, const struct syt_frame *f,
                        const struct syt_event *e, unsigned shape);
/* Does syt_mark_taken() for the begin of the thread S. */
unsigned syt_mark_taken_at_birth(const struct syt_self *s);

#endif
