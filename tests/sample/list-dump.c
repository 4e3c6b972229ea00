/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * list-dump DUMP: prints a dump with a sampler, for the tests of the recorder. It uses only format/, so no rule of the
 * decoder hides an error of the recorder. The output has one line for each record, of words "name=value":
 *
 *   dump      major, minor and the text of the sampler
 *   event     one event
 *   out       calls left out, of a struct syt_meta_left_out or of a site in a slot
 *   rest      calls that were left out after the last event of a thread
 */
#include <inttypes.h>
#include <lz4.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/columns.h"
#include "format/event.h"
#include "format/sampling.h"

#define MOST_CALLS 4096u

static struct {
	const char *name;
	uint8_t shape;
} calls[MOST_CALLS];

/* clang-format off */
static const char *const unsampled[] = {
#define SHAPE(name_, text_, stamp_, unsampled_) [SYT_SHAPE_##name_] = #unsampled_,
#include "format/shapes.def"
#undef SHAPE
};
/* clang-format on */

static uint8_t *dump;
static size_t nr_bytes;

static const char *name_of(uint32_t call)
{
	return call < MOST_CALLS && calls[call].name ? calls[call].name : "?";
}

static void print_event(const struct syt_event *e, const struct syt_block *b, uint64_t seq)
{
	printf("event thread=%u lane=%u seq=%" PRIu64 " stamp=%" PRIu64 " dur=%" PRIu64
	       " call=%s unsampled=%s stack=%u object=%u result=%" PRId64,
	       b->thread, b->lane, seq, e->stamp, e->dur, name_of(e->call),
	       e->call < MOST_CALLS && calls[e->call].shape < SYT_NR_SHAPES
	               ? unsampled[calls[e->call].shape]
	               : "?",
	       e->stack, e->object, e->result);
#define FIELD(name_, member_)                                                                      \
	if (e->member_ && SYT_FIELD_##name_ != SYT_FIELD_CPU)                                      \
		printf(" " #member_ "=%" PRIu64, (uint64_t)e->member_);
#include "format/fields.def"
#undef FIELD
	for (uint32_t n = 0; n < e->nr_ready; n++)
		printf(" ready=%u:%u:%" PRIu64, e->ready[n].object, e->ready[n].events,
		       e->ready[n].position);
	putchar('\n');
}

static void print_events(const struct syt_block *b, const uint8_t *raw, uint64_t bytes, uint64_t nr)
{
	static struct syt_predictor p;
	struct syt_ready ready[SYT_NR_READY];
	struct syt_event e = {.ready = ready};
	struct syt_cursor c = {raw, raw + bytes, 0};

	syt_predictor_begin(&p, b->version, b->first_ticks, &c);
	for (uint64_t n = 0; n < nr; n++) {
		if (syt_event_decode(&p, &c, &e)) {
			printf("damage\n");
			return;
		}
		print_event(&e, b, b->first_seq + n);
	}
}

static int decompress(const uint8_t *from, uint32_t bytes, uint8_t *to, uint32_t room)
{
	return LZ4_decompress_safe((const char *)from, (char *)to, (int)bytes, (int)room);
}

/* Unpacks the columns of B at PAYLOAD to RAW, where ROOM bytes are free. Returns false if they are damaged. */
static bool unpack_columns(const struct syt_block *b, const uint8_t *payload, uint8_t *raw,
                           uint32_t room)
{
	const uint8_t *times = payload + sizeof(struct syt_columns);
	uint8_t *rest = raw + room - b->raw_bytes;
	struct syt_columns head;
	int bytes;

	memcpy(&head, payload, sizeof(head));
	bytes = decompress(times + head.time_bytes,
	                   b->packed_bytes - (uint32_t)sizeof(head) - head.time_bytes, rest,
	                   b->raw_bytes);
	if (bytes < 0)
		return false;
	memmove(raw + room - bytes, rest, (size_t)bytes);
	return syt_columns_join(&head, times, raw, b->raw_bytes, room, (uint32_t)bytes);
}

static bool unpack(const struct syt_block *b, const uint8_t *payload, uint8_t *raw, uint32_t room)
{
	switch (b->codec) {
	case SYT_CODEC_RAW:
		memcpy(raw, payload, b->raw_bytes);
		return true;
	case SYT_CODEC_LZ4:
		return decompress(payload, b->packed_bytes, raw, room) == (int)b->raw_bytes;
	default:
		return unpack_columns(b, payload, raw, room);
	}
}

static void read_blocks(const uint8_t *at, const uint8_t *end)
{
	static uint8_t raw[1 << 20];

	while (at + sizeof(struct syt_block) <= end) {
		struct syt_block b;
		const uint8_t *payload = at + sizeof(b);

		memcpy(&b, at, sizeof(b));
		if (b.magic != SYT_BLOCK_MAGIC || payload + b.packed_bytes > end ||
		    b.raw_bytes > sizeof(raw))
			return;
		if (unpack(&b, payload, raw, sizeof(raw)))
			print_events(&b, raw, b.raw_bytes, b.nr_events);
		else
			printf("damage\n");
		at += (sizeof(b) + b.packed_bytes + 7) & ~(size_t)7;
	}
}

static void print_out(uint32_t thread, uint32_t call, uint32_t stack, uint64_t left_out)
{
	if (left_out)
		printf("out thread=%u call=%s stack=%u left_out=%" PRIu64 "\n", thread,
		       name_of(call), stack, left_out);
}

static void read_slot(const uint8_t *chunk, bool is_sampled)
{
	const struct syt_slot *slot = (const void *)chunk;
	const struct syt_sampling *s = (const void *)(chunk + SYT_SAMPLING_AT);

	for (unsigned i = 0; i < SYT_NR_LANES; i++) {
		const struct syt_lane *l = &slot->lanes[i];

		print_events(&l->block, chunk + l->offset, (uint32_t)l->committed,
		             l->committed >> 32);
	}
	if (!is_sampled)
		return;
	for (unsigned i = 0; i < SYT_NR_SITES; i++)
		print_out(slot->thread, s->counts[i].call, s->sites.all[i].stack,
		          syt_site_left_out(&s->counts[i], &s->sites.all[i]));
	if (s->left_out)
		printf("rest thread=%u left_out=%" PRIu64 "\n", slot->thread, s->left_out);
}

static void read_meta(const struct syt_meta *m, const uint8_t *payload, uint32_t bytes)
{
	struct syt_meta_left_out o;
	struct syt_meta_calls c;
	struct syt_meta_text t;

	if (m->type == SYT_META_CALLS) {
		const uint8_t *at = payload + sizeof(c);

		memcpy(&c, payload, sizeof(c));
		for (unsigned i = c.first; i < c.first + c.nr && i < MOST_CALLS; i++) {
			calls[i].shape = at[0];
			calls[i].name = (const char *)at + 2;
			at += 2 + strlen((const char *)at + 2) + 1;
		}
	} else if (m->type == SYT_META_TEXT) {
		memcpy(&t, payload, sizeof(t));
		if (t.what == SYT_TEXT_SAMPLER)
			printf("sampler %.*s\n", (int)(bytes - sizeof(t)),
			       (const char *)payload + sizeof(t));
	} else if (m->type == SYT_META_LEFT_OUT) {
		memcpy(&o, payload, sizeof(o));
		print_out(o.thread, o.call, o.stack, o.left_out);
	}
}

static void read_metas(const uint8_t *at, const uint8_t *end)
{
	while (at + sizeof(struct syt_meta) <= end) {
		const struct syt_meta *m = (const void *)at;

		if (m->bytes < sizeof(*m) || at + m->bytes > end)
			return;
		if (m->magic == SYT_META_MAGIC)
			read_meta(m, at + sizeof(*m), m->bytes - (uint32_t)sizeof(*m));
		at += (m->bytes + 7) & ~7u;
	}
}

/* Reads all chunks of TYPE. */
static void read_chunks(uint16_t type)
{
	const struct syt_file *f = (const void *)dump;
	uint64_t end = f->used < nr_bytes ? f->used : nr_bytes;

	for (uint64_t at = SYT_PAGE_BYTES; at + sizeof(struct syt_chunk) <= end;) {
		const struct syt_chunk *c = (const void *)(dump + at);
		const uint8_t *first = (const uint8_t *)(c + 1);

		if (c->magic != SYT_CHUNK_MAGIC || !c->bytes || at + c->bytes > end)
			return;
		if (c->type == type && type == SYT_CHUNK_META)
			read_metas(first, first + c->used);
		else if (c->type == type && type == SYT_CHUNK_BLOCKS)
			read_blocks(first, first + c->used);
		else if (c->type == type && type == SYT_CHUNK_SLOT)
			read_slot(dump + at, f->major == SYT_FORMAT_MAJOR_SAMPLED);
		at += c->bytes;
	}
}

int main(int argc, char **argv)
{
	FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
	struct syt_file header;

	/* the file of a killed process is much longer than its used part */
	if (!f || fread(&header, sizeof(header), 1, f) != 1)
		return 2;
	rewind(f);
	dump = malloc(header.used);
	if (!dump)
		return 2;
	nr_bytes = fread(dump, 1, header.used, f);
	fclose(f);
	if (nr_bytes < SYT_PAGE_BYTES)
		return 2;
	printf("dump major=%u minor=%u\n", ((const struct syt_file *)dump)->major,
	       ((const struct syt_file *)dump)->minor);
	read_chunks(SYT_CHUNK_META);
	read_chunks(SYT_CHUNK_BLOCKS);
	read_chunks(SYT_CHUNK_SLOT);
	free(dump);
	return 0;
}
