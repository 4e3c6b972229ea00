/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The C part of the vfork wrapper (preload/vfork-entry.S). The child overwrites the stack, so a
 * thread-local array holds the return address and the state of the call; the array has several elements
 * because a vfork child may call vfork.
 *
 * The child, not the parent, records the vfork event: the child knows its pid first, and its later events
 * follow this event.
 */
#include "preload/vfork.h"

#include <stdbool.h>
#include <stdint.h>

#include "preload/wrap.h"
#include "runtime/sys.h" /* gets the child's pid, and unmaps the memory that the child left */
#include "runtime/thread.h"

#define NR_LEVELS 2u /* maximum depth of nested vfork calls that are recorded */

struct level {
	void *return_address;
	uint64_t in;
	void *left; /* address of memory that the child mapped */
	uint32_t left_bytes;
	uint32_t stack;
};

static __thread struct level levels[NR_LEVELS];
static __thread uint32_t nr_levels;

/* Called by preload/vfork-entry.S only. */
bool syt_vfork_enter(void *const *fp);
void *syt_vfork_leave(pid_t rv);

void syt_vfork_left(void *address, size_t bytes)
{
	if (!nr_levels)
		return;
	levels[nr_levels - 1].left = address;
	levels[nr_levels - 1].left_bytes = (uint32_t)bytes;
}

/* FP is the frame of vfork-entry.S, and FP[1] is its return address. Returns false if this vfork is not
 * recorded. */
bool syt_vfork_enter(void *const *fp)
{
	struct syt_frame f;

	if (nr_levels == NR_LEVELS || syt_thread_may_be_cloned() || !syt_enter(&f, fp))
		return false;
	syt_capture(&f);
	syt_stamp_in(&f);
	levels[nr_levels++] = (struct level){.return_address = fp[1], .in = f.in, .stack = f.stack};
	return true;
}

/* Returns the return address of the vfork call. Called in the child and then in the parent; only once if
 * vfork failed. */
void *syt_vfork_leave(pid_t rv)
{
	struct level *l = &levels[nr_levels - 1];
	struct syt_event e = {.call = SYT_CALL_vfork};
	struct syt_frame f;

	if (rv > 0) {
		syt_thread_borrow(nr_levels > 1 ? (uint32_t)SYT_SYS_0(SYS_getpid) : 0);
		if (l->left)
			SYT_SYS_2(SYS_munmap, l->left, l->left_bytes);
		nr_levels--;
		return l->return_address;
	}
	if (rv == 0)
		e.pid = (uint64_t)SYT_SYS_0(SYS_getpid);
	else
		nr_levels--;
	syt_result(&e, rv == 0 ? (int64_t)e.pid : rv);
	if (syt_enter(&f, NULL)) {
		f.stack = l->stack;
		f.in = l->in;
		syt_leave_in(&f, &e);
	}
	if (rv == 0)
		syt_thread_borrow((uint32_t)e.pid);
	return l->return_address;
}
