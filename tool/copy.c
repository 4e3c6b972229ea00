/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Copies a dump while its process continues to write to it. A dump consists of chunks. A slot is the chunk into
 * which one thread writes. The slot contains a buffer (lane) for the thread and for each nested signal handler. A
 * full lane becomes a compressed block in the ring of the slot, and new blocks overwrite the oldest blocks. This
 * file copies in this order:
 *
 *  1. Lanes. The number of the first event is read before and after each lane. So each event is in the copied lane,
 *     in a block that is read later, or in both. Readers of the trace find duplicates by the numbers of events.
 *  2. Blocks, for each ring the newest chunk first. If the recorder reused a chunk during the read, it has also
 *     overwritten all older chunks. So the copied events have no gap.
 *  3. Definitions, because the recorder writes the definitions of an event before the event.
 *
 * A copy of a window omits the blocks whose events are all older than the window. It looks like the copy of a ring that
 * has overwritten them.
 *
 * The copied counters of a slot describe a ring that contained only the copied events. This file reads the dump and
 * does not map it, because a process truncates its dump at its end.
 */
#define _GNU_SOURCE
#include "tool/copy.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "format/format.h"

#define NR_TRIES 1000u
#define NR_OWNERS 64u /* maximum number of threads for each slot whose first_seq is remembered */

struct slot {
	uint64_t at;
	struct syt_slot page;
	uint64_t nr_sealed; /* number of events in copied blocks */
	unsigned nr_owners;
	struct owner {
		uint32_t thread;
		uint8_t lane;
		uint64_t first_seq; /* the lowest number of the thread's copied events */
	} owners[NR_OWNERS];
};

struct blocks {
	uint64_t at;
	struct syt_chunk header;
	uint8_t lane;
	/* time stamp of the first compressed block; 0: the chunk has no block */
	uint64_t first_ticks;
};

struct copy {
	int from, to;
	bool has_failed;
	/* the copy omits blocks whose events are all before this time, in ticks of the dump */
	uint64_t since;
	uint64_t bytes; /* size of the dump in bytes */
	uint64_t end;   /* file offset of the end of the last chunk */
	struct slot *slots;
	size_t nr_slots;
	struct blocks *blocks;
	size_t nr_blocks;
};

static bool get(const struct copy *c, void *to, size_t bytes, uint64_t at)
{
	return pread(c->from, to, bytes, (off_t)at) == (ssize_t)bytes;
}

static void put(struct copy *c, const void *bytes, size_t nr, uint64_t at)
{
	const char *p = bytes;

	while (nr && !c->has_failed) {
		ssize_t n = pwrite(c->to, p, nr, (off_t)at);

		c->has_failed = n <= 0;
		p += n;
		at += (uint64_t)n;
		nr -= (size_t)n;
	}
}

/* Reads the header of the chunk at file offset AT. Returns false if the dump has no valid chunk at AT yet. */
static bool get_chunk(const struct copy *c, struct syt_chunk *chunk, uint64_t at)
{
	return get(c, chunk, sizeof(*chunk), at) && chunk->magic == SYT_CHUNK_MAGIC &&
	       chunk->bytes >= SYT_PAGE_BYTES && !(chunk->bytes % SYT_PAGE_BYTES) &&
	       chunk->bytes <= c->bytes - at;
}

/* ---- lanes ---- */

static struct slot *find_slot(struct copy *c, uint32_t number)
{
	for (size_t n = 0; n < c->nr_slots; n++)
		if (c->slots[n].page.slot == number)
			return &c->slots[n];
	return NULL;
}

/* Stores the smallest FIRST_SEQ, the number of a copied event, of each THREAD and LANE. */
static void meet(struct slot *s, uint32_t thread, uint8_t lane, uint64_t first_seq)
{
	struct owner *o = s->owners;

	while (o < s->owners + s->nr_owners && (o->thread != thread || o->lane != lane))
		o++;
	if (o == s->owners + s->nr_owners) {
		if (s->nr_owners == NR_OWNERS)
			return;
		*o = (struct owner){thread, lane, first_seq};
		s->nr_owners++;
	} else if (first_seq < o->first_seq) {
		o->first_seq = first_seq;
	}
}

/* Copies the event buffer (lane) N of the slot S. Returns false if the recorder emptied and refilled the
 * buffer during each try. */
static bool copy_lane(struct copy *c, struct slot *s, unsigned n)
{
	uint64_t at = s->at + offsetof(struct syt_slot, lanes) + n * sizeof(struct syt_lane);
	struct syt_lane *lane = &s->page.lanes[n], after;
	uint8_t *buffer = syt_alloc(SYT_LANE0_BYTES, 1);
	bool is_whole = false;

	for (unsigned tries = 0; tries < NR_TRIES && !is_whole; tries++) {
		uint32_t bytes;

		if (!get(c, lane, sizeof(*lane), at))
			break;
		bytes = (uint32_t)lane->committed;
		if (bytes > SYT_LANE0_BYTES || !get(c, buffer, bytes, s->at + lane->offset) ||
		    !get(c, &after, sizeof(after), at))
			break;
		is_whole = after.block.first_seq == lane->block.first_seq &&
		           after.block.first_ticks == lane->block.first_ticks &&
		           after.block.thread == lane->block.thread &&
		           after.committed >= lane->committed;
		if (is_whole)
			put(c, buffer, bytes, s->at + lane->offset);
	}
	if (!is_whole)
		lane->committed = 0;
	if (lane->committed || lane->block.first_seq)
		meet(s, lane->block.thread, (uint8_t)n, lane->block.first_seq);
	free(buffer);
	return is_whole;
}

/* Reads the notes of calls in progress until two readings are equal, because the recorder may replace a note meanwhile. A
 * mixture of two notes has the position of another stream. */
static bool get_notes(const struct copy *c, struct slot *s)
{
	struct syt_in_flight *notes = s->page.in_flight, before[SYT_NR_IN_FLIGHT];
	bool is_whole = false;

	for (unsigned tries = 0; tries < NR_TRIES && !is_whole; tries++) {
		memcpy(before, notes, sizeof(before));
		if (!get(c, notes, sizeof(before), s->at + offsetof(struct syt_slot, in_flight)))
			return false;
		is_whole = !memcmp(before, notes, sizeof(before));
	}
	return true;
}

static void copy_slot(struct copy *c, uint64_t at)
{
	struct slot *s;

	c->slots = syt_realloc(c->slots, c->nr_slots + 1, sizeof(*c->slots));
	s = &c->slots[c->nr_slots];
	memset(s, 0, sizeof(*s));
	s->at = at;
	if (!get(c, &s->page, sizeof(s->page), at) || !get_notes(c, s))
		return;
	c->nr_slots++;
	for (unsigned n = 0; n < SYT_NR_LANES; n++)
		copy_lane(c, s, n);
}

/* ---- blocks ---- */

static void find_blocks(struct copy *c, uint64_t at, const struct syt_chunk *chunk)
{
	struct syt_chunk after;
	struct syt_block first;
	struct blocks *b;

	c->blocks = syt_realloc(c->blocks, c->nr_blocks + 1, sizeof(*c->blocks));
	b = &c->blocks[c->nr_blocks++];
	*b = (struct blocks){.at = at, .header = *chunk};
	if (chunk->used < sizeof(first) || !get(c, &first, sizeof(first), at + sizeof(*chunk)) ||
	    !get_chunk(c, &after, at) || after.generation != chunk->generation)
		/* the recorder reused the chunk: its events are newer than the copied lanes */
		return;
	b->lane = first.lane;
	b->first_ticks = first.first_ticks;
}

/* Compares chunks of compressed blocks for sorting by ring; in each ring, the newest chunk is the first. */
static int by_ring(const void *a_, const void *b_)
{
	const struct blocks *a = a_, *b = b_;

	if (a->header.owner != b->header.owner)
		return a->header.owner < b->header.owner ? -1 : 1;
	if (a->lane != b->lane)
		return a->lane < b->lane ? -1 : 1;
	return a->first_ticks > b->first_ticks ? -1 : a->first_ticks < b->first_ticks;
}

/* Copies the compressed blocks of events in the chunk B, from the first one of the window on. Returns false if the
 * recorder reused the chunk during the copy, or if the chunk is damaged. */
static bool copy_blocks(struct copy *c, struct blocks *b, struct slot *s)
{
	uint64_t used = b->header.used, nr_events = 0, at = 0, from = 0;
	struct syt_chunk after;
	uint8_t *payload;

	if (!b->first_ticks || !s || used > b->header.bytes - sizeof(b->header))
		return false;
	/* the size from the dump may be wrong, so the block is on the heap */
	payload = malloc(used);
	if (!payload || !get(c, payload, used, b->at + sizeof(b->header)) ||
	    !get_chunk(c, &after, b->at) || after.generation != b->header.generation) {
		free(payload);
		return false;
	}
	while (used - at >= sizeof(struct syt_block)) {
		struct syt_block block;

		memcpy(&block, payload + at, sizeof(block));
		if (block.magic != SYT_BLOCK_MAGIC ||
		    block.packed_bytes > used - at - sizeof(block))
			break;
		at += (sizeof(block) + block.packed_bytes + 7) & ~UINT64_C(7);
		if (block.last_ticks < c->since) {
			/* the blocks of a thread are in the order of time */
			from = at < used ? at : used;
			nr_events = 0;
			continue;
		}
		meet(s, block.thread, block.lane, block.first_seq);
		nr_events += block.nr_events;
	}
	b->header.used = used - from;
	b->header.nr_events = nr_events;
	s->nr_sealed += nr_events;
	put(c, payload + from, used - from, b->at + sizeof(b->header));
	free(payload);
	return true;
}

static void copy_rings(struct copy *c)
{
	const struct blocks *before = NULL;
	bool is_whole = true;

	if (c->nr_blocks)
		qsort(c->blocks, c->nr_blocks, sizeof(*c->blocks), by_ring);
	for (size_t n = 0; n < c->nr_blocks; n++) {
		struct blocks *b = &c->blocks[n];

		if (!before || before->header.owner != b->header.owner || before->lane != b->lane)
			is_whole = true;
		/* only a chunk with blocks shows whether the ring's older chunks are valid */
		if (b->first_ticks)
			is_whole = is_whole && copy_blocks(c, b, find_slot(c, b->header.owner));
		if (!b->first_ticks || !is_whole)
			b->header.used = b->header.nr_events = 0;
		put(c, &b->header, sizeof(b->header), b->at);
		before = b;
	}
}

/* Writes the copied slots. Their counters describe rings that contained only the copied events. */
static void put_slots(struct copy *c)
{
	for (size_t n = 0; n < c->nr_slots; n++) {
		struct slot *s = &c->slots[n];
		uint64_t nr_gone = 0;

		for (unsigned i = 0; i < s->nr_owners; i++)
			nr_gone += s->owners[i].first_seq;
		if (s->page.overwritten < nr_gone)
			s->page.overwritten = nr_gone;
		s->page.sealed = s->page.overwritten + s->nr_sealed;
		put(c, &s->page, sizeof(s->page), s->at);
	}
}

/* ---- definitions ---- */

static void copy_definitions(struct copy *c, uint64_t at, const struct syt_chunk *chunk)
{
	uint64_t unit = chunk->type == SYT_CHUNK_STACKS ? sizeof(struct syt_stack_node) : 1;
	uint64_t room = chunk->bytes - sizeof(*chunk), bytes = chunk->used * unit;
	uint8_t *p;

	if (chunk->used > room / unit)
		bytes = room;
	p = malloc(bytes + 1);
	if (p && get(c, p, bytes, at + sizeof(*chunk)))
		put(c, p, bytes, at + sizeof(*chunk));
	put(c, chunk, sizeof(*chunk), at);
	free(p);
}

/* Writes an empty chunk for a chunk that the recorder made after the copy of the lanes, so that readers find the
 * next chunks. */
static void put_empty(struct copy *c, uint64_t at, const struct syt_chunk *chunk)
{
	struct syt_slot page = {.chunk = *chunk};

	page.chunk.used = page.chunk.nr_events = 0;
	if (chunk->type != SYT_CHUNK_SLOT) {
		put(c, &page.chunk, sizeof(page.chunk), at);
	} else if (get(c, &page, sizeof(page), at)) {
		memset(&page.waiting, 0, sizeof(page.waiting));
		memset(&page.in_flight, 0, sizeof(page.in_flight));
		page.overwritten = page.dropped = page.sealed = page.skipped = 0;
		for (unsigned n = 0; n < SYT_NR_LANES; n++) {
			page.lanes[n].committed = 0;
			page.lanes[n].block.first_seq = 0;
		}
		put(c, &page, sizeof(page), at);
	}
}

/* ---- the passes ---- */

enum pass { PASS_LANES, PASS_BLOCKS, PASS_DEFINITIONS };

/* Returns whether an earlier pass has copied the chunk at AT. */
static bool is_copied(const struct copy *c, uint64_t at)
{
	uint32_t magic;

	return pread(c->to, &magic, sizeof(magic), (off_t)at) == (ssize_t)sizeof(magic) &&
	       magic == SYT_CHUNK_MAGIC;
}

static void meet_chunk(struct copy *c, enum pass pass, uint64_t at, const struct syt_chunk *chunk)
{
	switch (pass) {
	case PASS_LANES:
		if (chunk->type == SYT_CHUNK_SLOT)
			copy_slot(c, at);
		break;
	case PASS_BLOCKS:
		if (chunk->type == SYT_CHUNK_BLOCKS)
			find_blocks(c, at, chunk);
		break;
	case PASS_DEFINITIONS:
		if (chunk->type != SYT_CHUNK_SLOT && chunk->type != SYT_CHUNK_BLOCKS)
			copy_definitions(c, at, chunk);
		else if (!is_copied(c, at))
			put_empty(c, at, chunk);
		break;
	}
}

/* Visits all chunks for the copying step PASS. A chunk gets its magic number when it is complete. */
static void walk(struct copy *c, enum pass pass)
{
	struct syt_chunk chunk;
	uint64_t at = SYT_PAGE_BYTES;
	struct stat st;

	if (fstat(c->from, &st) ||
	    !get(c, &c->end, sizeof(c->end), offsetof(struct syt_file, used)))
		return;
	c->bytes = (uint64_t)st.st_size;
	if (c->end > c->bytes)
		c->end = c->bytes;
	while (at < c->end) {
		bool is_chunk = get_chunk(c, &chunk, at);

		if (is_chunk)
			meet_chunk(c, pass, at, &chunk);
		at += is_chunk ? chunk.bytes : SYT_PAGE_BYTES;
	}
}

bool syt_copy_dump(int from, int to, const char *name, const struct syt_clock_pair *since)
{
	struct copy c = {.from = from, .to = to};
	struct syt_file header;

	if (get(&c, &header, sizeof(header), 0))
		c.since =
			header.clock_source == SYT_CLOCK_MONOTONIC ? since->mono_ns : since->ticks;
	walk(&c, PASS_LANES);
	walk(&c, PASS_BLOCKS);
	copy_rings(&c);
	put_slots(&c);
	walk(&c, PASS_DEFINITIONS);
	if (get(&c, &header, sizeof(header), 0)) {
		header.used = c.end;
		header.was_paused = 1; /* the copied shared file contains the begin of a pause */
		put(&c, &header, sizeof(header), 0);
	}
	if (!c.has_failed && ftruncate(to, (off_t)c.end))
		c.has_failed = true;
	if (c.has_failed)
		syt_warn_errno("cannot write the copy of %s", name);
	free(c.slots);
	free(c.blocks);
	return !c.has_failed;
}
