/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Waiting for a mutex.  Unlock and trylock are CALL rows. */
#include "preload/wrap.h"

SYT_EXPORT int pthread_mutex_lock(pthread_mutex_t *m)
{
	struct syt_frame f;

	if (!SYT_ENTER(&f))
		return SYT_REAL(pthread_mutex_lock)(m);
	struct syt_event e = {.call = SYT_CALL_pthread_mutex_lock, .object = syt_mutex_object(m)};
	syt_capture(&f);
	int rv = SYT_REAL(pthread_mutex_trylock)(m);
	if (rv == EBUSY) {
		syt_block(&f);
		rv = SYT_REAL(pthread_mutex_lock)(m);
	}
	syt_stamp_out(&f);
	e.result = rv;
	syt_leave_out(&f, &e);
	return rv;
}
