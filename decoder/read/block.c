/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/read/block.h"

#include <inttypes.h>
#include <lz4.h>
#include <string.h>
#include <xxhash.h>

#include "format/columns.h"

#define EVENT_MIN 2u /* size of the smallest event: its flags and one byte of time */

void syt_block_walk_init(struct syt_block_walk *w, const struct syt_chunk_ref *chunk,
                         struct syt_problems *problems, uint32_t *number)
{
	*w = (struct syt_block_walk){.chunk = chunk, .problems = problems, .number = number};
}

static bool is_header(const struct syt_block *b)
{
	return b->magic == SYT_BLOCK_MAGIC &&
	       b->checksum == XXH32(b, offsetof(struct syt_block, checksum), 0);
}

/* Returns true if this decoder can decode the events of block B. */
static bool is_known(const struct syt_block *b)
{
	return SYT_EVENT_VERSION_IS_KNOWN(b->version) && b->codec <= SYT_CODEC_COLUMNS;
}

/* Returns true if the members of block header B are within their limits. A matching checksum does
 * not imply this: a crafted header can have a right checksum. */
static bool is_possible(const struct syt_block *b)
{
	return is_known(b) && b->lane < SYT_NR_LANES && b->raw_bytes <= SYT_RAW_MAX &&
	       b->packed_bytes <= SYT_RAW_MAX &&
	       b->nr_events <= b->raw_bytes / EVENT_MIN && b->first_seq <= INT64_MAX &&
	       (b->codec != SYT_CODEC_RAW || b->packed_bytes == b->raw_bytes);
}

static const char *defect(const struct syt_block *b, const uint8_t *payload, uint64_t left)
{
	if (!is_known(b))
		return "the format of the events is newer than this decoder";
	if (!is_possible(b))
		return "the recorded sizes are impossible";
	if (b->packed_bytes > left)
		return "the block ends after the end of the file";
	if (b->payload_checksum != XXH32(payload, b->packed_bytes, 0))
		return "the checksum is wrong";
	return NULL;
}

static void fill(struct syt_segment *s, const struct syt_block *b)
{
	*s = (struct syt_segment){
		.packed_bytes = b->packed_bytes,
		.raw_bytes = b->raw_bytes,
		.thread = b->thread,
		.nr_events = b->nr_events,
		.codec = b->codec,
		.version = b->version,
		.lane = b->lane,
		.first_seq = b->first_seq,
		.first_ticks = b->first_ticks,
		.cal = b->cal,
	};
}

/* Returns true if the block B, which ends LEFT bytes before the end of the chunk, at END, is older than the window: the
 * thread began its next block before the window. The bytes of such a block are not read. */
static bool is_old(const struct syt_block_walk *w, const struct syt_block *b, const uint8_t *end,
                   uint64_t left)
{
	struct syt_block next;

	if (!w->from_ticks || left < sizeof(next) || !is_possible(b))
		return false;
	memcpy(&next, end, sizeof(next));
	return is_header(&next) && next.thread == b->thread && next.lane == b->lane &&
	       next.first_seq == b->first_seq + b->nr_events && next.first_ticks <= w->from_ticks;
}

bool syt_block_next(struct syt_block_walk *w, struct syt_segment *s)
{
	const struct syt_chunk_ref *c = w->chunk;
	uint64_t bad = 0;
	bool found = false;

	while (!found && w->at < c->data_bytes &&
	       c->data_bytes - w->at >= sizeof(struct syt_block)) {
		const uint8_t *p = c->data + w->at;
		uint64_t byte = c->byte + sizeof(struct syt_chunk) + w->at;
		uint64_t left = c->data_bytes - w->at - sizeof(struct syt_block);
		struct syt_block b;

		memcpy(&b, p, sizeof(b));
		if (!is_header(&b)) {
			bad = bad ? bad : byte;
			w->at += 8;
			continue;
		}
		const uint64_t padded = ((uint64_t)b.packed_bytes + 7) & ~UINT64_C(7);

		if (padded <= left && is_old(w, &b, p + sizeof(b) + padded, left - padded)) {
			++*w->number;
			w->nr_left_out += b.nr_events;
			w->at += sizeof(b) + padded;
			continue;
		}

		const char *why = defect(&b, p + sizeof(b), left);

		fill(s, &b);
		s->number = (*w->number)++;
		if (why)
			syt_problem(w->problems, byte,
			            "thread %" PRIu32 ", block %" PRIu32 ", byte 0x%" PRIx64
			            ": %s; %" PRIu32 " events are lost, the other events are kept",
			            b.thread, s->number, byte, why, b.nr_events);
		w->at += sizeof(b);
		if (b.packed_bytes <= left)
			w->at += padded;
		if (why && !is_possible(&b))
			continue;
		s->payload = why ? NULL : p + sizeof(b);
		s->slot = c->header.owner;
		s->is_sealed = true;
		s->checksum = b.payload_checksum;
		s->byte = byte;
		found = true;
	}
	if (bad)
		syt_problem(w->problems, bad,
		            "slot %" PRIu32 ", block %" PRIu32 ", byte 0x%" PRIx64
		            ": no block header; skipped to %s",
		            c->header.owner, *w->number - found, bad,
		            found ? "the next block" : "the end of this part of the file");
	return found;
}

bool syt_lane_segment(const struct syt_chunk_ref *chunk, const struct syt_slot *slot, unsigned lane,
                      struct syt_problems *problems, struct syt_segment *s)
{
	const struct syt_lane *l = &slot->lanes[lane];
	uint32_t bytes = (uint32_t)l->committed;
	uint64_t present = chunk->data_bytes + sizeof(struct syt_chunk);
	uint64_t byte = chunk->byte + l->offset;

	fill(s, &l->block);
	s->codec = SYT_CODEC_RAW;
	s->lane = (uint8_t)lane;
	s->nr_events = (uint32_t)(l->committed >> 32);
	s->slot = slot->slot;
	s->byte = byte;
	s->cal = (struct syt_clock_pair){0, 0, 0};
	s->raw_bytes = s->packed_bytes = 0;
	/* the event number of the block that a thread is filling is valid only if `committed` confirms it */
	if (!l->committed)
		return is_known(&l->block) && s->thread == slot->thread &&
		       s->first_seq <= INT64_MAX;
	if (l->offset < sizeof(*slot) || bytes > SYT_RAW_MAX || bytes > l->bytes ||
	    s->nr_events > bytes / EVENT_MIN || s->first_seq > INT64_MAX || !is_known(&l->block) ||
	    (uint64_t)l->offset + bytes > chunk->header.bytes) {
		syt_problem(problems, chunk->byte,
		            "slot %" PRIu32 ", lane %u, byte 0x%" PRIx64
		            ": impossible sizes; the current events are lost",
		            slot->slot, lane, chunk->byte);
		return false;
	}
	if (l->offset > present || bytes > present - l->offset) {
		syt_problem(problems, byte,
		            "thread %" PRIu32 ", current block, byte 0x%" PRIx64
		            ": the file ends early; the events before are kept",
		            s->thread, byte);
		bytes = l->offset > present ? 0 : (uint32_t)(present - l->offset);
	}
	s->payload = chunk->data - sizeof(struct syt_chunk) + l->offset;
	s->packed_bytes = s->raw_bytes = bytes;
	return true;
}

/* Unpacks the LZ4 block of BYTES at FROM to TO, where ROOM bytes are free. Returns the number of bytes, or -1. */
static int decompress(const uint8_t *from, uint64_t bytes, uint8_t *to, uint32_t room)
{
	return LZ4_decompress_safe((const char *)from, (char *)to, (int)bytes, (int)room);
}

/* Unpacks a payload of SYT_CODEC_COLUMNS to BUFFER. Returns false if it is damaged. */
static bool unpack_columns(const struct syt_segment *s, uint8_t *buffer)
{
	struct syt_columns head;
	const uint8_t *times = s->payload + sizeof(head);
	uint8_t *rest = buffer + SYT_RAW_MAX - s->raw_bytes;
	int bytes;

	if (s->packed_bytes < sizeof(head))
		return false;
	memcpy(&head, s->payload, sizeof(head));
	if (head.time_bytes > s->packed_bytes - sizeof(head))
		return false;
	bytes = decompress(times + head.time_bytes, s->packed_bytes - sizeof(head) - head.time_bytes,
	                   rest, s->raw_bytes);
	if (bytes < 0)
		return false;
	memmove(buffer + SYT_RAW_MAX - bytes, rest, (size_t)bytes);
	return syt_columns_join(&head, times, buffer, s->raw_bytes, SYT_RAW_MAX, (uint32_t)bytes);
}

static bool unpack(const struct syt_segment *s, uint8_t *buffer)
{
	switch (s->codec) {
	case SYT_CODEC_RAW:
		memcpy(buffer, s->payload, s->raw_bytes);
		return true;
	case SYT_CODEC_LZ4:
		return decompress(s->payload, s->packed_bytes, buffer, s->raw_bytes) == (int)s->raw_bytes;
	default:
		return unpack_columns(s, buffer);
	}
}

const uint8_t *syt_segment_raw(const struct syt_segment *s, uint8_t *buffer)
{
	if (!s->payload || (s->codec == SYT_CODEC_RAW && !s->is_sealed))
		return s->payload;
	/* Checks the checksum again after unpacking: the ring of a running process may have
	 * overwritten the block meanwhile. */
	return unpack(s, buffer) && XXH32(s->payload, s->packed_bytes, 0) == s->checksum ? buffer : NULL;
}
