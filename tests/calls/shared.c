/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Objects that two processes share: parent and child map the same bytes at different addresses, and the
 * trace has one name for each object. Also compares the offsets of libc's process-shared flags in
 * preload/sync-object.h with libc itself.
 */
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>

#include "tests/calls/expect.h"

struct objects {
	pthread_mutex_t m;
	pthread_rwlock_t l;
	pthread_cond_t c;
	pthread_barrier_t b;
	sem_t s;
	pthread_spinlock_t spin; /* a spin lock, which has no process-shared flag */
};

static void init(struct objects *o)
{
	pthread_mutexattr_t m;
	pthread_rwlockattr_t l;
	pthread_condattr_t c;
	pthread_barrierattr_t b;

	pthread_mutexattr_init(&m);
	pthread_mutexattr_setpshared(&m, PTHREAD_PROCESS_SHARED);
	pthread_rwlockattr_init(&l);
	pthread_rwlockattr_setpshared(&l, PTHREAD_PROCESS_SHARED);
	pthread_condattr_init(&c);
	pthread_condattr_setpshared(&c, PTHREAD_PROCESS_SHARED);
	pthread_barrierattr_init(&b);
	pthread_barrierattr_setpshared(&b, PTHREAD_PROCESS_SHARED);
	CHECK(pthread_mutex_init(&o->m, &m) == 0);
	CHECK(pthread_rwlock_init(&o->l, &l) == 0);
	CHECK(pthread_cond_init(&o->c, &c) == 0);
	CHECK(pthread_barrier_init(&o->b, &b, 2) == 0);
	CHECK(sem_init(&o->s, 1, 0) == 0);
	CHECK(pthread_spin_init(&o->spin, PTHREAD_PROCESS_SHARED) == 0);
	expect("0.0 pthread_mutex_init mutex:$m 0");
	expect("0.0 pthread_rwlock_init rwlock:$l 0");
	expect("0.0 pthread_cond_init cond:$c 0");
	expect("0.0 pthread_barrier_init barrier:$b 0");
	expect("0.0 sem_init sem:$s 0");
	expect("0.0 pthread_spin_init spin:$spin 0");
}

/* Performs the same calls in both processes. */
static void use(struct objects *o, int image, int other)
{
	CHECK(pthread_mutex_lock(&o->m) == 0);
	expect("%d.0 pthread_mutex_lock mutex:$m 0", image);
	CHECK(pthread_cond_signal(&o->c) == 0);
	expect("%d.0 pthread_cond_signal cond:$c 0", image);
	CHECK(pthread_mutex_unlock(&o->m) == 0);
	expect("%d.0 pthread_mutex_unlock mutex:$m 0", image);
	CHECK(pthread_rwlock_rdlock(&o->l) == 0);
	expect("%d.0 pthread_rwlock_rdlock rwlock:$l 0", image);
	CHECK(pthread_rwlock_unlock(&o->l) == 0);
	expect("%d.0 pthread_rwlock_unlock rwlock:$l 0", image);
	CHECK(pthread_spin_lock(&o->spin) == 0);
	expect("%d.0 pthread_spin_lock spin:$spin 0", image);
	CHECK(pthread_spin_unlock(&o->spin) == 0);
	expect("%d.0 pthread_spin_unlock spin:$spin 0", image);
	pthread_barrier_wait(&o->b);
	expect("%d.0 pthread_barrier_wait barrier:$b * count=2", image);
	if (other) {
		CHECK(sem_post(&o->s) == 0);
		expect("%d.0 sem_post sem:$s 0", image);
	} else {
		CHECK(sem_wait(&o->s) == 0);
		expect("%d.0 sem_wait sem:$s 0", image);
	}
}

/* Maps the same bytes at an address other than NOT_AT. */
static struct objects *map(int fd, struct objects *not_at)
{
	struct objects *o;

	if (not_at) /* keep the old mapping, so that the new one is elsewhere */
		o = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	else
		o = mmap64(NULL, 65536, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(o != MAP_FAILED && o != not_at);
	return o;
}

/* Tests shared memory that only a fork passes on, and System V shared memory. */
static void others(void)
{
	struct objects *a =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int id = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
	struct objects *v = shmat(id, NULL, 0), *w;
	pid_t pid;

	CHECK(a != MAP_FAILED && id >= 0 && v != (void *)-1);
	CHECK(shmctl(id, IPC_RMID, NULL) == 0);
	CHECK(sem_init(&a->s, 1, 0) == 0);
	expect("0.0 sem_init sem:$anonymous 0");
	CHECK(sem_init(&v->s, 1, 0) == 0);
	expect("0.0 sem_init sem:$sysv 0");
	pid = fork();
	if (pid == 0) {
		w = shmat(id, NULL, 0);
		CHECK(w != (void *)-1 && w != v);
		CHECK(sem_post(&a->s) == 0);
		expect("2.0 sem_post sem:$anonymous 0");
		CHECK(sem_post(&w->s) == 0);
		expect("2.0 sem_post sem:$sysv 0");
		_exit(0);
	}
	CHECK(sem_wait(&a->s) == 0);
	expect("0.0 sem_wait sem:$anonymous 0");
	CHECK(sem_wait(&v->s) == 0);
	expect("0.0 sem_wait sem:$sysv 0");
	CHECK(waitpid(pid, NULL, 0) == pid);
	CHECK(shmdt(v) == 0);
}

/* If another file is mapped at the same address, an object there is another object. */
static void replaced(struct objects *o)
{
	int fd = memfd_create("other", MFD_CLOEXEC);

	CHECK(sem_post(&o->s) == 0);
	expect("0.0 sem_post sem:$s 0");
	CHECK(fd >= 0 && ftruncate(fd, 65536) == 0);
	CHECK(mmap(o, 65536, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == o);
	CHECK(sem_init(&o->s, 1, 0) == 0);
	expect("0.0 sem_init sem:$other 0");
	CHECK(sem_post(&o->s) == 0);
	expect("0.0 sem_post sem:$other 0");
}

int main(void)
{
	int fd = memfd_create("shared", MFD_CLOEXEC), status;
	struct objects *o;
	pid_t pid;

	expect("ignore memfd_create ftruncate fork waitpid _exit close");
	CHECK(fd >= 0 && ftruncate(fd, 65536) == 0);
	o = map(fd, NULL);
	init(o);
	pid = fork();
	if (pid == 0) {
		use(map(fd, o), 1, 1);
		_exit(0);
	}
	use(o, 0, 0);
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
	others();
	replaced(o);
	CHECK(munmap(o, 65536) == 0);
	return 0;
}
