/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * chain KIND ROUNDS: three threads or processes pass a token in turn. In each round, the first one passes it to the second one, this one
 * to the third one, and this one back to the first one. So all edges between threads are those of the token. KIND is
 * cond, sem, eventfd, pipe, pair (socketpair), futex or queue (POSIX) in a process; tcp or shared (process-shared semaphores)
 * between processes; create, fork or exec: each round creates a thread or process, which passes the token on in the same way
 * and ends.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NR 3

extern char **environ;

static int nr_rounds;
static const char *kind;

/* The place from which stage N takes the token. */
static struct place {
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	uint32_t has_token;
	sem_t sem, *shared;
	int in, out;
	mqd_t queue;
} places[NR];

static void must(int is_true)
{
	if (!is_true)
		abort();
}

static int is(const char *name)
{
	return !strcmp(kind, name);
}

static void give(struct place *p)
{
	uint64_t one = 1;

	if (is("cond")) {
		pthread_mutex_lock(&p->mutex);
		p->has_token = 1;
		pthread_cond_signal(&p->cond);
		pthread_mutex_unlock(&p->mutex);
	} else if (is("sem")) {
		must(!sem_post(&p->sem));
	} else if (is("shared")) {
		must(!sem_post(p->shared));
	} else if (is("futex")) {
		__atomic_store_n(&p->has_token, 1, __ATOMIC_RELEASE);
		must(syscall(SYS_futex, &p->has_token, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) >= 0);
	} else if (is("queue")) {
		must(!mq_send(p->queue, "token", 5, 0));
	} else {
		must(write(p->out, &one, sizeof(one)) == sizeof(one));
	}
}

static void take(struct place *p)
{
	char message[8];
	uint64_t got;

	if (is("cond")) {
		pthread_mutex_lock(&p->mutex);
		while (!p->has_token)
			pthread_cond_wait(&p->cond, &p->mutex);
		p->has_token = 0;
		pthread_mutex_unlock(&p->mutex);
	} else if (is("sem")) {
		must(!sem_wait(&p->sem));
	} else if (is("shared")) {
		must(!sem_wait(p->shared));
	} else if (is("futex")) {
		while (!__atomic_exchange_n(&p->has_token, 0, __ATOMIC_ACQUIRE))
			syscall(SYS_futex, &p->has_token, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	} else if (is("queue")) {
		must(mq_receive(p->queue, message, sizeof(message), NULL) == 5);
	} else {
		must(read(p->in, &got, sizeof(got)) == sizeof(got));
	}
}

static void *stage(void *arg)
{
	size_t n = (size_t)(uintptr_t)arg;

	for (int i = 0; i < nr_rounds; i++) {
		if (n || i)
			take(&places[n]);
		give(&places[(n + 1) % NR]);
	}
	if (!n)
		take(&places[0]);
	return NULL;
}

static void connect_tcp(struct place *p)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t bytes = sizeof(a);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	must(!bind(listener, (struct sockaddr *)&a, sizeof(a)) && !listen(listener, 1));
	must(!getsockname(listener, (struct sockaddr *)&a, &bytes));
	p->out = socket(AF_INET, SOCK_STREAM, 0);
	must(!connect(p->out, (struct sockaddr *)&a, sizeof(a)));
	p->in = accept(listener, NULL, NULL);
	must(p->in >= 0);
	close(listener);
}

static void make(struct place *p, size_t n)
{
	struct mq_attr attributes = {.mq_maxmsg = 4, .mq_msgsize = 8};
	char name[64];
	int fds[2];

	pthread_mutex_init(&p->mutex, NULL);
	pthread_cond_init(&p->cond, NULL);
	must(!sem_init(&p->sem, 0, 0));
	if (is("eventfd")) {
		p->in = p->out = eventfd(0, 0);
	} else if (is("pipe")) {
		must(!pipe(fds));
		p->in = fds[0];
		p->out = fds[1];
	} else if (is("pair")) {
		must(!socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
		p->in = fds[0];
		p->out = fds[1];
	} else if (is("tcp")) {
		connect_tcp(p);
	} else if (is("shared")) {
		p->shared = mmap(NULL, sizeof(sem_t), PROT_READ | PROT_WRITE,
		                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		must(p->shared != MAP_FAILED && !sem_init(p->shared, 1, 0));
	} else if (is("queue")) {
		snprintf(name, sizeof(name), "/syntrace-chain-%d-%zu", (int)getpid(), n);
		p->queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attributes);
		must(p->queue >= 0 && !mq_unlink(name));
	}
}

static void *leaf(void *arg)
{
	pthread_mutex_lock(&places[0].mutex);
	pthread_mutex_unlock(&places[0].mutex);
	return arg;
}

/* Creates a thread, a child, or a child with another image, and waits for its end. */
static void *create(void *arg)
{
	char *const argv[] = {(char *)"chain", (char *)"leaf", (char *)"0", NULL};
	pthread_t t;
	pid_t pid;

	leaf(NULL);
	if (is("create")) {
		must(!pthread_create(&t, NULL, leaf, NULL) && !pthread_join(t, NULL));
	} else if (is("fork")) {
		pid = fork();
		if (!pid) {
			leaf(NULL);
			_exit(0);
		}
		must(waitpid(pid, NULL, 0) == pid);
	} else {
		must(!posix_spawn(&pid, "/proc/self/exe", NULL, NULL, argv, environ) &&
		     waitpid(pid, NULL, 0) == pid);
	}
	return arg;
}

static void run(void)
{
	pthread_t threads[NR];
	pid_t pids[NR];

	for (size_t n = 1; n < NR; n++) {
		if (is("tcp") || is("shared")) {
			pids[n] = fork();
			if (!pids[n]) {
				stage((void *)(uintptr_t)n);
				_exit(0);
			}
		} else {
			must(!pthread_create(&threads[n], NULL, stage, (void *)(uintptr_t)n));
		}
	}
	stage(NULL);
	for (size_t n = 1; n < NR; n++) {
		if (is("tcp") || is("shared"))
			must(waitpid(pids[n], NULL, 0) == pids[n]);
		else
			must(!pthread_join(threads[n], NULL));
	}
}

int main(int argc, char **argv)
{
	kind = argc > 1 ? argv[1] : "sem";
	nr_rounds = argc > 2 ? atoi(argv[2]) : 100;
	for (size_t n = 0; n < NR; n++)
		make(&places[n], n);
	if (is("leaf"))
		leaf(NULL);
	else if (is("create") || is("fork") || is("exec"))
		for (int i = 0; i < nr_rounds; i++)
			create(NULL);
	else
		run();
	return 0;
}
