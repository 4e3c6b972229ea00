/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Captures the whole call stack at every event, and interns it: equal stacks get equal ids. An
 * event carries one id: the trie node of the innermost frame (struct syt_stack_node).
 *
 * A capture walks the frames with a table of unwind rows: a row is the step from a frame to its
 * caller, keyed by pc. The rows come from .eh_frame through _dl_find_object. The walk stops at the
 * first frame whose state (pc, sp, frame pointer) matches a frame of the thread's previous stack.
 * The rest of the previous stack is verified word by word and reused ("verified stitching"). Rows
 * that do not fit the table are interpreted. doc/stacks.md states the conditions for exactness and
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
	uintptr_t sp; /* the caller's stack pointer after the return, i.e. the wrapper's CFA */
	uintptr_t bp; /* the caller's rbp (x86-64) or x29 (aarch64) */
};

#define SYT_STACK_DEPTH 1024u /* deeper stacks are cut at the outer end and marked */

/* One thread's memory for stitching and caches: syt_stack_state_bytes() of zeroed, thread-private
 * memory, owned by the caller. The memory serves one capture at a time: a signal handler that
 * interrupts a capture uses another state, or NULL for a plain walk. */
struct syt_stack_state;
size_t syt_stack_state_bytes(void);

/* Prepares the memory for another thread; has the same effect as zeroing it. */
void syt_stack_state_reset(struct syt_stack_state *state);

/* Called in a forked child by the thread that forked. Keeps the cached code addresses, and forgets
 * the nodes, which the child's dump does not contain. */
void syt_stack_state_fork_child(struct syt_stack_state *state);

/* Called after a capture in STATE was abandoned: discards its whole contents. */
void syt_stack_state_abandon(struct syt_stack_state *state);

/* Initializes the module; call it once, before any capture. Returns 0 or -errno. */
int syt_stack_init(void);

/* Captures and interns a stack. TOP is one past the highest address of the current stack, or 0 if unknown
 * (coroutine). Reads only memory in [regs->sp, TOP). For TOP 0 it reads memory that unwind rows lead to,
 * with growing addresses in the same mapped region. Never faults, takes no lock, never calls malloc, and
 * leaves errno untouched. Returns the id, or 0 if no frame could be captured. */
uint32_t syt_stack_capture(struct syt_stack_state *state, const struct syt_stack_regs *regs,
                           uintptr_t top);

/* Maps all memory that is otherwise mapped on demand, before the program gives up system calls. */
void syt_stack_prepare(void);

/* Called in a forked child whose dump is new and empty: ids start again; cached rows stay valid. */
void syt_stack_fork_child(void);

#endif
