/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A library for LD_PRELOAD that gives memcached faults. A request `get read`, `get sleep`, `get query` or `get spin` makes one worker
 * do more than others: read a file, sleep, ask a second server at port $FAULT_PORT of 127.0.0.1, or compute.
 */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define SLEEP_NS 30000000
#define SPIN_NS 25000000
#define MUST(condition) ((condition) ? (void)0 : abort())

ssize_t read(int fd, void *buffer, size_t size);

__attribute__((noinline)) static void reload_prices(void)
{
	char text[4096];
	int fd = open("/etc/passwd", O_RDONLY | O_CLOEXEC);

	MUST(fd >= 0 && read(fd, text, sizeof(text)) > 0);
	close(fd);
}

__attribute__((noinline)) static void back_off(void)
{
	struct timespec t = {0, SLEEP_NS};

	nanosleep(&t, NULL);
}

__attribute__((noinline)) static void check_stock(void)
{
	static const char query[] = "get stock\r\n";
	struct sockaddr_in address = {.sin_family = AF_INET,
	                              .sin_port = htons((uint16_t)atoi(getenv("FAULT_PORT"))),
	                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	char answer[64];
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	MUST(fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0);
	MUST(send(fd, query, sizeof(query) - 1, 0) == sizeof(query) - 1);
	MUST(recv(fd, answer, sizeof(answer), 0) == 5); /* END */
	close(fd);
}

static long cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000 + t.tv_nsec;
}

__attribute__((noinline)) static void recompute(void)
{
	long end = cpu_ns() + SPIN_NS;

	while (cpu_ns() < end)
		;
}

static const struct fault {
	const char *command;
	void (*commit)(void);
} faults[] = {
	{"get read\r\n", reload_prices},
	{"get sleep\r\n", back_off},
	{"get query\r\n", check_stock},
	{"get spin\r\n", recompute},
};

/* memcached reads its requests by this function. */
ssize_t read(int fd, void *buffer, size_t size)
{
	static ssize_t (*next)(int, void *, size_t);
	ssize_t nr;

	if (!next)
		next = (ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
	nr = next(fd, buffer, size);
	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++)
		if (nr == (ssize_t)strlen(faults[i].command) &&
		    memcmp(buffer, faults[i].command, (size_t)nr) == 0)
			faults[i].commit();
	return nr;
}
