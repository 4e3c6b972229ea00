/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "runtime/peek.h"

#include <errno.h>
#include <string.h>

#include "format/format.h"
#include "runtime/sys.h"

/* Bytes above the recorder's frame that every thread's stack certainly contains. */
#define STACK_NEAR 2048u

/* rt_sigprocmask copies the set before it rejects the operation: EINVAL if the set is readable. */
bool syt_peek_can_byte(uintptr_t at)
{
	return SYT_SYS_4(SYS_rt_sigprocmask, -1, at & ~(uintptr_t)7, NULL, 8) == -EINVAL;
}

bool syt_peek_is_near(const void *from, size_t bytes)
{
	uintptr_t begin = (uintptr_t)from, end = begin + bytes;
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	return end >= begin && begin >= here && end - here <= STACK_NEAR;
}

bool syt_peek_can(const void *from, size_t bytes)
{
	uintptr_t begin = (uintptr_t)from, end = begin + bytes;

	if (!from || end < begin)
		return false;
	if (syt_peek_is_near(from, bytes))
		return true;
	for (uintptr_t at = begin; at < end; at = (at | (SYT_PAGE_BYTES - 1)) + 1)
		if (!syt_peek_can_byte(at))
			return false;
	return true;
}

bool syt_peek(void *to, const void *from, size_t bytes)
{
	if (!syt_peek_can(from, bytes))
		return false;
	memcpy(to, from, bytes);
	return true;
}
