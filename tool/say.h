/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Messages of the tools, on standard error, one line each, after the tool's name.  Standard output
 * and the exit status belong to the traced program while one runs.
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

/* "syntrace: " and the message. */
void syt_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same, then ": " and what errno means. */
void syt_say_errno(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Like strdup, asprintf: never NULL; without memory the tool says so and exits with 125. */
char *syt_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
void *syt_need(void *memory);

/* On standard output, of bytes that may be anything: what is not printable ASCII is escaped, for JSON or for people. */
void syt_print_escaped(const char *text, bool is_json);

#endif
