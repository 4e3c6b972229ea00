/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * System V semaphores. Each semaphore of a set is a sync object. For a call on several semaphores, the
 * wrapper records one event for each semaphore, with the same time stamps, first the releases and then the
 * acquires. The kernel's adjustments at the end of a process (SEM_UNDO) have no events; the operation's
 * event announces them.
 *
 * A call that may wait first tries a copy of its operations with IPC_NOWAIT. Except for waiting, the kernel
 * decides both calls in the same way, and a failed attempt changes no semaphore.
 */
#include "preload/wrap.h"

#include <stdarg.h>

#include "runtime/mark.h"
#include "runtime/object.h"
#include "runtime/peek.h"
#include "runtime/sys.h" /* asks for the size of a set and keeps errno */
#include "runtime/sysv.h"

#define NR_COPIED 32u /* maximum number of operations that are copied before a call */
#define NR_TRIED 8u
#define NR_TOLD 64u /* maximum number of semaphores of a new set that get an event */

static uint32_t object_of(int id, unsigned index)
{
	return syt_object_global(SYT_KIND_SEM, syt_sysv_identity(id, index));
}

/* ---- operations ---- */

static bool may_wait(const struct sembuf *ops, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (ops[i].sem_op <= 0 && !(ops[i].sem_flg & IPC_NOWAIT))
			return true;
	return false;
}

/* Returns 0 or -1 like semtimedop, or 1 with errno unchanged if the call would have to wait. */
static int try_now(int id, const struct sembuf *ops, size_t nr, const struct timespec *limit)
{
	struct sembuf now[NR_TRIED];
	int err = errno, rv;

	for (size_t i = 0; i < nr; i++) {
		now[i] = ops[i];
		now[i].sem_flg |= IPC_NOWAIT;
	}
	rv = SYT_REAL(semtimedop)(id, now, nr, limit);
	if (rv == 0 || errno != EAGAIN)
		return rv;
	errno = err;
	return 1;
}

static void leave_one(struct syt_frame *f, struct syt_event e, int id, const struct sembuf *op)
{
	bool is_post = op->sem_op > 0;

	e.object = object_of(id, op->sem_num);
	e.count = (uint64_t)(is_post ? op->sem_op : -op->sem_op);
	e.arg = !!(op->sem_flg & SEM_UNDO && op->sem_op);
	if (is_post) {
		e.call = SYT_CALL_semop_post;
		syt_leave_in(f, &e);
	} else {
		if (!op->sem_op)
			e.call = SYT_CALL_semop_zero;
		syt_leave_out(f, &e);
	}
}

/* Records the semaphore operations of a call. COPY contains the first operations as they were before the
 * call. */
static void leave(struct syt_frame *f, const struct syt_event *e, int id, const struct sembuf *ops,
                  size_t nr, const struct sembuf *copy)
{
	struct sembuf op;

	for (int is_giving = 1; is_giving >= 0; is_giving--) {
		for (size_t i = 0; i < nr; i++) {
			if (i < NR_COPIED)
				op = copy[i];
			else if (!syt_peek(&op, &ops[i], sizeof(op)))
				return;
			if ((op.sem_op > 0) == is_giving)
				leave_one(f, *e, id, &op);
		}
	}
}

/* Marks the semaphores of the set ID to which the NR operations OPS add tokens. */
static __attribute__((noinline, cold)) void mark(int id, const struct sembuf *ops, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (ops[i].sem_op > 0)
			syt_mark_post(object_of(id, ops[i].sem_num), 0, (uint32_t)ops[i].sem_op);
}

static int operate(struct syt_frame *f, uint32_t call, int id, struct sembuf *ops, size_t nr,
                   const struct timespec *limit)
{
	struct sembuf copy[NR_COPIED];
	size_t nr_copied = nr < NR_COPIED ? nr : NR_COPIED;
	bool is_readable = nr && syt_peek(copy, ops, nr_copied * sizeof(*ops));
	struct syt_event e = {.call = call};
	int rv = 1;

	syt_capture(f);
	syt_stamp_in(f);
	if (is_readable && syt_mark_may())
		mark(id, copy, nr_copied);
	if (is_readable && nr <= NR_TRIED && may_wait(copy, nr)) {
		rv = try_now(id, copy, nr, limit);
		if (rv == 1)
			syt_block(f, &e);
	}
	if (rv == 1)
		rv = call == SYT_CALL_semop ? SYT_REAL(semop)(id, ops, nr)
		                            : SYT_REAL(semtimedop)(id, ops, nr, limit);
	syt_stamp_out(f);
	syt_result(&e, rv);
	if (nr > 1)
		/* with several operations, it is unknown which one had to wait */
		f->blocked = false;
	if (!is_readable)
		syt_leave_out(f, &e);
	else
		leave(f, &e, id, ops, rv == 0 ? nr : 1, copy);
	return rv;
}

SYT_EXPORT int semop(int id, struct sembuf *ops, size_t nr)
{
	SYT_ENTER_OR_FORWARD(SYT_ENTER_USE, f, semop, (id, ops, nr));
	return operate(&f, SYT_CALL_semop, id, ops, nr, NULL);
}

SYT_EXPORT int semtimedop(int id, struct sembuf *ops, size_t nr, const struct timespec *limit)
{
	SYT_ENTER_OR_FORWARD(SYT_ENTER_USE, f, semtimedop, (id, ops, nr, limit));
	return operate(&f, SYT_CALL_semtimedop, id, ops, nr, limit);
}

/* ---- sets ---- */

SYT_EXPORT int semget(key_t key, int nr, int flags)
{
	SYT_ENTER_OR_FORWARD(SYT_ENTER, f, semget, (key, nr, flags));
	struct syt_event e = {.call = SYT_CALL_semget};
	syt_stamp_in(&f);
	int rv = SYT_REAL(semget)(key, nr, flags);
	syt_stamp_out(&f);
	if (rv >= 0)
		e.object = object_of(rv, 0);
	syt_result(&e, rv);
	syt_leave_out(&f, &e);
	/* the values of a new set are 0 */
	bool is_new = rv >= 0 && (key == IPC_PRIVATE || (flags & IPC_CREAT && flags & IPC_EXCL));
	e = (struct syt_event){.call = SYT_CALL_semget_new, .count = 1};
	for (unsigned i = 0; i < NR_TOLD && (int)i < nr && rv >= 0; i++) {
		e.object = object_of(rv, i);
		syt_sysv_name(e.object, key, (int)i);
		if (is_new)
			syt_leave_out(&f, &e);
	}
	return rv;
}

/* Records events for the NR values at VALUES, which is a pointer of the program. */
static void leave_values(struct syt_frame *f, struct syt_event e, int id,
                         const unsigned short *values, size_t nr)
{
	unsigned short value;

	for (size_t i = 0; i < nr && syt_peek(&value, &values[i], sizeof(value)); i++) {
		e.object = object_of(id, (unsigned)i);
		e.arg = value;
		syt_leave_out(f, &e);
	}
}

static size_t size_of(int id)
{
	struct semid_ds info;

	return SYT_SYS_4(SYS_semctl, id, 0, IPC_STAT, &info) < 0 ? 0 : info.sem_nsems;
}

/* The optional fourth argument of semctl is a union of an int and pointers, which the wrapper forwards as
 * one word. Only commands that change a value or remove the set are recorded. */
SYT_EXPORT int semctl(int id, int index, int command, ...)
{
	struct syt_frame f;
	va_list rest;
	size_t nr = 0;

	va_start(rest, command);
	long argument = va_arg(rest, long);
	va_end(rest);
	if ((command != SETVAL && command != SETALL && command != IPC_RMID) || !SYT_ENTER(&f))
		return SYT_REAL(semctl)(id, index, command, argument);
	struct syt_event e = {.call = SYT_CALL_semctl, .arg = (uint32_t)argument};
	if (command == SETALL)
		nr = size_of(id);
	if (command == IPC_RMID)
		e = (struct syt_event){.call = SYT_CALL_semctl_remove};
	syt_stamp_in(&f);
	int rv = SYT_REAL(semctl)(id, index, command, argument);
	syt_stamp_out(&f);
	syt_result(&e, rv);
	if (command == SETALL && rv == 0) {
		leave_values(&f, e, id, (const unsigned short *)argument, nr);
		return rv;
	}
	if (rv == 0)
		e.object = object_of(id, command == SETVAL ? (unsigned)index : 0);
	else
		e.arg = 0;
	if (command == IPC_RMID)
		syt_leave_in(&f, &e);
	else
		syt_leave_out(&f, &e);
	return rv;
}
