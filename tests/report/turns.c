/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A server: an event loop finds connections ready, and passes them to three workers. Prints its port, serves the number
 * of connections in the second argument until their ends, and exits.
 *
 * turns queue N: through a queue with a mutex and a condition variable
 * turns atomic N: through an atomic variable, which the workers poll
 */
#include <arpa/inet.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define NR_WORKERS 3
#define ROOM 64
#define NOINLINE __attribute__((noinline))

static bool is_atomic;
static int poller;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, log_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static int queue[ROOM];
static unsigned first, nr;
static atomic_int slot; /* a connection, or 0 */
static atomic_int nr_left;

NOINLINE static void put(int fd)
{
	if (is_atomic) {
		for (int empty = 0; !atomic_compare_exchange_weak(&slot, &empty, fd); empty = 0)
			sched_yield();
		return;
	}
	pthread_mutex_lock(&lock);
	queue[(first + nr++) % ROOM] = fd;
	pthread_cond_signal(&arrived);
	pthread_mutex_unlock(&lock);
}

/* Returns a connection, or -1 at the end. */
NOINLINE static int take(void)
{
	int fd = 0;

	if (is_atomic) {
		while (!(fd = atomic_exchange(&slot, 0)))
			if (!atomic_load(&nr_left))
				return -1;
			else
				usleep(100);
		return fd;
	}
	pthread_mutex_lock(&lock);
	while (!nr)
		pthread_cond_wait(&arrived, &lock);
	fd = queue[first];
	first = (first + 1) % ROOM;
	nr--;
	pthread_mutex_unlock(&lock);
	return fd;
}

static void watch(int fd, int how)
{
	struct epoll_event e = {.events = EPOLLIN | EPOLLONESHOT, .data.fd = fd};

	if (epoll_ctl(poller, how, fd, &e))
		abort();
}

NOINLINE static void serve(int fd)
{
	char text[64];
	ssize_t bytes = read(fd, text, sizeof(text));

	if (bytes <= 0) {
		close(fd);
		atomic_fetch_sub(&nr_left, 1);
		return;
	}
	if (!is_atomic) { /* work between the request and its answer */
		pthread_mutex_lock(&log_lock);
		pthread_mutex_unlock(&log_lock);
	}
	if (write(fd, text, (size_t)bytes) != bytes)
		abort();
	watch(fd, EPOLL_CTL_MOD); /* the event loop waits for the next request */
}

static void *work(void *nothing)
{
	for (int fd; (fd = take()) >= 0;)
		serve(fd);
	return nothing;
}

NOINLINE static void run_loop(int listening)
{
	while (atomic_load(&nr_left)) {
		struct epoll_event ready[8];
		int nr_ready = epoll_wait(poller, ready, 8, 20);

		for (int i = 0; i < nr_ready; i++) {
			if (ready[i].data.fd != listening) {
				put(ready[i].data.fd);
			} else {
				watch(accept(listening, NULL, NULL), EPOLL_CTL_ADD);
				watch(listening, EPOLL_CTL_MOD);
			}
		}
	}
}

int main(int argc, char **argv)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
	                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(address);
	int listening = socket(AF_INET, SOCK_STREAM, 0);
	pthread_t workers[NR_WORKERS];

	if (argc != 3)
		return 2;
	is_atomic = !strcmp(argv[1], "atomic");
	nr_left = atoi(argv[2]);
	poller = epoll_create1(0);
	if (bind(listening, (struct sockaddr *)&address, size) || listen(listening, 16) ||
	    getsockname(listening, (struct sockaddr *)&address, &size))
		return 1;
	for (int i = 0; i < NR_WORKERS; i++)
		if (pthread_create(&workers[i], NULL, work, NULL))
			return 1;
	watch(listening, EPOLL_CTL_ADD);
	printf("%d\n", ntohs(address.sin_port));
	fflush(stdout);
	run_loop(listening);
	for (int i = 0; i < NR_WORKERS; i++)
		if (!is_atomic)
			put(-1);
	for (int i = 0; i < NR_WORKERS; i++)
		pthread_join(workers[i], NULL);
	return 0;
}
