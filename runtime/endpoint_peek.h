/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Finds the endpoint of a descriptor that this process knows, with loads only. The wrappers of calls that move bytes
 * contain this code inline. */
#ifndef SYT_RUNTIME_ENDPOINT_PEEK_H
#define SYT_RUNTIME_ENDPOINT_PEEK_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/endpoint.h"
#include "runtime/endpoint_record.h"
#include "runtime/fd-words.h"

/* the table of endpoint.c: for each descriptor, the word of its endpoint */
extern struct syt_fd_words syt_endpoint_words __attribute__((visibility("hidden")));

/* Does syt_endpoint_get() for a descriptor that this process knows, if it has defined the endpoint's object. E lacks the
 * flag SYT_ENDPOINT_WRITER (syt_endpoint_mark_writer). Otherwise returns false, with E undefined. Not for a thread that a
 * vfork child has borrowed. */
static inline __attribute__((always_inline)) bool syt_endpoint_peek(int fd, struct syt_endpoint *e)
{
	const uint64_t *w = syt_fd_word(&syt_endpoint_words, fd, false);
	uint64_t word = w ? __atomic_load_n(w, __ATOMIC_ACQUIRE) : 0;

	return __builtin_expect(word != 0, 1) && syt_endpoint_record_peek(word, e);
}

#endif
