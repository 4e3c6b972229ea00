/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Handles tasks that share one thread-local memory: clone with CLONE_VM and without CLONE_SETTLS makes them.
 * Such tasks run at the same time and would write into the same event buffers. Once a process has made such a
 * task, the recorder asks the kernel for the tid at each event. The owner of the thread-local memory records as
 * before. Every other task is found by its tid in a short table, and has event buffers (a slot) and a thread
 * number (T) of its own.
 *
 * The kernel does not report the end of a cloned task. The table entries of tasks that are gone are freed when
 * the next task is made, or when the table is full. Only the entry's own task writes an entry, or any task
 * after the owner is gone; claiming an entry is a compare-and-swap. Signal handlers may interrupt every step.
 */
#include <errno.h>
#include <stddef.h>

#include "runtime/arena.h"
#include "runtime/meta.h"
#include "runtime/self.h"
#include "runtime/forked.h"
#include "runtime/sys.h"
#include "runtime/thread.h"

#define NR_TASKS 256u
#define BUSY UINT32_MAX

static struct task {
	uint32_t tid; /* 0: the entry is free; BUSY: a task is freeing it */
	struct syt_self *self;
} tasks[NR_TASKS];
SYT_FORKED static bool has_claimed; /* true after any task has claimed a table entry */

bool syt_thread_may_be_cloned(void)
{
	return (*syt_alive & SYT_ALIVE_MASK) == SYT_ALIVE_CLONED;
}

static void sweep(void)
{
	for (uint32_t i = 0; i < NR_TASKS; i++) {
		struct task *t = &tasks[i];
		uint32_t tid = __atomic_load_n(&t->tid, __ATOMIC_ACQUIRE);
		struct syt_self *s;

		if (!tid || tid == BUSY || SYT_SYS_2(SYS_tkill, tid, 0) != -ESRCH ||
		    !__atomic_compare_exchange_n(&t->tid, &tid, BUSY, false, __ATOMIC_ACQ_REL,
		                                 __ATOMIC_RELAXED))
			continue;
		s = t->self;
		__atomic_store_n(&t->self, NULL, __ATOMIC_RELAXED);
		__atomic_store_n(&t->tid, 0, __ATOMIC_RELEASE);
		if (s)
			syt_thread_detach(s);
	}
}

void syt_thread_cloned(void)
{
	uint32_t alive = *syt_alive;

	if (syt_alive[1])
		syt_alive_count(0);
	if ((alive & SYT_ALIVE_MASK) != SYT_ALIVE ||
	    !__atomic_compare_exchange_n(syt_alive, &alive, alive - SYT_ALIVE + SYT_ALIVE_CLONED,
	                                 false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		sweep();
}

static struct task *find(uint32_t tid)
{
	for (uint32_t i = 0; i < NR_TASKS; i++) {
		struct task *t = &tasks[(tid + i) % NR_TASKS];

		if (__atomic_load_n(&t->tid, __ATOMIC_ACQUIRE) == tid)
			return t;
	}
	return NULL;
}

static struct task *claim(uint32_t tid)
{
	__atomic_store_n(&has_claimed, true, __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < NR_TASKS; i++) {
		struct task *t = &tasks[(tid + i) % NR_TASKS];
		uint32_t none = 0;

		if (__atomic_compare_exchange_n(&t->tid, &none, tid, false, __ATOMIC_ACQ_REL,
		                                __ATOMIC_RELAXED))
			return t;
	}
	return NULL;
}

static struct syt_self *begin(uint32_t tid)
{
	struct task *t = claim(tid);
	long pid = SYT_SYS_0(SYS_getpid);
	struct syt_self *s;

	if (!t) {
		sweep();
		t = claim(tid);
	}
	if (!t) {
		syt_lost(SYT_LOSS_NO_SLOT, 1);
		return NULL;
	}
	s = syt_thread_attach_cloned(tid,
	                             pid > 0 && pid != syt_arena_file()->pid ? (uint32_t)pid : 0);
	if (s)
		__atomic_store_n(&t->self, s, __ATOMIC_RELEASE);
	else
		__atomic_store_n(&t->tid, 0, __ATOMIC_RELEASE);
	return s;
}

struct syt_self *syt_cloned_self(bool is_known)
{
	long asked = SYT_SYS_0(SYS_gettid);
	uint32_t tid = (uint32_t)asked;
	struct syt_self *s = syt_self_tls;
	const struct task *t;

	if (asked <= 0) { /* gettid is denied: the task is unknown */
		if (!is_known)
			syt_lost(SYT_LOSS_NO_SLOT, 1);
		return NULL;
	}
	if (s && s->tid == tid)
		return s;
	t = find(tid);
	if (!t)
		return is_known ? NULL : begin(tid);
	s = __atomic_load_n(&t->self, __ATOMIC_ACQUIRE);
	if (!s && !is_known) /* this code runs in a signal handler that interrupted begin() */
		syt_lost(SYT_LOSS_NESTED, 1);
	return s;
}

bool syt_cloned_fork_child(void)
{
	bool has_any = false;

	if (!has_claimed)
		return false;
	for (uint32_t i = 0; i < NR_TASKS; i++) {
		if (!tasks[i].tid) /* writing a free entry would copy its page after a fork */
			continue;
		tasks[i] = (struct task){0, NULL};
		has_any = true;
	}
	return has_any;
}
