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

/* Returns event N of a thread that waits for a descriptor, reads a message and writes an answer. */
static struct syt_event event(uint64_t n, uint64_t stamp)
{
	uint64_t bytes = n % 3 == 0 ? 0 : 64;

	return (struct syt_event){
		.stamp = stamp,
		.dur = next_number() % 1024 + 1024,
		.call = (uint32_t)(n % 3) + 1,
		.stack = (uint32_t)(n % 3) + 1,
		.object = n % 3 == 0 ? 2 : 1,
		.result = bytes ? (int64_t)bytes : 1,
		.bytes = bytes,
		.offset = bytes ? n / 3 * bytes : 0,
	};
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
		struct syt_event e = event(n, stamp += 4096 + next_number() % 8192);
		uint8_t *p = syt_lane_reserve(&slot, 0);

		if (!p)
			return 1;
		syt_lane_put(&slot.lane0, p, &e);
	}
	printf("%llu\n", (unsigned long long)syt_arena_file()->nr_seals);
	return 0;
}
