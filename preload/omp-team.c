/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* OpenMP teams: parallel regions and their barriers. A wrapper passes its own function to the runtime. In each
 * thread of the team, this function records the begin and the end of the thread's part (share) of the region.
 * GOMP_parallel_start and GOMP_parallel_end of gcc before 4.9 (2014) have no wrappers. */
#include "preload/omp.h"

__thread struct syt_omp_here *syt_omp_here;

uint64_t syt_omp_number(void)
{
	static uint64_t last;

	return __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}

uint32_t syt_omp_object(void)
{
	return syt_object(SYT_KIND_TEAM, &syt_omp_object);
}

void syt_omp_wait_begin(struct syt_frame *f, struct syt_event *e)
{
	e->object = syt_omp_object();
	e->offset2 = syt_omp_here ? syt_omp_here->number : 0;
	syt_capture(f);
	syt_stamp_in(f);
}

void syt_omp_wait_end(struct syt_frame *f, struct syt_event *e)
{
	syt_stamp_out(f);
	syt_leave_out(f, e);
}

/* Records an event (MARK) that no call made, so the event has no call stack. */
static void record_mark(const struct syt_omp_here *h, enum syt_call mark)
{
	struct syt_frame f;

	if (!syt_enter(&f, NULL))
		return;
	struct syt_event e = {.call = mark,
	                      .object = syt_omp_object(),
	                      .arg = h->region ? h->region : h->number,
	                      .offset2 = h->number};
	syt_stamp_in(&f);
	syt_leave_in(&f, &e);
}

void syt_omp_enter(struct syt_omp_here *h, enum syt_call mark)
{
	h->outer = syt_omp_here;
	syt_omp_here = h;
	record_mark(h, mark);
}

void syt_omp_leave(struct syt_omp_here *h, enum syt_call mark)
{
	record_mark(h, mark);
	syt_omp_here = h->outer;
}

/* ---- regions ---- */

/* A parallel region, on the stack of the thread that begins the region and waits for its end. */
struct region {
	/* GOMP_parallel_reductions reads the reductions from the first word of its data */
	void *reductions;
	syt_omp_body *body;
	void *data;
	uint64_t number;
	struct syt_frame *frame; /* frame of the thread that begins the region */
	pthread_t by;            /* the thread that begins the region */
};

static void run_share(void *arg)
{
	struct region *r = arg;
	syt_omp_body *body = r->body;
	void *data = r->data;
	struct syt_omp_here h = {.region = r->number, .number = syt_omp_number()};

	syt_omp_enter(&h, SYT_CALL_omp_enter);
	body(data);
	syt_omp_leave(&h, SYT_CALL_omp_leave);
	/* after its part, the thread that began the region waits in the call for the other threads, which
	 * may still read this struct */
	if (pthread_equal(r->by, pthread_self()))
		syt_stamp_in(r->frame);
}

static void region_begin(struct syt_frame *f, struct syt_event *e, struct region *r)
{
	struct syt_frame mark;

	r->frame = f;
	r->by = pthread_self();
	r->number = e->arg = syt_omp_number();
	syt_omp_wait_begin(f, e);
	/* the event of the region is written at the region's end, which may be the end of the program */
	if (syt_enter(&mark, f->fp)) {
		struct syt_event begin = *e;

		begin.call = SYT_CALL_omp_begin;
		syt_stamp_in(&mark);
		syt_leave_in(&mark, &begin);
	}
}

#define REGION(name_, params_, ...)                                                                \
	SYT_EXPORT void name_ params_                                                              \
	{                                                                                          \
		SYT_OMP_ENTER_OR_FORWARD_VOID(SYT_ENTER, f, real, name_,                           \
		                              (body, data, __VA_ARGS__));                          \
		struct syt_event e = {.call = SYT_CALL_##name_};                                   \
		struct region r = {.body = body, .data = data};                                    \
		region_begin(&f, &e, &r);                                                          \
		real(run_share, &r, __VA_ARGS__);                                                  \
		syt_omp_wait_end(&f, &e);                                                          \
	}

/* clang-format off */
#define LOOP(name_) REGION(name_, SYT_OMP_LOOP, nr_threads, start, end, step, chunk, flags)
#define LOOP_RUNTIME(name_) REGION(name_, SYT_OMP_LOOP_RUNTIME, nr_threads, start, end, step, flags)
REGION(GOMP_parallel, SYT_OMP_REGION, nr_threads, flags)
REGION(GOMP_parallel_sections, SYT_OMP_SECTIONS, nr_threads, nr, flags)
LOOP(GOMP_parallel_loop_static)
LOOP(GOMP_parallel_loop_dynamic)
LOOP(GOMP_parallel_loop_guided)
LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
LOOP(GOMP_parallel_loop_nonmonotonic_guided)
LOOP_RUNTIME(GOMP_parallel_loop_runtime)
LOOP_RUNTIME(GOMP_parallel_loop_nonmonotonic_runtime)
LOOP_RUNTIME(GOMP_parallel_loop_maybe_nonmonotonic_runtime)
/* clang-format on */

SYT_EXPORT unsigned GOMP_parallel_reductions SYT_OMP_REGION
{
	SYT_OMP_ENTER_OR_FORWARD(SYT_ENTER, f, real, GOMP_parallel_reductions,
	                         (body, data, nr_threads, flags));
	struct syt_event e = {.call = SYT_CALL_GOMP_parallel_reductions};
	struct region r = {.reductions = *(void **)data, .body = body, .data = data};
	region_begin(&f, &e, &r);
	unsigned rv = real(run_share, &r, nr_threads, flags);
	syt_omp_wait_end(&f, &e);
	return rv;
}

/* ---- barriers ---- */

/* All threads of a team reach the same barriers in the same order, so the number of barriers that a thread
 * has passed identifies a barrier. */
static void barrier_begin(struct syt_frame *f, struct syt_event *e)
{
	struct syt_omp_here *h = syt_omp_here;

	if (h) {
		e->arg = h->region;
		e->offset = h->nr_barriers++;
	}
	syt_omp_wait_begin(f, e);
}

#define BARRIER(name_, params_, args_)                                                             \
	SYT_OMP_VOID(name_, params_, args_, barrier_begin(&f, &e), syt_omp_wait_end(&f, &e))

/* Defines the wrapper of a cancellable barrier. If the wrapped function returns true, the region was
 * cancelled and the thread did not wait. */
#define BARRIER_CANCEL(name_)                                                                      \
	SYT_EXPORT bool name_(void)                                                                \
	{                                                                                          \
		SYT_OMP_ENTER_OR_FORWARD(SYT_ENTER, f, real, name_, ());                           \
		struct syt_event e = {.call = SYT_CALL_##name_};                                   \
		barrier_begin(&f, &e);                                                             \
		bool rv = real();                                                                  \
		e.result = rv;                                                                     \
		syt_omp_wait_end(&f, &e);                                                          \
		return rv;                                                                         \
	}

/* clang-format off */
BARRIER(GOMP_barrier, (void), ())
BARRIER(GOMP_loop_end, (void), ())
BARRIER(GOMP_sections_end, (void), ())
BARRIER(GOMP_single_copy_end, (void *data), (data))
BARRIER_CANCEL(GOMP_barrier_cancel)
BARRIER_CANCEL(GOMP_loop_end_cancel)
BARRIER_CANCEL(GOMP_sections_end_cancel)
/* clang-format on */

/* One thread of the team gets NULL and waits in GOMP_single_copy_end; both calls are one barrier. */
SYT_EXPORT void *GOMP_single_copy_start(void)
{
	SYT_OMP_ENTER_OR_FORWARD(SYT_ENTER, f, real, GOMP_single_copy_start, ());
	struct syt_event e = {.call = SYT_CALL_GOMP_single_copy_start};
	barrier_begin(&f, &e);
	void *rv = real();
	if (!rv) {
		if (e.arg)
			syt_omp_here->nr_barriers--;
		e.arg = e.offset = 0;
	}
	syt_omp_wait_end(&f, &e);
	return rv;
}
