/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * mixed ROUNDS [kill | fork | exec | race FILE | streams FILE]: makes the same calls in each run: two threads that exchange bytes, and wait for each
 * other by a semaphore, a condition variable, an eventfd and epoll. Each round has calls with every record of
 * format/shapes.def. With `kill`, the program ends by SIGKILL; with `fork`, a child makes the rounds, too; with `exec`, the
 * program runs itself again. With `race`, the program makes pairs of lock and unlock until a second thread kills it by
 * SIGKILL, after ROUNDS pairs or more. FILE then contains the number of pairs. `streams` does the same with a write and a read of
 * a pair of sockets, a post of a semaphore and a wait for it.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t posted;
static int sockets[2], pipes[2], event, packets[2];
static int nr_rounds, turn;

static void must(int is_true)
{
	if (!is_true)
		abort();
}

static void locks(void)
{
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	}
}

/* Answers the main thread. */
static void *answer(void *unused)
{
	int ep = epoll_create1(0);
	struct epoll_event e = {.events = EPOLLIN, .data.fd = sockets[1]};
	char byte;

	must(!epoll_ctl(ep, EPOLL_CTL_ADD, sockets[1], &e));
	for (int i = 0; i < nr_rounds; i++) {
		must(epoll_wait(ep, &e, 1, -1) == 1);
		must(read(sockets[1], &byte, 1) == 1);
		locks();
		must(write(sockets[1], &byte, 1) == 1);
		must(!sem_wait(&posted));
		must(write(pipes[1], "abcd", 4) == 4);
		pthread_mutex_lock(&mutex);
		turn = i + 1;
		pthread_cond_signal(&cond);
		pthread_mutex_unlock(&mutex);
	}
	close(ep);
	return unused;
}

static void rounds(void)
{
	char bytes[4];
	eventfd_t value;
	int file;

	for (int i = 0; i < nr_rounds; i++) {
		must(write(sockets[0], "x", 1) == 1);
		must(read(sockets[0], bytes, 1) == 1);
		must(!sem_post(&posted));
		must(read(pipes[0], bytes, 4) == 4);
		pthread_mutex_lock(&mutex);
		while (turn <= i)
			pthread_cond_wait(&cond, &mutex);
		pthread_mutex_unlock(&mutex);
		must(!eventfd_write(event, 3));
		must(!eventfd_read(event, &value) && value == 3);
		must(send(packets[0], "datagram", 8, 0) == 8);
		must(recv(packets[1], bytes, 4, 0) == 4);
		file = open("/dev/null", O_WRONLY);
		must(write(file, "y", 1) == 1);
		close(file);
		file = dup(pipes[0]);
		close(file);
		if (i % 16 == 0)
			usleep(1);
	}
}

static volatile uint64_t *nr_pairs;

static void *kill_late(void *unused)
{
	while (*nr_pairs < (uint64_t)nr_rounds)
		sched_yield();
	kill(getpid(), SIGKILL);
	return unused;
}

static void streams(void)
{
	char byte = 0;

	must(write(sockets[0], &byte, 1) == 1 && read(sockets[1], &byte, 1) == 1);
	must(!sem_post(&posted) && !sem_wait(&posted));
}

static void pair_of_locks(void)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
}

/* Makes CALLS again and again, and counts how often in the file NAME. */
static void race(const char *name, void (*calls)(void))
{
	int file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
	pthread_t t;

	must(file >= 0 && !ftruncate(file, 4096));
	nr_pairs = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	must(nr_pairs != MAP_FAILED);
	must(!pthread_create(&t, NULL, kill_late, NULL));
	for (;;) {
		calls();
		++*nr_pairs;
	}
}

static void run(void)
{
	pthread_t t;

	turn = 0;
	must(!pthread_create(&t, NULL, answer, NULL));
	rounds();
	must(!pthread_join(t, NULL));
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[2] : "";

	nr_rounds = argc > 1 ? atoi(argv[1]) : 10;
	if (!strcmp(how, "race") && argc > 3)
		race(argv[3], pair_of_locks);
	must(!sem_init(&posted, 0, 0));
	must(!socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) && !pipe(pipes));
	if (!strcmp(how, "streams") && argc > 3)
		race(argv[3], streams);
	must(!socketpair(AF_UNIX, SOCK_DGRAM, 0, packets));
	event = eventfd(0, 0);
	run();
	if (!strcmp(how, "fork")) {
		pid_t child = fork();

		if (!child) {
			run();
			_exit(0);
		}
		must(waitpid(child, NULL, 0) == child);
		run();
	} else if (!strcmp(how, "exec")) {
		execl(argv[0], argv[0], argv[1], (char *)NULL);
	} else if (!strcmp(how, "kill")) {
		raise(SIGKILL);
	}
	return 0;
}
