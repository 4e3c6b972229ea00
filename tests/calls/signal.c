/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Tests every way to send a signal, every way to accept a signal without a handler, and sends that do
 * not return. */
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/pidfd.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "tests/calls/expect.h"

static sigset_t set;
static const int one = SIGUSR1, two = SIGUSR2;

/* Tests a send to this process or group: the event signal_sending comes first, and both events have the
 * same fields. */
#define SENT(call_, name_, number_, fields_, ...)                                                  \
	do {                                                                                       \
		expect("0.0 signal_sending signal:0x%x 0 flags= " fields_, number_,                \
		       ##__VA_ARGS__);                                                             \
		errno = 0xbeef;                                                                    \
		CHECK((call_) == 0 && errno == 0xbeef);                                            \
		expect("0.0 " name_ " signal:0x%x 0 flags= " fields_, number_, ##__VA_ARGS__);     \
	} while (0)

/* Accepts the signal NUMBER_ and checks its si_code, which sigwaitinfo returns. */
#define TAKEN(number_, code_)                                                                      \
	do {                                                                                       \
		siginfo_t info_;                                                                   \
		errno = 0xbeef;                                                                    \
		CHECK(sigwaitinfo(&set, &info_) == (number_) && errno == 0xbeef);                  \
		CHECK(info_.si_pid == getpid() && info_.si_code == (code_));                       \
		expect("0.0 sigwaitinfo signal:0x%x %d sender=%d code=%d flags=", number_,         \
		       number_, (int)getpid(), code_);                                             \
	} while (0)

static void senders(void)
{
	int self = (int)getpid(), fd;
	union sigval value = {.sival_int = 7};

	SENT(kill(self, one), "kill", one, "target=%d code=0 thread=-", self);
	TAKEN(one, SI_USER);
	SENT(kill(0, one), "kill", one, "target=- code=0 thread=-");
	TAKEN(one, SI_USER);
	SENT(killpg(getpgrp(), one), "killpg", one, "target=- code=0 thread=-");
	TAKEN(one, SI_USER);
	SENT(raise(two), "raise", two, "target=%d code=-6 thread=0.0", self);
	TAKEN(two, SI_USER); /* libc reports SI_TKILL as SI_USER */
	SENT(gsignal(two), "raise", two, "target=%d code=-6 thread=0.0", self);
	TAKEN(two, SI_USER);
	SENT(tgkill(self, gettid(), one), "tgkill", one, "target=%d code=-6 arg=%d", self,
	     (int)gettid());
	TAKEN(one, SI_USER);
	SENT(syscall(SYS_kill, self, one), "kill", one, "target=%d code=0", self);
	TAKEN(one, SI_USER);
	SENT(syscall(SYS_tgkill, self, gettid(), one), "tgkill", one, "target=%d code=-6 arg=%d",
	     self, (int)gettid());
	TAKEN(one, SI_USER);
	SENT(pthread_kill(pthread_self(), one), "pthread_kill", one,
	     "target=%d code=-6 thread=0.0 arg=1", self);
	TAKEN(one, SI_USER);
	SENT(sigqueue(self, SIGRTMIN, value), "sigqueue", SIGRTMIN, "target=%d code=-1 thread=-",
	     self);
	TAKEN(SIGRTMIN, SI_QUEUE);
	SENT(pthread_sigqueue(pthread_self(), SIGRTMIN, value), "pthread_sigqueue", SIGRTMIN,
	     "target=%d code=-1 thread=0.0", self);
	TAKEN(SIGRTMIN, SI_QUEUE);
	fd = pidfd_open(self, 0);
	CHECK(fd >= 0);
	SENT(pidfd_send_signal(fd, one, NULL, 0), "pidfd_send_signal", one, "target=- code=0");
	TAKEN(one, SI_USER);
	EXPECT(close(fd), 0, "0.0 close - 0");
}

static void refused(void)
{
	int self = (int)getpid();

	EXPECT(kill(self, 0), 0, "0.0 kill - 0 target=%d", self); /* is it there? */
	EXPECT(kill(self, 99), -1, "0.0 kill - -1 errno=EINVAL target=%d", self);
	EXPECT(kill(0x7ffffff0, one), -1, "0.0 kill signal:0x%x -1 errno=ESRCH", one);
	EXPECT(tgkill(self, 0x7ffffff0, one), -1, "0.0 signal_sending signal:0x%x 0", one);
	expect("0.0 tgkill signal:0x%x -1 errno=ESRCH", one);
	EXPECT(raise(-1), -1, "0.0 raise - -1 errno=EINVAL");
	EXPECT(pthread_kill(pthread_self(), 99), EINVAL, "0.0 pthread_kill - %d", EINVAL);
	EXPECT(pidfd_send_signal(99, one, NULL, 0), -1, "0.0 signal_sending signal:0x%x 0", one);
	expect("0.0 pidfd_send_signal signal:0x%x -1 errno=EBADF", one);
}

static void takers(void)
{
	const struct timespec none = {0}, bad = {0, -1};
	int self = (int)getpid(), number = 0;

	SENT(kill(self, two), "kill", two, "");
	errno = 0xbeef;
	EXPECT(sigwait(&set, &number), 0, "0.0 sigwait signal:0x%x 0 sender=%d code=0", two, self);
	CHECK(number == two && errno == 0xbeef);
	SENT(kill(self, one), "kill", one, "");
	EXPECT(sigwaitinfo(&set, NULL), one, "0.0 sigwaitinfo signal:0x%x %d sender=%d", one, one,
	       self);
	SENT(kill(self, one), "kill", one, "");
	EXPECT(sigtimedwait(&set, NULL, &none), one, "0.0 sigtimedwait signal:0x%x %d sender=%d",
	       one, one, self);
	EXPECT(sigtimedwait(&set, NULL, &none), -1, "0.0 sigtimedwait - -1 errno=EAGAIN sender=-");
	EXPECT(sigtimedwait(&set, NULL, &bad), -1, "0.0 sigtimedwait - -1 errno=EINVAL");
	alarm(1);
	EXPECT(sigwaitinfo(&set, NULL), SIGALRM, "0.0 sigwaitinfo signal:0x%x %d sender=- code=128",
	       SIGALRM, SIGALRM);
}

static void with_signalfd(void)
{
	struct signalfd_siginfo info[4];
	/* the pieces of this vector do not fit the signal's structs */
	struct iovec parts[3] = {{info, 100}, {(char *)info + 100, 1}, {(char *)info + 101, 300}};
	int self = (int)getpid(), fd;

	EXPECT((fd = signalfd(-1, &set, SFD_NONBLOCK)) >= 0, 1, "0.0 signalfd signalfd:$fd %d", fd);
	EXPECT(read(fd, info, sizeof(info)), -1, "0.0 read signalfd:$fd -1 errno=EAGAIN");
	SENT(kill(self, two), "kill", two, "");
	SENT(raise(one), "raise", one, "");
	EXPECT(read(fd, info, sizeof(info)), 2 * (long)sizeof(*info),
	       "0.0 read signalfd:$fd 256 count=2 bytes=256");
	expect("0.0 signal_taken signal:0x%x 0 sender=%d code=-6", one, self); /* lowest first */
	expect("0.0 signal_taken signal:0x%x 0 sender=%d code=0", two, self);
	SENT(kill(self, two), "kill", two, "");
	SENT(raise(SIGRTMIN), "raise", SIGRTMIN, "");
	EXPECT(readv(fd, parts, 3), 2 * (long)sizeof(*info), "0.0 readv signalfd:$fd 256 count=2");
	expect("0.0 signal_taken signal:0x%x 0 sender=%d code=-6", SIGRTMIN, self);
	expect("0.0 signal_taken signal:0x%x 0 sender=%d code=0", two, self);
	EXPECT(close(fd), 0, "0.0 close signalfd:$fd 0");
}

static sigjmp_buf back;

static void jump(int number)
{
	siglongjmp(back, number);
}

static volatile sig_atomic_t nr_handled;

static void count(int number)
{
	(void)number;
	nr_handled = nr_handled + 1;
}

/* Tests signals whose handler does not return, and a sigwait() that continues after a handler interrupted its wait. */
static void handlers(void)
{
	int self = (int)getpid();
	siginfo_t info;
	sigset_t all;

	sigfillset(&all);
	signal(SIGHUP, jump);
	if (!sigsetjmp(back, 1)) {
		expect("0.0 signal_sending signal:0x%x 0 target=%d", SIGHUP, self);
		raise(SIGHUP);
		CHECK(!"came back");
	}
	signal(SIGHUP, count);
	SENT(raise(SIGHUP), "raise", SIGHUP, "");
	CHECK(nr_handled == 1);
	struct sigaction a = {.sa_handler = count};
	sigdelset(&set, SIGALRM);
	sigaction(SIGALRM, &a, NULL);
	sigprocmask(SIG_UNBLOCK, &all, NULL);
	sigprocmask(SIG_BLOCK, &set, NULL);
	alarm(1);
	EXPECT(sigwaitinfo(&set, &info), -1, "0.0 sigwaitinfo - -1 errno=EINTR");
	CHECK(nr_handled == 2);
}

/* Two processes: the child is killed by its own hand. */
static void dies(int number, bool by_kill)
{
	int status;
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid == 0) {
		expect("%d.0 signal_sending signal:0x%x 0 target=%d", by_kill ? 2 : 1, number,
		       (int)getpid());
		if (by_kill)
			kill(getpid(), number);
		else
			raise(number);
		CHECK(!"survived");
	}
	expect("0.0 fork - %d", (int)pid);
	CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) && WTERMSIG(status) == number);
	expect("0.0 waitpid - %d status=%d", (int)pid, status);
}

static void *waits(void *arg)
{
	int number;

	CHECK(sigwait(&set, &number) == 0 && number == two);
	expect("0.1 sigwait signal:0x%x 0 sender=%d code=0", two, (int)getpid());
	return arg;
}

static void *is_cancelled(void *arg)
{
	/* the cancellation is pending and takes effect at the next cancellation point */
	sigwaitinfo(&set, NULL);
	CHECK(!"cancelled");
	return arg;
}

int main(void)
{
	pthread_t t;
	void *rv;

	signal(SIGTERM, SIG_DFL);
	setpgid(0, 0);
	expect("ignore pthread_create pthread_join pthread_cancel pthread_once");
	sigemptyset(&set);
	sigaddset(&set, one);
	sigaddset(&set, two);
	sigaddset(&set, SIGRTMIN);
	sigaddset(&set, SIGALRM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	senders();
	refused();
	takers();
	with_signalfd();
	CHECK(pthread_create(&t, NULL, waits, NULL) == 0);
	expect("0.0 signal_sending signal:0x%x 0 thread=0.1", two);
	CHECK(pthread_kill(t, two) == 0);
	expect("0.0 pthread_kill signal:0x%x 0 thread=0.1", two);
	CHECK(pthread_join(t, NULL) == 0);
	CHECK(pthread_create(&t, NULL, is_cancelled, NULL) == 0);
	CHECK(pthread_cancel(t) == 0 && pthread_join(t, &rv) == 0 && rv == PTHREAD_CANCELED);
	handlers();
	dies(SIGTERM, false);
	dies(SIGKILL, true);
	return 0;
}
