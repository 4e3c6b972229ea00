/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Steps on objects in memory. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "tests/oracle/world.h"

static struct timespec soon(unsigned us)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += (long)us * 1000;
	if (t.tv_nsec >= 1000000000) {
		t.tv_nsec -= 1000000000;
		t.tv_sec++;
	}
	return t;
}

/* Spends time in a critical section, in a way that HOW selects. */
static void dawdle(unsigned how)
{
	for (volatile unsigned n = (how & 15) * (how & 15) * 8; n; n--)
		;
}

/* ---- mutexes and spin locks ---- */

/* Begins a section with the acquisition E. */
static void enter(struct log_entry *e, struct section *s)
{
	e->serial = ++s->serial;
	write_source(e, s->last, LOG_BY_LOCK, LOG_SURE);
}

/* Ends the critical section with the release E, which has begun. */
static void leave(struct log_entry *e, struct section *s)
{
	e->serial = s->serial;
	s->last = write_name(e);
}

static bool lock(unsigned number, unsigned how)
{
	struct object *o = world_object(number);
	struct timespec t = soon(3000);
	struct log_entry *e;
	long rv;

	/*
	 * when the owner of a robust mutex dies, glibc sometimes loses a waiter: no wait is
	 * unlimited
	 */
	switch (the_plan.objects[number].type == 4 ? how % 2 : how % 4) {
	case 0:
		e = write_begin(LOG_pthread_mutex_trylock, number);
		rv = write_end(e, pthread_mutex_trylock(&o->mutex));
		break;
	case 1:
		e = write_begin(LOG_pthread_mutex_timedlock, number);
		rv = write_end(e, pthread_mutex_timedlock(&o->mutex, &t));
		break;
	default:
		e = write_begin(LOG_pthread_mutex_lock, number);
		rv = write_end(e, pthread_mutex_lock(&o->mutex));
	}
	if (rv && rv != EOWNERDEAD)
		return false;
	if (rv == EOWNERDEAD)
		pthread_mutex_consistent(&o->mutex);
	enter(e, &o->section);
	return true;
}

static void unlock(unsigned number)
{
	struct object *o = world_object(number);
	struct log_entry *e = write_begin(LOG_pthread_mutex_unlock, number);

	leave(e, &o->section);
	write_end(e, pthread_mutex_unlock(&o->mutex));
}

/* Sometimes locks a recursive mutex a second time. */
static void again(unsigned number, unsigned how)
{
	struct object *o = world_object(number);
	struct log_entry *e;

	if (the_plan.objects[number].type != 1 || how % 3)
		return;
	e = write_begin(LOG_pthread_mutex_lock, number);
	write_end(e, pthread_mutex_lock(&o->mutex));
	e->serial = o->section.serial;
	e = write_begin(LOG_pthread_mutex_unlock, number);
	write_end(e, pthread_mutex_unlock(&o->mutex));
	e->serial = o->section.serial;
}

static void lock_once(unsigned number, unsigned how)
{
	if (!lock(number, how))
		return;
	dawdle(how);
	again(number, how);
	unlock(number);
}

void lock_forever(unsigned number)
{
	lock(number, 1);
}

static void lock_nested(unsigned number, unsigned how)
{
	unsigned inner = number + 1;

	if (!lock(number, 3))
		return;
	while (inner < the_plan.nr_objects && the_plan.objects[inner].kind != PLAN_MUTEX)
		inner++;
	if (inner < the_plan.nr_objects)
		lock_once(inner, how);
	unlock(number);
}

static void spin(unsigned number, unsigned how)
{
	struct object *o = world_object(number);
	struct log_entry *e = write_begin(LOG_pthread_spin_lock, number);

	write_end(e, pthread_spin_lock(&o->spin));
	enter(e, &o->section);
	dawdle(how & 7);
	e = write_begin(LOG_pthread_spin_unlock, number);
	leave(e, &o->section);
	write_end(e, pthread_spin_unlock(&o->spin));
}

/* ---- files ---- */

static long file_call(unsigned number, bool is_flock, bool is_unlock)
{
	struct flock range = {.l_type = is_unlock ? F_UNLCK : F_WRLCK, .l_whence = SEEK_SET};
	int fd = world_file(number);

	return is_flock ? flock(fd, is_unlock ? LOCK_UN : LOCK_EX)
	                : fcntl(fd, F_OFD_SETLKW, &range);
}

static void lock_file(unsigned number, unsigned how)
{
	bool is_flock = the_plan.objects[number].type;
	enum log_call call = is_flock ? LOG_flock : LOG_fcntl_lock;
	struct section *s = &world_object(number)->section;
	struct log_entry *e;
	long rv;

	do {
		e = write_begin(call, number);
		rv = write_end(e, file_call(number, is_flock, false));
	} while (rv < 0 && errno == EINTR);
	must(rv == 0, "a file's lock");
	enter(e, s);
	dawdle(how);
	e = write_begin(call, number);
	leave(e, s);
	write_end(e, file_call(number, is_flock, true));
}

/* ---- read-write locks ---- */

static void read_lock(unsigned number, unsigned how)
{
	struct object *o = world_object(number);
	struct log_entry *e = write_begin(
		how % 4 ? LOG_pthread_rwlock_rdlock : LOG_pthread_rwlock_tryrdlock, number);

	if (write_end(e, how % 4 ? pthread_rwlock_rdlock(&o->rwlock)
	                         : pthread_rwlock_tryrdlock(&o->rwlock)))
		return;
	e->serial = o->section.serial;
	write_source(e, o->section.last, LOG_BY_LOCK, LOG_SURE);
	dawdle(how);
	e = write_begin(LOG_pthread_rwlock_unlock, number);
	e->serial = o->section.serial;
	o->section.readers[write_name(e).slot] = write_name(e).seq;
	write_end(e, pthread_rwlock_unlock(&o->rwlock));
}

static void write_lock(unsigned number, unsigned how)
{
	struct object *o = world_object(number);
	struct log_entry *e = write_begin(
		how % 4 ? LOG_pthread_rwlock_wrlock : LOG_pthread_rwlock_trywrlock, number);

	if (write_end(e, how % 4 ? pthread_rwlock_wrlock(&o->rwlock)
	                         : pthread_rwlock_trywrlock(&o->rwlock)))
		return;
	for (uint32_t n = 0; n < LOG_SLOTS; n++)
		write_source(e, (struct call_name){n, o->section.readers[n]}, LOG_BY_LOCK,
		             LOG_SURE);
	memset(o->section.readers, 0, sizeof(o->section.readers));
	enter(e, &o->section);
	dawdle(how);
	e = write_begin(LOG_pthread_rwlock_unlock, number);
	leave(e, &o->section);
	write_end(e, pthread_rwlock_unlock(&o->rwlock));
}

/* ---- condition variables ---- */

static void cond_wait(unsigned number, unsigned how)
{
	struct object *c = world_object(number), *m = world_object(number - 1);
	struct timespec t;

	if (!lock(number - 1, 3))
		return;
	t = soon(how % 8 ? 500 + 20 * how : 20);
	struct log_entry *e = write_begin(LOG_pthread_cond_timedwait, number);

	e->mate = number;
	leave(e, &m->section);
	long rv = write_end(e, pthread_cond_timedwait(&c->cond, &m->mutex, &t));

	if (rv == EOWNERDEAD)
		pthread_mutex_consistent(&m->mutex);
	write_source(e, m->section.last, LOG_BY_LOCK, LOG_SURE);
	e->serial_after = ++m->section.serial;
	unlock(number - 1);
}

struct awaiting {
	struct log_entry *e;
	unsigned number;
};

/* A cancelled wait holds the mutex again. */
static void on_cancel(void *argument)
{
	struct awaiting *a = argument;
	struct section *s = &world_object(a->number - 1)->section;

	write_end(a->e, 0);
	write_source(a->e, s->last, LOG_BY_LOCK, LOG_SURE);
	a->e->serial_after = ++s->serial;
	unlock(a->number - 1);
}

void lock_await_cancel(unsigned number)
{
	struct object *c = world_object(number), *m = world_object(number - 1);
	struct awaiting a = {.number = number};
	long rv;

	if (!lock(number - 1, 3))
		return;
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	a.e = write_begin(LOG_cond_cancelled, number);
	a.e->mate = number;
	leave(a.e, &m->section);
	pthread_cleanup_push(on_cancel, &a);
	/* if the wait is woken, the log says so, and the thread does not wait again */
	rv = pthread_cond_wait(&c->cond, &m->mutex);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	a.e->call = LOG_pthread_cond_wait;
	write_end(a.e, rv);
	write_source(a.e, m->section.last, LOG_BY_LOCK, LOG_SURE);
	a.e->serial_after = ++m->section.serial;
	pthread_cleanup_pop(0);
	if (rv == EOWNERDEAD)
		pthread_mutex_consistent(&m->mutex);
	unlock(number - 1);
}

static void cond_wake(unsigned number, unsigned how, bool is_broadcast)
{
	struct object *c = world_object(number), *m = world_object(number - 1);
	bool is_locked = how % 3 && lock(number - 1, 3);
	struct log_entry *e = write_begin(
		is_broadcast ? LOG_pthread_cond_broadcast : LOG_pthread_cond_signal, number);

	if (is_locked) {
		e->serial = m->section.serial;
		e->mate = number;
	}
	write_end(e,
	          is_broadcast ? pthread_cond_broadcast(&c->cond) : pthread_cond_signal(&c->cond));
	if (is_locked)
		unlock(number - 1);
}

/* ---- semaphores, barriers, once ---- */

static sem_t *sem_of(unsigned number)
{
	return number == the_plan.fault ? world_fault_sem() : &world_object(number)->sem;
}

static void post(unsigned number)
{
	struct log_entry *e = write_begin(LOG_sem_post, number);

	write_end(e, sem_post(sem_of(number)));
}

static void take(unsigned number, unsigned how)
{
	struct timespec t = soon(how % 4 == 1 ? 2000 : 200);
	struct log_entry *e = write_begin(how % 4 ? LOG_sem_timedwait : LOG_sem_trywait, number);

	write_end(e, how % 4 ? sem_timedwait(sem_of(number), &t) : sem_trywait(sem_of(number)));
}

static void barrier(unsigned number, unsigned role)
{
	struct object *o = world_object(number);
	static __thread unsigned round;
	struct call_name *arrived = o->arrived[round % WORLD_ROUNDS];
	struct log_entry *e = write_begin(LOG_pthread_barrier_wait, number);

	arrived[role] = write_name(e);
	e->serial = ++round;
	write_end(e, pthread_barrier_wait(&o->barrier));
	for (unsigned n = 0; n < PLAN_ROLES; n++)
		if (the_plan.objects[number].members >> n & 1)
			write_source(e, arrived[n], LOG_BY_ROUND, LOG_SURE);
	e->flags |= LOG_EXACT;
}

static __thread struct call_name initializing;
static __thread unsigned initializing_object;

static void initialize(void)
{
	world_object(initializing_object)->section.last = initializing;
}

static void once(unsigned number)
{
	struct object *o = world_object(number);
	static __thread bool has_passed[PLAN_OBJECTS];

	/* a pthread_once() that does not run its function is rarely recorded and orders no calls */
	if (has_passed[number]) {
		pthread_once(&o->once, initialize);
		return;
	}
	struct log_entry *e = write_begin(LOG_pthread_once, number);

	has_passed[number] = true;
	initializing = write_name(e);
	initializing_object = number;
	write_end(e, pthread_once(&o->once, initialize));
	if (o->section.last.slot != initializing.slot || o->section.last.seq != initializing.seq)
		write_source(e, o->section.last, LOG_BY_ONCE, LOG_SURE);
	e->flags |= LOG_EXACT;
}

void lock_handler(void)
{
	post(the_plan.tokens);
}

void lock_step(const struct plan_step *s)
{
	switch (s->op) {
	case OP_LOCK:
		lock_once(s->object, s->how);
		break;
	case OP_NESTED:
		lock_nested(s->object, s->how);
		break;
	case OP_FILE:
		lock_file(s->object, s->how);
		break;
	case OP_SPIN:
		spin(s->object, s->how);
		break;
	case OP_READ_LOCK:
		read_lock(s->object, s->how);
		break;
	case OP_WRITE_LOCK:
		write_lock(s->object, s->how);
		break;
	case OP_COND_WAIT:
		cond_wait(s->object, s->how);
		break;
	case OP_COND_SIGNAL:
	case OP_COND_BROADCAST:
		cond_wake(s->object, s->how, s->op == OP_COND_BROADCAST);
		break;
	case OP_FAULT_POST:
		world_close_page();
		post(s->object);
		break;
	case OP_POST:
		post(s->object);
		break;
	case OP_TAKE:
		take(s->object, s->how);
		break;
	case OP_BARRIER:
		barrier(s->object, s->role);
		break;
	case OP_ONCE:
		once(s->object);
		break;
	default:
		break;
	}
}
