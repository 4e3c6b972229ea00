/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Sorts by merging, and uses runs (sequences of elements that are already in order). The sort finds the runs once,
 * lengthens short runs by insertion, and merges them as a binary tree. The sort finishes a part of the array that
 * fits into a cache, or into memory, before it begins the next part. If the array is in a file, only the last few
 * merges therefore read and write all of it. */
#include "base/sort.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/store.h"
#include "base/work.h"

#define LEAST_RUN 16u      /* minimum length of a run, in elements */
#define MOST_INSERTED 128u /* largest element that is sorted by insertion, in bytes */
#define DIGIT_BITS 11u     /* bits of a digit of syt_sort_items() */
#define NR_DIGITS (1u << DIGIT_BITS)
#define FEW_ITEMS 512u     /* comparing fewer items costs less than counting their digits */
#define MANY_ITEMS 65536u  /* more items, with a copy, are larger than the cache of a processor */
#define BUCKET_ITEMS 4096u /* mean number of items of a bucket, if there are not too many */

struct sort {
	size_t bytes;
	int (*compare)(const void *, const void *);
	int (*compare_with)(const void *, const void *, void *); /* if `compare` is NULL */
	void *context;
	uint64_t nr_done; /* elements compared since the last check of memory use */
	uint64_t nr_runs;
	size_t room;
	uint64_t *first; /* index of the first element of each run, then the end of the last run */
};

static inline bool is_before(const struct sort *s, const uint8_t *a, const uint8_t *b)
{
	return (s->compare ? s->compare(a, b) : s->compare_with(a, b, s->context)) < 0;
}

/* Checks memory use, because comparing two elements may read other memory to which they point. */
static inline void settle(struct sort *s)
{
	if (!(++s->nr_done % SYT_STORE_SPARSE))
		syt_store_settle();
}

/* Copies an element. A copy of a constant size needs no call. */
static inline void copy_element(const struct sort *s, uint8_t *to, const uint8_t *from)
{
	size_t done = 0;

	for (; s->bytes - done >= 8; done += 8)
		memcpy(to + done, from + done, 8);
	if (done < s->bytes)
		memcpy(to + done, from + done, s->bytes - done);
}

/* Returns the length of the longest sorted run at the start of the NR elements at P. */
static uint64_t run_length(struct sort *s, const uint8_t *p, uint64_t nr)
{
	uint64_t i = 1;

	for (; i < nr && !is_before(s, p + i * s->bytes, p + (i - 1) * s->bytes); i++)
		settle(s);
	return i < nr ? i : nr;
}

/* Extends a sorted run of LENGTH elements at P to LEAST_RUN elements, or to all NR if there are fewer. Returns the
 * new length. */
static uint64_t lengthen(struct sort *s, uint8_t *p, uint64_t length, uint64_t nr)
{
	uint8_t element[MOST_INSERTED];
	uint64_t most = nr < LEAST_RUN ? nr : LEAST_RUN;

	for (; length < most && s->bytes <= MOST_INSERTED; length++) {
		uint64_t at = length;

		copy_element(s, element, p + length * s->bytes);
		while (at && is_before(s, element, p + (at - 1) * s->bytes))
			at--;
		memmove(p + (at + 1) * s->bytes, p + at * s->bytes, (length - at) * s->bytes);
		copy_element(s, p + at * s->bytes, element);
	}
	return length;
}

static void add_run(struct sort *s, uint64_t first)
{
	*SYT_STORE_ADD(s->first, s->nr_runs, s->room) = first;
}

static void merge(struct sort *s, const uint8_t *a, uint64_t nr_a, const uint8_t *b, uint64_t nr_b,
                  uint8_t *to)
{
	for (; nr_a && nr_b; to += s->bytes) {
		settle(s);
		if (!is_before(s, b, a)) {
			copy_element(s, to, a);
			a += s->bytes;
			nr_a--;
		} else {
			copy_element(s, to, b);
			b += s->bytes;
			nr_b--;
		}
	}
	syt_store_move(to, a, nr_a * s->bytes);
	syt_store_move(to + nr_a * s->bytes, b, nr_b * s->bytes);
}

/* Merges the runs numbered from FROM up to, not including, TO into RESULT. COPY and RESULT both contain the
 * elements of these runs. */
static void merge_runs(struct sort *s, uint64_t from, uint64_t to, uint8_t *copy, uint8_t *result)
{
	uint64_t middle = from + (to - from) / 2;
	uint64_t a = s->first[from], b = s->first[middle], end = s->first[to];

	if (to - from < 2)
		return;
	merge_runs(s, from, middle, result, copy);
	merge_runs(s, middle, to, result, copy);
	merge(s, copy + a * s->bytes, b - a, copy + b * s->bytes, end - b, result + a * s->bytes);
}

static void sort(struct sort *s, uint8_t *all, uint64_t nr)
{
	uint64_t length = nr ? run_length(s, all, nr) : 0;
	uint8_t *copy;

	if (length == nr)
		return;
	for (uint64_t i = 0; i < nr; i += length) {
		add_run(s, i);
		if (i)
			length = run_length(s, all + i * s->bytes, nr - i);
		length = lengthen(s, all + i * s->bytes, length, nr - i);
	}
	add_run(s, nr);
	if (s->nr_runs > 2) {
		copy = syt_store_claim(nr, s->bytes);
		syt_store_move(copy, all, nr * s->bytes);
		merge_runs(s, 0, s->nr_runs - 1, copy, all);
		syt_store_free(copy);
	}
	syt_store_free(s->first);
}

void syt_sort(void *array, uint64_t nr, size_t bytes, int (*compare)(const void *, const void *))
{
	struct sort s = {.bytes = bytes, .compare = compare};

	sort(&s, array, nr);
}

void syt_sort_with(void *array, uint64_t nr, size_t bytes,
                   int (*compare)(const void *, const void *, void *), void *context)
{
	struct sort s = {.bytes = bytes, .compare_with = compare, .context = context};

	sort(&s, array, nr);
}

static int by_item_key(const void *a_, const void *b_)
{
	const struct syt_sort_item *a = a_, *b = b_;

	return a->key < b->key ? -1 : a->key > b->key;
}

static inline size_t digit_of(const struct syt_sort_item *item, unsigned shift)
{
	return item->key >> shift & (NR_DIGITS - 1);
}

/* Distributes the items FROM to TO by the digit of their keys that begins at bit SHIFT. */
static void distribute(const struct syt_sort_item *from, struct syt_sort_item *to, uint64_t nr,
                       unsigned shift)
{
	uint64_t next[NR_DIGITS] = {0}, first = 0;

	SYT_EACH(i, 0, nr)
		next[digit_of(&from[i], shift)]++;
	for (unsigned digit = 0; digit < NR_DIGITS; digit++) {
		uint64_t of_digit = next[digit];

		next[digit] = first;
		first += of_digit;
	}
	SYT_EACH_FAR(i, 0, nr) /* the NR_DIGITS positions in TO lie far apart */
		to[next[digit_of(&from[i], shift)]++] = from[i];
}

/* Sorts the NR items FROM by the bits DIFFERING of their keys. The result is in FROM or in SPARE, which has room for NR items.
 * Returns its place. */
static struct syt_sort_item *sort_by_digits(struct syt_sort_item *from, struct syt_sort_item *spare,
                                            uint64_t nr, uint64_t differing)
{
	for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
		struct syt_sort_item *swapped = from;

		if (!(differing >> shift & (NR_DIGITS - 1)))
			continue;
		distribute(from, spare, nr, shift);
		from = spare;
		spare = swapped;
	}
	return from;
}

/* The work of several workers. They first distribute the items to buckets by the highest bits in which keys differ, each worker
 * those of its part. Then each job sorts one bucket, which mostly fits into the cache of a processor. */
struct bucket_sort {
	struct syt_sort_item *items, *spare;
	uint64_t nr, differing;
	unsigned nr_parts, shift, nr_buckets;
	uint64_t *
		next; /* [part][bucket]: number of items of the bucket in the part; then the index of the next one in `spare` */
	uint64_t *first; /* [bucket]: index of the first item; then the number of all items */
};

static uint64_t begin_of_part(const struct bucket_sort *b, size_t part)
{
	return b->nr / b->nr_parts * part + b->nr % b->nr_parts * part / b->nr_parts;
}

static void count_bucket(void *context, size_t part, unsigned worker)
{
	const struct bucket_sort *b = context;
	uint64_t *nr = b->next + part * b->nr_buckets;

	(void)worker;
	SYT_EACH(i, begin_of_part(b, part), begin_of_part(b, part + 1))
		nr[b->items[i].key >> b->shift & (b->nr_buckets - 1)]++;
}

static void fill_bucket(void *context, size_t part, unsigned worker)
{
	const struct bucket_sort *b = context;
	uint64_t *next = b->next + part * b->nr_buckets;

	(void)worker;
	SYT_EACH_FAR(i, begin_of_part(b, part), begin_of_part(b, part + 1))
		b->spare[next[b->items[i].key >> b->shift & (b->nr_buckets - 1)]++] = b->items[i];
}

static void sort_bucket(void *context, size_t bucket, unsigned worker)
{
	const struct bucket_sort *b = context;
	uint64_t first = b->first[bucket], nr = b->first[bucket + 1] - first;
	struct syt_sort_item *from = b->spare + first, *to = b->items + first, *sorted;

	(void)worker;
	if (nr < FEW_ITEMS) {
		syt_sort(from, nr, sizeof(*from), by_item_key);
		sorted = from;
	} else {
		sorted = sort_by_digits(from, to, nr,
		                        b->differing & ((UINT64_C(1) << b->shift) - 1));
	}
	if (sorted != to)
		memcpy(to, sorted, nr * sizeof(*to));
}

/* Turns the number of items of each part and bucket into their place in `spare`. */
static void place_buckets(struct bucket_sort *b)
{
	uint64_t nr = 0;

	for (unsigned bucket = 0; bucket < b->nr_buckets; bucket++) {
		b->first[bucket] = nr;
		for (unsigned part = 0; part < b->nr_parts; part++) {
			uint64_t *next = &b->next[(size_t)part * b->nr_buckets + bucket];
			uint64_t of_part = *next;

			*next = nr;
			nr += of_part;
		}
	}
	b->first[b->nr_buckets] = nr;
}

static void sort_in_buckets(struct bucket_sort *b, unsigned nr_workers)
{
	unsigned bits = 64 - (unsigned)__builtin_clzll(b->differing), bucket_bits = 1;

	while (bucket_bits < DIGIT_BITS && bucket_bits < bits &&
	       b->nr >> bucket_bits > BUCKET_ITEMS)
		bucket_bits++;
	b->nr_parts = nr_workers;
	b->shift = bits - bucket_bits;
	b->nr_buckets = 1u << bucket_bits;
	b->next = syt_calloc((size_t)b->nr_parts * b->nr_buckets, sizeof(*b->next));
	b->first = syt_calloc((size_t)b->nr_buckets + 1, sizeof(*b->first));
	syt_work(b->nr_parts, nr_workers, count_bucket, b);
	place_buckets(b);
	syt_work(b->nr_parts, nr_workers, fill_bucket, b);
	syt_work(b->nr_buckets, nr_workers, sort_bucket, b);
	free(b->next);
	free(b->first);
}

void syt_sort_items(struct syt_sort_item *items, uint64_t nr, unsigned nr_workers)
{
	struct bucket_sort b = {.items = items, .nr = nr};
	struct syt_sort_item *sorted;
	bool is_sorted = true;

	SYT_EACH(i, 1, nr) {
		b.differing |= items[i].key ^ items[0].key;
		is_sorted &= items[i - 1].key <= items[i].key;
	}
	if (is_sorted)
		return;
	if (nr < FEW_ITEMS) {
		syt_sort(items, nr, sizeof(*items), by_item_key);
		return;
	}
	b.spare = syt_store_claim(nr, sizeof(*b.spare));
	if (nr < MANY_ITEMS) {
		sorted = sort_by_digits(items, b.spare, nr, b.differing);
		if (sorted != items)
			syt_store_move(items, sorted, nr * sizeof(*items));
	} else {
		sort_in_buckets(&b, nr_workers ? nr_workers : 1);
	}
	syt_store_free(b.spare);
}
