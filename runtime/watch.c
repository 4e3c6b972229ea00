/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * An open-addressing table with two kinds of entries: (epoll instance, user data) -> endpoint answers
 * queries, and (epoll instance, endpoint) -> user data shows which entry to forget. Words that are never
 * reused identify the endpoints (runtime/endpoint.c). An entry with a dead epoll instance or endpoint
 * counts as free, so closing a descriptor needs no work here.
 *
 * The tag of an entry is BUSY while a thread writes the entry. A reader checks the entry's tag and key
 * before and after it reads the value.
 */
#include "runtime/watch.h"

#include <string.h>

#include "runtime/map.h"

#define NR_ENTRIES (1u << 18)
#define NR_NEAR 32u

#define BUSY UINT64_C(1)
/* used instead of an endpoint's word: several live endpoints have the same user data */
#define AMBIGUOUS UINT64_C(1)

/* Bit 24 of the word of an epoll instance is free for this flag: in other endpoints' words it marks the
 * writer of a pipe. */
#define BY_DATA UINT64_C(0)
#define BY_ENDPOINT (UINT64_C(1) << 24)

struct entry {
	uint64_t tag;   /* the epoll instance's word | BY_*; 0: never used */
	uint64_t key;   /* the user data, or the endpoint's word */
	uint64_t value; /* the endpoint's word, AMBIGUOUS or 0; or the user data */
};

static struct entry *entries;

static uint64_t load(const uint64_t *p)
{
	return __atomic_load_n(p, __ATOMIC_SEQ_CST);
}

static void store(uint64_t *p, uint64_t v)
{
	__atomic_store_n(p, v, __ATOMIC_SEQ_CST);
}

static struct entry *table(void)
{
	return syt_map_chunk((void **)&entries, NR_ENTRIES * sizeof(*entries));
}

/* Returns the entry to try as number I for KEY. User data are mostly descriptors or addresses of structs,
 * and neighbouring values get neighbouring entries. */
static inline struct entry *place(struct entry *t, uint64_t tag, uint64_t key, uint32_t i)
{
	uint64_t base = (tag * UINT64_C(0x9e3779b97f4a7c15)) >> 40;
	uint64_t near = tag & BY_ENDPOINT ? key & 0xffffff : (uint32_t)key;

	if (near > 0xffffff)
		near >>= 4;
	return &t[(base + near + i) % NR_ENTRIES];
}

static struct entry *find(struct entry *t, uint64_t tag, uint64_t key, const struct entry *except)
{
	for (uint32_t i = 0; i < NR_NEAR; i++) {
		struct entry *e = place(t, tag, key, i);

		if (load(&e->tag) == tag && load(&e->key) == key && e != except)
			return e;
	}
	return NULL;
}

/* Returns whether an entry with these members can be reused, because no later query can match it. */
static bool is_dead(uint64_t tag, uint64_t key, uint64_t value)
{
	if (!syt_endpoint_is_alive(tag & ~BY_ENDPOINT))
		return true;
	if (tag & BY_ENDPOINT)
		return !syt_endpoint_is_alive(key);
	return !value || (value != AMBIGUOUS && !syt_endpoint_is_alive(value));
}

/* Returns a new entry for (TAG, KEY) with VALUE, or NULL if all entries that may hold it are in use. */
static struct entry *insert(struct entry *t, uint64_t tag, uint64_t key, uint64_t value)
{
	for (uint32_t i = 0; i < NR_NEAR; i++) {
		struct entry *e = place(t, tag, key, i);
		uint64_t was = load(&e->tag);

		if (was == BUSY || (was && !is_dead(was, load(&e->key), load(&e->value))))
			continue;
		if (!__atomic_compare_exchange_n(&e->tag, &was, BUSY, false, __ATOMIC_SEQ_CST,
		                                 __ATOMIC_RELAXED))
			continue;
		store(&e->value, value);
		store(&e->key, key);
		store(&e->tag, tag);
		return e;
	}
	return NULL;
}

static bool read_value(struct entry *t, uint64_t tag, uint64_t key, uint64_t *value)
{
	struct entry *e = find(t, tag, key, NULL);

	if (!e)
		return false;
	*value = load(&e->value);
	return load(&e->key) == key && load(&e->tag) == tag;
}

/* Stores that the user data DATA of EPOLL mean the endpoint WORD, or AMBIGUOUS if they already mean another
 * live endpoint. */
static void add_meaning(struct entry *t, uint64_t epoll, uint64_t data, uint64_t word)
{
	struct entry *e = find(t, epoll | BY_DATA, data, NULL), *other;
	uint64_t was;

	if (!e) {
		e = insert(t, epoll | BY_DATA, data, word);
		/* two threads may insert the same key at once: each thread then looks for the other
		 * thread's entry */
		other = e ? find(t, epoll | BY_DATA, data, e) : NULL;
		if (other && load(&other->value) != word) {
			store(&e->value, AMBIGUOUS);
			store(&other->value, AMBIGUOUS);
		}
		return;
	}
	was = load(&e->value);
	do {
		if (was == word || was == AMBIGUOUS)
			return;
	} while (!__atomic_compare_exchange_n(&e->value, &was,
	                                      was && syt_endpoint_is_alive(was) ? AMBIGUOUS : word,
	                                      false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
}

/* Removes the meaning WORD from the user data DATA of EPOLL. */
static void remove_meaning(struct entry *t, uint64_t epoll, uint64_t data, uint64_t word)
{
	struct entry *e = find(t, epoll | BY_DATA, data, NULL);

	if (e)
		__atomic_compare_exchange_n(&e->value, &word, 0, false, __ATOMIC_SEQ_CST,
		                            __ATOMIC_RELAXED);
}

void syt_watch_begin(const struct syt_endpoint *epoll, const struct syt_endpoint *watched,
                     uint64_t data)
{
	struct entry *t = table();

	if (t && epoll->word && watched->word)
		add_meaning(t, epoll->word, data, watched->word);
}

void syt_watch_commit(const struct syt_endpoint *epoll, const struct syt_endpoint *watched,
                      uint64_t data)
{
	struct entry *t = table(), *e;
	uint64_t tag = epoll->word | BY_ENDPOINT, was;

	if (!t || !epoll->word || !watched->word)
		return;
	e = find(t, tag, watched->word, NULL);
	if (!e) {
		insert(t, tag, watched->word, data);
		return;
	}
	was = __atomic_exchange_n(&e->value, data, __ATOMIC_SEQ_CST);
	if (was != data)
		remove_meaning(t, epoll->word, was, watched->word);
}

void syt_watch_undo(const struct syt_endpoint *epoll, const struct syt_endpoint *watched,
                    uint64_t data)
{
	struct entry *t = table();
	uint64_t current;

	if (!t || !epoll->word || !watched->word)
		return;
	if (read_value(t, epoll->word | BY_ENDPOINT, watched->word, &current) && current == data)
		return; /* DATA meant this endpoint before the epoll_ctl call, too */
	remove_meaning(t, epoll->word, data, watched->word);
}

void syt_watch_end(const struct syt_endpoint *epoll, const struct syt_endpoint *watched)
{
	struct entry *t = table();
	uint64_t data;

	if (t && epoll->word && watched->word &&
	    read_value(t, epoll->word | BY_ENDPOINT, watched->word, &data))
		remove_meaning(t, epoll->word, data, watched->word);
}

bool syt_watch_endpoint(uint64_t epoll, uint64_t data, struct syt_endpoint *e)
{
	struct entry *t = __atomic_load_n(&entries, __ATOMIC_ACQUIRE);
	uint64_t word;

	return t && epoll && read_value(t, epoll | BY_DATA, data, &word) && word != AMBIGUOUS &&
	       syt_endpoint_of(word, e);
}

/* Returns the word of the endpoint with DATA, AMBIGUOUS or 0. */
static inline __attribute__((always_inline)) uint64_t word_of(uint64_t epoll, uint64_t data)
{
	struct entry *t = __atomic_load_n(&entries, __ATOMIC_ACQUIRE);
	uint64_t word;

	if (!t || !epoll)
		return 0;

	/* nearly always the first entry to try is the right one */
	struct entry *e = place(t, epoll | BY_DATA, data, 0);

	if (__builtin_expect(load(&e->tag) == (epoll | BY_DATA) && load(&e->key) == data, 1)) {
		word = load(&e->value);
		if (load(&e->key) != data || load(&e->tag) != (epoll | BY_DATA))
			return 0;
	} else if (!read_value(t, epoll | BY_DATA, data, &word)) {
		return 0;
	}
	return word;
}

uint64_t syt_watch_word(uint64_t epoll, uint64_t data)
{
	uint64_t word = word_of(epoll, data);

	return word == AMBIGUOUS ? 0 : word;
}

uint32_t syt_watch_object(uint64_t epoll, uint64_t data)
{
	uint64_t word = word_of(epoll, data);

	return word == AMBIGUOUS ? 0 : syt_endpoint_object(word);
}
