/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * OpenMP: the current share or task of a thread, and the runtime's functions. No header declares these
 * functions; they are the ABI of gcc's libgomp, which other runtimes provide, too.
 *
 * A share is the part of a parallel region that one thread of the team runs. One counter of the process
 * numbers regions, tasks and shares. No number is reused, so the decoder need not know when the address of
 * a region is reused.
 */
#ifndef SYT_PRELOAD_OMP_H
#define SYT_PRELOAD_OMP_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/omp-real.h"

/* The current share or task of a thread, on the stack of the function that runs the task. */
struct syt_omp_here {
	uint64_t region; /* 0 for a task */
	uint64_t number; /* number of the share or task */
	/* number of barriers that this share, or the share that created the task, has passed */
	uint64_t nr_barriers;
	struct syt_omp_here *outer;
};

extern __thread struct syt_omp_here *syt_omp_here __attribute__((visibility("hidden")));

/* Returns a new number for a region, task or share. Any thread may call it. */
uint64_t syt_omp_number(void);

/* Returns the object of all events about teams and tasks. */
uint32_t syt_omp_object(void);

/* Begin and end the recording of an OpenMP call that may wait for other threads. */
void syt_omp_wait_begin(struct syt_frame *f, struct syt_event *e);
void syt_omp_wait_end(struct syt_frame *f, struct syt_event *e);

/* Record with the event MARK that the thread begins or ends a share or task. */
void syt_omp_enter(struct syt_omp_here *h, enum syt_call mark);
void syt_omp_leave(struct syt_omp_here *h, enum syt_call mark);

/* Defines the wrapper of a void function. BEFORE and AFTER are statements that use the frame f and the
 * event e. These calls give teams and tasks their numbers, so they are recorded even in a pause. */
#define SYT_OMP_VOID(...) SYT_OMP_VOID_IF(SYT_ENTER, __VA_ARGS__)
#define SYT_OMP_VOID_IF(enter_, name_, params_, args_, before_, after_)                            \
	SYT_EXPORT void name_ params_                                                              \
	{                                                                                          \
		SYT_OMP_ENTER_OR_FORWARD_VOID(enter_, f, real, name_, args_);                      \
		struct syt_event e = {.call = SYT_CALL_##name_};                                   \
		before_;                                                                           \
		real args_;                                                                        \
		after_;                                                                            \
	}

typedef void syt_omp_body(void *data);

#define SYT_OMP_REGION (syt_omp_body * body, void *data, unsigned nr_threads, unsigned flags)
#define SYT_OMP_SECTIONS                                                                           \
	(syt_omp_body * body, void *data, unsigned nr_threads, unsigned nr, unsigned flags)
#define SYT_OMP_LOOP                                                                               \
	(syt_omp_body * body, void *data, unsigned nr_threads, long start, long end, long step,    \
	 long chunk, unsigned flags)
#define SYT_OMP_LOOP_RUNTIME                                                                       \
	(syt_omp_body * body, void *data, unsigned nr_threads, long start, long end, long step,    \
	 unsigned flags)
void GOMP_parallel SYT_OMP_REGION;
void GOMP_parallel_loop_static SYT_OMP_LOOP;
void GOMP_parallel_loop_dynamic SYT_OMP_LOOP;
void GOMP_parallel_loop_guided SYT_OMP_LOOP;
void GOMP_parallel_loop_nonmonotonic_dynamic SYT_OMP_LOOP;
void GOMP_parallel_loop_nonmonotonic_guided SYT_OMP_LOOP;
void GOMP_parallel_loop_runtime SYT_OMP_LOOP_RUNTIME;
void GOMP_parallel_loop_nonmonotonic_runtime SYT_OMP_LOOP_RUNTIME;
void GOMP_parallel_loop_maybe_nonmonotonic_runtime SYT_OMP_LOOP_RUNTIME;
void GOMP_parallel_sections SYT_OMP_SECTIONS;
unsigned GOMP_parallel_reductions SYT_OMP_REGION;
void GOMP_barrier(void);
bool GOMP_barrier_cancel(void);
void GOMP_loop_end(void);
bool GOMP_loop_end_cancel(void);
void GOMP_sections_end(void);
bool GOMP_sections_end_cancel(void);
void *GOMP_single_copy_start(void);
void GOMP_single_copy_end(void *data);
/* Later releases of libgomp added the last arguments; the wrapper forwards them, although an older caller
 * has not set them. */
void GOMP_task(syt_omp_body *body, void *data, void (*copy)(void *to, void *from), long bytes,
               long align, bool is_deferred, unsigned flags, void **depend, int priority,
               void *detach);
void GOMP_taskwait(void);
void GOMP_taskgroup_start(void);
void GOMP_taskgroup_end(void);
void GOMP_critical_start(void);
void GOMP_critical_end(void);
void GOMP_critical_name_start(void **name);
void GOMP_critical_name_end(void **name);
void GOMP_atomic_start(void);
void GOMP_atomic_end(void);
/* omp.h declares the same functions with other types: */
void omp_init_lock(void *lock);
void omp_destroy_lock(void *lock);
void omp_set_lock(void *lock);
int omp_test_lock(void *lock);
void omp_unset_lock(void *lock);
void omp_init_nest_lock(void *lock);
void omp_destroy_nest_lock(void *lock);
void omp_set_nest_lock(void *lock);
int omp_test_nest_lock(void *lock);
void omp_unset_nest_lock(void *lock);

#endif
