/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * seal FILE N: records N events with invented stamps into the dump FILE. The work of the compressor depends on
 * the stamps, so only a program that does not read them from the clock makes the same work each time.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/arena.h"
#include "runtime/clock.h"
#include "runtime/ring.h"

/* Returns the next of a sequence of numbers without order, the same in each run. */
static uint32_t next_number(void)
{
	static uint64_t x = 1;

	x = x * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(x >> 33);
}

/* Writes event N, from IN to OUT, of a thread that waits for a descriptor, reads a message and writes an answer. */
static void put(struct syt_lane_state *l, uint8_t *p, uint64_t n, uint64_t in, uint64_t out)
{
	uint32_t call_of = SYT_CALL_OF(n % 3 + 1, n % 3 == 2), stack = (uint32_t)(n % 3) + 1;
	struct syt_ready ready = {1, SYT_READY_IN, 0};
	unsigned bytes = 0;

	if (n % 3 == 0)
		bytes = syt_event_encode_ready_foreseen(&l->predictor, p, in, out, call_of, stack,
		                                        2, ready);
	else
		bytes = syt_event_encode_moved_foreseen(&l->predictor, p, in, out, call_of, stack,
		                                        1, 64, n / 3 * 64);
	if (!bytes)
		bytes = (unsigned)((n % 3 == 0 ? syt_event_encode_ready(&l->predictor, p, in, out,
		                                                        call_of, stack, 2, ready)
		                               : syt_event_encode_moved(&l->predictor, p, in, out,
		                                                        call_of, stack, 1, 64,
		                                                        n / 3 * 64)) -
		                   p);
	syt_lane_commit(l, bytes);
}

int main(int argc, char **argv)
{
	static struct syt_slot_rest rest;
	static struct syt_slot_state slot = {.rest = &rest};
	uint64_t nr = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;
	uint64_t stamp = 1;

	syt_clock_init();
	slot.packer = malloc(syt_slot_packer_bytes());
	if (!nr || !slot.packer || syt_arena_open(AT_FDCWD, argv[1], UINT64_C(1) << 30))
		return 1;
	syt_ring_configure(SYT_MODE_STREAM, 0, UINT64_C(1) << 30);
	if (!syt_slot_create(&slot, 0))
		return 1;
	syt_slot_assign(&slot, 0, 1);
	for (uint64_t n = 0; n < nr; n++) {
		uint64_t in = stamp + 2048 + next_number() % 4096;
		uint8_t *p = syt_lane_reserve(&slot, 0);

		if (!p)
			return 1;
		stamp = in + 1024 + next_number() % 1024;
		put(&slot.lane0, p, n, in, stamp);
	}
	printf("%llu\n", (unsigned long long)syt_arena_file()->nr_seals);
	return 0;
}
