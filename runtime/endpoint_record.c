/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The records of endpoints are in a sparse table that only grows; a released record is reused. A reader checks
 * the member `life` before and after reading (acquire), and so notices if the record now belongs to another
 * endpoint. Fields that change while a record is in use are single words. */
#include "runtime/endpoint_record.h"

#include <poll.h>
#include <sys/socket.h>

#include "format/address.h"
#include "format/slot.h"
#include "runtime/alive.h"
#include "runtime/cache.h"
#include "runtime/endpoint_slot.h"
#include "runtime/forked.h"
#include "runtime/map.h"
#include "runtime/meta.h"
#include "runtime/object.h"
#include "runtime/self.h"
#include "runtime/session.h"
#include "runtime/sys.h"

struct syt_endpoint_record *syt_endpoint_records[SYT_NR_RECORD_CHUNKS];
SYT_FORKED static uint32_t nr_records;   /* number of records that were used at least once */
SYT_FORKED static uint64_t free_records; /* changes << 32 | index + 1 of the first free record */
SYT_FORKED static uint64_t sequence;
SYT_FORKED uint32_t syt_endpoint_epoch;
/* this process image ends, and its references to slots are dropped */
SYT_FORKED static bool has_left;

/* ---- the table ---- */

/* Returns a free endpoint record and stores its index in *INDEX; NULL if there is no free record. */
static struct syt_endpoint_record *record_new(uint32_t *index)
{
	uint64_t head = __atomic_load_n(&free_records, __ATOMIC_ACQUIRE);

	while ((uint32_t)head) {
		struct syt_endpoint_record *r = syt_endpoint_record_of((uint32_t)head - 1);
		uint64_t to =
			((head >> 32) + 1) << 32 | __atomic_load_n(&r->next, __ATOMIC_RELAXED);

		if (__atomic_compare_exchange_n(&free_records, &head, to, false, __ATOMIC_ACQ_REL,
		                                __ATOMIC_ACQUIRE)) {
			*index = (uint32_t)head - 1;
			return r;
		}
	}

	uint32_t i = __atomic_load_n(&nr_records, __ATOMIC_RELAXED);
	struct syt_endpoint_record *c;

	do {
		if (i / SYT_RECORDS_PER_CHUNK >= SYT_NR_RECORD_CHUNKS)
			return NULL;
		c = syt_map_chunk((void **)&syt_endpoint_records[i / SYT_RECORDS_PER_CHUNK],
		                  SYT_RECORDS_PER_CHUNK * sizeof(*c));
		if (!c)
			return NULL;
	} while (!__atomic_compare_exchange_n(&nr_records, &i, i + 1, false, __ATOMIC_RELAXED,
	                                      __ATOMIC_RELAXED));
	*index = i;
	return &c[i % SYT_RECORDS_PER_CHUNK];
}

static void record_free(struct syt_endpoint_record *r, uint32_t index)
{
	uint64_t head = __atomic_load_n(&free_records, __ATOMIC_ACQUIRE), to;

	__atomic_store_n(&r->life, 0, __ATOMIC_RELEASE);
	do {
		__atomic_store_n(&r->next, (uint32_t)head, __ATOMIC_RELAXED);
		to = ((head >> 32) + 1) << 32 | (index + 1);
	} while (!__atomic_compare_exchange_n(&free_records, &head, to, false, __ATOMIC_ACQ_REL,
	                                      __ATOMIC_ACQUIRE));
}

/* ---- definitions ---- */

/* The objects of recently used regular files, by identity. Without this cache, a server that opens a file
 * for each request would define an object for each request, and definitions are never overwritten. A file
 * that the cache has forgotten is defined again. The decoder recognizes a file by its identity. */
static struct syt_cache files;

/* The objects with a name in the dump. */
static struct syt_cache named;

bool syt_endpoint_record_needs_name(const struct syt_endpoint *e)
{
	uint64_t key = (uint64_t)syt_endpoint_epoch << 32 | e->object;

	if (!e->object || syt_cache_find(&named, key))
		return false;
	syt_cache_learn(&named, key, 1);
	return true;
}

/* Writes the definition of R's object to the dump. P gives the object's properties, or is NULL if they are
 * unknown. */
static uint32_t define(struct syt_endpoint_record *r, const struct syt_probe *p)
{
	struct syt_meta_object def = {
		.kind = __atomic_load_n(&r->kind, __ATOMIC_RELAXED),
		.flags = r->object_flags,
		.generation = r->object_generation,
		.fd = (uint32_t)r->fd,
		.identity = r->identity,
	};
	uint64_t known = def.kind == SYT_KIND_FILE ? syt_cache_find(&files, r->identity) : 0;
	uint32_t object;

	if (known && known >> 32 == syt_endpoint_epoch) {
		__atomic_store_n(&r->object, known, __ATOMIC_RELEASE);
		return (uint32_t)known;
	}
	object = syt_object_define(&def);
	if (p) {
		struct syt_meta_endpoint m = p->meta;

		m.object = object;
		syt_meta_append(SYT_META_ENDPOINT, &m, sizeof(m), p->local, m.local_bytes,
		                p->remote, m.remote_bytes);
	}
	__atomic_store_n(&r->object, (uint64_t)syt_endpoint_epoch << 32 | object, __ATOMIC_RELEASE);
	if (def.kind == SYT_KIND_FILE)
		syt_cache_learn(&files, r->identity, (uint64_t)syt_endpoint_epoch << 32 | object);
	return object;
}

/* Returns the id of R's object in this process' dump. A forked child, which must define the object again,
 * asks the kernel about FD, if FD >= 0. */
static uint32_t object_of(struct syt_endpoint_record *r, int fd)
{
	uint64_t object = __atomic_load_n(&r->object, __ATOMIC_ACQUIRE);
	struct syt_probe p;

	if (__builtin_expect(object >> 32 == syt_endpoint_epoch, 1))
		return (uint32_t)object;
	if (fd < 0 || r->class != SYT_CLASS_SOCKET || syt_probe_inet(fd, &r->inet, &p) ||
	    p.identity != r->identity)
		return define(r, NULL);
	syt_probe_addresses(fd, &p);
	return define(r, &p);
}

static bool is_counted(uint8_t kind)
{
	return kind == SYT_KIND_STREAM || kind == SYT_KIND_DGRAM || kind == SYT_KIND_PIPE ||
	       kind == SYT_KIND_EVENTFD || kind == SYT_KIND_QUEUE;
}

/* Returns true if an endpoint of KIND needs no definition now: definitions are never overwritten, and most connections of a deep pause
 * have no event. The first recorded call on the endpoint defines it. */
static bool is_definition_late(uint8_t kind)
{
	return syt_control_is_deep(syt_control()) && is_counted(kind);
}

/* Does syt_endpoint_record_peek() for an endpoint that the dump need not define. */
static bool peek_undefined(const struct syt_endpoint_record *r, uint64_t word,
                           struct syt_endpoint *e)
{
	*e = (struct syt_endpoint){
		.slot = __atomic_load_n(&r->slot, __ATOMIC_RELAXED),
		.word = word,
		.remote = __atomic_load_n(&r->remote, __ATOMIC_RELAXED),
		.facts = __atomic_load_n(&r->facts, __ATOMIC_RELAXED),
	};
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return syt_endpoint_record_is_of(r, word);
}

bool syt_endpoint_record_read(uint64_t word, int fd, struct syt_endpoint *e)
{
	struct syt_endpoint_record *r = syt_endpoint_record_of(word);
	bool is_defined;

	if (!syt_endpoint_record_is_of(r, word))
		return false;
	is_defined = __atomic_load_n(&r->object, __ATOMIC_ACQUIRE) >> 32 == syt_endpoint_epoch;
	if (!is_defined && is_definition_late(__atomic_load_n(&r->kind, __ATOMIC_RELAXED))) {
		if (!peek_undefined(r, word, e))
			return false;
		syt_endpoint_mark_writer(e);
		return true;
	}
	object_of(r, fd);
	if (!syt_endpoint_record_peek(word, e))
		return false;
	syt_endpoint_mark_writer(e);
	return true;
}

/* Adds DELTA to the number of this process's fds that refer to WORD's endpoint. Returns the old number; 0:
 * no fd refers to it any more. */
static uint64_t change_refs(struct syt_endpoint_record *r, uint64_t word, int64_t delta)
{
	uint64_t life = r ? __atomic_load_n(&r->life, __ATOMIC_ACQUIRE) : 0;

	do {
		if (life >> SYT_LIFE_SHIFT != word >> SYT_WORD_SEQUENCE_SHIFT ||
		    !(life & SYT_LIFE_REFS))
			return 0;
	} while (!__atomic_compare_exchange_n(&r->life, &life, life + (uint64_t)delta, false,
	                                      __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
	return life & SYT_LIFE_REFS;
}

/* Returns the generation of R's slot while R holds a reference to it: learning changes the generation. */
static uint16_t generation_of(const struct syt_endpoint_record *r,
                              const struct syt_endpoint_slot *slot)
{
	uint64_t state = __atomic_load_n(&slot->state, __ATOMIC_SEQ_CST);

	return state & SYT_ENDPOINT_LEARNED && __atomic_load_n(&slot->key, __ATOMIC_SEQ_CST) ==
	                                               syt_endpoint_key(r->class, r->identity)
	               ? syt_endpoint_generation(state)
	               : r->generation;
}

/* Drops R's reference to SLOT. A call of another thread may return between the look at the generation and the drop. */
static void drop_slot(const struct syt_endpoint_record *r, struct syt_endpoint_slot *slot)
{
	uint16_t generation;

	do {
		generation = generation_of(r, slot);
	} while (!syt_endpoint_slot_drop(slot, generation) && generation != generation_of(r, slot));
}

bool syt_endpoint_record_drop(uint64_t word)
{
	struct syt_endpoint_record *r = syt_endpoint_record_of(word);

	if (change_refs(r, word, -1) != 1)
		return false;
	if (r->slot && !__atomic_load_n(&has_left, __ATOMIC_RELAXED))
		drop_slot(r, r->slot);
	record_free(r, (uint32_t)(word & SYT_WORD_INDEX));
	return true;
}

/* ---- birth and adoption ---- */

/* Returns the number of bytes that were sent and not yet received, according to the counters in SLOT. */
static uint64_t waiting(const struct syt_endpoint_slot *slot)
{
	return (__atomic_load_n(&slot->tx, __ATOMIC_RELAXED) -
	        __atomic_load_n(&slot->rx, __ATOMIC_RELAXED)) &
	       SYT_ENDPOINT_COUNT;
}

#define NR_LOOKS 64

/* Returns true if the counters agree with the amount of data in the pipe or queue, or if that amount is
 * unknown. A call in progress may have changed only one of the two numbers, so this function compares them
 * repeatedly for about 20 us. */
static bool is_consistent(const struct syt_endpoint_slot *slot, const struct syt_probe *p)
{
	uint64_t nr;

	for (int i = 0; i < NR_LOOKS; i++)
		if (!syt_probe_pending(p, &nr) || waiting(slot) == nr)
			return true;
	return false;
}

/* Returns true for FIFOs and System V queues. The contents of a FIFO are lost when the last holder closes it.
 * Any process can receive the messages of a System V queue while no traced process uses it. While traced
 * processes use the queue, the decoder detects such receives, because it knows the calls in progress. */
static bool outlives_holders(const struct syt_probe *p)
{
	return p->class == SYT_CLASS_FIFO || p->class == SYT_CLASS_SYSV;
}

/* Stores a member of a reused record. A thread that still reads the record of the former endpoint notices
 * the change by the member `life`. */
#define PUT(member_, value_) __atomic_store_n(&r->member_, (value_), __ATOMIC_RELAXED)

/* Returns the key of the marks of data from the address FROM to the address TO. */
static uint64_t box_of(uint64_t from, uint64_t to)
{
	uint64_t h = (from * UINT64_C(0x9e3779b97f4a7c15) ^ to) * UINT64_C(0xd6e8feb86659fd93);

	return from | to ? (h ^ h >> 32) | 1 : 0;
}

/* Stores the addresses of P. Two unix sockets of one server differ from those of another client only if the client has an
 * address; a wrong mark is possible then. */
static void put_boxes(struct syt_endpoint_record *r, const struct syt_probe *p)
{
	uint64_t local = syt_address_hash(p->local, p->meta.local_bytes),
		 remote = syt_address_hash(p->remote, p->meta.remote_bytes);
	bool is_connected = p->meta.remote_bytes > 0;

	PUT(inbox, is_connected ? box_of(remote, local) : 0);
	PUT(outbox, is_connected ? box_of(local, remote) : 0);
}

void syt_endpoint_record_pair(uint64_t a, uint64_t b)
{
	uint64_t words[2] = {a, b};

	for (unsigned i = 0; i < 2; i++) {
		struct syt_endpoint_record *r = syt_endpoint_record_of(words[i]),
					   *other = syt_endpoint_record_of(words[!i]);

		if (!syt_endpoint_record_is_of(r, words[i]) ||
		    !syt_endpoint_record_is_of(other, words[!i]))
			return;
		PUT(inbox, box_of(other->identity, r->identity));
		PUT(outbox, box_of(r->identity, other->identity));
	}
}

uint64_t syt_endpoint_mark_key(const struct syt_endpoint *e, bool is_out)
{
	const struct syt_endpoint_record *r = syt_endpoint_record_of(e->word);

	if (!e->word || !e->slot || !syt_endpoint_record_is_of(r, e->word))
		return 0;
	if (r->class == SYT_CLASS_SOCKET)
		return __atomic_load_n(is_out ? &r->outbox : &r->inbox, __ATOMIC_RELAXED);
	return box_of(r->class, r->identity);
}

/* Returns a number that changes whenever the counters of endpoints become stale. */
static uint32_t count_uncounted(void)
{
	const struct syt_trace *t = syt_trace_shared();

	return t ? __atomic_load_n(&t->nr_uncounted, __ATOMIC_SEQ_CST) : 0;
}

static void take_slot(struct syt_endpoint_record *r, struct syt_probe *p, bool is_birth)
{
	struct syt_endpoint_slot *slot;
	uint64_t key = syt_endpoint_key(p->class, p->identity), state = 0, flags = 0;
	uint32_t nr_uncounted = count_uncounted();
	bool is_deep = syt_control_is_deep(syt_control());

	if (!is_birth) {
		/* A pipe contains exactly the bytes that were sent before and not yet received. For TCP,
		 * the kernel knows the total numbers of bytes. For sockets other than TCP, the numbers of
		 * bytes are unknown. */
		flags = SYT_ENDPOINT_ADOPTED;
		if (!syt_probe_pending(p, &p->meta.tx) &&
		    !syt_probe_totals(r->fd, p, &p->meta.tx, &p->meta.rx))
			flags |= SYT_ENDPOINT_UNKNOWN;
	}
	slot = syt_endpoint_slot_take(key, is_birth, p->meta.tx, p->meta.rx, flags, &state);
	/* uncounted calls may have moved bytes since the kernel was asked, or will do it before the pause ends */
	if (slot && (is_deep || nr_uncounted != count_uncounted()))
		syt_slot_stale(slot);
	if (slot && outlives_holders(p) &&
	    !(__atomic_load_n(&slot->state, __ATOMIC_SEQ_CST) & SYT_ENDPOINT_STALE) &&
	    (p->kind != SYT_KIND_QUEUE || (state & SYT_ENDPOINT_REFS) == 1) &&
	    !is_consistent(slot, p)) {
		/* All processes had closed the FIFO, so its data are lost. The one holder that the count
		 * still shows may have ended without a close. */
		if ((state & SYT_ENDPOINT_REFS) == 1) {
			syt_endpoint_slot_drop(slot, syt_endpoint_generation(state));
			if (!syt_probe_pending(p, &p->meta.tx))
				flags |= SYT_ENDPOINT_UNKNOWN;
			slot = syt_endpoint_slot_take(key, true, p->meta.tx, 0, flags, &state);
		} else {
			syt_endpoint_slot_set_unknown(slot, syt_endpoint_generation(state));
		}
	}
	if (!slot) {
		syt_lost(SYT_LOSS_ENDPOINTS, 1);
		state = flags;
	}
	if (slot) {
		p->meta.tx = __atomic_load_n(&slot->tx, __ATOMIC_RELAXED) & SYT_ENDPOINT_COUNT;
		p->meta.rx = __atomic_load_n(&slot->rx, __ATOMIC_RELAXED) & SYT_ENDPOINT_COUNT;
	}
	PUT(slot, slot);
	PUT(generation, syt_endpoint_generation(state));
	if (outlives_holders(p))
		r->object_generation = (uint32_t)(state >> 32);
	if (state & SYT_ENDPOINT_ADOPTED)
		r->object_flags |= SYT_OBJECT_ADOPTED;
}

/* Returns true if the eventfd FD is surely 0. */
static bool is_zero(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	const struct timespec now = {0, 0};

	return SYT_SYS_5(SYS_ppoll, &p, 1, &now, NULL, 0) == 0;
}

/* Asks the kernel for the positions of the endpoint R, which FD refers to. TX and RX are the counters of its slot when it became
 * stale. Positions never decrease. Returns false if the positions are unknown. */
static bool ask_positions(const struct syt_endpoint_record *r, int fd, uint64_t *tx, uint64_t *rx)
{
	uint64_t base = *tx > *rx ? *tx : *rx, nr = 0;
	struct syt_probe p;

	if (syt_probe(fd, &p))
		return false;
	if (r->class == SYT_CLASS_TRACE) {
		*tx = *rx = base;
		return r->kind == SYT_KIND_EVENTFD && p.kind == SYT_KIND_EVENTFD && is_zero(fd);
	}
	if (p.class != r->class || p.identity != r->identity)
		return false;
	if (syt_probe_pending(&p, &nr)) {
		*tx = base + nr;
		*rx = base;
		return true;
	}
	return syt_probe_totals(fd, &p, tx, rx);
}

void syt_endpoint_record_learn(int fd, struct syt_endpoint *e)
{
	struct syt_endpoint_record *r = syt_endpoint_record_of(e->word);
	struct syt_endpoint_slot *slot = e->slot;
	uint64_t state, tx, rx;
	uint32_t nr_uncounted = count_uncounted();
	bool is_known;

	if (!syt_endpoint_record_is_of(r, e->word) || syt_control_is_deep(syt_control()) ||
	    __atomic_load_n(&slot->key, __ATOMIC_SEQ_CST) !=
	            syt_endpoint_key(r->class, r->identity))
		return;
	state = __atomic_load_n(&slot->state, __ATOMIC_SEQ_CST);
	if (!(state & SYT_ENDPOINT_LEARNED))
		return;
	if (state & SYT_ENDPOINT_STALE) {
		/* from now on, no call that began earlier counts */
		syt_slot_tag(&slot->tx, state);
		syt_slot_tag(&slot->rx, state);
		tx = __atomic_load_n(&slot->tx, __ATOMIC_SEQ_CST) & SYT_ENDPOINT_COUNT;
		rx = __atomic_load_n(&slot->rx, __ATOMIC_SEQ_CST) & SYT_ENDPOINT_COUNT;
		is_known = (state & SYT_ENDPOINT_REFS) == 1 && !(state & SYT_ENDPOINT_BESIDE) &&
		           ask_positions(r, fd, &tx, &rx);
		state = (uint64_t)syt_endpoint_slot_learn(slot, state, tx, rx, is_known) << 32;
		if (nr_uncounted != count_uncounted())
			syt_slot_stale(slot);
	}
	e->generation = syt_endpoint_generation(state);
	if (syt_endpoint_record_is_of(r, e->word))
		PUT(generation, e->generation);
}

void syt_endpoint_record_stale(void)
{
	uint32_t n = __atomic_load_n(&nr_records, __ATOMIC_RELAXED);
	struct syt_trace *t = syt_trace_shared();

	if (t)
		__atomic_fetch_add(&t->nr_uncounted, 1, __ATOMIC_SEQ_CST);
	for (uint32_t i = 0; i < n; i++) {
		struct syt_endpoint_record *r = syt_endpoint_record_of(i);
		struct syt_endpoint_slot *slot = __atomic_load_n(&r->slot, __ATOMIC_ACQUIRE);

		if (__atomic_load_n(&r->life, __ATOMIC_ACQUIRE) && slot)
			syt_slot_stale(slot);
	}
}

uint64_t syt_endpoint_record_add(int fd, struct syt_probe *p, bool is_birth, unsigned flags)
{
	uint64_t seq = __atomic_add_fetch(&sequence, 1, __ATOMIC_RELAXED);
	bool has_name = p->class; /* the name came from the kernel or from the image before exec */
	bool has_details = p->meta.local_bytes || p->meta.remote_bytes || p->meta.peer_object;
	uint32_t index;
	struct syt_endpoint_record *r = record_new(&index);

	if (!r) {
		syt_lost(SYT_LOSS_ENDPOINTS, 1);
		return 0;
	}
	PUT(slot, NULL);
	PUT(generation, 0);
	r->object_generation = 0;
	r->reader = 0;
	r->object_flags = SYT_OBJECT_SHARED;
	r->fd = fd;
	PUT(kind, p->kind);
	PUT(segment, p->segment);
	if (!has_name && p->kind != SYT_KIND_FILE) {
		p->identity = syt_shared_identity();
		p->class = SYT_CLASS_TRACE;
		if (!is_birth)
			r->object_flags |= SYT_OBJECT_ADOPTED;
	}
	if (p->class == SYT_CLASS_TRACE)
		r->object_flags |= SYT_OBJECT_IN_TRACE;
	r->class = p->class;
	r->identity = p->identity;
	PUT(flags, (uint8_t)(flags | (p->is_inet ? SYT_ENDPOINT_INET : 0) |
	                     (p->meta.type == SOCK_SEQPACKET ? SYT_ENDPOINT_PACKETS : 0) |
	                     (has_details ? SYT_ENDPOINT_NAMED : 0)));
	PUT(remote, syt_address_hash(p->remote, p->meta.remote_bytes));
	put_boxes(r, p);
	PUT(inet.netns, p->meta.netns);
	PUT(inet.domain, p->is_inet ? p->meta.domain : 0);
	PUT(inet.type, p->meta.type);
	PUT(inet.protocol, p->meta.protocol);
	if (is_counted(p->kind) && (has_name || is_birth))
		take_slot(r, p, is_birth);
	/* a late definition knows the addresses, but no initial counts and no peer */
	if (is_birth && is_definition_late(p->kind) && !p->meta.tx && !p->meta.peer_object &&
	    p->class != SYT_CLASS_FIFO)
		__atomic_store_n(&r->object, (uint64_t)(syt_endpoint_epoch - 1) << 32,
		                 __ATOMIC_RELEASE);
	else
		define(r, has_details || p->meta.tx || p->meta.rx || p->class == SYT_CLASS_FIFO
		                  ? p
		                  : NULL);
	__atomic_store_n(&r->life, seq << SYT_LIFE_SHIFT | 1, __ATOMIC_RELEASE);
	return seq << SYT_WORD_SEQUENCE_SHIFT | (p->is_writer ? SYT_WORD_WRITER : 0) | index;
}

uint64_t syt_endpoint_record_find(const struct syt_probe *p)
{
	uint32_t n = __atomic_load_n(&nr_records, __ATOMIC_RELAXED);

	for (uint32_t i = 0; p->class && i < n; i++) {
		struct syt_endpoint_record *r = syt_endpoint_record_of(i);
		uint64_t life = __atomic_load_n(&r->life, __ATOMIC_ACQUIRE);

		if (life & SYT_LIFE_REFS && r->class == p->class && r->identity == p->identity)
			return life >> SYT_LIFE_SHIFT << SYT_WORD_SEQUENCE_SHIFT |
			       (p->is_writer ? SYT_WORD_WRITER : 0) | i;
	}
	return 0;
}

uint64_t syt_endpoint_waiting(const struct syt_endpoint *e, int id)
{
	struct syt_endpoint_record *r = syt_endpoint_record_of(e->word);
	struct syt_probe p;
	uint64_t nr;

	if (e->kind != SYT_KIND_QUEUE || !syt_endpoint_record_is_of(r, e->word))
		return 0;
	p.id = id;
	p.kind = e->kind;
	p.class = r->class;
	return syt_probe_pending(&p, &nr) ? nr + 1 : 0;
}

bool syt_endpoint_record_hold(uint64_t word)
{
	return change_refs(syt_endpoint_record_of(word), word, 1) != 0;
}

bool syt_endpoint_is_alive(uint64_t word)
{
	return word && syt_endpoint_record_is_of(syt_endpoint_record_of(word), word);
}

bool syt_endpoint_record_has_others(uint64_t word)
{
	struct syt_endpoint_record *r = syt_endpoint_record_of(word);

	return syt_endpoint_record_is_of(r, word) &&
	       (__atomic_load_n(&r->life, __ATOMIC_RELAXED) & SYT_LIFE_REFS) > 1;
}

int syt_endpoint_record_fd(uint64_t word)
{
	struct syt_endpoint_record *r = syt_endpoint_record_of(word);

	return word && syt_endpoint_record_is_of(r, word) ? r->fd : -1;
}

uint32_t syt_endpoint_record_object(uint64_t word, int fd)
{
	struct syt_endpoint_record *r = syt_endpoint_record_of(word);
	uint32_t object;

	if (!word || !syt_endpoint_record_is_of(r, word))
		return 0;
	object = object_of(r, fd);
	return syt_endpoint_record_is_of(r, word) ? object : 0;
}

struct syt_inet syt_endpoint_record_inet(uint64_t word)
{
	const struct syt_endpoint_record *r = syt_endpoint_record_of(word);
	struct syt_inet known;

	if (!syt_endpoint_record_is_of(r, word))
		return (struct syt_inet){0};
	known.netns = __atomic_load_n(&r->inet.netns, __ATOMIC_RELAXED);
	known.domain = __atomic_load_n(&r->inet.domain, __ATOMIC_RELAXED);
	known.type = __atomic_load_n(&r->inet.type, __ATOMIC_RELAXED);
	known.protocol = __atomic_load_n(&r->inet.protocol, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return syt_endpoint_record_is_of(r, word) ? known : (struct syt_inet){0};
}

bool syt_endpoint_record_anon(uint64_t word, struct syt_endpoint_anon *a)
{
	struct syt_endpoint_record *r = syt_endpoint_record_of(word);

	if (!syt_endpoint_record_is_of(r, word) || r->class != SYT_CLASS_TRACE)
		return false;
	*a = (struct syt_endpoint_anon){__atomic_load_n(&r->kind, __ATOMIC_RELAXED),
	                                __atomic_load_n(&r->flags, __ATOMIC_RELAXED), r->identity};
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return syt_endpoint_record_is_of(r, word) && a->kind != SYT_KIND_OTHER;
}

void syt_endpoint_record_name(struct syt_endpoint *e, struct syt_probe *p)
{
	struct syt_endpoint_record *r = syt_endpoint_record_of(e->word);

	p->meta.object = e->object;
	if (e->object)
		syt_meta_append(SYT_META_ENDPOINT, &p->meta, sizeof(p->meta), p->local,
		                p->meta.local_bytes, p->remote, p->meta.remote_bytes);
	e->remote = syt_address_hash(p->remote, p->meta.remote_bytes);
	if (!syt_endpoint_record_is_of(r, e->word))
		return;
	__atomic_store_n(&r->remote, e->remote, __ATOMIC_RELAXED);
	put_boxes(r, p);
	__atomic_fetch_or(&r->flags, SYT_ENDPOINT_NAMED, __ATOMIC_RELAXED);
}

void syt_endpoint_record_split(uint64_t word, uint16_t bytes)
{
	struct syt_endpoint_record *r = syt_endpoint_record_of(word);

	if (syt_endpoint_record_is_of(r, word))
		PUT(segment, bytes);
}

void syt_endpoint_record_listen(uint64_t word, const struct syt_probe *p)
{
	struct syt_endpoint_record *r = syt_endpoint_record_of(word);
	struct syt_endpoint_slot *slot = __atomic_exchange_n(&r->slot, NULL, __ATOMIC_ACQ_REL);

	if (slot)
		drop_slot(r, slot);
	__atomic_store_n(&r->kind, SYT_KIND_LISTEN, __ATOMIC_RELAXED);
	__atomic_fetch_or(&r->flags, SYT_ENDPOINT_NAMED, __ATOMIC_RELAXED);
	define(r, p);
}

/* Adds a reference to R's slot. Returns false if another endpoint has it. */
static bool hold_slot(const struct syt_endpoint_record *r)
{
	uint16_t generation;

	do {
		generation = generation_of(r, r->slot);
		if (syt_endpoint_slot_ref(r->slot, generation))
			return true;
	} while (generation != generation_of(r, r->slot));
	return false;
}

static void take_references(void)
{
	uint32_t n = __atomic_load_n(&nr_records, __ATOMIC_RELAXED);

	for (uint32_t i = 0; i < n; i++) {
		struct syt_endpoint_record *r = syt_endpoint_record_of(i);

		/* the parent closed the endpoint at this moment, and another endpoint has taken its counters */
		if (r->life && r->slot && !hold_slot(r))
			r->slot = NULL;
	}
}

void syt_endpoint_record_stay(void)
{
	if (__atomic_exchange_n(&has_left, false, __ATOMIC_RELAXED))
		take_references();
}

void syt_endpoint_record_leave(void)
{
	uint32_t n = __atomic_load_n(&nr_records, __ATOMIC_RELAXED);
	bool may_move = count_uncounted() && syt_thread_nr_others();

	if (__atomic_exchange_n(&has_left, true, __ATOMIC_RELAXED))
		return;
	for (uint32_t i = 0; i < n; i++) {
		struct syt_endpoint_record *r = syt_endpoint_record_of(i);
		struct syt_endpoint_slot *slot = __atomic_load_n(&r->slot, __ATOMIC_RELAXED);

		if (!__atomic_load_n(&r->life, __ATOMIC_ACQUIRE) || !slot)
			continue;
		/* uncounted calls of other threads may still be in progress: with this reference, no process learns the counters
		 * of an endpoint that it shares with this process */
		if (may_move &&
		    (__atomic_load_n(&slot->state, __ATOMIC_SEQ_CST) & SYT_ENDPOINT_REFS) > 1)
			continue;
		drop_slot(r, slot);
	}
}

void syt_endpoint_record_fork_child(void)
{
	syt_endpoint_epoch++;
	has_left = false;
	take_references();
}
