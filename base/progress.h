/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Shows the progress of the program on standard error, if this is a terminal. A thread writes the line, first when the
 * program has run for a second, so the line also appears during work that counts no parts. The line disappears before
 * the program writes a message, or output that a person may see. Any thread may call these functions. */
#ifndef SYT_BASE_PROGRESS_H
#define SYT_BASE_PROGRESS_H

#include <stdint.h>

/* Begins to show the progress. NAME describes the work outside of all steps, for example "reading". A name must
 * outlive its use. The other functions have no effect without this call. */
void syt_progress_open(const char *name);
/* Erases the line, and shows no line any more. */
void syt_progress_close(void);
/* Erases the line until it is written again. */
void syt_progress_erase(void);
/* Closes the progress if a person may see the output that the program now writes to FD: FD is no regular file. */
void syt_progress_yield(int fd);

/* Changes the name of the work outside of all steps. */
void syt_progress_rename(const char *name);
/* Begins the step NAME with TOTAL parts. Steps do not nest. */
void syt_progress_begin(const char *name, uint64_t total);
/* Counts one more part as done. */
void syt_progress_step(void);
/* Ends the step. */
void syt_progress_end(void);

#endif
