/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Allocates memory for data that grow with the number of events, within one limit for the whole program.
 *
 * Arrays up to 13/16 of the limit are ordinary memory. Further arrays are mappings of an unlinked file in TMPDIR,
 * which the program uses like memory. Whenever the process has more resident pages than the limit, the store
 * releases pages of these mapped files with madvise(). The kernel keeps their contents in its page cache or on the
 * disk, so results do not depend on the limit. Any thread may call these functions.
 */
#ifndef SYT_BASE_STORE_H
#define SYT_BASE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sets the memory limit of the program in bytes. 0 selects the default: a quarter of the machine's memory, at most
 * 896 MiB. The caller calls this function before all other functions. */
void syt_store_limit(uint64_t bytes);

/* Returns NR * BYTES zeroed bytes, never NULL. The caller frees them with syt_store_free() only. */
void *syt_store_alloc(uint64_t nr, size_t bytes);
/* Returns an array like syt_store_alloc(), with any content: for a caller that fills the array. */
void *syt_store_claim(uint64_t nr, size_t bytes);
void syt_store_free(void *array); /* may be NULL */

/* Grows an array like syt_grow(). The array must be from this store or NULL. The array has NR_USED elements. The new
 * elements are 0. */
void syt_store_grow(void *array, size_t *room, uint64_t nr_used, uint64_t nr, size_t bytes);

/* Grows an array like syt_store_grow(). The new elements have any content. */
void syt_store_widen(void *array, size_t *room, uint64_t nr_used, uint64_t nr, size_t bytes);

/* Evaluates to the address of a new element at the end of ALL_, an array of the store that has NR_ elements and
 * memory for ROOM_. The element has any content. */
#define SYT_STORE_ADD(all_, nr_, room_)                                                            \
	(syt_store_widen(&(all_), &(room_), nr_, (uint64_t)(nr_) + 1, sizeof(*(all_))),            \
	 &(all_)[(nr_)++])

/* Gives back the memory of ARRAY after its first NR elements. ARRAY may be NULL. */
void syt_store_shrink(void *array, uint64_t nr, size_t bytes);

/* Moves large data like memmove(), but only towards lower addresses or to other memory. Checks the program's memory
 * use after each MiB. */
void syt_store_move(void *to, const void *from, uint64_t bytes);

/* Adds a shared mapping of a file. The store may then release pages of this mapping too. */
void syt_store_watch(const void *mapping, uint64_t bytes);
/* Removes a mapping that syt_store_watch() added, before it is unmapped. Has no effect on other mappings. */
void syt_store_unwatch(const void *mapping);

/* Compares the memory use of the program with its limit and releases pages if necessary. A loop over many elements
 * calls this function every SYT_STORE_STRIDE elements, because the thread that checks periodically may not get a
 * processor in time. */
void syt_store_settle(void);
#define SYT_STORE_STRIDE 2048u
#define SYT_STORE_SPARSE 32u /* number of elements between two checks if they may be far apart */

/* Loops over the indices from FROM_ up to, not including, TO_, and checks memory use. SYT_EACH is for elements that
 * are adjacent in memory. SYT_EACH_FAR is for elements that may be far from each other, or point to such memory. */
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

/* Checks memory use, at every SYT_STORE_SPARSE-th call, before an access to memory far from the previous access.
 * One access may load a huge page (2 MiB). */
extern _Thread_local uint32_t syt_store_nr_looks;
static inline void syt_store_look(void)
{
	if (__builtin_expect(!(++syt_store_nr_looks % SYT_STORE_SPARSE), 0))
		syt_store_settle();
}

/* Returns true if the store would not place new arrays of BYTES in files. */
bool syt_store_fits(uint64_t bytes);

/* Returns the number of bytes of all arrays that the store has placed in files. */
uint64_t syt_store_spilled(void);

#endif
