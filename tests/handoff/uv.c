/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Gives work to the thread pool of the installed libuv, without its headers. Exit status 77 means that libuv is not
 * installed. */
#include <dlfcn.h>

#include "mark.h"

#define NR_ITEMS 300

/* Memory for a uv_work_t, which has 128 bytes in version 1 of libuv. */
struct work {
	void *room[64];
};

static void *(*default_loop)(void);
static int (*queue_work)(void *loop, struct work *w, void (*run)(struct work *),
                         void (*after)(struct work *, int status));
static int (*run_loop)(void *loop, int mode);

static struct work works[NR_ITEMS];
static unsigned nr_queued;

static void run(struct work *w)
{
	unsigned item = (unsigned)(w - works);

	mark_taken(item);
	for (volatile unsigned i = 0; i < item * 104729 % 5000; i++)
		;
}

/* A finished request makes space for the next request. */
static void after(struct work *w, int status)
{
	(void)w;
	if (status)
		abort();
	if (nr_queued < NR_ITEMS) {
		mark_put(nr_queued);
		queue_work(default_loop(), &works[nr_queued++], run, after);
	}
}

int main(void)
{
	void *uv = dlopen("libuv.so.1", RTLD_NOW);

	if (!uv)
		return 77;
	*(void **)&default_loop = dlsym(uv, "uv_default_loop");
	*(void **)&queue_work = dlsym(uv, "uv_queue_work");
	*(void **)&run_loop = dlsym(uv, "uv_run");
	mark_open();
	while (nr_queued < 20) {
		mark_put(nr_queued);
		queue_work(default_loop(), &works[nr_queued++], run, after);
	}
	int rv = run_loop(default_loop(), 0);

	usleep(50000); /* the threads of the pool wait before the library ends them */
	return rv;
}
