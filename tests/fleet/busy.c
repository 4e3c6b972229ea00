/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Two threads that wait for one mutex in turns, until the standard input ends. */
#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

static pthread_mutex_t accounts = PTHREAD_MUTEX_INITIALIZER;
static volatile bool is_over;

static void *serve(void *unused)
{
	while (!is_over) {
		pthread_mutex_lock(&accounts);
		usleep(1000);
		pthread_mutex_unlock(&accounts);
		usleep(100);
	}
	return unused;
}

int main(void)
{
	pthread_t threads[2];
	char byte;

	for (int n = 0; n < 2; n++)
		if (pthread_create(&threads[n], NULL, serve, NULL))
			return 1;
	while (read(0, &byte, 1) == 1)
		;
	is_over = true;
	for (int n = 0; n < 2; n++)
		pthread_join(threads[n], NULL);
	return 0;
}
