/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Shows the progress of a long step on standard error. The line appears only on a terminal, and only after the
 * program has run for a second. Only one step at a time can be shown; any thread may call syt_progress_step(). */
#ifndef SYT_BASE_PROGRESS_H
#define SYT_BASE_PROGRESS_H

#include <stdint.h>

/* Begins the step NAME, for example "reading", with TOTAL parts. NAME must outlive the step. */
void syt_progress_begin(const char *name, uint64_t total);

/* Counts one more part as done. */
void syt_progress_step(void);

/* Ends the step and erases the line. */
void syt_progress_end(void);

#endif
