/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Parallelism lost behind flow control: several threads commit what clients hand in, by sending
 * it over one network.  When that has no room for a packet the sender sleeps for a while, whatever
 * happens meanwhile.  So all of them sleep at the same time, the network has nothing to do, the
 * processors neither, and more threads do not help.
 *
 *	SYNTRACE_DIR=flow-control.data LD_PRELOAD=libsyntrace.so ./flow-control
 *	syntrace-decode waits flow-control.data
 *
 * What to look for: hold_back(), which sleeps while the client waits for it.  `./flow-control
 * healthy` has room for all that clients hand in at once.
 */
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <unistd.h>

#define NR_SENDERS 4
#define NR_BURSTS 4
#define NR_COMMITS 12 /* in each of them */
#define NR_PLACES 4   /* in the network's buffer */
#define NOINLINE __attribute__((noinline))

static sem_t handed_in, room, to_send, acknowledged;

/* Until the network may have room again. */
NOINLINE static void hold_back(void)
{
	while (sem_trywait(&room))
		usleep(250000);
}

NOINLINE static void send_packet(void)
{
	if (sem_trywait(&room))
		hold_back();
	sem_post(&to_send);
}

static void *commit(void *nothing)
{
	for (int i = 0; i < NR_BURSTS * NR_COMMITS / NR_SENDERS; i++) {
		sem_wait(&handed_in);
		send_packet();
	}
	return nothing;
}

static void *network(void *nothing)
{
	for (int i = 0; i < NR_BURSTS * NR_COMMITS; i++) {
		sem_wait(&to_send);
		usleep(100); /* a packet's way */
		sem_post(&room);
		sem_post(&acknowledged);
	}
	return nothing;
}

int main(int argc, char **argv)
{
	pthread_t senders[NR_SENDERS], wire;
	int is_healthy = argc > 1 && !strcmp(argv[1], "healthy");

	sem_init(&handed_in, 0, 0);
	sem_init(&room, 0, is_healthy ? NR_COMMITS : NR_PLACES);
	sem_init(&to_send, 0, 0);
	sem_init(&acknowledged, 0, 0);
	if (pthread_create(&wire, NULL, network, NULL))
		return 1;
	for (int i = 0; i < NR_SENDERS; i++)
		if (pthread_create(&senders[i], NULL, commit, NULL))
			return 1;
	for (int burst = 0; burst < NR_BURSTS; burst++) {
		for (int i = 0; i < NR_COMMITS; i++)
			sem_post(&handed_in);
		usleep(200000); /* until clients hand in more */
		for (int i = 0; i < NR_COMMITS; i++)
			sem_wait(&acknowledged);
	}
	for (int i = 0; i < NR_SENDERS; i++)
		pthread_join(senders[i], NULL);
	pthread_join(wire, NULL);
	return 0;
}
