/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Fork, wait and exit. The wrapper of a call that may not return records its event before the real call. */
#include "preload/env.h"
#include "preload/syscall.h"
#include "preload/wrap.h"
#include "runtime/endpoint.h"
#include "runtime/session.h"

static void begin_child(uint64_t before)
{
	syt_environ_fork_child();
	syt_session_fork_child(before);
}

/* Records a fork in the parent. PID is the result of the fork, which this function returns. */
static pid_t forked(struct syt_frame *f, struct syt_event *e, pid_t pid)
{
	syt_stamp_out(f);
	e->pid = pid > 0 ? (uint64_t)pid : 0;
	return syt_leave_in_int(f, e, pid);
}

#define FORK(name_)                                                                                \
	SYT_EXPORT pid_t name_(void)                                                               \
	{                                                                                          \
		SYT_ENTER_OR_FORWARD(SYT_ENTER, f, name_, ());                                     \
		struct syt_event e = {.call = SYT_CALL_##name_};                                   \
		syt_stamp_in(&f);                                                                  \
		uint64_t before = syt_session_before_fork();                                       \
		pid_t pid = SYT_REAL(name_)();                                                     \
		if (pid)                                                                           \
			return forked(&f, &e, pid);                                                \
		begin_child(before);                                                               \
		return 0;                                                                          \
	}

FORK(fork)
FORK(_Fork)

/* In daemon(), libc forks and the parent exits, so the wrapper learns the child's pid too late. */
SYT_EXPORT int daemon(int nochdir, int noclose)
{
	SYT_ENTER_OR_FORWARD(SYT_ENTER, f, daemon, (nochdir, noclose));
	struct syt_event e = {.call = SYT_CALL_daemon};
	syt_stamp_in(&f);
	syt_leave_in(&f, &e);
	int rv = SYT_REAL(daemon)(nochdir, noclose);
	if (rv == 0)
		syt_environ_fork_child();
	syt_session_check_fork();
	for (int fd = 0; rv == 0 && !noclose && fd < 3; fd++)
		syt_endpoint_forget(fd);
	return rv;
}

/* libc calls openpty, fork and login_tty internally. */
SYT_EXPORT int forkpty(int *master, char *name, const struct termios *how,
                       const struct winsize *size)
{
	SYT_ENTER_OR_FORWARD(SYT_ENTER, f, forkpty, (master, name, how, size));
	struct syt_event e = {.call = SYT_CALL_forkpty};
	syt_stamp_in(&f);
	uint64_t before = syt_session_before_fork();
	int pid = SYT_REAL(forkpty)(master, name, how, size);
	if (pid) {
		if (pid > 0)
			syt_endpoint_forget(*master);
		return forked(&f, &e, pid);
	}
	begin_child(before);
	for (int fd = 0; fd < 3; fd++)
		syt_endpoint_forget(fd);
	return 0;
}

/* Makes and records a wait for a child. In libc, wait, waitpid, wait3 and wait4 use one system call, and
 * all are cancellation points. */
static pid_t wait_recorded(struct syt_frame *f, enum syt_call call, pid_t pid, int *status,
                           int options, struct rusage *usage)
{
	struct syt_event e = {.call = call};
	int unwanted;
	pid_t rv = 0;

	if (!status)
		status = &unwanted;
	syt_capture(f);
	if (!(options & WNOHANG)) {
		rv = SYT_REAL(wait4)(pid, status, options | WNOHANG, usage);
		if (rv == 0)
			syt_block(f, &e);
	}
	if (rv == 0)
		rv = SYT_REAL(wait4)(pid, status, options, usage);
	syt_stamp_out(f);
	if (rv > 0) {
		e.pid = (uint64_t)rv;
		e.status = (uint64_t)(uint32_t)*status;
	}
	return syt_leave_out_int(f, &e, rv);
}

SYT_EXPORT pid_t wait(int *status)
{
	SYT_ENTER_OR_FORWARD(SYT_ENTER, f, wait, (status));
	return wait_recorded(&f, SYT_CALL_wait, -1, status, 0, NULL);
}

SYT_EXPORT pid_t waitpid(pid_t pid, int *status, int options)
{
	SYT_ENTER_OR_FORWARD(SYT_ENTER, f, waitpid, (pid, status, options));
	return wait_recorded(&f, SYT_CALL_waitpid, pid, status, options, NULL);
}

SYT_EXPORT pid_t wait3(int *status, int options, struct rusage *usage)
{
	SYT_ENTER_OR_FORWARD(SYT_ENTER, f, wait3, (status, options, usage));
	return wait_recorded(&f, SYT_CALL_wait3, -1, status, options, usage);
}

SYT_EXPORT pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
	SYT_ENTER_OR_FORWARD(SYT_ENTER, f, wait4, (pid, status, options, usage));
	return wait_recorded(&f, SYT_CALL_wait4, pid, status, options, usage);
}

/* Returns the status that wait4 would have returned. */
static uint64_t wait_status(const siginfo_t *info)
{
	unsigned status = (unsigned)info->si_status;

	switch (info->si_code) {
	case CLD_EXITED:
		return (status & 0xff) << 8;
	case CLD_KILLED:
		return status & 0x7f;
	case CLD_DUMPED:
		return (status & 0x7f) | 0x80;
	case CLD_CONTINUED:
		return 0xffff;
	default: /* stopped or trapped */
		return (status & 0xff) << 8 | 0x7f;
	}
}

SYT_EXPORT int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
	siginfo_t unwanted;
	int rv = 0;

	SYT_ENTER_OR_FORWARD(SYT_ENTER, f, waitid, (type, id, info, options));
	struct syt_event e = {.call = SYT_CALL_waitid};
	if (!info)
		info = &unwanted;
	info->si_pid = 0;
	syt_capture(&f);
	if (!(options & WNOHANG)) {
		rv = SYT_REAL(waitid)(type, id, info, options | WNOHANG);
		if (rv == 0 && info->si_pid == 0)
			syt_block(&f, &e);
	}
	if (rv == 0 && info->si_pid == 0)
		rv = SYT_REAL(waitid)(type, id, info, options);
	syt_stamp_out(&f);
	if (rv == 0 && info->si_pid > 0) {
		e.pid = (uint64_t)info->si_pid;
		e.status = wait_status(info);
		if (options & WNOWAIT)
			e.flags = SYT_EVENT_PEEK;
	}
	return syt_leave_out_int(&f, &e, rv);
}

/* ---- exit ---- */

/* Records an exit with STATUS from the wrapper whose frame is FP. */
static void record_exit(const void *fp, enum syt_call call, int status)
{
	struct syt_event e = {.call = call, .result = status};
	struct syt_frame f;

	if (!syt_enter(&f, fp))
		return;
	syt_stamp_in(&f);
	syt_leave_in(&f, &e);
}

/* The program's exit handlers run inside the real exit() and may record events. preload/init.c records the
 * end of the process later. */
SYT_EXPORT void exit(int status)
{
	record_exit(__builtin_frame_address(0), SYT_CALL_exit, status & 0xff);
	SYT_REAL(exit)(status);
	__builtin_unreachable();
}

/* Defines the wrapper of a function that ends the process at once. */
#define EXIT(call_, name_)                                                                         \
	SYT_EXPORT void name_(int status)                                                          \
	{                                                                                          \
		record_exit(__builtin_frame_address(0), SYT_CALL_##call_, status & 0xff);          \
		syt_session_end(SYT_STATE_EXITED, (uint32_t)status & 0xff);                        \
		SYT_REAL(name_)(status);                                                           \
		__builtin_unreachable();                                                           \
	}

EXIT(_exit, _exit)
EXIT(_Exit, _Exit)
EXIT(quick_exit, quick_exit)
#if defined(__x86_64__)
SYT_EXPORT __typeof__(quick_exit) quick_exit_old;
EXIT(quick_exit, quick_exit_old)
SYT_EXPORT_OLD(quick_exit, V2_10);
#endif

/* A handler of SIGABRT may still prevent the end of the process, so the dump does not yet say that the
 * process ends. */
SYT_EXPORT void abort(void)
{
	record_exit(__builtin_frame_address(0), SYT_CALL_abort, 128 + SIGABRT);
	SYT_REAL(abort)();
	__builtin_unreachable();
}

long syt_syscall_exit_group(const struct syt_syscall *r)
{
	unsigned status = (unsigned)r->a[0] & 0xff;

	record_exit(r->fp, SYT_CALL__exit, (int)status);
	syt_session_end(SYT_STATE_EXITED, status);
	return syt_syscall_forward(r);
}
