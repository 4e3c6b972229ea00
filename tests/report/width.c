/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Threads with names in UTF-8, which wait for a lock in functions with long names. */
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

NOINLINE static void hold_the_lock_of_the_table_of_connections_for_a_while(void)
{
	pthread_mutex_lock(&lock);
	usleep(2000);
	pthread_mutex_unlock(&lock);
}

NOINLINE static void *work_on_the_table_of_connections(void *name)
{
	pthread_setname_np(pthread_self(), name);
	for (int i = 0; i < 10; i++)
		hold_the_lock_of_the_table_of_connections_for_a_while();
	return NULL;
}

int main(void)
{
	static char names[][16] = {"wörker-日本", "naïve-é"};
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, work_on_the_table_of_connections, names[i]))
			return 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
