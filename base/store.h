/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Memory for data that grows with the number of events, within a limit for the whole program.
 *
 * Arrays up to half of the limit are ordinary memory. Larger arrays are mappings of an unlinked file in TMPDIR,
 * which are used in the same way. Whenever the program has more pages than the limit, the store releases pages of
 * mapped files. The kernel keeps them in its cache or on the disk. Results therefore do not depend on the limit.
 * All functions: any thread.
 */
#ifndef SYT_BASE_STORE_H
#define SYT_BASE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sets the memory limit of the program in bytes. 0: a quarter of the machine's memory, but at most 768 MiB; this is
 * also the default. Call it before all other functions. */
void syt_store_limit(uint64_t bytes);

/* Returns NR * BYTES zeroed bytes, never NULL. Free them with syt_store_free() only. */
void *syt_store_alloc(uint64_t nr, size_t bytes);
void syt_store_free(void *array); /* may be NULL */

/* Like syt_grow(), for an array (or NULL) of the store that contains NR_USED elements. */
void syt_store_grow(void *array, size_t *room, uint64_t nr_used, uint64_t nr, size_t bytes);

/* The address of a new element at the end of the store's array ALL_, with NR_ elements and ROOM_. */
#define SYT_STORE_ADD(all_, nr_, room_)                                                            \
	(syt_store_grow(&(all_), &(room_), nr_, (uint64_t)(nr_) + 1, sizeof(*(all_))),             \
	 &(all_)[(nr_)++])

/* Like memmove() towards lower addresses or to other memory, for large data: checks memory use on the way. */
void syt_store_move(void *to, const void *from, uint64_t bytes);

/* Adds a shared mapping of a file with pages that the store may release too. */
void syt_store_watch(const void *mapping, uint64_t bytes);
/* Call before unmapping. Does nothing if the mapping is unknown. */
void syt_store_unwatch(const void *mapping);

/* Checks memory use. Loops over many elements call this function every SYT_STORE_STRIDE elements, because the
 * checking thread may not get a processor in time. */
void syt_store_settle(void);
#define SYT_STORE_STRIDE 2048u
#define SYT_STORE_SPARSE 32u /* the stride for elements that may be far apart in memory */

/* A loop over [FROM_, TO_), neighbours in memory, that checks memory use. With FAR, each element, or the memory to
 * which it points, may be far from the previous one. */
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

/* Checks memory use for an access far from the previous one. The access may load a huge page (2 MiB). */
extern _Thread_local uint32_t syt_store_nr_looks;
static inline void syt_store_look(void)
{
	if (__builtin_expect(!(++syt_store_nr_looks % SYT_STORE_SPARSE), 0))
		syt_store_settle();
}

/* Returns the number of bytes in files. */
uint64_t syt_store_spilled(void);

#endif
