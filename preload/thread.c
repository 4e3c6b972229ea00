/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Threads: creation, end and join. The creating thread assigns the number of the new thread. The new thread
 * starts in a function of this file, which finds the program's start routine in a small record. The creating
 * thread takes the record, the new thread frees it, and neither may allocate memory, so a fixed pool holds the
 * records. */
#include <string.h>

#include "preload/cleanup.h"
#include "preload/quick.h"
#include "preload/thread.h"
#include "preload/syscall.h"
#include "preload/wrap.h"
#include "runtime/mark.h"
#include "runtime/session.h"
#include "runtime/thread.h"

/* Maximum number of threads that were created and have not started yet. A further thread is registered at
 * its first event and has no known creator. */
#define NR_STARTS 1024u

struct start {
	union {
		void *(*posix)(void *);
		int (*c11)(void *);
	} routine;
	void *arg;
	uint32_t thread, creator;
	uint32_t next; /* index + 1 of the next free record */
};

static struct start starts[NR_STARTS];
static uint32_t nr_starts_used; /* records with this index or a higher index were never used */
/* index + 1 of the first free record; the bits from 32 on are a counter against ABA */
static uint64_t free_starts;

static struct start *start_get(void)
{
	uint64_t head = __atomic_load_n(&free_starts, __ATOMIC_ACQUIRE);

	while ((uint32_t)head) {
		struct start *s = &starts[(uint32_t)head - 1];
		uint64_t next =
			((head >> 32) + 1) << 32 | __atomic_load_n(&s->next, __ATOMIC_RELAXED);

		if (__atomic_compare_exchange_n(&free_starts, &head, next, true, __ATOMIC_ACQUIRE,
		                                __ATOMIC_ACQUIRE))
			return s;
	}
	if (__atomic_load_n(&nr_starts_used, __ATOMIC_RELAXED) >= NR_STARTS)
		return NULL;
	uint32_t fresh = __atomic_fetch_add(&nr_starts_used, 1, __ATOMIC_RELAXED);

	return fresh < NR_STARTS ? &starts[fresh] : NULL;
}

static void start_put(struct start *s)
{
	uint64_t head = __atomic_load_n(&free_starts, __ATOMIC_RELAXED), mine;

	do {
		__atomic_store_n(&s->next, (uint32_t)head, __ATOMIC_RELAXED);
		mine = ((head >> 32) + 1) << 32 | (uint32_t)(s - starts + 1);
	} while (!__atomic_compare_exchange_n(&free_starts, &head, mine, true, __ATOMIC_RELEASE,
	                                      __ATOMIC_RELAXED));
}

/* Records an event (begin or end of a thread) that no call made, so the event has no call stack. */
static void record_mark(enum syt_call call, uint32_t thread, bool is_cancelled)
{
	struct syt_frame f;
	struct syt_event e = {.call = call, .thread = (uint64_t)thread + 1, .arg = is_cancelled};

	if (!syt_enter(&f, NULL))
		return;
	syt_stamp_in(&f);
	syt_leave_in(&f, &e);
}

struct run {
	struct start start;
	union {
		void *posix;
		int c11;
	} result;
};

static void run_begin(struct run *r, void *arg)
{
	r->start = *(struct start *)arg;
	start_put(arg);
	syt_thread_begin(r->start.thread, r->start.creator);
	syt_thread_bind((uint64_t)pthread_self(), r->start.thread);
	record_mark(SYT_CALL_thread_start, r->start.creator, false);
}

/* Records the end of the start routine. Later, destructors of thread-local data may record events. */
static void run_end(struct run *r, bool is_cancelled)
{
	record_mark(SYT_CALL_thread_end, r->start.thread, is_cancelled);
	syt_thread_end();
}

/* Records the end of an unwound thread, which was cancelled unless it has called an exit function. */
static void run_unwound(void *arg)
{
	run_end(arg, !syt_thread_is_exiting());
}

/* Defines KIND_start, the function in which a thread of KIND starts. */
#define START(kind_, type_)                                                                        \
	static void kind_##_body(void *arg)                                                        \
	{                                                                                          \
		struct run *r = arg;                                                               \
                                                                                                   \
		r->result.kind_ = r->start.routine.kind_(r->start.arg);                            \
	}                                                                                          \
                                                                                                   \
	static type_ kind_##_start(void *arg)                                                      \
	{                                                                                          \
		struct run r;                                                                      \
                                                                                                   \
		run_begin(&r, arg);                                                                \
		syt_cleanup_run(kind_##_body, run_unwound, &r);                                    \
		run_end(&r, false);                                                                \
		return r.result.kind_;                                                             \
	}

START(posix, void *)
START(c11, int)

uint64_t syt_thread_field(pthread_t handle)
{
	uint32_t thread = syt_thread_find((uint64_t)handle);

	return thread == SYT_THREAD_NONE ? 0 : (uint64_t)thread + 1;
}

static int create_leave(struct syt_frame *f, struct syt_event *e, struct start *s,
                        const pthread_t *handle, uint32_t thread, int rv)
{
	syt_stamp_out(f);
	e->result = rv;
	if (rv == 0) {
		/* the child may have ended, and another thread may use its record */
		syt_thread_bind_created((uint64_t)*handle, thread);
		e->thread = (uint64_t)thread + 1;
	} else {
		start_put(s);
	}
	syt_leave_in(f, e);
	return rv;
}

/* Defines the wrapper of a function that creates a thread of KIND. The variadic arguments are the
 * arguments of the real call before the start routine. */
#define CREATE(name_, kind_, params_, args_, ...)                                                  \
	SYT_EXPORT int name_ params_                                                               \
	{                                                                                          \
		struct syt_frame f;                                                                \
		struct start *s;                                                                   \
                                                                                                   \
		if (!SYT_ENTER(&f) || !(s = start_get()))                                          \
			return SYT_REAL(name_) args_;                                              \
		struct syt_event e = {.call = SYT_CALL_##name_};                                   \
		uint32_t thread = syt_thread_announce();                                           \
		*s = (struct start){.routine.kind_ = routine,                                      \
		                    .arg = arg,                                                    \
		                    .thread = thread,                                              \
		                    .creator = syt_self()};                                        \
		if (syt_mark_may())                                                                \
			syt_mark_thread(thread);                                                   \
		syt_capture(&f);                                                                   \
		syt_stamp_in(&f);                                                                  \
		int rv = SYT_REAL(name_)(__VA_ARGS__, kind_##_start, s);                           \
		return create_leave(&f, &e, s, handle, thread, rv);                                \
	}

/* clang-format off */
CREATE(pthread_create, posix,
       (pthread_t *restrict handle, const pthread_attr_t *restrict attr, void *(*routine)(void *), void *restrict arg),
       (handle, attr, routine, arg), handle, attr)
CREATE(thrd_create, c11, (thrd_t *handle, thrd_start_t routine, void *arg), (handle, routine, arg), handle)
/* clang-format on */

/* Defines the body of the wrapper of a join. TRY is the non-blocking join, as in SYT_ACQUIRE. */
#define JOIN(name_, try_, busy_, real_)                                                            \
	struct syt_frame f;                                                                        \
                                                                                                   \
	if (!SYT_ENTER(&f))                                                                        \
		return real_;                                                                      \
	struct syt_event e = {.call = SYT_CALL_##name_, .thread = syt_thread_field(handle)};       \
	syt_capture(&f);                                                                           \
	int rv = try_;                                                                             \
	if (rv == (busy_)) {                                                                       \
		syt_block(&f, &e);                                                                 \
		rv = real_;                                                                        \
	}                                                                                          \
	syt_stamp_out(&f);                                                                         \
	e.result = rv;                                                                             \
	if (rv == 0 && e.thread)                                                                   \
		syt_thread_unbind((uint64_t)handle, (uint32_t)e.thread - 1);                       \
	syt_leave_out(&f, &e);                                                                     \
	return rv

SYT_EXPORT int pthread_join(pthread_t handle, void **result)
{
	JOIN(pthread_join, SYT_QUICK(pthread_tryjoin_np)(handle, result), EBUSY,
	     SYT_REAL(pthread_join)(handle, result));
}

SYT_EXPORT int pthread_tryjoin_np(pthread_t handle, void **result)
{
	JOIN(pthread_tryjoin_np, SYT_REAL(pthread_tryjoin_np)(handle, result), -1, -1);
}

SYT_EXPORT
int pthread_timedjoin_np(pthread_t handle, void **result, const struct timespec *t)
{
	JOIN(pthread_timedjoin_np, EBUSY, EBUSY, SYT_REAL(pthread_timedjoin_np)(handle, result, t));
}

SYT_EXPORT int pthread_clockjoin_np(pthread_t handle, void **result, clockid_t clock,
                                    const struct timespec *t)
{
	JOIN(pthread_clockjoin_np, EBUSY, EBUSY,
	     SYT_REAL(pthread_clockjoin_np)(handle, result, clock, t));
}

SYT_EXPORT int thrd_join(thrd_t handle, int *result)
{
	JOIN(thrd_join, thrd_busy, thrd_busy, SYT_REAL(thrd_join)(handle, result));
}

#define DETACH(name_, type_)                                                                       \
	SYT_EXPORT int name_(type_ handle)                                                         \
	{                                                                                          \
		SYT_ENTER_OR_FORWARD(SYT_ENTER, f, name_, (handle));                               \
		struct syt_event e = {.call = SYT_CALL_##name_,                                    \
		                      .thread = syt_thread_field(handle)};                         \
		syt_stamp_in(&f);                                                                  \
		return syt_leave_out_int(&f, &e, SYT_REAL(name_)(handle));                         \
	}

DETACH(pthread_detach, pthread_t)
DETACH(thrd_detach, thrd_t)

/* The cancelled thread may act at once, and a thread that cancels itself does not return, so the event is
 * recorded before the real call. */
SYT_EXPORT int pthread_cancel(pthread_t handle)
{
	SYT_ENTER_OR_FORWARD(SYT_ENTER, f, pthread_cancel, (handle));
	struct syt_event e = {.call = SYT_CALL_pthread_cancel, .thread = syt_thread_field(handle)};
	syt_capture(&f);
	syt_stamp_in(&f);
	if (handle == pthread_self()) {
		syt_leave_in(&f, &e);
		return SYT_REAL(pthread_cancel)(handle);
	}
	int rv = SYT_REAL(pthread_cancel)(handle);
	syt_stamp_out(&f);
	return syt_leave_in_int(&f, &e, rv);
}

SYT_EXPORT int pthread_setname_np(pthread_t handle, const char *name)
{
	SYT_ENTER_OR_FORWARD(SYT_ENTER, f, pthread_setname_np, (handle, name));
	struct syt_event e = {.call = SYT_CALL_pthread_setname_np,
	                      .thread = syt_thread_field(handle)};
	int rv = SYT_REAL(pthread_setname_np)(handle, name);
	e.result = rv;
	if (rv == 0 && e.thread)
		syt_thread_name((uint32_t)e.thread - 1, name);
	syt_leave_out(&f, &e);
	return rv;
}

/* Defines the wrapper of a function that does not return, so the event is recorded before it. */
#define EXIT(name_, type_, result_)                                                                \
	SYT_EXPORT void name_(type_ result)                                                        \
	{                                                                                          \
		struct syt_frame f;                                                                \
                                                                                                   \
		if (SYT_ENTER(&f)) {                                                               \
			struct syt_event e = {.call = SYT_CALL_##name_, .result = (result_)};      \
                                                                                                   \
			syt_leave_out(&f, &e);                                                     \
			syt_thread_exiting();                                                      \
		}                                                                                  \
		SYT_REAL(name_)(result);                                                           \
		__builtin_unreachable();                                                           \
	}

EXIT(pthread_exit, void *, 0)
EXIT(thrd_exit, int, result)

/* SYS_exit ends only the thread and runs none of libc's exit code. */
long syt_syscall_exit(const struct syt_syscall *r)
{
	uint32_t self = syt_self();

	if (syt_thread_is_borrowed())
		/* ends the vfork child, which has only this thread */
		return syt_syscall_exit_group(r);
	if (self != SYT_THREAD_NONE) {
		record_mark(SYT_CALL_thread_end, self, false);
		syt_thread_end();
	}
	syt_session_end_of_thread((uint32_t)r->a[0] & 0xff);
	return syt_syscall_forward(r);
}
