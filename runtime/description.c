/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "runtime/description.h"

#include "runtime/fd-words.h"
#include "runtime/object.h"
#include "runtime/thread.h"

#define LOCK_BITS 2
#define LOCKS ((UINT64_C(1) << LOCK_BITS) - 1)

static struct syt_fd_words words;

static uint64_t get(int fd)
{
	uint64_t *w = syt_fd_word(&words, fd, false);

	return w ? __atomic_load_n(w, __ATOMIC_RELAXED) : 0;
}

/* Descriptors of a vfork child are ignored: the child borrows the parent's memory. */
static void put(int fd, uint64_t word)
{
	uint64_t *w = syt_thread_is_borrowed() ? NULL : syt_fd_word(&words, fd, word != 0);

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
	uint64_t *w = syt_fd_word(&words, fd, false);

	if (w && __atomic_load_n(w, __ATOMIC_RELAXED))
		__atomic_fetch_or(w, what, __ATOMIC_RELAXED);
}

int syt_description_next(int fd, unsigned last)
{
	return syt_fd_words_next(&words, fd, last);
}
