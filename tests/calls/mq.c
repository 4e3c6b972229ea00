/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Tests POSIX message queues: message numbers, priorities, several processes, readiness, and messages from before
 * the trace. */
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tests/calls/expect.h"

mqd_t __mq_open_2(const char *name, int flags);

static char name[64], b[64];
static mqd_t q;

static mqd_t open_queue(int flags)
{
	struct mq_attr attributes = {.mq_maxmsg = 8, .mq_msgsize = 64};

	return mq_open(name, flags | O_CREAT | O_EXCL, 0600, &attributes);
}

static void moving(void)
{
	struct timespec t = deadline(CLOCK_REALTIME, 5);
	unsigned priority;

	errno = 0xbeef;
	EXPECT(mq_send(q, "low", 3, 1), 0, "0.0 mq_send queue:$q 0 bytes=3 offset=0 arg=1 count=1");
	EXPECT(mq_send(q, "high", 4, 7), 0, "0.0 mq_send queue:$q 0 bytes=4 offset=1 arg=7");
	EXPECT(mq_timedsend(q, "", 0, 1, &t), 0,
	       "0.0 mq_timedsend queue:$q 0 bytes=0 offset=2 arg=1");
	CHECK(errno == 0xbeef);
	EXPECT(mq_receive(q, b, 64, &priority), 4,
	       "0.0 mq_receive queue:$q 4 bytes=4 offset=0 arg=7 count=1");
	CHECK(priority == 7);
	EXPECT(mq_receive(q, b, 64, NULL), 3, "0.0 mq_receive queue:$q 3 bytes=3 offset=1 arg=1");
	EXPECT(mq_timedreceive(q, b, 64, &priority, &t), 0,
	       "0.0 mq_timedreceive queue:$q 0 bytes=0 offset=2 arg=1");
	CHECK(priority == 1);
	t = deadline(CLOCK_REALTIME, 5);
	EXPECT(mq_timedreceive(q, b, 64, NULL, &t), -1,
	       "0.0 mq_timedreceive queue:$q -1 errno=ETIMEDOUT");
	EXPECT(mq_send(q, b, 65, 1), -1, "0.0 mq_send queue:$q -1 errno=EMSGSIZE");
	EXPECT(mq_receive(q, b, 1, NULL), -1, "0.0 mq_receive queue:$q -1 errno=EMSGSIZE");
	EXPECT(mq_send(-1, b, 1, 1), -1, "0.0 mq_send - -1 errno=EBADF");
	EXPECT(mq_receive(-1, b, 64, NULL), -1, "0.0 mq_receive - -1 errno=EBADF");
}

static void ready(void)
{
	struct pollfd p = {q, POLLIN, 0};
	struct epoll_event e = {.events = EPOLLIN};
	int ep = epoll_create1(0);
	struct sigevent how = {.sigev_notify = SIGEV_NONE};

	EXPECT(mq_notify(q, &how), 0, "0.0 mq_notify queue:$q 0");
	EXPECT(mq_notify(q, NULL), 0, "0.0 mq_notify queue:$q 0");
	CHECK(epoll_ctl(ep, EPOLL_CTL_ADD, q, &e) == 0);
	EXPECT(mq_send(q, "ready", 5, 0), 0, "0.0 mq_send queue:$q 0 bytes=5 offset=3 arg=-");
	EXPECT(poll(&p, 1, -1), 1, "0.0 poll - 1 ready=queue:$q:in");
	EXPECT(epoll_wait(ep, &e, 1, -1), 1, "0.0 epoll_wait epoll:* 1 ready=queue:$q:in");
	EXPECT(mq_receive(q, b, 64, NULL), 5, "0.0 mq_receive queue:$q 5 bytes=5 offset=3 arg=-");
	close(ep);
}

/* A child inherits the queue's descriptor and also opens the queue itself: both fds are one object with
 * one message count. */
static void shared(void)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		mqd_t mine = __mq_open_2(name, O_RDWR);

		expect("1.0 __mq_open_2 queue:$q *");
		CHECK(mine >= 0 && mq_send(q, "one", 3, 2) == 0);
		expect("1.0 mq_send queue:$q 0 offset=4 arg=2");
		CHECK(mq_send(mine, "two!", 4, 2) == 0);
		expect("1.0 mq_send queue:$q 0 offset=5 arg=2");
		CHECK(mq_close(mine) == 0);
		expect("1.0 mq_close queue:$q 0 arg=- count=*");
		_exit(0);
	}
	EXPECT(mq_receive(q, b, 64, NULL), 3, "0.0 mq_receive queue:$q 3 offset=4 arg=2");
	EXPECT(mq_receive(q, b, 64, NULL), 4, "0.0 mq_receive queue:$q 4 offset=5 arg=2");
	CHECK(waitpid(child, &status, 0) == child && status == 0);
}

/* An untraced process puts a message into the queue. */
static void untraced(void)
{
	CHECK(syscall(SYS_mq_timedsend, q, "x", 1, 0, NULL) == 0);
	EXPECT(mq_close(q), 0, "0.0 mq_close queue:$q 0 arg=1 count=2");
}

/* Tests messages that were in the queue before its first open. */
static void before(void)
{
	q = (mqd_t)syscall(SYS_mq_open, name + 1, O_CREAT | O_EXCL | O_RDWR, 0600, NULL);
	CHECK(q >= 0 && syscall(SYS_mq_timedsend, q, "old", 3, 0, NULL) == 0);
	EXPECT(mq_send(q, "new", 3, 0), 0, "0.0 mq_send queue:$later 0 offset=1");
	EXPECT(mq_receive(q, b, 8192, NULL), 3, "0.0 mq_receive queue:$later 3 offset=0");
	EXPECT(mq_receive(q, b, 8192, NULL), 3, "0.0 mq_receive queue:$later 3 offset=1");
	EXPECT(mq_close(q), 0, "0.0 mq_close queue:$later 0 arg=1 count=1 flags=");
}

int main(void)
{
	expect("ignore epoll_create1 epoll_ctl close fork waitpid _exit");
	snprintf(name, sizeof(name), "/syntrace-test-%d", (int)getpid());
	q = open_queue(O_RDWR);
	if (q < 0 && errno != EEXIST) {
		fprintf(stderr, "no message queues here\n");
		return 77;
	}
	CHECK(q >= 0);
	expect("0.0 mq_open queue:$q %d count=1", (int)q);
	EXPECT(open_queue(O_RDWR), -1, "0.0 mq_open - -1 errno=EEXIST");
	moving();
	ready();
	shared();
	untraced();
	EXPECT(mq_unlink(name), 0, "0.0 mq_unlink - 0");
	before();
	EXPECT(mq_unlink(name), 0, "0.0 mq_unlink - 0");
	EXPECT(mq_unlink(name), -1, "0.0 mq_unlink - -1 errno=ENOENT");
	return 0;
}
