/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The quick twins of calls that may wait: what a wrapper tries first (preload/acquire.h).  SYT_QUICK(name)
 * is libc's function `name` as long as the call that waits is libc's own.
 *
 * Where another library stands between us and libc, it must see the call that the program makes and no
 * other: ThreadSanitizer, which learns the order of locks from the calls that may wait, and takes a
 * thread for joined when it is.  There SYT_QUICK(name) only looks at the object. It returns what the twin
 * returns when the caller would have to wait, or SYT_NOT_TRIED. A thread that comes in between makes a
 * wait which is not recorded as one.
 */
#ifndef SYT_PRELOAD_QUICK_H
#define SYT_PRELOAD_QUICK_H

#include "preload/libc.h"

#define SYT_NOT_TRIED (-1000) /* no function returns it */

#define SYT_QUICK(name_) syt_real_quick_##name_
#define SYT_QUICK_DECLARE(name_)                                                                   \
	extern __typeof__(name_) SYT_QUICK(name_) __attribute__((visibility("hidden")))

SYT_QUICK_DECLARE(pthread_mutex_trylock);
SYT_QUICK_DECLARE(pthread_spin_trylock);
SYT_QUICK_DECLARE(pthread_rwlock_tryrdlock);
SYT_QUICK_DECLARE(pthread_rwlock_trywrlock);
SYT_QUICK_DECLARE(sem_trywait);
SYT_QUICK_DECLARE(pthread_tryjoin_np);

/* Chooses, once the real functions are known. */
void syt_quick_resolve(void);

#endif
