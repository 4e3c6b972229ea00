/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The state of one recording thread. For use in runtime/ only. */
#ifndef SYT_RUNTIME_SELF_H
#define SYT_RUNTIME_SELF_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/alive.h"
#include "runtime/ring.h"
#include "runtime/sample.h"
#include "runtime/stack.h"

#define SYT_NR_TOUCHED 16u
#define SYT_NR_ONCES 64u

/* Frames of one stack are closer together than this; signal stacks and coroutines are elsewhere. */
#define SYT_STACK_SPAN (UINT64_C(64) << 20)

/* A barrier for the compiler: a signal handler on this thread sees the stores of the interrupted code in
 * program order. */
#define SYT_ORDERED() __asm__ volatile("" ::: "memory")

struct syt_self {
	/* the first member: a thread that does not use sockets never touches its first page */
	struct syt_slot_state slot;

	/* The members that recording every event uses: one cache line. */
	/* number of events being recorded on this thread: more than 1 in signal handlers */
	uint32_t depth __attribute__((aligned(64)));
	uint32_t torn;     /* bit N: a jump left the recorder while it used lane N; SYT_SKIPPED */
	uint32_t borrower; /* pid of the vfork child that runs on this thread now, or 0 */
	uint32_t thread;   /* T, the number of the thread in its process image */
	uint32_t nr_early; /* number of the next acquires that may need the CPU time before the call */
	uintptr_t top;     /* top of the thread's stack */
	struct syt_stack_state *stack_state;
	/* the frame addresses of the wrappers that are recording events now, by lane */
	uintptr_t guards[SYT_NR_LANES];
	/* the frame address of a call that was not recorded because of a pause */
	uintptr_t skipped_at;
	/* the number of that pause, valid while `torn` has SYT_SKIPPED; with SYT_CONTROL_DEEP if calls since then were uncounted */
	uint32_t skipped_in;
	uint32_t tid;
	/* id of the object that the thread defined last, until an event on this object is recorded, or 0 */
	uint32_t fresh;
	uint64_t handle; /* pthread_t */
	uint64_t cpu_at; /* ticks of the last event with the thread's CPU time, or of the first event */
	uint64_t early_at, early_cpu; /* ticks (0: none) and CPU time, read before the present acquire */
	/* number of fds that the vfork child has changed; SYT_NR_TOUCHED: it may have changed any fd */
	uint32_t nr_touched;
	int32_t touched[SYT_NR_TOUCHED];
	bool is_exiting;                   /* true after the thread has called pthread_exit */
	uint64_t in_a_row, nr_events_then; /* counts for syt_is_rare */
	/* marks of the pthread_once controls that the thread has passed, by a hash of their addresses */
	uintptr_t onces[SYT_NR_ONCES];
	struct syt_sample sample; /* valid while `torn` has SYT_SAMPLED */
	/* the hash of the last IPv4 address to which (0) or from which (1) the thread's datagrams went, and the hash xor the first
	 * eight bytes of the address: a pair of which a signal handler has replaced one belongs to no address */
	struct {
		uint64_t hash, check;
	} peers[2];
};

/* Bit of `torn`: the thread may not have returned yet from a call that was not recorded because of a pause. */
#define SYT_SKIPPED (UINT32_C(1) << 31)
/* Bit of `torn`: a sampler selects calls of the thread, so the short forms do not record them. */
#define SYT_SAMPLED (UINT32_C(1) << 30)

/* Returns true if the dump already says that the thread S (or NULL) makes calls with the frame FP that are not recorded because of
 * the pause CONTROL. */
static inline bool syt_self_has_skipped(const struct syt_self *s, const void *fp, uint32_t control)
{
	return (*syt_alive & SYT_ALIVE_MASK) == SYT_ALIVE && s && s->torn & SYT_SKIPPED &&
	       s->skipped_in == control && s->skipped_at - (uintptr_t)fp < SYT_STACK_SPAN &&
	       s->top - s->skipped_at < SYT_STACK_SPAN;
}

/* Notes in the dump that by the time TICKS the thread has returned from the calls that a pause left out. */
void syt_self_returned(struct syt_self *s, uint64_t ticks);

/* Gives the calling thread the number THREAD, or the next free number, and a slot to record into. Returns
 * NULL if the thread cannot record. */
struct syt_self *syt_thread_attach(uint32_t thread, uint32_t creator);

/* Gives a slot to a task (clone) without thread-local memory of its own. PID is the task's process if it
 * differs from this process, else 0. */
struct syt_self *syt_thread_attach_cloned(uint32_t tid, uint32_t pid);

/* Allows another thread to take the slot of S once the kernel says that the owner of S is gone. */
void syt_thread_detach(struct syt_self *s);

/* Returns the state of the calling task in a process whose tasks may share thread-local memory
 * (SYT_ALIVE_CLONED). Returns NULL if the task cannot record or, with IS_KNOWN, if it has not recorded yet. */
struct syt_self *syt_cloned_self(bool is_known);

/* Called in a forked child, where no tasks share memory. Returns true if a cloned task had recorded. */
bool syt_cloned_fork_child(void);

/* Returns the number of threads, other than the caller, that record and have not ended. */
uint32_t syt_thread_nr_others(void);

/* Called in a forked child after its dump is open: only the calling thread is left, and its thread number T
 * is 0. */
void syt_thread_fork_child(void);

#endif
