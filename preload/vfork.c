/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The C part of the vfork wrapper (preload/vfork-entry.S). The child overwrites the stack, so a
 * thread-local array holds the return address and the state of the call; a vfork child may call vfork.
 *
 * The child records the fork: it knows its pid first, and its later events follow this event.
 */
#include "preload/vfork.h"

#include <stdbool.h>
#include <stdint.h>

#include "preload/wrap.h"
#include "runtime/sys.h" /* the child's own pid, and the memory that it left */
#include "runtime/thread.h"

#define NR_LEVELS 2u /* deeper calls are not recorded, nor calls where two tasks may share this */

struct level {
	void *return_address;
	uint64_t in;
	void *left; /* mapped by the child */
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

/* FP is the frame of vfork-entry.S, FP[1] the return address. Returns false if nothing is recorded. */
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

/* Returns the return address. Called in the child, then in the parent; once if vfork failed. */
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
