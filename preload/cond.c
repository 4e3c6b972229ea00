/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Condition variables, in both of libc's layouts (the older one's first word is a pointer). */
#include "preload/wrap.h"

#define WAKE(name_, real_, object_)                                                                \
	{                                                                                          \
		struct syt_frame f;                                                                \
                                                                                                   \
		if (!SYT_ENTER(&f))                                                                \
			return SYT_REAL(real_)(c);                                                 \
		struct syt_event e = {.call = SYT_CALL_##name_, .object = (object_)};              \
		syt_stamp_in(&f);                                                                  \
		int rv = SYT_REAL(real_)(c);                                                       \
		e.result = rv;                                                                     \
		syt_leave_in(&f, &e);                                                              \
		return rv;                                                                         \
	}

SYT_EXPORT int pthread_cond_signal(pthread_cond_t *c)
	WAKE(pthread_cond_signal, pthread_cond_signal, syt_cond_object(c))

		SYT_EXPORT int pthread_cond_broadcast(pthread_cond_t *c)
			WAKE(pthread_cond_broadcast, pthread_cond_broadcast, syt_cond_object(c))

#if defined(__x86_64__)
#define OLD_OBJECT(c_) syt_object(SYT_KIND_COND, (c_))

				SYT_EXPORT __typeof__(pthread_cond_signal) pthread_cond_signal_old,
	pthread_cond_broadcast_old;

int pthread_cond_signal_old(pthread_cond_t *c)
	WAKE(pthread_cond_signal, pthread_cond_signal_old, OLD_OBJECT(c))
		SYT_EXPORT_OLD(pthread_cond_signal, V2_2_5);

int pthread_cond_broadcast_old(pthread_cond_t *c)
	WAKE(pthread_cond_broadcast, pthread_cond_broadcast_old, OLD_OBJECT(c))
		SYT_EXPORT_OLD(pthread_cond_broadcast, V2_2_5);
#endif
