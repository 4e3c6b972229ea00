/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* A loop that handles the items of several producers, which wake it through an eventfd, and a timer. */
#include "ci.h"

#include <poll.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

#define NR_PRODUCERS 3
#define ROOM 4

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, handled_lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t room;
static int load, wake_up, epoll, timer;
static long nr_put, nr_taken, handled;

static APART void post(void)
{
	uint64_t one = 1;

	MUST(write(wake_up, &one, sizeof(one)) == sizeof(one));
}

static APART void produce_item(void)
{
	sem_wait(&room);
	locked_add(&lock, &nr_put, 1);
	post();
	if (CHANGE == 18)
		post();
}

static void *produce(void *unused)
{
	(void)unused;
	for (int n = 0; n < load; n++)
		produce_item();
	return NULL;
}

static APART bool next_item(void)
{
	bool has_item;

	pthread_mutex_lock(&lock);
	has_item = nr_taken < nr_put;
	nr_taken += has_item;
	pthread_mutex_unlock(&lock);
	return has_item;
}

static APART void handle(void)
{
	const struct itimerspec soon = {.it_value = {.tv_sec = 5}};

	locked_add(&handled_lock, &handled, 1);
	sem_post(&room);
	if (CHANGE == 19)
		timerfd_settime(timer, 0, &soon, NULL);
	if (CHANGE == 20)
		locked_add(&handled_lock, &handled, 0);
}

static APART void sleep_until_event(void)
{
	struct epoll_event e;
	struct pollfd p = {wake_up, POLLIN, 0};

	if (CHANGE == 17)
		MUST(poll(&p, 1, -1) == 1);
	else
		MUST(epoll_wait(epoll, &e, 1, -1) == 1);
}

int main(int argc, char **argv)
{
	const struct itimerspec far = {.it_value = {.tv_sec = 1000}};
	struct epoll_event e = {.events = EPOLLIN};
	pthread_t threads[NR_PRODUCERS];
	uint64_t value;

	load = load_of(argc, argv);
	wake_up = eventfd(0, EFD_CLOEXEC);
	epoll = epoll_create1(EPOLL_CLOEXEC);
	timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	MUST(wake_up >= 0 && epoll >= 0 && timer >= 0);
	MUST(epoll_ctl(epoll, EPOLL_CTL_ADD, wake_up, &e) == 0);
	MUST(timerfd_settime(timer, 0, &far, NULL) == 0 && sem_init(&room, 0, ROOM) == 0);
	for (int n = 0; n < NR_PRODUCERS; n++)
		start(&threads[n], produce, NULL);
	while (handled < (long)NR_PRODUCERS * load) {
		sleep_until_event();
		MUST(read(wake_up, &value, sizeof(value)) == sizeof(value));
		while (next_item())
			handle();
	}
	for (int n = 0; n < NR_PRODUCERS; n++)
		pthread_join(threads[n], NULL);
	printf("%ld\n", handled);
	return 0;
}
