/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * What the launcher says beside its messages (base/err.h): exit statuses, and text on standard output.  Both belong
 * to the traced program while one runs.
 */
#ifndef SYT_TOOL_SAY_H
#define SYT_TOOL_SAY_H

#include <stdbool.h>

/* Exit statuses of `syntrace record`: those of env(1) and the shells. */
#define SYT_STATUS_TOOL 125      /* the tool itself failed, nothing was run */
#define SYT_STATUS_NOT_RUN 126   /* the program was found and could not be run */
#define SYT_STATUS_NOT_FOUND 127 /* there is no such program */
#define SYT_STATUS_SIGNAL 128    /* plus the signal that ended the program and cannot end us */

/* Exit statuses of `syntrace doctor`. */
#define SYT_STATUS_BLIND 1
#define SYT_STATUS_USAGE 2
#define SYT_STATUS_UNREADABLE 4

/* On standard output, of bytes that may be anything: what is not printable ASCII is escaped, for JSON or for people. */
void syt_print_escaped(const char *text, bool is_json);

#endif
