/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Futex calls of programs that have their own locks and use syscall(). libc's own locks make the system
 * call without syscall(). These locks have wrappers, so no event is recorded twice.
 *
 * The recorder never reads the futex word. A FUTEX_WAKE is stamped before and after the call, because the
 * decoder matches the wake with waits by this interval.
 */
#include <linux/futex.h>

#include "preload/syscall.h"
#include "runtime/mark.h"
#include "runtime/peek.h"

#define LOCK_PI2 13          /* since Linux 5.14; older headers lack the name */
#define FUTEX2_PRIVATE_ 128u /* since Linux 6.7 */
#define BITSET_ANY UINT32_MAX

/* Returns the object of the futex word at ADDRESS. A word in shared memory, without the private flag, is
 * one object for all processes. */
static uint32_t word_object(const void *address, bool is_private)
{
	bool is_shared = !is_private && syt_shared_find(address, NULL);

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

/* Marks the word of the call C if the call wakes waiters. */
static __attribute__((noinline, cold)) void mark(const struct call *c)
{
	if (c->e.call != SYT_CALL_futex_wake && c->e.call != SYT_CALL_futex_wake_op &&
	    c->e.call != SYT_CALL_futex_requeue)
		return;
	/* the third argument of all these calls of SYS_futex is the number of waiters; the new calls have it elsewhere */
	uint64_t nr = c->syscall->nr == SYS_futex ? (uint32_t)c->syscall->a[2] : 1;

	syt_mark_wake(c->e.object, nr < SYT_MARK_ALL ? (uint32_t)nr : SYT_MARK_ALL);
}

/* Makes the futex call and records it as an acquire (a wait, a lock) or a release (a wake, an unlock). */
static long make(struct call *c, bool is_acquire)
{
	struct syt_frame f;

	if (!syt_enter_use(&f, c->syscall->fp, SYT_CALL_NONE))
		return syt_syscall_forward(c->syscall);
	if (c->word)
		c->e.object = word_object(c->word, c->is_private);
	if (c->word2)
		c->e.object2 = word_object(c->word2, c->is_private);
	if (is_acquire) {
		syt_capture(&f);
		syt_stamp_wait(&f, &c->e);
	} else {
		syt_stamp_in(&f);
		if (syt_mark_may())
			mark(c);
	}
	long rv = syt_syscall_forward(c->syscall);
	syt_stamp_out(&f);
	syt_result(&c->e, rv);
	if (is_acquire)
		syt_leave_out(&f, &c->e);
	else
		syt_leave_in(&f, &c->e);
	return rv;
}

enum { ACQUIRES = 1, HAS_BITSET = 2, HAS_WORD2 = 4, HAS_COUNT = 8 };

static const struct {
	uint16_t call; /* enum syt_call; 0: the operation is only forwarded */
	uint8_t flags;
} operations[] = {
	[FUTEX_WAIT] = {SYT_CALL_futex_wait, ACQUIRES},
	[FUTEX_WAIT_BITSET] = {SYT_CALL_futex_wait, ACQUIRES | HAS_BITSET},
	[FUTEX_WAIT_REQUEUE_PI] = {SYT_CALL_futex_wait_requeue_pi, ACQUIRES | HAS_WORD2},
	[FUTEX_WAKE] = {SYT_CALL_futex_wake, 0},
	[FUTEX_WAKE_BITSET] = {SYT_CALL_futex_wake, HAS_BITSET},
	[FUTEX_WAKE_OP] = {SYT_CALL_futex_wake_op, HAS_WORD2},
	[FUTEX_REQUEUE] = {SYT_CALL_futex_requeue, HAS_WORD2 | HAS_COUNT},
	[FUTEX_CMP_REQUEUE] = {SYT_CALL_futex_requeue, HAS_WORD2 | HAS_COUNT},
	[FUTEX_CMP_REQUEUE_PI] = {SYT_CALL_futex_cmp_requeue_pi, HAS_WORD2 | HAS_COUNT},
	[FUTEX_LOCK_PI] = {SYT_CALL_futex_lock_pi, ACQUIRES},
	[LOCK_PI2] = {SYT_CALL_futex_lock_pi, ACQUIRES},
	[FUTEX_TRYLOCK_PI] = {SYT_CALL_futex_trylock_pi, ACQUIRES},
	[FUTEX_UNLOCK_PI] = {SYT_CALL_futex_unlock_pi, 0},
};

long syt_syscall_futex(const struct syt_syscall *r)
{
	unsigned op = (unsigned)r->a[1] & (unsigned)FUTEX_CMD_MASK;
	struct call c = {.syscall = r,
	                 .word = (const void *)r->a[0],
	                 .is_private = r->a[1] & FUTEX_PRIVATE_FLAG};

	if (op >= sizeof(operations) / sizeof(*operations) || !operations[op].call)
		return syt_syscall_forward(r);
	unsigned flags = operations[op].flags;

	c.e.call = operations[op].call;
	if (flags & HAS_BITSET)
		c.e.arg = bitset_of((uint32_t)r->a[5]);
	if (flags & HAS_WORD2)
		c.word2 = (const void *)r->a[4];
	/* a waiter that FUTEX_CMP_REQUEUE_PI moves only waits for the lock from then on, so each moved
	 * waiter counts as woken */
	if (flags & HAS_COUNT)
		c.e.count = op == FUTEX_CMP_REQUEUE_PI ? INT32_MAX : (uint32_t)r->a[2];
	return make(&c, flags & ACQUIRES);
}

/* ---- the calls of Linux 5.16 and later ---- */

long syt_syscall_futex_wait(const struct syt_syscall *r)
{
	struct call c = {.syscall = r,
	                 .e = {.call = SYT_CALL_futex_wait, .arg = bitset_of((uint32_t)r->a[2])},
	                 .word = (const void *)r->a[0],
	                 .is_private = r->a[3] & FUTEX2_PRIVATE_};

	return make(&c, true);
}

long syt_syscall_futex_wake(const struct syt_syscall *r)
{
	struct call c = {.syscall = r,
	                 .e = {.call = SYT_CALL_futex_wake, .arg = bitset_of((uint32_t)r->a[1])},
	                 .word = (const void *)r->a[0],
	                 .is_private = r->a[3] & FUTEX2_PRIVATE_};

	return make(&c, false);
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

/* The result of futex_waitv tells which of the words was woken, so the event's object is set after the call. */
long syt_syscall_futex_waitv(const struct syt_syscall *r)
{
	struct syt_event e = {.call = SYT_CALL_futex_waitv, .count = (uint32_t)r->a[1]};
	struct syt_frame f;
	const void *word;
	bool is_private;

	if (!syt_enter_use(&f, r->fp, SYT_CALL_NONE))
		return syt_syscall_forward(r);
	syt_capture(&f);
	syt_stamp_wait(&f, &e);
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
	c.is_private = is_private; /* in practice, both futex words have the same private flag */
	return make(&c, false);
}
