/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The word of a mark consists of the hops of the turn that released the object (8 bits, 0: no mark), a number of acquires
 * (24 bits), and a position (32 bits). They mean:
 *
 *	waits      NR waits that began by the time `at` (in units of 2^8 ticks); MANY: all of them
 *	tokens     NR tokens after `at` other ones; each wait for the semaphore takes one
 *	streams    NR bytes (units, messages) from position `at` on; MANY: the send is in progress
 *	others     NR acquires
 *
 * Comparisons of positions are correct up to a distance of 2^31.
 */
#include "runtime/mark.h"

#include "format/calls.h"
#include "runtime/arena.h"
#include "runtime/clock.h"
#include "runtime/endpoint_slot.h"
#include "runtime/frame.h"
#include "runtime/object.h"
#include "runtime/self.h"
#include "runtime/session.h"
#include "runtime/sys.h"

#define WAYS SYT_MARK_WAYS
#define MANY SYT_MARK_ALL
#define TIME_SHIFT 8

/* The kinds of keys. */
enum what { OBJECT = 1, NAMED_OBJECT, SIGNAL, THREAD, PROCESS, SPAWN };

static uint64_t key_of(enum what what, uint64_t a, uint64_t b)
{
	uint64_t h = (a ^ (uint64_t)what << 56) * UINT64_C(0x9e3779b97f4a7c15);

	h = (h ^ h >> 32 ^ b) * UINT64_C(0xd6e8feb86659fd93);
	return (h ^ h >> 32) | 1;
}

static uint32_t own_pid(void)
{
	return syt_arena_file()->pid;
}

/* Returns the key of OBJECT, which has the same name in all processes if they share the object. */
static uint64_t key_of_object(uint32_t object)
{
	uint64_t identity = syt_object_identity(object);

	return identity ? key_of(NAMED_OBJECT, identity, 0) : key_of(OBJECT, own_pid(), object);
}

static uint64_t word_of(unsigned hops, uint64_t nr, uint32_t at)
{
	return hops | (nr < MANY ? nr : MANY) << 8 | (uint64_t)at << 32;
}

static unsigned hops_in(uint64_t word)
{
	return (uint8_t)word;
}

static uint32_t nr_in(uint64_t word)
{
	return (uint32_t)word >> 8;
}

static uint32_t at_in(uint64_t word)
{
	return (uint32_t)(word >> 32);
}

static bool is_before(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) < 0;
}

static uint32_t time_of(uint64_t ticks)
{
	return (uint32_t)(ticks >> TIME_SHIFT);
}

/* ---- the table ---- */

struct syt_shared_mark *syt_mark_table;

/* Returns the entries where the mark of KEY may be; NULL if there is no table, or if the disk is full: then an access would
 * kill the program. */
static struct syt_shared_mark *entries_of(uint64_t key)
{
	static uint32_t is_backed; /* 1: it is, 2: it cannot be */
	uint32_t state = __atomic_load_n(&is_backed, __ATOMIC_RELAXED);
	struct syt_trace *t = syt_trace_shared();

	if (!state && t) {
		state = syt_sys_back(t->marks, sizeof(t->marks)) ? 1 : 2;
		__atomic_store_n(&is_backed, state, __ATOMIC_RELAXED);
		if (state == 1)
			__atomic_store_n(&syt_mark_table, t->marks, __ATOMIC_RELEASE);
	}
	return t && state == 1 ? &t->marks[(key >> 32) % (SYT_NR_MARKS / WAYS) * WAYS] : NULL;
}

/* Returns the entry of KEY and its word, or NULL if there is no mark. */
static struct syt_shared_mark *find(uint64_t key, uint64_t *word)
{
	struct syt_shared_mark *entries = key ? entries_of(key) : NULL;

	for (unsigned i = 0; entries && i < WAYS; i++) {
		if (__atomic_load_n(&entries[i].key, __ATOMIC_RELAXED) != key)
			continue;
		*word = __atomic_load_n(&entries[i].word, __ATOMIC_RELAXED);
		return *word ? &entries[i] : NULL;
	}
	return NULL;
}

/* Stores WORD as the mark of KEY, in place of another mark if there is no room. */
static void put(uint64_t key, uint64_t word)
{
	struct syt_shared_mark *entries = entries_of(key), *entry;

	if (!entries)
		return;
	entry = &entries[(word >> 32 ^ word >> 8) % WAYS];
	for (unsigned i = 0; i < WAYS; i++) {
		if (__atomic_load_n(&entries[i].key, __ATOMIC_RELAXED) == key) {
			__atomic_store_n(&entries[i].word, word, __ATOMIC_RELEASE);
			return;
		}
		if (!__atomic_load_n(&entries[i].word, __ATOMIC_RELAXED))
			entry = &entries[i];
	}
	__atomic_store_n(&entry->word, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&entry->key, key, __ATOMIC_RELEASE);
	__atomic_store_n(&entry->word, word, __ATOMIC_RELEASE);
}

/* Changes the mark ENTRY from WORD to TO. Returns false if another thread has changed it. */
static bool change(struct syt_shared_mark *entry, uint64_t word, uint64_t to)
{
	return __atomic_compare_exchange_n(&entry->word, &word, to, false, __ATOMIC_ACQ_REL,
	                                   __ATOMIC_RELAXED);
}

/* Returns WORD with one acquire less, 0 if there is none left. */
static uint64_t one_less(uint64_t word)
{
	uint32_t nr = nr_in(word);

	return nr == MANY ? word : nr > 1 ? word_of(hops_in(word), nr - 1, at_in(word)) : 0;
}

/* ---- releases ---- */

/* Returns the number of hops that the turn of the calling thread passes on; 0: none. */
static unsigned hops_now(void)
{
	const struct syt_self *s = syt_self_tls;

	return (*syt_alive & SYT_ALIVE_MASK) == SYT_ALIVE && s ? syt_sample_hops(s) : 0;
}

void syt_mark_wake(uint32_t object, uint32_t nr)
{
	unsigned hops = object ? hops_now() : 0;
	uint64_t key, old;

	if (!hops)
		return;
	key = key_of_object(object);
	if (find(key, &old) && nr_in(old) != MANY && nr != MANY)
		nr += nr_in(old);
	put(key, word_of(hops, nr, time_of(syt_clock_release())));
}

void syt_mark_post(uint32_t object, uint32_t ahead, uint32_t nr)
{
	unsigned hops = object ? hops_now() : 0;
	uint64_t key, old;

	if (!hops)
		return;
	key = key_of_object(object);
	if (find(key, &old) && at_in(old) + nr_in(old) == ahead) {
		ahead = at_in(old);
		nr += nr_in(old);
	}
	put(key, word_of(hops, nr, ahead));
}

void syt_mark_release(uint32_t call, uint32_t object, const volatile void *address)
{
	if (call == SYT_CALL_sem_post)
		/* in glibc's sem_t, the low half of the first word is the value */
		syt_mark_post(object,
		              __atomic_load_n((const volatile uint32_t *)address, __ATOMIC_RELAXED),
		              1);
	else
		syt_mark_wake(object,
		              call == SYT_CALL_pthread_cond_signal || call == SYT_CALL_cnd_signal
		                      ? 1
		                      : MANY);
}

/* Marks KEY for one acquire, if HOPS is not 0. */
static void mark_once(uint64_t key, unsigned hops)
{
	if (hops)
		put(key, word_of(hops, 1, 0));
}

void syt_mark_signal(uint32_t object, uint64_t pid)
{
	if (object && pid)
		mark_once(key_of(SIGNAL, syt_object_identity(object), pid), hops_now());
}

void syt_mark_thread(uint32_t thread)
{
	mark_once(key_of(THREAD, own_pid(), thread), hops_now());
}

void syt_mark_process(uint32_t pid)
{
	mark_once(key_of(PROCESS, pid, 0), hops_now());
}

void syt_mark_forked(const struct syt_self *s)
{
	mark_once(key_of(PROCESS, s->tid, 0), syt_sample_hops(s));
}

void syt_mark_spawn(void)
{
	mark_once(key_of(SPAWN, own_pid(), 0), hops_now());
}

void syt_mark_send(const struct syt_endpoint *e, uint64_t position)
{
	unsigned hops = position != UINT64_MAX ? hops_now() : 0;
	uint64_t key = hops ? syt_endpoint_mark_key(e, true) : 0, old;
	uint32_t at = (uint32_t)position;

	if (!key)
		return;
	if (find(key, &old) && nr_in(old) != MANY && at_in(old) + nr_in(old) == at)
		at = at_in(old); /* the reader has not yet received the data of that mark */
	put(key, word_of(hops, MANY, at));
}

void syt_mark_sent(const struct syt_endpoint *e, uint64_t position, uint64_t end)
{
	uint64_t key = position != UINT64_MAX && hops_now() ? syt_endpoint_mark_key(e, true) : 0;
	uint64_t word;
	struct syt_shared_mark *entry = find(key, &word);

	if (entry && nr_in(word) == MANY) {
		uint32_t nr = (uint32_t)end - at_in(word);

		change(entry, word, nr ? word_of(hops_in(word), nr, at_in(word)) : 0);
	}
}

/* ---- acquires ---- */

/* Takes a mark of waits for a wait that began at FROM. */
static unsigned take_wait(uint64_t key, uint64_t from)
{
	uint64_t word;
	struct syt_shared_mark *entry = find(key, &word);

	if (!entry || is_before(at_in(word), time_of(from)) || !change(entry, word, one_less(word)))
		return 0;
	return hops_in(word);
}

static unsigned take_token(uint64_t key)
{
	uint64_t word;
	struct syt_shared_mark *entry = find(key, &word);

	if (entry && at_in(word)) {
		change(entry, word, word_of(hops_in(word), nr_in(word), at_in(word) - 1));
		return 0;
	}
	return entry && change(entry, word, one_less(word)) ? hops_in(word) : 0;
}

static unsigned take_one(uint64_t key)
{
	uint64_t word;
	struct syt_shared_mark *entry = find(key, &word);

	return entry && change(entry, word, one_less(word)) ? hops_in(word) : 0;
}

static void note(unsigned hops)
{
	struct syt_self *s = syt_self_tls;

	if (hops && (*syt_alive & SYT_ALIVE_MASK) == SYT_ALIVE && s && hops > s->sample.marked)
		s->sample.marked = (uint8_t)hops;
}

bool syt_mark_may_end(const struct syt_endpoint *e)
{
	uint64_t word;

	return find(syt_endpoint_mark_key(e, false), &word) != NULL;
}

bool syt_mark_may_be_on(uint32_t object)
{
	uint64_t key = key_of_object(object), mark;

	return syt_mark_table ? syt_mark_may_be(key) : find(key, &mark) != NULL;
}

void syt_mark_received(const struct syt_endpoint *e, uint64_t begin, uint64_t end)
{
	uint64_t word;
	struct syt_shared_mark *entry =
		syt_sample_has_marks() ? find(syt_endpoint_mark_key(e, false), &word) : NULL;
	bool is_open;

	if (!entry || !is_before(at_in(word), (uint32_t)end))
		return;
	is_open = nr_in(word) == MANY;
	if (is_open || is_before((uint32_t)begin, at_in(word) + nr_in(word)))
		note(hops_in(word));
	if (!is_open && !is_before((uint32_t)end, at_in(word) + nr_in(word)))
		change(entry, word, 0);
}

void syt_mark_ready(const struct syt_endpoint *e)
{
	uint64_t word, position;
	bool is_known;

	if (!syt_sample_has_marks() || !find(syt_endpoint_mark_key(e, false), &word))
		return;
	position = syt_endpoint_count(e, false, 0, &is_known);
	if (is_known && !is_before((uint32_t)position, at_in(word)) &&
	    (nr_in(word) == MANY || is_before((uint32_t)position, at_in(word) + nr_in(word))))
		note(hops_in(word));
}

unsigned syt_mark_taken(const struct syt_self *s, const struct syt_frame *f,
                        const struct syt_event *e, unsigned shape)
{
	switch (shape) {
	case SYT_SHAPE_COND_WAIT:
		return e->result ? 0 : take_wait(key_of_object(e->object), f->in);
	case SYT_SHAPE_FUTEX_WAIT:
		return e->err ? 0 : take_wait(key_of_object(e->object), f->in);
	case SYT_SHAPE_SEM_WAIT:
		return e->result ? 0 : take_token(key_of_object(e->object));
	case SYT_SHAPE_SIGNAL_RECV:
		return e->object
		               ? take_one(key_of(SIGNAL, syt_object_identity(e->object), own_pid()))
		               : 0;
	default:
		return s->sample.marked;
	}
}

unsigned syt_mark_taken_at_birth(const struct syt_self *s)
{
	unsigned hops = take_one(key_of(THREAD, own_pid(), s->thread));

	if (!hops && !s->thread)
		hops = take_one(key_of(PROCESS, own_pid(), 0));
	if (!hops && !s->thread)
		hops = take_one(key_of(SPAWN, (uint32_t)SYT_SYS_0(SYS_getppid), 0));
	return hops;
}
