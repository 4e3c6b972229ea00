/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Compares a sparse trace with the same trace with all its rows: each requested row, every number
 * of stat and every stored edge are the same. Threads of a random program use a few objects in
 * impossible ways, so that each branch of the rule for locks is taken.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/order/locks.h"
#include "decoder/order/order.h"
#include "decoder/order/task_sum.h"
#include "decoder/read/reader.h"
#include "decoder/read/sparse.h"
#include "decoder/report/stat/summary.h"
#include "tests/lib/dump-writer.h"
#include "tests/lib/random.h"

#define NR_THREADS 4u
#define NR_LOCKS 3u
#define NR_EVENTS 1500u /* of a thread */

struct program {
	struct syt_random random;
	struct syt_writer *w;
	uint32_t locks[NR_LOCKS], cond, sem, pipe;
};

static uint64_t below(struct program *p, uint64_t nr)
{
	return syt_random_below(&p->random, nr);
}

static struct syt_event lock_event(struct program *p)
{
	static const char *const calls[] = {"pthread_mutex_lock", "pthread_mutex_trylock",
	                                    "pthread_mutex_unlock", "pthread_mutex_unlock"};
	uint64_t which = below(p, 4);

	return (struct syt_event){
		.call = syt_writer_call(p->w, calls[which]),
		.object = p->locks[below(p, NR_LOCKS)],
		.result = which == 1 && !below(p, 3) ? 16 : 0,
	};
}

static struct syt_event other_event(struct program *p)
{
	switch (below(p, 5)) {
	case 0:
		return (struct syt_event){.call = syt_writer_call(p->w, "pthread_cond_wait"),
		                          .object = p->cond,
		                          .object2 = p->locks[0],
		                          .dur = below(p, 4000)};
	case 1:
		return (struct syt_event){.call = syt_writer_call(p->w, "pthread_cond_signal"),
		                          .object = p->cond};
	case 2:
		return (struct syt_event){.call = syt_writer_call(p->w, "sem_wait"),
		                          .object = p->sem,
		                          .dur = below(p, 50)};
	case 3:
		return (struct syt_event){.call = syt_writer_call(p->w, "sem_post"),
		                          .object = p->sem};
	default:
		return (struct syt_event){.call = syt_writer_call(p->w, "write"),
		                          .object = p->pipe,
		                          .result = 5,
		                          .bytes = 5,
		                          .offset = below(p, 1000)};
	}
}

/* Writes a random dump. With IS_ODD, sometimes an event precedes an event with an earlier stamp. */
static uint8_t *write_dump(uint64_t seed, bool is_odd, size_t *bytes)
{
	struct program p = {.random = {seed}, .w = syt_writer_create(0, 1)};

	for (uint32_t n = 0; n < NR_LOCKS; n++)
		p.locks[n] = syt_writer_object(p.w, n == 2 ? SYT_KIND_SPIN : SYT_KIND_MUTEX,
		                               0x1000 + n, 0, 0);
	p.cond = syt_writer_object(p.w, SYT_KIND_COND, 0x2000, 0, 0);
	p.sem = syt_writer_object(p.w, SYT_KIND_SEM, 0x3000, 0, 0);
	p.pipe = syt_writer_object(p.w, SYT_KIND_PIPE, 0x4000, 0, 0);
	for (uint32_t t = 0; t < NR_THREADS; t++)
		syt_writer_thread(p.w, 100 + t, UINT32_MAX, NULL);
	for (uint32_t t = 0; t < NR_THREADS; t++) {
		uint64_t now = 100 + below(&p, 2000);

		for (unsigned n = 0; n < NR_EVENTS; n++) {
			struct syt_event e = below(&p, 30) ? lock_event(&p) : other_event(&p);

			now += below(&p, 3) ? below(&p, 20) : 0;
			e.stamp = is_odd && !below(&p, 300) ? now - below(&p, 50) : now;
			syt_writer_event(p.w, t, &e);
			if (!below(&p, 80))
				syt_writer_seal(p.w, t, 0);
		}
	}
	return syt_writer_finish(p.w, bytes);
}

static struct syt_trace_data *read_dump(const uint8_t *dump, size_t bytes, bool is_sparse,
                                        unsigned nr_workers)
{
	struct syt_read_report report;
	const struct syt_read_options options = {.nr_workers = nr_workers, .is_sparse = is_sparse};

	return syt_read_memory(dump, bytes, &options, &report);
}

static void compare_rows(const struct syt_trace_data *full, const struct syt_trace_data *sparse)
{
	for (uint32_t n = 0; n < NR_THREADS; n++) {
		const struct syt_thread *a = &full->images[0].threads[n];
		const struct syt_thread *b = &sparse->images[0].threads[n];

		assert_int_equal(a->nr_rows, b->nr_rows);
		for (uint64_t i = 0; i < a->nr_rows; i++) {
			struct syt_row x = *syt_thread_row(a, i), y = *syt_thread_row(b, i);

			assert_int_equal(x.extra == SYT_NONE, y.extra == SYT_NONE);
			if (x.extra != SYT_NONE)
				assert_memory_equal(syt_thread_extra(a, &x),
				                    syt_thread_extra(b, &y),
				                    sizeof(struct syt_extra));
			y.extra = x.extra;
			assert_memory_equal(&x, &y, sizeof(x));
		}
	}
}

static void compare_summaries(const struct syt_image *full, const struct syt_image *sparse)
{
	struct syt_image_summary a, b;

	syt_summary_make(&a, full);
	syt_summary_make(&b, sparse);
	assert_memory_equal(a.calls, b.calls, full->nr_calls * sizeof(*a.calls));
	assert_memory_equal(a.threads, b.threads, full->nr_threads * sizeof(*a.threads));
	assert_memory_equal(&a.leaves, &b.leaves, sizeof(a.leaves));
	assert_int_equal(a.leaves.nr, NR_THREADS * (NR_EVENTS - 1));
	syt_summary_fini(&a);
	syt_summary_fini(&b);
}

static void compare_tasks(const struct syt_trace_data *full, const struct syt_trace_data *sparse)
{
	const struct syt_trace_data *const traces[] = {full, sparse};
	const struct syt_task_filter filters[] = {
		{0, UINT64_MAX, false, 0}, {full->begin + 5000 * 16, full->end / 2, true, 1}};

	for (unsigned k = 0; k < 2; k++) {
		struct syt_task_sum *sums[2];
		struct syt_places places;
		uint64_t nr_tasks = 0;
		size_t nr[2];

		for (unsigned n = 0; n < 2; n++) {
			assert_int_equal(syt_places_open(&places, traces[n]), 0);
			sums[n] = syt_task_sums(&places, &filters[k], &nr[n]);
			syt_places_close(&places);
		}
		assert_int_equal(nr[0], nr[1]);
		assert_int_not_equal(nr[0], 0);
		for (size_t i = 0; i < nr[0]; i++) {
			const struct syt_task_sum *a = &sums[0][i], *b = &sums[1][i];

			assert_int_equal(a->begin.call, b->begin.call);
			assert_int_equal(a->end.call, b->end.call);
			assert_int_equal(syt_place_compare(a->first, b->first), 0);
			assert_int_equal(a->nr, b->nr);
			assert_int_equal(a->total_ns, b->total_ns);
			assert_int_equal(a->max_ns, b->max_ns);
			nr_tasks += a->nr;
		}
		if (!k)
			assert_int_equal(nr_tasks, NR_THREADS * (NR_EVENTS - 1));
		free(sums[0]);
		free(sums[1]);
	}
}

static void compare_orders(const struct syt_trace_data *full, const struct syt_trace_data *sparse)
{
	const uint32_t locks = 1u << SYT_EDGE_MUTEX | 1u << SYT_EDGE_SPIN;
	const struct syt_edges_wanted wanted = {SYT_EDGES_ALL & ~locks, SYT_EDGES_ALL};
	struct syt_order a, b;

	assert_int_equal(syt_order_open_for(&a, full, wanted), 0);
	assert_int_equal(syt_order_open_for(&b, sparse, wanted), 0);
	assert_memory_equal(&a.coverage, &b.coverage, sizeof(a.coverage));
	assert_true(a.coverage.edges[SYT_EDGE_MUTEX] ||
	            a.coverage.unattributed[SYT_REASON_FOREIGN]);
	assert_int_equal(a.edges.nr, b.edges.nr);
	if (a.edges.nr)
		assert_memory_equal(a.edges.all, b.edges.all, a.edges.nr * sizeof(*a.edges.all));
	syt_order_close(&a);
	syt_order_close(&b);
}

static void compare_histories(const struct syt_trace_data *full,
                              const struct syt_trace_data *sparse)
{
	const struct syt_edges_wanted wanted = {SYT_EDGES_ALL, 1u << SYT_CLASS_CAUSAL};
	struct syt_order a, b;
	bool *is_wanted;

	assert_int_equal(syt_order_open_for(&a, full, wanted), 0);
	assert_int_equal(syt_order_open_for(&b, sparse, wanted), 0);
	is_wanted = calloc(b.objects.nr, sizeof(*is_wanted));
	for (uint32_t i = 0; i < b.objects.nr; i++)
		is_wanted[i] = i % 2;
	syt_locks_complete(&b.places, &b.objects, &b.histories, is_wanted);
	for (uint32_t i = 0; i < b.objects.nr; i += 2)
		syt_locks_complete_one(&b.places, &b.objects, &b.histories, i);
	for (uint32_t i = 0; i < b.objects.nr; i++) {
		struct syt_history x = syt_history_of(&a.histories, i);
		struct syt_history y = syt_history_of(&b.histories, i);

		assert_int_equal(x.nr, y.nr);
		for (uint64_t n = 0; n < x.nr; n++)
			assert_memory_equal(&x.touches[n], &y.touches[n], sizeof(*x.touches));
	}
	free(is_wanted);
	syt_order_close(&a);
	syt_order_close(&b);
}

static void compare(uint64_t seed, unsigned nr_workers, uint32_t window_rows)
{
	size_t bytes;
	uint8_t *dump = write_dump(seed, false, &bytes);
	struct syt_trace_data *full = read_dump(dump, bytes, false, 1);
	struct syt_trace_data *sparse = read_dump(dump, bytes, true, nr_workers);

	assert_non_null(sparse->sparse);
	sparse->sparse->window_rows = window_rows;
	assert_int_equal(full->begin, sparse->begin);
	assert_int_equal(full->end, sparse->end);
	compare_orders(full, sparse);
	compare_histories(full, sparse);
	compare_summaries(&full->images[0], &sparse->images[0]);
	compare_tasks(full, sparse);
	compare_rows(full, sparse); /* the last step, because it unpacks rows that are not kept */
	syt_trace_destroy(full);
	syt_trace_destroy(sparse);
	free(dump);
}

static uint64_t nr_seeds = 60;

static void is_the_same_trace(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= nr_seeds; seed++)
		compare(seed, 1 + (unsigned)(seed % 3), seed % 2 ? 200 : 1000000);
}

static void keeps_few_rows(void **state)
{
	size_t bytes;
	uint8_t *dump = write_dump(1, false, &bytes);
	struct syt_trace_data *trace = read_dump(dump, bytes, true, 1);
	uint64_t nr_kept = 0;

	(void)state;
	for (uint32_t n = 0; n < NR_THREADS; n++)
		for (uint64_t i = 0; i < NR_EVENTS; i++)
			nr_kept += syt_kept_has(trace->images[0].threads[n].kept, i);
	assert_in_range(nr_kept, 1, NR_THREADS * NR_EVENTS * 9 / 10);
	syt_trace_destroy(trace);
	free(dump);
}

static void is_whole_when_out_of_order(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		size_t bytes;
		uint8_t *dump = write_dump(seed, true, &bytes);
		struct syt_trace_data *full = read_dump(dump, bytes, false, 1);
		struct syt_trace_data *sparse = read_dump(dump, bytes, true, 2);

		assert_null(sparse->sparse);
		compare_rows(full, sparse);
		compare_orders(full, sparse);
		syt_trace_destroy(full);
		syt_trace_destroy(sparse);
		free(dump);
	}
}

static void is_whole_when_damaged(void **state)
{
	size_t bytes;
	uint8_t *dump = write_dump(7, false, &bytes);

	(void)state;
	for (size_t at = bytes / 4; at < bytes; at += bytes / 16) {
		dump[at] ^= 0x55;
		struct syt_trace_data *full = read_dump(dump, bytes, false, 1);
		struct syt_trace_data *sparse = read_dump(dump, bytes, true, 2);

		assert_int_equal(full->nr_images, sparse->nr_images);
		if (full->nr_images && full->images[0].is_damaged)
			assert_null(sparse->sparse);
		for (uint32_t n = 0; n < full->nr_images; n++)
			assert_int_equal(full->images[n].nr_missing, sparse->images[n].nr_missing);
		syt_trace_destroy(full);
		syt_trace_destroy(sparse);
		dump[at] ^= 0x55;
	}
	free(dump);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_the_same_trace),
		cmocka_unit_test(keeps_few_rows),
		cmocka_unit_test(is_whole_when_out_of_order),
		cmocka_unit_test(is_whole_when_damaged),
	};

	if (argc > 1)
		nr_seeds = strtoull(argv[1], NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
