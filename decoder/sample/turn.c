/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/sample/turn.h"

/* Calls that do not wait may have both times, too. A call that lasted longer waited. */
#define LEAST_WAIT_NS 20000u

static void begin(struct syt_sample_turn *t, uint64_t ns)
{
	t->nr = 1;
	t->since_ns = ns;
}

static void move_head(struct syt_sample_turn *t, uint32_t site, uint16_t depth)
{
	t->head = site + 1;
	t->depth = depth;
	t->latest = 0;
}

bool syt_sample_turn_begins(struct syt_sample_turn *t, uint32_t site, uint16_t depth, bool is_wait,
                            bool is_kept, uint64_t ns)
{
	bool begins = !t->nr;

	if (t->nr >= SYT_SAMPLE_TURN_EVENTS ||
	    (t->nr && ns > t->since_ns && ns - t->since_ns >= SYT_SAMPLE_TURN_NS)) {
		/* the thread has left the loop of this head */
		t->head = t->latest = 0;
		begins = true;
	}
	if (is_wait && t->head == site + 1) {
		t->latest = 0;
		begins = true;
	} else if (is_wait &&
	           (!t->head || (!is_kept && (depth < t->depth || t->latest == site + 1)))) {
		move_head(t, site, depth);
		begins = true;
	} else if (is_wait) {
		t->latest = site + 1;
	}
	if (begins)
		begin(t, ns);
	else
		t->nr++;
	return begins;
}

bool syt_sample_is_wait(const struct syt_image *i, const struct syt_row *r,
                        const struct syt_extra *x)
{
	switch (syt_row_call(i, r)->shape) {
	case SYT_SHAPE_READY:
	case SYT_SHAPE_COND_WAIT:
		return true;
	case SYT_SHAPE_SEM_WAIT:
	case SYT_SHAPE_SEM_ZERO:
	case SYT_SHAPE_BARRIER_WAIT:
	case SYT_SHAPE_TEAM_BARRIER:
	case SYT_SHAPE_TASK_WAIT:
	case SYT_SHAPE_FUTEX_WAIT:
	case SYT_SHAPE_JOIN:
	case SYT_SHAPE_REAP:
	case SYT_SHAPE_ACCEPT:
	case SYT_SHAPE_RECV:
	case SYT_SHAPE_TRANSFER:
	case SYT_SHAPE_SIGNAL_RECV:
	case SYT_SHAPE_PAUSE:
		return x->flags & SYT_EVENT_BLOCKED ||
		       (r->in < r->out && SYT_TIME_NS(r->out - r->in) >= LEAST_WAIT_NS);
	default:
		return false;
	}
}
