/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Threads as the recorder knows them: T, the number of a thread in its process image, and the slot
 * to which it writes. preload/ follows creation, end and join by these functions.
 */
#ifndef SYT_RUNTIME_THREAD_H
#define SYT_RUNTIME_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#define SYT_THREAD_NONE UINT32_MAX

/* Returns T for a new thread. Called in the parent, before the real create. */
uint32_t syt_thread_announce(void);

/* Maps memory for some future threads, before the program gives up system calls. */
void syt_thread_prepare(void);

/* Attaches the new thread as T, created by CREATOR, before any other action of the thread. */
void syt_thread_begin(uint32_t thread, uint32_t creator);

/* Called in a thread whose start routine has returned or is being unwound. The thread may record
 * more (TLS and TSD destructors). Another thread takes its slot only when the kernel says that the
 * tid is gone. */
void syt_thread_end(void);

/* The thread has called pthread_exit or an equivalent. */
void syt_thread_exiting(void);
bool syt_thread_is_exiting(void);

/* Lends the thread to a vfork child, PID, which runs on its parent's thread until it execs or
 * exits. Events until the next call are marked as the child's. Afterwards the parent calls it with
 * 0; the parent of a nested child calls it with its own pid. */
void syt_thread_borrow(uint32_t pid);
/* True if a thread was ever lent to a vfork child. */
extern bool syt_thread_was_borrowed;
bool syt_thread_is_borrowed_now(void);
static inline bool syt_thread_is_borrowed(void)
{
	return __builtin_expect(__atomic_load_n(&syt_thread_was_borrowed, __ATOMIC_RELAXED), 0) &&
	       syt_thread_is_borrowed_now();
}
/* Records that the vfork child has changed FD. After more than a few fds, every fd counts as changed. */
void syt_thread_touch(int fd);
bool syt_thread_has_touched(int fd);

/* syt_thread_knows_once() returns true if the calling thread has recorded that it passed the once
 * at CONTROL; syt_thread_learn_once() remembers that. Not for use by tasks that may share
 * thread-local memory. */
bool syt_thread_knows_once(const void *control);
void syt_thread_learn_once(const void *control);

/* Records that the initializer of the once at CONTROL has been run. libc has not marked the once as
 * done yet, so no thread has passed it. The memory at CONTROL may have held another once before. */
void syt_once_was_run(const void *control);

/* Called before a clone that lets two tasks share one thread-local memory (CLONE_VM without
 * CLONE_SETTLS). From then on, every record asks the kernel for its task, until a fork, in the child. */
void syt_thread_cloned(void);
/* Returns true after syt_thread_cloned(): thread-local memory may belong to another task. */
bool syt_thread_may_be_cloned(void);

/* Map pthread_t <-> T. Threads can reuse a handle in another order than that of their T, so the
 * owner has the last word: bind is called in the thread itself. Its creator calls bind_created,
 * which counts until then; the thread that joined it calls unbind. find returns SYT_THREAD_NONE if
 * the handle is unknown. Look up before a join: afterwards the handle is reused. */
void syt_thread_bind(uint64_t handle, uint32_t thread);
void syt_thread_bind_created(uint64_t handle, uint32_t thread);
void syt_thread_unbind(uint64_t handle, uint32_t thread);
uint32_t syt_thread_find(uint64_t handle);

/* Records a new name of THREAD, by pthread_setname_np or prctl. */
void syt_thread_name(uint32_t thread, const char *name);

#endif
