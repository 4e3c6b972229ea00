/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Seals a full event buffer (lane): compresses its events into a block in the dump. Because the process may be
 * killed in between, the stores have this order: first the compressed block, then the chunk's `used`, then the
 * reset of the buffer. If the buffer was not reset, readers see its events twice, and detect that by first_seq.
 *
 * Populating a page takes 2 us, or 50 us and more if a hypervisor has to find it first. So that no single event
 * waits for many pages, the pages for the compressed block are populated step by step while the buffer fills.
 */
#include "runtime/ring.h"

#include <lz4.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "format/columns.h"
#include "runtime/arena.h"
#include "runtime/clock.h"
#include "runtime/deadline.h"
#include "runtime/meta.h"

#define CHUNK_MIN (UINT64_C(256) << 10)
/* In a dump with less capacity, chunks have the minimum size for a block that cannot be compressed. */
#define SMALL_CAPACITY (UINT64_C(8) << 20)
#define CHUNK_SMALL (UINT64_C(72) << 10)
_Static_assert(CHUNK_SMALL >= sizeof(struct syt_chunk) + sizeof(struct syt_block) +
                                      LZ4_COMPRESSBOUND(SYT_LANE0_BYTES),
               "a small chunk holds any block");
#define LANEN_CHUNK (UINT64_C(64) << 10)
#define LANEN_CHUNKS 16u
/* A block of fewer bytes, as a thread with a short life makes, is stored without compression, because LZ4
 * would first clear 16 KiB, and without a pair of clock readings. */
#define SMALL_BYTES 512u
#define JUST_NOW_TICKS (UINT64_C(1) << 22)
/* LZ4 looks for a repetition at every byte (1) or at fewer bytes. Encoded events contain nothing that the predictor
 * guessed, so most of their bytes are times, which have few repetitions. */
#define ACCELERATION 16
/* Number of events at the start of a block from which the codes of the next block are made, if so many have times. */
#define SAMPLE_EVENTS 256u
#define SAMPLE_TIMES 64u
#define LANE_STEP 4096u /* bytes of a lane's buffer that are populated at a time */
#define RING_STEP 8192u /* bytes of a chunk of blocks that are populated at a time */
/* Lane 0 begins in the slot's first page, which is enough for a thread that records little. */
#define LANE0_OFFSET 1024u
_Static_assert(sizeof(struct syt_slot) <= LANE0_OFFSET, "the slot's members are not overwritten");
_Static_assert(SYT_EVENT_MAX <= SYT_PAGE_BYTES - LANE0_OFFSET && SYT_EVENT_MAX <= LANE_STEP,
               "a step makes room for an event");
/* Number of bytes in the buffer from which space for the compressed block is populated. */
#define RING_STEPS_FROM(bytes) ((bytes) / 4)

static struct {
	enum syt_mode mode;
	uint64_t chunk_bytes;
	uint32_t max_chunks;
	uint32_t lane0_offset; /* from the start of the slot */
	bool has_ghosts;
} config = {.lane0_offset = LANE0_OFFSET};

void syt_ring_reserve(uint32_t end)
{
	config.lane0_offset = (end + 63) & ~UINT32_C(63);
}

void syt_ring_use_ghosts(void)
{
	config.has_ghosts = true;
}

uint64_t syt_ring_chunk_bytes(void)
{
	return config.chunk_bytes;
}

void syt_ring_configure(enum syt_mode mode, uint64_t ring_bytes, uint64_t capacity)
{
	uint64_t chunk = capacity < SMALL_CAPACITY ? CHUNK_SMALL : CHUNK_MIN;

	/* the first threads must not take all the space of a small dump */
	if (capacity < SMALL_CAPACITY && ring_bytes > capacity / 4)
		ring_bytes = capacity / 4;

	while (chunk * SYT_RING_CHUNKS < ring_bytes && chunk < UINT64_C(1) << 40)
		chunk *= 2;
	uint64_t n = ring_bytes / chunk;

	config.mode = mode;
	config.chunk_bytes = chunk;
	/* with one chunk, all events would be lost when that chunk starts again */
	config.max_chunks = n < 2 ? 2 : n > SYT_RING_CHUNKS ? SYT_RING_CHUNKS : (uint32_t)n;
}

/* Returns the end of the first step of populating L's buffer. Steps end at page boundaries. */
static uint32_t first_step(const struct syt_lane_state *l)
{
	return LANE_STEP - (uint32_t)((uintptr_t)l->buffer % LANE_STEP);
}

/* Writes the table of the codes to the start of L's buffer. */
static void put_table(struct syt_lane_state *l)
{
	l->predictor.common = l->predictor.codes->common;
	l->pos = (uint32_t)(syt_put_common(l->buffer, &l->predictor.common) - l->buffer);
}

static void lane_start(struct syt_lane_state *l, uint64_t first_seq)
{
	uint64_t now = syt_clock_release();
	uint32_t step = first_step(l);

	l->restart_seq = first_seq + 1;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	l->pos = 0;
	l->nr_events = 0;
	l->step_end = l->populated < step ? l->populated : step;
	l->last_ticks = now;
	syt_predictor_init(&l->predictor, now);
	__atomic_store_n(&l->shared->committed, 0, __ATOMIC_RELAXED);
	/* If the process is killed between two stores, old bytes must not appear under a new event number.
	 * Only the compiler could reorder the stores: the stores of a killed thread become visible in
	 * program order. */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	l->shared->block.first_ticks = now;
	l->shared->block.first_seq = first_seq;
	if (l->populated) /* else syt_lane_make_room() writes it */
		put_table(l);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	l->restart_seq = 0;
}

static const struct syt_codes first_codes = SYT_CODES_FIRST;

/* The memory for sealing. Its pages are used from the first full buffer on. */
struct packer {
	struct syt_codes codes; /* of lane 0 */
	uint16_t gaps[256], durs[256];
	LZ4_stream_t lz4_state;
};

size_t syt_slot_packer_bytes(void)
{
	return sizeof(struct packer);
}

/* Puts LANE into the state of a new slot: no event, no chunk. */
static void lane_begin(struct syt_slot_state *slot, unsigned lane, uint32_t populated)
{
	struct syt_lane_state *l = syt_slot_lane(slot, lane);

	l->shared = &slot->shared->lanes[lane];
	l->buffer = (uint8_t *)slot->shared + l->shared->offset;
	l->bytes = l->shared->bytes;
	l->populated = populated;
	l->filled = 0;
	l->predictor.codes = &first_codes;
	l->predictor.is_coded = 1 + config.has_ghosts;
	l->ring = (struct syt_ring){
		.chunk_bytes = lane ? LANEN_CHUNK : config.chunk_bytes,
		.max_chunks = config.mode == SYT_MODE_STREAM ? 0
	                      : lane                         ? LANEN_CHUNKS
	                                                     : config.max_chunks,
		.chunks = slot->rest->chunks[lane],
	};
	lane_start(l, 0);
	/* If a jump leaves this function before this point, the lane is initialized again later. The
	 * operation is atomic, because a signal handler may initialize the next lane. */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_fetch_or(&slot->begun, 1u << lane, __ATOMIC_RELAXED);
}

bool syt_slot_create(struct syt_slot_state *slot, uint32_t number)
{
	uint64_t bytes = SYT_LANE0_BYTES + (SYT_NR_LANES - 1) * SYT_LANEN_BYTES;
	struct syt_chunk *chunk = syt_arena_chunk(SYT_CHUNK_SLOT, number, 0, bytes, SYT_PAGE_BYTES);

	if (!chunk)
		return false;
	slot->number = number;
	slot->shared = (struct syt_slot *)chunk;
	slot->shared->slot = number;

	uint32_t offset = config.lane0_offset;

	for (unsigned i = 0; i < SYT_NR_LANES; i++) {
		struct syt_lane *shared = &slot->shared->lanes[i];

		shared->offset = offset;
		shared->bytes = i ? SYT_LANEN_BYTES : SYT_LANE0_BYTES - config.lane0_offset;
		offset += shared->bytes;
	}
	for (unsigned i = 1; i < SYT_NR_LANES; i++)
		/* the lane was in use in the parent of this forked child */
		if (slot->begun >> i & 1)
			syt_slot_lane(slot, i)->step_end = 0;
	slot->begun = 0;
	lane_begin(slot, 0, SYT_PAGE_BYTES - config.lane0_offset);
	return true;
}

static uint64_t whole_steps(uint64_t bytes)
{
	return (bytes + RING_STEP - 1) / RING_STEP * RING_STEP;
}

static bool ring_populate_to(struct syt_ring *r, uint64_t end)
{
	if (!syt_arena_populate((uint8_t *)r->current + r->backed_bytes, end - r->backed_bytes))
		return false;
	r->backed_bytes = end;
	return true;
}

/* Returns the offset up to which the current chunk must be populated for a block whose events have RAW
 * bytes before compression. */
static uint64_t ring_populate_end(const struct syt_ring *r, uint64_t raw)
{
	uint64_t end = whole_steps(sizeof(*r->current) + r->current->used +
	                           sizeof(struct syt_block) + LZ4_COMPRESSBOUND(raw));

	return end < r->current->bytes ? end : r->current->bytes;
}

/* Populates the current chunk as far as a block whose events have RAW bytes needs it, or to the chunk's end. */
static bool ring_populate(struct syt_ring *r, uint64_t raw)
{
	uint64_t end = ring_populate_end(r, raw);

	return end <= r->backed_bytes || ring_populate_to(r, end);
}

/* Returns true if the next compressed block probably fits into the current chunk. The estimate is wrong if
 * the block is much larger than the last block; then the compression fails for lack of space. */
static bool ring_has_room(const struct syt_ring *r)
{
	return r->current && r->packed_bytes + r->packed_bytes / 8 <=
	                             r->current->bytes - sizeof(*r->current) - r->current->used;
}

/* Returns true if the ring may get a new chunk. The chunks of a ring are reused in turn, the oldest first,
 * so a new chunk may only follow the last chunk. */
static bool ring_may_grow(const struct syt_ring *r)
{
	return !r->max_chunks || (r->nr_chunks < r->max_chunks &&
	                          (!r->nr_chunks || r->current_idx + 1 == r->nr_chunks));
}

/* Makes a new chunk current, if one is permitted and there is space for it. */
static bool ring_grow(struct syt_slot_state *slot, struct syt_ring *r)
{
	struct syt_chunk *c = NULL;

	if (ring_may_grow(r))
		c = syt_arena_chunk(SYT_CHUNK_BLOCKS, slot->number, 0, r->chunk_bytes, RING_STEP);
	if (!c)
		return false;
	c->generation = 1;
	if (r->max_chunks)
		r->chunks[r->nr_chunks++] = c;
	r->current_idx = r->nr_chunks - 1;
	r->backed_bytes = RING_STEP;
	r->current = c;
	return true;
}

/* Makes the ring's next chunk current: a new chunk, or the chunk with the oldest events, which are
 * overwritten. */
static bool ring_advance(struct syt_slot_state *slot, struct syt_ring *r)
{
	bool may_grow = ring_may_grow(r);
	struct syt_chunk *c;

	if (ring_grow(slot, r))
		return true;
	if (!r->max_chunks || !r->nr_chunks)
		return false;
	/* the file is full, so the ring keeps its chunks; after a trim for an exec the file may grow */
	if (may_grow && !syt_arena_is_trimmed())
		r->max_chunks = r->nr_chunks;
	r->current_idx = (r->current_idx + 1) % r->nr_chunks;
	c = r->chunks[r->current_idx];
	r->backed_bytes = whole_steps(sizeof(*c) + c->used);
	slot->shared->overwritten += c->nr_events;
	__atomic_store_n(&c->used, 0, __ATOMIC_RELEASE);
	c->nr_events = 0;
	c->generation++;
	r->current = c;
	return true;
}

/* Called when the events in L's buffer reach the end of a populated step: populates one more step of space
 * for the compressed block. If populating fails, sealing handles the failure. */
static void ring_step(struct syt_slot_state *slot, struct syt_lane_state *l)
{
	struct syt_ring *r = &l->ring;

	if (l->step_end < RING_STEPS_FROM(l->bytes))
		return;
	if (!ring_has_room(r)) {
		/* only once for each block: a failed attempt to make space is not repeated */
		if (l->step_end - LANE_STEP < RING_STEPS_FROM(l->bytes))
			ring_grow(slot, r);
	} else if (r->backed_bytes < ring_populate_end(r, l->bytes)) {
		ring_populate_to(r, r->backed_bytes + RING_STEP);
	}
}

/* Does LZ4_compress_default(), which would take 16 KiB of the program's stack. Returns 0 if ROOM is too small. */
static uint32_t compress(struct packer *p, const uint8_t *from, uint32_t bytes, uint8_t *to, uint64_t room)
{
	int n = LZ4_compress_fast_extState(&p->lz4_state, (const char *)from, (char *)to,
	                                   (int)bytes, room > INT32_MAX ? INT32_MAX : (int)room,
	                                   ACCELERATION);

	return n > 0 ? (uint32_t)n : 0;
}

/* Makes the codes of the next block from the times of the first events in L's buffer. Returns true if these events consist
 * mostly of coded times, in which LZ4 finds few repetitions. The program may write to the buffer meanwhile. */
static bool choose_codes(struct syt_lane_state *l, struct packer *packer)
{
	struct syt_cursor c = {l->buffer, l->buffer + l->pos, 0};
	struct syt_common *common = &packer->codes.common, old;
	uint64_t coded_bytes = 0;
	unsigned nr_coded = 0;

	memset(packer->gaps, 0, sizeof(packer->gaps));
	memset(packer->durs, 0, sizeof(packer->durs));
	syt_get_common(&c, &old);

	const uint8_t *first = c.p, *last = c.p;

	for (unsigned n = 0; n < SAMPLE_EVENTS && c.p && c.p < c.end; n++) {
		struct syt_times t = {0};

		last = c.p;
		if (syt_get_times(&old, &c, &t) || c.failed)
			break;
		if (t.has_gap) {
			nr_coded++;
			coded_bytes += (uint64_t)(c.p - last);
			if (t.time >> 16 == 0)
				packer->gaps[t.time >> 8]++;
			if (t.dur >> 16 == 0)
				packer->durs[t.dur >> 8]++;
		}
		if (t.nr_listed) {
			syt_skip_list(&c, &t);
		} else if (t.flags && !t.is_guessed) {
			c.p = syt_columns_skip_head(c.p, c.end, t.flags);
			c.p = c.p ? syt_columns_skip_tail(c.p, c.end, t.flags) : NULL;
		}
	}
	if (nr_coded >= SAMPLE_TIMES) {
		/* a jump may leave this function at any point */
		l->predictor.codes = &first_codes;
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		syt_codes_choose(common->gaps, SYT_NR_COMMON_GAPS, packer->gaps);
		syt_codes_choose(common->durs, SYT_NR_COMMON_DURS, packer->durs);
		syt_codes_make(&packer->codes);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		l->predictor.codes = &packer->codes;
	}
	return coded_bytes * 2 > (uint64_t)(last - first);
}

/* Compresses LANE's events to TO, where ROOM bytes are free. Returns the number of compressed bytes, or 0
 * if ROOM is too small. */
static uint32_t pack(struct syt_slot_state *slot, unsigned lane, uint8_t *to, uint64_t room,
                     struct syt_block *b)
{
	struct syt_lane_state *l = syt_slot_lane(slot, lane);
	uint32_t n;

	/* events of nested signal handlers are not compressed: the handlers could interrupt each other in
	 * LZ4 */
	if (lane == 0 && slot->packer && l->pos >= SMALL_BYTES && !choose_codes(l, slot->packer)) {
		b->codec = SYT_CODEC_LZ4;
		n = compress(slot->packer, l->buffer, l->pos, to, room);
		if (n && n < l->pos)
			return n;
	}
	b->codec = SYT_CODEC_RAW;
	if (room < l->pos)
		return 0;
	memcpy(to, l->buffer, l->pos);
	return l->pos;
}

/* Returns a pair of clock readings for a block of BYTES, or zeros if the block is too small for one. */
static struct syt_clock_pair seal_clocks(uint32_t bytes)
{
	uint64_t latest = syt_arena_file()->latest.ticks;

	if (bytes < SMALL_BYTES && latest && syt_clock_release() - latest < JUST_NOW_TICKS)
		return (struct syt_clock_pair){0, 0, 0};
	return syt_clock_pair();
}

static bool seal(struct syt_slot_state *slot, unsigned lane)
{
	struct syt_lane_state *l = syt_slot_lane(slot, lane);
	struct syt_ring *r = &l->ring;
	struct syt_block b = l->shared->block;

	for (int tries = 0; tries < 2; tries++) {
		if (!tries && !ring_has_room(r))
			ring_advance(slot, r);
		if (!r->current)
			return false;

		uint64_t used = r->current->used;
		uint64_t room = r->current->bytes - sizeof(struct syt_chunk) - used;
		uint8_t *to = (uint8_t *)(r->current + 1) + used;

		b.packed_bytes = 0;
		if (room > sizeof(b) && ring_populate(r, l->pos))
			b.packed_bytes =
				pack(slot, lane, to + sizeof(b), room - sizeof(b), &b);
		if (!b.packed_bytes) {
			if (!ring_advance(slot, r))
				return false;
			continue;
		}
		b.magic = SYT_BLOCK_MAGIC;
		b.raw_bytes = l->pos;
		b.nr_events = l->nr_events;
		b.last_ticks = l->last_ticks > l->predictor.end ? l->last_ticks : l->predictor.end;
		b.cal = seal_clocks(l->pos);
		b.payload_checksum = XXH32(to + sizeof(b), b.packed_bytes, 0);
		b.checksum = XXH32(&b, offsetof(struct syt_block, checksum), 0);
		memcpy(to, &b, sizeof(b));
		r->packed_bytes = (uint32_t)((sizeof(b) + b.packed_bytes + 7) & ~UINT64_C(7));
		r->current->nr_events += b.nr_events;
		__atomic_store_n(&r->current->used, used + r->packed_bytes, __ATOMIC_RELEASE);
		slot->shared->sealed += b.nr_events;

		struct syt_file *file = syt_arena_file();

		if (b.cal.ticks) {
			file->latest = b.cal;
			syt_deadline_check(&b.cal);
		}
		__atomic_fetch_add(&file->nr_seals, 1, __ATOMIC_RELAXED);
		return true;
	}
	return false;
}

/* Compresses LANE's events into a block, or drops them if the dump has no space. The caller resets the lane. */
static void lane_end(struct syt_slot_state *slot, unsigned lane)
{
	struct syt_lane_state *l = syt_slot_lane(slot, lane);

	if (l->nr_events && !seal(slot, lane)) {
		slot->shared->dropped += l->nr_events;
		syt_lost(SYT_LOSS_NO_SPACE, l->nr_events);
	}
}

static void lane_seal_and_restart(struct syt_slot_state *slot, unsigned lane)
{
	struct syt_lane_state *l = syt_slot_lane(slot, lane);
	uint64_t next_seq = l->shared->block.first_seq + l->nr_events;

	lane_end(slot, lane);
	lane_start(l, next_seq);
}

/* Resets the lane, because its encoding state (predictor) may include an event that was never committed. */
void syt_lane_recover(struct syt_slot_state *slot, unsigned lane)
{
	struct syt_lane_state *l = syt_slot_lane(slot, lane);
	uint64_t committed;

	if (!(slot->begun >> lane & 1))
		return;
	committed = l->shared->committed;
	if (l->restart_seq) {
		lane_start(l, l->restart_seq - 1);
		return;
	}
	l->nr_events = (uint32_t)(committed >> 32);
	l->pos = (uint32_t)committed;
	lane_seal_and_restart(slot, lane);
}

void syt_slot_assign(struct syt_slot_state *slot, uint32_t thread, uint32_t tid)
{
	for (unsigned i = 0; i < SYT_NR_LANES; i++) {
		struct syt_lane_state *l = syt_slot_lane(slot, i);
		struct syt_block *block = &slot->shared->lanes[i].block;

		if (slot->begun >> i & 1) {
			lane_end(slot, i);
			lane_start(l, 0);
		}
		block->version =
			config.has_ghosts ? SYT_EVENT_VERSION_GHOSTS : SYT_EVENT_VERSION_CODED;
		block->lane = (uint8_t)i;
		block->thread = thread;
	}
	/* the note of the last owner's wait must not become a wait of THREAD */
	slot->shared->waiting.since = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	slot->shared->waiting.thread = thread;
	slot->shared->skipped = 0;
	slot->shared->thread = thread;
	slot->shared->tid = tid;
}

uint8_t *syt_lane_make_room(struct syt_slot_state *slot, unsigned lane)
{
	struct syt_lane_state *l = syt_slot_lane(slot, lane);

	if (!(slot->begun >> lane & 1))
		lane_begin(slot, lane, 0);
	if (l->step_end < l->bytes) {
		if (l->populated > l->step_end ||
		    syt_arena_populate(l->buffer + l->populated, LANE_STEP)) {
			if (l->populated == l->step_end)
				l->populated += LANE_STEP;
			if (!l->pos)
				put_table(l);
			ring_step(slot, l);
			l->step_end += LANE_STEP;
			return l->buffer + l->pos;
		}
		if (!l->populated) {
			syt_lost(SYT_LOSS_NO_SPACE, 1);
			slot->shared->dropped++;
			return NULL;
		}
	}
	lane_seal_and_restart(slot, lane);
	return l->buffer + l->pos;
}
