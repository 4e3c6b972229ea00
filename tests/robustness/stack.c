/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * stack WHAT N: measures the stack use of calls. WHAT is
 *
 *   paint    each call in a thread of its own, with a painted stack of N KiB; prints the call's name
 *            and how many bytes were touched
 *   small    all calls, in threads with N bytes of stack; 0: as few as libc allows
 *   handler  a handler on an alternate stack with N bytes more than a signal's frame takes posts and
 *            writes, 20000 times
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>

#include "tests/robustness/need.h"

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

extern char **environ;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static sem_t sem;
static int fds[2], sockets[2], event, poller;
static char *const yes[] = {"true", NULL};

static struct timespec soon(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += 1000000;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

static void call_nothing(void)
{
}

static void call_mutex(void)
{
	NEED(!pthread_mutex_lock(&mutex) && !pthread_mutex_unlock(&mutex));
	NEED(!pthread_mutex_trylock(&mutex) && !pthread_mutex_unlock(&mutex));
}

static void call_timedlock(void)
{
	struct timespec t = soon();

	NEED(!pthread_mutex_timedlock(&mutex, &t) && !pthread_mutex_unlock(&mutex));
}

static void call_rwlock(void)
{
	NEED(!pthread_rwlock_rdlock(&rwlock) && !pthread_rwlock_unlock(&rwlock));
	NEED(!pthread_rwlock_wrlock(&rwlock) && !pthread_rwlock_unlock(&rwlock));
}

static void call_spin(void)
{
	NEED(!pthread_spin_lock(&spin) && !pthread_spin_unlock(&spin));
}

static void call_cond(void)
{
	struct timespec t = soon();

	NEED(!pthread_mutex_lock(&mutex));
	NEED(pthread_cond_timedwait(&cond, &mutex, &t) == ETIMEDOUT);
	NEED(!pthread_cond_signal(&cond) && !pthread_mutex_unlock(&mutex));
}

static void call_barrier(void)
{
	NEED(pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD);
}

static void initialize(void)
{
}

static void call_once_(void)
{
	pthread_once_t once = PTHREAD_ONCE_INIT;

	NEED(!pthread_once(&once, initialize));
}

static void call_sem(void)
{
	NEED(!sem_post(&sem) && !sem_wait(&sem));
}

static void *nothing(void *arg)
{
	return arg;
}

static void call_create(void)
{
	pthread_t t;

	NEED(!pthread_create(&t, NULL, nothing, NULL) && !pthread_join(t, NULL));
}

static void call_fork(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(3);
	NEED(pid > 0 && waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 3);
}

static void call_vfork(void)
{
	int status;
	pid_t pid = vfork();

	if (pid == 0) {
		execv("/bin/true", yes);
		_exit(3);
	}
	NEED(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0);
}

static void call_spawn(void)
{
	int status;
	pid_t pid;

	NEED(!posix_spawn(&pid, "/bin/true", NULL, NULL, yes, environ));
	NEED(waitpid(pid, &status, 0) == pid && status == 0);
}

static void call_pipe(void)
{
	char byte = 'x';
	int p[2];

	NEED(write(fds[1], &byte, 1) == 1 && read(fds[0], &byte, 1) == 1);
	NEED(!pipe(p) && !close(p[0]) && !close(p[1]));
}

static void call_socket(void)
{
	char byte = 'x';
	struct iovec v = {&byte, 1};
	struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
	int s[2];

	NEED(send(sockets[0], &byte, 1, 0) == 1 && recv(sockets[1], &byte, 1, 0) == 1);
	NEED(sendmsg(sockets[0], &m, 0) == 1 && recvmsg(sockets[1], &m, 0) == 1);
	NEED(!socketpair(AF_UNIX, SOCK_STREAM, 0, s) && !close(s[0]) && !close(s[1]));
}

static void call_poll(void)
{
	struct pollfd p = {.fd = sockets[0], .events = POLLOUT};
	struct epoll_event e = {.events = EPOLLOUT};
	fd_set set;

	NEED(poll(&p, 1, 0) == 1);
	FD_ZERO(&set);
	FD_SET(sockets[0], &set);
	NEED(select(sockets[0] + 1, NULL, &set, NULL, NULL) == 1);
	NEED(!epoll_ctl(poller, EPOLL_CTL_ADD, sockets[0], &e));
	NEED(epoll_wait(poller, &e, 1, 0) == 1);
	NEED(!epoll_ctl(poller, EPOLL_CTL_DEL, sockets[0], NULL));
}

static void call_event(void)
{
	eventfd_t value;

	NEED(!eventfd_write(event, 1) && !eventfd_read(event, &value) && value == 1);
}

static void call_open(void)
{
	int fd = open("/dev/null", O_RDONLY);

	NEED(fd >= 0 && !close(fd));
}

static void call_map(void)
{
	void *p = mmap(NULL, 4096, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	NEED(p != MAP_FAILED && !munmap(p, 4096));
}

static void call_name(void)
{
	NEED(!prctl(PR_SET_NAME, "named") && !pthread_setname_np(pthread_self(), "other"));
}

static const struct call {
	const char *name;
	void (*call)(void);
} calls[] = {
	{"nothing", call_nothing}, {"mutex", call_mutex}, {"timedlock", call_timedlock},
	{"rwlock", call_rwlock},   {"spin", call_spin},   {"cond", call_cond},
	{"barrier", call_barrier}, {"once", call_once_},  {"sem", call_sem},
	{"create", call_create},   {"fork", call_fork},   {"vfork", call_vfork},
	{"spawn", call_spawn},     {"pipe", call_pipe},   {"socket", call_socket},
	{"poll", call_poll},       {"event", call_event}, {"open", call_open},
	{"map", call_map},         {"name", call_name},
};

#define NR_CALLS (sizeof(calls) / sizeof(calls[0]))

static void set_up(void)
{
	NEED(!pthread_spin_init(&spin, 0) && !pthread_barrier_init(&barrier, NULL, 1));
	NEED(!sem_init(&sem, 0, 0) && !pipe(fds));
	NEED(!socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
	event = eventfd(0, 0);
	poller = epoll_create1(0);
	NEED(event >= 0 && poller >= 0);
}

static void *perform(void *arg)
{
	const struct call *c = arg;

	for (int i = 0; i < 3; i++)
		c->call();
	return arg;
}

#define PAINT 0x5a

static void paint(int kib)
{
	size_t bytes = (size_t)kib << 10;
	unsigned char *stack =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	NEED(stack != MAP_FAILED);
	set_up();
	for (size_t i = 0; i < NR_CALLS; i++) {
		pthread_attr_t a;
		pthread_t t;
		size_t untouched = 0;

		memset(stack, PAINT, bytes);
		NEED(!pthread_attr_init(&a) && !pthread_attr_setstack(&a, stack, bytes));
		NEED(!pthread_create(&t, &a, perform, (void *)&calls[i]));
		NEED(!pthread_join(t, NULL));
		while (untouched < bytes && stack[untouched] == PAINT)
			untouched++;
		printf("%s %zu\n", calls[i].name, bytes - untouched);
	}
}

static void *perform_all(void *arg)
{
	for (size_t i = 0; i < NR_CALLS; i++)
		perform((void *)&calls[i]);
	return arg;
}

static void small(int bytes)
{
	pthread_attr_t a;
	pthread_t t;

	set_up();
	NEED(!pthread_attr_init(&a));
	NEED(!pthread_attr_setstacksize(&a, bytes ? (size_t)bytes : (size_t)PTHREAD_STACK_MIN));
	for (int i = 0; i < 4; i++)
		NEED(!pthread_create(&t, &a, perform_all, NULL) && !pthread_join(t, NULL));
}

static void on_signal(int number)
{
	int err = errno;

	(void)number;
	NEED(!sem_post(&sem) && write(fds[1], "x", 1) == 1);
	errno = err;
}

static void handler(int bytes)
{
	size_t frame = getauxval(AT_MINSIGSTKSZ) ? getauxval(AT_MINSIGSTKSZ) : 2048;
	size_t size = (frame + (size_t)bytes + 15) & ~(size_t)15;
	char *memory =
		mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	/* The stack begins at a page boundary, below which no page is mapped. */
	stack_t s = {.ss_sp = memory + 4096, .ss_size = size};
	struct sigaction a = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};

	NEED(memory != MAP_FAILED && !mprotect(memory, 4096, PROT_NONE));
	set_up();
	NEED(!sigaltstack(&s, NULL) && !sigaction(SIGUSR1, &a, NULL));
	for (int i = 0; i < 20000; i++) {
		char byte;

		NEED(!raise(SIGUSR1) && !sem_wait(&sem) && read(fds[0], &byte, 1) == 1);
	}
}

static const struct mode modes[] = {{"paint", paint}, {"small", small}, {"handler", handler}};

MODES_MAIN(modes)
