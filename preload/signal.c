/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Wrappers of calls that send signals, and of calls that accept signals without a handler. Signals delivered to
 * a handler are not recorded: a wrapper of sigaction would be visible (SA_RESETHAND, SA_SIGINFO, the returned
 * old action).
 *
 * A signal to the own process may end the process, or its handler may not return. So the wrapper records the
 * event signal_sending before the real call, and the event of the call itself after the real call has returned.
 *
 * A wrapper never tries first: the wait would lose a signal that comes between the try and the wait.
 */
#include <sys/signalfd.h>

#include "preload/io.h"
#include "preload/syscall.h"
#include "preload/thread.h"
#include "runtime/mark.h"
#include "runtime/session.h"

/* Value of an event's `arg` if the signal goes to one thread; the field `thread` names that thread if it is
 * known. */
#define TO_THREAD 1

#define NR_SIGNALS 64

static uint32_t signal_object(int number)
{
	return number > 0 && number <= NR_SIGNALS
	               ? syt_object_numbered(SYT_KIND_SIGNAL, (uint32_t)number)
	               : 0;
}

/* ---- sending ---- */

static void begin_send(struct syt_frame *f, const struct syt_event *e, bool may_not_return)
{
	syt_capture(f);
	syt_stamp_in(f);
	if (syt_mark_may())
		syt_mark_signal(e->object, e->pid);
	if (!may_not_return || !e->object)
		return;
	struct syt_event sending = *e;

	sending.call = SYT_CALL_signal_sending;
	syt_leave_in(f, &sending);
}

static void end_send(struct syt_frame *f, struct syt_event *e, int rv)
{
	syt_stamp_out(f);
	syt_result(e, rv);
	syt_leave_in(f, e);
}

/* Defines the body of a wrapper. CODE_ is the si_code that the receiver sees. MAY_NOT_RETURN_ is
 * true if this process may be a target. The other arguments are members of the event. */
#define SEND(name_, real_, params_, args_, number_, code_, may_not_return_, ...)                   \
	{                                                                                          \
		SYT_ENTER_OR_FORWARD(SYT_ENTER_USE, f, real_, args_);                              \
		struct syt_event e = {.call = SYT_CALL_##name_,                                    \
		                      .object = signal_object(number_),                            \
		                      .status = (uint32_t)(code_),                                 \
		                      __VA_ARGS__};                                                \
		begin_send(&f, &e, (may_not_return_));                                             \
		int rv = SYT_REAL(real_) args_;                                                    \
		end_send(&f, &e, rv);                                                              \
		return rv;                                                                         \
	}

static bool is_self(pid_t pid)
{
	return pid <= 0 || (uint32_t)pid == syt_session_pid();
}

static uint64_t positive(pid_t pid)
{
	return pid > 0 ? (uint64_t)pid : 0;
}

/* clang-format off */
SYT_EXPORT int kill(pid_t pid, int number)
SEND(kill, kill, (pid_t pid, int number), (pid, number), number, SI_USER, is_self(pid), .pid = positive(pid))

SYT_EXPORT int killpg(pid_t group, int number)
SEND(killpg, killpg, (pid_t group, int number), (group, number), number, SI_USER, true, .pid = 0)

SYT_EXPORT int sigqueue(pid_t pid, int number, const union sigval value)
SEND(sigqueue, sigqueue, (pid_t pid, int number, const union sigval value), (pid, number, value), number,
     SI_QUEUE, is_self(pid), .pid = positive(pid))

/* The target of a pidfd is recorded as unknown, because the recorder would have to read a file to find its
 * process. The kernel passes INFO to the receiver. */
SYT_EXPORT int pidfd_send_signal(int fd, int number, siginfo_t *info, unsigned flags)
SEND(pidfd_send_signal, pidfd_send_signal, (int fd, int number, siginfo_t *info, unsigned flags),
     (fd, number, info, flags), number, info ? SI_QUEUE : SI_USER, true, .pid = 0)

SYT_EXPORT int raise(int number)
SEND(raise, raise, (int number), (number), number, SI_TKILL, true, .pid = syt_session_pid(),
     .thread = (uint64_t)syt_self() + 1, .arg = TO_THREAD)

SYT_EXPORT int tgkill(pid_t pid, pid_t tid, int number)
SEND(tgkill, tgkill, (pid_t pid, pid_t tid, int number), (pid, tid, number), number, SI_TKILL, is_self(pid),
     .pid = positive(pid), .arg = positive(tid))

SYT_EXPORT int pthread_kill(pthread_t handle, int number)
SEND(pthread_kill, pthread_kill, (pthread_t handle, int number), (handle, number), number, SI_TKILL, true,
     .pid = syt_session_pid(), .thread = syt_thread_field(handle), .arg = TO_THREAD)

SYT_EXPORT int pthread_sigqueue(pthread_t handle, int number, const union sigval value)
SEND(pthread_sigqueue, pthread_sigqueue, (pthread_t handle, int number, const union sigval value),
     (handle, number, value), number, SI_QUEUE, true,
     .pid = syt_session_pid(), .thread = syt_thread_field(handle), .arg = TO_THREAD)

#if defined(__x86_64__)
SYT_EXPORT __typeof__(pthread_kill) pthread_kill_old;

int pthread_kill_old(pthread_t handle, int number)
SEND(pthread_kill, pthread_kill_old, (pthread_t handle, int number), (handle, number), number, SI_TKILL, true,
     .pid = syt_session_pid(), .thread = syt_thread_field(handle), .arg = TO_THREAD)
SYT_EXPORT_OLD(pthread_kill, V2_2_5);
#endif
/* clang-format on */

/* ---- accepting without a handler ---- */

static bool has_sender(int code)
{
	return code == SI_USER || code == SI_QUEUE || code == SI_TKILL || code == SI_MESGQ;
}

/* Copies the kernel's description of an accepted signal into the event. */
static void describe(struct syt_event *e, int number, int code, pid_t sender, int timer)
{
	e->object = signal_object(number);
	e->status = (uint32_t)code;
	if (code == SI_TIMER)
		e->object2 = syt_object(SYT_KIND_TIMER, (const void *)(intptr_t)timer);
	if (has_sender(code) || (number == SIGCHLD && code > 0))
		e->pid = positive(sender);
}

static void begin_take(struct syt_frame *f, const struct syt_event *e)
{
	syt_capture(f);
	syt_stamp_wait(f, e);
}

/* Ends the recording of a call that accepts signals. NUMBER is the accepted signal, or not positive if
 * there was none. */
static int end_take(struct syt_frame *f, struct syt_event *e, int rv, int number,
                    const siginfo_t *info)
{
	syt_stamp_out(f);
	if (number > 0)
		describe(e, number, info->si_code, info->si_pid, info->si_timerid);
	return syt_leave_out_int(f, e, rv);
}

/* Works like libc's sigwait, but keeps the sender, which libc discards. */
SYT_EXPORT int sigwait(const sigset_t *restrict set, int *restrict number)
{
	siginfo_t info;
	int rv;

	SYT_ENTER_OR_FORWARD(SYT_ENTER_USE, f, sigwait, (set, number));
	struct syt_event e = {.call = SYT_CALL_sigwait};
	begin_take(&f, &e);
	do
		rv = SYT_REAL(sigtimedwait)(set, &info, NULL);
	while (rv < 0 && errno == EINTR);
	if (rv < 0)
		return end_take(&f, &e, errno, 0, &info);
	*number = rv;
	return end_take(&f, &e, 0, rv, &info);
}

SYT_EXPORT int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info)
{
	siginfo_t unwanted;

	SYT_ENTER_OR_FORWARD(SYT_ENTER_USE, f, sigwaitinfo, (set, info));
	struct syt_event e = {.call = SYT_CALL_sigwaitinfo};
	if (!info)
		info = &unwanted;
	begin_take(&f, &e);
	int rv = SYT_REAL(sigwaitinfo)(set, info);
	return end_take(&f, &e, rv, rv, info);
}

SYT_EXPORT int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info,
                            const struct timespec *restrict limit)
{
	siginfo_t unwanted;

	SYT_ENTER_OR_FORWARD(SYT_ENTER_USE, f, sigtimedwait, (set, info, limit));
	struct syt_event e = {.call = SYT_CALL_sigtimedwait};
	if (!info)
		info = &unwanted;
	begin_take(&f, &e);
	int rv = SYT_REAL(sigtimedwait)(set, info, limit);
	return end_take(&f, &e, rv, rv, info);
}

/* Copies BYTES of the data that the vector IOV describes, from offset AT on. Returns false if the vector
 * has fewer bytes. */
static bool gather(void *to, size_t bytes, size_t at, const struct iovec *iov, int nr)
{
	char *q = to;

	for (int i = 0; i < nr && bytes; i++) {
		if (at >= iov[i].iov_len) {
			at -= iov[i].iov_len;
			continue;
		}
		size_t part = iov[i].iov_len - at;

		part = part < bytes ? part : bytes;
		__builtin_memcpy(q, (const char *)iov[i].iov_base + at, part);
		q += part;
		bytes -= part;
		at = 0;
	}
	return !bytes;
}

void syt_signals_taken(const struct syt_frame *f, const struct syt_moved *m)
{
	struct signalfd_siginfo info;

	for (size_t at = 0; at + sizeof(info) <= m->bytes; at += sizeof(info)) {
		if (!gather(&info, sizeof(info), at, m->vector, m->nr_vector))
			return;

		struct syt_event e = {.call = SYT_CALL_signal_taken};
		struct syt_frame taken = *f;

		describe(&e, (int)info.ssi_signo, info.ssi_code, (pid_t)info.ssi_pid,
		         (int)info.ssi_tid);
		syt_leave_out(&taken, &e);
	}
}

/* ---- through syscall() ---- */

static long send_syscall(const struct syt_syscall *r, struct syt_event e, int number,
                         bool may_not_return)
{
	struct syt_frame f;

	if (!syt_enter_use(&f, r->fp, SYT_CALL_NONE))
		return syt_syscall_forward(r);
	e.object = signal_object(number);
	begin_send(&f, &e, may_not_return);
	int rv = (int)syt_syscall_forward(r);
	end_send(&f, &e, rv);
	return rv;
}

long syt_syscall_kill(const struct syt_syscall *r)
{
	pid_t pid = (pid_t)r->a[0];

	return send_syscall(r,
	                    (struct syt_event){.call = SYT_CALL_kill,
	                                       .status = (uint32_t)SI_USER,
	                                       .pid = positive(pid)},
	                    (int)r->a[1], is_self(pid));
}

long syt_syscall_tgkill(const struct syt_syscall *r)
{
	pid_t pid = (pid_t)r->a[0];

	return send_syscall(r,
	                    (struct syt_event){.call = SYT_CALL_tgkill,
	                                       .status = (uint32_t)SI_TKILL,
	                                       .pid = positive(pid),
	                                       .arg = positive((pid_t)r->a[1])},
	                    (int)r->a[2], is_self(pid));
}

long syt_syscall_pidfd_send_signal(const struct syt_syscall *r)
{
	return send_syscall(r,
	                    (struct syt_event){.call = SYT_CALL_pidfd_send_signal,
	                                       .status = (uint32_t)(r->a[2] ? SI_QUEUE : SI_USER)},
	                    (int)r->a[1], true);
}
