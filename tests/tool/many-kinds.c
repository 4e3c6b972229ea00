/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* syntrace-many-kinds ROUNDS: runs a pair of threads for each kind of object whose matching rule keeps data of
 * every event. In each round the first thread hands an item to the second thread. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

static unsigned long nr_rounds;

static void die(const char *what)
{
	fprintf(stderr, "syntrace-many-kinds: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void must(int is_good, const char *what)
{
	if (!is_good)
		die(what);
}

/* ---- a futex: the number of the thread whose turn it is ---- */

static uint32_t turn;

static void take_turns(uint32_t me)
{
	for (unsigned long i = 0; i < nr_rounds; i++) {
		uint32_t now;

		while ((now = __atomic_load_n(&turn, __ATOMIC_ACQUIRE)) != me)
			syscall(SYS_futex, &turn, FUTEX_WAIT_PRIVATE, now, NULL, NULL, 0);
		__atomic_store_n(&turn, !me, __ATOMIC_RELEASE);
		syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	}
}

static void futex_0(void)
{
	take_turns(0);
}

static void futex_1(void)
{
	take_turns(1);
}

/* ---- locks on a file: all of it, and ranges that overlap the other's ---- */

static void lock_file(unsigned me)
{
	int fd = open("file", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	must(fd >= 0, "file");
	for (unsigned long i = 0; i < nr_rounds; i++) {
		struct flock range = {
			.l_type = F_WRLCK, .l_start = (off_t)(i % 16 + me * 3), .l_len = 4};

		must(flock(fd, i % 3 ? LOCK_EX : LOCK_SH) == 0, "flock");
		must(flock(fd, LOCK_UN) == 0, "flock");
		must(fcntl(fd, F_OFD_SETLKW, &range) == 0, "fcntl");
		range.l_type = F_UNLCK;
		must(fcntl(fd, F_OFD_SETLK, &range) == 0, "fcntl");
	}
	close(fd);
}

static void file_0(void)
{
	lock_file(0);
}

static void file_1(void)
{
	lock_file(1);
}

/* ---- readiness of a pipe, an eventfd and a timer ---- */

static int pipe_ends[2], event_fd, timer_fd;

static void ready_0(void)
{
	for (unsigned long i = 0; i < nr_rounds; i++) {
		struct itimerspec soon = {.it_value = {.tv_nsec = 1}};

		must(write(pipe_ends[1], "x", 1) == 1, "write");
		must(timerfd_settime(timer_fd, 0, &soon, NULL) == 0, "timerfd_settime");
		must(eventfd_write(event_fd, 1) == 0, "eventfd_write");
	}
}

static void ready_1(void)
{
	int epoll = epoll_create1(EPOLL_CLOEXEC), fds[3] = {pipe_ends[0], event_fd, timer_fd};
	unsigned long nr_bytes = 0;

	for (unsigned i = 0; i < 3; i++) {
		struct epoll_event e = {.events = EPOLLIN, .data.fd = fds[i]};

		must(epoll_ctl(epoll, EPOLL_CTL_ADD, fds[i], &e) == 0, "epoll_ctl");
	}
	while (nr_bytes < nr_rounds) {
		struct epoll_event found[3];
		int nr = epoll_wait(epoll, found, 3, -1);

		for (int i = 0; i < nr; i++) {
			uint64_t value;
			ssize_t n = read(found[i].data.fd, &value,
			                 found[i].data.fd == pipe_ends[0] ? 1 : 8);

			nr_bytes += n == 1;
		}
	}
	close(epoll);
}

/* ---- signals ---- */

static pthread_t taker;
static sem_t is_taken;

static void signal_0(void)
{
	for (unsigned long i = 0; i < nr_rounds; i++) {
		must(!pthread_kill(taker, SIGUSR1), "pthread_kill");
		while (sem_wait(&is_taken) < 0)
			;
	}
}

static void signal_1(void)
{
	sigset_t set;
	int found;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	for (unsigned long i = 0; i < nr_rounds; i++) {
		must(!sigwait(&set, &found), "sigwait");
		sem_post(&is_taken);
	}
}

/* ---- a barrier, and readers and writers ---- */

static pthread_barrier_t barrier;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;

static void meet(unsigned me)
{
	for (unsigned long i = 0; i < nr_rounds; i++) {
		pthread_barrier_wait(&barrier);
		if (i % 4 == me)
			pthread_rwlock_wrlock(&rwlock);
		else
			pthread_rwlock_rdlock(&rwlock);
		pthread_rwlock_unlock(&rwlock);
	}
}

static void meet_0(void)
{
	meet(0);
}

static void meet_1(void)
{
	meet(1);
}

/* ---- datagrams ---- */

static int sender, receiver;

static void open_datagrams(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t bytes = sizeof(at);

	sender = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	receiver = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	must(bind(receiver, (struct sockaddr *)&at, sizeof(at)) == 0, "bind");
	must(getsockname(receiver, (struct sockaddr *)&at, &bytes) == 0, "getsockname");
	must(connect(sender, (struct sockaddr *)&at, sizeof(at)) == 0, "connect");
}

static sem_t is_received;

static void datagram_0(void)
{
	for (unsigned long i = 0; i < nr_rounds; i++) {
		must(send(sender, &i, sizeof(i), 0) == sizeof(i), "send");
		while (sem_wait(&is_received) < 0)
			;
	}
}

static void datagram_1(void)
{
	for (unsigned long i = 0, got; i < nr_rounds; i++) {
		must(recv(receiver, &got, sizeof(got), 0) == sizeof(got), "recv");
		sem_post(&is_received);
	}
}

static void *run(void *what)
{
	void (*function)(void);

	memcpy(&function, what, sizeof(function));
	function();
	return NULL;
}

int main(int argc, char **argv)
{
	static void (*functions[])(void) = {signal_1, signal_0, futex_0,    futex_1,
	                                    file_0,   file_1,   ready_0,    ready_1,
	                                    meet_0,   meet_1,   datagram_0, datagram_1};
	enum { NR = sizeof(functions) / sizeof(*functions) };
	pthread_t threads[NR];
	sigset_t set;

	if (argc != 2 || !(nr_rounds = strtoul(argv[1], NULL, 10))) {
		fprintf(stderr, "usage: syntrace-many-kinds ROUNDS\n");
		return 2;
	}
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	must(pipe2(pipe_ends, O_CLOEXEC) == 0, "pipe2");
	event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	must(event_fd >= 0 && timer_fd >= 0, "eventfd, timerfd");
	sem_init(&is_taken, 0, 0);
	sem_init(&is_received, 0, 0);
	pthread_barrier_init(&barrier, NULL, 2);
	open_datagrams();
	for (unsigned i = 0; i < NR; i++) {
		if ((errno = pthread_create(&threads[i], NULL, run, &functions[i])))
			die("pthread_create");
		if (i == 0)
			taker = threads[0];
	}
	for (unsigned i = 0; i < NR; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
