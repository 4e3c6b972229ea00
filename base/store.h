/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Memory for what grows with the number of events, within a limit for the whole program.
 *
 * Arrays up to half of the limit are ordinary memory.  Those beyond are mapped from an
 * unlinked file in TMPDIR: they look the same, and whenever the program has more pages than the
 * limit, those of mapped files are let go; the kernel has them, in its cache or on the disk, when
 * they are wanted again.  So results do not depend on the limit.  All functions: any thread.
 */
#ifndef SYT_BASE_STORE_H
#define SYT_BASE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many bytes of memory the program may have, 0: a quarter of the machine's, but no more than
 * 768 MiB. To be called before
 * anything else; that is the limit, too, when it is not. */
void syt_store_limit(uint64_t bytes);

/* NR * BYTES zeroed bytes. Never NULL. Freed with syt_store_free() only. */
void *syt_store_alloc(uint64_t nr, size_t bytes);
void syt_store_free(void *array); /* may be NULL */

/* As syt_grow(), for an array (or NULL) of the store that holds NR_USED elements. */
void syt_store_grow(void *array, size_t *room, uint64_t nr_used, uint64_t nr, size_t bytes);

/* As memmove() of something to its front, or elsewhere, for what may be large: looks on its way. */
void syt_store_move(void *to, const void *from, uint64_t bytes);

/* Pages of a shared mapping of a file that may be let go, too. */
void syt_store_watch(const void *mapping, uint64_t bytes);
/* Before it is unmapped; nothing if it is not watched. */
void syt_store_unwatch(const void *mapping);

/* A good moment to look whether there are too many pages.  Loops over rows, touches or edges give
 * one every SYT_STORE_STRIDE of them, as the thread that looks may not get a processor in time. */
void syt_store_settle(void);
#define SYT_STORE_STRIDE 2048u
#define SYT_STORE_SPARSE 32u /* ... of those that may be far from each other in memory */

/* A loop over numbers from FROM_ to below TO_ of neighbours in memory, with those moments; FAR: each
 * element, or what it leads to, may be far from the one before. */
#define SYT_EACH(i_, from_, to_)                                                                   \
	for (__typeof__((from_) + (to_)) i_ = (from_);                                             \
	     i_ < (to_) && syt_store_goes_on(i_, SYT_STORE_STRIDE); i_++)
#define SYT_EACH_FAR(i_, from_, to_)                                                               \
	for (__typeof__((from_) + (to_)) i_ = (from_);                                             \
	     i_ < (to_) && syt_store_goes_on(i_, SYT_STORE_SPARSE); i_++)

static inline bool syt_store_goes_on(uint64_t i, unsigned stride)
{
	if (!(i % stride))
		syt_store_settle();
	return true;
}

/* Something is looked at that may be far from what was before: a single one may bring 2 MiB with it,
 * where the kernel keeps a file in huge pages. */
extern _Thread_local uint32_t syt_store_nr_looks;
static inline void syt_store_look(void)
{
	if (__builtin_expect(!(++syt_store_nr_looks % SYT_STORE_SPARSE), 0))
		syt_store_settle();
}

/* Bytes that are in files. */
uint64_t syt_store_spilled(void);

#endif
