/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/read/image.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/store.h"
#include "decoder/read/kept.h"
#include "decoder/read/name.h"

/* number of times that the notes of calls in progress are copied at most; a call takes longer than a copy */
#define NOTE_TRIES 64u

static bool is_empty(const uint8_t *node)
{
	static const struct syt_stack_node empty;

	return memcmp(node, &empty, sizeof(empty)) == 0;
}

/* Copies the stack frames of a chunk one by one. A frame with a wrong checksum becomes a stack
 * marked as truncated. */
static void read_stacks(struct syt_loading *l, const struct syt_chunk_ref *c)
{
	struct syt_image *i = &l->image;
	uint64_t nr = c->data_bytes / sizeof(struct syt_stack_node);
	uint64_t first = c->header.first;
	uint64_t limit = syt_loading_limit(l, sizeof(struct syt_stack_node)) + SYT_PAGE_BYTES;
	uint64_t nr_bad = 0, first_bad = 0;

	while (nr && is_empty(c->data + (nr - 1) * sizeof(struct syt_stack_node)))
		nr--;
	if (!nr)
		return;
	if (!first || first >= limit || first + nr > UINT32_MAX) {
		syt_problem(&l->problems, c->byte,
		            "stacks, byte 0x%" PRIx64 ": impossible first number %" PRIu64
		            ": %" PRIu64 " frames are lost",
		            c->byte, first, nr);
		return;
	}
	if (first + nr > i->nr_stacks) {
		uint32_t had = i->nr_stacks;

		i->nr_stacks = (uint32_t)(first + nr);
		i->stacks = syt_realloc(i->stacks, i->nr_stacks, sizeof(*i->stacks));
		for (uint32_t n = had; n < i->nr_stacks; n++)
			i->stacks[n] =
				(struct syt_stack_node){.offset = n ? SYT_STACK_TRUNCATED : 0};
	}
	for (uint64_t k = 0; k < nr; k++) {
		struct syt_stack_node node;

		memcpy(&node, c->data + k * sizeof(node), sizeof(node));
		if (node.parent < first + k &&
		    node.check == syt_stack_check(node.parent, node.module, node.offset)) {
			/* the frame is all zero: the thread was killed before it wrote the frame */
			if (node.offset || node.module || node.parent)
				i->stacks[first + k] = node;
		} else if (!nr_bad++) {
			first_bad = c->byte + sizeof(struct syt_chunk) + k * sizeof(node);
		}
	}
	if (nr_bad)
		syt_problem(&l->problems, first_bad,
		            "stacks, byte 0x%" PRIx64 ": %" PRIu64
		            " damaged frames; call stacks end at these frames",
		            first_bad, nr_bad);
}

/* Truncates call stacks that are deeper than any recorder makes. Otherwise a crafted stack */
static void cut_deep_stacks(struct syt_loading *l)
{
	struct syt_image *i = &l->image;
	uint16_t *depth = syt_calloc(i->nr_stacks, sizeof(*depth));
	uint32_t nr_cut = 0;

	for (uint32_t n = 1; n < i->nr_stacks; n++) {
		struct syt_stack_node *node = &i->stacks[n];

		if (depth[node->parent] == SYT_MOST_FRAMES) {
			node->parent = 0;
			node->offset |= SYT_STACK_TRUNCATED;
			nr_cut++;
		}
		depth[n] = depth[node->parent] + 1;
	}
	free(depth);
	if (nr_cut)
		syt_problem(&l->problems, 0,
		            "stacks: call stacks of more than %u frames were cut in %" PRIu32
		            " places",
		            SYT_MOST_FRAMES, nr_cut);
}

static void add_segment(struct syt_loading *l, const struct syt_segment *s)
{
	if (!syt_image_thread(l, s->thread)) {
		syt_problem(&l->problems, s->byte,
		            "slot %" PRIu32 ", byte 0x%" PRIx64
		            ": impossible thread number %" PRIu32 "; %" PRIu32 " events are lost",
		            s->slot, s->byte, s->thread, s->nr_events);
		return;
	}
	*SYT_ADD(l->segments, l->nr_segments, l->room_segments) = *s;
	l->image.bytes_events += s->packed_bytes;
	if (s->cal.ticks)
		*SYT_ADD(l->pairs, l->nr_pairs, l->room_pairs) = s->cal;
}

/* Returns true if the dump is large enough for the event bytes that its slots claim. The recorder never leaves a
 * hole in the event buffer (lane) of a slot. Without this check a sparse file of a few KiB could claim events in
 * holes: the decoder would copy any number of bytes and decode zeros as events. */
static bool has_room(struct syt_loading *l, const struct syt_segment *s)
{
	if (s->raw_bytes <= syt_loading_limit(l, 1) - l->bytes_in_lanes) {
		l->bytes_in_lanes += s->raw_bytes;
		return true;
	}
	syt_problem(&l->problems, s->byte,
	            "thread %" PRIu32 ", current block, byte 0x%" PRIx64
	            ": the block claims more bytes than the file has; %" PRIu32 " events are lost",
	            s->thread, s->byte, s->nr_events);
	return false;
}

/* Copies the block of events that a thread is filling (a lane), because a running process may start a new block
 * there meanwhile. If that happens, the copy mixes two blocks, and the decoder uses the newer block. */
static bool copy_lane(struct syt_loading *l, const struct syt_chunk_ref *c, struct syt_slot *slot,
                      unsigned lane, struct syt_segment *s)
{
	const uint8_t *start = c->data - sizeof(struct syt_chunk);
	size_t at = offsetof(struct syt_slot, lanes) + lane * sizeof(struct syt_lane);
	struct syt_lane *mine = &slot->lanes[lane];
	struct syt_lane now;

	for (unsigned tries = 0;; tries++) {
		if (!syt_lane_segment(c, slot, lane, &l->problems, s))
			return false;
		if (!s->raw_bytes)
			return true;
		if (!tries && !has_room(l, s))
			return false;
		uint8_t *copy = syt_alloc(s->raw_bytes, 1);

		memcpy(copy, s->payload, s->raw_bytes);
		s->payload = copy;
		*SYT_ADD(l->copies, l->nr_copies, l->room_copies) = copy;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		memcpy(&now, start + at, sizeof(now));
		if (now.block.first_seq == mine->block.first_seq &&
		    now.block.first_ticks == mine->block.first_ticks &&
		    now.committed >= mine->committed)
			return true;
		if (tries == 8)
			break;
		*mine = now;
	}
	syt_problem(&l->problems, s->byte,
	            "thread %" PRIu32 ", current block, byte 0x%" PRIx64
	            ": the recorder overwrote the block during the read; not used",
	            s->thread, s->byte);
	return false;
}

/* Copies the notes of calls in progress (struct syt_in_flight) until two copies are equal, because a running process may replace
 * a note during the copy. A mixture of two notes has the position of another stream. Then copies the states of the lanes: a call
 * without a note has its event there, or begins later. */
static void copy_notes(const struct syt_chunk_ref *c, struct syt_slot *slot)
{
	const uint8_t *start = c->data - sizeof(struct syt_chunk);
	struct syt_in_flight again[SYT_NR_IN_FLIGHT];
	bool is_whole = false;

	for (unsigned tries = 0; tries < NOTE_TRIES && !is_whole; tries++) {
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		memcpy(again, start + offsetof(struct syt_slot, in_flight), sizeof(again));
		is_whole = !memcmp(again, slot->in_flight, sizeof(again));
		memcpy(slot->in_flight, again, sizeof(again));
	}
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	memcpy(slot->lanes, start + offsetof(struct syt_slot, lanes), sizeof(slot->lanes));
}

static void read_slot(struct syt_loading *l, const struct syt_chunk_ref *c)
{
	struct syt_slot slot;
	struct syt_segment s;

	if (c->data_bytes + sizeof(struct syt_chunk) < sizeof(slot)) {
		syt_problem(&l->problems, c->byte,
		            "slot, byte 0x%" PRIx64
		            ": the file ends inside the slot; its current events are lost",
		            c->byte);
		return;
	}
	memcpy(&slot, c->data - sizeof(struct syt_chunk), sizeof(slot));
	copy_notes(c, &slot);
	slot.slot = c->header.owner;
	*SYT_ADD(l->slots, l->nr_slots, l->room_slots) = (struct syt_slot_count){
		.slot = slot.slot,
		.sealed = slot.sealed,
		.overwritten = slot.overwritten,
		.dropped = slot.dropped,
	};
	if (slot.waiting.since && !slot.dropped)
		*SYT_ADD(l->waiting, l->nr_waiting, l->room_waiting) = slot.waiting;
	for (unsigned i = 0; i < SYT_NR_IN_FLIGHT; i++) {
		const struct syt_in_flight *m = &slot.in_flight[i];

		if (!m->object)
			continue;
		*SYT_ADD(l->image.in_flight, l->image.nr_in_flight, l->room_in_flight) =
			(struct syt_in_flight_info){m->position, m->object - 1, m->is_out,
		                                    slot.tid ? slot.thread : SYT_NONE};
	}
	syt_left_out_add_slot(l, c, slot.thread);
	if (slot.skipped) {
		struct syt_thread *t = syt_image_thread(l, slot.thread);

		if (t)
			t->skipped = slot.skipped;
	}
	for (unsigned lane = 0; lane < SYT_NR_LANES; lane++)
		if (copy_lane(l, c, &slot, lane, &s))
			add_segment(l, &s);
}

static void read_chunk(struct syt_loading *l, const struct syt_chunk_ref *c, uint32_t *nr_blocks)
{
	struct syt_meta_walk metas;
	struct syt_meta_ref meta;
	struct syt_block_walk blocks;
	struct syt_segment segment;

	switch (c->header.type) {
	case SYT_CHUNK_META:
		syt_meta_walk_init(&metas, c, &l->problems);
		while (syt_meta_next(&metas, &meta))
			syt_record_meta(l, &meta);
		break;
	case SYT_CHUNK_STACKS:
		read_stacks(l, c);
		break;
	case SYT_CHUNK_SLOT:
		read_slot(l, c);
		break;
	case SYT_CHUNK_BLOCKS:
		syt_block_walk_init(&blocks, c, &l->problems, nr_blocks);
		blocks.from_ticks = l->from_ticks;
		while (syt_block_next(&blocks, &segment))
			add_segment(l, &segment);
		l->nr_left_out += blocks.nr_left_out;
		break;
	default: /* a newer recorder wrote this type of chunk */
		break;
	}
}

static void count_losses(struct syt_image *i)
{
	/* the other counters of `lost` count definitions, whose events are present */
	i->nr_lost = i->file.lost[SYT_LOSS_NO_SPACE] + i->file.lost[SYT_LOSS_NO_SLOT] +
	             i->file.lost[SYT_LOSS_NESTED] + i->file.lost[SYT_LOSS_TOO_LARGE];
}

/* Finds the next chunk of the dump. The walk through a window ends at the header's `used`, because a process that ends
 * truncates the file behind it. `used` is read again at the end: if a thread seals a block into a new chunk before its slot is
 * read, the slot does not have the events of the block any more. */
static bool next_chunk(const struct syt_loading *l, struct syt_chunk_walk *w,
                       struct syt_chunk_ref *c)
{
	uint64_t used = 0;

	while (!syt_chunk_next(w, c)) {
		if (l->from_ticks && l->has_header)
			memcpy(&used, l->in.data + offsetof(struct syt_file, used), sizeof(used));
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (used > l->in.bytes)
			used = l->in.bytes;
		if (used <= w->end)
			return false;
		w->end = used;
	}
	return true;
}

const char *syt_image_index(struct syt_loading *l)
{
	struct syt_image *i = &l->image;
	struct syt_chunk_walk w;
	struct syt_chunk_ref c;
	uint32_t nr_blocks = 0;
	uint64_t nr_chunks = 0;
	const char *why = syt_record_header(l);

	if (why)
		return why;
	i->bytes_file = l->in.allocated_bytes;
	i->path = syt_asprintf("%s", l->in.name);
	if (l->has_header && i->file.used > l->in.bytes)
		syt_problem(&l->problems, l->in.bytes,
		            "byte 0x%" PRIx64
		            ": the file ends here, but was written up to byte 0x%" PRIx64
		            "; the part before is kept",
		            l->in.bytes, i->file.used);
	/* fit_clock() checks the other pair, `latest`, which has no checksum */
	if (i->file.start.ticks)
		*SYT_ADD(l->pairs, l->nr_pairs, l->room_pairs) = i->file.start;
	/* walks to the end of the file: the checksum does not cover `used`, and holes cost no time */
	syt_chunk_walk_init(&w, &l->in, &l->problems, l->from_ticks ? i->file.used : UINT64_MAX);
	for (; next_chunk(l, &w, &c); nr_chunks++)
		read_chunk(l, &c, &nr_blocks);
	if (!i->nr_stacks) {
		i->nr_stacks = 1;
		i->stacks = syt_calloc(1, sizeof(*i->stacks));
	}
	cut_deep_stacks(l);
	count_losses(i);
	i->is_sampled = syt_left_out_is_known(l) || (l->is_as_sampled && i->sampler);
	return NULL;
}

/* Converts the ticks from which events are complete. 0 (no event is missing) and UINT64_MAX (never) stay, and no other value becomes 0. */
static syt_time complete_time(const struct syt_loading *l, uint64_t ticks, uint32_t *hint)
{
	syt_time t = ticks && ticks != UINT64_MAX ? syt_clock_time(l->clock, ticks, hint) : ticks;

	return ticks && !t ? 1 : t;
}

void syt_image_set_times(struct syt_loading *l)
{
	struct syt_image *i = &l->image;
	uint32_t hint = 0;

	i->clock_hz = l->clock->hz;
	i->complete_from = complete_time(l, i->complete_from, &hint);
	for (uint32_t n = 0; n < i->nr_modules; n++) {
		struct syt_module_info *m = &i->modules[n];

		m->from = syt_clock_time(l->clock, m->from, &hint);
		if (m->to != UINT64_MAX)
			m->to = syt_clock_time(l->clock, m->to, &hint);
	}
	for (uint32_t n = 0; n < i->nr_threads; n++) {
		struct syt_thread *t = &i->threads[n];

		t->first = syt_clock_time(l->clock, t->first, &hint);
		t->complete_from = complete_time(l, t->complete_from, &hint);
		if (t->creator >= i->nr_threads)
			t->creator = SYT_NONE;
	}
	for (uint32_t n = 0; n < i->nr_objects; n++) {
		struct syt_object_info *o = &i->objects[n];
		struct syt_endpoint_info *e = (struct syt_endpoint_info *)(uintptr_t)o->endpoint;

		o->first = syt_clock_time(l->clock, o->first, &hint);
		if (e && e->peer_object >= i->nr_objects)
			e->peer_object = SYT_NONE;
	}
	for (uint64_t n = 0; n < i->nr_blind; n++)
		i->blind[n].at = syt_clock_time(l->clock, i->blind[n].at, &hint);
	syt_left_out_settle(l);
}

void syt_image_add_unknown_call(struct syt_loading *l)
{
	struct syt_image *i = &l->image;

	i->calls = syt_realloc(i->calls, i->nr_calls + 1, sizeof(*i->calls));
	i->calls[i->nr_calls++] =
		(struct syt_call_info){.name = syt_asprintf("unknown"), .shape = SYT_SHAPE_INFO};
	for (uint32_t n = 0; n < i->nr_calls; n++)
		if (!i->calls[n].name)
			i->calls[n].shape = SYT_SHAPE_INFO;
}

void syt_loading_fini(struct syt_loading *l)
{
	syt_input_close(&l->in);
	syt_problems_fini(&l->problems);
	for (size_t n = 0; n < l->nr_copies; n++)
		free(l->copies[n]);
	free(l->copies);
	free(l->segments);
	free(l->pairs);
	free(l->slots);
	free(l->waiting);
	free(l->returned);
	free(l->left_out);
}

void syt_image_fini(struct syt_image *i)
{
	for (uint32_t n = 0; n < i->nr_calls; n++)
		free(i->calls[n].name);
	for (uint32_t n = 0; n < i->nr_modules; n++) {
		free(i->modules[n].path);
		free(i->modules[n].build_id);
	}
	for (uint32_t n = 0; n < i->nr_objects; n++) {
		free((void *)(uintptr_t)i->objects[n].endpoint);
		free(i->objects[n].name);
	}
	for (uint32_t n = 0; n < i->nr_threads; n++) {
		free(i->threads[n].name);
		syt_store_free(i->threads[n].rows);
		syt_store_free(i->threads[n].extras);
		syt_store_free(i->threads[n].wide);
		syt_store_free(i->threads[n].ready);
		syt_store_free(i->threads[n].parts);
		syt_kept_destroy(i->threads[n].kept);
	}
	for (uint64_t n = 0; n < i->nr_blind; n++)
		free(i->blind[n].text);
	free(i->pauses);
	for (uint32_t n = 0; n < i->nr_notes; n++)
		free(i->notes[n]);
	syt_image_names_close(i);
	free(i->calls);
	free(i->modules);
	free(i->objects);
	free(i->threads);
	free(i->in_flight);
	free(i->blind);
	free(i->notes);
	free(i->stacks);
	free(i->call_uses);
	free(i->thread_uses);
	free(i->exe);
	free(i->argv);
	free(i->argv0);
	free(i->component);
	free(i->cwd);
	free(i->libc);
	free(i->pids);
	free(i->sampler);
	free(i->left_out);
	free(i->path);
}

const char *syt_image_program(const struct syt_image *i)
{
	return i->argv0 ? i->argv0 : i->exe ? basename(i->exe) : "?";
}

const char *syt_image_component(const struct syt_image *i)
{
	return i->component ? i->component : syt_image_program(i);
}

const char *syt_thread_name(const struct syt_thread *t)
{
	return t->name || t->index || !t->image ? t->name : syt_image_program(t->image);
}
