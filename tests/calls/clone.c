/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* clone, as a function and through syscall(): children with memory of their own, children that share
 * the parent's memory while the parent is stopped, and children that share the memory and run beside
 * the parent. The events of the last kind are counted: with an argument, parent and child each make
 * this number of events. */
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tests/calls/expect.h"

#define STACK_BYTES 65536

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char stacks[4][STACK_BYTES] __attribute__((aligned(16)));

/* struct clone_args, its first version */
struct arguments {
	uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_bytes, tls;
};

static void lock(const char *who)
{
	CHECK(pthread_mutex_lock(&m) == 0);
	CHECK(pthread_mutex_unlock(&m) == 0);
	expect("%s pthread_mutex_lock mutex:%p 0", who, (void *)&m);
	expect("%s pthread_mutex_unlock mutex:%p 0", who, (void *)&m);
}

static int child(void *who)
{
	lock(who);
	expect("%s _exit - 7", (char *)who);
	_exit(7);
}

static void reap(pid_t pid)
{
	int status;

	CHECK(waitpid(pid, &status, __WALL) == pid && WIFEXITED(status) &&
	      WEXITSTATUS(status) == 7);
}

static void forks(void)
{
	struct arguments a = {.exit_signal = SIGCHLD};
	pid_t pid;
	int tid = 0;

	pid = clone(child, stacks[0] + STACK_BYTES, SIGCHLD | CLONE_PARENT_SETTID, (void *)"1.0",
	            &tid, NULL, NULL);
	CHECK(pid > 0 && tid == pid);
	expect("0.0 clone - %d child=%d arg=%d", (int)pid, (int)pid, SIGCHLD | CLONE_PARENT_SETTID);
	reap(pid);

	pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, NULL, NULL, 0);
	if (pid == 0)
		child((void *)"2.0");
	CHECK(pid > 0);
	expect("0.0 clone - %d child=%d arg=%d", (int)pid, (int)pid, SIGCHLD);
	reap(pid);

#if defined(SYS_fork)
	pid = (pid_t)syscall(SYS_fork);
#else
	pid = fork();
#endif
	if (pid == 0)
		child((void *)"3.0");
	CHECK(pid > 0);
	expect("0.0 fork - %d child=%d", (int)pid, (int)pid);
	reap(pid);

	CHECK(syscall(SYS_clone3, NULL, sizeof(a)) == -1 && errno == EFAULT); /* no event */
	pid = (pid_t)syscall(SYS_clone3, &a, sizeof(a));
	if (pid == -1 && errno == ENOSYS) {
		expect("0.0 clone - -1");
		return;
	}
	if (pid == 0)
		child((void *)"4.0");
	CHECK(pid > 0);
	expect("0.0 clone - %d child=%d arg=-", (int)pid, (int)pid);
	reap(pid);
}

/* The child runs in the parent's memory while the parent is stopped. */
static void borrowed(void)
{
	int flags = CLONE_VM | CLONE_VFORK | SIGCHLD;
	pid_t pid = clone(child, stacks[0] + STACK_BYTES, flags, (void *)"0.1");

	CHECK(pid > 0);
	expect("0.0 clone_memory - 0 arg=%d", flags);
	reap(pid);
	lock("0.0");
}

static long nr_rounds = 3;
static char *const names[] = {"0.2", "0.3", "0.0"};
static pthread_mutex_t of[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                PTHREAD_MUTEX_INITIALIZER};
static int ready;

/* Waits until NR children are ready, without a recorded call. */
static void until_ready(int nr)
{
	while (__atomic_load_n(&ready, __ATOMIC_ACQUIRE) < nr)
		getppid();
}

/* The code here must not use thread-local state of libc, so it prints no text. */
static void many(long n)
{
	__atomic_fetch_add(&ready, 1, __ATOMIC_RELEASE);
	until_ready(3);
	for (long i = 0; i < nr_rounds; i++)
		if (pthread_mutex_lock(&of[n]) || pthread_mutex_unlock(&of[n]))
			abort();
}

static int beside(void *n)
{
	/* the children start one after the other, so that their thread numbers are as expected */
	until_ready((int)(long)n);
	if (pthread_mutex_lock(&m) || pthread_mutex_unlock(&m))
		abort();
	many((long)n);
	return 7;
}

/* Two processes that run in this memory at the same time as this thread and share its thread-local
 * memory. */
static void shared(void)
{
	pid_t pids[2];
	int flags = CLONE_VM | SIGCHLD;

	for (long i = 0; i < 2; i++)
		pids[i] = clone(beside, stacks[i] + STACK_BYTES, flags, (void *)i);
	until_ready(2);
	many(2);
	for (int i = 0; i < 2; i++)
		reap(pids[i]);
	for (int n = 0; n < 3; n++) {
		if (n < 2) {
			expect("0.0 clone_memory - 0 arg=%d", flags);
			expect("%s pthread_mutex_lock mutex:%p 0", names[n], (void *)&m);
			expect("%s pthread_mutex_unlock mutex:%p 0", names[n], (void *)&m);
		}
		for (long i = 0; i < nr_rounds && nr_rounds < 10; i++) {
			expect("%s pthread_mutex_lock mutex:%p 0", names[n], (void *)&of[n]);
			expect("%s pthread_mutex_unlock mutex:%p 0", names[n], (void *)&of[n]);
		}
	}
}

int main(int argc, char **argv)
{
	if (argc > 1)
		nr_rounds = atol(argv[1]);
	expect("ignore waitpid");
	forks();
	borrowed();
	shared();
	return 0;
}
