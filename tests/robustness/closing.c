/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * closing WHAT N: closes unknown file descriptors, as daemons do. Then it records N pairs, a pipe
 * and a thread, and prints its descriptors. WHAT is
 *
 *   loop      close() of 3 to 19999
 *   from      closefrom(3)
 *   range     close_range(3, ~0)
 *   unshare   close_range(3, ~0, CLOSE_RANGE_UNSHARE) in a thread
 *   dup       /dev/null put over every number from 3 to 200
 *   openssh   as OpenSSH: closes each descriptor in /proc/self/fd
 *   daemon    daemon(0, 0), then the loop
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>

#include "tests/robustness/need.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned long counter;

static void *work(void *nr)
{
	for (int i = 0; i < *(int *)nr; i++) {
		NEED(!pthread_mutex_lock(&mutex));
		counter++;
		NEED(!pthread_mutex_unlock(&mutex));
	}
	return nr;
}

static void list(const char *folder)
{
	DIR *d = opendir(folder);
	struct dirent *e;
	int nr = 0;

	NEED(d);
	while ((e = readdir(d)))
		nr += e->d_name[0] != '.';
	printf("%s: %d\n", folder, nr);
	NEED(!closedir(d));
}

static void go_on(int nr)
{
	pthread_t t;
	char byte = 'x';
	int fds[2];

	NEED(!pthread_create(&t, NULL, work, &nr));
	work(&nr);
	NEED(!pthread_join(t, NULL) && counter == 2 * (unsigned long)nr);
	NEED(!pipe(fds) && write(fds[1], &byte, 1) == 1 && read(fds[0], &byte, 1) == 1);
	printf("pipe: %d %d\n", fds[0], fds[1]);
	list("/proc/self/fd");
	fflush(stdout);
}

static void close_loop(void)
{
	int nr = 0;

	for (int fd = 3; fd < 20000; fd++)
		nr += close(fd) == 0;
	printf("closed: %d\n", nr);
}

static void run_loop(int nr)
{
	close_loop();
	go_on(nr);
}

static void run_from(int nr)
{
	closefrom(3);
	go_on(nr);
}

static void run_range(int nr)
{
	NEED(!close_range(3, ~0u, 0));
	go_on(nr);
}

static void *in_thread(void *nr)
{
	NEED(!close_range(3, ~0u, CLOSE_RANGE_UNSHARE));
	work(nr);
	return nr;
}

static void run_unshare(int nr)
{
	pthread_t t;

	NEED(!pthread_create(&t, NULL, in_thread, &nr) && !pthread_join(t, NULL));
	counter = 0;
	go_on(nr);
}

static void run_dup(int nr)
{
	int null = open("/dev/null", O_RDWR);

	NEED(null == 3);
	for (int fd = 4; fd <= 200; fd++)
		NEED(dup2(null, fd) == fd);
	go_on(nr);
}

static void run_openssh(int nr)
{
	DIR *d = opendir("/proc/self/fd");
	struct dirent *e;

	NEED(d);
	while ((e = readdir(d))) {
		int fd = atoi(e->d_name);

		if (fd > 2 && fd != dirfd(d))
			close(fd);
	}
	NEED(!closedir(d));
	go_on(nr);
}

/* The parent exits in daemon(), so its own parent waits for the result. */
static void run_daemon(int nr)
{
	int result[2], status;
	char text[256];
	ssize_t n;

	NEED(!pipe(result));
	if (!fork()) {
		NEED(!daemon(0, 0));
		NEED(dup2(result[1], 1) == 1);
		close_loop();
		go_on(nr);
		_exit(0);
	}
	NEED(wait(&status) > 0 && status == 0 && !close(result[1]));
	while ((n = read(result[0], text, sizeof(text))) > 0)
		NEED(fwrite(text, 1, (size_t)n, stdout) == (size_t)n);
}

static const struct mode modes[] = {
	{"loop", run_loop},       {"from", run_from}, {"range", run_range},
	{"unshare", run_unshare}, {"dup", run_dup},   {"openssh", run_openssh},
	{"daemon", run_daemon},
};

MODES_MAIN(modes)
