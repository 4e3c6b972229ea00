/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Acting when a call is unwound by cancellation or pthread_exit.  Uses glibc's own registration of
 * cleanup handlers, the one that C programs without exception tables use, so that libsyntrace.so
 * does not need the compiler's unwinding library.
 */
#ifndef SYT_PRELOAD_CLEANUP_H
#define SYT_PRELOAD_CLEANUP_H

/* Calls BODY(ARG). When the thread is unwound out of it (cancelled, or exits) calls UNWOUND(ARG) at
 * that point, after the cleanup handlers inside of BODY, and the unwinding goes on. Any thread. */
void syt_cleanup_run(void (*body)(void *arg), void (*unwound)(void *arg), void *arg);

#endif
