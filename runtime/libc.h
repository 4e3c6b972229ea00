/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Finds the functions of libc that the recorder needs and that a sanitizer's runtime replaces. The recorder
 * must not call a replacement function: it crashes before the sanitizer's runtime has started, and later the
 * runtime takes the recorder's call for a call of the program. */
#ifndef SYT_RUNTIME_LIBC_H
#define SYT_RUNTIME_LIBC_H

/* Returns libc's own function NAME, also if another object defines NAME; NULL if libc lacks it. A
 * successful call allocates no memory on glibc 2.34 and later. Signal handlers must not call it. */
void *syt_libc(const char *name);

#endif
