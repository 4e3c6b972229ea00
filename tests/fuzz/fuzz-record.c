/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The record readers: the input is the events of a block, unpacked, or, when its first byte is odd,
 * the records of a META chunk.  Events that could be read are encoded and read once more: they must
 * be the same then.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/read/image.h"
#include "format/event.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/recipe.h"

#define FIRST_TICKS 1000u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);

static void must_be_same(const struct syt_event *a, const struct syt_event *b)
{
	assert(a->stamp == b->stamp && a->dur == b->dur && a->call == b->call &&
	       a->stack == b->stack && a->object == b->object && a->result == b->result &&
	       a->err == b->err && a->nr_ready == b->nr_ready);
#define FIELD(name_, member_) assert(a->member_ == b->member_);
#include "format/fields.def"
#undef FIELD
	for (uint32_t n = 0; n < a->nr_ready; n++)
		assert((a->ready[n].object & 0xffffff) == (b->ready[n].object & 0xffffff) &&
		       a->ready[n].events == b->ready[n].events);
}

/* VERSION: of the encoding. */
static void read_events(const uint8_t *data, size_t size, unsigned version)
{
	static const struct syt_codes codes = SYT_CODES_FIRST;
	static struct syt_predictor reader, writer, again;
	struct syt_ready ready[SYT_NR_READY], ready_again[SYT_NR_READY];
	struct syt_event e = {.ready = ready}, f = {.ready = ready_again};
	uint8_t *raw = malloc(size), encoded[SYT_EVENT_MAX];
	struct syt_cursor c = {raw, raw + size, 0};

	memcpy(raw, data, size);
	syt_predictor_begin(&reader, version, FIRST_TICKS, &c);
	syt_predictor_init(&writer, FIRST_TICKS);
	syt_predictor_init(&again, FIRST_TICKS);
	writer.codes = &codes;
	again.common = codes.common;
	writer.is_coded = again.is_coded = reader.is_coded;
	while (c.p < c.end && syt_event_decode(&reader, &c, &e) == 0) {
		uint8_t *end = syt_event_encode(&writer, encoded, &e, e.stamp & 1);
		struct syt_cursor d = {encoded, end, 0};

		assert(end <= encoded + sizeof(encoded));
		assert(syt_event_decode(&again, &d, &f) == 0 && d.p == end);
		must_be_same(&e, &f);
	}
	assert(c.p <= c.end);
	free(raw);
}

static void read_definitions(const uint8_t *data, size_t size)
{
	struct syt_loading l = {0};
	struct syt_chunk_ref chunk = {.header = {.type = SYT_CHUNK_META}, .data_bytes = size};
	struct syt_meta_walk walk;
	struct syt_meta_ref r;
	uint8_t *bytes = malloc(size);

	memcpy(bytes, data, size);
	syt_recipe_sum(bytes, size, false);
	chunk.data = bytes;
	syt_input_memory(&l.in, "memory", bytes, size);
	syt_problems_init(&l.problems);
	syt_meta_walk_init(&walk, &chunk, &l.problems);
	while (syt_meta_next(&walk, &r)) {
		assert(r.data >= bytes && r.data + r.bytes <= bytes + size);
		syt_record_meta(&l, &r);
	}
	syt_loading_fini(&l);
	syt_image_fini(&l.image);
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	if (data[0] & 1)
		read_definitions(data + 1, size - 1);
	else
		read_events(data + 1, size - 1,
		            !(data[0] & 2) ? SYT_EVENT_VERSION
		            : data[0] & 4  ? SYT_EVENT_VERSION_GHOSTS
		                           : SYT_EVENT_VERSION_CODED);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
	uint32_t nr_events;

	if (size < 2 || (data[0] & 3) || seed % 2) /* syt_mutate_events() knows only version 2 */
		return LLVMFuzzerMutate(data, size, room);
	return 1 + syt_mutate_events(data + 1, size - 1, room - 1, FIRST_TICKS, &nr_events, seed);
}
