/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * lifetime WHAT N: N rounds in which the thread that is woken unmaps the page that the object lies
 * in, while its waker may still be in the call. libc allows this for all of these objects. A thread
 * that reads the object after its release dies.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <threads.h>

#include "tests/robustness/need.h"

#define PAGE_BYTES 4096

/* The object of one round is alone on its page. One thread offers the object, and the other thread takes and unmaps
 * it. */
union object {
	struct {
		pthread_mutex_t mutex;
		pthread_cond_t cond;
		int is_set;
	} m;
	struct {
		mtx_t mutex;
		cnd_t cond;
		int is_set;
	} c11;
	struct {
		pthread_spinlock_t lock;
		int is_set;
	} spin;
	sem_t sem;
	pthread_barrier_t barrier;
};

struct kind {
	const char *name;
	void (*init)(union object *o);
	void (*release)(union object *o);
	void (*wait)(union object *o); /* returns when no thread needs the object any more */
};

static union object *volatile offered;
static const struct kind *kind;

static void sem_init_one(union object *o)
{
	NEED(!sem_init(&o->sem, 0, 0));
}

static void sem_release(union object *o)
{
	NEED(!sem_post(&o->sem));
}

static void sem_wait_one(union object *o)
{
	while (sem_trywait(&o->sem))
		;
}

static void sem_block(union object *o)
{
	NEED(!sem_wait(&o->sem));
}

static void mutex_init(union object *o)
{
	NEED(!pthread_mutex_init(&o->m.mutex, NULL) && !pthread_cond_init(&o->m.cond, NULL));
}

/* The unlock is the last access of this thread; the other thread locks, reads the flag, unlocks and
 * unmaps. */
static void mutex_release(union object *o)
{
	NEED(!pthread_mutex_lock(&o->m.mutex));
	o->m.is_set = 1;
	NEED(!pthread_mutex_unlock(&o->m.mutex));
}

static void mutex_wait(union object *o)
{
	for (int is_set = 0; !is_set;) {
		NEED(!pthread_mutex_lock(&o->m.mutex));
		is_set = o->m.is_set;
		NEED(!pthread_mutex_unlock(&o->m.mutex));
	}
	NEED(!pthread_mutex_destroy(&o->m.mutex));
}

/* In libc, pthread_cond_destroy() waits until all woken threads have left their calls. */
static void cond_release(union object *o)
{
	NEED(!pthread_mutex_lock(&o->m.mutex));
	o->m.is_set = 1;
	NEED(!pthread_cond_signal(&o->m.cond));
	NEED(!pthread_mutex_unlock(&o->m.mutex));
}

static void broadcast_release(union object *o)
{
	NEED(!pthread_mutex_lock(&o->m.mutex));
	o->m.is_set = 1;
	NEED(!pthread_cond_broadcast(&o->m.cond));
	NEED(!pthread_mutex_unlock(&o->m.mutex));
}

static void cond_wait(union object *o)
{
	NEED(!pthread_mutex_lock(&o->m.mutex));
	while (!o->m.is_set)
		NEED(!pthread_cond_wait(&o->m.cond, &o->m.mutex));
	NEED(!pthread_mutex_unlock(&o->m.mutex));
	NEED(!pthread_cond_destroy(&o->m.cond));
	NEED(!pthread_mutex_destroy(&o->m.mutex));
}

static void c11_init(union object *o)
{
	NEED(mtx_init(&o->c11.mutex, mtx_plain) == thrd_success);
	NEED(cnd_init(&o->c11.cond) == thrd_success);
}

static void c11_release(union object *o)
{
	NEED(mtx_lock(&o->c11.mutex) == thrd_success);
	o->c11.is_set = 1;
	NEED(cnd_signal(&o->c11.cond) == thrd_success);
	NEED(mtx_unlock(&o->c11.mutex) == thrd_success);
}

static void c11_wait(union object *o)
{
	NEED(mtx_lock(&o->c11.mutex) == thrd_success);
	while (!o->c11.is_set)
		NEED(cnd_wait(&o->c11.cond, &o->c11.mutex) == thrd_success);
	NEED(mtx_unlock(&o->c11.mutex) == thrd_success);
	cnd_destroy(&o->c11.cond);
	mtx_destroy(&o->c11.mutex);
}

static void spin_init(union object *o)
{
	NEED(!pthread_spin_init(&o->spin.lock, 0));
}

static void spin_release(union object *o)
{
	NEED(!pthread_spin_lock(&o->spin.lock));
	o->spin.is_set = 1;
	NEED(!pthread_spin_unlock(&o->spin.lock));
}

static void spin_wait(union object *o)
{
	for (int is_set = 0; !is_set;) {
		NEED(!pthread_spin_lock(&o->spin.lock));
		is_set = o->spin.is_set;
		NEED(!pthread_spin_unlock(&o->spin.lock));
	}
	NEED(!pthread_spin_destroy(&o->spin.lock));
}

static void barrier_init(union object *o)
{
	NEED(!pthread_barrier_init(&o->barrier, NULL, 2));
}

static void barrier_release(union object *o)
{
	int rv = pthread_barrier_wait(&o->barrier);

	NEED(rv == 0 || rv == PTHREAD_BARRIER_SERIAL_THREAD);
}

/* destroy waits until the other thread has left */
static void barrier_wait(union object *o)
{
	barrier_release(o);
	NEED(!pthread_barrier_destroy(&o->barrier));
}

static const struct kind kinds[] = {
	{"sem", sem_init_one, sem_release, sem_wait_one},
	{"sem-blocked", sem_init_one, sem_release, sem_block},
	{"mutex", mutex_init, mutex_release, mutex_wait},
	{"cond", mutex_init, cond_release, cond_wait},
	{"broadcast", mutex_init, broadcast_release, cond_wait},
	{"c11", c11_init, c11_release, c11_wait},
	{"spin", spin_init, spin_release, spin_wait},
	{"barrier", barrier_init, barrier_release, barrier_wait},
};

static void *takes(void *nr)
{
	for (int i = 0; i < *(int *)nr; i++) {
		union object *o;

		while (!(o = __atomic_exchange_n(&offered, NULL, __ATOMIC_ACQ_REL)))
			sched_yield();
		kind->wait(o);
		NEED(!munmap(o, PAGE_BYTES));
	}
	return nr;
}

int main(int argc, char **argv)
{
	int nr = argc == 3 ? atoi(argv[2]) : 0;
	pthread_t t;

	for (size_t i = 0; argc == 3 && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(argv[1], kinds[i].name))
			kind = &kinds[i];
	if (!kind)
		return 2;
	NEED(!pthread_create(&t, NULL, takes, &nr));
	for (int i = 0; i < nr; i++) {
		union object *o = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE,
		                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		NEED(o != MAP_FAILED);
		kind->init(o);
		__atomic_store_n(&offered, o, __ATOMIC_RELEASE);
		kind->release(o);
		while (__atomic_load_n(&offered, __ATOMIC_ACQUIRE))
			sched_yield();
	}
	NEED(!pthread_join(t, NULL));
	printf("%s: %d rounds\n", kind->name, nr);
	return 0;
}
