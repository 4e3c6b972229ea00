/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Runs cleanup code when cancellation or pthread_exit unwinds a call. The code uses glibc's oldest registration of
 * cleanup handlers (_pthread_cleanup_push), two short calls that save no registers: glibc calls the handlers of a frame when the
 * unwinding leaves that frame, and goes on. So libsyntrace.so needs neither the compiler's unwinding library nor a personality
 * routine of its own. */
#ifndef SYT_PRELOAD_CLEANUP_H
#define SYT_PRELOAD_CLEANUP_H

/* Calls BODY(ARG). If the thread is cancelled or exits inside BODY, calls UNWOUND(ARG). UNWOUND
 * runs after the cleanup handlers that BODY pushed; then the unwinding continues. Any thread. */
void syt_cleanup_run(void (*body)(void *arg), void (*unwound)(void *arg), void *arg);

#endif
