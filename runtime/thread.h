/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Threads as the recorder knows them: T, the number of a thread in its process image, and where it
 * writes.  What preload/ needs to follow creation, end and join; the state itself is in slot.h.
 */
#ifndef SYT_RUNTIME_THREAD_H
#define SYT_RUNTIME_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#define SYT_THREAD_NONE UINT32_MAX

/* In the parent, before the real create: T of a thread to come. */
uint32_t syt_thread_announce(void);

/* Before the program gives up system calls: room for some threads to come. */
void syt_thread_prepare(void);

/* In the new thread, first of all: it is T, created by CREATOR. Attaches it. */
void syt_thread_begin(uint32_t thread, uint32_t creator);

/* In a thread whose start routine has returned or is being unwound. It may record more (TLS and TSD
 * destructors): its slot is taken by another thread only when the kernel says that the tid is gone. */
void syt_thread_end(void);

/* The thread has called pthread_exit or the like. */
void syt_thread_exiting(void);
bool syt_thread_is_exiting(void);

/* In a vfork child, which runs on its parent's thread until it execs or exits: events until the next call
 * are marked as the child's, PID. In the parent afterwards, and in a nested child's parent: 0, or its own pid. */
void syt_thread_borrow(uint32_t pid);
/* Whether any thread ever was. */
extern bool syt_thread_was_borrowed;
bool syt_thread_is_borrowed_now(void);
static inline bool syt_thread_is_borrowed(void)
{
	return __builtin_expect(__atomic_load_n(&syt_thread_was_borrowed, __ATOMIC_RELAXED), 0) &&
	       syt_thread_is_borrowed_now();
}
/* The vfork child has made something else of FD. Of more than a few, any fd is said to be touched. */
void syt_thread_touch(int fd);
bool syt_thread_has_touched(int fd);

/* Whether the calling thread has recorded that it passed the once at CONTROL, as far as it remembers; that it has now.
 * Not where two tasks may share thread-local memory. */
bool syt_thread_knows_once(const void *control);
void syt_thread_learn_once(const void *control);

/* The initializer of the once at CONTROL has been run, and libc has not marked it as done yet: nobody has passed this
 * one. Memory that was a once before may be another one now. */
void syt_once_was_run(const void *control);

/* Before a clone that lets two tasks share one thread-local memory (CLONE_VM without CLONE_SETTLS): from now on
 * every record asks the kernel which task it is. Nothing undoes it but a fork, in the child. */
void syt_thread_cloned(void);
/* That has happened: what is thread-local may be another task's. */
bool syt_thread_may_be_cloned(void);

/* pthread_t <-> T. The kernel's threads take turns in a handle, in another order than their numbers, so its
 * owner's word counts: bind, in the thread itself. Its creator, bind_created, fills in until then; who has joined
 * it, unbind. find returns SYT_THREAD_NONE when unknown. Look up before a join: afterwards the handle is reused. */
void syt_thread_bind(uint64_t handle, uint32_t thread);
void syt_thread_bind_created(uint64_t handle, uint32_t thread);
void syt_thread_unbind(uint64_t handle, uint32_t thread);
uint32_t syt_thread_find(uint64_t handle);

/* The calling thread's name changed (pthread_setname_np, prctl) or THREAD's was set by another. */
void syt_thread_name(uint32_t thread, const char *name);

#endif
