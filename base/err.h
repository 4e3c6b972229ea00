/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Messages on standard error, and allocators that never fail, for programs that run offline. A message is one line
 * after the program's name, in one write, so that lines of several processes do not mix. Text may contain bytes of
 * a dump: control characters are escaped. Any thread.
 */
#ifndef SYT_BASE_ERR_H
#define SYT_BASE_ERR_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

/* Sets the name before each message, the exit status for exhausted memory, and the text after "out of memory".
 * main() calls it once, before all other functions. */
void syt_err_open(const char *program, int status, const char *advice);

void syt_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Writes the message, ": " and the text of errno. */
void syt_warn_errno(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Writes MESSAGE, which may contain bytes of any file. Bytes other than printable ASCII are escaped. */
void syt_warn_bytes(const char *message);

/* Writes the message and exits. Only main(), options and the allocators use this function: modules return errors. */
void syt_die(int status, const char *format, ...) __attribute__((format(printf, 2, 3), noreturn));
void syt_die_of_memory(size_t nr, size_t bytes) __attribute__((noreturn));

/* The allocators never return NULL: they end the program if memory is exhausted. They check NR * BYTES for
 * overflow; 0 is allowed. Free with free(). */
void *syt_alloc(size_t nr, size_t bytes);  /* not zeroed */
void *syt_calloc(size_t nr, size_t bytes); /* zeroed */
void *syt_realloc(void *old, size_t nr, size_t bytes);
char *syt_strndup(const void *text, size_t bytes); /* copies up to the first NUL or BYTES */
char *syt_asprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *syt_vasprintf(const char *format, va_list args) __attribute__((format(printf, 1, 0)));
/* Opens a stream into *TEXT, which is valid once the stream is closed. */
FILE *syt_memstream(char **text, size_t *bytes);

/* Grows the array *ARRAY, with room for *ROOM elements, to at least NR elements of BYTES, and by at least half. */
void syt_grow(void *array, size_t *room, size_t nr, size_t bytes);

/* The address of a new element at the end of the array ALL_, with NR_ elements and ROOM_. */
#define SYT_ADD(all_, nr_, room_)                                                                  \
	(syt_grow(&(all_), &(room_), (size_t)(nr_) + 1, sizeof(*(all_))), &(all_)[(nr_)++])

#endif
