/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * confine WHAT N: forbids itself system calls or the clock, and then locks N times with new call
 * stacks. The process dies if a thread makes another system call or reads the time.
 * WHAT is
 *
 *   none     no restriction
 *   strict, raw-strict, raw-prctl
 *            seccomp's strict mode, by prctl, by syscall(SYS_seccomp) and by syscall(SYS_prctl)
 *   tsc      PR_SET_TSC
 *   filter   read, write, futex, rt_sigreturn and exit are allowed; two threads are at work
 *   raw      the same for one thread, by syscall(SYS_seccomp)
 *   threads  the calls that threads need are allowed, and N / 100 threads come afterwards
 *   wide     only ptrace is forbidden
 *   refused  filters that the kernel refuses
 *   fork     fork and wait are allowed: the child locks too
 *   exec, spawn, shell
 *            the calls that a dynamic program needs to start are allowed: execs or spawns
 *            `confine none N`, or has a shell do it
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/filter.h>
#include <linux/seccomp.h>

extern char **environ;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned long counter;

static void say(const char *text)
{
	if (write(STDOUT_FILENO, text, strlen(text)) < 0)
		syscall(SYS_exit, 8);
}

static void need(int ok, const char *what)
{
	if (ok)
		return;
	say("confine: failed: ");
	say(what);
	say("\n");
	syscall(SYS_exit_group, 9);
}

/* ---- work: a call path of the functions left and right ---- */

static void left(unsigned path, int levels);
static void right(unsigned path, int levels);

static void next(unsigned path, int levels)
{
	if (!levels) {
		need(!pthread_mutex_lock(&mutex), "lock");
		counter++;
		need(!pthread_mutex_unlock(&mutex), "unlock");
	} else if (path & 1) {
		left(path >> 1, levels - 1);
	} else {
		right(path >> 1, levels - 1);
	}
	__asm__ volatile("");
}

static __attribute__((noinline)) void left(unsigned path, int levels)
{
	next(path, levels);
	__asm__ volatile("");
}

static __attribute__((noinline)) void right(unsigned path, int levels)
{
	next(path, levels);
	__asm__ volatile("");
}

static void work(int nr)
{
	for (int i = 0; i < nr; i++)
		next((unsigned)i * 2654435761u, 20);
}

static void *one_work(void *nr)
{
	work(*(int *)nr);
	return nr;
}

/* ---- filters ---- */

#define NR_MAX 64

static int is_raw;

static void filter(const int *calls, unsigned nr, unsigned listed, unsigned others)
{
	struct sock_filter f[2 * NR_MAX + 2];
	struct sock_fprog p = {.filter = f};

	f[p.len++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
	                                          offsetof(struct seccomp_data, nr));
	for (unsigned i = 0; i < nr; i++) {
		f[p.len++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
		                                          (unsigned)calls[i], 0, 1);
		f[p.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, listed);
	}
	f[p.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, others);
	need(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "PR_SET_NO_NEW_PRIVS");
	if (is_raw)
		need(!syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &p), "seccomp");
	else
		need(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p), "PR_SET_SECCOMP");
}

#define LEAVE(...)                                                                                 \
	do {                                                                                       \
		const int calls_[] = {SYS_read,  SYS_write,        SYS_exit,   SYS_exit_group,     \
		                      SYS_futex, SYS_rt_sigreturn, __VA_ARGS__};                   \
		filter(calls_, sizeof(calls_) / sizeof(*calls_), SECCOMP_RET_ALLOW,                \
		       SECCOMP_RET_KILL_PROCESS);                                                  \
	} while (0)

#define THREADS                                                                                    \
	SYS_clone3, SYS_clone, SYS_mmap, SYS_munmap, SYS_mprotect, SYS_set_robust_list, SYS_rseq,  \
		SYS_rt_sigprocmask, SYS_rt_sigaction, SYS_brk, SYS_getrandom

static pthread_barrier_t ready;

static void *work_later(void *nr)
{
	pthread_barrier_wait(&ready);
	work(*(int *)nr);
	return nr;
}

/* The other threads do not end, because the end of a thread calls madvise(), which is not allowed. */
static void *work_for_ever(void *nr)
{
	work_later(nr);
	pthread_barrier_wait(&ready);
	for (;;)
		pause();
	return nr;
}

static void many_threads(int nr, void *arg)
{
	for (int i = 0; i < nr; i++) {
		pthread_t t;

		need(!pthread_create(&t, NULL, one_work, arg), "pthread_create");
		need(!pthread_join(t, NULL), "pthread_join");
	}
}

static void refused(void)
{
	struct sock_filter bad = BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 0);
	struct sock_fprog none = {0, NULL}, wild = {40, (void *)8}, odd = {1, &bad};

	need(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "PR_SET_NO_NEW_PRIVS");
	need(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) && errno == EFAULT, "no program");
	need(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, 8L) && errno == EFAULT, "a bad address");
	need(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &none) && errno == EINVAL, "empty");
	need(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &wild) && errno == EFAULT, "bad code");
	need(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &odd) && errno == EINVAL, "no such load");
}

#define DYNAMIC                                                                                    \
	SYS_execve, SYS_prctl, SYS_brk, SYS_mmap, SYS_munmap, SYS_mprotect, SYS_access,            \
		SYS_openat, SYS_newfstatat, SYS_fstat, SYS_pread64, SYS_close, SYS_arch_prctl,     \
		SYS_set_tid_address, SYS_set_robust_list, SYS_rseq, SYS_prlimit64, SYS_getrandom,  \
		SYS_clone, SYS_clone3, SYS_vfork, SYS_wait4, SYS_rt_sigprocmask, SYS_rt_sigaction

#define SHELL                                                                                      \
	SYS_getuid, SYS_getgid, SYS_getpid, SYS_getppid, SYS_geteuid, SYS_getegid, SYS_getcwd,     \
		SYS_stat, SYS_fcntl, SYS_ioctl, SYS_lseek

int main(int argc, char **argv)
{
	int nr = argc == 3 ? atoi(argv[2]) : 0, status = 0;
	const char *what = argc == 3 ? argv[1] : "";
	char *none[] = {argv[0], "none", argv[2], NULL};
	pid_t pid;

	prctl(PR_SET_NAME, "confined");
	work(10);
	if (!strcmp(what, "strict")) {
		need(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT), "strict mode");
	} else if (!strcmp(what, "tsc")) {
		need(!prctl(PR_SET_TSC, PR_TSC_SIGSEGV), "PR_SET_TSC");
	} else if (!strcmp(what, "raw-strict")) {
		need(!syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0, NULL), "strict mode");
	} else if (!strcmp(what, "raw-prctl")) {
		need(!syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_STRICT), "strict mode");
	} else if (!strcmp(what, "raw")) {
		is_raw = 1;
		LEAVE(SYS_pause);
	} else if (!strcmp(what, "filter")) {
		pthread_t t;

		pthread_barrier_init(&ready, NULL, 2);
		need(!pthread_create(&t, NULL, work_for_ever, &nr), "pthread_create");
		/* the kernel applies the filter to this thread only, not to the other thread */
		LEAVE(SYS_pause);
		pthread_barrier_wait(&ready);
		work(nr);
		pthread_barrier_wait(&ready);
	} else if (!strcmp(what, "threads")) {
		LEAVE(THREADS, SYS_madvise);
		many_threads(nr / 100, &(int){100});
	} else if (!strcmp(what, "wide")) {
		filter((const int[]){SYS_ptrace}, 1, SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_ALLOW);
	} else if (!strcmp(what, "refused")) {
		refused();
	} else if (!strcmp(what, "fork")) {
		LEAVE(SYS_clone, SYS_wait4, SYS_set_robust_list, SYS_rseq);
		pid = fork();
		need(pid >= 0, "fork");
		if (pid == 0) {
			work(nr);
			syscall(SYS_exit, 5);
		}
		need(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 5, "waitpid");
	} else if (!strcmp(what, "exec")) {
		LEAVE(DYNAMIC);
		execv(argv[0], none);
		need(0, "execv");
	} else if (!strcmp(what, "spawn")) {
		LEAVE(DYNAMIC);
		need(!posix_spawn(&pid, argv[0], NULL, NULL, none, environ), "posix_spawn");
		need(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 4, "waitpid");
	} else if (!strcmp(what, "shell")) {
		char command[512];

		snprintf(command, sizeof(command), "exec '%s' none %s", argv[0], argv[2]);
		LEAVE(DYNAMIC, SHELL);
		status = system(command);
		need(WIFEXITED(status) && WEXITSTATUS(status) == 4, "system");
	} else if (strcmp(what, "none")) {
		return 2;
	}
	work(nr);
	need(counter >= (unsigned long)nr, "the count");
	say("done\n");
	syscall(strstr(what, "strict") || !strcmp(what, "raw-prctl") ? SYS_exit : SYS_exit_group,
	        4);
	return 1;
}
