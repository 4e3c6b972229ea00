/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "runtime/peek.h"

#include <stdint.h>
#include <string.h>

#include "runtime/sys.h"

#define PAGE_BYTES 4096u

/* Above this frame by less than any stack has left. */
#define STACK_NEAR 2048u

/* The page of the eight bytes at ADDRESS, a multiple of eight, can be read: sigprocmask copies a
 * set in before it finds that there is no such operation: EINVAL, else EFAULT. */
static bool is_readable(uintptr_t address)
{
	return SYT_SYS_4(SYS_rt_sigprocmask, -1, address, 0, 8) == -22;
}

bool syt_peek_can(const void *from, size_t bytes)
{
	uintptr_t begin = (uintptr_t)from, end = begin + bytes;
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	if (!from || end < begin)
		return false;
	if (begin >= here && end - here <= STACK_NEAR)
		return true;
	for (uintptr_t at = begin; at < end; at = (at | (PAGE_BYTES - 1)) + 1)
		if (!is_readable(at & ~(uintptr_t)7))
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
