/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Determines which events a dump holds. The recorder numbers the events of a (thread, lane) without
 * gaps. The numbers therefore show duplicate events (the recorder was killed between sealing a
 * block and starting its lane again) and missing events: overwritten by the ring, dropped, or
 * damaged.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/compare.h"
#include "decoder/read/image.h"

SYT_COMPARATOR(in_order, struct syt_segment)
{
	SYT_ORDER_BY(thread);
	SYT_ORDER_BY(lane);
	SYT_ORDER_BY(first_seq);
	SYT_ORDER(!a->payload,
	          !b->payload); /* a damaged segment counts only if there is no other */
	SYT_ORDER(!a->is_sealed, !b->is_sealed);
	return SYT_COMPARE(a->byte, b->byte);
}

static const struct syt_slot_count *find_slot(const struct syt_loading *l, uint32_t slot)
{
	for (size_t n = 0; n < l->nr_slots; n++)
		if (l->slots[n].slot == slot)
			return &l->slots[n];
	return NULL;
}

/* Corrects the number of a current block, which is not under a checksum. If it fits neither the
 * sealed blocks before it nor the slot's counters, the block follows the sealed blocks. */
static void repair_number(struct syt_loading *l, struct syt_segment *s, uint64_t expected,
                          uint64_t last_first)
{
	const struct syt_slot_count *slot = find_slot(l, s->slot);
	uint64_t possible = 0;
	bool is_bad;

	if (s->is_sealed || s->first_seq == expected)
		return;
	if (slot && (__builtin_add_overflow(slot->sealed, slot->dropped, &possible)))
		possible = UINT64_MAX;
	is_bad = s->first_seq < expected ? s->first_seq != last_first
	                                 : s->first_seq - expected > possible;
	if (!is_bad)
		return;
	syt_problem(&l->problems, s->byte,
	            "thread %" PRIu32 ", current block, byte 0x%" PRIx64
	            ": impossible number of the first event; %" PRIu32 " events are kept",
	            s->thread, s->byte, s->nr_events);
	s->first_seq = expected;
}

/* Counts the missing numbers from EXPECTED to S's first, before or between the blocks of its lane. */
static void count_hole(struct syt_loading *l, const struct syt_segment *s, uint64_t expected,
                       uint64_t *base)
{
	struct syt_thread *t = &l->image.threads[s->thread];
	uint64_t nr = s->first_seq > expected ? s->first_seq - expected : 0;

	l->nr_gaps += nr;
	t->numbered += nr;
	if (expected) {
		t->gaps += nr;
	} else {
		*base += nr;
		t->is_uneven |= nr && s->lane;
	}
	t->base = *base;
}

/* Removes duplicates in place and sums up gaps. */
static void remove_doubles(struct syt_loading *l)
{
	uint64_t expected = 0, last_first = UINT64_MAX, base = 0;
	size_t kept = 0;

	for (size_t n = 0; n < l->nr_segments; n++) {
		struct syt_segment s = l->segments[n];
		const struct syt_segment *prev = n ? &l->segments[n - 1] : NULL;
		bool is_new = !prev || prev->thread != s.thread || prev->lane != s.lane;

		if (!prev || prev->thread != s.thread)
			base = 0;
		if (is_new) {
			expected = 0;
			last_first = UINT64_MAX;
		}
		repair_number(l, &s, expected, last_first);
		last_first = s.first_seq;
		if (s.first_seq + s.nr_events <= expected)
			continue;
		if (s.first_seq < expected)
			s.skip = (uint32_t)(expected - s.first_seq);
		count_hole(l, &s, expected, &base);
		expected = s.first_seq + s.nr_events;
		if (!s.nr_events) /* a lane that was just started: only the hole before it counts */
			continue;
		l->image.threads[s.thread].numbered += s.nr_events - s.skip;
		l->nr_in_segments += s.nr_events - s.skip;
		/* segment n is read before it is overwritten: kept <= n, and prev is n - 1 */
		l->segments[kept++] = s;
	}
	l->nr_segments = kept;
}

size_t syt_segments_of_thread(const struct syt_loading *l, size_t from)
{
	size_t to = from + 1;

	while (to < l->nr_segments && l->segments[to].thread == l->segments[from].thread)
		to++;
	return to;
}

void syt_segments_settle(struct syt_loading *l)
{
	struct syt_image *i = &l->image;
	uint64_t overwritten = 0, dropped = 0, sealed = 0, found = 0;

	for (size_t n = 0; n < l->nr_segments; n++)
		found += l->segments[n].is_sealed ? l->segments[n].nr_events : 0;
	if (l->nr_segments)
		qsort(l->segments, l->nr_segments, sizeof(*l->segments), in_order);
	remove_doubles(l);
	for (size_t n = 0; n < l->nr_slots; n++) {
		const struct syt_slot_count *s = &l->slots[n];

		/* Counters are not under a checksum. Only sealed events can be overwritten. */
		if (s->overwritten > s->sealed || s->sealed > INT64_MAX >> 16 ||
		    s->dropped > INT64_MAX >> 16) {
			syt_problem(&l->problems, 0,
			            "slot %" PRIu32
			            ": the counters contradict each other; not used",
			            s->slot);
			continue;
		}
		overwritten += s->overwritten;
		dropped += s->dropped;
		sealed += s->sealed;
	}
	/* Dropped events count as lost, not as missing, because they were never recorded. A thread
	 * without any remaining block has no gaps, so gaps may show fewer than were overwritten. */
	uint64_t gaps = l->nr_gaps - (dropped < l->nr_gaps ? dropped : l->nr_gaps);

	i->is_garbled = l->problems.nr;
	i->nr_overwritten = overwritten;
	i->nr_missing = gaps > overwritten ? gaps - overwritten : 0;
	/* a missing last block leaves no gap, but was counted when it was sealed */
	if (sealed - overwritten > found + i->nr_missing)
		i->nr_missing = sealed - overwritten - found;
	if (i->nr_missing)
		syt_problem(&l->problems, UINT64_MAX,
		            "%" PRIu64 " recorded events are missing; the other events are kept",
		            i->nr_missing);
	i->nr_recorded = l->nr_in_segments + i->nr_overwritten + i->nr_missing;
}
