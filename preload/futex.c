/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Futex calls of programs that have their own locks and use syscall(). libc's locks make the system
 * call directly. Those locks have wrappers, so no event is recorded twice.
 *
 * The recorder never reads the futex word. A wake is stamped before and after the call, because the
 * decoder matches it with waits by this interval.
 */
#include <linux/futex.h>

#include "preload/syscall.h"
#include "runtime/peek.h"

#define LOCK_PI2 13          /* since Linux 5.14; older headers lack the name */
#define FUTEX2_PRIVATE_ 128u /* since Linux 6.7 */
#define BITSET_ANY UINT32_MAX

/* Returns the object of a futex word. Processes share a word in shared memory without the private
 * flag. */
static uint32_t word_object(const void *address, bool is_private)
{
	bool is_shared = !is_private && syt_shared_find(address);

	return syt_object_either(SYT_KIND_FUTEX, address, is_shared);
}

static uint64_t bitset_of(uint32_t bitset)
{
	return bitset == BITSET_ANY ? 0 : bitset;
}

/* A futex call. The objects of E are set only when the call is recorded. WORD2 may be NULL. */
struct call {
	const struct syt_syscall *syscall;
	struct syt_event e;
	const void *word, *word2;
	bool is_private;
};

static bool enter(struct call *c, struct syt_frame *f)
{
	if (!syt_enter_use(f, c->syscall->fp))
		return false;
	if (c->word)
		c->e.object = word_object(c->word, c->is_private);
	if (c->word2)
		c->e.object2 = word_object(c->word2, c->is_private);
	return true;
}

static long acquire(struct call *c)
{
	struct syt_frame f;

	if (!enter(c, &f))
		return syt_syscall_forward(c->syscall);
	syt_capture(&f);
	syt_stamp_in(&f);
	long rv = syt_syscall_forward(c->syscall);
	syt_stamp_out(&f);
	syt_result(&c->e, rv);
	syt_leave_out(&f, &c->e);
	return rv;
}

static long release(struct call *c)
{
	struct syt_frame f;

	if (!enter(c, &f))
		return syt_syscall_forward(c->syscall);
	syt_stamp_in(&f);
	long rv = syt_syscall_forward(c->syscall);
	syt_stamp_out(&f);
	syt_result(&c->e, rv);
	syt_leave_in(&f, &c->e);
	return rv;
}

long syt_syscall_futex(const struct syt_syscall *r)
{
	int op = (int)r->a[1];
	const void *word2 = (const void *)r->a[4];
	uint32_t val = (uint32_t)r->a[2], bitset = (uint32_t)r->a[5];
	struct call c = {
		.syscall = r, .word = (const void *)r->a[0], .is_private = op & FUTEX_PRIVATE_FLAG};

	switch (op & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
		c.e.call = SYT_CALL_futex_wait;
		return acquire(&c);
	case FUTEX_WAIT_BITSET:
		c.e.call = SYT_CALL_futex_wait;
		c.e.arg = bitset_of(bitset);
		return acquire(&c);
	case FUTEX_WAIT_REQUEUE_PI:
		c.e.call = SYT_CALL_futex_wait_requeue_pi;
		c.word2 = word2;
		return acquire(&c);
	case FUTEX_WAKE:
		c.e.call = SYT_CALL_futex_wake;
		return release(&c);
	case FUTEX_WAKE_BITSET:
		c.e.call = SYT_CALL_futex_wake;
		c.e.arg = bitset_of(bitset);
		return release(&c);
	case FUTEX_WAKE_OP:
		c.e.call = SYT_CALL_futex_wake_op;
		c.word2 = word2;
		return release(&c);
	case FUTEX_REQUEUE:
	case FUTEX_CMP_REQUEUE:
		c.e.call = SYT_CALL_futex_requeue;
		c.e.count = val;
		c.word2 = word2;
		return release(&c);
	/* a moved waiter then waits for the lock only: counts as woken */
	case FUTEX_CMP_REQUEUE_PI:
		c.e.call = SYT_CALL_futex_cmp_requeue_pi;
		c.e.count = INT32_MAX;
		c.word2 = word2;
		return release(&c);
	case FUTEX_LOCK_PI:
	case LOCK_PI2:
		c.e.call = SYT_CALL_futex_lock_pi;
		return acquire(&c);
	case FUTEX_TRYLOCK_PI:
		c.e.call = SYT_CALL_futex_trylock_pi;
		return acquire(&c);
	case FUTEX_UNLOCK_PI:
		c.e.call = SYT_CALL_futex_unlock_pi;
		return release(&c);
	default:
		return syt_syscall_forward(r);
	}
}

/* ---- the calls of Linux 5.16 and later ---- */

long syt_syscall_futex_wait(const struct syt_syscall *r)
{
	return acquire(&(struct call){
		.syscall = r,
		.e = {.call = SYT_CALL_futex_wait, .arg = bitset_of((uint32_t)r->a[2])},
		.word = (const void *)r->a[0],
		.is_private = r->a[3] & FUTEX2_PRIVATE_});
}

long syt_syscall_futex_wake(const struct syt_syscall *r)
{
	return release(&(struct call){
		.syscall = r,
		.e = {.call = SYT_CALL_futex_wake, .arg = bitset_of((uint32_t)r->a[1])},
		.word = (const void *)r->a[0],
		.is_private = r->a[3] & FUTEX2_PRIVATE_});
}

/* Returns the address of waiter I in the program's array, or NULL if the array cannot be read. */
static const void *waiter_word(const void *waiters, long i, bool *is_private)
{
	struct {
		uint64_t value, address;
		uint32_t flags, reserved;
	} w;

	if (!syt_peek(&w, (const char *)waiters + (size_t)i * sizeof(w), sizeof(w)))
		return NULL;
	*is_private = w.flags & FUTEX2_PRIVATE_;
	return (const void *)(uintptr_t)w.address;
}

/* The result tells which of the words was woken, so the object is set after the call. */
long syt_syscall_futex_waitv(const struct syt_syscall *r)
{
	struct syt_event e = {.call = SYT_CALL_futex_waitv, .count = (uint32_t)r->a[1]};
	struct syt_frame f;
	const void *word;
	bool is_private;

	if (!syt_enter_use(&f, r->fp))
		return syt_syscall_forward(r);
	syt_capture(&f);
	syt_stamp_in(&f);
	long rv = syt_syscall_forward(r);
	syt_stamp_out(&f);
	syt_result(&e, rv);
	if (rv >= 0 && (word = waiter_word((const void *)r->a[0], rv, &is_private)))
		e.object = word_object(word, is_private);
	syt_leave_out(&f, &e);
	return rv;
}

long syt_syscall_futex_requeue(const struct syt_syscall *r)
{
	struct call c = {.syscall = r,
	                 .e = {.call = SYT_CALL_futex_requeue, .count = (uint32_t)r->a[2]}};
	bool is_private, is_private2;

	c.word = waiter_word((const void *)r->a[0], 0, &is_private);
	c.word2 = c.word ? waiter_word((const void *)r->a[0], 1, &is_private2) : NULL;
	if (!c.word2)
		return syt_syscall_forward(r);
	c.is_private = is_private; /* both words have the same flag in practice */
	return release(&c);
}
