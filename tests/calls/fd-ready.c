/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* eventfd, timerfd, signalfd, and every way to wait until an fd is ready. */
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "tests/calls/expect.h"

int __poll_chk(struct pollfd *fds, nfds_t nr, int limit, size_t room);
int __ppoll_chk(struct pollfd *fds, nfds_t nr, const struct timespec *limit, const sigset_t *set,
                size_t room);

static int event, epoll;

static void counters(void)
{
	eventfd_t value = 5;
	int s;

	EXPECT((event = eventfd(3, 0)) >= 0, 1, "0.0 eventfd eventfd:$eventfd1 %d flags=", event);
	EXPECT(eventfd_write(event, 4), 0,
	       "0.0 eventfd_write eventfd:$eventfd1 0 bytes=4 offset=3 flags=");
	EXPECT(write(event, &value, 8), 8, "0.0 write eventfd:$eventfd1 8 bytes=5 offset=7 flags=");
	EXPECT(read(event, &value, 8), 8, "0.0 read eventfd:$eventfd1 8 bytes=12 offset=0 flags=");
	EXPECT(eventfd_write(event, 1), 0,
	       "0.0 eventfd_write eventfd:$eventfd1 0 bytes=1 offset=12 flags=");
	EXPECT(eventfd_read(event, &value), 0,
	       "0.0 eventfd_read eventfd:$eventfd1 0 bytes=1 offset=12 flags=");
	EXPECT((s = eventfd(0, EFD_SEMAPHORE | EFD_NONBLOCK)) >= 0, 1,
	       "0.0 eventfd eventfd:$eventfd2 %d flags=", s);
	EXPECT(eventfd_write(s, 2), 0,
	       "0.0 eventfd_write eventfd:$eventfd2 0 bytes=2 offset=0 flags=");
	EXPECT(eventfd_read(s, &value), 0,
	       "0.0 eventfd_read eventfd:$eventfd2 0 bytes=1 offset=0 flags=");
	EXPECT(eventfd_read(s, &value), 0,
	       "0.0 eventfd_read eventfd:$eventfd2 0 bytes=1 offset=1 flags=");
	EXPECT(eventfd_read(s, &value), -1,
	       "0.0 eventfd_read eventfd:$eventfd2 -1 errno=EAGAIN flags=");
	EXPECT(close(s), 0, "0.0 close eventfd:$eventfd2 0 arg=1 flags=");
}

static void with_epoll(void)
{
	struct epoll_event e = {.events = EPOLLIN, .data.ptr = &epoll}, got[4];
	struct timespec soon = {.tv_nsec = 1000};
	int copy, old;

	EXPECT((old = epoll_create(1)) >= 0, 1, "0.0 epoll_create epoll:$epoll1 %d flags=", old);
	EXPECT(close(old), 0, "0.0 close epoll:$epoll1 0 arg=1 flags=");
	EXPECT((epoll = epoll_create1(EPOLL_CLOEXEC)) >= 0, 1,
	       "0.0 epoll_create1 epoll:$epoll2 %d flags=", epoll);
	EXPECT(epoll_ctl(epoll, EPOLL_CTL_ADD, event, &e), 0,
	       "0.0 epoll_ctl epoll:$epoll2 0 object2=eventfd:$eventfd1 arg=1 flags=");
	EXPECT(epoll_ctl(epoll, EPOLL_CTL_ADD, event, &e), -1,
	       "0.0 epoll_ctl epoll:$epoll2 -1 errno=EEXIST object2=eventfd:$eventfd1 arg=1 "
	       "flags=");
	EXPECT(epoll_ctl(epoll, EPOLL_CTL_ADD, event, NULL), -1,
	       "0.0 epoll_ctl epoll:$epoll2 -1 errno=EFAULT object2=eventfd:$eventfd1 arg=1 "
	       "flags=");
	EXPECT(epoll_ctl(epoll, EPOLL_CTL_ADD, event, (void *)4096), -1,
	       "0.0 epoll_ctl epoll:$epoll2 -1 errno=EFAULT object2=eventfd:$eventfd1 arg=1 "
	       "flags=");
	EXPECT(epoll_wait(epoll, got, 4, 0), 0, "0.0 epoll_wait epoll:$epoll2 0 flags=");
	EXPECT(eventfd_write(event, 1), 0,
	       "0.0 eventfd_write eventfd:$eventfd1 0 bytes=1 offset=13 flags=");
	EXPECT(epoll_wait(epoll, got, 4, -1), 1,
	       "0.0 epoll_wait epoll:$epoll2 1 count=1 ready=eventfd:$eventfd1:in flags=");
	e.events |= EPOLLOUT;
	e.data.u64 = 77;
	EXPECT(epoll_ctl(epoll, EPOLL_CTL_MOD, event, &e), 0,
	       "0.0 epoll_ctl epoll:$epoll2 0 object2=eventfd:$eventfd1 arg=3 flags=");
	EXPECT(epoll_pwait(epoll, got, 4, -1, NULL), 1,
	       "0.0 epoll_pwait epoll:$epoll2 1 count=1 ready=eventfd:$eventfd1:in+out flags=");
	/* a second fd of the same endpoint with the same epoll data is not ambiguous */
	EXPECT((copy = dup(event)) >= 0, 1, "0.0 dup eventfd:$eventfd1 %d flags=", copy);
	EXPECT(epoll_ctl(epoll, EPOLL_CTL_ADD, copy, &e), 0,
	       "0.0 epoll_ctl epoll:$epoll2 0 object2=eventfd:$eventfd1 arg=1 flags=");
	EXPECT(epoll_pwait2(epoll, got, 4, &soon, NULL), 2,
	       "0.0 epoll_pwait2 epoll:$epoll2 2 count=2 "
	       "ready=eventfd:$eventfd1:in+out,eventfd:$eventfd1:in+out flags=");
	EXPECT(epoll_ctl(epoll, EPOLL_CTL_DEL, copy, NULL), 0,
	       "0.0 epoll_ctl epoll:$epoll2 0 object2=eventfd:$eventfd1 arg=2 flags=");
	EXPECT(epoll_ctl(epoll, EPOLL_CTL_MOD, event, &e), 0,
	       "0.0 epoll_ctl epoll:$epoll2 0 object2=eventfd:$eventfd1 arg=3 flags=");
	EXPECT(close(copy), 0, "0.0 close eventfd:$eventfd1 0 flags=");
	/* a different endpoint with the same epoll data is ambiguous */
	EXPECT((copy = eventfd(1, 0)) >= 0, 1, "0.0 eventfd eventfd:$eventfd3 %d flags=", copy);
	EXPECT(epoll_ctl(epoll, EPOLL_CTL_ADD, copy, &e), 0,
	       "0.0 epoll_ctl epoll:$epoll2 0 object2=eventfd:$eventfd3 arg=1 flags=");
	EXPECT(epoll_wait(epoll, got, 1, -1), 1,
	       "0.0 epoll_wait epoll:$epoll2 1 count=1 ready=?:in+out flags=");
	EXPECT(close(copy), 0, "0.0 close eventfd:$eventfd3 0 arg=1 flags=");
	EXPECT(epoll_wait(99, got, 1, -1), -1, "0.0 epoll_wait - -1 errno=EBADF flags=");
}

static void with_poll(void)
{
	struct pollfd p[2] = {{.fd = epoll, .events = POLLOUT},
	                      {.fd = event, .events = POLLIN | POLLOUT}};
	struct timespec none = {0};
	struct timeval no_time = {0};
	fd_set in, out;

	EXPECT(poll(p, 2, -1), 1, "0.0 poll - 1 count=1 ready=eventfd:$eventfd1:in+out flags=");
	EXPECT(__poll_chk(p, 2, -1, sizeof(p)), 1,
	       "0.0 __poll_chk - 1 count=1 ready=eventfd:$eventfd1:in+out flags=");
	EXPECT(ppoll(p, 1, &none, NULL), 0, "0.0 ppoll - 0 flags=");
	EXPECT(__ppoll_chk(p, 2, NULL, NULL, sizeof(p)), 1,
	       "0.0 __ppoll_chk - 1 count=1 ready=eventfd:$eventfd1:in+out flags=");
	FD_ZERO(&in);
	FD_ZERO(&out);
	FD_SET(event, &in);
	FD_SET(event, &out);
	EXPECT(select(event + 1, &in, &out, NULL, NULL), 2,
	       "0.0 select - 2 count=1 ready=eventfd:$eventfd1:in+out flags=");
	FD_ZERO(&in);
	EXPECT(select(event + 1, &in, NULL, NULL, &no_time), 0, "0.0 select - 0 flags=");
	EXPECT(pselect(event + 1, NULL, &out, NULL, NULL, NULL), 1,
	       "0.0 pselect - 1 count=1 ready=eventfd:$eventfd1:out flags=");
	EXPECT(select(-1, &in, NULL, NULL, NULL), -1, "0.0 select - -1 errno=EINVAL flags=");
}

static void others(void)
{
	struct itimerspec soon = {.it_value = {.tv_nsec = 1000}};
	struct signalfd_siginfo info;
	uint64_t times;
	sigset_t set;
	int t, s;

	EXPECT((t = timerfd_create(CLOCK_MONOTONIC, 0)) >= 0, 1,
	       "0.0 timerfd_create timerfd:$timerfd1 %d flags=", t);
	EXPECT(timerfd_settime(t, 0, &soon, NULL), 0,
	       "0.0 timerfd_settime timerfd:$timerfd1 0 flags=");
	EXPECT(read(t, &times, 8), 8, "0.0 read timerfd:$timerfd1 8 bytes=8 flags=nooffset");
	EXPECT(close(t), 0, "0.0 close timerfd:$timerfd1 0 arg=1 flags=");
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	EXPECT((s = signalfd(-1, &set, 0)) >= 0, 1,
	       "0.0 signalfd signalfd:$signalfd1 %d flags=", s);
	EXPECT(signalfd(s, &set, 0), s, "0.0 signalfd signalfd:$signalfd1 %d flags=", s);
	expect("ignore signal_sending raise");
	raise(SIGUSR1);
	EXPECT(read(s, &info, sizeof(info)), sizeof(info),
	       "0.0 read signalfd:$signalfd1 128 bytes=128 count=1 flags=nooffset");
	expect("0.0 signal_taken signal:0x%x 0 sender=%d code=-6", SIGUSR1, (int)getpid());
	EXPECT(close(s), 0, "0.0 close signalfd:$signalfd1 0 arg=1 flags=");
}

int main(void)
{
	counters();
	with_epoll();
	with_poll();
	others();
	return 0;
}
