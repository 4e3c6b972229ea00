/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Declares the quick twins of calls that may wait: a wrapper tries the twin first (preload/acquire.h).
 * SYT_QUICK(name) is libc's function `name` as long as the waiting call is libc's own.
 *
 * A library between the recorder and libc must see the program's calls and no tries: ThreadSanitizer
 * learns the lock order from locks and not from tries, and LeakSanitizer must see each join. In front of
 * such a library SYT_QUICK(name) only looks at the object, and returns the twin's result for a busy
 * object, or SYT_NOT_TRIED for a free one. If another thread takes a free object after the look, the
 * wrapper records the acquire without its wait.
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

/* Sets the slots of all quick twins, after the slots of the real functions. */
void syt_quick_resolve(void);

#endif
