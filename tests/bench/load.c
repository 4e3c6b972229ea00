/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * syntrace-bench-load EVENTS: the load for measuring the decoder's speed: a program of four threads
 * that makes about EVENTS events as fast as it can.
 *
 * A thread locks and unlocks mutexes: every fourth time, all four threads contend for the same mutex;
 * otherwise the thread uses one of many shared mutexes. After each PAIRS locks, the thread sends a byte
 * to the next thread through a socket pair, and receives a waiting byte. Every eighth time the four
 * threads meet at a barrier made of a mutex and a condition variable.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define NR_THREADS 4u
#define NR_MUTEXES 61u
#define PAIRS 100u
#define EVENTS_PER_ROUND (2 * PAIRS + 3)
#define ROUNDS_PER_MEETING 8u

static pthread_mutex_t common = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t mutexes[NR_MUTEXES];
static unsigned long counters[NR_MUTEXES + 1];

static pthread_mutex_t meeting = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_there = PTHREAD_COND_INITIALIZER;
static unsigned nr_there, nr_meetings;

static int to_next[NR_THREADS], from_previous[NR_THREADS];
static unsigned long nr_rounds;

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

static void *work(void *number)
{
	unsigned me = *(unsigned *)number, next = me;

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

int main(int argc, char **argv)
{
	pthread_t threads[NR_THREADS];
	unsigned numbers[NR_THREADS];

	if (argc != 2 ||
	    !(nr_rounds = strtoul(argv[1], NULL, 10) / NR_THREADS / EVENTS_PER_ROUND)) {
		fprintf(stderr, "usage: syntrace-bench-load EVENTS\n");
		return 2;
	}
	for (unsigned i = 0; i < NR_MUTEXES; i++)
		pthread_mutex_init(&mutexes[i], NULL);
	for (unsigned i = 0; i < NR_THREADS; i++) {
		int ends[2];

		if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
			die("socketpair");
		to_next[i] = ends[0];
		from_previous[(i + 1) % NR_THREADS] = ends[1];
	}
	for (unsigned i = 0; i < NR_THREADS; i++) {
		numbers[i] = i;
		if ((errno = pthread_create(&threads[i], NULL, work, &numbers[i])))
			die("pthread_create");
	}
	for (unsigned i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
