/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A program of these tests writes down, in its own trace, the thread that put each item into a queue
 * and the thread that took it out. It does so by writes of distinctive lengths to a file, which create
 * no happens-before edges. truth.py reads these writes.
 */
#ifndef SYT_TESTS_HANDOFF_MARK_H
#define SYT_TESTS_HANDOFF_MARK_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MARK_MOST_ITEMS 2000

static int mark_fd = -1;

static inline void mark_open(void)
{
	FILE *f = tmpfile();

	if (!f)
		abort();
	mark_fd = fileno(f);
}

static inline void mark_length(unsigned length)
{
	static char zeros[2 * MARK_MOST_ITEMS + 2];

	if (pwrite(mark_fd, zeros, length, 0) != (ssize_t)length)
		abort();
}

/* Call mark_put just before ITEM is put into the queue, and mark_take just after ITEM was taken out. */
static inline void mark_put(unsigned item)
{
	mark_length(2 * item + 1);
}

static inline void mark_taken(unsigned item)
{
	mark_length(2 * item + 2);
}

#endif
