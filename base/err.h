/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Writes messages to standard error, and defines allocators that end the program on failure, for programs that run
 * offline. A message is one line that begins with the program's name. A message is written by one write(), so that
 * lines of several processes do not mix. Control characters in a message, such as bytes of a dump, are escaped. Any
 * thread may call these functions. */
#ifndef SYT_BASE_ERR_H
#define SYT_BASE_ERR_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

/* Sets the program's name for all messages. If memory is exhausted, the program exits with STATUS after a message
 * "out of memory" and ADVICE. main() calls this function once, before all other functions. */
void syt_err_open(const char *program, int status, const char *advice);

void syt_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Writes the formatted message, ": " and the text of errno. */
void syt_warn_errno(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Writes MESSAGE, which may contain bytes of any file. Bytes other than printable ASCII are escaped. */
void syt_warn_bytes(const char *message);

/* Writes the message and exits. Only main(), the parsers of options and the allocators call this function; other
 * modules return errors. */
void syt_die(int status, const char *format, ...) __attribute__((format(printf, 2, 3), noreturn));
void syt_die_of_memory(size_t nr, size_t bytes) __attribute__((noreturn));

/* The allocators never return NULL: they end the program if memory is exhausted. The allocators check NR * BYTES
 * for overflow; both may be 0. The caller frees the memory with free(). */
void *syt_alloc(size_t nr, size_t bytes);  /* not zeroed */
void *syt_calloc(size_t nr, size_t bytes); /* zeroed */
void *syt_realloc(void *old, size_t nr, size_t bytes);
char *syt_strndup(const void *text, size_t bytes); /* copies TEXT up to a NUL, at most BYTES */
char *syt_asprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *syt_vasprintf(const char *format, va_list args) __attribute__((format(printf, 1, 0)));
/* Opens a stdio stream that writes to memory. *TEXT is valid once the stream is closed. */
FILE *syt_memstream(char **text, size_t *bytes);

/* Grows the array *ARRAY, which has memory for *ROOM elements of BYTES each, to at least NR elements, and by at
 * least half. */
void syt_grow(void *array, size_t *room, size_t nr, size_t bytes);

/* Evaluates to the address of a new element at the end of ALL_, an array with NR_ elements and memory for ROOM_.
 * The assigned value must not depend on NR_ or grow ALL_, because C does not define the order of the two sides. */
#define SYT_ADD(all_, nr_, room_)                                                                  \
	(syt_grow(&(all_), &(room_), (size_t)(nr_) + 1, sizeof(*(all_))), &(all_)[(nr_)++])

#endif
