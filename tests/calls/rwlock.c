/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Every call on a read-write lock and on a spin lock. */
#include "tests/calls/expect.h"

static pthread_rwlock_t l;
static pthread_spinlock_t s;

/* A call on the lock by thread T, expected to give RV with these FIELDS. */
#define CALLED(t_, name_, rv_, fields_, ...)                                                       \
	do {                                                                                       \
		CHECK(name_(&l, ##__VA_ARGS__) == (rv_));                                          \
		expect("0.%d " #name_ " rwlock:%p %d " fields_, t_, (void *)&l, rv_);              \
	} while (0)

static void *other(void *arg)
{
	struct timespec t = deadline(CLOCK_REALTIME, 5), bad = {0, 1000000000};

	CALLED(1, pthread_rwlock_tryrdlock, EBUSY, "");
	CALLED(1, pthread_rwlock_trywrlock, EBUSY, "");
	CALLED(1, pthread_rwlock_timedrdlock, ETIMEDOUT, "flags=blocked", &t);
	CALLED(1, pthread_rwlock_timedwrlock, ETIMEDOUT, "flags=blocked", &t);
	CALLED(1, pthread_rwlock_timedrdlock, EINVAL, "", &bad);
	t = deadline(CLOCK_MONOTONIC, 5);
	CALLED(1, pthread_rwlock_clockrdlock, ETIMEDOUT, "flags=blocked", CLOCK_MONOTONIC, &t);
	CALLED(1, pthread_rwlock_clockwrlock, ETIMEDOUT, "flags=blocked", CLOCK_MONOTONIC, &t);
	CHECK(pthread_spin_trylock(&s) == EBUSY);
	expect("0.1 pthread_spin_trylock spin:%p %d", (void *)&s, EBUSY);
	return arg;
}

static void *reader(void *arg)
{
	CALLED(2, pthread_rwlock_rdlock, 0, "flags=blocked");
	CALLED(2, pthread_rwlock_unlock, 0, "");
	CHECK(pthread_spin_lock(&s) == 0);
	expect("0.2 pthread_spin_lock spin:%p 0 flags=blocked", (void *)&s);
	CHECK(pthread_spin_unlock(&s) == 0);
	expect("0.2 pthread_spin_unlock spin:%p 0", (void *)&s);
	return arg;
}

static void alone(void)
{
	struct timespec t = deadline(CLOCK_REALTIME, 1000), bad = {0, 1000000000};

	CALLED(0, pthread_rwlock_rdlock, 0, "flags=");
	CALLED(0, pthread_rwlock_tryrdlock, 0, "");
	CALLED(0, pthread_rwlock_timedrdlock, 0, "flags=", &t);
	CALLED(0, pthread_rwlock_clockrdlock, 0, "flags=", CLOCK_REALTIME, &t);
	for (int i = 0; i < 4; i++)
		CALLED(0, pthread_rwlock_unlock, 0, "");
	CALLED(0, pthread_rwlock_wrlock, 0, "flags=");
	CALLED(0, pthread_rwlock_wrlock, EDEADLK, "");
	CALLED(0, pthread_rwlock_rdlock, EDEADLK, "");
	CALLED(0, pthread_rwlock_unlock, 0, "");
	CALLED(0, pthread_rwlock_trywrlock, 0, "");
	CALLED(0, pthread_rwlock_unlock, 0, "");
	CALLED(0, pthread_rwlock_timedwrlock, 0, "flags=", &t);
	CALLED(0, pthread_rwlock_unlock, 0, "");
	CALLED(0, pthread_rwlock_timedwrlock, EINVAL, "", &bad);
	CALLED(0, pthread_rwlock_clockwrlock, EINVAL, "", CLOCK_PROCESS_CPUTIME_ID, &t);
	CALLED(0, pthread_rwlock_clockwrlock, 0, "flags=", CLOCK_MONOTONIC, &t);
}

int main(void)
{
	pthread_t thread;
	long used_ms;

	expect("ignore pthread_create pthread_join");
	CALLED(0, pthread_rwlock_init, 0, "", NULL);
	alone();
	CHECK(pthread_spin_init(&s, PTHREAD_PROCESS_PRIVATE) == 0);
	expect("0.0 pthread_spin_init spin:%p 0", (void *)&s);
	CHECK(pthread_spin_lock(&s) == 0);
	expect("0.0 pthread_spin_lock spin:%p 0 flags=", (void *)&s);
	CHECK(pthread_create(&thread, NULL, other, NULL) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
	CHECK(pthread_create(&thread, NULL, reader, NULL) == 0);
	await_others_asleep();
	used_ms = cpu_ms(thread);
	CALLED(0, pthread_rwlock_unlock, 0, "");
	while (cpu_ms(thread) < used_ms + 5) /* the thread spins */
		sleep_ms(5);
	CHECK(pthread_spin_unlock(&s) == 0);
	expect("0.0 pthread_spin_unlock spin:%p 0", (void *)&s);
	CHECK(pthread_join(thread, NULL) == 0);
	CALLED(0, pthread_rwlock_destroy, 0, "");
	CHECK(pthread_spin_destroy(&s) == 0);
	expect("0.0 pthread_spin_destroy spin:%p 0", (void *)&s);
	return 0;
}
