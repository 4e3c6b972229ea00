/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * tail-parts DIR NS: reads the finished trace DIR in looks of at most NS nanoseconds each (0: one look), and prints the
 * number of looks, whether there were several, and a checksum of the events of each thread in their order.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/err.h"
#include "decoder/read/tail.h"

#define NR_THREADS 64u

static uint64_t sums[NR_THREADS], nr_events, nr_gaps;

static void on_image(void *context, struct syt_tail_image *i)
{
	(void)context, (void)i;
}

static void on_event(void *context, struct syt_tail_image *i, uint32_t thread,
                     const struct syt_event *e)
{
	uint64_t *sum = &sums[(thread + 7 * i->loading.image.index) % NR_THREADS];

	(void)context;
	*sum = (*sum ^ e->stamp ^ e->object) * UINT64_C(0x9e3779b97f4a7c15);
	nr_events++;
}

static void on_gap(void *context, struct syt_tail_image *i, uint32_t thread, uint64_t ticks)
{
	(void)context, (void)i, (void)thread, (void)ticks;
	nr_gaps++;
}

int main(int argc, char **argv)
{
	const struct syt_tail_eye eye = {NULL, on_image, on_event, on_gap, on_image};
	uint64_t most_ns = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
	struct syt_tail tail;
	unsigned nr_looks = 0;

	syt_err_open("tail-parts", 4, "");
	if (argc < 2 || !syt_tail_open(&tail, argv[1]))
		return 4;
	do {
		struct timespec t;

		clock_gettime(CLOCK_MONOTONIC, &t);
		tail.until_ns = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec + most_ns;
		if (!most_ns)
			tail.until_ns = 0;
		if (!syt_tail_look(&tail, &eye))
			return 4;
		nr_looks++;
	} while (tail.is_behind);
	printf("%s\n%" PRIu64 " events, %" PRIu64 " gaps", nr_looks > 1 ? "parts" : "whole",
	       nr_events, nr_gaps);
	for (unsigned n = 0; n < NR_THREADS; n++)
		printf(" %" PRIx64, sums[n]);
	putchar('\n');
	syt_tail_close(&tail);
	return 0;
}
