/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "base/work.h"

#include <sched.h>

#include "base/store.h"

struct work {
	size_t nr_jobs, next;
	void (*run)(void *context, size_t job, unsigned worker);
	void *context;
};

struct worker {
	struct work *work;
	unsigned number;
	bool has_thread;
	pthread_t thread;
};

unsigned syt_nr_workers(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) < 0)
		return 1;
	unsigned n = (unsigned)CPU_COUNT(&set);

	return n < 1 ? 1 : n > SYT_WORKERS_MAX ? SYT_WORKERS_MAX : n;
}

static void *worker_main(void *arg)
{
	struct worker *me = arg;
	struct work *w = me->work;

	for (;;) {
		size_t job = __atomic_fetch_add(&w->next, 1, __ATOMIC_RELAXED);

		if (job >= w->nr_jobs)
			return NULL;
		w->run(w->context, job, me->number);
		syt_store_settle();
	}
}

void syt_work(size_t nr_jobs, unsigned nr_workers,
              void (*run)(void *context, size_t job, unsigned worker), void *context)
{
	struct work w = {.nr_jobs = nr_jobs, .run = run, .context = context};
	struct worker workers[SYT_WORKERS_MAX];

	if (nr_workers > SYT_WORKERS_MAX)
		nr_workers = SYT_WORKERS_MAX;
	if (nr_workers > nr_jobs)
		nr_workers = (unsigned)nr_jobs;
	for (unsigned i = 0; i < nr_workers; i++)
		workers[i] = (struct worker){.work = &w, .number = i};
	/* if a thread cannot be created, the other threads take its jobs */
	for (unsigned i = 1; i < nr_workers; i++)
		workers[i].has_thread =
			pthread_create(&workers[i].thread, NULL, worker_main, &workers[i]) == 0;
	if (nr_workers)
		worker_main(&workers[0]);
	for (unsigned i = 1; i < nr_workers; i++)
		if (workers[i].has_thread)
			pthread_join(workers[i].thread, NULL);
}

static void *beside_main(void *arg)
{
	struct syt_beside *b = arg;

	b->run(b->context);
	return NULL;
}

void syt_beside_begin(struct syt_beside *b, unsigned nr_workers, void (*run)(void *context),
                      void *context)
{
	*b = (struct syt_beside){.run = run, .context = context};
	b->has_thread = nr_workers > 1 && pthread_create(&b->thread, NULL, beside_main, b) == 0;
}

void syt_beside_end(struct syt_beside *b)
{
	if (b->has_thread)
		pthread_join(b->thread, NULL);
	else
		b->run(b->context);
}
