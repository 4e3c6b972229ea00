/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Calls that limit or lock all mappings of a process. The dump is mapped with its full capacity, and most of it
 * is never touched. But the whole mapping counts: under an RLIMIT_AS the program could map no more memory, and
 * mlockall would fill the RAM. So the wrappers unmap the unused part of the dump first. No events record these
 * calls. */
#include "preload/wrap.h"
#include "runtime/session.h"

SYT_EXPORT int setrlimit(__rlimit_resource_t resource, const struct rlimit *limit)
{
	int rv = SYT_REAL(setrlimit)(resource, limit);

	/* this code runs after the real call, because the kernel knows the limit and LIMIT may be an
	 * invalid pointer */
	if (rv == 0 && resource == RLIMIT_AS && syt_is_recording())
		syt_session_limited();
	return rv;
}

SYT_EXPORT int prlimit(pid_t pid, enum __rlimit_resource resource, const struct rlimit *limit,
                       struct rlimit *was)
{
	int rv = SYT_REAL(prlimit)(pid, resource, limit, was);

	if (rv == 0 && limit && resource == RLIMIT_AS && syt_is_recording())
		syt_session_limited(); /* if PID is another process, this has no effect */
	return rv;
}

SYT_EXPORT int mlockall(int flags)
{
	if (flags & MCL_CURRENT && syt_is_recording())
		syt_session_locked();
	return SYT_REAL(mlockall)(flags);
}
