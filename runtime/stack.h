/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Captures the whole call stack at every event, and gives equal stacks the same id. The id is the number of
 * the innermost frame's node in a trie of all stacks (struct syt_stack_node).
 *
 * A capture walks the frames with a table of unwind rows: a row is the step from a frame to its caller,
 * keyed by pc. The unwind rows are computed from .eh_frame, which _dl_find_object finds. The walk stops at
 * the first frame whose state (pc, sp, frame pointer) matches a frame of the thread's previous stack. The
 * other frames of the previous stack are verified word by word and reused ("verified stitching"). Unwind
 * rules that do not fit into a row are interpreted. doc/stacks.md states the conditions for exactness and
 * the tests that compare every stack with the reference unwinder.
 */
#ifndef SYT_RUNTIME_STACK_H
#define SYT_RUNTIME_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The frame at which a capture starts: the caller of a wrapper. */
struct syt_stack_regs {
	uintptr_t pc; /* return address into the caller */
	/* the caller's stack pointer after the wrapper's return (the wrapper's CFA) */
	uintptr_t sp;
	uintptr_t bp; /* the caller's rbp (x86-64) or x29 (aarch64) */
};

/* Returns the registers of the caller of the function whose frame is at FP. */
static inline struct syt_stack_regs syt_caller_regs(const uintptr_t *fp)
{
	return (struct syt_stack_regs){
		.pc = fp[1],
		.sp = (uintptr_t)(fp + 2),
		.bp = fp[0],
	};
}

#define SYT_STACK_DEPTH 1024u /* deeper stacks are cut at the outer end and marked */

/* One thread's previous stack and caches: syt_stack_state_bytes() of zeroed, thread-private memory, which
 * the caller owns. Only one capture at a time may use the state: a signal handler that interrupts a capture
 * passes another state, or NULL for a walk without a previous stack. */
struct syt_stack_state;
size_t syt_stack_state_bytes(void);

/* Prepares STATE for another thread; has the same effect as setting its memory to zeros. */
void syt_stack_state_reset(struct syt_stack_state *state);

/* Called in a forked child by the thread that forked. Keeps the cached unwind rules of code addresses, and
 * forgets the stack nodes, which the child's dump does not contain. */
void syt_stack_state_fork_child(struct syt_stack_state *state);

/* Called after a jump left a capture that used STATE: discards the whole contents of STATE. */
void syt_stack_state_abandon(struct syt_stack_state *state);

/* Initializes the capture of stacks; call it once, before any capture. Returns 0 or -errno. */
int syt_stack_init(void);

/* Captures the call stack of REGS and returns its id, or 0 if no frame could be captured. TOP is one past
 * the highest address of the current stack, or 0 if unknown (coroutine). Reads only memory in [regs->sp,
 * TOP). If TOP is 0, reads the memory to which the unwind rules lead, with growing addresses in the same
 * mapped region. Never faults, takes no lock, never calls malloc, and leaves errno untouched. */
uint32_t syt_stack_capture(struct syt_stack_state *state, const struct syt_stack_regs *regs,
                           uintptr_t top);

/* Does syt_stack_capture() for the caller of the function whose frame is at FP, with a STATE. */
uint32_t syt_stack_capture_caller(struct syt_stack_state *state, const uintptr_t *fp,
                                  uintptr_t top);

/* Maps all memory for stacks that is otherwise mapped on demand, before the program forbids itself system
 * calls. */
void syt_stack_prepare(void);

/* Called in a forked child whose dump is new and empty: stack ids start again, and cached unwind rows stay
 * valid. */
void syt_stack_fork_child(void);

#endif
