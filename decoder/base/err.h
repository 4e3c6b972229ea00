/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * What the decoder says to people on standard error, and how it ends.  Text may hold bytes of a
 * dump: everything is made harmless for a terminal on its way out.  Any thread.
 */
#ifndef SYT_DECODER_ERR_H
#define SYT_DECODER_ERR_H

#include <stddef.h>

/* Exit statuses of every verb; part of the contract. */
enum syt_exit {
	SYT_EXIT_OK = 0,
	SYT_EXIT_FINDINGS = 1, /* check, diff, lock-order: there is something to look at */
	SYT_EXIT_USAGE = 2,
	SYT_EXIT_LOSS = 3,       /* data lost or damaged, with --fail-on-loss */
	SYT_EXIT_UNREADABLE = 4, /* nothing could be read, or the output could not be written */
};

void syt_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* For main.c, options and the allocators below only: modules return their errors. */
void syt_die(enum syt_exit status, const char *format, ...)
	__attribute__((format(printf, 2, 3), noreturn));

/* Never NULL (die when there is no memory: nothing sensible can follow).  NR * BYTES is checked for
 * overflow, 0 is allowed.  Freed with free(). */
void *syt_alloc(size_t nr, size_t bytes);  /* not zeroed */
void *syt_calloc(size_t nr, size_t bytes); /* zeroed */
void *syt_realloc(void *old, size_t nr, size_t bytes);
char *syt_strndup(const void *text, size_t bytes); /* up to the first NUL or BYTES */
char *syt_asprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Room for at least NR elements of BYTES in the array *ARRAY, which holds *ROOM; grows by half. */
void syt_grow(void *array, size_t *room, size_t nr, size_t bytes);

#endif
