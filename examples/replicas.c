/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A replicated store like PacificA, in three processes: a client, a primary and a secondary. For each commit of
 * the client, the primary stores the data, sends it to the secondary, and answers after the acknowledgements of
 * both replicas. The functions have the names of the paper about hierarchical task models (Scalpel, figure 1).
 *
 *	SYNTRACE_DIR=replicas.data LD_PRELOAD=libsyntrace.so ./replicas
 *	syntrace-decode model replicas.data
 *
 * The network layer keeps few packets with data for each peer. If this buffer is full, SendPacket() sleeps for a fixed
 * time: all senders sleep at the same time, while the network is idle (the paper, figure 4). `./replicas healthy`
 * waits only until the buffer has a place. The second argument is the number of commits. The third argument is
 * the number of commits in flight.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define NR_WORKERS 4
#define NR_PLACES 4       /* packets with data that the network layer keeps for a peer */
#define NR_QUEUED 256u    /* more packets than can be in flight */
#define TRANSMIT 20       /* time that the network takes for a packet, in us */
#define TRANSMIT_DATA 200 /* the same, for a packet with data */
#define HOLD_BACK 20000   /* sleep of a sender if the buffer is full, in us */
#define MOST_COMMITS 100000u
#define MOST_IN_FLIGHT 64u
#define NOINLINE __attribute__((noinline))

enum kind { CREATE_TABLE, COMMIT, MUTATION, MUTATION_ACK, REPLY, END };

struct packet {
	uint32_t kind, commit;
	char data[120];
};

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t arrived;
	unsigned first, nr;
	struct packet packets[NR_QUEUED];
};

/* A connection to a peer, with a thread that receives and a thread that transmits. */
struct session {
	int socket;
	struct queue buffer;
	sem_t places; /* free places of the buffer */
	pthread_t receiver, transmitter;
};

static bool is_healthy;
static struct queue pool; /* packets for the workers */
static struct session client, secondary, primary;
static pthread_mutex_t commits = PTHREAD_MUTEX_INITIALIZER, journal = PTHREAD_MUTEX_INITIALIZER;
static unsigned char nr_acks[MOST_COMMITS];
static int journal_file;
static sem_t in_flight;

static void put(struct queue *q, const struct packet *p)
{
	pthread_mutex_lock(&q->lock);
	if (q->nr == NR_QUEUED)
		abort();
	q->packets[(q->first + q->nr++) % NR_QUEUED] = *p;
	pthread_cond_signal(&q->arrived);
	pthread_mutex_unlock(&q->lock);
}

static struct packet take(struct queue *q)
{
	struct packet p;

	pthread_mutex_lock(&q->lock);
	while (!q->nr)
		pthread_cond_wait(&q->arrived, &q->lock);
	p = q->packets[q->first];
	q->first = (q->first + 1) % NR_QUEUED;
	q->nr--;
	pthread_mutex_unlock(&q->lock);
	return p;
}

/* ---- the network layer ---- */

NOINLINE static void SendPacket(struct session *s, uint32_t kind, const struct packet *of)
{
	struct packet p = *of;

	p.kind = kind;
	if (is_healthy)
		sem_wait(&s->places);
	else
		while (sem_trywait(&s->places))
			usleep(HOLD_BACK);
	put(&s->buffer, &p);
}

NOINLINE static bool RecvPacket(const struct session *s, struct packet *p)
{
	return recv(s->socket, p, sizeof(*p), MSG_WAITALL) == sizeof(*p) && p->kind != END;
}

static void *transmit(void *of)
{
	struct session *s = of;
	struct packet p;

	do {
		p = take(&s->buffer);
		usleep(p.kind == MUTATION ? TRANSMIT_DATA : TRANSMIT);
		if (send(s->socket, &p, sizeof(p), MSG_NOSIGNAL) != sizeof(p))
			abort();
		sem_post(&s->places);
	} while (p.kind != END);
	return NULL;
}

static void *receive(void *of)
{
	struct session *s = of;
	struct packet p;

	while (RecvPacket(s, &p))
		put(&pool, &p);
	return NULL;
}

static void start_session(struct session *s, int socket, unsigned nr_places)
{
	s->socket = socket;
	sem_init(&s->places, 0, nr_places);
	if (pthread_create(&s->receiver, NULL, receive, s) ||
	    pthread_create(&s->transmitter, NULL, transmit, s))
		abort();
}

/* ---- the replicas ---- */

NOINLINE static void RpcCallReply(const struct packet *p)
{
	SendPacket(&client, REPLY, p);
}

NOINLINE static void ReceiveMutationAck(const struct packet *p)
{
	bool is_last;

	pthread_mutex_lock(&commits);
	is_last = ++nr_acks[p->commit] == 2;
	pthread_mutex_unlock(&commits);
	if (is_last)
		RpcCallReply(p);
}

NOINLINE static void RpcAsyncCallChain(const struct packet *p)
{
	SendPacket(&secondary, MUTATION, p);
}

/* Stores the data of a packet in the journal of this replica. */
NOINLINE static void Mutate(const struct packet *p)
{
	pthread_mutex_lock(&journal);
	if (write(journal_file, p->data, sizeof(p->data)) != sizeof(p->data))
		abort();
	pthread_mutex_unlock(&journal);
}

/* The secondary stores the data, and acknowledges. */
NOINLINE static void ReceiveMutation(const struct packet *p)
{
	Mutate(p);
	SendPacket(&primary, MUTATION_ACK, p);
}

/* Executes the next packet, or returns false at the end. */
NOINLINE static bool DoWork(void)
{
	struct packet p = take(&pool);

	switch ((enum kind)p.kind) {
	case CREATE_TABLE:
	case COMMIT:
		Mutate(&p);
		RpcAsyncCallChain(&p);
		ReceiveMutationAck(&p);
		return true;
	case MUTATION:
		ReceiveMutation(&p);
		return true;
	case MUTATION_ACK:
		ReceiveMutationAck(&p);
		return true;
	case REPLY:
	case END:
		break;
	}
	return false;
}

static void *worker(void *nothing)
{
	while (DoWork()) {
	}
	return nothing;
}

static void start_workers(pthread_t workers[NR_WORKERS])
{
	if ((journal_file = open("/dev/null", O_WRONLY | O_CLOEXEC)) < 0)
		abort();
	for (int i = 0; i < NR_WORKERS; i++)
		if (pthread_create(&workers[i], NULL, worker, NULL))
			abort();
}

static void end_workers(pthread_t workers[NR_WORKERS])
{
	for (int i = 0; i < NR_WORKERS; i++)
		put(&pool, &(struct packet){.kind = END});
	for (int i = 0; i < NR_WORKERS; i++)
		pthread_join(workers[i], NULL);
}

static void be_primary(int to_client, int to_secondary)
{
	pthread_t workers[NR_WORKERS];

	start_workers(workers);
	start_session(&secondary, to_secondary, NR_PLACES);
	start_session(&client, to_client, NR_QUEUED); /* the workers need both sessions from here on */
	pthread_join(client.receiver, NULL); /* the client ends after its last reply */
	SendPacket(&client, END, &(struct packet){0});
	SendPacket(&secondary, END, &(struct packet){0});
	pthread_join(secondary.receiver, NULL);
	end_workers(workers);
	pthread_join(client.transmitter, NULL);
	pthread_join(secondary.transmitter, NULL);
}

static void be_secondary(int to_primary)
{
	pthread_t workers[NR_WORKERS];

	start_workers(workers);
	start_session(&primary, to_primary, NR_QUEUED);
	pthread_join(primary.receiver, NULL);
	SendPacket(&primary, END, &(struct packet){0});
	pthread_join(primary.transmitter, NULL);
	end_workers(workers);
}

/* ---- the client ---- */

static void *take_replies(void *of)
{
	struct packet p;

	while (RecvPacket(of, &p))
		sem_post(&in_flight);
	return NULL;
}

NOINLINE static void Commit(const struct session *s, uint32_t kind, uint32_t commit)
{
	struct packet p = {.kind = kind, .commit = commit};

	sem_wait(&in_flight);
	if (send(s->socket, &p, sizeof(p), MSG_NOSIGNAL) != sizeof(p))
		abort();
}

static void be_client(int to_primary, unsigned nr_commits, unsigned nr_in_flight)
{
	struct session s = {.socket = to_primary};

	sem_init(&in_flight, 0, nr_in_flight);
	if (pthread_create(&s.receiver, NULL, take_replies, &s))
		abort();
	Commit(&s, CREATE_TABLE, 0);
	for (unsigned i = 1; i <= nr_commits; i++)
		Commit(&s, COMMIT, i);
	for (unsigned i = 0; i < nr_in_flight; i++)
		sem_wait(&in_flight);
	sem_post(&in_flight);
	Commit(&s, END, 0);
	pthread_join(s.receiver, NULL);
}

/* Connects two sockets over the loopback network. */
static void connect_pair(int pair[2])
{
	struct sockaddr_in address = {.sin_family = AF_INET,
	                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(address);
	int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

	pair[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(listening, (struct sockaddr *)&address, size) || listen(listening, 1) ||
	    getsockname(listening, (struct sockaddr *)&address, &size) ||
	    connect(pair[0], (struct sockaddr *)&address, size) ||
	    (pair[1] = accept(listening, NULL, NULL)) < 0)
		abort();
	close(listening);
	for (int i = 0; i < 2; i++)
		setsockopt(pair[i], IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

int main(int argc, char **argv)
{
	unsigned nr_commits = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 200;
	unsigned nr_in_flight = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 16;
	int front[2], back[2], status, failed = 0;

	is_healthy = argc > 1 && !strcmp(argv[1], "healthy");
	if (nr_commits >= MOST_COMMITS || !nr_in_flight || nr_in_flight > MOST_IN_FLIGHT)
		return 2;
	connect_pair(front);
	connect_pair(back);
	switch (fork()) {
	case -1:
		return 1;
	case 0:
		close(front[0]);
		close(front[1]);
		close(back[0]);
		be_secondary(back[1]);
		return 0;
	}
	close(back[1]);
	switch (fork()) {
	case -1:
		return 1;
	case 0:
		close(front[0]);
		be_primary(front[1], back[0]);
		return 0;
	}
	close(back[0]);
	close(front[1]);
	be_client(front[0], nr_commits, nr_in_flight);
	for (int i = 0; i < 2; i++)
		failed |= wait(&status) < 0 || status;
	return failed;
}
