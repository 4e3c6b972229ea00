/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* A sparse table, private to the process (fork copies it): a word for each fd. */
#include "runtime/description.h"

#include <stddef.h>

#include "runtime/map.h"
#include "runtime/object.h"
#include "runtime/thread.h"

#define FDS_PER_CHUNK 4096u
#define NR_CHUNKS 256u /* fd numbers up to a million: fs.nr_open */
#define LOCK_BITS 2
#define LOCKS ((UINT64_C(1) << LOCK_BITS) - 1)

static uint64_t *chunks[NR_CHUNKS];

/* NULL: FD is too large, or memory is short. */
static uint64_t *word_of(int fd, bool make)
{
	uint32_t i = (uint32_t)fd / FDS_PER_CHUNK;
	uint64_t *words;

	if (fd < 0 || i >= NR_CHUNKS)
		return NULL;
	words = make ? syt_map_chunk((void **)&chunks[i], FDS_PER_CHUNK * sizeof(*words))
	             : __atomic_load_n(&chunks[i], __ATOMIC_ACQUIRE);
	return words ? &words[(uint32_t)fd % FDS_PER_CHUNK] : NULL;
}

static uint64_t get(int fd)
{
	uint64_t *w = word_of(fd, false);

	return w ? __atomic_load_n(w, __ATOMIC_RELAXED) : 0;
}

/* A vfork child's fds are nobody's. */
static void put(int fd, uint64_t word)
{
	uint64_t *w = syt_thread_is_borrowed() ? NULL : word_of(fd, word != 0);

	if (w)
		__atomic_store_n(w, word, __ATOMIC_RELAXED);
}

void syt_description_open(int fd)
{
	put(fd, syt_shared_identity() << LOCK_BITS);
}

void syt_description_dup(int from, int to)
{
	put(to, get(from));
}

void syt_description_close(int fd)
{
	if (get(fd))
		put(fd, 0);
}

uint64_t syt_description_of(int fd)
{
	return syt_thread_is_borrowed() ? 0 : get(fd) >> LOCK_BITS;
}

unsigned syt_description_locks(int fd)
{
	return (unsigned)(get(fd) & LOCKS);
}

void syt_description_locked(int fd, unsigned what)
{
	uint64_t *w = word_of(fd, false);

	if (w && __atomic_load_n(w, __ATOMIC_RELAXED))
		__atomic_fetch_or(w, what, __ATOMIC_RELAXED);
}

int syt_description_next(int fd, unsigned last)
{
	if (last >= NR_CHUNKS * FDS_PER_CHUNK)
		last = NR_CHUNKS * FDS_PER_CHUNK - 1;
	for (uint32_t i = (uint32_t)fd; fd >= 0 && i <= last;) {
		uint64_t *w = word_of((int)i, false);

		if (!w)
			i = (i / FDS_PER_CHUNK + 1) * FDS_PER_CHUNK;
		else if (__atomic_load_n(w, __ATOMIC_RELAXED))
			return (int)i;
		else
			i++;
	}
	return -1;
}
