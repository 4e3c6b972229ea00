/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Call stacks, captured whole at every event and interned: an event carries one id, the trie node
 * of its innermost frame (struct syt_stack_node).
 *
 * How: frames are walked with a table of unwind rows by pc, filled from .eh_frame through
 * _dl_find_object, until the whole state of one (pc, sp, frame pointer) matches a frame of the
 * thread's previous stack; from there on the previous stack is verified word by word and reused
 * ("verified stitching").  Rows that do not fit the table are interpreted.  doc/stacks.md states
 * the conditions for exactness and the tests that compare every stack with the reference unwinder.
 */
#ifndef SYT_RUNTIME_STACK_H
#define SYT_RUNTIME_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where to start: the caller of a wrapper. */
struct syt_stack_regs {
	uintptr_t pc; /* return address into the caller */
	uintptr_t sp; /* the caller's stack pointer after the return, i.e. the wrapper's CFA */
	uintptr_t bp; /* the caller's rbp (x86-64) or x29 (aarch64) */
};

#define SYT_STACK_DEPTH 1024u /* deeper stacks are cut at the outer end and marked */

/* One thread's memory for stitching and memos: syt_stack_state_bytes() of zeroed, thread-private
 * memory, owned by the caller. One capture at a time in it: a signal handler that interrupts a
 * capture uses another one or NULL (plain walk). */
struct syt_stack_state;
size_t syt_stack_state_bytes(void);

/* The memory goes to another thread: as good as zeroing it. */
void syt_stack_state_reset(struct syt_stack_state *state);

/* In a forked child, for the thread that forked: keeps what is known of the code, forgets the nodes, which the child's
 * dump does not have. */
void syt_stack_state_fork_child(struct syt_stack_state *state);

/* A capture in it was abandoned: nothing in it is believed. */
void syt_stack_state_abandon(struct syt_stack_state *state);

/* Once, before any capture; 0 or -errno. */
int syt_stack_init(void);

/*
 * Captures and interns. TOP is one past the highest address of the current stack, or 0 when it is
 * not known (coroutine). Reads only memory in [regs->sp, TOP) or, for TOP 0, memory that unwind
 * rows lead to with growing addresses in the same mapped region. Never faults, never locks, never
 * allocates with malloc; errno untouched. Returns the id; 0 when nothing could be captured.
 */
uint32_t syt_stack_capture(struct syt_stack_state *state, const struct syt_stack_regs *regs,
                           uintptr_t top);

/* Code of a module was unmapped otherwise than by dlclose (around which belong syt_module_closing()
 * and syt_module_closed()): every cached row and every stack remembered by any thread is forgotten.
 */
void syt_stack_invalidate(void);

/* Before the program gives up system calls: maps what otherwise waits until it is needed. */
void syt_stack_prepare(void);

/* In a forked child whose dump is new and empty: ids start again; cached rows stay valid. */
void syt_stack_fork_child(void);

#endif
