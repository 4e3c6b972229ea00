/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Parallelism lost to flow control: several threads commit the work of a client by sending
 * packets over one network.  If the buffer of the network is full, the sender sleeps for a fixed
 * time.  All senders then sleep at the same time, while the network and the processors are idle.
 * More threads do not help.
 *
 *	SYNTRACE_DIR=flow-control.data LD_PRELOAD=libsyntrace.so ./flow-control
 *	syntrace-decode waits flow-control.data
 *
 * Look for hold_back(), which sleeps while the client waits for it.  `./flow-control healthy`
 * has space for all packets of a burst.
 */
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <unistd.h>

#define NR_SENDERS 4
#define NR_BURSTS 4
#define NR_COMMITS 12 /* commits in each burst */
#define NR_PLACES 4   /* packets that the buffer of the network can hold */
#define NOINLINE __attribute__((noinline))

static sem_t handed_in, room, to_send, acknowledged;

/* Sleeps until the buffer of the network has space. */
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
		usleep(100); /* the time that a packet takes */
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
		usleep(200000); /* simulates the time until the client has more work */
		for (int i = 0; i < NR_COMMITS; i++)
			sem_wait(&acknowledged);
	}
	for (int i = 0; i < NR_SENDERS; i++)
		pthread_join(senders[i], NULL);
	pthread_join(wire, NULL);
	return 0;
}
