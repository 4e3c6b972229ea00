/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The state of one recording thread. For use in runtime/ only.
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

/* Frames of one stack are closer together than this; signal stacks and coroutines are elsewhere. */
#define SYT_STACK_SPAN (UINT64_C(64) << 20)

/* A barrier for the compiler: a signal handler on this thread sees the thread's stores in order. */
#define SYT_ORDERED() __asm__ volatile("" ::: "memory")

struct syt_self {
	/* The members that every record uses: one cache line. */
	uint32_t depth;    /* records in progress on this thread: 0, or more in signal handlers */
	uint32_t torn;     /* bit N: a record in lane N was abandoned; SYT_SKIPPED */
	uint32_t borrower; /* pid of the vfork child that runs on this thread now, or 0 */
	uint32_t thread;   /* T */
	uintptr_t top;     /* top of the thread's stack */
	struct syt_stack_state *stack_state;
	/* the frame addresses at which the records in progress began */
	uintptr_t guards[SYT_NR_LANES];
	struct syt_slot_state slot;

	uintptr_t skipped_at; /* the frame address of a call that a pause left out */
	uint32_t skipped_in;  /* the number of that pause, while SYT_SKIPPED */
	uint32_t tid;
	uint64_t handle;     /* pthread_t */
	uint32_t nr_touched; /* fds that the vfork child has changed; SYT_NR_TOUCHED: any */
	int32_t touched[SYT_NR_TOUCHED];
	bool is_exiting;                   /* has called pthread_exit */
	uint64_t in_a_row, nr_events_then; /* counts for syt_is_rare */
	uintptr_t onces[SYT_NR_ONCES]; /* the onces it has passed, by a hash of their addresses */
};

/* Bit of `torn`: the thread may not have returned from calls that a pause left out. */
#define SYT_SKIPPED (UINT32_C(1) << 31)

/* Records that the thread has returned from the skipped calls by TICKS. */
void syt_self_returned(struct syt_self *s, uint64_t ticks);

/* Attaches the calling thread as T, or as the next free T. Returns NULL if it cannot record. */
struct syt_self *syt_thread_attach(uint32_t thread, uint32_t creator);

/* Attaches a task without thread-local memory of its own. PID: its process if that differs, else 0. */
struct syt_self *syt_thread_attach_cloned(uint32_t tid, uint32_t pid);

/* Allows another thread to take the slot of S, once the kernel says that the owner is gone. */
void syt_thread_detach(struct syt_self *s);

/* Returns the state of the calling task while the process is SYT_ALIVE_CLONED. Returns NULL if it
 * cannot record, or, with IS_KNOWN, if it has not recorded yet. */
struct syt_self *syt_cloned_self(bool is_known);

/* Called in a forked child, where no tasks share memory. Returns true if a cloned task had recorded. */
bool syt_cloned_fork_child(void);

/* Returns the number of other threads that record and have not ended. */
uint32_t syt_thread_nr_others(void);

/* Called in a forked child after its dump is open: only the calling thread is left, as T 0. */
void syt_thread_fork_child(void);

#endif
