/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * places WHAT N: goes where no new file can be made, or limits itself, then locks N times, maps
 * memory, makes threads, forks a child that locks, too, and tries an exec that fails.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tests/robustness/need.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *nr)
{
	for (int i = 0; i < *(int *)nr; i++)
		NEED(!pthread_mutex_lock(&mutex) && !pthread_mutex_unlock(&mutex));
	return nr;
}

/* Prints the number of blocks of 8 MiB that the program can allocate, up to 20. */
static void show_memory(void)
{
	void *blocks[20];
	int nr = 0, more;

	for (; nr < 20; nr++) {
		blocks[nr] = mmap(NULL, 8 << 20, PROT_READ | PROT_WRITE,
		                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (blocks[nr] == MAP_FAILED)
			break;
	}
	printf("blocks: %d\n", nr);
	for (more = 0; more < nr; more++)
		munmap(blocks[more], 8 << 20);
}

static void go_on(int nr)
{
	pthread_t t;
	char *const argv[] = {"nothing", NULL};
	int status;
	pid_t pid;

	work(&nr);
	show_memory();
	NEED(!pthread_create(&t, NULL, work, &nr) && !pthread_join(t, NULL));
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		work(&(int){10});
		_exit(7);
	}
	NEED(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	printf("child: %d\n", WEXITSTATUS(status));
	NEED(execv("/nonexistent", argv) && errno == ENOENT);
	work(&nr);
}

static void cannot(const char *what)
{
	printf("%s: %s\n", what, strerror(errno));
	fflush(stdout);
	_exit(77);
}

static char folder[] = "/tmp/syntrace-places.XXXXXX";

static void run_chroot(int nr)
{
	NEED(mkdtemp(folder));
	if (chroot(folder)) {
		rmdir(folder);
		cannot("chroot");
	}
	NEED(!chdir("/"));
	go_on(nr);
}

static void run_deleted(int nr)
{
	NEED(mkdtemp(folder) && !chdir(folder) && !rmdir(folder));
	go_on(nr);
}

static void run_proc(int nr)
{
	NEED(!chdir("/proc"));
	go_on(nr);
}

static void run_umask(int nr)
{
	umask(0777);
	go_on(nr);
}

static void run_setuid(int nr)
{
	if (setgroups(0, NULL) || setgid(65534) || setuid(65534))
		cannot("setuid");
	go_on(nr);
}

static void limited(int what, rlim_t value, int nr)
{
	struct rlimit limit;

	NEED(!getrlimit(what, &limit));
	limit.rlim_cur = value;
	NEED(!setrlimit(what, &limit));
	go_on(nr);
}

static void run_nofile(int nr)
{
	limited(RLIMIT_NOFILE, 0, nr);
}

static void run_fsize(int nr)
{
	limited(RLIMIT_FSIZE, 4096, nr);
}

static void run_core(int nr)
{
	limited(RLIMIT_CORE, 0, nr);
}

/* Limits the address space to the untraced mappings and 30 blocks. The recorder must not need more. */
static void run_as(int nr)
{
	limited(RLIMIT_AS, (rlim_t)1 << 30, nr);
}

static void run_prlimit(int nr)
{
	struct rlimit limit = {(rlim_t)1 << 30, RLIM_INFINITY}, was;

	NEED(!prlimit(0, RLIMIT_AS, &limit, &was) && was.rlim_cur == RLIM_INFINITY);
	go_on(nr);
}

static void run_mlockall(int nr)
{
	char text[128];
	long locked_kib = -1;
	FILE *f;

	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		cannot("mlockall");
	go_on(nr);
	f = fopen("/proc/self/status", "r");
	while (f && fgets(text, sizeof(text), f))
		sscanf(text, "VmLck: %ld", &locked_kib);
	/* about 10 MiB without the recorder; the tables of the recorder may be locked, but not its file */
	printf("locked: %s\n", locked_kib < 0 ? "?" : locked_kib < 200 << 10 ? "little" : text);
	NEED(!munlockall());
}

static void run_user(int nr)
{
	if (unshare(CLONE_NEWUSER))
		cannot("unshare");
	go_on(nr);
}

static void run_namespaces(int nr)
{
	if (unshare(CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS))
		cannot("unshare");
	go_on(nr);
}

/* Runs in a new pid namespace, where the child has pid 1. */
static void run_pids(int nr)
{
	int status;
	pid_t pid;

	if (unshare(CLONE_NEWPID))
		cannot("unshare");
	pid = fork();
	if (!pid) {
		NEED(getpid() == 1);
		go_on(nr);
		fflush(stdout);
		_exit(3);
	}
	NEED(pid > 0 && waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 3);
}

static const struct mode modes[] = {
	{"chroot", run_chroot},         {"deleted", run_deleted},   {"proc", run_proc},
	{"umask", run_umask},           {"setuid", run_setuid},     {"nofile", run_nofile},
	{"fsize", run_fsize},           {"core", run_core},         {"as", run_as},
	{"prlimit", run_prlimit},       {"mlockall", run_mlockall}, {"user", run_user},
	{"namespaces", run_namespaces}, {"pids", run_pids},
};

MODES_MAIN(modes)
