/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * tests/cost/descriptors WHAT N: makes, uses and closes a file descriptor N times. WHAT is
 *
 *   file     this program's file; reads one byte unread   this program's file; reads no byte stated
 *   this program's file; calls fstat, then reads one byte tcp      a connection to itself over IPv4, a
 *   byte in both directions, both ends closed pair     a socketpair with a byte in one direction
 *   thread   a thread, joined: no descriptor
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static struct sockaddr_in here = {.sin_family = AF_INET};
static int listener = -1;

static void need(int ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	exit(9);
}

static void move(int from, int to)
{
	char byte = 'x';

	need(send(from, &byte, 1, 0) == 1 && recv(to, &byte, 1, 0) == 1, "a byte");
}

static void file(int is_read, int is_stated)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat st;
	char byte;

	need(fd >= 0, "open");
	if (is_stated)
		need(!fstat(fd, &st), "fstat");
	if (is_read)
		need(pread(fd, &byte, 1, 1) == 1, "pread");
	close(fd);
}

static void tcp(void)
{
	struct sockaddr_in peer;
	socklen_t bytes = sizeof(here);
	int client, server;

	if (listener < 0) {
		listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		need(listener >= 0 && !bind(listener, (struct sockaddr *)&here, bytes) &&
		             !listen(listener, 4) &&
		             !getsockname(listener, (struct sockaddr *)&here, &bytes),
		     "listen");
	}
	client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	need(client >= 0 && !connect(client, (struct sockaddr *)&here, bytes), "connect");
	bytes = sizeof(peer);
	server = accept4(listener, (struct sockaddr *)&peer, &bytes, SOCK_CLOEXEC);
	need(server >= 0, "accept4");
	move(client, server);
	move(server, client);
	close(server);
	close(client);
}

static void pair(void)
{
	int fds[2];

	need(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), "socketpair");
	move(fds[0], fds[1]);
	close(fds[0]);
	close(fds[1]);
}

static void *nothing(void *unused)
{
	return unused;
}

static void thread(void)
{
	pthread_t t;

	need(!pthread_create(&t, NULL, nothing, NULL) && !pthread_join(t, NULL), "a thread");
}

int main(int argc, char **argv)
{
	const char *what = argc == 3 ? argv[1] : "";

	for (int nr = argc == 3 ? atoi(argv[2]) : 0; nr > 0; nr--) {
		if (!strcmp(what, "file"))
			file(1, 0);
		else if (!strcmp(what, "unread"))
			file(0, 0);
		else if (!strcmp(what, "stated"))
			file(1, 1);
		else if (!strcmp(what, "tcp"))
			tcp();
		else if (!strcmp(what, "pair"))
			pair();
		else if (!strcmp(what, "thread"))
			thread();
		else
			return 2;
	}
	return 0;
}
