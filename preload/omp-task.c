/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * OpenMP tasks. The runtime copies the arguments of a task when the task is created. The runtime runs the
 * task later, in any thread of the team, possibly while another task waits. The wrapper passes its own
 * function and puts a header before the arguments, which the runtime copies, too.
 *
 * The wrapper passes some tasks on unchanged, so their creator is unknown: detached tasks (the runtime
 * writes into their arguments), tasks with very large arguments, and tasks of taskloop.
 */
#include <string.h>

#include "preload/omp.h"

/* maximum size of task arguments, which the wrapper copies on the stack */
#define NR_BYTES_MAX 2048
#define ALIGN_MAX 64
#define FLAG_DETACH (1u << 13)

struct head {
	syt_omp_body *body;
	void (*copy)(void *to, void *from);
	void *data; /* the creator's data, argument of `copy` */
	uint64_t number, nr_barriers;
	size_t args; /* offset of the task's own arguments behind the header */
};

static void run_task(void *arg)
{
	const struct head *t = arg;
	syt_omp_body *body = t->body;
	void *data = (char *)arg + t->args;
	struct syt_omp_here h = {.number = t->number, .nr_barriers = t->nr_barriers};

	syt_omp_enter(&h, SYT_CALL_omp_task_enter);
	body(data);
	syt_omp_leave(&h, SYT_CALL_omp_task_leave);
}

/* Replaces the task's copy function, which constructs C++ objects at their final address. */
static void copy_task(void *to, void *from)
{
	const struct head *t = from;

	memcpy(to, t, sizeof(*t));
	t->copy((char *)to + t->args, t->data);
}

SYT_EXPORT void GOMP_task(syt_omp_body *body, void *data, void (*copy)(void *to, void *from),
                          long bytes, long align, bool is_deferred, unsigned flags, void **depend,
                          int priority, void *detach)
{
	__typeof__(GOMP_task) *real = SYT_OMP_REAL(GOMP_task);
	struct syt_omp_here *h = syt_omp_here;
	struct syt_frame f;

	if (bytes < 0 || bytes > NR_BYTES_MAX || align > ALIGN_MAX || (flags & FLAG_DETACH) ||
	    !SYT_ENTER(&f)) {
		real(body, data, copy, bytes, align, is_deferred, flags, depend, priority, detach);
		return;
	}
	size_t unit = align > (long)_Alignof(struct head) ? (size_t)align : _Alignof(struct head);
	size_t args = (sizeof(struct head) + unit - 1) & ~(unit - 1);
	char *room = __builtin_alloca_with_align(args + (copy ? 0 : (size_t)bytes), 8 * ALIGN_MAX);
	struct head *t = (struct head *)room;
	*t = (struct head){.body = body,
	                   .copy = copy,
	                   .data = data,
	                   .number = syt_omp_number(),
	                   .nr_barriers = h ? h->nr_barriers : 0,
	                   .args = args};
	struct syt_event e = {.call = SYT_CALL_GOMP_task,
	                      .object = syt_omp_object(),
	                      .arg = t->number,
	                      .offset = t->nr_barriers,
	                      .offset2 = h ? h->number : 0};
	if (!copy)
		memcpy(room + args, data, (size_t)bytes);
	syt_capture(&f);
	syt_stamp_in(&f);
	real(run_task, t, copy ? copy_task : NULL, (long)args + bytes, (long)unit, is_deferred,
	     flags, depend, priority, detach);
	syt_stamp_out(&f);
	syt_leave_in(&f, &e);
}

/* clang-format off */
#define WAIT(name_) \
	SYT_OMP_VOID(name_, (void), (), syt_omp_wait_begin(&f, &e), syt_omp_wait_end(&f, &e))
WAIT(GOMP_taskwait)
WAIT(GOMP_taskgroup_end)
SYT_OMP_VOID(GOMP_taskgroup_start, (void), (), syt_omp_wait_begin(&f, &e), syt_leave_in(&f, &e))
/* clang-format on */
