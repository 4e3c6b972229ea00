/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Slots of the trace's shared file: the byte counters of endpoints that several processes may hold.
 *
 * Open addressing inside one page of slots, which the key chooses. Endpoints born one after the other lie
 * on one page but not on one cache line. A slot with 0 refs keeps its key and counters until another key
 * needs the slot. Lock-free. A wait for another process that fills in the same key is bounded, and ends
 * in an endpoint without counters. Inside of runtime/ only; any thread, signal handlers included.
 */
#ifndef SYT_RUNTIME_ENDPOINT_SLOT_H
#define SYT_RUNTIME_ENDPOINT_SLOT_H

#include <stdbool.h>
#include <stdint.h>

#include "format/format.h"

/* The source of an identity. */
enum syt_endpoint_class {
	SYT_CLASS_SOCKET = 1, /* cookie: never reused in one boot */
	SYT_CLASS_PIPE = 2,   /* inode of pipefs */
	SYT_CLASS_FIFO = 3,   /* hash of device, inode and birth time; also for POSIX queues */
	SYT_CLASS_TRACE = 4,  /* syt_shared_identity */
	SYT_CLASS_SYSV = 5,   /* hash of the namespace and the id of a System V message queue */
};

static inline uint64_t syt_endpoint_key(enum syt_endpoint_class class, uint64_t identity)
{
	return identity << 3 | class;
}

/*
 * Takes a reference to the slot of KEY. If there is none, makes it with TX and RX as its counters
 * and FLAGS (SYT_ENDPOINT_*) in its state. IS_BIRTH: the endpoint that had KEY before is gone. Sets
 * *STATE to the slot's state. Returns NULL if there is no free slot or no shared file.
 */
struct syt_endpoint_slot *syt_endpoint_slot_take(uint64_t key, bool is_birth, uint64_t tx,
                                                 uint64_t rx, uint64_t flags, uint64_t *state);

/* Adds or drops a reference of the owner GENERATION. ref returns false for another owner. */
bool syt_endpoint_slot_ref(struct syt_endpoint_slot *slot, uint16_t generation);
void syt_endpoint_slot_drop(struct syt_endpoint_slot *slot, uint16_t generation);

/* Marks the counters as unknown from now on, for every process. */
void syt_endpoint_slot_set_unknown(struct syt_endpoint_slot *slot, uint16_t generation);

/* Returns true if the owner GENERATION is the only one left and the counters are complete. */
bool syt_endpoint_slot_is_complete(const struct syt_endpoint_slot *slot, uint16_t generation);

/* Records that the counters do not include urgent bytes. */
void syt_endpoint_slot_urgent(struct syt_endpoint_slot *slot, uint16_t generation);

/* Adds NR to *COUNTER, tx or rx of SLOT, and returns its old value. *KNOWN: the counter is known. */
uint64_t syt_endpoint_slot_count(struct syt_endpoint_slot *slot, uint64_t *counter,
                                 uint16_t generation, uint64_t nr, bool *known);

static inline uint16_t syt_endpoint_generation(uint64_t state)
{
	return (uint16_t)(state >> 32);
}

#endif
