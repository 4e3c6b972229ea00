/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Notes in the dump which activities of the program cannot be recorded. errno stays unchanged. */
#ifndef SYT_PRELOAD_BLIND_SPOT_H
#define SYT_PRELOAD_BLIND_SPOT_H

#include <sys/types.h>

/* Searches for the Go runtime in the program, and for liburing among the libraries that are loaded at the start. The
 * constructor calls this function once. */
void syt_blind_spot_loaded(void);

/* Reports that the program has mapped FD as shared memory, from OFFSET on. Any thread. */
void syt_blind_spot_mapped(int fd, off_t offset);

#endif
