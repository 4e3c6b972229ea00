/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Captures call stacks. The result is always equal to that of a walk over all frames; remembering a thread's
 * previous stack only saves work (doc/stacks.md, "Why stitching is exact"). This file handles the unusual
 * cases. */
#define _GNU_SOURCE /* stack_t */
#include "runtime/stack.h"

#include <signal.h>

#include "format/format.h"
#include "runtime/module.h"
#include "runtime/stack-node.h"
#include "runtime/stack-row.h"
#include "runtime/stack-state.h"
#include "runtime/stack-step.h"
#include "runtime/sys.h"

#define WALK_BYTES 4096u /* bytes of stack that a walk may use; measured: 3.3 KiB */
#define LOOK_BYTES 2560u /* bytes of stack for the first lookup of a frame's unwind row */

int syt_stack_init(void)
{
	int rv = syt_module_init();

	if (!rv)
		rv = syt_stack_row_init();
	return rv ? rv : syt_node_init();
}

void syt_stack_prepare(void)
{
	syt_node_prepare();
}

void syt_stack_fork_child(void)
{
	syt_node_fork_child();
}

/* Captures only the innermost frame, whose stack node is in the table: this uses almost no stack. */
static uint32_t capture_pc(const struct syt_stack_regs *regs, uint64_t generation)
{
	struct syt_stack_row r =
		syt_stack_row_get(regs->pc - 1, syt_stack_row_generation_tag(generation));

	return r.row ? syt_node_intern(0, syt_node_key(regs->pc | SYT_STACK_TRUNCATED, r.module))
	             : 0;
}

/* Returns the top of the alternate signal stack if the thread runs on that stack, else 0. Stores the number
 * of free bytes on the stack in *ROOM, SIZE_MAX if unknown. */
static uintptr_t alternate_top(const struct syt_stack_regs *regs, size_t *room)
{
	stack_t s;
	long rv = SYT_SYS_2(SYS_sigaltstack, NULL, &s);

	*room = rv == SYT_SYS_DENIED ? 0 : SIZE_MAX; /* unknown */
	if (rv || !(s.ss_flags & SS_ONSTACK) || regs->sp - (uintptr_t)s.ss_sp >= s.ss_size)
		return 0;
	*room = (uintptr_t)__builtin_frame_address(0) - (uintptr_t)s.ss_sp;
	return (uintptr_t)s.ss_sp + s.ss_size;
}

uint32_t syt_stack_capture_slow(struct syt_stack_state *s, const struct syt_stack_regs *regs,
                                uintptr_t top, uint64_t generation)
{
	uint32_t id;

	if (!syt_walk_is_pc(regs->pc) || !regs->sp || regs->sp % 8)
		return 0;
	if (__builtin_expect(regs->sp >= top, 0)) {
		size_t room;

		top = alternate_top(regs, &room);
		if (room < LOOK_BYTES)
			return 0;
		if (room < WALK_BYTES)
			return capture_pc(regs, generation);
	}
	if (__builtin_expect(!s || syt_module_is_closing(generation), 0)) {
		syt_stack_row_renew(generation);
		return syt_stack_capture_plain(regs, top, generation);
	}
	if (__builtin_expect(s->inherited != 0, 0)) {
		if (s->nr_plain) {
			s->nr_plain--;
			return syt_stack_capture_plain(regs, top, generation);
		}
		syt_stack_state_take_over(s);
	}
	if (__builtin_expect(s->generation != generation, 0))
		syt_stack_state_renew(s, generation);
	if (__builtin_expect(s->top != top, 0)) {
		s->top = top;
		s->known_top = top | !top;
		s->last = s->frames;
		s->has_path = 0;
	}
	id = syt_stack_capture_stitched(s, regs, top, generation);
	return __builtin_expect(id == SYT_NOT_STITCHED, 0)
	               ? syt_stack_capture_plain(regs, top, generation)
	               : id;
}
