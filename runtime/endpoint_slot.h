/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Slots of the trace's shared file: the byte counters of endpoints that several processes may hold.
 *
 * The key of an endpoint chooses a page of slots, and open addressing finds its slot in the page. Endpoints
 * that are created one after the other lie on one page but not on one cache line. A slot without references
 * keeps its key and counters until another key needs the slot. The table is lock-free. A wait for another
 * process that claims a slot for the same key is bounded; if it ends early, the endpoint has no counters.
 * Only runtime/ uses these functions, in any thread and in signal handlers.
 */
#ifndef SYT_RUNTIME_ENDPOINT_SLOT_H
#define SYT_RUNTIME_ENDPOINT_SLOT_H

#include <stdbool.h>
#include <stdint.h>

#include "format/format.h"
#include "runtime/endpoint.h"

/* The source of an endpoint's identity. */
enum syt_endpoint_class {
	SYT_CLASS_SOCKET = 1, /* socket cookie, which is never reused until the next boot */
	SYT_CLASS_PIPE = 2,   /* inode number in pipefs */
	SYT_CLASS_FIFO = 3,   /* hash of device, inode and birth time; also for POSIX queues */
	SYT_CLASS_TRACE = 4,  /* syt_shared_identity */
	SYT_CLASS_SYSV =
		SYT_ENDPOINT_SYSV, /* hash of the namespace and the id of a System V message queue */
};

static inline uint64_t syt_endpoint_key(enum syt_endpoint_class class, uint64_t identity)
{
	return identity << 3 | class;
}

/* Adds a reference to the slot of KEY. If KEY has no slot, makes a slot with TX and RX as its counters and
 * FLAGS (SYT_ENDPOINT_*) in its state. IS_BIRTH: the endpoint is new, so an earlier endpoint with KEY is gone.
 * Sets *STATE to the slot's state. Returns NULL if there is no free slot or no shared file. */
struct syt_endpoint_slot *syt_endpoint_slot_take(uint64_t key, bool is_birth, uint64_t tx,
                                                 uint64_t rx, uint64_t flags, uint64_t *state);

/* Add or drop a reference to SLOT if its owner is still GENERATION. Return false if the slot has another owner. */
bool syt_endpoint_slot_ref(struct syt_endpoint_slot *slot, uint16_t generation);
bool syt_endpoint_slot_drop(struct syt_endpoint_slot *slot, uint16_t generation);

/* Marks the byte counters of SLOT as unknown from now on, for every process. */
void syt_endpoint_slot_set_unknown(struct syt_endpoint_slot *slot, uint16_t generation);

/* Returns true if SLOT still belongs to GENERATION, has only one reference left, and its byte counters are
 * complete. */
bool syt_endpoint_slot_is_complete(const struct syt_endpoint_slot *slot, uint16_t generation);

/* Makes the counters TX and RX of SLOT, which was stale with STATE, valid from now on, or with IS_KNOWN false unknown until the
 * slot is stale again. Only calls that begin later may count. Returns the new generation; STATE may be obsolete. */
uint16_t syt_endpoint_slot_learn(struct syt_endpoint_slot *slot, uint64_t state, uint64_t tx,
                                 uint64_t rx, bool is_known);

/* Returns the flags of an event whose call began with GENERATION of SLOT (or NULL) and could not count its data. If the
 * counters were learned during the call, nobody knows whether they contain its data: they are unknown from now on. */
uint64_t syt_endpoint_slot_no_offset(struct syt_endpoint_slot *slot, uint16_t generation);

/* Records that the byte counters of SLOT do not include urgent (out-of-band) bytes. */
void syt_endpoint_slot_urgent(struct syt_endpoint_slot *slot, uint16_t generation);

/* Does syt_endpoint_slot_count() if the counter is not complete. */
uint64_t syt_endpoint_slot_count_rare(struct syt_endpoint_slot *slot, uint16_t generation,
                                      uint64_t was, uint64_t nr);

/* Adds NR to *COUNTER, tx or rx of SLOT, and returns its old value. Stores in *KNOWN whether the counter is
 * complete. NR is below 2^63. */
static inline uint64_t syt_endpoint_slot_count(struct syt_endpoint_slot *slot, uint64_t *counter,
                                               uint16_t generation, uint64_t nr, bool *known)
{
	uint64_t was = __atomic_load_n(counter, __ATOMIC_RELAXED),
		 first = (uint64_t)generation << 48;

	do {
		/* neither value may be of another generation */
		if (__builtin_expect(((was ^ first) | ((was + nr) ^ first)) > SYT_ENDPOINT_COUNT ||
		                             __atomic_load_n(&slot->state, __ATOMIC_RELAXED) &
		                                     SYT_ENDPOINT_UNKNOWN,
		                     0)) {
			*known = false;
			return syt_endpoint_slot_count_rare(slot, generation, was, nr);
		}
	} while (nr &&
	         __builtin_expect(!__atomic_compare_exchange_n(counter, &was, was + nr, true,
	                                                       __ATOMIC_ACQ_REL, __ATOMIC_RELAXED),
	                          0));
	*known = true;
	return was ^ first;
}

/* Counts NR bytes (or messages, or units) that were sent into E (IS_OUT) or received from it. Returns the offset of the
 * first one in the stream, and stores in *KNOWN whether the offsets of this endpoint are known. */
static inline uint64_t syt_endpoint_count(const struct syt_endpoint *e, bool is_out, uint64_t nr,
                                          bool *known)
{
	struct syt_endpoint_slot *slot = e->slot;
	uint64_t *counter;

	*known = false;
	if (!slot)
		return 0;
	counter = is_out ? &slot->tx : &slot->rx;
	/* an eventfd may take any number */
	if (__builtin_expect(nr > SYT_ENDPOINT_COUNT, 0))
		return syt_endpoint_slot_count_rare(slot, syt_facts_generation(e->facts),
		                                    __atomic_load_n(counter, __ATOMIC_RELAXED), nr);
	return syt_endpoint_slot_count(slot, counter, syt_facts_generation(e->facts), nr, known);
}

/* Does syt_endpoint_slot_no_offset() for the endpoint E of a call. */
static inline uint64_t syt_endpoint_no_offset(const struct syt_endpoint *e)
{
	return syt_endpoint_slot_no_offset(e->slot, syt_facts_generation(e->facts));
}

static inline uint16_t syt_endpoint_generation(uint64_t state)
{
	return (uint16_t)(state >> 32);
}

#endif
