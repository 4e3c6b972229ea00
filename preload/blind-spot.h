/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Looks for what cannot be recorded although the program is traced, and notes it in the dump. */
#ifndef SYT_PRELOAD_BLIND_SPOT_H
#define SYT_PRELOAD_BLIND_SPOT_H

#include <sys/types.h>

/* In the constructor: among the libraries that are loaded at the start. */
void syt_blind_spot_loaded(void);

/* FD was mapped shared, from OFFSET. */
void syt_blind_spot_mapped(int fd, off_t offset);

#endif
