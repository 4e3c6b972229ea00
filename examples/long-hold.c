/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A lock held during I/O: refresh() holds the lock of a cache while it asks a slow server, so a
 * thread that only looks up a value waits for the server too.
 *
 *	SYNTRACE_DIR=long-hold.data LD_PRELOAD=libsyntrace.so ./long-hold
 *	syntrace-decode contention long-hold.data
 *
 * Look for look_up(), which waits for the lock.  refresh() holds the lock and waits for the
 * message of answer(), so the wait is charged to answer().  `./long-hold healthy` asks the
 * server before it takes the lock.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define NR_ROUNDS 10
#define NR_READERS 3
#define NOINLINE __attribute__((noinline))

static pthread_mutex_t cache = PTHREAD_MUTEX_INITIALIZER;
static int value, is_done, is_healthy;
static int ends[2];

NOINLINE static int ask(void)
{
	char reply = 0;

	if (send(ends[0], "?", 1, 0) != 1 || recv(ends[0], &reply, 1, 0) != 1)
		return -1;
	return reply;
}

NOINLINE static void refresh(void)
{
	int reply = is_healthy ? ask() : 0;

	pthread_mutex_lock(&cache);
	value = is_healthy ? reply : ask();
	pthread_mutex_unlock(&cache);
}

NOINLINE static int look_up(void)
{
	pthread_mutex_lock(&cache);
	int found = value, goes_on = !is_done;

	pthread_mutex_unlock(&cache);
	return goes_on && found >= 0;
}

NOINLINE static void answer(void)
{
	usleep(10000); /* stands for work */
	if (send(ends[1], "!", 1, 0) != 1)
		perror("send");
}

static void *serve(void *nothing)
{
	char request;

	while (recv(ends[1], &request, 1, 0) == 1)
		answer();
	return nothing;
}

static void *read_cache(void *nothing)
{
	while (look_up())
		usleep(1000);
	return nothing;
}

int main(int argc, char **argv)
{
	pthread_t server, readers[NR_READERS];

	is_healthy = argc > 1 && !strcmp(argv[1], "healthy");
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) || pthread_create(&server, NULL, serve, NULL))
		return 1;
	for (int i = 0; i < NR_READERS; i++)
		if (pthread_create(&readers[i], NULL, read_cache, NULL))
			return 1;
	for (int i = 0; i < NR_ROUNDS; i++) {
		refresh();
		usleep(2000);
	}
	pthread_mutex_lock(&cache);
	is_done = 1;
	pthread_mutex_unlock(&cache);
	shutdown(ends[0], SHUT_RDWR);
	for (int i = 0; i < NR_READERS; i++)
		pthread_join(readers[i], NULL);
	pthread_join(server, NULL);
	return 0;
}
