/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "tests/fuzz/recipe.h"

#include <lz4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "format/sampling.h"
#include "tests/lib/pack-columns.h"

#define LENGTH_MAX (UINT64_C(1) << 40) /* maximum length of a file with its holes */
#define SLOTS_MAX 64u

struct buffer {
	uint8_t *data;
	size_t nr, room;
};

struct slot {
	struct syt_recipe_slot info;
	struct syt_sampling sampling;
	bool has_lane[SYT_NR_LANES];
	struct syt_recipe_block lanes[SYT_NR_LANES];
	struct buffer raw[SYT_NR_LANES];
	struct buffer blocks;
};

/* The state of one dump while the parser reads its items. */
struct image {
	struct syt_file header;
	struct buffer metas, stacks; /* stacks: whole chunks */
	struct slot slots[SLOTS_MAX];
	unsigned nr_slots;
	/* items of the recipe that may contain patches of this dump */
	const uint8_t *patches, *patches_end;
	bool has_length;
	uint64_t length;
};

static struct image image;
static struct buffer out[SYT_RECIPE_FILES_MAX];

/* ---- bytes ---- */

static uint8_t *put(struct buffer *b, const void *bytes, size_t nr)
{
	if (nr > SYT_RECIPE_FILE_BYTES - b->nr)
		nr = SYT_RECIPE_FILE_BYTES - b->nr;
	if (!b->data || b->nr + nr > b->room) {
		b->room = (b->nr + nr) * 2 + 4096;
		b->data = realloc(b->data, b->room);
		if (!b->data)
			abort();
	}
	uint8_t *at = b->data + b->nr;

	if (bytes && nr)
		memcpy(at, bytes, nr);
	else
		memset(at, 0, nr);
	b->nr += nr;
	return at;
}

static void align(struct buffer *b, size_t to)
{
	put(b, NULL, -b->nr & (to - 1));
}

/*
 * Copies the available bytes of a struct of BYTES and sets the rest to 0. Returns the number of bytes
 * that were available.
 */
static size_t take(void *to, size_t bytes, const struct syt_recipe_item *item)
{
	size_t nr = item->nr < bytes ? item->nr : bytes;

	memset(to, 0, bytes);
	memcpy(to, item->data, nr);
	return nr;
}

bool syt_recipe_next(const uint8_t **at, const uint8_t *end, struct syt_recipe_item *item)
{
	const uint8_t *p = *at;

	if (end - p < (ptrdiff_t)SYT_RECIPE_HEAD)
		return false;
	item->tag = p[0];
	item->nr = p[1] | (uint32_t)p[2] << 8;
	item->data = p + SYT_RECIPE_HEAD;
	if (item->nr > (size_t)(end - item->data))
		item->nr = (uint32_t)(end - item->data);
	*at = item->data + item->nr;
	return true;
}

/* ---- checksums ---- */

static void sum_at(uint8_t *p, size_t left)
{
	struct syt_chunk c;
	struct syt_block b;
	struct syt_meta m;

	if (left >= sizeof(c) && (memcpy(&c, p, sizeof(c)), c.magic == SYT_CHUNK_MAGIC)) {
		c.checksum = XXH32(&c.first, 8, XXH32(&c.type, 16, 0));
		memcpy(p, &c, sizeof(c));
	} else if (left >= sizeof(b) && (memcpy(&b, p, sizeof(b)), b.magic == SYT_BLOCK_MAGIC)) {
		if (b.packed_bytes <= left - sizeof(b))
			b.payload_checksum = XXH32(p + sizeof(b), b.packed_bytes, 0);
		b.checksum = XXH32(&b, offsetof(struct syt_block, checksum), 0);
		memcpy(p, &b, sizeof(b));
	} else if (left >= sizeof(m) && (memcpy(&m, p, sizeof(m)), m.magic == SYT_META_MAGIC)) {
		if (m.bytes >= sizeof(m) && m.bytes <= left)
			m.checksum = XXH32(p + sizeof(m), m.bytes - sizeof(m), m.type);
		memcpy(p, &m, sizeof(m));
	}
}

void syt_recipe_sum(uint8_t *data, size_t nr, bool whole)
{
	struct syt_file f;

	if (whole && nr >= sizeof(f)) {
		memcpy(&f, data, sizeof(f));
		f.checksum =
			XXH32((uint8_t *)&f + 24, offsetof(struct syt_file, live_begin) - 24, 0);
		memcpy(data, &f, sizeof(f));
	}
	for (size_t at = whole ? SYT_PAGE_BYTES : 0; at < nr; at += 8)
		sum_at(data + at, nr - at);
}

static void sum_peers(uint8_t *data, size_t nr)
{
	struct syt_peer r;

	for (size_t at = sizeof(struct syt_peers); at < nr && nr - at >= sizeof(r);
	     at += sizeof(r)) {
		memcpy(&r, data + at, sizeof(r));
		r.checksum = XXH32((uint8_t *)&r + 8, sizeof(r) - 8, 0);
		memcpy(data + at, &r, sizeof(r));
	}
}

/* ---- items of a dump ---- */

static void begin_image(const struct syt_recipe_item *item, uint32_t index)
{
	struct syt_file *f = &image.header;
	size_t from = offsetof(struct syt_file, trace_id);

	memset(f, 0, sizeof(*f));
	f->index = index;
	f->pid = 1000 + index;
	f->clock_source = SYT_CLOCK_MONOTONIC;
	memcpy((uint8_t *)f + from, item->data,
	       item->nr < sizeof(*f) - from ? item->nr : sizeof(*f) - from);
	f->magic = SYT_FILE_MAGIC;
	f->major = SYT_FORMAT_MAJOR;
	f->minor = SYT_FORMAT_MINOR;
	f->header_bytes = sizeof(*f);
	f->page_bytes = SYT_PAGE_BYTES;
	image.metas.nr = image.stacks.nr = 0;
	image.nr_slots = 0;
	image.has_length = false;
}

static struct slot *new_slot(void)
{
	struct slot *s = &image.slots[image.nr_slots];

	if (image.nr_slots == SLOTS_MAX)
		return &image.slots[SLOTS_MAX - 1];
	image.nr_slots++;
	s->info = (struct syt_recipe_slot){0};
	memset(&s->sampling, 0, sizeof(s->sampling));
	s->blocks.nr = 0;
	memset(s->has_lane, 0, sizeof(s->has_lane));
	return s;
}

static struct slot *slot_now(void)
{
	return image.nr_slots ? &image.slots[image.nr_slots - 1] : new_slot();
}

static void add_meta(const struct syt_recipe_item *item)
{
	struct syt_meta m = {.magic = SYT_META_MAGIC};

	if (item->nr < 2)
		return;
	m.type = (uint16_t)(item->data[0] | item->data[1] << 8);
	m.bytes = (uint32_t)sizeof(m) + item->nr - 2;
	m.checksum = XXH32(item->data + 2, item->nr - 2, m.type);
	put(&image.metas, &m, sizeof(m));
	put(&image.metas, item->data + 2, item->nr - 2);
	align(&image.metas, 8);
}

static struct syt_chunk chunk_of(uint16_t type, uint32_t owner, uint64_t first, size_t payload)
{
	struct syt_chunk c = {
		.magic = SYT_CHUNK_MAGIC,
		.type = type,
		.version = 1,
		.owner = owner,
		.first = first,
		.used = payload,
	};

	c.bytes = (sizeof(c) + payload + SYT_PAGE_BYTES - 1) & ~(uint64_t)(SYT_PAGE_BYTES - 1);
	c.checksum = XXH32(&c.first, 8, XXH32(&c.type, 16, 0));
	return c;
}

static void add_stacks(const struct syt_recipe_item *item)
{
	const size_t each = sizeof(struct syt_recipe_frame);
	uint32_t first;
	size_t nr = item->nr < sizeof(first) ? 0 : (item->nr - sizeof(first)) / each;
	struct syt_chunk c;

	take(&first, sizeof(first), item);
	c = chunk_of(SYT_CHUNK_STACKS, 0, first, nr * sizeof(struct syt_stack_node));
	c.used = nr;
	put(&image.stacks, &c, sizeof(c));
	for (size_t n = 0; n < nr; n++) {
		struct syt_recipe_frame f;

		memcpy(&f, item->data + sizeof(first) + n * each, each);
		struct syt_stack_node node = {
			.parent = f.parent,
			.module = f.module,
			.check = syt_stack_check(f.parent, f.module, f.offset),
			.offset = f.offset,
		};

		put(&image.stacks, &node, sizeof(node));
	}
	align(&image.stacks, SYT_PAGE_BYTES);
}

/* Returns the version of the events of R. */
static uint16_t version_of(const struct syt_recipe_block *r)
{
	if (!(r->codec & SYT_RECIPE_CODED))
		return SYT_EVENT_VERSION;
	return r->codec & SYT_RECIPE_GHOSTS ? SYT_EVENT_VERSION_GHOSTS : SYT_EVENT_VERSION_CODED;
}

static void add_block(const struct syt_recipe_item *item)
{
	static char packed[SYT_PACK_COLUMNS_MOST(SYT_RECIPE_ITEM_MAX)];
	struct slot *s = slot_now();
	struct syt_recipe_block r;
	size_t had = take(&r, sizeof(r), item);
	const uint8_t *raw = item->data + had;
	const void *payload = raw;
	struct syt_block b = {
		.magic = SYT_BLOCK_MAGIC,
		.version = version_of(&r),
		.codec = r.codec & (SYT_RECIPE_GHOSTS - 1),
		.lane = r.lane,
		.thread = r.thread,
		.raw_bytes = item->nr - (uint32_t)had,
		.packed_bytes = item->nr - (uint32_t)had,
		.nr_events = r.nr_events,
		.first_seq = r.first_seq,
		.first_ticks = r.first_ticks,
		.cal = r.cal,
	};

	if (b.codec == SYT_CODEC_LZ4) {
		b.packed_bytes = (uint32_t)LZ4_compress_default(
			(const char *)raw, packed, (int)b.raw_bytes, (int)sizeof(packed));
		payload = packed;
	} else if (b.codec == SYT_CODEC_COLUMNS) {
		b.version = SYT_EVENT_VERSION_COLUMNS;
		b.packed_bytes = syt_pack_columns(raw, b.raw_bytes, (uint8_t *)packed);
		payload = packed;
	}
	b.payload_checksum = XXH32(payload, b.packed_bytes, 0);
	b.checksum = XXH32(&b, offsetof(struct syt_block, checksum), 0);
	put(&s->blocks, &b, sizeof(b));
	put(&s->blocks, payload, b.packed_bytes);
	align(&s->blocks, 8);
}

static void add_lane(const struct syt_recipe_item *item)
{
	struct slot *s = slot_now();
	struct syt_recipe_block r;
	size_t had = take(&r, sizeof(r), item);

	if (r.lane >= SYT_NR_LANES)
		return;
	if (s->has_lane[r.lane])
		s = new_slot();
	s->has_lane[r.lane] = true;
	s->lanes[r.lane] = r;
	s->raw[r.lane].nr = 0;
	put(&s->raw[r.lane], item->data + had, item->nr - had);
}

static void add_item(const struct syt_recipe_item *item)
{
	struct syt_recipe_slot info;

	switch (item->tag) {
	case SYT_RECIPE_META:
		add_meta(item);
		break;
	case SYT_RECIPE_STACKS:
		add_stacks(item);
		break;
	case SYT_RECIPE_SLOT:
		take(&info, sizeof(info), item);
		new_slot()->info = info;
		break;
	case SYT_RECIPE_SAMPLING:
		take(&slot_now()->sampling, sizeof(struct syt_sampling), item);
		image.header.major = SYT_FORMAT_MAJOR_SAMPLED;
		break;
	case SYT_RECIPE_BLOCK:
		add_block(item);
		break;
	case SYT_RECIPE_LANE:
		add_lane(item);
		break;
	case SYT_RECIPE_CUT:
		image.has_length = true;
		take(&image.length, sizeof(image.length), item);
		break;
	/* an unknown tag, which a mutation made, or an item that does not belong to a dump */
	default:
		break;
	}
}

/* ---- the dump ---- */

static void put_slot(struct buffer *to, uint32_t number, const struct slot *s)
{
	struct syt_slot head = {
		.slot = number,
		.tid = s->info.tid,
		.thread = s->info.thread,
		.overwritten = s->info.overwritten,
		.dropped = s->info.dropped,
		.sealed = s->info.sealed,
	};
	bool is_sampled = image.header.major == SYT_FORMAT_MAJOR_SAMPLED;
	uint32_t first = is_sampled ? SYT_SAMPLING_AT + sizeof(s->sampling) : sizeof(head);
	uint32_t at = first;

	for (unsigned n = 0; n < SYT_NR_LANES; n++) {
		const struct syt_recipe_block *r = &s->lanes[n];

		if (!s->has_lane[n])
			continue;
		head.lanes[n] = (struct syt_lane){
			.block = {.magic = SYT_BLOCK_MAGIC,
		                  .version = version_of(r),
		                  .lane = (uint8_t)n,
		                  .thread = r->thread,
		                  .first_seq = r->first_seq,
		                  .first_ticks = r->first_ticks},
			.committed = (uint64_t)r->nr_events << 32 | s->raw[n].nr,
			.offset = at,
			.bytes = (uint32_t)s->raw[n].nr,
		};
		at += (uint32_t)((s->raw[n].nr + 7) & ~(size_t)7);
	}
	head.chunk = chunk_of(SYT_CHUNK_SLOT, number, 0, at - sizeof(head.chunk));
	put(to, &head, sizeof(head));
	if (is_sampled) {
		put(to, NULL, SYT_SAMPLING_AT - sizeof(head));
		put(to, &s->sampling, sizeof(s->sampling));
	}
	for (unsigned n = 0; n < SYT_NR_LANES; n++) {
		if (!s->has_lane[n])
			continue;
		put(to, s->raw[n].data, s->raw[n].nr);
		align(to, 8);
	}
	align(to, SYT_PAGE_BYTES);
}

static void put_chunk(struct buffer *to, uint16_t type, uint32_t owner, const struct buffer *from)
{
	struct syt_chunk c = chunk_of(type, owner, 0, from->nr);

	if (!from->nr)
		return;
	put(to, &c, sizeof(c));
	put(to, from->data, from->nr);
	align(to, SYT_PAGE_BYTES);
}

/* Completes the dump that consists of the items up to END. FROM is the first item of the dump. */
static void end_image(struct buffer *to, struct syt_recipe_file *f, const uint8_t *from,
                      const uint8_t *end)
{
	struct syt_recipe_item item;
	bool is_summed = true;

	to->nr = 0;
	put(to, &image.header, sizeof(image.header));
	align(to, SYT_PAGE_BYTES);
	put_chunk(to, SYT_CHUNK_META, 0, &image.metas);
	put(to, image.stacks.data, image.stacks.nr);
	for (unsigned n = 0; n < image.nr_slots; n++) {
		put_slot(to, n, &image.slots[n]);
		put_chunk(to, SYT_CHUNK_BLOCKS, n, &image.slots[n].blocks);
	}
	((struct syt_file *)(void *)to->data)->used = to->nr;
	syt_recipe_sum(to->data, SYT_PAGE_BYTES, true);
	while (syt_recipe_next(&from, end, &item)) {
		struct syt_recipe_patch p;
		size_t had = take(&p, sizeof(p), &item);

		if (item.tag != SYT_RECIPE_PATCH || p.offset >= to->nr)
			continue;
		size_t nr = item.nr - had;

		if (nr > to->nr - p.offset)
			nr = to->nr - p.offset;
		memcpy(to->data + p.offset, item.data + had, nr);
		is_summed = p.is_summed & 1;
		if (is_summed)
			syt_recipe_sum(to->data, to->nr, true);
	}
	snprintf(f->name, sizeof(f->name), "%04u.%u%s", image.header.index, image.header.pid,
	         SYT_DUMP_SUFFIX);
	f->data = to->data;
	f->nr = to->nr;
	f->length = image.has_length ? image.length % LENGTH_MAX : to->nr;
	if (f->nr > f->length)
		f->nr = f->length;
}

unsigned syt_recipe_lay_out(const uint8_t *recipe, size_t nr,
                            struct syt_recipe_file files[SYT_RECIPE_FILES_MAX], uint32_t *verbs)
{
	const uint8_t *at = recipe, *end = recipe + nr, *from = recipe, *before = recipe;
	struct syt_recipe_item item = {0, 0, recipe};
	unsigned nr_files = 0;
	bool has_image = false;

	*verbs = UINT32_MAX;
	while (nr_files < SYT_RECIPE_FILES_MAX && (before = at, syt_recipe_next(&at, end, &item))) {
		struct syt_recipe_file *f = &files[nr_files];

		if (item.tag == SYT_RECIPE_IMAGE) {
			if (has_image)
				end_image(&out[nr_files++], f, from, before);
			begin_image(&item, nr_files);
			from = at;
			has_image = true;
		} else if (item.tag == SYT_RECIPE_VERBS) {
			take(verbs, sizeof(*verbs), &item);
		} else if (item.tag == SYT_RECIPE_PEERS) {
			out[nr_files].nr = 0;
			put(&out[nr_files], item.data, item.nr);
			snprintf(f->name, sizeof(f->name), "%s", SYT_PEERS_NAME);
			*f = (struct syt_recipe_file){
				.data = out[nr_files].data, .nr = item.nr, .length = item.nr};
			memcpy(f->name, SYT_PEERS_NAME, sizeof(SYT_PEERS_NAME));
			sum_peers(f->data, f->nr);
			nr_files++;
		} else if (has_image) {
			add_item(&item);
		}
	}
	if (has_image && nr_files < SYT_RECIPE_FILES_MAX) {
		end_image(&out[nr_files], &files[nr_files], from, before);
		nr_files++;
	}
	return nr_files;
}
