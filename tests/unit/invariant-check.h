/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Checks on hand-made histories, for the tests of decoder/check/. */
#ifndef SYT_TESTS_UNIT_INVARIANT_CHECK_H
#define SYT_TESTS_UNIT_INVARIANT_CHECK_H

#include "decoder/check/check.h"
#include "tests/unit/order-check.h"

static struct syt_builder *b;
static uint32_t p;

static inline void start(unsigned nr_threads)
{
	b = syt_builder_create();
	p = syt_builder_image(b, 100);
	for (unsigned i = 0; i < nr_threads; i++)
		syt_builder_thread(b, p);
}

static inline uint32_t mutex(void)
{
	return syt_builder_object(b, p, SYT_KIND_MUTEX, 0x1000, 0, 0);
}

static inline void event(uint32_t thread, struct syt_made e)
{
	syt_builder_event(b, p, thread, e);
}

static inline void on(uint32_t thread, enum syt_shape shape, uint32_t object, syt_time in,
                      syt_time out)
{
	event(thread, (struct syt_made){shape, object, .in = in, .out = out});
}

/* Ends every thread of the process image P at AT, so that no call can be unrecorded. */
static inline void all_end(unsigned nr_threads, syt_time at)
{
	for (unsigned i = 0; i < nr_threads; i++)
		on(i, i ? SYT_SHAPE_THREAD_END : SYT_SHAPE_EXIT, 0, at, at);
}

/*
 * Checks the result of the invariant check NAME on the trace, and destroys the trace. FIRST is the text
 * of the first violation, or NULL.
 */
static inline void expect_and(const char *name, uint64_t checked, uint64_t violations,
                              uint64_t unproven, const char *first)
{
	struct syt_order o;
	struct syt_check c;
	unsigned i = 0;

	while (strcmp(syt_invariants[i].name, name))
		i++;
	assert_int_equal(syt_order_open(&o, syt_builder_trace(b)), 0);
	syt_check_run(&c, &syt_invariants[i], &o, 1);
	assert_int_equal(c.nr_checked, checked);
	assert_int_equal(c.nr_violations, violations);
	assert_int_equal(syt_check_unproven(&c), unproven);
	assert_int_equal(c.nr_findings, violations ? 1 : 0);
	if (first)
		assert_string_equal(c.findings[0].what, first);
	for (uint32_t n = 0; n < o.places.nr_threads && c.nr_findings; n++)
		assert_true(c.findings[0].nr_at <= 2);
	syt_check_close(&c);
	syt_order_close(&o);
	syt_builder_destroy(b);
}

static inline void expect(const char *name, uint64_t checked, uint64_t violations,
                          uint64_t unproven)
{
	expect_and(name, checked, violations, unproven, NULL);
}

#endif
