/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Messages of a program that runs offline, on standard error, and memory that is always there.  A message
 * is one line after the program's name, in one write: lines of several processes do not mix.  Text may
 * hold bytes of a dump: control characters are escaped.  Any thread.
 */
#ifndef SYT_BASE_ERR_H
#define SYT_BASE_ERR_H

#include <stddef.h>
#include <stdio.h>

/* For main(), once, before all else: the name before each message, the exit status of a program that has
 * no memory left, and what is said then behind "out of memory". */
void syt_err_open(const char *program, int status, const char *advice);

void syt_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same, then ": " and what errno means. */
void syt_warn_errno(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* MESSAGE may hold bytes of any file: those that are not printable ASCII are escaped. */
void syt_warn_bytes(const char *message);

/* For main(), options and the allocators below only: modules return their errors. */
void syt_die(int status, const char *format, ...) __attribute__((format(printf, 2, 3), noreturn));
void syt_die_of_memory(size_t nr, size_t bytes) __attribute__((noreturn));

/* Never NULL (die when there is no memory: nothing sensible can follow).  NR * BYTES is checked for
 * overflow, 0 is allowed.  Freed with free(). */
void *syt_alloc(size_t nr, size_t bytes);  /* not zeroed */
void *syt_calloc(size_t nr, size_t bytes); /* zeroed */
void *syt_realloc(void *old, size_t nr, size_t bytes);
char *syt_strndup(const void *text, size_t bytes); /* up to the first NUL or BYTES */
char *syt_asprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A stream into *TEXT, which is there once it is closed. */
FILE *syt_memstream(char **text, size_t *bytes);

/* Room for at least NR elements of BYTES in the array *ARRAY, which holds *ROOM; grows by half. */
void syt_grow(void *array, size_t *room, size_t nr, size_t bytes);

#endif
