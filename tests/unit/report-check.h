/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* A history of one process that is made by hand, in nanoseconds, for the tests of reports. */
#ifndef SYT_TESTS_UNIT_REPORT_CHECK_H
#define SYT_TESTS_UNIT_REPORT_CHECK_H

#include "tests/unit/order-check.h"

#define NS 16u /* of a syt_time */

static struct syt_builder *b;
static uint32_t p;
static struct syt_order order;

static inline void start(unsigned nr_threads)
{
	b = syt_builder_create();
	p = syt_builder_image(b, 100);
	for (unsigned i = 0; i < nr_threads; i++)
		syt_builder_thread(b, p);
}

static inline uint32_t object(enum syt_kind kind, uint64_t address)
{
	return syt_builder_object(b, p, kind, address, 0, 0);
}

/* E.in and E.out are nanoseconds. */
static inline void made(uint32_t thread, struct syt_made e)
{
	e.in *= NS;
	e.out *= NS;
	syt_builder_event(b, p, thread, e);
}

static inline void on(uint32_t thread, enum syt_shape shape, uint32_t o, syt_time in, syt_time out)
{
	made(thread, (struct syt_made){shape, o, .in = in, .out = out});
}

#endif
