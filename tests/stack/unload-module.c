/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Built twice with different frames, so that equal addresses need different rows. */
#include "tests/stack/unload.h"

static __attribute__((noinline)) int middle(void (*check)(void), int depth)
{
	volatile char block[UNLOAD_BYTES];

	block[0] = (char)depth;
	if (depth)
		middle(check, depth - 1);
	check();
	return block[0];
}

void unload_entry(void (*check)(void))
{
	middle(check, 3);
	check();
}
