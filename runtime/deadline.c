/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* syt_pause() in tool/pause.c does the same for `syntrace pause`. The word `deadline_ns` excludes the one while the
 * other writes. */
#include "runtime/deadline.h"

#include <stdbool.h>

#include "runtime/session.h"

void syt_deadline_check(const struct syt_clock_pair *now)
{
	struct syt_trace *t = syt_trace_shared();
	uint64_t deadline = t ? __atomic_load_n(&t->deadline_ns, __ATOMIC_RELAXED) : 0;
	uint32_t nr;

	if (__builtin_expect(!deadline, 1) || deadline == SYT_DEADLINE_PASSES ||
	    now->mono_ns < deadline)
		return;
	if (!__atomic_compare_exchange_n(&t->deadline_ns, &deadline, SYT_DEADLINE_PASSES, false,
	                                 __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		return;
	nr = t->nr_pauses;
	if (t->control == t->unpaused && nr < SYT_MOST_PAUSES) {
		t->pauses[nr % SYT_NR_PAUSES] =
			(struct syt_pause){.from_ns = now->mono_ns, .from_ticks = now->ticks};
		__atomic_store_n(&t->nr_pauses, ++nr, __ATOMIC_SEQ_CST);
		if (t->deepness)
			__atomic_fetch_add(&t->nr_uncounted, 1, __ATOMIC_SEQ_CST);
		__atomic_store_n(&t->control, nr | (t->deepness ? SYT_CONTROL_DEEP : 0),
		                 __ATOMIC_SEQ_CST);
	}
	__atomic_store_n(&t->deadline_ns, 0, __ATOMIC_SEQ_CST);
}
