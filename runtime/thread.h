/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Threads as the recorder knows them: T, the number of a thread in its process image, and the slot (memory) to
 * which it records. The wrappers in preload/ report creation, end and join by these functions. */
#ifndef SYT_RUNTIME_THREAD_H
#define SYT_RUNTIME_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#define SYT_THREAD_NONE UINT32_MAX

/* Returns the number T for a new thread. The creating thread calls it before the real pthread_create. */
uint32_t syt_thread_announce(void);

/* Maps memory for the first threads. */
void syt_thread_init(void);

/* Maps memory for some future threads, before the program forbids itself system calls. */
void syt_thread_prepare(void);

/* Makes the calling new thread record as number THREAD, created by thread CREATOR. Call it before any other
 * action of the thread. */
void syt_thread_begin(uint32_t thread, uint32_t creator);

/* Called in a thread whose start routine has returned or is being unwound. The thread may still record more
 * events (in TLS and TSD destructors). Another thread takes its slot only when the kernel says that the tid
 * is gone. */
void syt_thread_end(void);

/* The thread has called pthread_exit or an equivalent. */
void syt_thread_exiting(void);
bool syt_thread_is_exiting(void);

/* Marks the thread as used by a vfork child, PID, which runs on its parent's thread until it execs or
 * exits. Events until the next call of this function belong to the child. Afterwards, the parent calls this
 * function with 0; a vfork child that was itself the parent calls it with its own pid. */
void syt_thread_borrow(uint32_t pid);
/* True if a thread was ever lent to a vfork child. */
extern bool syt_thread_was_borrowed;
bool syt_thread_is_borrowed_now(void);
static inline bool syt_thread_is_borrowed(void)
{
	return __builtin_expect(__atomic_load_n(&syt_thread_was_borrowed, __ATOMIC_RELAXED), 0) &&
	       syt_thread_is_borrowed_now();
}
/* Remembers that the vfork child has changed FD. After more than SYT_NR_TOUCHED fds, every fd counts as
 * changed. */
void syt_thread_touch(int fd);
bool syt_thread_has_touched(int fd);

/* syt_thread_knows_once() returns true if the calling thread has already recorded that it passed the
 * pthread_once_t at CONTROL; syt_thread_learn_once() remembers that. Tasks that may share thread-local
 * memory must not call these functions. */
bool syt_thread_knows_once(const void *control);
void syt_thread_learn_once(const void *control);

/* Remembers that the initializer of the pthread_once_t at CONTROL has been run. libc has not marked it as done
 * yet, so no thread has passed it. The memory at CONTROL may have contained another pthread_once_t before. */
void syt_once_was_run(const void *control);

/* Called before a clone that lets two tasks share one thread-local memory (CLONE_VM without CLONE_SETTLS).
 * From then on, the recorder asks the kernel for the tid at every event; a forked child stops doing so. */
void syt_thread_cloned(void);
/* Returns true after syt_thread_cloned(): the thread-local memory may belong to another task. */
bool syt_thread_may_be_cloned(void);

/* Map pthread_t to the thread number T. A new thread may get the pthread_t of an ended thread, so the new
 * thread itself calls bind, which has priority. The creator calls bind_created, whose value is valid until
 * then; the thread that joined the thread calls unbind. find returns SYT_THREAD_NONE if the pthread_t is
 * unknown. Call find before a join, because afterwards a new thread may get the pthread_t. */
void syt_thread_bind(uint64_t handle, uint32_t thread);
void syt_thread_bind_created(uint64_t handle, uint32_t thread);
void syt_thread_unbind(uint64_t handle, uint32_t thread);
uint32_t syt_thread_find(uint64_t handle);

/* Records a new name of THREAD, set by pthread_setname_np or prctl. */
void syt_thread_name(uint32_t thread, const char *name);

#endif
