/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Runs independent jobs on all processors. */
#ifndef SYT_BASE_WORK_H
#define SYT_BASE_WORK_H

#include <stddef.h>

#define SYT_WORKERS_MAX 64u

/* Returns the number of processors that this process may use, at least 1. */
unsigned syt_nr_workers(void);

/* Calls RUN(CONTEXT, job, worker) once for every job in [0, nr_jobs), in any order, on up to NR_WORKERS threads
 * (worker < NR_WORKERS). Returns when all jobs are done. */
void syt_work(size_t nr_jobs, unsigned nr_workers,
              void (*run)(void *context, size_t job, unsigned worker), void *context);

#endif
