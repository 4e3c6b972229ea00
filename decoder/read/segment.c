/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Determines which events a dump holds. The recorder numbers the events of a thread and lane without gaps; a lane
 * is the thread itself or its signal handlers at one nesting depth. Repeated numbers therefore show duplicate
 * events: the recorder was killed between sealing (completing) a block and starting a new block. Skipped numbers
 * show missing events: overwritten by the ring, dropped, or damaged. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/err.h"
#include "decoder/read/image.h"

SYT_COMPARATOR(in_order, struct syt_segment)
{
	SYT_ORDER_BY(thread);
	SYT_ORDER_BY(lane);
	SYT_ORDER_BY(first_seq);
	SYT_ORDER(!a->payload,
	          !b->payload); /* a damaged copy of a block is used only if no other exists */
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

/* Corrects the first event number of a block that a thread was filling, which no checksum covers. A
 * number is impossible if it fits neither the sealed blocks of the thread nor the counters of its
 * slot. The function then assumes that the block follows these sealed blocks. */
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

/* Counts the missing event numbers from EXPECTED to the first event of S. The missing events are before the first
 * block of a lane or between two blocks. */
static void count_hole(struct syt_loading *l, const struct syt_segment *s, uint64_t expected,
                       uint64_t *base)
{
	struct syt_thread *t = &l->image.threads[s->thread];
	uint64_t nr = s->first_seq > expected ? s->first_seq - expected : 0;

	l->nr_gaps += nr;
	t->numbered += nr;
	if (expected)
		t->gaps += nr;
	else
		*base += nr;
	t->base = *base;
	/* The recorder began the block after the last missing event had ended. A damaged block may begin at 0, which would mean
	 * that no event is missing. */
	if (nr && t->complete_from < s->first_ticks)
		t->complete_from = s->first_ticks;
	else if (nr && !t->complete_from)
		t->complete_from = 1;
}

/* Handles overwritten events that leave no hole: the threads that made them have ended, and their slots have been used by other
 * threads since. These events had ended when the recorder began the oldest block of the slot and lane. */
static void bound_hidden(struct syt_loading *l)
{
	syt_time from = 1; /* not 0, which would mean that no event is missing */
	uint64_t *oldest = syt_alloc(l->nr_slots * SYT_NR_LANES, sizeof(*oldest));

	memset(oldest, 0xff, l->nr_slots * SYT_NR_LANES * sizeof(*oldest));
	for (size_t n = 0; n < l->nr_segments; n++) {
		const struct syt_segment *s = &l->segments[n];
		size_t at = (size_t)s->slot * SYT_NR_LANES + s->lane;

		if (s->slot < l->nr_slots && s->first_ticks < oldest[at])
			oldest[at] = s->first_ticks;
	}
	for (size_t n = 0; n < l->nr_slots; n++) {
		size_t slot = l->slots[n].slot;

		for (unsigned lane = 0; l->slots[n].overwritten && lane < SYT_NR_LANES; lane++) {
			uint64_t least = slot < l->nr_slots ? oldest[slot * SYT_NR_LANES + lane]
			                                    : UINT64_MAX;

			/* only lane 0 is surely in use */
			if ((least != UINT64_MAX || !lane) && from < least)
				from = least;
		}
	}
	free(oldest);
	l->image.complete_from = from;
}

syt_time syt_image_complete_from(const struct syt_image *image)
{
	syt_time from = image->complete_from;

	for (uint32_t n = 0; n < image->nr_threads; n++) {
		const struct syt_thread *t = &image->threads[n];

		if (t->missing || (t->base && !t->nr_rows))
			return UINT64_MAX;
		if (from < t->complete_from)
			from = t->complete_from;
	}
	return from;
}

/* Removes duplicate events from the array of segments, and counts missing events. */
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
		/* an empty block that was just started: only the gap before it counts */
		if (!s.nr_events)
			continue;
		l->image.threads[s.thread].numbered += s.nr_events - s.skip;
		l->nr_in_segments += s.nr_events - s.skip;
		/* segment n is read before element n is overwritten, because kept <= n; `prev` points
		 * to element n - 1 */
		l->segments[kept++] = s;
	}
	l->nr_segments = kept;
}

/* Leaves out the segments that end before the window: the thread began its next block before. The next segment is no such block
 * if it is the copy of a lane that the thread has sealed since. */
static void leave_out_old(struct syt_loading *l)
{
	size_t kept = 0;

	for (size_t n = 0; n < l->nr_segments; n++) {
		const struct syt_segment *s = &l->segments[n], *next = s + 1;

		if (n + 1 < l->nr_segments && s->is_sealed && next->thread == s->thread &&
		    next->lane == s->lane && next->first_seq > s->first_seq &&
		    next->first_ticks <= l->from_ticks)
			l->nr_left_out += s->nr_events;
		else
			l->segments[kept++] = *s;
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
	found += l->nr_left_out;
	if (l->nr_segments)
		qsort(l->segments, l->nr_segments, sizeof(*l->segments), in_order);
	if (l->from_ticks)
		leave_out_old(l);
	remove_doubles(l);
	for (size_t n = 0; n < l->nr_slots; n++) {
		const struct syt_slot_count *s = &l->slots[n];

		/* No checksum covers the counters of a slot. Only events in sealed blocks can be overwritten. */
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
	overwritten += l->nr_left_out;
	sealed +=
		l->nr_left_out; /* `found` contains the events of all blocks that are in the file */
	/* Dropped events count as lost, not as missing, because they were never recorded. A thread whose blocks are
	 * all overwritten shows no gaps, so the gaps may be fewer than the overwritten events. */
	uint64_t gaps = l->nr_gaps - (dropped < l->nr_gaps ? dropped : l->nr_gaps);

	i->is_garbled = l->problems.nr;
	i->nr_overwritten = overwritten;
	i->nr_missing = gaps > overwritten ? gaps - overwritten : 0;
	if (overwritten > gaps)
		bound_hidden(l);
	/* the loss of a thread's last block leaves no gap, but its events were counted when it was sealed */
	if (sealed - overwritten > found + i->nr_missing)
		i->nr_missing = sealed - overwritten - found;
	if (i->nr_missing)
		syt_problem(&l->problems, UINT64_MAX,
		            "%" PRIu64 " recorded events are missing; the other events are kept",
		            i->nr_missing);
	i->nr_recorded = l->nr_in_segments + i->nr_overwritten + i->nr_missing;
}
