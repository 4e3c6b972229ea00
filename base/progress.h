/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * How far a long step has come, on standard error: only when that is a terminal, and only once the
 * program has run for a second.  One step at a time; syt_progress_step in any thread.
 */
#ifndef SYT_BASE_PROGRESS_H
#define SYT_BASE_PROGRESS_H

#include <stdint.h>

/* WHAT, e.g. "reading", of TOTAL parts begins. WHAT must outlive it. */
void syt_progress_begin(const char *what, uint64_t total);

/* One more part is done. */
void syt_progress_step(void);

/* Over: the line is wiped. */
void syt_progress_end(void);

#endif
