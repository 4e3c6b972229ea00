/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The functions that the recorder calls for itself and that a sanitizer's runtime puts its own in front
 * of.  Such a call must not be seen by the runtime: before the runtime's start it crashes, later it
 * changes what the runtime knows of the program.
 */
#ifndef SYT_RUNTIME_LIBC_H
#define SYT_RUNTIME_LIBC_H

/* Returns libc's own function NAME, whoever else defines one; NULL when libc has none. Allocates nothing
 * on glibc 2.34 and later when it succeeds. Not for signal handlers. */
void *syt_libc(const char *name);

#endif
