/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Private semaphores in a forked child. TURN is empty at the fork. TOKENS has tokens, and another
 * thread of the parent may post it while this thread forks.
 *
 * The child's main thread posts TURN ROUNDS times, one token at a time, and its other thread takes the
 * tokens. Then both threads of the child take the tokens in TOKENS.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define FORKS 20
#define ROUNDS 5

static sem_t turn, back, tokens;
static int has_ended;

static void must(int condition, const char *what)
{
	if (!condition) {
		perror(what);
		exit(1);
	}
}

static void *take(void *none)
{
	for (int i = 0; i < ROUNDS; i++) {
		must(sem_wait(&turn) == 0, "sem_wait");
		must(sem_post(&back) == 0, "sem_post");
	}
	return none;
}

static void *give(void *none)
{
	for (int i = 0; i < 1000 && !__atomic_load_n(&has_ended, __ATOMIC_RELAXED); i++) {
		must(sem_post(&tokens) == 0, "sem_post");
		usleep(100);
	}
	return none;
}

static void child(void)
{
	pthread_t other;

	must(pthread_create(&other, NULL, take, NULL) == 0, "pthread_create");
	for (int i = 0; i < ROUNDS; i++) {
		must(sem_post(&turn) == 0, "sem_post");
		must(sem_wait(&back) == 0, "sem_wait");
	}
	must(pthread_join(other, NULL) == 0, "pthread_join");
	must(sem_post(&tokens) == 0, "sem_post");
	while (sem_trywait(&tokens) == 0)
		;
	_exit(0);
}

int main(void)
{
	pthread_t giver;

	sem_init(&turn, 0, 0);
	sem_init(&back, 0, 0);
	sem_init(&tokens, 0, 3);
	must(pthread_create(&giver, NULL, give, NULL) == 0, "pthread_create");
	for (int i = 0; i < FORKS; i++) {
		int status;
		pid_t pid = fork();

		must(pid >= 0, "fork");
		if (!pid)
			child();
		must(waitpid(pid, &status, 0) == pid && status == 0, "waitpid");
	}
	__atomic_store_n(&has_ended, 1, __ATOMIC_RELAXED);
	must(pthread_join(giver, NULL) == 0, "pthread_join");
	return 0;
}
