/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * diseases NAME sick|healthy: a program with one disease, or the same work without it. Each runs for less than a second.
 */
#define _GNU_SOURCE /* CPU_SET */
#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
#define MOST 16

static bool is_sick;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t items = PTHREAD_COND_INITIALIZER, places = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t slots;
static int nr, front[2], back[2], posts;
static bool is_done;

/* Runs NR_THREADS threads; thread number N gets the argument N. */
static void run(void *(*start)(void *), long nr_threads)
{
	pthread_t threads[MOST];

	for (long i = 0; i < nr_threads; i++)
		pthread_create(&threads[i], NULL, start, (void *)i);
	for (long i = 0; i < nr_threads; i++)
		pthread_join(threads[i], NULL);
}

static void in(int fd, void *to, size_t bytes)
{
	for (char *at = to; bytes;) {
		ssize_t got = read(fd, at, bytes);

		if (got <= 0)
			pthread_exit(NULL);
		at += got;
		bytes -= (size_t)got;
	}
}

static void out(int fd, const void *from, size_t bytes)
{
	if (write(fd, from, bytes) != (ssize_t)bytes)
		abort();
}

/* ---- late: one thread has more work between two barriers ---- */

NOINLINE static void compute(long number)
{
	usleep(is_sick && number == 2 ? 8000 : 2000);
}

static void *step(void *number)
{
	for (int i = 0; i < 20; i++) {
		compute((long)number);
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

static void late(void)
{
	pthread_barrier_init(&barrier, NULL, 4);
	run(step, 4);
}

/* ---- limit: a semaphore lets few threads in ---- */

NOINLINE static void query(void)
{
	sem_wait(&slots);
	usleep(3000);
	sem_post(&slots);
}

static void *ask(void *nothing)
{
	for (int i = 0; i < 12; i++)
		query();
	return nothing;
}

static void limit(void)
{
	sem_init(&slots, 0, is_sick ? 2 : 8);
	run(ask, 8);
}

/* ---- pool: the workers cannot keep up with the tasks; useless: signals wake a thread without work ---- */

NOINLINE static void handle(void)
{
	usleep(5000);
}

static void *work(void *nothing)
{
	for (;;) {
		pthread_mutex_lock(&mutex);
		while (!nr && !is_done)
			pthread_cond_wait(&items, &mutex);
		if (!nr)
			break;
		nr--;
		pthread_mutex_unlock(&mutex);
		handle();
	}
	pthread_mutex_unlock(&mutex);
	return nothing;
}

NOINLINE static void submit(void)
{
	pthread_mutex_lock(&mutex);
	nr++;
	pthread_cond_signal(&items);
	pthread_mutex_unlock(&mutex);
}

static void end_of_work(void)
{
	pthread_mutex_lock(&mutex);
	is_done = true;
	pthread_cond_broadcast(&items);
	pthread_mutex_unlock(&mutex);
}

static void pool(void)
{
	pthread_t workers[12];
	int nr_workers = is_sick ? 2 : 12;

	for (int i = 0; i < nr_workers; i++)
		pthread_create(&workers[i], NULL, work, NULL);
	for (int i = 0; i < 100; i++) {
		submit();
		usleep(1000);
	}
	end_of_work();
	for (int i = 0; i < nr_workers; i++)
		pthread_join(workers[i], NULL);
}

static void *flush(void *nothing)
{
	pthread_mutex_lock(&mutex);
	for (;;) {
		while (nr < 20 && !is_done)
			pthread_cond_wait(&items, &mutex);
		if (is_done)
			break;
		nr = 0;
		pthread_mutex_unlock(&mutex);
		usleep(500);
		pthread_mutex_lock(&mutex);
	}
	pthread_mutex_unlock(&mutex);
	return nothing;
}

NOINLINE static void add(void)
{
	pthread_mutex_lock(&mutex);
	nr++;
	if (is_sick || nr >= 20)
		pthread_cond_signal(&items);
	pthread_mutex_unlock(&mutex);
}

static void useless(void)
{
	pthread_t flusher;

	pthread_create(&flusher, NULL, flush, NULL);
	for (int i = 0; i < 400; i++) {
		add();
		usleep(500);
	}
	end_of_work();
	pthread_join(flusher, NULL);
}

/* ---- missed: a thread waits without a look at the condition ---- */

NOINLINE static void wait_for_item(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 30000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&mutex);
	while (is_sick || (!nr && !is_done))
		if (pthread_cond_timedwait(&items, &mutex, &until) || is_sick)
			break;
	pthread_mutex_unlock(&mutex);
}

static void *consume(void *nothing)
{
	while (!is_done) {
		wait_for_item();
		pthread_mutex_lock(&mutex);
		int taken = nr;

		nr = 0;
		pthread_mutex_unlock(&mutex);
		while (taken--)
			usleep(10000);
	}
	return nothing;
}

static void missed(void)
{
	pthread_t consumer;

	pthread_create(&consumer, NULL, consume, NULL);
	usleep(2000);
	for (int i = 0; i < 10; i++) {
		submit();
		usleep(1000);
		submit();
		usleep(60000); /* longer than the work and a wait that times out */
	}
	end_of_work();
	pthread_join(consumer, NULL);
}

/* ---- housekeeper: a thread announces that it is idle, and waits for work or for its next round. In the sick form,
 * another thread announces work just before the wait. ---- */

static void *announce(void *nothing)
{
	pthread_cond_broadcast(&items);
	return nothing;
}

static void *keep_house(void *nothing)
{
	struct timespec until;

	for (int i = 0; i < 10; i++) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 30000000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_mutex_lock(&mutex);
		if (is_sick)
			run(announce, 1);
		else
			announce(NULL);
		pthread_cond_timedwait(&items, &mutex, &until);
		pthread_mutex_unlock(&mutex);
		usleep(1000);
	}
	return nothing;
}

static void housekeeper(void)
{
	run(keep_house, 1);
}

/* ---- channel: a thread sends the messages of other threads, and receives the answers. In the sick form, it writes the
 * messages of one request itself, each after the answer to the last one. ---- */

#define MESSAGES 10

NOINLINE static void send_message(void)
{
	out(back[0], "message", 1);
}

NOINLINE static void send_end(void)
{
	out(back[0], "end", 1);
}

static void *carry(void *nothing)
{
	struct pollfd answer = {.fd = back[0], .events = POLLIN};
	uint64_t posted = 0;

	for (int n = 0; n < 10 * MESSAGES; n++) {
		if (!is_sick || n % MESSAGES == 0)
			in(posts, &posted, sizeof(posted));
		if (n % MESSAGES == MESSAGES - 1)
			send_end();
		else
			send_message();
		poll(&answer, 1, -1);
		in(back[0], &(char){0}, 1);
	}
	return nothing;
}

static void *answer_messages(void *nothing)
{
	char byte;

	for (int n = 0; n < 10 * MESSAGES; n++) {
		in(back[1], &byte, 1);
		usleep(2000);
		out(back[1], &byte, 1);
	}
	return nothing;
}

static void channel(void)
{
	pthread_t threads[2];

	posts = eventfd(0, EFD_SEMAPHORE);
	socketpair(AF_UNIX, SOCK_STREAM, 0, back);
	pthread_create(&threads[0], NULL, carry, NULL);
	pthread_create(&threads[1], NULL, answer_messages, NULL);
	for (int i = 0; i < (is_sick ? 10 : 10 * MESSAGES); i++) {
		out(posts, &(uint64_t){1}, sizeof(uint64_t));
		usleep(is_sick ? 30000 : 3000);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

/* ---- starve: readers leave no gap for a writer ---- */

static void *look_up(void *number)
{
	usleep((useconds_t)(700 * (long)number));
	for (int i = 0; i < 100 && !is_done; i++) {
		pthread_rwlock_rdlock(&rwlock);
		usleep(is_sick ? 1500 + 700 * (useconds_t)(long)number : 100); /* never all at once */
		pthread_rwlock_unlock(&rwlock);
		usleep(is_sick ? 50 : 10000);
	}
	return NULL;
}

NOINLINE static void reload(void)
{
	pthread_rwlock_wrlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
}

static void *renew(void *nothing)
{
	for (int i = 0; i < 10; i++) {
		usleep(2000);
		reload();
	}
	is_done = true;
	return nothing;
}

static void starve(void)
{
	pthread_t writer;

	pthread_create(&writer, NULL, renew, NULL);
	run(look_up, 4);
	pthread_join(writer, NULL);
}

/* ---- scarce: four threads with short critical sections share one CPU, so a woken thread waits for its turn ---- */

/* Uses a CPU for US microseconds of this thread's own time. */
NOINLINE static void burn(long us)
{
	struct timespec from, now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while ((now.tv_sec - from.tv_sec) * 1000000 + (now.tv_nsec - from.tv_nsec) / 1000 < us);
}

static void *compute_and_add(void *nothing)
{
	for (int i = 0; i < 80; i++) {
		burn(1000);
		pthread_mutex_lock(&mutex);
		burn(200);
		pthread_mutex_unlock(&mutex);
	}
	return nothing;
}

/* Lets this thread, and all threads that it creates, share one CPU. */
static void share_cpu(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
}

static void scarce(void)
{
	share_cpu();
	run(compute_and_add, 4);
}

/* ---- polling: a thread looks for work after each sleep ---- */

NOINLINE static bool take(void)
{
	bool has_taken;

	pthread_mutex_lock(&mutex);
	while (!is_sick && !nr && !is_done)
		pthread_cond_wait(&items, &mutex);
	has_taken = nr > 0;
	nr -= has_taken;
	pthread_mutex_unlock(&mutex);
	return has_taken;
}

static void *poll_for_work(void *nothing)
{
	while (!is_done) {
		while (!take() && !is_done)
			usleep(1000);
		write(STDOUT_FILENO, "", 0);
	}
	return nothing;
}

static void polling(void)
{
	pthread_t consumer;

	pthread_create(&consumer, NULL, poll_for_work, NULL);
	for (int i = 0; i < 20; i++) {
		submit();
		usleep(15000);
	}
	end_of_work();
	pthread_join(consumer, NULL);
}

/* ---- ready: a readiness call reports that a socket can send, although there is no data to send ---- */

static void *trickle(void *nothing)
{
	char byte = 0;

	for (int i = 0; i < 10; i++) {
		usleep(5000);
		out(front[1], &byte, 1);
	}
	close(front[1]);
	return nothing;
}

static void ready(void)
{
	struct epoll_event event = {.events = EPOLLIN | (is_sick ? EPOLLOUT : 0)};
	int set = epoll_create1(0);
	pthread_t sender;
	char byte = 1;

	socketpair(AF_UNIX, SOCK_STREAM, 0, front);
	epoll_ctl(set, EPOLL_CTL_ADD, front[0], &event);
	pthread_create(&sender, NULL, trickle, NULL);
	while (epoll_wait(set, &event, 1, -1) == 1)
		if (event.events & EPOLLIN && read(front[0], &byte, 1) <= 0)
			break;
	pthread_join(sender, NULL);
}

/* ---- reports: one thread answers the questions of four clients. In the sick form, it also writes the reports that the
 * first client wants; otherwise, another thread writes them. ---- */

#define CLIENTS 4
#define QUESTIONS 150

static int asks[CLIENTS][2], desk[2];

static void *ask_desk(void *number)
{
	char question = 'q';

	for (int i = 0; i < ((long)number ? QUESTIONS : QUESTIONS / 10); i++) {
		question = (long)number ? 'q' : 'r';
		out(asks[(long)number][1], &question, 1);
		in(asks[(long)number][1], &question, 1);
		usleep((long)number ? 300 : 3000);
	}
	close(asks[(long)number][1]);
	return NULL;
}

NOINLINE static void write_report(int client)
{
	usleep(8000);
	out(client, "a", 1);
}

static void *write_reports(void *nothing)
{
	int client;

	while (read(desk[0], &client, sizeof(client)) == sizeof(client))
		write_report(client);
	return nothing;
}

static void *answer_questions(void *nothing)
{
	struct pollfd fds[CLIENTS];
	char question;

	for (int i = 0; i < CLIENTS; i++)
		fds[i] = (struct pollfd){.fd = asks[i][0], .events = POLLIN};
	for (int open = CLIENTS; open;) {
		poll(fds, CLIENTS, -1);
		for (int i = 0; i < CLIENTS; i++) {
			if (fds[i].fd < 0 || !fds[i].revents)
				continue;
			if (read(fds[i].fd, &question, 1) != 1) {
				fds[i].fd = -1;
				open--;
			} else if (question == 'q') {
				out(fds[i].fd, "a", 1);
			} else if (is_sick) {
				write_report(fds[i].fd);
			} else {
				out(desk[1], &fds[i].fd, sizeof(fds[i].fd));
			}
		}
	}
	close(desk[1]);
	return nothing;
}

static void reports(void)
{
	pthread_t loop, writer;

	pipe(desk);
	for (int i = 0; i < CLIENTS; i++)
		socketpair(AF_UNIX, SOCK_STREAM, 0, asks[i]);
	pthread_create(&loop, NULL, answer_questions, NULL);
	pthread_create(&writer, NULL, write_reports, NULL);
	run(ask_desk, CLIENTS);
	pthread_join(loop, NULL);
	pthread_join(writer, NULL);
}

/* ---- consumer: the consumer of a bounded queue is slow ---- */

NOINLINE static void store(void)
{
	usleep(is_sick ? 4000 : 200);
}

static void *drain(void *nothing)
{
	for (int i = 0; i < 60; i++) {
		pthread_mutex_lock(&mutex);
		while (!nr)
			pthread_cond_wait(&items, &mutex);
		nr--;
		pthread_cond_signal(&places);
		pthread_mutex_unlock(&mutex);
		store();
	}
	return nothing;
}

NOINLINE static void put(void)
{
	pthread_mutex_lock(&mutex);
	while (nr == 4)
		pthread_cond_wait(&places, &mutex);
	nr++;
	pthread_cond_signal(&items);
	pthread_mutex_unlock(&mutex);
}

static void consumer(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, drain, NULL);
	for (int i = 0; i < 60; i++) {
		usleep(1000);
		put();
	}
	pthread_join(thread, NULL);
}

/* ---- stages: the two stages of a pipeline share one CPU. Each stage waits for the other, and another consumer would not
 * help. ---- */

static void *second_stage(void *nothing)
{
	for (int i = 0; i < 60; i++) {
		pthread_mutex_lock(&mutex);
		while (!nr)
			pthread_cond_wait(&items, &mutex);
		nr--;
		pthread_cond_signal(&places);
		pthread_mutex_unlock(&mutex);
		burn(2000);
	}
	return nothing;
}

static void *other_work(void *nothing)
{
	burn(120000);
	return nothing;
}

static void stages(void)
{
	pthread_t second, other[2];

	share_cpu();
	pthread_create(&second, NULL, second_stage, NULL);
	for (int i = 0; i < 2; i++)
		pthread_create(&other[i], NULL, other_work, NULL);
	for (int i = 0; i < 60; i++) {
		burn(400);
		put();
	}
	for (int i = 0; i < 2; i++)
		pthread_join(other[i], NULL);
	pthread_join(second, NULL);
}

/* ---- queries: a server asks its database for each row; window: a sender waits for each acknowledgement ----
 * */

static void *database(void *nothing)
{
	char rows[50] = "", row;

	for (;;) {
		in(back[1], &row, 1);
		out(back[1], rows, row ? sizeof(rows) : 1);
	}
	return nothing;
}

NOINLINE static void get_row(char how_many)
{
	char rows[50];

	out(back[0], &how_many, 1);
	in(back[0], rows, how_many ? sizeof(rows) : 1);
}

static void *serve(void *nothing)
{
	char request;

	for (;;) {
		in(front[1], &request, 1);
		if (is_sick)
			for (int i = 0; i < 50; i++)
				get_row(0);
		else
			get_row(1);
		out(front[1], &request, 1);
	}
	return nothing;
}

static void queries(void)
{
	pthread_t threads[2];
	char byte = 0;

	socketpair(AF_UNIX, SOCK_STREAM, 0, front);
	socketpair(AF_UNIX, SOCK_STREAM, 0, back);
	pthread_create(&threads[0], NULL, database, NULL);
	pthread_create(&threads[1], NULL, serve, NULL);
	for (int i = 0; i < 20; i++) {
		out(front[0], &byte, 1);
		in(front[0], &byte, 1);
		usleep(500);
	}
	shutdown(front[0], SHUT_WR);
	pthread_join(threads[1], NULL);
	shutdown(back[0], SHUT_WR);
	pthread_join(threads[0], NULL);
}

static void *receive(void *nothing)
{
	char block[1024];

	for (int i = 1;; i++) {
		in(back[1], block, sizeof(block));
		if (i % (is_sick ? 1 : 4))
			continue;
		usleep(2000);
		out(back[1], block, 1);
	}
	return nothing;
}

NOINLINE static void send_block(int number)
{
	char block[1024] = "";

	out(back[0], block, sizeof(block));
	if (number % (is_sick ? 1 : 4) == 0)
		in(back[0], block, 1);
}

static void window(void)
{
	pthread_t receiver;

	socketpair(AF_UNIX, SOCK_STREAM, 0, back);
	pthread_create(&receiver, NULL, receive, NULL);
	for (int i = 1; i <= 128; i++) {
		usleep(100);
		send_block(i);
	}
	shutdown(back[0], SHUT_WR);
	pthread_join(receiver, NULL);
}

/* ---- threads: a thread for each task; connections: a connection for each request ---- */

static void *task(void *nothing)
{
	return nothing;
}

NOINLINE static void dispatch(void)
{
	if (is_sick)
		run(task, 1);
	else
		task(NULL);
}

static void threads(void)
{
	for (int i = 0; i < 100; i++)
		dispatch();
}

static void *accept_all(void *listener)
{
	char byte;

	for (int i = 0; i < (is_sick ? 60 : 1); i++) {
		int fd = accept((int)(long)listener, NULL, NULL);

		while (read(fd, &byte, 1) == 1)
			out(fd, &byte, 1);
		close(fd);
	}
	return NULL;
}

NOINLINE static int dial(const struct sockaddr_in *to)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (connect(fd, (const struct sockaddr *)to, sizeof(*to)))
		abort();
	return fd;
}

static void connections(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
	                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int listener = socket(AF_INET, SOCK_STREAM, 0), fd = -1;
	socklen_t bytes = sizeof(address);
	pthread_t server;
	char byte = 0;

	bind(listener, (struct sockaddr *)&address, bytes);
	listen(listener, 8);
	getsockname(listener, (struct sockaddr *)&address, &bytes);
	pthread_create(&server, NULL, accept_all, (void *)(long)listener);
	for (int i = 0; i < 60; i++) {
		if (fd < 0)
			fd = dial(&address);
		out(fd, &byte, 1);
		in(fd, &byte, 1);
		if (is_sick) {
			close(fd);
			fd = -1;
		}
	}
	if (fd >= 0)
		close(fd);
	pthread_join(server, NULL);
}

/* ---- held: a thread holds a lock while it waits for a slow peer ---- */

static void *answer_slowly(void *nothing)
{
	char byte;

	for (;;) {
		in(back[1], &byte, 1);
		usleep(2000);
		out(back[1], &byte, 1);
	}
	return nothing;
}

NOINLINE static void fetch(void)
{
	char byte = 0;

	out(back[0], &byte, 1);
	in(back[0], &byte, 1);
}

NOINLINE static void refresh(void)
{
	if (!is_sick)
		fetch();
	pthread_mutex_lock(&mutex);
	if (is_sick)
		fetch();
	nr++;
	pthread_mutex_unlock(&mutex);
}

NOINLINE static void use(void)
{
	pthread_mutex_lock(&mutex);
	nr++;
	pthread_mutex_unlock(&mutex);
}

static void *share(void *number)
{
	for (int i = 0; i < 40; i++) {
		if (number)
			use();
		else
			refresh();
		usleep(500);
	}
	return NULL;
}

static void held(void)
{
	pthread_t peer;

	socketpair(AF_UNIX, SOCK_STREAM, 0, back);
	pthread_create(&peer, NULL, answer_slowly, NULL);
	run(share, 3);
	shutdown(back[0], SHUT_WR);
	pthread_join(peer, NULL);
}

/* ---- batches: a broadcast for each batch of short tasks wakes many threads, or a small pool ---- */

static int nr_waiting, nr_woken;

static void *take_batch(void *nothing)
{
	pthread_mutex_lock(&mutex);
	while (!is_done) {
		nr_waiting++;
		while (!nr && !is_done) {
			pthread_cond_wait(&items, &mutex);
			nr_woken++;
		}
		nr_waiting--;
		nr = 0;
	}
	pthread_mutex_unlock(&mutex);
	return nothing;
}

NOINLINE static void submit_batch(void)
{
	pthread_mutex_lock(&mutex);
	nr = 2;
	pthread_cond_broadcast(&items);
	pthread_mutex_unlock(&mutex);
}

static void batches(void)
{
	pthread_t workers[8];
	int nr_workers = is_sick ? 8 : 3;

	for (int i = 0; i < nr_workers; i++)
		pthread_create(&workers[i], NULL, take_batch, NULL);
	for (int i = 0; i < 60; i++) {
		usleep(3000);
		submit_batch();
	}
	usleep(3000);
	end_of_work();
	for (int i = 0; i < nr_workers; i++)
		pthread_join(workers[i], NULL);
}

/* ---- pressure: a bounded queue with one slow consumer, or with more consumers than producers ---- */

static void *drain_slowly(void *nothing)
{
	for (;;) {
		pthread_mutex_lock(&mutex);
		while (!nr && !is_done)
			pthread_cond_wait(&items, &mutex);
		if (!nr)
			break;
		nr--;
		pthread_cond_signal(&places);
		pthread_mutex_unlock(&mutex);
		usleep(4000);
	}
	pthread_mutex_unlock(&mutex);
	return nothing;
}

static void pressure(void)
{
	pthread_t consumers[3];
	int nr_consumers = is_sick ? 1 : 3;

	for (int i = 0; i < nr_consumers; i++)
		pthread_create(&consumers[i], NULL, drain_slowly, NULL);
	for (int i = 0; i < 90; i++)
		put();
	end_of_work();
	for (int i = 0; i < nr_consumers; i++)
		pthread_join(consumers[i], NULL);
}

/* ---- requests: each request has its own condition variable, which is signalled before the wait ---- */

struct request {
	pthread_mutex_t mutex;
	pthread_cond_t answered;
	bool is_answered;
};

static int asked[2];

static void *answer_all(void *nothing)
{
	for (;;) {
		struct request *r;

		in(asked[0], &r, sizeof(r));
		pthread_mutex_lock(&r->mutex);
		r->is_answered = true;
		pthread_cond_signal(&r->answered);
		pthread_mutex_unlock(&r->mutex);
	}
	return nothing;
}

NOINLINE static void wait_for_answer(struct request *r)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 10000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&r->mutex);
	if (is_sick)
		pthread_cond_timedwait(&r->answered, &r->mutex, &until);
	while (!is_sick && !r->is_answered)
		if (pthread_cond_timedwait(&r->answered, &r->mutex, &until))
			break;
	pthread_mutex_unlock(&r->mutex);
}

static void requests(void)
{
	pthread_t server;

	if (pipe(asked))
		abort();
	pthread_create(&server, NULL, answer_all, NULL);
	for (int i = 0; i < 60; i++) {
		struct request *r = malloc(sizeof(*r));

		pthread_mutex_init(&r->mutex, NULL);
		pthread_cond_init(&r->answered, NULL);
		r->is_answered = false;
		out(asked[1], &r, sizeof(r));
		if (i % 3)
			usleep(2000);
		wait_for_answer(r);
		pthread_mutex_lock(&r->mutex);
		pthread_mutex_unlock(&r->mutex);
		pthread_cond_destroy(&r->answered);
		pthread_mutex_destroy(&r->mutex);
		free(r);
	}
	close(asked[1]);
	pthread_join(server, NULL);
}

/* ---- backlog: connections wait until the one accepting thread has served the last client ---- */

static struct sockaddr_in address;
static int listener;

NOINLINE static void serve_client(int fd)
{
	char byte;

	in(fd, &byte, 1);
	usleep(8000);
	out(fd, &byte, 1);
}

static void *serve_clients(void *nothing)
{
	int fd;

	while ((fd = accept(listener, NULL, NULL)) >= 0) {
		serve_client(fd);
		close(fd);
	}
	return nothing;
}

static void *visit(void *nothing)
{
	char byte = 0;

	for (int i = 0; i < 6; i++) {
		int fd = dial(&address);

		out(fd, &byte, 1);
		in(fd, &byte, 1);
		close(fd);
		usleep(1000);
	}
	return nothing;
}

static void backlog(void)
{
	socklen_t bytes = sizeof(address);
	pthread_t servers[3];
	int nr_servers = is_sick ? 1 : 3;

	address = (struct sockaddr_in){.sin_family = AF_INET,
	                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	listener = socket(AF_INET, SOCK_STREAM, 0);
	bind(listener, (struct sockaddr *)&address, bytes);
	listen(listener, 8);
	getsockname(listener, (struct sockaddr *)&address, &bytes);
	for (int i = 0; i < nr_servers; i++)
		pthread_create(&servers[i], NULL, serve_clients, NULL);
	run(visit, 3);
	shutdown(listener, SHUT_RDWR);
	for (int i = 0; i < nr_servers; i++)
		pthread_join(servers[i], NULL);
}

/* ---- bytes: a thread reads a stream byte by byte, or a message of one byte for each answer ---- */

NOINLINE static void read_line(void)
{
	char byte = 0;

	while (byte != '\n')
		in(back[1], &byte, 1);
}

static void *read_lines(void *nothing)
{
	char block[4096];

	for (;;) {
		if (is_sick)
			read_line();
		else
			in(back[1], block, sizeof(block));
	}
	return nothing;
}

static void *echo(void *nothing)
{
	char byte;

	for (;;) {
		in(front[1], &byte, 1);
		out(front[1], &byte, 1);
	}
	return nothing;
}

static void bytes(void)
{
	pthread_t threads[2];
	char block[4096], byte = 0;

	socketpair(AF_UNIX, SOCK_STREAM, 0, front);
	socketpair(AF_UNIX, SOCK_STREAM, 0, back);
	memset(block, '\n', sizeof(block));
	for (size_t i = 0; i < sizeof(block); i++)
		if (i % 64)
			block[i - 1] = 'x';
	pthread_create(&threads[0], NULL, read_lines, NULL);
	pthread_create(&threads[1], NULL, echo, NULL);
	for (int i = 0; i < 8; i++)
		out(back[0], block, sizeof(block));
	for (int i = 0; i < 2000; i++) {
		out(front[0], &byte, 1);
		in(front[0], &byte, 1);
	}
	shutdown(back[0], SHUT_WR);
	shutdown(front[0], SHUT_WR);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
}

/* ---- pages: the first process asks a store, another process, for each row of a page; the store greets it first ----
 * */

struct row {
	char bytes[40];
};

NOINLINE static void query_store(int fd, char what)
{
	struct row row;

	out(fd, &what, 1);
	in(fd, &row, sizeof(row));
}

NOINLINE static void show_page(int fd)
{
	query_store(fd, 'p');
	query_store(fd, 'f');
	if (is_sick)
		for (int i = 0; i < 25; i++)
			query_store(fd, 'r');
	else
		query_store(fd, 'a');
}

static void keep_store(int fd)
{
	struct row row = {.bytes = "row"};
	char what;

	out(fd, "hello", 5);
	while (read(fd, &what, 1) == 1) {
		usleep(500);
		out(fd, &row, sizeof(row));
	}
	_exit(0);
}

static void pages(void)
{
	socklen_t bytes = sizeof(address);
	char greeting[5];
	int fd;

	address = (struct sockaddr_in){.sin_family = AF_INET,
	                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	listener = socket(AF_INET, SOCK_STREAM, 0);
	bind(listener, (struct sockaddr *)&address, bytes);
	listen(listener, 8);
	getsockname(listener, (struct sockaddr *)&address, &bytes);
	if (!fork())
		keep_store(accept(listener, NULL, NULL));
	fd = dial(&address);
	in(fd, greeting, sizeof(greeting));
	for (int i = 0; i < 12; i++)
		show_page(fd);
	close(fd);
	wait(NULL);
}

/* ---- invoices: a thread asks for the price of each article; between two invoices, it makes no call ---- */

#define ARTICLES 20

static void *quote(void *nothing)
{
	long prices[ARTICLES] = {0};
	char how_many;

	for (;;) {
		in(back[1], &how_many, 1);
		usleep(300);
		out(back[1], prices, (size_t)how_many * sizeof(*prices));
	}
	return nothing;
}

NOINLINE static void ask_price(char how_many, long *prices)
{
	out(back[0], &how_many, 1);
	in(back[0], prices, (size_t)how_many * sizeof(*prices));
}

NOINLINE static void ask_prices(int nr_queries, char how_many, long *prices)
{
	for (int i = 0; i < nr_queries; i++)
		ask_price(how_many, &prices[i]);
}

NOINLINE static long write_invoice(void)
{
	long prices[ARTICLES];
	volatile long sum = 0;

	ask_prices(is_sick ? ARTICLES : 1, is_sick ? 1 : ARTICLES, prices);
	for (int i = 0; i < 20000; i++)
		sum += prices[i % ARTICLES];
	return sum;
}

static void invoices(void)
{
	pthread_t server;

	socketpair(AF_UNIX, SOCK_STREAM, 0, back);
	pthread_create(&server, NULL, quote, NULL);
	for (int i = 0; i < 30; i++)
		write_invoice();
	shutdown(back[0], SHUT_WR);
	pthread_join(server, NULL);
}

/* ---- parts: the kernel keeps the second part of a message back; or the peer itself is slow, and waits for nothing ---- */

struct part {
	char bytes[60];
};

static void *take_parts(void *nothing)
{
	int fd = accept(listener, NULL, NULL);
	struct part head, body;

	for (;;) {
		in(fd, &head, sizeof(head));
		if (!is_sick)
			usleep(40000);
		in(fd, &body, sizeof(body));
		out(fd, &body, is_sick ? 1 : sizeof(body));
	}
	return nothing;
}

NOINLINE static void send_parts(int fd)
{
	struct part head = {""}, body = {""};

	out(fd, &head, sizeof(head));
	out(fd, &body, sizeof(body));
	in(fd, &body, is_sick ? 1 : sizeof(body));
}

static void parts(void)
{
	pthread_t servers[2];
	socklen_t bytes = sizeof(address);
	int fds[2];

	address = (struct sockaddr_in){.sin_family = AF_INET,
	                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	listener = socket(AF_INET, SOCK_STREAM, 0);
	bind(listener, (struct sockaddr *)&address, bytes);
	listen(listener, 8);
	getsockname(listener, (struct sockaddr *)&address, &bytes);
	for (int i = 0; i < 2; i++) {
		pthread_create(&servers[i], NULL, take_parts, NULL);
		fds[i] = dial(&address);
	}
	for (int i = 0; i < 40; i++) {
		send_parts(fds[i % 2]);
		usleep(5000);
	}
	for (int i = 0; i < 2; i++)
		close(fds[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(servers[i], NULL);
}

/* ---- children: a process for a task that is shorter than its start, or longer. A process with much memory starts
 * slowly, also if the child waits long for a CPU. ---- */

NOINLINE static void start_child(void)
{
	if (!fork()) {
		if (!is_sick)
			usleep(4000);
		_exit(0);
	}
	wait(NULL);
	usleep(is_sick ? 100 : 6000);
}

static void children(void)
{
	const size_t much = 64 << 20;
	char *memory = mmap(NULL, much, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		abort();
	madvise(memory, much, MADV_NOHUGEPAGE);
	if (is_sick)
		memset(memory, 1, much);
	for (int i = 0; i < 60; i++)
		start_child();
}

/* ---- visitors: a connection for each short or long request; or for clients that are not in the trace ---- */

static const char *port; /* of the server, or "serve" */
static bool is_slow; /* the time of the connections is far below a hundredth of the whole time */

static int nr_visitors(void)
{
	return is_slow ? 25 : 60;
}

static void *greet(void *nothing)
{
	for (int i = 0; i < nr_visitors(); i++) {
		char byte = 0;
		int fd = accept(listener, NULL, NULL);

		in(fd, &byte, 1);
		if (is_slow)
			usleep(6000);
		out(fd, &byte, 1);
		close(fd);
	}
	return nothing;
}

static void greet_server(void)
{
	for (int i = 0; i < nr_visitors(); i++) {
		char byte = 0;
		int fd = dial(&address);

		out(fd, &byte, 1);
		in(fd, &byte, 1);
		close(fd);
		if (is_slow)
			usleep(34000);
	}
}

static void visitors(void)
{
	socklen_t bytes = sizeof(address);
	pthread_t server;

	address = (struct sockaddr_in){.sin_family = AF_INET,
	                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	if (atoi(port)) {
		address.sin_port = htons((uint16_t)atoi(port));
		greet_server();
		return;
	}
	listener = socket(AF_INET, SOCK_STREAM, 0);
	bind(listener, (struct sockaddr *)&address, bytes);
	listen(listener, 8);
	getsockname(listener, (struct sockaddr *)&address, &bytes);
	printf("%d\n", ntohs(address.sin_port));
	fflush(stdout);
	is_slow = !strcmp(port, "healthy");
	pthread_create(&server, NULL, greet, NULL);
	if (strcmp(port, "serve"))
		greet_server();
	pthread_join(server, NULL);
}

/* ---- turns: clients wait for a busy server, or for a server that waits for its turn among threads that compute ---- */

static bool is_taken;

NOINLINE static void take_turn(void)
{
	pthread_mutex_lock(&mutex);
	while (is_taken)
		pthread_cond_wait(&places, &mutex);
	is_taken = true;
	pthread_mutex_unlock(&mutex);
}

NOINLINE static void give_turn(void)
{
	pthread_mutex_lock(&mutex);
	is_taken = false;
	pthread_cond_signal(&places);
	pthread_mutex_unlock(&mutex);
}

static void *serve_in_turn(void *nothing)
{
	int fd;

	while ((fd = accept(listener, NULL, NULL)) >= 0) {
		char byte;

		in(fd, &byte, 1);
		if (is_sick)
			usleep(4000);
		take_turn();
		give_turn();
		out(fd, &byte, 1);
		close(fd);
	}
	return nothing;
}

static void *compute_in_turn(void *nothing)
{
	while (!is_done) {
		struct timespec now, until;

		take_turn();
		clock_gettime(CLOCK_MONOTONIC, &until);
		do
			clock_gettime(CLOCK_MONOTONIC, &now);
		while ((now.tv_sec - until.tv_sec) * 1000000000 + now.tv_nsec - until.tv_nsec <
		       4000000);
		give_turn();
		usleep(is_sick ? 40000 : 100);
	}
	return nothing;
}

static void turns(void)
{
	socklen_t bytes = sizeof(address);
	pthread_t threads[2];

	address = (struct sockaddr_in){.sin_family = AF_INET,
	                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	listener = socket(AF_INET, SOCK_STREAM, 0);
	bind(listener, (struct sockaddr *)&address, bytes);
	listen(listener, 8);
	getsockname(listener, (struct sockaddr *)&address, &bytes);
	pthread_create(&threads[0], NULL, serve_in_turn, NULL);
	pthread_create(&threads[1], NULL, compute_in_turn, NULL);
	run(visit, 3);
	is_done = true;
	shutdown(listener, SHUT_RDWR);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

/* ---- load: each request needs a total and many rows, one after the other; or a thread asks for two clients ---- */

static void *rows(void *nothing)
{
	char byte;

	for (;;) {
		in(front[1], &byte, 1);
		usleep(200);
		out(front[1], &byte, 1);
	}
	return nothing;
}

static void *totals(void *nothing)
{
	char byte;

	for (;;) {
		in(back[1], &byte, 1);
		usleep(4000);
		out(back[1], &byte, 1);
	}
	return nothing;
}

NOINLINE static void send_query(int fd)
{
	char byte = 0;

	out(fd, &byte, 1);
}

NOINLINE static void get_answer(int fd)
{
	char byte;

	in(fd, &byte, 1);
}

static void load(void)
{
	struct pollfd fds[2];
	pthread_t servers[2];

	socketpair(AF_UNIX, SOCK_STREAM, 0, front);
	socketpair(AF_UNIX, SOCK_STREAM, 0, back);
	fds[0] = (struct pollfd){.fd = front[0], .events = POLLIN};
	fds[1] = (struct pollfd){.fd = back[0], .events = POLLIN};
	pthread_create(&servers[0], NULL, rows, NULL);
	pthread_create(&servers[1], NULL, totals, NULL);
	send_query(back[0]);
	if (!is_sick)
		send_query(front[0]);
	for (int i = 0; i < (is_sick ? 240 : 300); i++) {
		if (is_sick) {
			send_query(front[0]);
			get_answer(front[0]);
			if (i % 12 == 11)
				get_answer(back[0]);
			if (i % 12 == 11)
				send_query(back[0]);
			continue;
		}
		poll(fds, 2, -1);
		for (int n = 0; n < 2; n++)
			if (fds[n].revents) {
				get_answer(fds[n].fd);
				send_query(fds[n].fd);
			}
	}
	shutdown(front[0], SHUT_WR);
	shutdown(back[0], SHUT_WR);
	for (int i = 0; i < 2; i++)
		pthread_join(servers[i], NULL);
}

/* ---- runs: a client makes groups of queries for its requests, or measures the server in three long runs ---- */

static void runs(void)
{
	pthread_t server;

	socketpair(AF_UNIX, SOCK_STREAM, 0, back);
	pthread_create(&server, NULL, database, NULL);
	for (int run = 0; run < (is_sick ? 30 : 3); run++) {
		for (int i = 0; i < (is_sick ? 40 : 1200); i++)
			get_row(0);
		send_query(back[0]);
		get_answer(back[0]);
	}
	shutdown(back[0], SHUT_WR);
	pthread_join(server, NULL);
}

/* ---- ended: two threads use a semaphore as a lock, or one waits with it for the end of the other ---- */

static sem_t ended;

NOINLINE static void hold_semaphore(useconds_t us)
{
	sem_wait(&ended);
	usleep(us);
	sem_post(&ended);
}

static void *hold_all(void *number)
{
	if (!is_sick && number)
		usleep(2000);
	for (int i = 0; i < (is_sick ? 20 : 1); i++)
		hold_semaphore(is_sick ? 3000 : number ? 0 : 80000);
	return NULL;
}

static void end(void)
{
	sem_init(&ended, 0, 1);
	run(hold_all, 2);
}

/* ---- tokens: many threads for few places, or twice as many; cores: the threads inside wait, or run ---- */

static void tokens(void)
{
	sem_init(&slots, 0, is_sick ? 2 : 4);
	run(ask, 8);
}

/* Needs 2 ms: asleep, or on a CPU. */
NOINLINE static void sleep_or_run(void)
{
	struct timespec now, until;

	if (is_sick)
		usleep(2000);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &until);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while (!is_sick &&
	       (now.tv_sec - until.tv_sec) * 1000000000 + now.tv_nsec - until.tv_nsec < 2000000);
}

NOINLINE static void crunch(void)
{
	sem_wait(&slots);
	sleep_or_run();
	sem_post(&slots);
}

static void *crunch_all(void *nothing)
{
	for (int i = 0; i < 12; i++)
		crunch();
	return nothing;
}

static void cores(void)
{
	sem_init(&slots, 0, 2);
	run(crunch_all, 8);
}

/* ---- digest: the receiver of a block waits before it acknowledges, or computes ---- */

static void *digest_blocks(void *nothing)
{
	char block[1024];

	for (;;) {
		in(back[1], block, sizeof(block));
		sleep_or_run();
		out(back[1], block, 1);
	}
	return nothing;
}

NOINLINE static void put_block(void)
{
	char block[1024] = "";

	out(back[0], block, sizeof(block));
	in(back[0], block, 1);
}

static void digest(void)
{
	pthread_t receiver;

	socketpair(AF_UNIX, SOCK_STREAM, 0, back);
	pthread_create(&receiver, NULL, digest_blocks, NULL);
	for (int i = 0; i < 60; i++)
		put_block();
	shutdown(back[0], SHUT_WR);
	pthread_join(receiver, NULL);
}

/* ---- journal: one flush for each record, although more records wait; export: the same in a single thread ---- */

static int file;
static sem_t keeps;

static void open_file(void)
{
	char path[] = "diseases-XXXXXX";

	file = mkstemp(path);
	if (file < 0 || unlink(path))
		abort();
}

NOINLINE static void store_records(int number)
{
	char record[100] = "";

	while (number--)
		out(file, record, sizeof(record));
	fdatasync(file);
}

static void *keep_journal(void *nothing)
{
	bool is_first = true;

	for (;;) {
		pthread_mutex_lock(&mutex);
		if (is_first)
			sem_post(&keeps);
		is_first = false;
		while (!nr && !is_done)
			pthread_cond_wait(&items, &mutex);
		int taken = is_sick ? nr > 0 : nr;

		nr -= taken;
		pthread_mutex_unlock(&mutex);
		if (!taken)
			break;
		store_records(taken);
	}
	return nothing;
}

static void journal(void)
{
	struct timespec from, to;
	pthread_t keeper;
	/* time of the fastest flush in us: records come at least twice as fast as this disk stores them */
	long flush = LONG_MAX;

	open_file();
	for (int i = 0; i < 8; i++) {
		long time;

		clock_gettime(CLOCK_MONOTONIC, &from);
		store_records(1);
		clock_gettime(CLOCK_MONOTONIC, &to);
		time = (to.tv_sec - from.tv_sec) * 1000000 + (to.tv_nsec - from.tv_nsec) / 1000;
		flush = time < flush ? time : flush;
	}
	sem_init(&keeps, 0, 0);
	pthread_create(&keeper, NULL, keep_journal, NULL);
	sem_wait(&keeps); /* the keeper waits for the first record: its wait tells that it takes the records */
	for (int i = 0; i < 300; i++) {
		submit();
		if (i % 4 == 0)
			usleep((useconds_t)(2 * flush));
	}
	end_of_work();
	pthread_join(keeper, NULL);
}

static void export(void)
{
	open_file();
	for (int i = 0; i < 300; i++)
		if (is_sick)
			store_records(1);
	if (!is_sick)
		store_records(300);
}

/* ---- resend: every first copy of a datagram is lost; the healthy form sends at a fixed rate without answers, too ---- */

static void *answer_datagrams(void *nothing)
{
	char byte;
	int nr_lost = 0;

	while (recv(back[1], &byte, 1, 0) == 1 && byte != 'e')
		if (byte == 'q' && !(is_sick && nr_lost++ % 2 == 0))
			send(back[1], &byte, 1, 0);
	return nothing;
}

NOINLINE static void ask_again(void)
{
	struct pollfd answer = {.fd = back[0], .events = POLLIN};
	char byte = 'q';

	do
		send(back[0], &byte, 1, 0);
	while (poll(&answer, 1, 10) != 1);
	recv(back[0], &byte, 1, 0);
}

static void resend(void)
{
	struct pollfd command = {.events = POLLIN};
	pthread_t server;

	socketpair(AF_UNIX, SOCK_DGRAM, 0, back);
	socketpair(AF_UNIX, SOCK_DGRAM, 0, front);
	pthread_create(&server, NULL, answer_datagrams, NULL);
	for (int i = 0; i < 30; i++)
		ask_again();
	command.fd = front[0];
	for (int i = 0; i < 30 && !is_sick; i++) {
		send(front[0], "s", 1, 0);
		poll(&command, 1, 10);
		recv(front[1], &(char){0}, 1, 0);
	}
	send(back[0], "e", 1, 0);
	pthread_join(server, NULL);
}

/* ---- deadline: a worker gets a signal for each task, but begins at the end of its period ---- */

static sem_t results;

NOINLINE static void wait_for_period(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 20000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	while ((is_sick || !nr) && !is_done && !pthread_cond_timedwait(&items, &mutex, &until))
		;
}

static void *work_in_periods(void *nothing)
{
	pthread_mutex_lock(&mutex);
	while (!is_done) {
		wait_for_period();
		for (; nr; nr--)
			sem_post(&results);
	}
	pthread_mutex_unlock(&mutex);
	return nothing;
}

NOINLINE static void ask_for_result(void)
{
	submit();
	sem_wait(&results);
}

static void deadline(void)
{
	pthread_t worker;

	sem_init(&results, 0, 0);
	pthread_create(&worker, NULL, work_in_periods, NULL);
	for (int i = 0; i < 20; i++) {
		usleep(2000);
		ask_for_result();
	}
	end_of_work();
	pthread_join(worker, NULL);
}

/* ---- publish: two writers keep readers out while they fetch their data ---- */

NOINLINE static void fetch_prices(void)
{
	usleep(2000);
}

static void *publish_prices(void *nothing)
{
	for (int i = 0; i < 30; i++) {
		if (!is_sick)
			fetch_prices();
		pthread_rwlock_wrlock(&rwlock);
		if (is_sick)
			fetch_prices();
		nr++;
		pthread_rwlock_unlock(&rwlock);
	}
	return nothing;
}

NOINLINE static int quote_price(void)
{
	int found;

	pthread_rwlock_rdlock(&rwlock);
	found = nr;
	pthread_rwlock_unlock(&rwlock);
	return found;
}

static void *publish_or_quote(void *number)
{
	if ((long)number < 2)
		return publish_prices(NULL);
	while (quote_price() < 60)
		usleep(300);
	return NULL;
}

static void publish(void)
{
	pthread_rwlockattr_t writers_first;

	pthread_rwlockattr_init(&writers_first);
	pthread_rwlockattr_setkind_np(&writers_first, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(&rwlock, &writers_first);
	run(publish_or_quote, 6);
}

/* ---- slices: threads meet after each step, and one has the largest slice of the work ---- */

static int nr_met, nr_steps;

NOINLINE static void meet_others(int nr_threads)
{
	pthread_mutex_lock(&mutex);
	int step = nr_steps;

	if (++nr_met == nr_threads) {
		nr_met = 0;
		nr_steps++;
		pthread_cond_broadcast(&items);
	}
	while (step == nr_steps)
		pthread_cond_wait(&items, &mutex);
	pthread_mutex_unlock(&mutex);
}

NOINLINE static void simulate(long slice)
{
	usleep(is_sick && slice == 1 ? 9000 : 2000);
}

static void *simulate_slice(void *slice)
{
	for (int i = 0; i < 20; i++) {
		simulate((long)slice);
		meet_others(4);
	}
	return NULL;
}

static void slices(void)
{
	run(simulate_slice, 4);
}

/* ---- commits: the last thread of a group works for the others ---- */

NOINLINE static void commit_entry(void)
{
	pthread_mutex_lock(&mutex);
	int entry = ++nr;

	while (nr_steps < entry) {
		if (nr_met) {
			pthread_cond_wait(&items, &mutex);
			continue;
		}
		int until = nr;

		nr_met = 1;
		pthread_mutex_unlock(&mutex);
		usleep(2000);
		pthread_mutex_lock(&mutex);
		nr_met = 0;
		nr_steps = until;
		pthread_cond_broadcast(&items);
	}
	pthread_mutex_unlock(&mutex);
}

static void *commit_entries(void *nothing)
{
	for (int i = 0; i < 30; i++)
		commit_entry();
	return nothing;
}

static void commits(void)
{
	run(commit_entries, 6);
}

/* ---- logins: a client logs in for each letter, or once for all ---- */

#define LETTERS 40

static void *take_letters(void *nothing)
{
	for (int i = 0; i < (is_sick ? LETTERS : 1); i++) {
		char byte = 'a';
		int fd = accept(listener, NULL, NULL);

		out(fd, &byte, 1);
		for (int n = 0; read(fd, &byte, 1) == 1; n++) {
			usleep(n < 2 ? 2000 : 1000);
			out(fd, &byte, 1);
		}
		close(fd);
	}
	return nothing;
}

NOINLINE static void tell(int fd, char byte)
{
	out(fd, &byte, 1);
	in(fd, &byte, 1);
}

NOINLINE static int log_in(void)
{
	int fd = dial(&address);
	char byte;

	in(fd, &byte, 1);
	tell(fd, 'n');
	tell(fd, 'p');
	return fd;
}

NOINLINE static void send_letter(int fd)
{
	tell(fd, 'l');
}

static void logins(void)
{
	socklen_t bytes = sizeof(address);
	pthread_t server;
	int fd = -1;

	address = (struct sockaddr_in){.sin_family = AF_INET,
	                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	listener = socket(AF_INET, SOCK_STREAM, 0);
	bind(listener, (struct sockaddr *)&address, bytes);
	listen(listener, 8);
	getsockname(listener, (struct sockaddr *)&address, &bytes);
	pthread_create(&server, NULL, take_letters, NULL);
	for (int i = 0; i < LETTERS; i++) {
		if (fd < 0)
			fd = log_in();
		send_letter(fd);
		if (is_sick) {
			close(fd);
			fd = -1;
		}
	}
	if (fd >= 0)
		close(fd);
	pthread_join(server, NULL);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} all[] = {
		{"late", late},
		{"limit", limit},
		{"pool", pool},
		{"useless", useless},
		{"missed", missed},
		{"housekeeper", housekeeper},
		{"channel", channel},
		{"starve", starve},
		{"reports", reports},
		{"scarce", scarce},
		{"stages", stages},
		{"polling", polling},
		{"ready", ready},
		{"consumer", consumer},
		{"queries", queries},
		{"window", window},
		{"threads", threads},
		{"connections", connections},
		{"held", held},
		{"batches", batches},
		{"pressure", pressure},
		{"requests", requests},
		{"backlog", backlog},
		{"bytes", bytes},
		{"pages", pages},
		{"invoices", invoices},
		{"parts", parts},
		{"children", children},
		{"visitors", visitors},
		{"turns", turns},
		{"load", load},
		{"end", end},
		{"runs", runs},
		{"tokens", tokens},
		{"cores", cores},
		{"digest", digest},
		{"journal", journal},
		{"export", export},
		{"resend", resend},
		{"deadline", deadline},
		{"publish", publish},
		{"slices", slices},
		{"commits", commits},
		{"logins", logins},
	};

	if (argc != 3)
		return 2;
	is_sick = !strcmp(argv[2], "sick");
	port = argv[2];
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (!strcmp(argv[1], all[i].name)) {
			all[i].run();
			return 0;
		}
	return 2;
}
