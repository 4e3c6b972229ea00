/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Exit statuses of the launcher, and text on standard output.  Both belong to the traced program while it runs.
 * Messages on standard error: base/err.h.
 */
#ifndef SYT_TOOL_SAY_H
#define SYT_TOOL_SAY_H

#include <stdbool.h>

/* Exit statuses of `syntrace record`, the same as of env(1) and the shells. */
#define SYT_STATUS_TOOL 125      /* the tool failed, and the program was not run */
#define SYT_STATUS_NOT_RUN 126   /* the program was found, but could not be run */
#define SYT_STATUS_NOT_FOUND 127 /* the program was not found */
#define SYT_STATUS_SIGNAL                                                                          \
	128 /* plus the signal that ended the program, if it cannot end the tool */

/* Exit statuses of `syntrace doctor`. */
#define SYT_STATUS_BLIND 1
#define SYT_STATUS_USAGE 2
#define SYT_STATUS_UNREADABLE 4

/* Prints TEXT, which may contain any bytes, on standard output.  Escapes all bytes that are not printable ASCII,
 * for JSON or for plain text. */
void syt_print_escaped(const char *text, bool is_json);

#endif
