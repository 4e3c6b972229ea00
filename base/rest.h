/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#ifndef SYT_BASE_REST_H
#define SYT_BASE_REST_H

#include <errno.h>
#include <time.h>

/* Sleeps for S seconds, 0 <= S < 2^31, also if a signal handler runs meanwhile. */
static inline void syt_rest(double s)
{
	struct timespec t = {(time_t)s, (long)((s - (double)(time_t)s) * 1e9)};

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

#endif
