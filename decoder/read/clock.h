/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Converts ticks of the event clock to time. One mapping per boot is computed from the clock pairs of all dumps of
 * this boot.
 *
 * The mapping is piecewise linear through anchors at least SYT_ANCHOR_NS apart. The mapping thus follows the
 * kernel's slewing of CLOCK_MONOTONIC and not the noise of single readings. The mapping ignores clock pairs that no
 * neighbour confirms (torn, damaged, delayed by a preemption). The mapping is strictly monotone: a later tick
 * always gets a later time.
 */
#ifndef SYT_DECODER_CLOCK_H
#define SYT_DECODER_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/read/trace.h"

#define SYT_ANCHOR_NS UINT64_C(100000000)

__extension__ typedef unsigned __int128 syt_u128; /* type for products of two 64-bit numbers */

struct syt_anchor {
	uint64_t ticks;
	syt_time time;
	uint64_t units_per_tick; /* 32.32 fixed point; valid from this anchor to the next */
};

struct syt_clock_map {
	uint32_t nr_anchors; /* number of anchors, at least 1 */
	struct syt_anchor *anchors;
	int64_t real_offset_ns; /* median of CLOCK_REALTIME - CLOCK_MONOTONIC in ns; 0 if unknown */
	double hz;              /* measured ticks per second */
	bool is_guess;          /* no pair calibrates this clock: one tick counts as one ns */
	uint32_t nr_pairs, nr_outliers;
};

/* Computes the mapping from the clock pairs PAIRS, which the function reorders. HZ is the nominal
 * rate of the clock, 0 if unknown. SOURCE is an enum syt_clock_source. A clock that counts the ns
 * of CLOCK_MONOTONIC needs no pairs. */
void syt_clock_fit(struct syt_clock_map *map, uint32_t source, uint64_t hz,
                   struct syt_clock_pair *pairs, size_t nr_pairs);
/* A clock rate that follows from clock pairs under a checksum. The decoder uses it to judge a pair
 * without a checksum. */
struct syt_clock_reference {
	struct syt_clock_pair first, last;
	/* 0: the rate is unknown, because there are too few pairs or they are too close to each other */
	double ns_per_tick;
	double error; /* relative error of ns_per_tick */
};
struct syt_clock_reference syt_clock_refer(const struct syt_clock_pair *pairs, size_t nr);

/* Returns the name of the member of PAIR that contradicts R, or "ticks or mono_ns" if real_ns
 * cannot tell which of the two is wrong. Returns NULL if PAIR fits or R cannot judge it. */
const char *syt_clock_misfit(const struct syt_clock_reference *r,
                             const struct syt_clock_pair *pair);

void syt_clock_fini(struct syt_clock_map *map);

/* Adds NS to every time that the map computes, for example to align hosts. */
void syt_clock_shift(struct syt_clock_map *map, int64_t ns);

/* Replaces the anchors of MAP by its first anchor and the measured rate. The kernel slews CLOCK_MONOTONIC, and with it
 * the anchors; the ticks of the event clock are steadier. */
void syt_clock_straighten(struct syt_clock_map *map);

/* A point of an increasing function of time. */
struct syt_clock_knot {
	syt_time from, to;
};

/* Applies an increasing function to every time that the map computes. The function is linear between the KNOTS, whose
 * members both increase, and continues the first and the last line beyond them. NR is at least 2. */
void syt_clock_bend(struct syt_clock_map *map, const struct syt_clock_knot *knots, size_t nr);

/* Returns the time of TICKS, limited to 0 and the largest time. *HINT is the index of the last
 * anchor used; each thread starts with its own hint 0. */
syt_time syt_clock_slow_time(const struct syt_clock_map *map, uint64_t ticks, uint32_t *hint);

static inline syt_time syt_clock_time(const struct syt_clock_map *map, uint64_t ticks,
                                      uint32_t *hint)
{
	const struct syt_anchor *a = &map->anchors[*hint];
	syt_u128 units = (syt_u128)(ticks - a->ticks) * a->units_per_tick;

	/* The bounds exclude an overflow of the sum. The first anchor of a clock that counts from the start of the machine may be
	 * days ago. */
	if (ticks >= a->ticks && !(units >> 94) && a->time < (UINT64_C(1) << 62) &&
	    (*hint + 1 == map->nr_anchors || ticks < a[1].ticks))
		return a->time + (syt_time)(units >> 32);
	return syt_clock_slow_time(map, ticks, hint);
}

/* The part of a mapping after one anchor, NR ticks, in which no product overflows. All members 0: an empty part. */
struct syt_clock_part {
	uint64_t ticks, nr;
	syt_time time;
	uint64_t units_per_tick;
};

/* Does syt_clock_time(), and sets PART to the part with TICKS, if TICKS is not before the first anchor. */
syt_time syt_clock_enter_part(const struct syt_clock_map *map, uint64_t ticks, uint32_t *hint,
                              struct syt_clock_part *part);

/* Does syt_clock_time() in fewer instructions. PART is that of the call before, for the same MAP. */
static inline syt_time syt_clock_part_time(const struct syt_clock_map *map, uint64_t ticks,
                                           uint32_t *hint, struct syt_clock_part *part)
{
	uint64_t of = ticks - part->ticks;

	if (__builtin_expect(of < part->nr, 1))
		return part->time + (syt_time)((syt_u128)of * part->units_per_tick >> 32);
	return syt_clock_enter_part(map, ticks, hint, part);
}

#endif
