/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#define _GNU_SOURCE
#include "tool/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "tool/verbs.h"

static const int forwarded[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Executes the program in the child process, or writes the errno of execvpe() to the pipe REPORT and exits. */
static void run(const struct syt_launch *l, const sigset_t *mask, const struct sigaction *chld,
                int report)
{
	sigaction(SIGCHLD, chld, NULL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvpe(l->argv[0], l->argv, l->environment ? (char **)l->environment : environ);
	int err = errno;

	while (write(report, &err, sizeof(err)) < 0 && errno == EINTR)
		;
	_exit(SYT_STATUS_NOT_RUN);
}

/* Returns the errno of a failed exec, or 0 if the program runs. */
static int exec_result(int report)
{
	int err = 0;
	ssize_t n;

	do
		n = read(report, &err, sizeof(err));
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(err) ? err : 0;
}

static int status_of(int wstatus)
{
	return WIFSIGNALED(wstatus) ? -WTERMSIG(wstatus) : WEXITSTATUS(wstatus);
}

/* Discards pending signals after the end of the program, because these signals would end this tool. */
static void drop_late(const sigset_t *set)
{
	const struct timespec now = {0};

	while (sigtimedwait(set, NULL, &now) > 0)
		;
}

/* Returns whether the time *AT has come, and then sets *AT to NEXT. The time UINT64_MAX never comes. */
static bool is_due(uint64_t *at, uint64_t next)
{
	if (*at == UINT64_MAX || now_ms() < *at)
		return false;
	*at = next;
	return true;
}

/* Waits until the time DUE for a signal or for input. Returns the signal, or 0. */
static int next_signal(struct syt_launch *l, int signals, uint64_t due, bool *is_terminal)
{
	struct pollfd fds[] = {{.fd = signals, .events = POLLIN},
	                       {.fd = l->watched, .events = POLLIN}};
	uint64_t now = now_ms(), ms = due > now ? due - now : 0;
	struct timespec t = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};
	struct signalfd_siginfo info;

	if (ppoll(fds, 2, due == UINT64_MAX ? NULL : &t, NULL) <= 0)
		return 0;
	if (fds[1].revents && !l->on_watched(l->context))
		l->watched = -1;
	if (!fds[0].revents || read(signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return 0;
	*is_terminal = info.ssi_code == SI_KERNEL;
	return (int)info.ssi_signo;
}

static int wait_for(struct syt_launch *l, int signals)
{
	uint64_t start = now_ms();
	uint64_t check = l->check ? start + SYT_LAUNCH_CHECK_MS : UINT64_MAX;
	uint64_t end = l->duration_ms ? start + l->duration_ms : UINT64_MAX;
	uint64_t kill_at = UINT64_MAX;
	int wstatus;

	for (;;) {
		pid_t pid = waitpid(l->pid, &wstatus, WNOHANG);

		if (pid == l->pid)
			return status_of(wstatus);
		if (pid < 0 && errno != EINTR) {
			syt_warn_errno("cannot wait for process %d", (int)l->pid);
			return SYT_STATUS_TOOL;
		}
		if (is_due(&check, UINT64_MAX))
			l->check(l->pid, l->context);
		if (is_due(&end, UINT64_MAX)) {
			l->is_ended_by_us = true;
			kill(l->pid, SIGTERM);
			kill_at = now_ms() + SYT_LAUNCH_GRACE_MS;
		}
		if (is_due(&kill_at, UINT64_MAX)) {
			syt_warn("the program still ran %u s after SIGTERM, so it was killed",
			         SYT_LAUNCH_GRACE_MS / 1000);
			kill(l->pid, SIGKILL);
		}

		uint64_t due = check < end ? check : end;
		bool is_terminal = false;
		int signal;

		due = kill_at < due ? kill_at : due;
		signal = next_signal(l, signals, due, &is_terminal);
		/* The program is in the process group of this tool, so the terminal sends its signals to
		 * the program and to this tool. */
		if (signal > 0 && signal == l->trigger)
			l->on_trigger(l->context);
		else if (signal > 0 && signal != SIGCHLD && !is_terminal)
			kill(l->pid, signal);
	}
}

int syt_launch(struct syt_launch *l)
{
	sigset_t set, old;
	struct sigaction dfl = {.sa_handler = SIG_DFL}, chld;
	int report[2], signals;

	l->pid = 0;
	l->is_ended_by_us = false;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (size_t i = 0; i < sizeof(forwarded) / sizeof(*forwarded); i++)
		sigaddset(&set, forwarded[i]);
	signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signals < 0 || pipe2(report, O_CLOEXEC)) {
		syt_warn_errno("cannot create a pipe");
		if (signals >= 0)
			close(signals);
		return SYT_STATUS_TOOL;
	}
	sigprocmask(SIG_BLOCK, &set, &old);
	/* If this tool inherited an ignored SIGCHLD, waitpid() would not return the exit status. */
	sigaction(SIGCHLD, &dfl, &chld);

	pid_t pid = fork();

	if (!pid)
		run(l, &old, &chld, report[1]);
	int fork_errno = errno;

	close(report[1]);
	if (pid < 0) {
		close(report[0]);
		close(signals);
		sigprocmask(SIG_SETMASK, &old, NULL);
		errno = fork_errno;
		syt_warn_errno("cannot fork");
		return SYT_STATUS_TOOL;
	}
	int err = exec_result(report[0]);
	int status;

	close(report[0]);
	if (err) {
		waitpid(pid, &status, 0);
		errno = err;
		syt_warn_errno("cannot run %s", l->argv[0]);
		status = err == ENOENT ? SYT_STATUS_NOT_FOUND : SYT_STATUS_NOT_RUN;
	} else {
		l->pid = pid;
		status = wait_for(l, signals);
		drop_late(&set);
	}
	close(signals);
	sigaction(SIGCHLD, &chld, NULL);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return status;
}

int syt_launch_end(int status)
{
	const struct sigaction dfl = {.sa_handler = SIG_DFL};
	sigset_t set;
	int signal = -status;

	if (status >= 0)
		return status;
	/* Prevents a core dump of this tool. RLIMIT_CORE would not prevent a core dump into a pipe. */
	prctl(PR_SET_DUMPABLE, 0);
	sigaction(signal, &dfl, NULL);
	sigemptyset(&set);
	sigaddset(&set, signal);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(signal);
	return SYT_STATUS_SIGNAL + signal; /* process 1 of a pid namespace survives the signal */
}
