/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Calls that count what a process has mapped.  The dump is mapped at its full capacity, nearly all
 * of which is never touched, but it counts: under an RLIMIT_AS every mapping of the program's would
 * fail from then on, and locking everything would fill memory.  So the dump becomes small first.
 * These record nothing.
 */
#include "preload/wrap.h"
#include "runtime/session.h"

SYT_EXPORT int setrlimit(__rlimit_resource_t resource, const struct rlimit *limit)
{
	int rv = SYT_REAL(setrlimit)(resource, limit);

	/* afterwards: the limit is read from the kernel, LIMIT may be any address */
	if (rv == 0 && resource == RLIMIT_AS && syt_is_recording())
		syt_session_limited();
	return rv;
}

SYT_EXPORT int prlimit(pid_t pid, enum __rlimit_resource resource, const struct rlimit *limit,
                       struct rlimit *was)
{
	int rv = SYT_REAL(prlimit)(pid, resource, limit, was);

	if (rv == 0 && limit && resource == RLIMIT_AS && syt_is_recording())
		syt_session_limited(); /* another process's: nothing has changed here, nor does */
	return rv;
}

SYT_EXPORT int mlockall(int flags)
{
	if (flags & MCL_CURRENT && syt_is_recording())
		syt_session_locked();
	return SYT_REAL(mlockall)(flags);
}
