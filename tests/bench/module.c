/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A library that syntrace-bench-worst loads many copies of: each copy makes calls from code that is new
 * to the recorder.
 */
#include "worst.h"

void bench_pair_here(struct clocked *c)
{
	clocked_pair(c);
}
