/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Runs independent jobs on all processors. */
#ifndef SYT_BASE_WORK_H
#define SYT_BASE_WORK_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#define SYT_WORKERS_MAX 64u

/* Returns the number of processors that this process may use, at least 1. */
unsigned syt_nr_workers(void);

/* Calls RUN(CONTEXT, job, worker) once for every job in [0, nr_jobs), in any order, on up to NR_WORKERS threads
 * (worker < NR_WORKERS). Returns when all jobs are done. */
void syt_work(size_t nr_jobs, unsigned nr_workers,
              void (*run)(void *context, size_t job, unsigned worker), void *context);

/* Work beside the work of the caller. */
struct syt_beside {
	void (*run)(void *context);
	void *context;
	bool has_thread;
	pthread_t thread;
};

/* Begins to call RUN(CONTEXT) in another thread, if the program may use several (NR_WORKERS). */
void syt_beside_begin(struct syt_beside *b, unsigned nr_workers, void (*run)(void *context),
                      void *context);
/* Waits until the call of RUN is done. Without a thread, the call takes place now. */
void syt_beside_end(struct syt_beside *b);

#endif
