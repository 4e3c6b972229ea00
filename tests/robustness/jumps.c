/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * jumps WHAT N: leaves calls without a return. WHAT is
 *
 *   longjmp    a handler jumps out of a waiting read, sem_wait, cond wait, poll and recv in turn, and
 *              out of all other code, the recorder included
 *   coroutine  a coroutine waits in read() on one thread and goes on on another
 *   cancel     threads are cancelled in every waiting call that is a cancellation point
 *   async      threads are cancelled asynchronously while they record
 *   once       an initializer leaves by pthread_exit: the next caller runs it again
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>

#include "tests/robustness/need.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t sem, ready;
static int pipes[2], sockets[2], listener, poller;

static void set_up(void)
{
	NEED(!sem_init(&sem, 0, 0) && !sem_init(&ready, 0, 0) && !pipe(pipes));
	NEED(!socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
	listener = socket(AF_UNIX, SOCK_STREAM, 0);
	poller = epoll_create1(0);
	NEED(listener >= 0 && poller >= 0);
	/* the kernel chooses the address */
	NEED(!bind(listener, (struct sockaddr *)&(struct sockaddr){.sa_family = AF_UNIX},
	           sizeof(sa_family_t)));
	NEED(!listen(listener, 1));
}

/* ---- longjmp ---- */

static sigjmp_buf back;
static volatile sig_atomic_t may_jump;

static void jump(int number)
{
	(void)number;
	if (may_jump) {
		may_jump = 0;
		siglongjmp(back, 1);
	}
}

static void timer(long us)
{
	struct itimerval t = {{0, 0}, {us / 1000000, us % 1000000}};

	NEED(!setitimer(ITIMER_REAL, &t, NULL));
}

static void wait_somewhere(int where)
{
	struct pollfd p = {.fd = pipes[0], .events = POLLIN};
	char byte;

	switch (where) {
	case 0:
		NEED(read(pipes[0], &byte, 1) != 1);
		break;
	case 1:
		NEED(sem_wait(&sem));
		break;
	case 2:
		NEED(!pthread_mutex_lock(&mutex));
		for (;;)
			NEED(!pthread_cond_wait(&cond, &mutex));
		break;
	case 3:
		NEED(poll(&p, 1, -1) < 0);
		break;
	case 4:
		NEED(recv(sockets[0], &byte, 1, 0) != 1);
		break;
	/* the thread does not wait: the handler jumps out of any code, mostly the recorder's */
	default:
		for (;;) {
			sem_t own;

			sem_init(&own, 0, 1);
			sem_wait(&own);
			sem_post(&own);
			sem_destroy(&own);
		}
	}
}

static void run_longjmp(int nr)
{
	struct sigaction a = {.sa_handler = jump, .sa_flags = SA_NODEFER};
	volatile int i = 0;

	set_up();
	NEED(!sigaction(SIGALRM, &a, NULL));
	while (i < nr) {
		int where = i % 6;

		if (!sigsetjmp(back, 1)) {
			may_jump = 1;
			timer(where == 5 ? 50 + i % 97 : 150);
			for (;;)
				wait_somewhere(where);
		}
		timer(0);
		/* when the handler jumped, the cond wait held the mutex again, or still */
		if (where == 2)
			pthread_mutex_init(&mutex, NULL), pthread_cond_init(&cond, NULL);
		NEED(!sem_post(&ready) && !sem_wait(&ready));
		i++;
	}
}

/* ---- a coroutine that changes threads inside of a call ---- */

static ucontext_t inside, scheduler[2];
static char coroutine_stack[256 << 10];
static volatile int on_thread, nr_rounds;

/*
 * Returns whether the signal ended a waiting system call. Elsewhere a switch would interrupt libc
 * in the middle of a change.
 */
static int is_in_call(const ucontext_t *interrupted)
{
#if defined(__x86_64__)
	return interrupted->uc_mcontext.gregs[REG_RAX] == -EINTR;
#elif defined(__aarch64__)
	return (long)interrupted->uc_mcontext.regs[0] == -EINTR;
#endif
}

/* A signal handler switches the waiting thread to another context in the middle of the call, and another thread
 * resumes the call. The wrapper cannot detect this. */
static void switch_away(int number, siginfo_t *info, void *interrupted)
{
	(void)number;
	(void)info;
	if (!is_in_call(interrupted)) {
		timer(300);
		return;
	}
	on_thread = 1;
	swapcontext(&inside, &scheduler[0]);
}

static void reads(void)
{
	for (int i = 0;; i++) {
		char byte;
		ssize_t n = read(pipes[0], &byte, 1);

		/* the read is interrupted on the first thread, or returns a byte on the second thread */
		NEED((n < 0 && errno == EINTR) || n == 1);
		NEED(!sem_post(&sem) && !sem_wait(&sem));
		if (n == 1)
			break;
	}
	nr_rounds++;
	setcontext(&scheduler[on_thread]);
}

static void *second(void *arg)
{
	NEED(!sem_wait(&ready));
	NEED(write(pipes[1], "x", 1) == 1);
	swapcontext(&scheduler[1], &inside);
	return arg;
}

static void run_coroutine(int nr)
{
	struct sigaction a = {.sa_sigaction = switch_away, .sa_flags = SA_SIGINFO};

	set_up();
	NEED(!sigaction(SIGALRM, &a, NULL));
	for (int i = 0; i < nr; i++) {
		pthread_t t;
		sigset_t set;

		sigemptyset(&set);
		sigaddset(&set, SIGALRM);
		on_thread = 0;
		NEED(!pthread_sigmask(SIG_BLOCK, &set, NULL));
		NEED(!pthread_create(&t, NULL, second, NULL));
		NEED(!pthread_sigmask(SIG_UNBLOCK, &set, NULL));
		NEED(!getcontext(&inside));
		inside.uc_stack.ss_sp = coroutine_stack;
		inside.uc_stack.ss_size = sizeof(coroutine_stack);
		inside.uc_link = NULL;
		makecontext(&inside, reads, 0);
		/* The signal stays blocked until swapcontext() has saved a context. The new context unblocks the
		 * signal. */
		NEED(!pthread_sigmask(SIG_BLOCK, &set, NULL));
		timer(300);
		swapcontext(&scheduler[0], &inside);
		/* The signal handler switched to this context without restoring the signal mask. */
		NEED(!pthread_sigmask(SIG_UNBLOCK, &set, NULL));
		NEED(!sem_post(&ready));
		NEED(!pthread_join(t, NULL) && nr_rounds == i + 1);
	}
}

/* ---- cancellation ---- */

static int message_queue;
static pthread_t never;

static void *for_ever(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static void unlocks(void *arg)
{
	(void)arg;
	NEED(!pthread_mutex_unlock(&mutex));
}

static void wait_cancellably(int where)
{
	struct pollfd p = {.fd = pipes[0], .events = POLLIN};
	struct timespec far = {INT32_MAX, 0};
	struct epoll_event e;
	char bytes[64];
	struct iovec v = {bytes, 8};
	struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
	struct mmsghdr mm = {.msg_hdr = m};
	struct {
		long type;
		char text[8];
	} message;

	switch (where) {
	case 0:
		read(pipes[0], bytes, 1);
		break;
	case 1:
		readv(pipes[0], &v, 1);
		break;
	case 2:
		recv(sockets[0], bytes, 1, 0);
		break;
	case 3:
		recvfrom(sockets[0], bytes, 1, 0, NULL, NULL);
		break;
	case 4:
		recvmsg(sockets[0], &m, 0);
		break;
	case 5:
		recvmmsg(sockets[0], &mm, 1, 0, NULL);
		break;
	case 6:
		accept(listener, NULL, NULL);
		break;
	case 7:
		accept4(listener, NULL, NULL, 0);
		break;
	case 8:
		poll(&p, 1, -1);
		break;
	case 9:
		ppoll(&p, 1, NULL, NULL);
		break;
	case 10:
		select(0, NULL, NULL, NULL, NULL);
		break;
	case 11:
		pselect(0, NULL, NULL, NULL, NULL, NULL);
		break;
	case 12:
		epoll_wait(poller, &e, 1, -1);
		break;
	case 13:
		epoll_pwait(poller, &e, 1, -1, NULL);
		break;
	case 14:
		sem_wait(&sem);
		break;
	case 15:
		sem_timedwait(&sem, &far);
		break;
	case 16:
		sem_clockwait(&sem, CLOCK_MONOTONIC, &far);
		break;
	case 17:
	case 18:
	case 19:
		pthread_mutex_lock(&mutex);
		pthread_cleanup_push(unlocks, NULL);
		for (;;) {
			if (where == 17)
				pthread_cond_wait(&cond, &mutex);
			else if (where == 18)
				pthread_cond_timedwait(&cond, &mutex, &far);
			else
				pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &far);
		}
		pthread_cleanup_pop(1);
		break;
	case 20:
		pthread_join(never, NULL);
		break;
	case 21:
		pthread_timedjoin_np(never, NULL, &far);
		break;
	case 22:
		pthread_clockjoin_np(never, NULL, CLOCK_MONOTONIC, &far);
		break;
	case 23:
		nanosleep(&far, NULL);
		break;
	case 24:
		clock_nanosleep(CLOCK_MONOTONIC, 0, &far, NULL);
		break;
	case 25:
		sleep(100000);
		break;
	case 26:
		pause();
		break;
	case 27:
		msgrcv(message_queue, &message, sizeof(message.text), 7, 0);
		break;
	case 28:
		system("exec sleep 100000");
		break;
	}
}

#define NR_CANCELLABLE 29
#define IS_SYSTEM 28

static volatile int nr_cleaned;

static void cleaned(void *arg)
{
	(void)arg;
	nr_cleaned++;
	/* events of a signal handler are recorded like other events */
	NEED(!sem_post(&ready) && !sem_wait(&ready));
}

static void *is_cancelled(void *where)
{
	pthread_cleanup_push(cleaned, NULL);
	for (;;)
		wait_cancellably((int)(long)where);
	pthread_cleanup_pop(0);
	return NULL;
}

static void run_cancel(int nr)
{
	int nr_expected = 0;

	set_up();
	message_queue = msgget(IPC_PRIVATE, 0600);
	NEED(message_queue >= 0 && !pthread_create(&never, NULL, for_ever, NULL));
	for (int i = 0; i < nr; i++) {
		for (long where = 0; where < NR_CANCELLABLE; where++) {
			pthread_t t;
			void *rv;

			/* The shell of system() must be killed, so one round is enough. */
			if (where == IS_SYSTEM && i)
				continue;
			NEED(!pthread_create(&t, NULL, is_cancelled, (void *)where));
			/* the cancellation arrives during the wait or before it */
			usleep(i % 2 ? 3000 : 0);
			if (where == IS_SYSTEM)
				usleep(200000);
			NEED(!pthread_cancel(t) && !pthread_join(t, &rv));
			NEED(rv == PTHREAD_CANCELED && nr_cleaned == ++nr_expected);
		}
	}
	NEED(!msgctl(message_queue, IPC_RMID, NULL));
	/* checks that no thread holds the mutex */
	NEED(!pthread_mutex_trylock(&mutex) && !pthread_mutex_unlock(&mutex));
}

static void *records(void *arg)
{
	NEED(!pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL));
	NEED(!sem_post(&ready));
	/* trylock and spin locks do not block: at every instruction, no lock of libc is held */
	for (pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;;) {
		pthread_mutex_trylock(&own);
		pthread_mutex_unlock(&own);
	}
	return arg;
}

static void run_async(int nr)
{
	set_up();
	for (int i = 0; i < nr; i++) {
		pthread_t t;
		void *rv;

		NEED(!pthread_create(&t, NULL, records, NULL) && !sem_wait(&ready));
		usleep(100 + i % 37 * 10);
		NEED(!pthread_cancel(t) && !pthread_join(t, &rv) && rv == PTHREAD_CANCELED);
	}
}

/* ---- once ---- */

static pthread_once_t once;
static int nr_initialized;

static void leaves(void)
{
	if (++nr_initialized % 2)
		pthread_exit(&once);
}

static void *runs_once(void *arg)
{
	pthread_once(&once, leaves);
	return arg;
}

static void run_once(int nr)
{
	for (int i = 0; i < nr; i++) {
		pthread_t t;
		void *rv;

		once = PTHREAD_ONCE_INIT;
		NEED(!pthread_create(&t, NULL, runs_once, NULL) && !pthread_join(t, &rv));
		NEED(rv == &once);
		NEED(!pthread_create(&t, NULL, runs_once, NULL) && !pthread_join(t, &rv) && !rv);
		NEED(nr_initialized == 2 * (i + 1));
	}
}

static const struct mode modes[] = {
	{"longjmp", run_longjmp}, {"coroutine", run_coroutine}, {"cancel", run_cancel},
	{"async", run_async},     {"once", run_once},
};

MODES_MAIN(modes)
