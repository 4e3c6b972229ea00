/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A server and its clients; the reason for the duration of each request is known.
 *
 *   requests serve PORT   accepts on the loopback until it has answered `q`
 *   requests ask PORT     sends all requests, one after the other
 *
 * One thread accepts and reads, four workers answer. A request is one letter:
 *
 *   f  at once
 *   l  by a worker, behind a lock that another thread holds in flush_log() for 80 ms
 *   w  by another process, which works for 60 ms in work_elsewhere() and sends the answer itself
 *   b  by the thread that reads, which works in block_the_loop() until a byte arrives on the last
 *      accepted connection, and for 50 ms more
 *   n  never: the connection is closed
 *   q  and the server ends
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define NR_WORKERS 4
#define NR_CLIENTS 8

static struct sockaddr_in address = {.sin_family = AF_INET};

/* Keeps functions visible in call stacks: their last call must not be a tail call. */
#define NAMED static __attribute__((noinline))
#define END_OF(name_) __asm__ volatile("# end of " #name_)

static void die(const char *what)
{
	perror(what);
	_exit(1);
}

static void want(int result, const char *what)
{
	if (result < 0)
		die(what);
}

/* ---- work ---- */

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t queue_filled = PTHREAD_COND_INITIALIZER;
static struct job {
	int fd;
	char letter;
} queue[64];
static unsigned nr_queued, nr_taken;
static int to_helper, accepted_last;
static sem_t is_held;

NAMED void flush_log(void)
{
	pthread_mutex_lock(&log_lock);
	sem_post(&is_held);
	usleep(80000);
	pthread_mutex_unlock(&log_lock);
	END_OF(flush_log);
}

static void *flusher(void *arg)
{
	(void)arg;
	flush_log();
	return NULL;
}

NAMED void write_log(void)
{
	pthread_mutex_lock(&log_lock);
	pthread_mutex_unlock(&log_lock);
	END_OF(write_log);
}

NAMED void block_the_loop(void)
{
	int nr = 0;

	while (!nr) {
		usleep(1000);
		want(ioctl(accepted_last, FIONREAD, &nr), "ioctl");
	}
	usleep(50000);
	END_OF(block_the_loop);
}

NAMED void work_elsewhere(void)
{
	usleep(60000);
	END_OF(work_elsewhere);
}

NAMED void answer(int fd, char letter)
{
	want((int)send(fd, &letter, 1, MSG_NOSIGNAL), "send");
	END_OF(answer);
}

static struct job take(void)
{
	struct job job;

	pthread_mutex_lock(&queue_lock);
	while (nr_taken == nr_queued)
		pthread_cond_wait(&queue_filled, &queue_lock);
	job = queue[nr_taken++ % 64];
	pthread_mutex_unlock(&queue_lock);
	return job;
}

static void put(struct job job)
{
	pthread_mutex_lock(&queue_lock);
	queue[nr_queued++ % 64] = job;
	pthread_cond_signal(&queue_filled);
	pthread_mutex_unlock(&queue_lock);
}

static void *worker(void *arg)
{
	(void)arg;
	for (;;) {
		struct job job = take();
		pthread_t thread;

		if (job.fd < 0)
			return NULL;
		if (job.letter == 'l') {
			pthread_create(&thread, NULL, flusher, NULL);
			sem_wait(&is_held);
			write_log();
		}
		answer(job.fd, job.letter);
		if (job.letter == 'l')
			pthread_join(thread, NULL);
	}
}

/* ---- the other process ---- */

static void give(int fd)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	char byte = 'w';
	struct iovec io = {&byte, 1};
	struct msghdr m = {.msg_iov = &io,
	                   .msg_iovlen = 1,
	                   .msg_control = control.room,
	                   .msg_controllen = sizeof(control.room)};

	memset(&control, 0, sizeof(control));
	control.head.cmsg_level = SOL_SOCKET;
	control.head.cmsg_type = SCM_RIGHTS;
	control.head.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control.head), &fd, sizeof(int));
	want((int)sendmsg(to_helper, &m, 0), "sendmsg");
}

static void help(int from)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	char byte;
	struct iovec io = {&byte, 1};
	struct msghdr m = {.msg_iov = &io,
	                   .msg_iovlen = 1,
	                   .msg_control = control.room,
	                   .msg_controllen = sizeof(control.room)};
	int fd;

	answer(from, 'w'); /* tells the server that this process is ready */
	while (recvmsg(from, &m, 0) > 0) {
		memcpy(&fd, CMSG_DATA(&control.head), sizeof(int));
		work_elsewhere();
		answer(fd, 'w');
		close(fd);
		m.msg_controllen = sizeof(control.room);
	}
	exit(0);
}

/* ---- the server ---- */

/* Returns false for the last request. */
static bool read_request(int fd)
{
	char letter;

	if (recv(fd, &letter, 1, 0) <= 0 || letter == 'n') {
		close(fd);
		return true;
	}
	if (letter == 'b')
		block_the_loop();
	if (letter == 'w')
		give(fd);
	else if (letter == 'b' || letter == 'q')
		answer(fd, letter);
	else
		put((struct job){fd, letter});
	return letter != 'q';
}

static void serve(void)
{
	int listener = socket(AF_INET, SOCK_STREAM, 0), poll = epoll_create1(0), pair[2];
	struct epoll_event event = {.events = EPOLLIN, .data.fd = listener};
	pthread_t workers[NR_WORKERS];
	bool is_on = true;

	int yes = 1;
	char letter;

	sem_init(&is_held, 0, 0);
	want(setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)), "setsockopt");
	want(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), "socketpair");
	pid_t helper = fork();

	want(helper, "fork");
	if (!helper) {
		close(pair[0]);
		help(pair[1]);
	}
	close(pair[1]);
	to_helper = pair[0];
	want((int)recv(to_helper, &letter, 1, 0), "recv");
	want(bind(listener, (struct sockaddr *)&address, sizeof(address)), "bind");
	want(listen(listener, NR_CLIENTS), "listen");
	want(epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event), "epoll_ctl");
	for (unsigned i = 0; i < NR_WORKERS; i++)
		pthread_create(&workers[i], NULL, worker, NULL);
	while (is_on) {
		want(epoll_wait(poll, &event, 1, -1), "epoll_wait");
		if (event.data.fd == listener) {
			event.data.fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
			want(event.data.fd, "accept4");
			accepted_last = event.data.fd;
			want(epoll_ctl(poll, EPOLL_CTL_ADD, event.data.fd, &event), "epoll_ctl");
		} else {
			is_on = read_request(event.data.fd);
		}
	}
	for (unsigned i = 0; i < NR_WORKERS; i++)
		put((struct job){-1, 0});
	for (unsigned i = 0; i < NR_WORKERS; i++)
		pthread_join(workers[i], NULL);
	close(to_helper);
	waitpid(helper, NULL, 0);
}

/* ---- the clients ---- */

static int dial(void)
{
	for (unsigned i = 0; i < 1200; i++) {
		int fd = socket(AF_INET, SOCK_STREAM, 0);

		if (connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
			return fd;
		close(fd);
		usleep(50000);
	}
	die("connect");
	return -1;
}

NAMED void ask(int fd, char letter)
{
	want((int)send(fd, &letter, 1, MSG_NOSIGNAL), "ask");
	END_OF(ask);
}

static void hear(int fd)
{
	char letter;

	want((int)recv(fd, &letter, 1, 0), "recv");
}

static void ask_all(void)
{
	int a = dial(), b = dial();

	for (unsigned i = 0; i < 10; i++) {
		ask(a, 'f');
		hear(a);
	}
	ask(a, 'l');
	hear(a);
	ask(a, 'w');
	hear(a);
	ask(a, 'b');
	/* the server receives the request of connection b after it has answered connection a */
	ask(b, 'f');
	hear(a);
	hear(b);
	ask(b, 'n');
	hear(b);
	ask(a, 'q');
	hear(a);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	signal(SIGPIPE, SIG_IGN);
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	address.sin_port = htons((in_port_t)atoi(argv[2]));
	if (strcmp(argv[1], "serve") == 0)
		serve();
	else
		ask_all();
	return 0;
}
