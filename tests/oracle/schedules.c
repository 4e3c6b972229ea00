/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Three servers whose schedule depends on a seed, and whose requests do not: schedules.sh.
 *
 *	front SEED PROGRAM-OF-STORE PROGRAM-OF-LOOP     prints its port, serves until NR_CLIENTS have come and gone
 *
 * front starts the others: `store` has a thread for each connection, `loop` is an event loop that reads all queries
 * of a turn before it answers them. The main thread of front is an event loop that accepts. Its workers take the
 * requests from a queue. A helper takes parts of requests from a second queue, and the worker waits for it.
 *
 * A message has MESSAGE bytes. The first letter of a request is its kind (handle() and serve_client()). The kind alone
 * decides on the calls. Each function with the prefix do_ makes one call that has a symbol; schedules.py knows which of
 * these functions belong to which kind.
 *
 * noise() stands between all calls. No wrapper of the recorder sees its system calls.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MESSAGE 16
#define NR_CLIENTS 3
#define MOST_WORKERS 4

static void must(bool condition, const char *what)
{
	if (condition)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	_Exit(1);
}

/* ---- the schedule ---- */

static uint64_t seed;
static atomic_uint nr_threads;
static __thread uint64_t random_state;

static unsigned random_below(unsigned n)
{
	if (!random_state)
		random_state = (seed + 1) * 1000003 + atomic_fetch_add(&nr_threads, 1) * 7919;
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(random_state >> 33) % n;
}

/* Makes a system call that no wrapper can see. */
static void unseen(long nr, const void *a)
{
#if defined(__x86_64__)
	long rv;

	__asm__ volatile("syscall" : "=a"(rv) : "a"(nr), "D"(a), "S"(0L) : "rcx", "r11", "memory");
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = (long)a;
	register long x1 __asm__("x1") = 0;

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1) : "memory");
#else
	(void)nr, (void)a; /* computations remain as noise */
#endif
}

/* Lets other threads run, or not. Each seed has its own rate. */
static void noise(void)
{
	unsigned what = random_below(12 + (unsigned)(seed % 5) * 5);
	struct timespec t = {0, 1000 * (long)(1 + random_below(250))};

	if (what < 3)
		unseen(SYS_sched_yield, NULL);
	else if (what < 6)
		for (volatile unsigned i = random_below(8000); i > 0; i--)
			;
	else if (what < 7)
		unseen(SYS_nanosleep, &t);
}

/* Confines the process and its children to one CPU or two. */
static void choose_cpus(void)
{
	cpu_set_t have, chosen;
	unsigned left = 1 + (unsigned)(seed / 4 % 2);

	CPU_ZERO(&chosen);
	must(!sched_getaffinity(0, sizeof(have), &have), "sched_getaffinity");
	for (int i = 0; i < CPU_SETSIZE && left; i++) {
		if (CPU_ISSET(i, &have)) {
			CPU_SET(i, &chosen);
			left--;
		}
	}
	must(!sched_setaffinity(0, sizeof(chosen), &chosen), "sched_setaffinity");
}

/* ---- messages ---- */

static void receive(int fd, char *message)
{
	must(recv(fd, message, MESSAGE, MSG_WAITALL) == MESSAGE, "recv");
	noise();
}

static void transmit(int fd, const char *message)
{
	noise();
	must(send(fd, message, MESSAGE, MSG_NOSIGNAL) == MESSAGE, "send");
	noise();
}

static int listening(struct sockaddr_in *address)
{
	socklen_t bytes = sizeof(*address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	*address = (struct sockaddr_in){.sin_family = AF_INET,
	                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	must(fd >= 0 && !bind(fd, (struct sockaddr *)address, sizeof(*address)), "bind");
	must(!listen(fd, 64) && !getsockname(fd, (struct sockaddr *)address, &bytes), "listen");
	return fd;
}

static int connected(unsigned port)
{
	struct sockaddr_in a = {.sin_family = AF_INET,
	                        .sin_port = htons((uint16_t)port),
	                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	must(fd >= 0 && !connect(fd, (struct sockaddr *)&a, sizeof(a)), "connect");
	return fd;
}

static void watch(int epoll, int fd)
{
	struct epoll_event e = {.events = EPOLLIN, .data.fd = fd};

	must(!epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e), "epoll_ctl");
}

/* ---- the server `loop` ---- */

static pthread_mutex_t values = PTHREAD_MUTEX_INITIALIZER;

static void do_loop_look_up(void)
{
	noise();
	pthread_mutex_lock(&values);
	noise();
	pthread_mutex_unlock(&values);
}

static void do_loop_answer(int fd, const char *message)
{
	transmit(fd, message);
}

static bool do_loop_receive(int fd, char *message)
{
	ssize_t got = recv(fd, message, MESSAGE, 0);

	noise();
	must(got == 0 || got == MESSAGE, "recv");
	return got > 0;
}

/* Handles one turn. Returns the number of connections that have ended. */
static unsigned loop_turn(int epoll, int listener)
{
	struct epoll_event ready[16];
	char messages[16][MESSAGE];
	unsigned nr_ended = 0;
	int nr = epoll_wait(epoll, ready, 16, -1);

	must(nr > 0, "epoll_wait");
	noise();
	for (int i = 0; i < nr; i++) {
		int fd = ready[i].data.fd;

		ready[i].events = 0;
		if (fd == listener) {
			watch(epoll, accept(listener, NULL, NULL));
		} else if (do_loop_receive(fd, messages[i])) {
			do_loop_look_up();
			ready[i].events = EPOLLOUT;
		} else {
			close(fd);
			nr_ended++;
		}
	}
	for (int i = 0; i < nr; i++)
		if (ready[i].events)
			do_loop_answer(ready[i].data.fd, messages[i]);
	return nr_ended;
}

static int run_loop(int listener, unsigned nr_connections)
{
	int epoll = epoll_create1(0);

	watch(epoll, listener);
	while (nr_connections)
		nr_connections -= loop_turn(epoll, listener);
	return 0;
}

/* ---- the server `store` ---- */

struct store {
	pthread_t thread;
	int fd, loop;
};

static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;

static void do_store_look_up(void)
{
	noise();
	pthread_mutex_lock(&table);
	noise();
	pthread_mutex_unlock(&table);
}

static void do_store_ask_loop(int fd, char *message)
{
	transmit(fd, message);
	receive(fd, message);
}

static void do_store_answer(int fd, const char *message)
{
	transmit(fd, message);
}

static bool do_store_receive(int fd, char *message)
{
	ssize_t got = recv(fd, message, MESSAGE, MSG_WAITALL);

	noise();
	must(got == 0 || got == MESSAGE, "recv");
	return got > 0;
}

static void *store_serve(void *arg)
{
	struct store *s = arg;
	char message[MESSAGE];

	while (do_store_receive(s->fd, message)) {
		do_store_look_up();
		if (message[0] == 'd')
			do_store_ask_loop(s->loop, message);
		do_store_answer(s->fd, message);
	}
	close(s->fd);
	return NULL;
}

static int run_store(int listener, unsigned nr_connections, unsigned loop_port)
{
	struct store all[MOST_WORKERS];

	for (unsigned i = 0; i < nr_connections; i++) {
		all[i].loop = connected(loop_port);
		all[i].fd = accept(listener, NULL, NULL);
		must(all[i].fd >= 0, "accept");
		must(!pthread_create(&all[i].thread, NULL, store_serve, &all[i]), "pthread_create");
	}
	for (unsigned i = 0; i < nr_connections; i++)
		pthread_join(all[i].thread, NULL);
	return 0;
}

/* ---- front: the queues ---- */

/* A request in the queue of the workers, or a part of one in the helper's queue. */
struct item {
	struct item *next;
	char message[MESSAGE];
	int fd;
	pthread_mutex_t mutex; /* for is_done */
	pthread_cond_t done;
	bool is_done, is_end;
};

struct queue {
	pthread_mutex_t mutex;
	pthread_cond_t filled;
	struct item *first, *last;
};

#define EMPTY_QUEUE                                                                                \
	{                                                                                          \
		PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, NULL                    \
	}
static struct queue requests = EMPTY_QUEUE, parts = EMPTY_QUEUE;

/* Makes two calls with a symbol: the lock and the signal. */
static void do_put(struct queue *q, struct item *item)
{
	noise();
	pthread_mutex_lock(&q->mutex);
	noise();
	item->next = NULL;
	*(q->first ? &q->last->next : &q->first) = item;
	q->last = item;
	pthread_cond_signal(&q->filled);
	noise();
	pthread_mutex_unlock(&q->mutex);
	noise();
}

static struct item *do_take(struct queue *q)
{
	struct item *item;

	noise();
	pthread_mutex_lock(&q->mutex);
	noise();
	while (!q->first)
		pthread_cond_wait(&q->filled, &q->mutex);
	noise();
	item = q->first;
	q->first = item->next;
	pthread_mutex_unlock(&q->mutex);
	noise();
	return item;
}

/* ---- front: the helper ---- */

static pthread_mutex_t helped = PTHREAD_MUTEX_INITIALIZER;

static void do_help(void)
{
	noise();
	pthread_mutex_lock(&helped);
	noise();
	pthread_mutex_unlock(&helped);
}

/* Makes two calls with a symbol: the lock and the signal. */
static void do_report(struct item *item)
{
	noise();
	pthread_mutex_lock(&item->mutex);
	noise();
	item->is_done = true;
	pthread_cond_signal(&item->done);
	noise();
	pthread_mutex_unlock(&item->mutex);
}

static void *help(void *arg)
{
	for (struct item *item; !(item = do_take(&parts))->is_end;) {
		do_help();
		do_report(item);
	}
	return arg;
}

/* ---- front: the workers ---- */

struct worker {
	pthread_t thread;
	int store, loop;
	struct item part; /* for the helper */
};

static pthread_mutex_t counted = PTHREAD_MUTEX_INITIALIZER, logged = PTHREAD_MUTEX_INITIALIZER,
		       threaded = PTHREAD_MUTEX_INITIALIZER;
static int file = -1;

static void do_count(void)
{
	noise();
	pthread_mutex_lock(&counted);
	noise();
	pthread_mutex_unlock(&counted);
}

static void do_ask_store(int fd, char *message)
{
	transmit(fd, message);
	receive(fd, message);
}

static void do_ask_loop(int fd, char *message)
{
	transmit(fd, message);
	receive(fd, message);
}

static void do_await(struct item *item)
{
	noise();
	pthread_mutex_lock(&item->mutex);
	noise();
	while (!item->is_done)
		pthread_cond_wait(&item->done, &item->mutex);
	item->is_done = false;
	noise();
	pthread_mutex_unlock(&item->mutex);
}

static void ask_helper(struct worker *w)
{
	do_put(&parts, &w->part);
	do_await(&w->part);
}

static void do_threaded(void)
{
	noise();
	pthread_mutex_lock(&threaded);
	noise();
	pthread_mutex_unlock(&threaded);
}

static void do_ask_store_in_thread(int fd, char *message)
{
	transmit(fd, message);
	receive(fd, message);
}

static void *work_in_thread(void *arg)
{
	struct worker *w = arg;
	char message[MESSAGE] = "s from a thread";

	do_threaded();
	do_ask_store_in_thread(w->store, message);
	return NULL;
}

static void do_create(struct worker *w, pthread_t *thread)
{
	noise();
	must(!pthread_create(thread, NULL, work_in_thread, w), "pthread_create");
}

static void do_join(pthread_t thread)
{
	noise();
	pthread_join(thread, NULL);
	noise();
}

static void use_thread(struct worker *w)
{
	pthread_t thread;

	do_create(w, &thread);
	do_join(thread);
}

static void do_read_file(void)
{
	char bytes[8];

	noise();
	must(pread(file, bytes, sizeof(bytes), 0) == sizeof(bytes), "pread");
	noise();
}

static void do_sleep(void)
{
	usleep(100);
}

static void do_answer(int fd, const char *message)
{
	transmit(fd, message);
}

static void do_log_lock(void)
{
	noise();
	pthread_mutex_lock(&logged);
	noise();
}

static void do_log_write(const char *message)
{
	must(write(file, message, MESSAGE) == MESSAGE, "write");
	noise();
}

static void handle(struct worker *w, struct item *item)
{
	char *message = item->message;

	switch (message[0]) {
	case 'c': /* count */
		do_count();
		break;
	case 's': /* store */
	case 'd': /* deep: store asks loop */
		do_ask_store(w->store, message);
		break;
	case 'h': /* helper */
		ask_helper(w);
		break;
	case 't': /* thread */
		use_thread(w);
		break;
	case 'l': /* loop */
		do_ask_loop(w->loop, message);
		break;
	case 'm': /* mixed */
		do_read_file();
		do_ask_loop(w->loop, message);
		ask_helper(w);
		do_sleep();
		do_ask_store(w->store, message);
		break;
	default:
		must(false, message);
	}
	do_answer(item->fd, message);
	/* the client may have sent its next request by now */
	do_log_lock();
	do_log_write(message);
	pthread_mutex_unlock(&logged);
	noise();
}

static void *work(void *arg)
{
	for (struct item *item; !(item = do_take(&requests))->is_end; free(item))
		handle(arg, item);
	return NULL;
}

/* ---- front: the event loop ---- */

struct client {
	int fd, loop; /* loop: for the requests that the event loop passes on itself */
};

static void enqueue(int fd, const char *message)
{
	struct item *item = calloc(1, sizeof(*item));

	must(item, "calloc");
	memcpy(item->message, message, MESSAGE);
	item->fd = fd;
	do_put(&requests, item);
}

static void do_pass_on(int fd, const char *message)
{
	transmit(fd, message);
}

static bool do_receive(int fd, char *message)
{
	ssize_t got = recv(fd, message, MESSAGE, 0);

	noise();
	must(got == 0 || got == MESSAGE, "recv");
	return got > 0;
}

/* Returns false at the end of the connection. */
static bool serve_client(struct client *c)
{
	char message[MESSAGE];

	if (!do_receive(c->fd, message)) {
		close(c->fd);
		return false;
	}
	if (message[0] == 'p') /* pass on */
		do_pass_on(c->loop, message);
	else
		enqueue(c->fd, message);
	return true;
}

static void do_receive_reply(int fd, char *message)
{
	receive(fd, message);
}

static void do_answer_passed(int fd, const char *message)
{
	transmit(fd, message);
}

static void pass_back(struct client *c)
{
	char message[MESSAGE];

	do_receive_reply(c->loop, message);
	do_answer_passed(c->fd, message);
}

/* Accepts the clients and serves them until all have closed their connections. */
static void serve(int listener, struct client *clients)
{
	int epoll = epoll_create1(0);
	unsigned nr_accepted = 0, nr_left = NR_CLIENTS;

	watch(epoll, listener);
	for (unsigned i = 0; i < NR_CLIENTS; i++)
		watch(epoll, clients[i].loop);
	while (nr_left) {
		struct epoll_event ready[16];
		int nr = epoll_wait(epoll, ready, 16, -1);

		must(nr > 0, "epoll_wait");
		noise();
		for (int k = 0; k < nr; k++) {
			int fd = ready[k].data.fd;

			if (fd == listener) {
				clients[nr_accepted].fd = accept(listener, NULL, NULL);
				watch(epoll, clients[nr_accepted++].fd);
			}
			for (unsigned i = 0; i < NR_CLIENTS; i++) {
				if (fd == clients[i].loop)
					pass_back(&clients[i]);
				else if (fd != listener && fd == clients[i].fd &&
				         !serve_client(&clients[i])) {
					clients[i].fd = -1;
					nr_left--;
				}
			}
		}
	}
}

/* ---- front: begin and end ---- */

/* Starts PROGRAM as ROLE with LISTENER. */
static void start(const char *program, const char *role, int listener, unsigned nr_connections,
                  unsigned loop_port)
{
	char numbers[4][24];
	pid_t pid;

	snprintf(numbers[0], sizeof(numbers[0]), "%llu", (unsigned long long)seed);
	snprintf(numbers[1], sizeof(numbers[1]), "%d", listener);
	snprintf(numbers[2], sizeof(numbers[2]), "%u", nr_connections);
	snprintf(numbers[3], sizeof(numbers[3]), "%u", loop_port);
	pid = fork();
	must(pid >= 0, "fork");
	if (!pid) {
		fcntl(listener, F_SETFD, 0);
		execl(program, program, role, numbers[0], numbers[1], numbers[2], numbers[3], NULL);
		_exit(127);
	}
	close(listener);
}

static void run_workers(int listener, unsigned nr_workers, const unsigned *ports)
{
	struct worker workers[MOST_WORKERS];
	struct client clients[NR_CLIENTS];
	struct item ends[MOST_WORKERS + 1];
	pthread_t helper;

	memset(ends, 0, sizeof(ends));
	for (unsigned i = 0; i < NR_CLIENTS; i++)
		clients[i] = (struct client){-1, connected(ports[1])};
	must(!pthread_create(&helper, NULL, help, NULL), "pthread_create");
	for (unsigned i = 0; i < nr_workers; i++) {
		workers[i] = (struct worker){.store = connected(ports[0]),
		                             .loop = connected(ports[1]),
		                             .part = {.mutex = PTHREAD_MUTEX_INITIALIZER,
		                                      .done = PTHREAD_COND_INITIALIZER}};
		must(!pthread_create(&workers[i].thread, NULL, work, &workers[i]),
		     "pthread_create");
	}
	serve(listener, clients);
	for (unsigned i = 0; i <= nr_workers; i++) {
		ends[i].is_end = true;
		do_put(i < nr_workers ? &requests : &parts, &ends[i]);
	}
	pthread_join(helper, NULL);
	for (unsigned i = 0; i < nr_workers; i++) {
		pthread_join(workers[i].thread, NULL);
		close(workers[i].store);
		close(workers[i].loop);
	}
	for (unsigned i = 0; i < NR_CLIENTS; i++)
		close(clients[i].loop);
}

static int run_front(const char *store, const char *loop)
{
	unsigned nr_workers = 1 + (unsigned)(seed % MOST_WORKERS), ports[2];
	struct sockaddr_in a;
	int status, worst = 0, fds[2], listener;
	FILE *f = tmpfile();

	must(f != NULL, "tmpfile");
	choose_cpus();
	file = fileno(f);
	must(!fcntl(file, F_SETFD, FD_CLOEXEC) &&
	             write(file, "0123456789abcdef", MESSAGE) == MESSAGE,
	     "write");
	for (unsigned i = 0; i < 2; i++) {
		fds[i] = listening(&a);
		ports[i] = ntohs(a.sin_port);
	}
	start(loop, "loop", fds[1], 2 * nr_workers + NR_CLIENTS, 0);
	start(store, "store", fds[0], nr_workers, ports[1]);
	listener = listening(&a);
	printf("%u\n", ntohs(a.sin_port));
	fflush(stdout);
	run_workers(listener, nr_workers, ports);
	while (wait(&status) > 0)
		worst |= status;
	return worst != 0;
}

int main(int argc, char **argv)
{
	if (argc == 4) {
		seed = strtoull(argv[1], NULL, 10);
		return run_front(argv[2], argv[3]);
	}
	must(argc == 6, "front SEED STORE LOOP");
	seed = strtoull(argv[2], NULL, 10);
	if (!strcmp(argv[1], "loop"))
		return run_loop(atoi(argv[3]), (unsigned)atoi(argv[4]));
	return run_store(atoi(argv[3]), (unsigned)atoi(argv[4]), (unsigned)atoi(argv[5]));
}
