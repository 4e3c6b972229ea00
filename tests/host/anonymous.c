/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* A parent and its child hand a turn to each other through semaphores in anonymous shared memory: anonymous ROUNDS. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct shared {
	pthread_mutex_t mutex;
	sem_t turns[2];
	int nr;
};

static void play(struct shared *s, int me, int nr)
{
	for (int n = 0; n < nr; n++) {
		while (sem_wait(&s->turns[me]))
			;
		pthread_mutex_lock(&s->mutex);
		s->nr++;
		pthread_mutex_unlock(&s->mutex);
		usleep(1000);
		sem_post(&s->turns[!me]);
	}
}

int main(int argc, char **argv)
{
	int nr = argc > 1 ? atoi(argv[1]) : 100, status;
	struct shared *s =
		mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_t attr;
	pid_t child;

	if (s == MAP_FAILED)
		return 1;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&s->mutex, &attr);
	sem_init(&s->turns[0], 1, 1);
	sem_init(&s->turns[1], 1, 0);
	child = fork();
	if (child < 0)
		return 1;
	play(s, !child, nr);
	if (!child)
		_exit(0);
	return waitpid(child, &status, 0) != child || status || s->nr != 2 * nr;
}
