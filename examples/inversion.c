/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A lock-order inversion: transfer() first locks the account that pays and then the account that
 * receives the money. Two transfers in opposite directions at the same time can deadlock. In this
 * program they never overlap, because of an atomic variable that stands for luck. The trace does not
 * record atomic variables, so it shows no reason why the transfers cannot overlap.
 *
 *  SYNTRACE_DIR=inversion.data LD_PRELOAD=libsyntrace.so ./inversion syntrace-decode lock-order
 *  inversion.data
 *
 * Look for transfer(), with both call stacks of both threads, although no deadlock happened.
 * `./inversion healthy` locks the account with the smaller number first.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

static struct account {
	pthread_mutex_t mutex;
	int number, amount;
} first = {PTHREAD_MUTEX_INITIALIZER, 1, 100}, second = {PTHREAD_MUTEX_INITIALIZER, 2, 100};
static atomic_int is_lucky;
static int is_healthy;

NOINLINE static void transfer(struct account *from, struct account *to, int amount)
{
	int is_swapped = is_healthy && from->number > to->number;

	pthread_mutex_lock(is_swapped ? &to->mutex : &from->mutex);
	pthread_mutex_lock(is_swapped ? &from->mutex : &to->mutex);
	from->amount -= amount;
	to->amount += amount;
	pthread_mutex_unlock(&to->mutex);
	pthread_mutex_unlock(&from->mutex);
}

NOINLINE static void *pay_rent(void *nothing)
{
	transfer(&first, &second, 10);
	is_lucky = 1;
	return nothing;
}

NOINLINE static void *pay_back(void *nothing)
{
	while (!is_lucky)
		usleep(1000);
	transfer(&second, &first, 5);
	return nothing;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	is_healthy = argc > 1 && !strcmp(argv[1], "healthy");
	if (pthread_create(&threads[0], NULL, pay_rent, NULL) ||
	    pthread_create(&threads[1], NULL, pay_back, NULL))
		return 1;
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return first.amount != 95;
}
