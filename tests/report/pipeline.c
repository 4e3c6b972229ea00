/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A server and a client that sends some requests before the answer to the previous request.
 *
 *   pipeline serve PORT   accepts one connection on the loopback, and answers until its end
 *   pipeline ask PORT     sends 10 requests one after the other, 5 requests at once, and 5 requests one after the other
 *
 * A request is one letter: `f` is answered at once, `c` after 30 ms of CPU time with calls, and `w` once the next four requests
 * have arrived.
 */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define NR_CALM 10
#define NR_LAST 5
#define COMPUTE_NS 30000000u
#define NR_WAITED 4
#define NR_LOOKS 200u
#define PAUSE_US 5000u

static int64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void compute(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	int64_t end = cpu_ns() + COMPUTE_NS;

	while (cpu_ns() < end) {
		for (unsigned i = 0; i < NR_LOOKS; i++)
			cpu_ns();
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
	}
}

static int serve(struct sockaddr_in *address)
{
	int listener = socket(AF_INET, SOCK_STREAM, 0), connection, nr;
	char letter;

	if (setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int)) ||
	    bind(listener, (struct sockaddr *)address, sizeof(*address)) || listen(listener, 1))
		return 1;
	connection = accept(listener, NULL, NULL);
	while (recv(connection, &letter, 1, 0) == 1) {
		if (letter == 'c')
			compute();
		while (letter == 'w' && !ioctl(connection, FIONREAD, &nr) && nr < NR_WAITED)
			usleep(PAUSE_US);
		send(connection, &letter, 1, 0);
	}
	close(connection);
	close(listener);
	return 0;
}

static void ask(int s, const char *letters)
{
	char answer;

	usleep(PAUSE_US);
	for (size_t i = 0; letters[i]; i++)
		send(s, &letters[i], 1, 0);
	for (size_t i = 0; letters[i]; i++)
		recv(s, &answer, 1, 0);
}

int main(int argc, char **argv)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
	                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int s;

	if (argc != 3)
		return 2;
	address.sin_port = htons((uint16_t)atoi(argv[2]));
	if (!strcmp(argv[1], "serve"))
		return serve(&address);
	s = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(s, (struct sockaddr *)&address, sizeof(address)))
		return 1;
	for (unsigned i = 0; i < NR_CALM; i++)
		ask(s, "c");
	ask(s, "wffff");
	for (unsigned i = 0; i < NR_LAST; i++)
		ask(s, "f");
	close(s);
	return 0;
}
