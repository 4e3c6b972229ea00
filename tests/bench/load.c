/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * syntrace-bench-load EVENTS [LOAD]: the loads for measuring the decoder's speed: a program that makes
 * about EVENTS events as fast as it can. LOAD is one of:
 *
 *     mixed    (default) Four threads lock and unlock mutexes: every fourth time, all four threads contend
 *              for the same mutex; otherwise the thread uses one of many shared mutexes. After each PAIRS
 *              locks, the thread sends a byte to the next thread through a socket pair, and receives a
 *              waiting byte. Every eighth time the four threads meet at a barrier made of a mutex and a
 *              condition variable.
 *     uneven   One thread makes half of the events, on many mutexes that no other thread uses. Two other
 *              threads share one mutex, and use no other one.
 *     sockets  Two servers answer one client each, on a TCP connection. The client sends REQUESTS
 *              requests, then receives the replies. The server waits with epoll before each receive.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define NR_THREADS 4u
#define NR_MUTEXES 61u
#define PAIRS 100u
#define EVENTS_PER_ROUND (2 * PAIRS + 3)
#define ROUNDS_PER_MEETING 8u
#define REQUESTS 8u
#define REQUEST_BYTES 32u
#define EVENTS_PER_REQUEST 5u /* two sends, two receives, one epoll_wait */

static pthread_mutex_t common = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t mutexes[NR_MUTEXES];
static unsigned long counters[NR_MUTEXES + 1];

static pthread_mutex_t meeting = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_there = PTHREAD_COND_INITIALIZER;
static unsigned nr_there, nr_meetings;

static int to_next[NR_THREADS], from_previous[NR_THREADS];
static unsigned long nr_rounds, nr_events;

static void die(const char *what)
{
	fprintf(stderr, "syntrace-bench-load: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void pass_byte(unsigned me)
{
	char byte = 0;

	if (send(to_next[me], &byte, 1, 0) != 1)
		die("send");
	if (recv(from_previous[me], &byte, 1, 0) != 1)
		die("recv");
}

static void meet(void)
{
	pthread_mutex_lock(&meeting);
	unsigned now = nr_meetings;

	if (++nr_there == NR_THREADS) {
		nr_there = 0;
		nr_meetings++;
		pthread_cond_broadcast(&all_there);
	}
	while (nr_meetings == now)
		pthread_cond_wait(&all_there, &meeting);
	pthread_mutex_unlock(&meeting);
}

static void *mix(unsigned me)
{
	unsigned next = me;

	for (unsigned long round = 0; round < nr_rounds; round++) {
		for (unsigned i = 0; i < PAIRS; i++) {
			next = (next + 7) % NR_MUTEXES;
			pthread_mutex_t *m = i % 4 ? &mutexes[next] : &common;

			pthread_mutex_lock(m);
			counters[i % 4 ? next : NR_MUTEXES]++;
			pthread_mutex_unlock(m);
		}
		pass_byte(me);
		if (round % ROUNDS_PER_MEETING == 0)
			meet();
	}
	return NULL;
}

static void prepare_mix(void)
{
	nr_rounds = nr_events / NR_THREADS / EVENTS_PER_ROUND;
	for (unsigned i = 0; i < NR_THREADS; i++) {
		int ends[2];

		if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
			die("socketpair");
		to_next[i] = ends[0];
		from_previous[(i + 1) % NR_THREADS] = ends[1];
	}
}

/* ---- half of the events in one thread ---- */

static void prepare_uneven(void)
{
	nr_rounds = nr_events / 8; /* pairs of lock and unlock of each sharer */
}

static void *work_unevenly(unsigned me)
{
	unsigned long nr_pairs = me ? nr_rounds : 2 * nr_rounds;

	for (unsigned long i = 0; i < nr_pairs; i++) {
		unsigned of = me ? NR_MUTEXES : (unsigned)(i % NR_MUTEXES);
		pthread_mutex_t *m = me ? &common : &mutexes[of];

		pthread_mutex_lock(m);
		counters[of]++;
		pthread_mutex_unlock(m);
	}
	return NULL;
}

/* ---- sockets ---- */

/* Returns FD, which sends each request at once. */
static int without_delay(int fd)
{
	int on = 1;

	if (fd < 0 || setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)))
		die("TCP_NODELAY");
	return fd;
}

static void connect_pair(int listener, const struct sockaddr_in *address, unsigned pair)
{
	int client = without_delay(socket(AF_INET, SOCK_STREAM, 0));

	if (connect(client, (const struct sockaddr *)address, sizeof(*address)))
		die("connect");
	to_next[2 * pair] = client;
	to_next[2 * pair + 1] = without_delay(accept(listener, NULL, NULL));
}

static void prepare_sockets(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	socklen_t bytes = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	nr_rounds = nr_events / 2 / REQUESTS / EVENTS_PER_REQUEST;
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (listener < 0 || bind(listener, (struct sockaddr *)&address, bytes) ||
	    listen(listener, 2) || getsockname(listener, (struct sockaddr *)&address, &bytes))
		die("listen");
	for (unsigned pair = 0; pair < NR_THREADS / 2; pair++)
		connect_pair(listener, &address, pair);
	close(listener);
}

static void send_one(int fd)
{
	static const char request[REQUEST_BYTES];

	if (send(fd, request, sizeof(request), MSG_NOSIGNAL) != sizeof(request))
		die("send");
}

static void receive_one(int fd)
{
	char request[REQUEST_BYTES];

	if (recv(fd, request, sizeof(request), MSG_WAITALL) != sizeof(request))
		die("recv");
}

static void *use_client(int fd)
{
	for (unsigned long round = 0; round < nr_rounds; round++) {
		for (unsigned i = 0; i < REQUESTS; i++)
			send_one(fd);
		for (unsigned i = 0; i < REQUESTS; i++)
			receive_one(fd);
	}
	return NULL;
}

static void *use_server(int fd)
{
	struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
	int epoll = epoll_create1(0);

	if (epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event))
		die("epoll");
	for (unsigned long i = 0; i < REQUESTS * nr_rounds; i++) {
		if (epoll_wait(epoll, &event, 1, -1) != 1)
			die("epoll_wait");
		receive_one(event.data.fd);
		send_one(event.data.fd);
	}
	close(epoll);
	return NULL;
}

static void *use_socket(unsigned me)
{
	return me % 2 ? use_server(to_next[me]) : use_client(to_next[me]);
}

/* ---- the table of loads ---- */

static const struct load {
	const char *name;
	unsigned nr_threads;
	void (*prepare)(void);
	void *(*work)(unsigned me);
} loads[] = {
	{"mixed", NR_THREADS, prepare_mix, mix},
	{"uneven", 3, prepare_uneven, work_unevenly},
	{"sockets", NR_THREADS, prepare_sockets, use_socket},
};
static const struct load *load = &loads[0];

static void *work(void *number)
{
	return load->work(*(unsigned *)number);
}

static bool find_load(const char *name)
{
	for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
		load = &loads[i];
		if (!strcmp(load->name, name))
			return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	pthread_t threads[NR_THREADS];
	unsigned numbers[NR_THREADS];

	if (argc >= 2)
		nr_events = strtoul(argv[1], NULL, 10);
	if (argc < 2 || argc > 3 || (argc == 3 && !find_load(argv[2]))) {
		fprintf(stderr, "usage: syntrace-bench-load EVENTS [mixed|uneven|sockets]\n");
		return 2;
	}
	load->prepare();
	if (!nr_rounds) {
		fprintf(stderr, "syntrace-bench-load: too few events\n");
		return 2;
	}
	for (unsigned i = 0; i < NR_MUTEXES; i++)
		pthread_mutex_init(&mutexes[i], NULL);
	for (unsigned i = 0; i < load->nr_threads; i++) {
		numbers[i] = i;
		if ((errno = pthread_create(&threads[i], NULL, work, &numbers[i])))
			die("pthread_create");
	}
	for (unsigned i = 0; i < load->nr_threads; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
