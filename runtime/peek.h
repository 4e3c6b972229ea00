/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Reading what the program hands to a call, which may be no address at all. */
#ifndef SYT_RUNTIME_PEEK_H
#define SYT_RUNTIME_PEEK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copies BYTES from FROM.  False when they cannot be read: then the program's call will fail, and
 * must be let do so.  One system call for each page, unless they lie on the caller's stack. */
bool syt_peek(void *to, const void *from, size_t bytes);

/* FROM is on the caller's stack, near: BYTES of it can be read without asking. */
bool syt_peek_is_near(const void *from, size_t bytes);

/* Whether it could. */
bool syt_peek_can(const void *from, size_t bytes);

/* Whether the byte at AT, and so its page, can be read. One system call, without effect. */
bool syt_peek_can_byte(uintptr_t at);

#endif
