/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* A sparse table of one word for each descriptor, 0 at first. The table is private to the process, and fork
 * copies it. Any thread and signal handler may use it. The file that owns a table decides how its words are
 * read and changed. */
#ifndef SYT_RUNTIME_FD_WORDS_H
#define SYT_RUNTIME_FD_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/map.h"

#define SYT_FDS_PER_CHUNK 4096u
#define SYT_NR_FD_CHUNKS 256u /* descriptors below one million: fs.nr_open */

struct syt_fd_words {
	uint64_t *chunks[SYT_NR_FD_CHUNKS];
	/* one past the largest descriptor whose word was made: a search reads no page of the table that was never written */
	uint32_t end;
};

static inline void syt_fd_words_extend(struct syt_fd_words *t, uint32_t end)
{
	uint32_t was = __atomic_load_n(&t->end, __ATOMIC_RELAXED);

	while (was < end && !__atomic_compare_exchange_n(&t->end, &was, end, true, __ATOMIC_SEQ_CST,
	                                                 __ATOMIC_RELAXED))
		;
}

/* Returns the word of FD. Returns NULL if FD is too large, memory is short, or MAKE is false and the table
 * has no memory for FD's word yet. */
static inline uint64_t *syt_fd_word(struct syt_fd_words *t, int fd, bool make)
{
	uint32_t i = (uint32_t)fd / SYT_FDS_PER_CHUNK;
	uint64_t *words;

	/* a negative number has a large index */
	if (i >= SYT_NR_FD_CHUNKS)
		return NULL;
	if (make)
		syt_fd_words_extend(t, (uint32_t)fd + 1);
	words = make ? syt_map_chunk((void **)&t->chunks[i], SYT_FDS_PER_CHUNK * sizeof(*words))
	             : __atomic_load_n(&t->chunks[i], __ATOMIC_ACQUIRE);
	return words ? &words[(uint32_t)fd % SYT_FDS_PER_CHUNK] : NULL;
}

/* Returns the first descriptor in [FD, LAST] whose word is not 0, or -1. */
static inline int syt_fd_words_next(struct syt_fd_words *t, int fd, unsigned last)
{
	uint32_t end = __atomic_load_n(&t->end, __ATOMIC_SEQ_CST);

	for (uint32_t i = (uint32_t)fd; fd >= 0 && i <= last && i < end;) {
		uint64_t *w = syt_fd_word(t, (int)i, false);

		if (!w)
			i = (i / SYT_FDS_PER_CHUNK + 1) * SYT_FDS_PER_CHUNK;
		else if (__atomic_load_n(w, __ATOMIC_RELAXED))
			return (int)i;
		else
			i++;
	}
	return -1;
}

#endif
