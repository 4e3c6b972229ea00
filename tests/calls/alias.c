/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Tests the other names that libc exports for wrapped functions, for old programs and libraries. */
#include <dlfcn.h>
#include <sys/wait.h>

#include "tests/calls/expect.h"

static pthread_mutex_t m;
static pthread_rwlock_t l;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Calls libc's NAME_ as CALL_ is declared; only old programs can be linked to some of these names. */
#define OTHER(name_, call_) ((__typeof__(&call_))find(#name_))

static void *find(const char *name)
{
	void *address = dlsym(RTLD_DEFAULT, name);

	if (!address)
		address = dlvsym(RTLD_DEFAULT, name, "GLIBC_2.2.5");
	if (!address)
		address = dlvsym(RTLD_DEFAULT, name, "GLIBC_2.4");
	if (!address)
		address = dlvsym(RTLD_DEFAULT, name, "GLIBC_2.17");
	CHECK(address);
	return address;
}

#define LOCK(call_, kind_, ...)                                                                    \
	do {                                                                                       \
		CHECK(OTHER(__##call_, call_)(__VA_ARGS__) == 0);                                  \
		expect("0.0 " #call_ " " kind_ ":* 0");                                            \
	} while (0)

static void initialize(void)
{
}

static void processes(void)
{
	int status;
	pid_t pid = OTHER(__fork, fork)();

	CHECK(pid >= 0);
	if (pid == 0)
		_exit(3);
	expect("0.0 fork - %d", (int)pid);
	CHECK(OTHER(__wait, wait)(&status) == pid && WEXITSTATUS(status) == 3);
	expect("0.0 wait - %d", (int)pid);
	pid = fork();
	if (pid == 0)
		_exit(4);
	expect("0.0 fork - %d", (int)pid);
	CHECK(OTHER(__waitpid, waitpid)(pid, &status, 0) == pid && WEXITSTATUS(status) == 4);
	expect("0.0 waitpid - %d", (int)pid);
}

static void others(void)
{
	const struct timespec soon = {0, 1000};
	pthread_mutexattr_t a;

	CHECK(OTHER(__nanosleep, nanosleep)(&soon, NULL) == 0);
	expect("0.0 nanosleep - 0");
	CHECK(OTHER(__sched_yield, sched_yield)() == 0 && OTHER(pthread_yield, sched_yield)() == 0);
	expect("0.0 sched_yield - 0 count=1");
	expect("0.0 sched_yield - 0 count=2");
	CHECK(pthread_mutexattr_init(&a) == 0 &&
	      pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST) == 0);
	CHECK(pthread_mutex_init(&m, &a) == 0);
	expect("0.0 pthread_mutex_init mutex:* 0");
	CHECK(OTHER(pthread_mutex_consistent_np, pthread_mutex_consistent)(&m) == EINVAL);
	expect("0.0 pthread_mutex_consistent mutex:* %d", EINVAL);
}

int main(void)
{
	expect("image 1 ignored");
	expect("image 2 ignored");
	LOCK(pthread_mutex_init, "mutex", &m, NULL);
	LOCK(pthread_mutex_lock, "mutex", &m);
	LOCK(pthread_mutex_unlock, "mutex", &m);
	LOCK(pthread_mutex_trylock, "mutex", &m);
	LOCK(pthread_mutex_unlock, "mutex", &m);
	LOCK(pthread_mutex_destroy, "mutex", &m);
	LOCK(pthread_rwlock_init, "rwlock", &l, NULL);
	LOCK(pthread_rwlock_rdlock, "rwlock", &l);
	LOCK(pthread_rwlock_tryrdlock, "rwlock", &l);
	LOCK(pthread_rwlock_unlock, "rwlock", &l);
	LOCK(pthread_rwlock_unlock, "rwlock", &l);
	LOCK(pthread_rwlock_wrlock, "rwlock", &l);
	LOCK(pthread_rwlock_unlock, "rwlock", &l);
	LOCK(pthread_rwlock_trywrlock, "rwlock", &l);
	LOCK(pthread_rwlock_unlock, "rwlock", &l);
	LOCK(pthread_rwlock_destroy, "rwlock", &l);
	LOCK(pthread_once, "once", &once, initialize);
	processes();
	others();
	return 0;
}
