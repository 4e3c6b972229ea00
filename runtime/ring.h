/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A slot is the memory into which one thread at a time records. A lane is a buffer of events in the slot:
 * lane 0 is for the thread, and the other lanes are for nested signal handlers. A full lane is sealed: its
 * events are compressed into a block in the lane's ring, which consists of chunks of the dump file.
 *
 * A thread reserves space for an event, encodes the event and commits it. frame.c chooses the lane.
 */
#ifndef SYT_RUNTIME_RING_H
#define SYT_RUNTIME_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/event.h"
#include "format/format.h"

#define SYT_RING_CHUNKS 256u

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "pos and nr_events make up `filled`");

/* The ring with the compressed blocks of one event buffer (lane). It consists of chunks of the dump file,
 * in order of first use, which are reused in turn. */
struct syt_ring {
	struct syt_chunk *current;
	uint64_t chunk_bytes;
	uint32_t nr_chunks, max_chunks; /* max_chunks 0: chunks are never reused (stream mode) */
	uint32_t current_idx;
	uint32_t packed_bytes;     /* bytes of the last compressed block, with its header */
	uint64_t backed_bytes;     /* populated bytes of the current chunk */
	struct syt_chunk **chunks; /* array with space for SYT_RING_CHUNKS pointers */
};

/* The event buffer of a lane, whose events are not compressed yet. */
struct syt_lane_state {
	struct syt_predictor predictor;
	uint8_t *buffer;
	union {
		uint64_t filled; /* pos and nr_events as in struct syt_lane, in one word */
		struct {
			uint32_t pos, nr_events;
		};
	};
	uint32_t step_end;         /* position in the buffer up to which no preparation is needed */
	uint32_t populated, bytes; /* bytes of the buffer */
	/* the greatest end of an event in the buffer, unless the predictor has a greater one */
	uint64_t last_ticks;
	/* while the lane is reset: number of its next first event, plus one; else 0 */
	uint64_t restart_seq;
	struct syt_lane *shared; /* the part of the lane that is in the dump */
	struct syt_ring ring;
};

struct syt_slot_state {
	struct syt_lane_state lane0;
	uint32_t number;
	uint32_t state;          /* enum slot_state in thread.c */
	uint32_t begun;          /* bit N: lane N has a buffer */
	struct syt_slot *shared; /* the part of the slot that is in the dump */
	/* syt_slot_packer_bytes() of memory, or NULL: events are stored uncompressed */
	void *packer;
	struct syt_slot_rest *rest;
};

/* Members of a slot that most threads never use, so that their pages are never allocated. */
struct syt_slot_rest {
	struct syt_lane_state nested[SYT_NR_LANES - 1];
	struct syt_chunk *chunks[SYT_NR_LANES][SYT_RING_CHUNKS];
};

/* Returns the state of the event buffer LANE. The buffer of a nested signal handler (lane > 0) is allocated
 * at its first event. */
static inline struct syt_lane_state *syt_slot_lane(struct syt_slot_state *slot, unsigned lane)
{
	return __builtin_expect(!lane, 1) ? &slot->lane0 : &slot->rest->nested[lane - 1];
}

size_t syt_slot_packer_bytes(void);

/* Makes a new slot in the dump. Returns false if there is no free space. Keeps SLOT's members packer and
 * rest, and replaces all others. */
bool syt_slot_create(struct syt_slot_state *slot, uint32_t number);

/* Gives the slot to THREAD: compresses the events of the last owner into blocks, and empties the lanes. */
void syt_slot_assign(struct syt_slot_state *slot, uint32_t thread, uint32_t tid);

/* Returns the address of space for one event in LANE, or NULL if the event was dropped (counted). */
uint8_t *syt_lane_make_room(struct syt_slot_state *slot, unsigned lane);

/* Returns true if one event fits at l->pos in l->buffer without populating more pages. */
static inline bool syt_lane_has_room(const struct syt_lane_state *l)
{
	return l->pos + SYT_EVENT_MAX <= l->step_end;
}

/* Returns the address of space for one event in LANE, or NULL if the event was dropped (counted). */
static inline uint8_t *syt_lane_reserve(struct syt_slot_state *slot, unsigned lane)
{
	const struct syt_lane_state *l = syt_slot_lane(slot, lane);

	if (__builtin_expect(syt_lane_has_room(l), 1))
		return l->buffer + l->pos;
	return syt_lane_make_room(slot, lane);
}

/* Resets LANE after a jump out of the recorder at any point. Committed events stay. */
void syt_lane_recover(struct syt_slot_state *slot, unsigned lane);

/* Call it before an event with STAMP is encoded. The predictor has the end of the event before, which is
 * the greatest time unless a signal handler recorded in between. */
static inline void syt_lane_note_stamp(struct syt_lane_state *l, uint64_t stamp)
{
	if (__builtin_expect(stamp < l->predictor.end && l->last_ticks < l->predictor.end, 0))
		l->last_ticks = l->predictor.end;
}

/* Commits an event whose encoding of BYTES is complete. */
static inline void syt_lane_commit(struct syt_lane_state *l, uint64_t bytes)
{
	l->filled += (UINT64_C(1) << 32) + bytes;
	__atomic_store_n(&l->shared->committed, l->filled, __ATOMIC_RELEASE);
}

/* Encodes E at P, the result of syt_lane_reserve(), and commits the event. IS_RELEASE: as in syt_event_encode(). */
static inline void syt_lane_put(struct syt_lane_state *l, uint8_t *p, const struct syt_event *e,
                                bool is_release)
{
	syt_lane_note_stamp(l, e->stamp);
	syt_lane_commit(l, (uint64_t)(syt_event_encode(&l->predictor, p, e, is_release) - p));
}

/* Sets the number and size of the chunks that each ring may have in a dump of CAPACITY bytes. Call it
 * before the first slot is made. */
void syt_ring_configure(enum syt_mode mode, uint64_t ring_bytes, uint64_t capacity);

/* Reserves the first END bytes of a slot, at most a page, for its members. Call it before the first slot is made. */
void syt_ring_reserve(uint32_t end);
/* Makes blocks of SYT_EVENT_VERSION_GHOSTS. Call it before the first slot is made. */
void syt_ring_use_ghosts(void);

/* Returns the size of the chunks of the dump file that a thread's compressed blocks use. */
uint64_t syt_ring_chunk_bytes(void);

#endif
