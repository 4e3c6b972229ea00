/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The C part of clone (preload/clone-entry.S).
 *
 * A child with its own memory is recorded as a fork. A child that runs in its parent's memory is recorded
 * as a thread or process whose creator did not announce it. If the child gets no thread-local memory of its
 * own, the recorder must know before the child runs (runtime/cloned.c).
 */
#include <linux/sched.h>

#include "preload/fd-table.h"
#include "preload/env.h"
#include "preload/syscall.h"
#include "runtime/peek.h"
#include "runtime/session.h"
#include "runtime/thread.h"

/* offset of the member `stack` in struct clone_args, whose first member is the flags */
#define CLONE3_STACK 40

/* Called by preload/clone-entry.S only. Returns true if the clone is a fork, which syt_clone_fork() then
 * makes. */
bool syt_clone_enter(int (*fn)(void *), void *stack, long flags, void *arg, void *parent_tid,
                     const void *fp);
int syt_clone_fork(int (*fn)(void *), void *stack, long flags, void *arg, void *parent_tid,
                   void *tls, void *child_tid);
bool syt_clone_enter_syscall(long nr, long a, long b, long c, long d, const void *fp);

/* Records a clone whose child runs in its parent's memory. Called before the child exists. */
static void share(uint64_t flags, const void *fp)
{
	struct syt_event e = {.call = SYT_CALL_clone_memory, .arg = flags};
	struct syt_frame f;

	if (syt_enter(&f, fp))
		syt_leave_out(&f, &e);
	if (!(flags & CLONE_SETTLS))
		syt_thread_cloned();
}

/* Completes the event of a fork. With CLONE_NEWPID, the pid that the parent gets for the child differs from
 * the pid that the child sees, so the event has no pid. */
static void forked(struct syt_frame *f, struct syt_event *e, long pid, uint64_t flags)
{
	syt_stamp_out(f);
	e->pid = pid > 0 && !(flags & CLONE_NEWPID) ? (uint64_t)pid : 0;
	syt_result(e, pid);
	syt_leave_in(f, e);
}

bool syt_clone_enter(int (*fn)(void *), void *stack, long flags, void *arg, void *parent_tid,
                     const void *fp)
{
	(void)fn, (void)stack, (void)arg, (void)parent_tid;
	syt_fd_table_cloned((uint32_t)flags);
	if (!(flags & CLONE_VM))
		return true;
	share((uint64_t)(uint32_t)flags, fp);
	return false;
}

int syt_clone_fork(int (*fn)(void *), void *stack, long flags, void *arg, void *parent_tid,
                   void *tls, void *child_tid)
{
	struct syt_event e = {.call = SYT_CALL_clone, .arg = (uint32_t)flags};

	SYT_ENTER_OR_FORWARD(SYT_ENTER, f, clone,
	                     (fn, stack, (int)flags, arg, parent_tid, tls, child_tid));
	syt_stamp_in(&f);
	int pid = SYT_REAL(clone)(fn, stack, (int)flags, arg, parent_tid, tls, child_tid);
	forked(&f, &e, pid, (uint32_t)flags);
	return pid;
}

/* Reads the flags and the stack of a clone or clone3. Returns false if the memory is unreadable. */
static bool get_clone_args(long nr, long a, long b, uint64_t *flags, uint64_t *stack)
{
	if (nr == SYS_clone) {
		*flags = (uint32_t)a;
		*stack = (uint64_t)b;
		return true;
	}
	return syt_peek(flags, (const void *)a, sizeof(*flags)) &&
	       syt_peek(stack, (const char *)a + CLONE3_STACK, sizeof(*stack));
}

/* Called by preload/clone-entry.S only. Returns true if the clone is a fork on the caller's stack, because
 * only then the child has the wrapper's frame. */
bool syt_clone_enter_syscall(long nr, long a, long b, long c, long d, const void *fp)
{
	uint64_t flags, stack;

	(void)c, (void)d;
	if (!get_clone_args(nr, a, b, &flags, &stack))
		return false;
	syt_fd_table_cloned(flags);
	if (flags & CLONE_VM)
		share(flags, fp);
	return !(flags & CLONE_VM) && !stack;
}

/* Makes and records a fork, clone or clone3. The child returns through its copy of this frame. */
long syt_syscall_fork(const struct syt_syscall *r)
{
	struct syt_event e = {.call = SYT_CALL_clone};
	struct syt_frame f;
	uint64_t stack;

	if (r->nr == SYS_clone || r->nr == SYS_clone3)
		get_clone_args(r->nr, r->a[0], r->a[1], &e.arg, &stack);
	else
		e.call = SYT_CALL_fork;
	if (!syt_enter(&f, r->fp))
		return syt_syscall_forward(r);
	syt_stamp_in(&f);
	uint64_t before = syt_session_before_fork();
	long pid = syt_syscall_forward(r);
	if (pid == 0) {
		syt_environ_fork_child();
		syt_session_fork_child(before);
		return 0;
	}
	forked(&f, &e, pid, e.arg);
	return pid;
}
