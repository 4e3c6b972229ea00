/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Places 1,000 hosts with 10,000 pairs by 10^8 messages: syntrace-bench-hosts [MESSAGES [HOSTS [PAIRS]]]. The messages of a
 * pair come together, like those of a connection. Prints the time of the parts and the memory; the time to generate the
 * messages is measured alone first. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "base/store.h"
#include "decoder/host/place.h"
#include "tests/unit/host-simulation.h"

#define LIMIT_BYTES (UINT64_C(768) << 20)

struct bench {
	struct sim_clock *clocks;
	struct syt_thinning *thinning; /* NULL: only generate */
	uint32_t from, to;
	uint64_t nr;
	int64_t sum;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void add(void *context, int is_answer, double sent, double received)
{
	struct bench *b = context;
	const uint32_t from = is_answer ? b->to : b->from, to = is_answer ? b->from : b->to;
	const int64_t s = sim_read(&b->clocks[from], sent), r = sim_read(&b->clocks[to], received);

	b->nr++;
	b->sum += r - s;
	if (b->thinning)
		syt_thinning_add(b->thinning, from, to, s, r, 0);
}

static void generate(struct bench *b, uint64_t nr, uint32_t nr_hosts, uint32_t nr_pairs)
{
	struct syt_random r = {.state = 1};
	struct sim_traffic t = {SIM_QUIET, SIM_QUIET, 0, 1800 * SIM_SECOND, 0, 0};

	t.interval_ns = t.end_ns / ((double)nr / 2 / nr_pairs);
	for (uint32_t i = 0; i < nr_pairs; i++) {
		b->from = i < nr_hosts - 1 ? i + 1 : (uint32_t)syt_random_below(&r, nr_hosts);
		b->to = i < nr_hosts - 1
		                ? i / 2
		                : (b->from + 1 + (uint32_t)syt_random_below(&r, nr_hosts - 1)) %
		                          nr_hosts;
		sim_exchange(&r, &t, add, b);
	}
}

int main(int argc, char **argv)
{
	const uint64_t nr = argc > 1 ? strtoull(argv[1], NULL, 10) : 100000000;
	const uint32_t nr_hosts = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 1000,
		       nr_pairs = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 10 * nr_hosts;
	struct syt_host_options options = {.reference = SYT_HOST_NONE, .nr_workers = 2};
	struct syt_random r = {.state = 7};
	struct bench b = {.clocks = calloc(nr_hosts, sizeof(*b.clocks))};
	const struct syt_host_pair *pairs;
	struct syt_placement *p;
	struct rusage usage;
	uint64_t nr_found;
	double t0 = now(), t1, t2, t3, t4, most = 0;

	if (!b.clocks || nr_hosts < 2 || !nr_pairs)
		return 1;
	syt_store_limit(LIMIT_BYTES);
	for (uint32_t i = 0; i < nr_hosts; i++)
		b.clocks[i] = sim_clock(&r);
	generate(&b, nr, nr_hosts, nr_pairs);
	t1 = now();
	b.thinning = syt_thinning_create(LIMIT_BYTES / 4);
	b.nr = 0;
	generate(&b, nr, nr_hosts, nr_pairs);
	t2 = now();
	pairs = syt_thinning_end(b.thinning, &nr_found);
	t3 = now();
	p = syt_hosts_place(nr_hosts, pairs, nr_found, &options);
	t4 = now();
	for (uint32_t i = 0; i < nr_hosts; i++)
		for (double t = 0; t < 1800 * SIM_SECOND; t += 60 * SIM_SECOND) {
			const int64_t a = syt_host_joined(p, i, sim_read(&b.clocks[i], t)),
				      c = syt_host_joined(p, 0, sim_read(&b.clocks[0], t));

			most = fmax(most, fabs((double)(a - c)));
		}
	getrusage(RUSAGE_SELF, &usage);
	printf("%llu messages, %u hosts, %llu pairs: collect %.1f s (%.0f ns/message), sort %.1f "
	       "s, place %.1f s; %ld MiB; "
	       "interval %.0f ms, %u segments, error %.2f us, %llu backward\n",
	       (unsigned long long)b.nr, nr_hosts, (unsigned long long)nr_found,
	       (t2 - t1) - (t1 - t0), 1e9 * ((t2 - t1) - (t1 - t0)) / (double)b.nr, t3 - t2,
	       t4 - t3, usage.ru_maxrss / 1024, (double)syt_thinning_interval_ns(b.thinning) / 1e6,
	       p->nr_components ? p->components[0].nr_segments : 0, most / SIM_US,
	       (unsigned long long)p->nr_backward);
	syt_placement_free(p);
	syt_thinning_destroy(b.thinning);
	free(b.clocks);
	return 0;
}
