/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* For each byte that it reads, one step: 'e' takes a semaphore that a thread gives 20 ms later; 'c' waits 100 ms for a mutex
 * that the thread holds; 's' prints a line and then sleeps 1 s. The other steps print a line at their end. */
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static pthread_mutex_t accounts = PTHREAD_MUTEX_INITIALIZER;
static sem_t begin, held, early;
static char step;

static void *serve(void *unused)
{
	for (;;) {
		sem_wait(&begin);
		if (step == 'e') {
			usleep(20000);
			sem_post(&early);
		} else if (step == 'c') {
			pthread_mutex_lock(&accounts);
			sem_post(&held);
			usleep(100000);
			pthread_mutex_unlock(&accounts);
		} else {
			return unused;
		}
	}
}

int main(void)
{
	pthread_t thread;

	sem_init(&begin, 0, 0);
	sem_init(&held, 0, 0);
	sem_init(&early, 0, 0);
	if (pthread_create(&thread, NULL, serve, NULL))
		return 1;
	while (read(0, &step, 1) == 1 && step != 'q') {
		if (step == 's') {
			if (write(1, "\n", 1) != 1)
				return 1;
			usleep(1000000);
			continue;
		}
		sem_post(&begin);
		if (step == 'e') {
			sem_wait(&early);
		} else {
			sem_wait(&held);
			pthread_mutex_lock(&accounts);
			pthread_mutex_unlock(&accounts);
		}
		if (write(1, "\n", 1) != 1)
			return 1;
	}
	step = 'q';
	sem_post(&begin);
	return pthread_join(thread, NULL);
}
