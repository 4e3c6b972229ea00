/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * scaling NAME NUMBER: programs on which a careless search of the decoder fails, or needs a time that grows with the square of
 * NUMBER.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static unsigned long nr;

/* Between two sleeps, the thread only releases a lock. */
static void release(void)
{
	pthread_mutex_t *all = calloc(nr, sizeof(*all));

	for (unsigned long n = 0; n < nr; n++) {
		pthread_mutex_init(&all[n], NULL);
		pthread_mutex_lock(&all[n]);
	}
	for (unsigned long n = 0; n < nr; n++) {
		usleep(1000);
		pthread_mutex_unlock(&all[n]);
	}
	free(all);
}

/* Each request waits with a new mutex and a new condition variable, until it times out. */
static void request(void)
{
	for (unsigned long n = 0; n < nr; n++) {
		struct timespec past = {.tv_sec = 1};
		pthread_mutex_t mutex;
		pthread_cond_t cond;

		pthread_mutex_init(&mutex, NULL);
		pthread_cond_init(&cond, NULL);
		pthread_mutex_lock(&mutex);
		pthread_cond_timedwait(&cond, &mutex, &past);
		pthread_mutex_unlock(&mutex);
		pthread_cond_destroy(&cond);
		pthread_mutex_destroy(&mutex);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} all[] = {{"release", release}, {"request", request}};

	if (argc != 3)
		return 2;
	nr = strtoul(argv[2], NULL, 10);
	for (size_t n = 0; n < sizeof(all) / sizeof(all[0]); n++) {
		if (strcmp(argv[1], all[n].name))
			continue;
		all[n].run();
		return 0;
	}
	return 2;
}
