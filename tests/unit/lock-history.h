/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Histories of locks made by hand, for the tests of lock-order.  Times are in ns. */
#ifndef SYT_TESTS_UNIT_LOCK_HISTORY_H
#define SYT_TESTS_UNIT_LOCK_HISTORY_H

#include "decoder/report/lock_order/lock_order.h"
#include "tests/unit/order-check.h"

#define NS 16u /* of a syt_time */

static struct syt_builder *b;
static uint32_t p;
static struct syt_order order;
static struct syt_labels *labels;
static struct syt_lock_order l;

static inline void start(unsigned nr_threads)
{
	b = syt_builder_create();
	p = syt_builder_image(b, 100);
	for (unsigned i = 0; i < nr_threads; i++)
		syt_builder_thread(b, p);
}

static inline uint32_t mutex(uint64_t address)
{
	return syt_builder_object(b, p, SYT_KIND_MUTEX, address, 0, 0);
}

static inline void on(uint32_t thread, enum syt_shape shape, uint32_t object, syt_time at)
{
	syt_builder_event(b, p, thread, (struct syt_made){shape, object, .out = at * NS});
}

static inline void lock(uint32_t thread, uint32_t object, syt_time at)
{
	on(thread, SYT_SHAPE_LOCK, object, at);
}

static inline void unlock(uint32_t thread, uint32_t object, syt_time at)
{
	on(thread, SYT_SHAPE_UNLOCK, object, at);
}

/* THREAD locks FIRST, locks and unlocks SECOND, and unlocks FIRST, from AT to AT + 3. */
static inline void both(uint32_t thread, uint32_t first, uint32_t second, syt_time at)
{
	lock(thread, first, at);
	lock(thread, second, at + 1);
	unlock(thread, second, at + 2);
	unlock(thread, first, at + 3);
}

static inline void look(void)
{
	struct syt_edges_wanted wanted = {SYT_EDGES_ALL, 1u << SYT_CLASS_CAUSAL};

	assert_int_equal(syt_order_open_for(&order, syt_builder_trace(b), wanted), 0);
	labels = syt_labels_create(&order.places, NULL, 0);
	syt_lock_order_open(&l, &order, labels);
}

/* Returns the worst set of threads that wait for each other; the trace must have one. */
static inline const struct syt_blocked_group *deadlock_found(void)
{
	size_t i = 0;

	assert_true(l.nr_deadlocks > 0);
	while (!l.blocked.groups[i].is_cycle)
		i++;
	return &l.blocked.groups[i];
}

static inline void end(void)
{
	syt_lock_order_close(&l);
	syt_labels_destroy(labels);
	syt_order_close(&order);
	syt_builder_destroy(b);
}

/* At the end of the trace, THREAD is in a call of the kind SHAPE, which never returns. */
static inline void waits(uint32_t thread, enum syt_shape shape, uint32_t object, uint32_t object2)
{
	struct syt_thread *t = &syt_builder_trace(b)->images[0].threads[thread];

	t->waiting = (struct syt_waiting_info){.since = 1000 * NS,
	                                       .call = shape,
	                                       .object = object ? object - 1 : SYT_NONE,
	                                       .object2 = object2 ? object2 - 1 : SYT_NONE,
	                                       .thread = SYT_NONE};
}

#endif
