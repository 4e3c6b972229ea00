/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/analysis/wait_walk.h"

/* number of events after a signal handler's event among which the interrupted call is searched */
#define NR_AFTER 4u

static void add(struct syt_wait_walk *k, struct syt_place at, struct syt_wait_reason why,
                syt_time from, syt_time to)
{
	k->add(k->context, &(struct syt_wait){at, why, from, to});
}

/* Divides the time since the last measurement of CPU time. The recorder measured CPU_NS at the end of a call that
 * lasted from *FROM to TO. The CPU time since the last measurement belongs first to the time before the call, and
 * the remainder to the call. Moves *FROM to the end of the remainder. */
static void measure(struct syt_wait_walk *k, uint64_t cpu_ns, syt_time *from, syt_time to)
{
	syt_time used = (cpu_ns - k->cpu_ns) << SYT_TIME_SHIFT, in_call = 0;

	if (!k->is_measured || cpu_ns < k->cpu_ns ||
	    cpu_ns - k->cpu_ns > UINT64_MAX >> SYT_TIME_SHIFT) {
		k->unmeasured += k->ran;
	} else if (used < k->ran) {
		k->on_cpu += used;
		k->off_cpu += k->ran - used;
	} else {
		/* with several waits since then, the CPU time may belong to another wait */
		if (k->nr_waits == 1)
			in_call = used - k->ran < to - *from ? used - k->ran : to - *from;
		k->on_cpu += k->ran + in_call;
		*from += in_call;
	}
	k->is_measured = true;
	k->cpu_ns = cpu_ns;
	k->ran = 0;
	k->nr_waits = 0;
}

/* Adds the wait in a call that a signal handler interrupted, up to the handler's event ROW. The event of the
 * interrupted call comes after the events of the handler. */
static void add_interrupted(struct syt_wait_walk *k, uint32_t row)
{
	const struct syt_row *r = syt_thread_row(k->thread, row);
	struct syt_wait_reason why;

	for (uint32_t i = row + 1; i < k->thread->nr_rows && i <= row + NR_AFTER; i++) {
		const struct syt_row *outer = syt_thread_row(k->thread, i);
		struct syt_place at = {k->number, i};
		syt_time from = outer->in > k->at ? outer->in : k->at;

		if (outer->in >= r->in || outer->out < r->out || from >= r->in ||
		    !syt_wait_classify(&why, k->blamer, k->services, at))
			continue;
		k->ran += from - k->at;
		k->at = r->in;
		k->nr_waits++;
		add(k, at, why, from, r->in);
		return;
	}
}

static void add_row(struct syt_wait_walk *k, uint32_t row)
{
	const struct syt_order *o = k->order;
	struct syt_place at = {k->number, row};
	const struct syt_row *r = syt_place_row(&o->places, at);
	uint64_t cpu_ns = syt_place_extra(&o->places, at)->cpu;
	struct syt_wait_reason why;
	syt_time from;
	bool is_wait;

	if (r->in > k->at)
		add_interrupted(k, row);
	from = r->in > k->at ? r->in : k->at;
	k->ran += from - k->at;
	k->at = r->out > from ? r->out : from;
	is_wait = from < k->at && syt_wait_classify(&why, k->blamer, k->services, at);
	if (!is_wait)
		k->ran += k->at - from;
	k->nr_waits += is_wait;
	if (cpu_ns)
		measure(k, cpu_ns, &from, is_wait ? k->at : from);
	if (is_wait && from < k->at)
		add(k, at, why, from, k->at);
}

/* Adds the wait in a call that had not returned at the end of the dump. */
static void add_unended(struct syt_wait_walk *k)
{
	const struct syt_waiting_info *waiting = &k->thread->waiting;
	const struct syt_image *image = k->thread->image;
	uint32_t idx = (uint32_t)(image - k->order->places.trace->images);
	const struct syt_blocked_call *call =
		k->blocked ? syt_blocked_call_of(k->blocked, k->number) : NULL;
	syt_time end = k->order->ends[idx], from;
	struct syt_wait_reason why;

	if (!waiting->since || waiting->since >= end || end <= k->at)
		return;
	from = waiting->since > k->at ? waiting->since : k->at;
	k->ran += from - k->at;
	k->at = end;
	why = syt_wait_classify_unended(image, waiting);
	if (call && call->state == SYT_BLOCKED_STUCK)
		why.reason = SYT_WAITS_STUCK;
	add(k, (struct syt_place){SYT_NONE, 0}, why, from, k->at);
}

bool syt_wait_walk_is_measured(const struct syt_thread *t)
{
	return !t->base &&
	       syt_row_call(t->image, syt_thread_row(t, 0))->shape == SYT_SHAPE_THREAD_START;
}

void syt_wait_walk(struct syt_wait_walk *k, uint32_t number)
{
	const struct syt_thread *t = k->order->places.threads[number];

	k->number = number;
	k->thread = t;
	k->begin = k->at = syt_thread_row(t, 0)->in;
	k->is_measured = syt_wait_walk_is_measured(t);
	SYT_EACH(row, 0, t->nr_rows)
		add_row(k, row);
	add_unended(k);
	k->unmeasured += k->ran;
}
