/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Reads memory at addresses that the program passes to a call. The addresses may be invalid. */
#ifndef SYT_RUNTIME_PEEK_H
#define SYT_RUNTIME_PEEK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copies BYTES from FROM to TO. Returns false if the bytes cannot be read, in which case the program's call
 * fails, too. Makes one system call for each page, but none for the caller's stack. Any thread and signal
 * handler may call it. */
bool syt_peek(void *to, const void *from, size_t bytes);

/* Returns whether the BYTES at FROM are on the caller's stack and so near that they are readable. */
bool syt_peek_is_near(const void *from, size_t bytes);

/* Returns whether the BYTES at FROM can be read. */
bool syt_peek_can(const void *from, size_t bytes);

/* Returns whether the byte at AT, and so its whole page, can be read. Makes one harmless system call. */
bool syt_peek_can_byte(uintptr_t at);

#endif
