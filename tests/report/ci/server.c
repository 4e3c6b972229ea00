/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* A server with a thread for each connection, and its client in a process of its own. */
#include "ci.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define NR_CONNECTIONS 4

static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER, audited = PTHREAD_MUTEX_INITIALIZER;
static long sum, nr_audited;

static APART void say(int fd, const char *text, size_t bytes)
{
	MUST(write(fd, text, bytes) == (ssize_t)bytes);
}

static APART void answer(int fd, const char *request)
{
	locked_add(&table, &sum, request[0]);
	if (CHANGE == 1)
		locked_add(&audited, &nr_audited, 1);
	if (CHANGE == 2)
		locked_add(&table, &sum, 0);
	if (CHANGE == 3)
		close(dup(fd));
	if (CHANGE == 4) {
		say(fd, "ok", 2);
		say(fd, "\n", 1);
	} else {
		say(fd, "ok\n", 3);
	}
}

static void *serve(void *fd)
{
	char request[4];

	while (recv((int)(long)fd, request, sizeof(request), MSG_WAITALL) == sizeof(request))
		answer((int)(long)fd, request);
	close((int)(long)fd);
	return NULL;
}

struct client {
	struct sockaddr_in to;
	int load;
};

static void *ask(void *client_)
{
	const struct client *client = client_;
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	char reply[3];

	MUST(connect(fd, (const struct sockaddr *)&client->to, sizeof(client->to)) == 0);
	for (int n = 0; n < client->load; n++) {
		say(fd, "ask\n", 4);
		MUST(recv(fd, reply, sizeof(reply), MSG_WAITALL) == sizeof(reply));
	}
	close(fd);
	return NULL;
}

int main(int argc, char **argv)
{
	struct client client = {{.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)},
	                        load_of(argc, argv)};
	socklen_t bytes = sizeof(client.to);
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	pthread_t threads[NR_CONNECTIONS];
	pid_t child;

	MUST(bind(listener, (struct sockaddr *)&client.to, bytes) == 0 &&
	     listen(listener, 64) == 0);
	MUST(getsockname(listener, (struct sockaddr *)&client.to, &bytes) == 0);
	child = fork();
	MUST(child >= 0);
	for (long n = 0; n < NR_CONNECTIONS; n++)
		if (child)
			start(&threads[n], serve, (void *)(long)accept(listener, NULL, NULL));
		else
			start(&threads[n], ask, &client);
	for (int n = 0; n < NR_CONNECTIONS; n++)
		pthread_join(threads[n], NULL);
	if (!child)
		return 0;
	MUST(wait(NULL) == child);
	printf("%ld\n", sum);
	return 0;
}
