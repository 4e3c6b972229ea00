/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* A call that succeeds, or that returns its error, leaves errno unchanged; the untraced run shows that
 * libc's functions do so. */
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <threads.h>

#include "tests/calls/expect.h"

#define KEPT(call_, value_)                                                                        \
	do {                                                                                       \
		errno = 0xbeef;                                                                    \
		CHECK((call_) == (value_));                                                        \
		CHECK(errno == 0xbeef);                                                            \
	} while (0)

static pthread_mutex_t m;
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void initialize(void)
{
	errno = 0xbeef;
}

static void *holds(void *arg)
{
	CHECK(pthread_mutex_lock(&m) == 0);
	sem_post(arg);
	await_others_asleep();
	CHECK(pthread_mutex_unlock(&m) == 0);
	return arg;
}

static void locks(sem_t *s)
{
	struct timespec t = {0, 1};
	pthread_t thread;

	KEPT(pthread_mutex_init(&m, NULL), 0);
	KEPT(pthread_mutex_lock(&m), 0);
	KEPT(pthread_mutex_trylock(&m), EBUSY);
	KEPT(pthread_mutex_timedlock(&m, &t), ETIMEDOUT);
	KEPT(pthread_cond_signal(&c), 0);
	KEPT(pthread_cond_timedwait(&c, &m, &t), ETIMEDOUT);
	KEPT(pthread_mutex_unlock(&m), 0);
	KEPT(pthread_rwlock_rdlock(&l), 0);
	KEPT(pthread_rwlock_trywrlock(&l), EBUSY);
	KEPT(pthread_rwlock_timedwrlock(&l, &t), ETIMEDOUT);
	KEPT(pthread_rwlock_unlock(&l), 0);
	KEPT(pthread_spin_init(&spin, 0), 0);
	KEPT(pthread_spin_lock(&spin), 0);
	KEPT(pthread_spin_unlock(&spin), 0);
	KEPT(pthread_once(&once, initialize), 0);
	KEPT(pthread_create(&thread, NULL, holds, s), 0);
	KEPT(sem_wait(s), 0);
	KEPT(pthread_mutex_lock(&m), 0);
	KEPT(pthread_mutex_unlock(&m), 0);
	KEPT(pthread_join(thread, NULL), 0);
	KEPT(pthread_tryjoin_np(pthread_self(), NULL), EBUSY);
	KEPT(sem_post(s), 0);
	KEPT(sem_trywait(s), 0);
}

static void handle(int signal)
{
	(void)signal;
	errno = 0xbeef; /* a careful signal handler leaves errno unchanged, too */
}

static void sleeps(void)
{
	struct timespec t = {0, 1000}, bad = {0, -1};

	signal(SIGUSR1, handle);
	KEPT(nanosleep(&t, NULL), 0);
	KEPT(clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL), 0);
	KEPT(clock_nanosleep(CLOCK_MONOTONIC, 0, &bad, NULL), EINVAL);
	KEPT(usleep(1), 0);
	KEPT(sleep(0), 0);
	KEPT(thrd_sleep(&t, NULL), 0);
	KEPT(thrd_sleep(&bad, NULL), -2);
	KEPT(sched_yield(), 0);
	KEPT((thrd_yield(), 0), 0);
}

static void signals(void)
{
	const struct timespec none = {0};
	union sigval value = {.sival_int = 1};
	pid_t self = getpid();
	int number;
	sigset_t set;

	KEPT(raise(SIGUSR1), 0); /* the signal handler runs */
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	KEPT(kill(self, SIGUSR1), 0);
	KEPT(sigwait(&set, &number), 0);
	KEPT(kill(self, 0), 0);
	KEPT(tgkill(self, gettid(), SIGUSR1), 0);
	KEPT(sigwaitinfo(&set, NULL), SIGUSR1);
	KEPT(pthread_kill(pthread_self(), SIGUSR1), 0);
	KEPT(sigtimedwait(&set, NULL, &none), SIGUSR1);
	KEPT(pthread_kill(pthread_self(), 99), EINVAL);
	KEPT(sigqueue(self, SIGRTMIN, value), 0);
	KEPT(pthread_sigqueue(pthread_self(), SIGRTMIN, value), 0);
	KEPT(sigwaitinfo(&set, NULL), SIGRTMIN);
	KEPT(sigwaitinfo(&set, NULL), SIGRTMIN);
}

static void processes(void)
{
	char *const argv[] = {"true", NULL};
	pid_t pid;
	void *p;

	errno = 0xbeef;
	pid = fork();
	CHECK(pid >= 0 && errno == 0xbeef);
	if (pid == 0)
		_exit(0);
	KEPT(waitpid(pid, NULL, 0), pid);
	errno = 0xbeef;
	pid = vfork();
	if (pid == 0)
		_exit(errno != 0xbeef);
	CHECK(errno == 0xbeef);
	KEPT(waitpid(pid, NULL, 0), pid);
	KEPT(posix_spawn(&pid, "/bin/true", NULL, NULL, argv, environ), 0);
	KEPT(waitpid(pid, NULL, 0), pid);
	errno = 0xbeef;
	p = mmap(NULL, 4096, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(p != MAP_FAILED && errno == 0xbeef);
	KEPT(munmap(p, 4096), 0);
}

int main(void)
{
	sem_t s;

	/* the trace is checked for one event only, because the program itself does the tests */
	expect("only sem_init sem_destroy");
	KEPT(sem_init(&s, 0, 0), 0);
	expect("0.0 sem_init sem:* 0");
	locks(&s);
	sleeps();
	signals();
	processes();
	KEPT(sem_destroy(&s), 0);
	expect("0.0 sem_destroy sem:* 0");
	return 0;
}
