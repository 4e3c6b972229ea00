/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "preload/cleanup.h"

#include "preload/libc.h"

void syt_cleanup_run(void (*body)(void *arg), void (*unwound)(void *arg), void *arg)
{
	struct _pthread_cleanup_buffer buffer;

	_pthread_cleanup_push(&buffer, unwound, arg);
	body(arg);
	_pthread_cleanup_pop(&buffer, 0);
}
