/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Declares the quick twins of calls that may wait: non-blocking functions such as trylock, which a wrapper
 * calls first (preload/acquire.h). SYT_QUICK(name) is libc's function `name` as long as the waiting call is
 * libc's own.
 *
 * A library between the recorder and libc must see the program's calls but not the recorder's tries:
 * ThreadSanitizer learns the lock order from locks and not from tries, and LeakSanitizer must see each
 * join. If there is such a library, SYT_QUICK(name) only reads the state of the object, and returns the
 * twin's result for a busy object, or SYT_NOT_TRIED for a free object. If another thread takes a free
 * object after this check, the wrapper records the acquire without its wait.
 */
#ifndef SYT_PRELOAD_QUICK_H
#define SYT_PRELOAD_QUICK_H

#include "preload/libc.h"

#define SYT_NOT_TRIED (-1000) /* a value that no twin returns */

#define SYT_QUICK(name_) syt_real_quick_##name_
#define SYT_QUICK_DECLARE(name_)                                                                   \
	extern __typeof__(name_) SYT_QUICK(name_) __attribute__((visibility("hidden")))

SYT_QUICK_DECLARE(pthread_mutex_trylock);
SYT_QUICK_DECLARE(pthread_spin_trylock);
SYT_QUICK_DECLARE(pthread_rwlock_tryrdlock);
SYT_QUICK_DECLARE(pthread_rwlock_trywrlock);
SYT_QUICK_DECLARE(sem_trywait);
SYT_QUICK_DECLARE(pthread_tryjoin_np);

/* Sets the function pointers of all quick twins. Call it after those of the real functions were set. */
void syt_quick_resolve(void);

#endif
