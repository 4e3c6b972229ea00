/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Seeds for the fuzzers out of a real trace:
 *
 *	pack recipe DIRECTORY OUT    the trace as a recipe (tests/fuzz/recipe.h)
 *	pack parts DIRECTORY PREFIX  of its first dump PREFIX.block, PREFIX.slot, PREFIX.events, PREFIX.metas
 *
 * Definitions that no event uses are left out, and modules: their files are not there elsewhere.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/read/image.h"
#include "format/event.h"
#include "format/sampling.h"
#include "tests/fuzz/recipe.h"

#define EVENTS_MAX 400u /* of one block */

static FILE *to;
static uint8_t scratch[SYT_RAW_MAX];
static bool has_call[UINT16_MAX + 1];
static bool *has_object, *has_stack;
static uint32_t nr_objects, nr_stacks;
static bool is_sampled; /* the dump is that of a sampled process */

static void must(bool ok, const char *what)
{
	if (!ok) {
		perror(what);
		exit(99);
	}
}

static void put_item(uint8_t tag, const void *a, size_t nr_a, const void *b, size_t nr_b)
{
	size_t nr = nr_a + nr_b;
	const uint8_t head[SYT_RECIPE_HEAD] = {tag, (uint8_t)nr, (uint8_t)(nr >> 8)};

	must(nr <= SYT_RECIPE_ITEM_MAX, "an item is too long");
	fwrite(head, 1, sizeof(head), to);
	fwrite(a, 1, nr_a, to);
	if (nr_b)
		fwrite(b, 1, nr_b, to);
}

static void see(uint32_t id, bool **has, uint32_t *nr)
{
	if (id >= *nr) {
		*has = realloc(*has, (id + 1) * sizeof(**has));
		must(*has, "memory");
		memset(*has + *nr, 0, id + 1 - *nr);
		*nr = id + 1;
	}
	(*has)[id] = true;
}

/* Marks the definitions that the events of S use; returns how many bytes the first of them take. */
static uint32_t see_events(struct syt_segment *s, const uint8_t *raw)
{
	static struct syt_predictor predictor;
	struct syt_ready ready[SYT_NR_READY];
	struct syt_event e = {.ready = ready};
	struct syt_cursor c = {raw, raw + s->raw_bytes, 0};
	uint32_t n = 0;

	syt_predictor_begin(&predictor, s->version, s->first_ticks, &c);
	for (; n < s->nr_events && n < EVENTS_MAX; n++) {
		if (syt_event_decode(&predictor, &c, &e) < 0)
			break;
		has_call[e.call] = true;
		see(e.object, &has_object, &nr_objects);
		see(e.object2, &has_object, &nr_objects);
		see(e.stack, &has_stack, &nr_stacks);
		for (uint32_t k = 0; k < e.nr_ready; k++)
			see(e.ready[k].object, &has_object, &nr_objects);
	}
	s->nr_events = n;
	return (uint32_t)(c.p - raw);
}

static void put_segment(uint8_t tag, struct syt_segment *s)
{
	const uint8_t *raw = syt_segment_raw(s, scratch);

	if (!raw && s->raw_bytes)
		return;
	uint32_t bytes = s->raw_bytes ? see_events(s, raw) : 0;
	struct syt_recipe_block b = {
		.lane = s->lane,
		.codec =
			(uint8_t)(s->codec |
	                          (s->version >= SYT_EVENT_VERSION_CODED ? SYT_RECIPE_CODED : 0) |
	                          (s->version >= SYT_EVENT_VERSION_GHOSTS ? SYT_RECIPE_GHOSTS : 0)),
		.thread = s->thread,
		.nr_events = s->nr_events,
		.first_seq = s->first_seq,
		.first_ticks = s->first_ticks,
		.cal = s->cal,
	};

	put_item(tag, &b, sizeof(b), raw, bytes);
}

/* Puts the state of the sampler without the zeros at its end. */
static void put_sampling(const struct syt_chunk_ref *c)
{
	struct syt_sampling s;
	size_t nr = sizeof(s);

	memcpy(&s, c->data - sizeof(struct syt_chunk) + SYT_SAMPLING_AT, sizeof(s));
	while (nr && !((const uint8_t *)&s)[nr - 1])
		nr--;
	put_item(SYT_RECIPE_SAMPLING, &s, nr, NULL, 0);
}

static void put_slot(const struct syt_chunk_ref *c, struct syt_problems *problems)
{
	struct syt_slot slot;
	struct syt_segment s;

	memcpy(&slot, c->data - sizeof(struct syt_chunk), sizeof(slot));
	struct syt_recipe_slot r = {slot.tid, slot.thread, slot.overwritten, slot.dropped,
	                            slot.sealed};

	put_item(SYT_RECIPE_SLOT, &r, sizeof(r), NULL, 0);
	if (is_sampled)
		put_sampling(c);
	for (unsigned lane = 0; lane < SYT_NR_LANES; lane++)
		if (syt_lane_segment(c, &slot, lane, problems, &s))
			put_segment(SYT_RECIPE_LANE, &s);
}

/* Slots are put before definitions, which depend on them, so a slot's blocks are looked for. */
static void put_blocks(const struct syt_input *in, uint32_t owner, struct syt_problems *problems)
{
	struct syt_chunk_walk chunks;
	struct syt_block_walk blocks;
	struct syt_chunk_ref c;
	struct syt_segment s;
	uint32_t number = 0;

	syt_chunk_walk_init(&chunks, in, problems, UINT64_MAX);
	while (syt_chunk_next(&chunks, &c)) {
		if (c.header.type != SYT_CHUNK_BLOCKS || c.header.owner != owner)
			continue;
		syt_block_walk_init(&blocks, &c, problems, &number);
		while (syt_block_next(&blocks, &s))
			put_segment(SYT_RECIPE_BLOCK, &s);
	}
}

static bool is_used(const struct syt_meta_ref *r)
{
	struct syt_meta_call call;
	uint32_t id;

	switch (r->type) {
	case SYT_META_CALL:
		memcpy(&call, r->data, sizeof(call));
		return has_call[call.call];
	case SYT_META_MODULE:
	case SYT_META_UNMAP:
		return false;
	case SYT_META_OBJECT:
	case SYT_META_ENDPOINT:
		memcpy(&id, r->data, sizeof(id));
		return id < nr_objects && has_object[id];
	case SYT_META_TEXT:
		memcpy(&id, r->data, sizeof(id));
		return id == SYT_TEXT_THREAD_NAME || id == SYT_TEXT_OBJECT_NAME ||
		       id == SYT_TEXT_PIDS || id == SYT_TEXT_NOTE;
	default:
		return true;
	}
}

static void put_metas(const struct syt_chunk_ref *c, struct syt_problems *problems)
{
	struct syt_meta_walk metas;
	struct syt_meta_ref r;

	syt_meta_walk_init(&metas, c, problems);
	while (syt_meta_next(&metas, &r)) {
		uint16_t type = r.type;

		if (is_used(&r))
			put_item(SYT_RECIPE_META, &type, sizeof(type), r.data, r.bytes);
	}
}

/* Stacks that are used, without their callers: each is one frame. */
static void put_stacks(const struct syt_chunk_ref *c)
{
	uint64_t nr = c->data_bytes / sizeof(struct syt_stack_node);
	uint32_t first = (uint32_t)c->header.first, last = first;
	struct syt_recipe_frame frames[1024];

	for (uint64_t k = 0; k < nr && k < 1024; k++) {
		struct syt_stack_node node;

		memcpy(&node, c->data + k * sizeof(node), sizeof(node));
		frames[k] = (struct syt_recipe_frame){node.parent, node.module, node.offset};
		if (first + k < nr_stacks && has_stack[first + k])
			last = first + (uint32_t)k + 1;
	}
	if (last > first)
		put_item(SYT_RECIPE_STACKS, &first, sizeof(first), frames,
		         (last - first) * sizeof(frames[0]));
}

static void put_image(const struct syt_input *in)
{
	struct syt_problems problems;
	struct syt_chunk_walk chunks;
	struct syt_chunk_ref c;
	struct syt_file f = {0};

	memset(has_call, 0, sizeof(has_call));
	nr_objects = nr_stacks = 0;
	memcpy(&f, in->data, in->bytes < sizeof(f) ? in->bytes : sizeof(f));
	is_sampled = f.major == SYT_FORMAT_MAJOR_SAMPLED;
	memset(f.host, 0, sizeof(f.host));
	f.host[0] = 'h';
	put_item(SYT_RECIPE_IMAGE, f.trace_id, sizeof(f) - offsetof(struct syt_file, trace_id),
	         NULL, 0);
	syt_problems_init(&problems);
	syt_chunk_walk_init(&chunks, in, &problems, UINT64_MAX);
	while (syt_chunk_next(&chunks, &c)) {
		if (c.header.type != SYT_CHUNK_SLOT)
			continue;
		put_slot(&c, &problems);
		put_blocks(in, c.header.owner, &problems);
	}
	syt_chunk_walk_init(&chunks, in, &problems, UINT64_MAX);
	while (syt_chunk_next(&chunks, &c)) {
		if (c.header.type == SYT_CHUNK_META)
			put_metas(&c, &problems);
		else if (c.header.type == SYT_CHUNK_STACKS)
			put_stacks(&c);
	}
	syt_problems_fini(&problems);
}

static int is_dump(const struct dirent *e)
{
	const char *dot = strrchr(e->d_name, '.');

	return dot && strcmp(dot, SYT_DUMP_SUFFIX) == 0;
}

static void pack_recipe(const char *directory, struct dirent **entries, int nr)
{
	char path[4096];
	struct syt_input in;

	for (int n = 0; n < nr && n < (int)SYT_RECIPE_FILES_MAX - 1; n++) {
		snprintf(path, sizeof(path), "%s/%s", directory, entries[n]->d_name);
		must(syt_input_open(&in, path) == 0, path);
		if (in.bytes)
			put_image(&in);
		syt_input_close(&in);
	}
	snprintf(path, sizeof(path), "%s/%s", directory, SYT_PEERS_NAME);
	if (syt_input_open(&in, path) == 0) {
		if (in.bytes && in.bytes < 4096)
			put_item(SYT_RECIPE_PEERS, in.data, in.bytes, NULL, 0);
		syt_input_close(&in);
	}
}

/* ---- parts ---- */

static void put_part(const char *prefix, const char *suffix, uint8_t first, const void *bytes,
                     size_t nr)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s.%s", prefix, suffix);
	f = fopen(path, "w");
	must(f && fputc(first, f) == first && fwrite(bytes, 1, nr, f) == nr && fclose(f) == 0,
	     path);
}

static void pack_parts(const char *directory, const char *name, const char *prefix)
{
	char path[4096];
	struct syt_problems problems;
	struct syt_chunk_walk chunks;
	struct syt_chunk_ref c;
	struct syt_input in;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	must(syt_input_open(&in, path) == 0, path);
	syt_problems_init(&problems);
	syt_chunk_walk_init(&chunks, &in, &problems, UINT64_MAX);
	while (syt_chunk_next(&chunks, &c)) {
		struct syt_slot slot;
		struct syt_segment s;
		uint64_t nr = c.data_bytes < 4096 ? c.data_bytes : 4096;

		if (c.header.type == SYT_CHUNK_BLOCKS && nr) {
			put_part(prefix, "block", 0, c.data, c.data_bytes);
		} else if (c.header.type == SYT_CHUNK_META) {
			put_part(prefix, "metas", 1, c.data,
			         c.header.used < nr ? c.header.used : nr);
		} else if (c.header.type == SYT_CHUNK_SLOT) {
			memcpy(&slot, c.data - sizeof(struct syt_chunk), sizeof(slot));
			if (!syt_lane_segment(&c, &slot, 0, &problems, &s) || !s.raw_bytes)
				continue;
			put_part(prefix, "slot", 1, c.data, nr);
			put_part(prefix, "events", 0, s.payload, s.raw_bytes);
		}
	}
	syt_problems_fini(&problems);
	syt_input_close(&in);
}

int main(int argc, char **argv)
{
	struct dirent **entries;
	int nr = argc == 4 ? scandir(argv[2], &entries, is_dump, versionsort) : 0;

	if (nr <= 0) {
		fprintf(stderr, "usage: pack recipe|parts DIRECTORY OUT\n");
		return 2;
	}
	if (strcmp(argv[1], "parts") == 0) {
		pack_parts(argv[2], entries[0]->d_name, argv[3]);
	} else {
		to = fopen(argv[3], "w");
		must(to, argv[3]);
		pack_recipe(argv[2], entries, nr);
		must(fclose(to) == 0, argv[3]);
	}
	for (int n = 0; n < nr; n++)
		free(entries[n]);
	free(entries);
	return 0;
}
