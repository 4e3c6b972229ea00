/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The state of one recording thread, and the switch that every event looks at.  Inside of runtime/ only.
 */
#ifndef SYT_RUNTIME_SELF_H
#define SYT_RUNTIME_SELF_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/alive.h"
#include "runtime/ring.h"
#include "runtime/stack.h"

#define SYT_NR_TOUCHED 16u
#define SYT_NR_ONCES 64u

/* Frames of the same stack are closer than this; signal stacks and coroutines lie elsewhere. */
#define SYT_STACK_SPAN (UINT64_C(64) << 20)

/* A full barrier for the compiler only: a signal handler on this thread sees our stores in order. */
#define SYT_ORDERED() __asm__ volatile("" ::: "memory")

struct syt_self {
	/* What every record uses: one cache line. */
	uint32_t depth;    /* records in progress on this thread: 0, or more in signal handlers */
	uint32_t torn;     /* bit N: a record in lane N was abandoned; SYT_SKIPPED */
	uint32_t borrower; /* pid of the vfork child that runs on this thread now, or 0 */
	uint32_t thread;   /* T */
	uintptr_t top;     /* of the thread's stack */
	struct syt_stack_state *stack_state;
	/* where on the stack each of the records in progress began */
	uintptr_t guards[SYT_NR_LANES];
	struct syt_slot_state slot;

	uintptr_t skipped_at; /* where on the stack a call was made that a pause left out */
	uint32_t skipped_in;  /* which one, while SYT_SKIPPED */
	uint32_t tid;
	uint64_t handle;     /* pthread_t */
	uint32_t nr_touched; /* fds that it has made something else of; SYT_NR_TOUCHED: any */
	int32_t touched[SYT_NR_TOUCHED];
	bool is_exiting;                   /* has called pthread_exit */
	uint64_t in_a_row, nr_events_then; /* of syt_is_rare */
	uintptr_t onces[SYT_NR_ONCES];     /* that it has passed, by a hash of their addresses */
};

/* In `torn`: the thread has made calls that a pause left out, and is not known to have returned from them. */
#define SYT_SKIPPED (UINT32_C(1) << 31)

/* The thread has returned from them by TICKS. */
void syt_self_returned(struct syt_self *s, uint64_t ticks);

/* The calling thread becomes T, or the next free T for SYT_THREAD_NONE. NULL when it cannot record. */
struct syt_self *syt_thread_attach(uint32_t thread, uint32_t creator);

/* The same for a task that has no thread-local memory of its own; PID: its process, if that is another one. */
struct syt_self *syt_thread_attach_cloned(uint32_t tid, uint32_t pid);

/* Such a task is gone: another thread may have its slot. */
void syt_thread_detach_cloned(struct syt_self *s);

/* Who the calling task is while the process is SYT_ALIVE_CLONED; NULL when it cannot record, or, with
 * IS_KNOWN, has not recorded yet. */
struct syt_self *syt_cloned_self(bool is_known);

/* In a forked child: no task shares anything any more. True if one has recorded before the fork. */
bool syt_cloned_fork_child(void);

/* How many other threads record and have not ended. */
uint32_t syt_thread_nr_others(void);

/* In a forked child, after its dump is open: only the calling thread is left, as T 0. */
void syt_thread_fork_child(void);

#endif
