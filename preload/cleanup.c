/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "preload/cleanup.h"

#include "preload/real.h"

void syt_cleanup_run(void (*body)(void *arg), void (*unwound)(void *arg), void *arg)
{
	__pthread_unwind_buf_t buffer;

	if (__builtin_expect(SYT_REAL(own_sigsetjmp)(buffer.__cancel_jmp_buf, 0), 0)) {
		unwound(arg);
		__pthread_unwind_next(&buffer);
	}
	__pthread_register_cancel(&buffer);
	body(arg);
	__pthread_unregister_cancel(&buffer);
}
