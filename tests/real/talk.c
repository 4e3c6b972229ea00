/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Exchanges requests and answers with other hosts over TCP, at a given rate for a given time.
 *
 *	talk [--rate=N] [--seconds=N] [--load=N] [--accept=N] [--behind=ADDRESS:PORT] PORT [ADDRESS:PORT...]
 *
 * talk listens at PORT and answers each request of N accepted connections. At the same time it connects to each ADDRESS and
 * sends N requests a second over this connection; it retries the first connect until the peer listens. It ends when all
 * connections are over. --load starts threads that compute until then. With --behind, each thread that answers first asks the
 * server there.
 *
 * Each message begins with a header that has the sizes of the message and of the wanted answer, as in many protocols:
 * the reader reads the header and then the rest. The sizes differ from request to request.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MOST_THREADS 64
#define MOST_BYTES 4096u
#define NS_PER_S INT64_C(1000000000)
#define RETRY_NS 20000000
#define NR_RETRIES 1000u
#define PATIENCE_S 60u /* beyond the time of the requests */

struct header {
	uint32_t bytes, answer_bytes; /* of this message with the header; of the answer */
};

static unsigned rate = 100, seconds = 2, nr_load, nr_accept;
static const char *behind; /* NULL: no other server is asked */
static atomic_bool is_over;

static void must(bool condition, const char *what)
{
	if (condition)
		return;
	fprintf(stderr, "talk: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* Returns false at the end of the stream. */
static bool read_all(int fd, void *to, size_t bytes)
{
	for (size_t done = 0; done < bytes;) {
		ssize_t rv = read(fd, (char *)to + done, bytes - done);

		if (rv == 0 && !done)
			return false;
		must(rv > 0, "read");
		done += (size_t)rv;
	}
	return true;
}

static bool read_message(int fd, struct header *h)
{
	char rest[MOST_BYTES];

	if (!read_all(fd, h, sizeof(*h)))
		return false;
	must(h->bytes > sizeof(*h) && h->bytes <= MOST_BYTES, "size of a message");
	must(read_all(fd, rest, h->bytes - sizeof(*h)), "rest of a message");
	return true;
}

static void write_message(int fd, uint32_t bytes, uint32_t answer_bytes)
{
	char message[MOST_BYTES] = {0};

	memcpy(message, &(struct header){bytes, answer_bytes}, sizeof(struct header));
	must(write(fd, message, bytes) == (ssize_t)bytes, "write");
}

static void send_at_once(int fd)
{
	must(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int)) == 0, "TCP_NODELAY");
}

/* ---- connections ---- */

static int listen_at(uint16_t port)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	must(fd >= 0, "socket");
	must(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int)) == 0, "SO_REUSEADDR");
	must(bind(fd, (struct sockaddr *)&a, sizeof(a)) == 0, "bind");
	must(listen(fd, MOST_THREADS) == 0, "listen");
	return fd;
}

static int connect_to(const char *peer)
{
	struct sockaddr_in a = {.sin_family = AF_INET};
	char address[64];
	unsigned port;

	must(sscanf(peer, "%63[^:]:%u", address, &port) == 2 &&
	             inet_pton(AF_INET, address, &a.sin_addr) == 1,
	     peer);
	a.sin_port = htons((uint16_t)port);
	for (unsigned n = 0; n < NR_RETRIES; n++) {
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

		must(fd >= 0, "socket");
		if (connect(fd, (struct sockaddr *)&a, sizeof(a)) == 0)
			return fd;
		must(errno == ECONNREFUSED, peer);
		close(fd);
		nanosleep(&(struct timespec){0, RETRY_NS}, NULL);
	}
	must(false, peer);
	return -1;
}

/* ---- the server ---- */

static void *answer(void *argument)
{
	int fd = (int)(intptr_t)argument, server = behind ? connect_to(behind) : -1;
	struct header h, answer;

	send_at_once(fd);
	if (behind)
		send_at_once(server);
	while (read_message(fd, &h)) {
		if (behind) {
			write_message(server, h.bytes, h.answer_bytes);
			must(read_message(server, &answer), "end of the answers");
		}
		write_message(fd, h.answer_bytes, 0);
	}
	if (behind)
		close(server);
	close(fd);
	return NULL;
}

/* ---- the clients ---- */

static void *ask(void *argument)
{
	int fd = connect_to(argument);
	struct timespec next;
	struct header h;

	send_at_once(fd);
	clock_gettime(CLOCK_MONOTONIC, &next);
	for (unsigned n = 0; n < rate * seconds; n++) {
		int64_t ns = next.tv_nsec + NS_PER_S / rate;

		write_message(fd, 64 + n * 37 % 1000, 64 + n * 61 % 2000);
		must(read_message(fd, &h), "end of the answers");
		next.tv_sec += ns / NS_PER_S;
		next.tv_nsec = ns % NS_PER_S;
		/* requests that are late are not made up for */
		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL) == EINTR)
			;
	}
	close(fd);
	return NULL;
}

static void *compute(void *argument)
{
	(void)argument;
	while (!is_over)
		;
	return NULL;
}

static void start(pthread_t *thread, void *(*what)(void *), void *argument)
{
	errno = pthread_create(thread, NULL, what, argument);
	must(errno == 0, "pthread_create");
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"rate", required_argument, NULL, 'r'},   {"seconds", required_argument, NULL, 's'},
		{"load", required_argument, NULL, 'l'},   {"accept", required_argument, NULL, 'a'},
		{"behind", required_argument, NULL, 'b'}, {0},
	};
	pthread_t threads[MOST_THREADS], loads[MOST_THREADS];
	unsigned nr = 0;
	int option, listener;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		unsigned value = optarg ? (unsigned)atoi(optarg) : 0;

		switch (option) {
		case 'r':
			rate = value;
			break;
		case 's':
			seconds = value;
			break;
		case 'l':
			nr_load = value;
			break;
		case 'a':
			nr_accept = value;
			break;
		case 'b':
			behind = optarg;
			break;
		default:
			return 2;
		}
	}
	if (optind == argc || !rate || nr_load > MOST_THREADS ||
	    nr_accept + (unsigned)(argc - optind) > MOST_THREADS) {
		fprintf(stderr, "usage: talk [OPTION...] PORT [ADDRESS:PORT...]\n");
		return 2;
	}
	alarm(seconds + PATIENCE_S);
	listener = listen_at((uint16_t)atoi(argv[optind]));
	for (unsigned n = 0; n < nr_load; n++)
		start(&loads[n], compute, NULL);
	for (int n = optind + 1; n < argc; n++)
		start(&threads[nr++], ask, argv[n]);
	for (unsigned n = 0; n < nr_accept; n++) {
		int fd = accept(listener, NULL, NULL);

		must(fd >= 0, "accept");
		start(&threads[nr++], answer, (void *)(intptr_t)fd);
	}
	for (unsigned n = 0; n < nr; n++)
		pthread_join(threads[n], NULL);
	is_over = true;
	for (unsigned n = 0; n < nr_load; n++)
		pthread_join(loads[n], NULL);
	return 0;
}
