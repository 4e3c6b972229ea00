/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Locks on files: flock, and record locks (lockf, fcntl). The owner of a record lock is a process or an open
 * file description. The sync object is the file, with the kind flock or record. flock and record locks are
 * independent of each other; the record locks of processes and of open file descriptions exclude each other.
 *
 * A call that may wait first makes the non-blocking call, which differs only in not waiting. If flock fails to
 * convert a lock, the old lock is lost. The waiting call loses the old lock, too, before it waits. So the
 * event's time `in` is read before the attempt.
 */
#include "preload/filelock.h"

#include <sys/stat.h>

#include "runtime/description.h"
#include "runtime/object.h"
#include "runtime/peek.h"
#include "runtime/sys.h" /* asks for the file and the position and keeps errno */
#include "runtime/thread.h"

/* Returns a number that identifies FD's file in the whole system, or 0 if FD is not open. */
static uint64_t identity_of(int fd)
{
	struct stat st;
	uint64_t h;

	if (SYT_SYS_2(SYS_fstat, fd, &st) < 0)
		return 0;
	h = st.st_dev * UINT64_C(0x9e3779b97f4a7c15);
	h = (h ^ h >> 32 ^ st.st_ino) * UINT64_C(0xc2b2ae3d27d4eb4f);
	h = (h ^ h >> 29) * UINT64_C(0x9e3779b97f4a7c15);
	return h | UINT64_C(1) << 63;
}

static uint32_t object_of(enum syt_kind kind, uint64_t identity)
{
	return identity ? syt_object_global(kind, identity) : 0;
}

/* ---- the files on which this process has, or had, record locks of its own ---- */

#define NR_BUCKETS 256u
#define NR_IN_BUCKET 4u

/* Files on which this process has, or had, record locks of its own. A forked child inherits the
 * table of its parent. The child owns none of these locks, so its closes release none. */
static uint64_t locked[NR_BUCKETS][NR_IN_BUCKET];
/* true: a file did not fit into the bucket, so every file of this bucket counts as locked */
static bool is_full[NR_BUCKETS];
static bool has_locks; /* true after the first file lock of this process */

static bool is_locked(uint64_t identity)
{
	uint64_t *bucket = locked[identity % NR_BUCKETS];

	for (unsigned i = 0; i < NR_IN_BUCKET; i++)
		if (__atomic_load_n(&bucket[i], __ATOMIC_RELAXED) == identity)
			return true;
	return __atomic_load_n(&is_full[identity % NR_BUCKETS], __ATOMIC_RELAXED);
}

static void set_locked(uint64_t identity)
{
	uint64_t *bucket = locked[identity % NR_BUCKETS], free = 0;

	for (unsigned i = 0; i < NR_IN_BUCKET; i++, free = 0)
		if (__atomic_compare_exchange_n(&bucket[i], &free, identity, false,
		                                __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ||
		    free == identity)
			return;
	__atomic_store_n(&is_full[identity % NR_BUCKETS], true, __ATOMIC_RELAXED);
}

static void set_unlocked(uint64_t identity)
{
	uint64_t *bucket = locked[identity % NR_BUCKETS];

	for (unsigned i = 0; i < NR_IN_BUCKET; i++) {
		uint64_t was = identity;

		__atomic_compare_exchange_n(&bucket[i], &was, 0, false, __ATOMIC_ACQ_REL,
		                            __ATOMIC_RELAXED);
	}
}

/* ---- closing ---- */

void syt_filelock_begin_close(struct syt_unlocked *u, int fd)
{
	unsigned locks;
	uint64_t identity;

	u->flock = u->record = 0;
	/* a vfork child closes copies of the descriptors */
	if (!__atomic_load_n(&has_locks, __ATOMIC_RELAXED) || fd < 0 || syt_thread_is_borrowed())
		return;
	identity = identity_of(fd);
	if (!identity)
		return;
	u->description = syt_description_of(fd);
	locks = u->description ? syt_description_locks(fd) : 0;
	if (locks & SYT_DESCRIPTION_FLOCK)
		u->flock = object_of(SYT_KIND_FLOCK, identity);
	if (locks & SYT_DESCRIPTION_RECORD || is_locked(identity)) {
		set_unlocked(identity);
		u->record = object_of(SYT_KIND_RECORD, identity);
	}
	if (!(locks & SYT_DESCRIPTION_RECORD) && !u->flock)
		u->description = 0;
}

void syt_filelock_end_close(struct syt_io *x, const struct syt_unlocked *u)
{
	if (__builtin_expect(!(u->flock | u->record), 1) || !x->is_recorded)
		return;
	struct syt_event e = {.call = SYT_CALL_file_unlocked,
	                      .arg = SYT_LOCK_NONE | SYT_LOCK_CLOSED,
	                      .offset2 = u->description};
	if (u->flock) {
		e.object = u->flock;
		syt_leave_out(&x->frame, &e);
	}
	if (u->record) {
		e.object = u->record;
		syt_leave_out(&x->frame, &e);
	}
}

/* ---- locking ---- */

struct lock {
	struct syt_frame frame;
	struct syt_event event;
	int err;
};

/* Prepares a file lock call. DESCRIPTION_LOCK is SYT_DESCRIPTION_* if the open file description owns the
 * lock, or 0. */
static void begin(struct lock *l, uint32_t call, int fd, unsigned mode, unsigned description_lock)
{
	uint64_t identity = identity_of(fd);

	l->event = (struct syt_event){.call = call, .arg = mode};
	l->event.object = object_of(description_lock == SYT_DESCRIPTION_FLOCK ? SYT_KIND_FLOCK
	                                                                      : SYT_KIND_RECORD,
	                            identity);
	if (description_lock) {
		l->event.arg |= SYT_LOCK_DESCRIPTION;
		l->event.offset2 = syt_description_of(fd);
	}
	if (identity && mode != SYT_LOCK_NONE) {
		__atomic_store_n(&has_locks, true, __ATOMIC_RELAXED);
		if (description_lock)
			syt_description_locked(fd, description_lock);
		else
			set_locked(identity);
	}
	l->err = errno;
	syt_capture(&l->frame);
	syt_stamp_wait(&l->frame, &l->event);
}

/* Returns true if the non-blocking attempt failed because the lock is held, and then restores errno. */
static bool would_wait(struct lock *l, int rv)
{
	if (rv == 0 || (errno != EAGAIN && errno != EACCES))
		return false;
	errno = l->err;
	l->frame.blocked = true;
	return true;
}

static int leave(struct lock *l, int rv)
{
	syt_stamp_out(&l->frame);
	syt_result(&l->event, rv);
	syt_leave_out(&l->frame, &l->event);
	return rv;
}

SYT_EXPORT int flock(int fd, int operation)
{
	struct lock l;
	int how = operation & ~LOCK_NB, rv;

	if (!SYT_ENTER(&l.frame))
		return SYT_REAL(flock)(fd, operation);
	begin(&l, SYT_CALL_flock, fd,
	      how == LOCK_EX   ? SYT_LOCK_EXCLUSIVE
	      : how == LOCK_SH ? SYT_LOCK_SHARED
	                       : SYT_LOCK_NONE,
	      SYT_DESCRIPTION_FLOCK);
	rv = SYT_REAL(flock)(fd, operation | LOCK_NB);
	if (!(operation & LOCK_NB) && would_wait(&l, rv))
		rv = SYT_REAL(flock)(fd, operation);
	return leave(&l, rv);
}

/* ---- ranges ---- */

struct range {
	int whence;
	off_t start, bytes; /* the program's arguments for the range */
	off_t base;         /* file offset to which `whence` refers */
};

static off_t base_of(int fd, int whence)
{
	struct stat st;
	long at;

	if (whence == SEEK_CUR) {
		at = SYT_SYS_3(SYS_lseek, fd, 0, SEEK_CUR);
		return at < 0 ? 0 : at;
	}
	return whence == SEEK_END && SYT_SYS_2(SYS_fstat, fd, &st) == 0 ? st.st_size : 0;
}

static void begin_range(struct lock *l, struct range *r, int fd)
{
	off_t start;

	r->base = base_of(fd, r->whence);
	start = r->base + r->start + (r->bytes < 0 ? r->bytes : 0);
	l->event.offset = start > 0 ? (uint64_t)start : 0;
	l->event.count = (uint64_t)(r->bytes < 0 ? -r->bytes : r->bytes);
}

/* Records a lock call on a range. If the file or its position changed during the call, the locked range is
 * unknown. */
static int leave_range(struct lock *l, const struct range *r, int fd, int rv)
{
	if (r->whence != SEEK_SET && rv == 0 && base_of(fd, r->whence) != r->base)
		l->event.flags |= SYT_EVENT_NOOFFSET;
	return leave(l, rv);
}

/* A blocking call for a record lock is a cancellation point, even if the lock is free. */
SYT_EXPORT int lockf(int fd, int command, off_t bytes)
{
	struct range r = {SEEK_CUR, 0, bytes, 0};
	struct lock l;
	int rv;

	if (command == F_TEST || !SYT_ENTER(&l.frame))
		return SYT_REAL(lockf)(fd, command, bytes);
	begin(&l, SYT_CALL_lockf, fd, command == F_ULOCK ? SYT_LOCK_NONE : SYT_LOCK_EXCLUSIVE, 0);
	begin_range(&l, &r, fd);
	if (command != F_LOCK) {
		rv = SYT_REAL(lockf)(fd, command, bytes);
	} else {
		pthread_testcancel();
		rv = SYT_REAL(lockf)(fd, F_TLOCK, bytes);
		if (would_wait(&l, rv))
			rv = SYT_REAL(lockf)(fd, F_LOCK, bytes);
	}
	return leave_range(&l, &r, fd, rv);
}

bool syt_filelock_is_command(int command)
{
	return command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK ||
	       command == F_OFD_SETLKW;
}

static unsigned mode_of(const struct flock *how)
{
	return how->l_type == F_WRLCK   ? SYT_LOCK_EXCLUSIVE
	       : how->l_type == F_RDLCK ? SYT_LOCK_SHARED
	                                : SYT_LOCK_NONE;
}

int syt_filelock_fcntl(int fd, int command, void *argument, const void *fp)
{
	bool is_wait = command == F_SETLKW || command == F_OFD_SETLKW;
	bool is_process = command == F_SETLK || command == F_SETLKW;
	struct flock how;
	struct range r;
	struct lock l;
	int rv;

	if (!syt_enter(&l.frame, fp) || !syt_peek(&how, argument, sizeof(how)))
		return SYT_REAL(fcntl)(fd, command, argument);
	r = (struct range){how.l_whence, how.l_start, how.l_len, 0};
	begin(&l, SYT_CALL_fcntl_lock, fd, mode_of(&how), is_process ? 0 : SYT_DESCRIPTION_RECORD);
	begin_range(&l, &r, fd);
	if (!is_wait || how.l_type == F_UNLCK) {
		rv = SYT_REAL(fcntl)(fd, command, argument);
	} else {
		pthread_testcancel();
		rv = SYT_REAL(fcntl)(fd, is_process ? F_SETLK : F_OFD_SETLK, argument);
		if (would_wait(&l, rv))
			rv = SYT_REAL(fcntl)(fd, command, argument);
	}
	return leave_range(&l, &r, fd, rv);
}
