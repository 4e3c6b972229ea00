/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Timerfds and timers, by each of the versions that libc has; the threads that libc starts for the
 * program without pthread_create: for timers, asynchronous input and output, and names. */
#include <aio.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <mqueue.h>
#include <netdb.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/timerfd.h>

#include "tests/calls/expect.h"

static const struct itimerspec soon = {.it_value = {0, 1000000}}, again = {{50, 0}, {50, 0}}, never;
static sigset_t set;
static sem_t called;

static void with_fd(void)
{
	struct pollfd p = {.events = POLLIN};
	struct itimerspec was, bad = {.it_value = {0, -1}};
	uint64_t nr;
	int fd;

	EXPECT((fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK)) >= 0, 1,
	       "0.0 timerfd_create timerfd:$fd %d", fd);
	EXPECT(read(fd, &nr, 8), -1, "0.0 read timerfd:$fd -1 errno=EAGAIN");
	errno = 0xbeef;
	EXPECT(timerfd_settime(fd, 0, &soon, NULL), 0, "0.0 timerfd_settime timerfd:$fd 0 arg=1");
	p.fd = fd;
	EXPECT(poll(&p, 1, -1), 1, "0.0 poll - 1 ready=timerfd:$fd:in");
	CHECK(errno == 0xbeef);
	EXPECT(read(fd, &nr, 8), 8, "0.0 read timerfd:$fd 8 bytes=8 count=1 flags=nooffset");
	EXPECT(timerfd_settime(fd, 0, &soon, NULL), 0, "0.0 timerfd_settime timerfd:$fd 0 arg=1");
	EXPECT(poll(&p, 1, -1), 1, "0.0 poll - 1 ready=timerfd:$fd:in");
	EXPECT(syscall(SYS_read, fd, &nr, 8), 8,
	       "0.0 read timerfd:$fd 8 bytes=8 count=1 flags=nooffset");
	EXPECT(timerfd_settime(fd, 0, &again, &was), 0, "0.0 timerfd_settime timerfd:$fd 0 arg=2");
	EXPECT(timerfd_settime(fd, 0, &never, &was), 0, "0.0 timerfd_settime timerfd:$fd 0 arg=-");
	CHECK(was.it_interval.tv_sec == 50);
	EXPECT(timerfd_settime(fd, 0, &bad, NULL), -1,
	       "0.0 timerfd_settime timerfd:$fd -1 errno=EINVAL arg=-");
	EXPECT(timerfd_settime(fd, 0, NULL, NULL), -1,
	       "0.0 timerfd_settime timerfd:$fd -1 errno=EFAULT");
	EXPECT(timerfd_settime(99, 0, &soon, NULL), -1, "0.0 timerfd_settime - -1 errno=EBADF");
	EXPECT(close(fd), 0, "0.0 close timerfd:$fd 0");
}

static void with_signal(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
	siginfo_t info;
	timer_t t;

	for (int life = 0; life < 2; life++) {
		errno = 0xbeef;
		EXPECT(timer_create(CLOCK_MONOTONIC, &event, &t), 0,
		       "0.0 timer_create timer:$t%d 0", life);
		EXPECT(timer_settime(t, 0, &soon, NULL), 0, "0.0 timer_settime timer:$t%d 0 arg=1",
		       life);
		EXPECT(sigwaitinfo(&set, &info), SIGUSR1,
		       "0.0 sigwaitinfo signal:0x%x %d code=-2 sender=- object2=timer:$t%d",
		       SIGUSR1, SIGUSR1, life);
		EXPECT(timer_settime(t, 0, &again, NULL), 0, "0.0 timer_settime timer:$t%d 0 arg=2",
		       life);
		EXPECT(timer_settime(t, 0, &never, NULL), 0, "0.0 timer_settime timer:$t%d 0 arg=-",
		       life);
		CHECK(errno == 0xbeef);
		EXPECT(timer_delete(t), 0, "0.0 timer_delete timer:$t%d 0", life);
	}
	event.sigev_signo = 999;
	EXPECT(timer_create(CLOCK_MONOTONIC, &event, &t), -1, "0.0 timer_create - -1 errno=EINVAL");
}

/* Under the oldest symbol version, the timer number of the program is the number of libc. */
static void with_old_version(const char *version)
{
	__typeof__(timer_create) *create = dlvsym(RTLD_DEFAULT, "timer_create", version);
	__typeof__(timer_settime) *settime = dlvsym(RTLD_DEFAULT, "timer_settime", version);
	__typeof__(timer_delete) *delete = dlvsym(RTLD_DEFAULT, "timer_delete", version);
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
	timer_t t = NULL;
	siginfo_t info;

	if (!create) /* libc on this machine lacks this version */
		return;
	CHECK(settime && delete);
	EXPECT(create(CLOCK_MONOTONIC, &event, &t), 0, "0.0 timer_create timer:$%s 0", version);
	EXPECT(settime(t, 0, &soon, NULL), 0, "0.0 timer_settime timer:$%s 0 arg=1", version);
	EXPECT(sigwaitinfo(&set, &info), SIGUSR1, "0.0 sigwaitinfo signal:0x%x %d code=-2", SIGUSR1,
	       SIGUSR1);
	EXPECT(delete (t), 0, "0.0 timer_delete timer:$%s 0", version);
}

/* ---- threads of libc's ---- */

static void wait_called(void)
{
	CHECK(sem_wait(&called) == 0);
	await_others_asleep(); /* the thread that posted the semaphore has now recorded the post */
	expect("0.0 sem_wait sem:%p 0", (void *)&called);
}

/* A timer function runs in a thread without a recorded creation. The thread appears with its first event. */
static void call_1(union sigval value)
{
	(void)value;
	expect("0.1 sem_post sem:%p 0", (void *)&called);
	sem_post(&called);
}

static void call_2(union sigval value)
{
	(void)value;
	expect("0.2 sem_post sem:%p 0", (void *)&called);
	sem_post(&called);
}

static void call_3(union sigval value)
{
	(void)value;
	expect("0.3 sem_post sem:%p 0", (void *)&called);
	sem_post(&called);
}

static void call_4(union sigval value)
{
	(void)value;
	expect("0.4 sem_post sem:%p 0", (void *)&called);
	sem_post(&called);
}

static void in_threads(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = call_1};
	struct gaicb name = {.ar_name = "127.0.0.1"}, *names[] = {&name};
	static char byte;
	struct aiocb read_one = {.aio_buf = &byte, .aio_nbytes = 1};
	timer_t t;

	EXPECT(timer_create(CLOCK_MONOTONIC, &event, &t), 0, "0.0 timer_create timer:$threads 0");
	EXPECT(timer_settime(t, 0, &soon, NULL), 0, "0.0 timer_settime timer:$threads 0 arg=1");
	wait_called();
	EXPECT(timer_delete(t), 0, "0.0 timer_delete timer:$threads 0");

	CHECK((read_one.aio_fildes = open("/dev/zero", O_RDONLY)) >= 0);
	read_one.aio_sigevent = event;
	read_one.aio_sigevent.sigev_notify_function = call_2;
	CHECK(aio_read(&read_one) == 0);
	wait_called();
	CHECK(aio_return(&read_one) == 1);
	EXPECT(close(read_one.aio_fildes), 0, "0.0 close - 0");

	event.sigev_notify_function = call_3;
	CHECK(getaddrinfo_a(GAI_NOWAIT, names, 1, &event) == 0);
	wait_called();
	freeaddrinfo(name.ar_result);

	struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 1};
	char queue_name[64];

	snprintf(queue_name, sizeof(queue_name), "/syntrace-test-%d", (int)getpid());
	mqd_t q = mq_open(queue_name, O_RDWR | O_CREAT | O_EXCL, 0600, &attributes);

	if (q < 0) /* the kernel does not support message queues */
		return;
	mq_unlink(queue_name);
	event.sigev_notify_function = call_4;
	CHECK(mq_notify(q, &event) == 0 && mq_send(q, &byte, 1, 0) == 0);
	wait_called();
	mq_close(q);
}

int main(void)
{
	expect("ignore sem_init mq_open mq_unlink mq_notify mq_send mq_close pthread_once");
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	CHECK(sem_init(&called, 0, 0) == 0);
	with_fd();
	with_signal();
	with_old_version("GLIBC_2.3.3");
	with_old_version("GLIBC_2.2.5");
	in_threads();
	return 0;
}
