/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "tests/lib/dump-writer.h"

#include <assert.h>
#include <lz4.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "decoder/read/reader.h"
#include "tests/lib/pack-columns.h"

#define CHUNK_BYTES 65536u
#define META_ROOM (CHUNK_BYTES - sizeof(struct syt_chunk))
#define NODES_PER_CHUNK (META_ROOM / sizeof(struct syt_stack_node))

struct buffer {
	uint8_t *data;
	size_t bytes, room;
};

struct lane {
	uint8_t raw[SYT_LANE0_BYTES];
	uint32_t pos, nr_events, capacity;
	uint64_t first_seq, first_ticks, last_ticks;
	struct syt_predictor predictor;
	struct buffer sealed;
	uint64_t nr_sealed; /* events in there */
	bool is_dead;       /* the lane's events were sealed, but the lane was not reset */
};

struct thread {
	uint32_t tid;
	uint64_t sealed, overwritten, dropped;
	struct lane *lanes[SYT_NR_LANES];
	struct syt_sampling sampling;
};

struct syt_writer {
	struct syt_file header;
	struct buffer metas;
	struct buffer stacks;
	struct thread *threads;
	uint32_t nr_threads, nr_modules, nr_objects;
	char **calls;
	uint16_t nr_calls;
};

/* ---- memory ---- */

static void *put(struct buffer *b, const void *bytes, size_t nr)
{
	if (b->bytes + nr > b->room) {
		b->room = (b->bytes + nr) * 2;
		b->data = realloc(b->data, b->room);
		assert(b->data);
	}
	uint8_t *at = b->data + b->bytes;

	if (bytes)
		memcpy(at, bytes, nr);
	else
		memset(at, 0, nr);
	b->bytes += nr;
	return at;
}

/* ---- definitions ---- */

struct syt_writer *syt_writer_create(uint32_t index, uint32_t pid)
{
	struct syt_writer *w = calloc(1, sizeof(*w));

	assert(w);
	w->header = (struct syt_file){
		.magic = SYT_FILE_MAGIC,
		.major = SYT_FORMAT_MAJOR,
		.minor = SYT_FORMAT_MINOR,
		.header_bytes = sizeof(struct syt_file),
		.page_bytes = SYT_PAGE_BYTES,
		.trace_id = "test trace",
		.boot_id = "test boot",
		.host = "testhost",
		.machine = "x86_64",
		.index = index,
		.pid = pid,
		.ppid = 1,
		.parent_index = UINT32_MAX,
		.clock_source = SYT_CLOCK_MONOTONIC,
		.clock_hz = 1000000000,
		.start = {1, 1, UINT64_C(1700000000000000001)},
		.block_bytes = SYT_LANE0_BYTES,
		.state = SYT_STATE_RUNNING,
	};
	return w;
}

struct syt_file *syt_writer_header(struct syt_writer *w)
{
	return &w->header;
}

void syt_writer_meta(struct syt_writer *w, uint16_t type, const void *payload, size_t bytes)
{
	struct syt_meta m = {
		.magic = SYT_META_MAGIC,
		.type = type,
		.bytes = (uint32_t)(sizeof(m) + bytes),
		.checksum = XXH32(payload, bytes, type),
	};

	assert(((m.bytes + 7) & ~7u) <= META_ROOM);
	put(&w->metas, &m, sizeof(m));
	put(&w->metas, payload, bytes);
	put(&w->metas, NULL, -bytes & 7);
}

/* Appends a definition with a fixed part and up to two variable parts. */
static void put_meta(struct syt_writer *w, uint16_t type, const void *fixed, size_t fixed_bytes,
                     const void *a, size_t a_bytes, const void *b, size_t b_bytes)
{
	uint8_t payload[4096];

	assert(fixed_bytes + a_bytes + b_bytes <= sizeof(payload));
	memcpy(payload, fixed, fixed_bytes);
	if (a_bytes)
		memcpy(payload + fixed_bytes, a, a_bytes);
	if (b_bytes)
		memcpy(payload + fixed_bytes + a_bytes, b, b_bytes);
	syt_writer_meta(w, type, payload, fixed_bytes + a_bytes + b_bytes);
}

uint16_t syt_writer_define_call(struct syt_writer *w, const char *name, enum syt_shape shape,
                                enum syt_kind kind)
{
	struct syt_meta_call m = {
		.call = (uint16_t)(w->nr_calls + 1),
		.shape = (uint8_t)shape,
		.kind = (uint8_t)kind,
	};

	w->calls = realloc(w->calls, (w->nr_calls + 1u) * sizeof(*w->calls));
	assert(w->calls);
	w->calls[w->nr_calls++] = strdup(name);
	put_meta(w, SYT_META_CALL, &m, sizeof(m), name, strlen(name), NULL, 0);
	return m.call;
}

uint16_t syt_writer_call(struct syt_writer *w, const char *name)
{
	/* clang-format off */
	static const struct {
		const char *name;
		uint8_t shape, kind;
	} table[] = {
#define CALL(name_, shape_, kind_, object_, ret_, params_, args_) \
		{#name_, SYT_SHAPE_##shape_, SYT_KIND_##kind_},
#define HAND(name_, shape_, kind_) {#name_, SYT_SHAPE_##shape_, SYT_KIND_##kind_},
#define MARK(name_, shape_, kind_) {#name_, SYT_SHAPE_##shape_, SYT_KIND_##kind_},
#include "format/calls.def"
	};
	/* clang-format on */

	for (uint16_t n = 0; n < w->nr_calls; n++)
		if (strcmp(w->calls[n], name) == 0)
			return (uint16_t)(n + 1);
	for (size_t n = 0; n < sizeof(table) / sizeof(table[0]); n++)
		if (strcmp(table[n].name, name) == 0)
			return syt_writer_define_call(w, name, table[n].shape, table[n].kind);
	return syt_writer_define_call(w, name, SYT_SHAPE_INFO, SYT_KIND_OTHER);
}

uint32_t syt_writer_module(struct syt_writer *w, const char *path, const void *build_id,
                           uint32_t build_id_bytes, uint64_t bias)
{
	struct syt_meta_module m = {
		.id = ++w->nr_modules,
		.build_id_bytes = build_id_bytes,
		.start = bias,
		.end = bias + 0x100000,
		.bias = bias,
		.ticks = 1,
	};

	put_meta(w, SYT_META_MODULE, &m, sizeof(m), build_id, build_id_bytes, path, strlen(path));
	return m.id;
}

uint32_t syt_writer_stack(struct syt_writer *w, uint32_t parent, uint16_t module, uint64_t offset)
{
	struct syt_stack_node node = {
		.parent = parent,
		.module = module,
		.check = syt_stack_check(parent, module, offset),
		.offset = offset,
	};

	put(&w->stacks, &node, sizeof(node));
	return (uint32_t)(w->stacks.bytes / sizeof(node));
}

uint32_t syt_writer_object(struct syt_writer *w, enum syt_kind kind, uint64_t identity,
                           uint32_t generation, uint16_t flags)
{
	struct syt_meta_object m = {
		.object = ++w->nr_objects,
		.kind = (uint8_t)kind,
		.flags = flags,
		.generation = generation,
		.fd = UINT32_MAX,
		.identity = identity,
		.ticks = 1,
	};

	syt_writer_meta(w, SYT_META_OBJECT, &m, sizeof(m));
	return m.object;
}

void syt_writer_endpoint(struct syt_writer *w, const struct syt_meta_endpoint *e, const void *local,
                         const void *remote)
{
	put_meta(w, SYT_META_ENDPOINT, e, sizeof(*e), local, e->local_bytes, remote,
	         e->remote_bytes);
}

void syt_writer_text(struct syt_writer *w, enum syt_text what, uint32_t subject, const char *text)
{
	struct syt_meta_text m = {.what = what, .subject = subject};

	put_meta(w, SYT_META_TEXT, &m, sizeof(m), text, strlen(text), NULL, 0);
}

uint32_t syt_writer_thread(struct syt_writer *w, uint32_t tid, uint32_t creator, const char *name)
{
	struct syt_meta_thread m = {
		.thread = w->nr_threads,
		.tid = tid,
		.creator = creator,
		.slot = w->nr_threads,
		.ticks = 1,
		.handle = 0x7f0000000000 + tid,
	};

	w->threads = realloc(w->threads, (w->nr_threads + 1) * sizeof(*w->threads));
	assert(w->threads);
	w->threads[w->nr_threads++] = (struct thread){.tid = tid};
	syt_writer_meta(w, SYT_META_THREAD, &m, sizeof(m));
	if (name)
		syt_writer_text(w, SYT_TEXT_THREAD_NAME, m.thread, name);
	return m.thread;
}

/* ---- events ---- */

static void lane_start(struct lane *l, uint64_t first_ticks)
{
	l->pos = l->nr_events = 0;
	l->first_ticks = l->last_ticks = first_ticks;
	syt_predictor_init(&l->predictor, first_ticks);
}

static struct lane *lane_of(struct syt_writer *w, uint32_t t, unsigned lane)
{
	assert(t < w->nr_threads && lane < SYT_NR_LANES);
	struct lane **l = &w->threads[t].lanes[lane];

	if (!*l) {
		*l = calloc(1, sizeof(**l));
		assert(*l);
		(*l)->capacity = lane ? SYT_LANEN_BYTES : SYT_LANE0_BYTES;
		lane_start(*l, 1);
	}
	return *l;
}

void syt_writer_lane_event(struct syt_writer *w, uint32_t t, unsigned lane,
                           const struct syt_event *e)
{
	struct lane *l = lane_of(w, t, lane);

	if (l->pos + SYT_EVENT_MAX > l->capacity)
		syt_writer_seal(w, t, lane);
	assert(!l->is_dead);
	l->pos = (uint32_t)(syt_event_encode(&l->predictor, l->raw + l->pos, e, 0) - l->raw);
	l->nr_events++;
	if (e->stamp > l->last_ticks)
		l->last_ticks = e->stamp;
}

void syt_writer_event(struct syt_writer *w, uint32_t t, const struct syt_event *e)
{
	syt_writer_lane_event(w, t, 0, e);
}

static struct syt_block block_of(const struct lane *l, uint32_t t, unsigned lane)
{
	return (struct syt_block){
		.magic = SYT_BLOCK_MAGIC,
		.version = SYT_EVENT_VERSION,
		.lane = (uint8_t)lane,
		.thread = t,
		.first_seq = l->first_seq,
		.first_ticks = l->first_ticks,
	};
}

static void put_sealed(struct lane *l, struct syt_block *b)
{
	char packed[SYT_PACK_COLUMNS_MOST(SYT_LANE0_BYTES)];
	const void *payload = packed;

	if (l->nr_events % 2) {
		b->codec = SYT_CODEC_COLUMNS;
		b->version = SYT_EVENT_VERSION_COLUMNS;
		b->packed_bytes = syt_pack_columns(l->raw, l->pos, (uint8_t *)packed);
	} else {
		b->codec = SYT_CODEC_LZ4;
		b->packed_bytes = (uint32_t)LZ4_compress_default((const char *)l->raw, packed, (int)l->pos,
		                                                 (int)sizeof(packed));
	}
	if (b->packed_bytes >= l->pos) {
		/* as in the recorder, a block that LZ4 does not shrink is stored uncompressed */
		b->codec = SYT_CODEC_RAW;
		b->version = SYT_EVENT_VERSION;
		b->packed_bytes = l->pos;
		payload = l->raw;
	}
	b->raw_bytes = l->pos;
	b->nr_events = l->nr_events;
	b->last_ticks = l->last_ticks;
	b->cal = (struct syt_clock_pair){l->last_ticks, l->last_ticks,
	                                 UINT64_C(1700000000000000000) + l->last_ticks};
	b->payload_checksum = XXH32(payload, b->packed_bytes, 0);
	b->checksum = XXH32(b, offsetof(struct syt_block, checksum), 0);
	put(&l->sealed, b, sizeof(*b));
	put(&l->sealed, payload, b->packed_bytes);
	put(&l->sealed, NULL, -(size_t)b->packed_bytes & 7);
}

void syt_writer_seal_and_die(struct syt_writer *w, uint32_t t, unsigned lane)
{
	struct lane *l = lane_of(w, t, lane);

	if (!l->nr_events)
		return;
	struct syt_block b = block_of(l, t, lane);

	put_sealed(l, &b);
	w->threads[t].sealed += l->nr_events;
	l->nr_sealed += l->nr_events;
	l->is_dead = true;
}

struct syt_sampling *syt_writer_sampling(struct syt_writer *w, uint32_t t)
{
	assert(t < w->nr_threads);
	return &w->threads[t].sampling;
}

void syt_writer_seal(struct syt_writer *w, uint32_t t, unsigned lane)
{
	struct lane *l = lane_of(w, t, lane);

	syt_writer_seal_and_die(w, t, lane);
	l->is_dead = false;
	l->first_seq += l->nr_events;
	lane_start(l, l->last_ticks);
}

void syt_writer_overwrite(struct syt_writer *w, uint32_t t, unsigned lane)
{
	struct lane *l = lane_of(w, t, lane);
	struct syt_block b;

	assert(l->sealed.bytes);
	memcpy(&b, l->sealed.data, sizeof(b));
	size_t bytes = sizeof(b) + ((b.packed_bytes + 7) & ~7u);

	l->sealed.bytes -= bytes;
	memmove(l->sealed.data, l->sealed.data + bytes, l->sealed.bytes);
	l->nr_sealed -= b.nr_events;
	w->threads[t].overwritten += b.nr_events;
}

void syt_writer_overwrite_unseen(struct syt_writer *w, uint32_t t, uint32_t nr)
{
	assert(t < w->nr_threads);
	w->threads[t].sealed += nr;
	w->threads[t].overwritten += nr;
}

void syt_writer_drop(struct syt_writer *w, uint32_t t, unsigned lane, uint32_t nr)
{
	struct lane *l = lane_of(w, t, lane);

	syt_writer_seal(w, t, lane);
	l->first_seq += nr;
	w->threads[t].dropped += nr;
	w->header.lost[SYT_LOSS_NO_SPACE] += nr;
}

/* ---- the file ---- */

static struct syt_chunk *put_chunk(struct buffer *out, enum syt_chunk_type type, uint32_t owner,
                                   uint64_t first, uint64_t bytes)
{
	bytes = (bytes + SYT_PAGE_BYTES - 1) & ~(uint64_t)(SYT_PAGE_BYTES - 1);
	struct syt_chunk *c = put(out, NULL, bytes);

	c->magic = SYT_CHUNK_MAGIC;
	c->type = (uint16_t)type;
	c->version = 1;
	c->bytes = bytes;
	c->owner = owner;
	c->first = first;
	c->checksum = XXH32(&c->first, 8, XXH32(&c->type, 16, 0));
	return c;
}

static void put_metas(struct buffer *out, const struct buffer *metas)
{
	size_t from = 0;

	while (from < metas->bytes) {
		size_t to = from;

		for (;;) { /* records never span chunks */
			struct syt_meta m;

			if (to == metas->bytes)
				break;
			memcpy(&m, metas->data + to, sizeof(m));
			if (to + ((m.bytes + 7) & ~7u) - from > META_ROOM)
				break;
			to += (m.bytes + 7) & ~7u;
		}
		struct syt_chunk *c = put_chunk(out, SYT_CHUNK_META, 0, 0, CHUNK_BYTES);

		memcpy(c + 1, metas->data + from, to - from);
		c->used = to - from;
		from = to;
	}
}

static void put_stacks(struct buffer *out, const struct buffer *stacks)
{
	size_t nr = stacks->bytes / sizeof(struct syt_stack_node);

	for (size_t from = 0; from < nr; from += NODES_PER_CHUNK) {
		size_t n = nr - from < NODES_PER_CHUNK ? nr - from : NODES_PER_CHUNK;
		struct syt_chunk *c = put_chunk(out, SYT_CHUNK_STACKS, 0, from + 1, CHUNK_BYTES);

		memcpy(c + 1, (struct syt_stack_node *)(void *)stacks->data + from,
		       n * sizeof(struct syt_stack_node));
		c->used = n;
	}
}

static void put_thread(struct buffer *out, struct thread *th, uint32_t t)
{
	struct syt_slot *s = (struct syt_slot *)put_chunk(
		out, SYT_CHUNK_SLOT, t, 0,
		SYT_PAGE_BYTES + SYT_LANE0_BYTES + (SYT_NR_LANES - 1) * SYT_LANEN_BYTES);
	uint32_t offset = SYT_PAGE_BYTES;

	s->slot = s->thread = t;
	s->tid = th->tid;
	s->overwritten = th->overwritten;
	s->dropped = th->dropped;
	s->sealed = th->sealed;
	memcpy((uint8_t *)s + SYT_SAMPLING_AT, &th->sampling, sizeof(th->sampling));
	for (unsigned n = 0; n < SYT_NR_LANES; n++) {
		struct lane *l = th->lanes[n];

		s->lanes[n].offset = offset;
		s->lanes[n].bytes = n ? SYT_LANEN_BYTES : SYT_LANE0_BYTES;
		if (l) {
			s->lanes[n].block = block_of(l, t, n);
			s->lanes[n].committed = (uint64_t)l->nr_events << 32 | l->pos;
			memcpy((uint8_t *)s + offset, l->raw, l->pos);
		}
		offset += s->lanes[n].bytes;
	}
	for (unsigned n = 0; n < SYT_NR_LANES; n++) {
		struct lane *l = th->lanes[n];

		if (!l || !l->sealed.bytes)
			continue;
		struct syt_chunk *c =
			put_chunk(out, SYT_CHUNK_BLOCKS, t, 0, sizeof(*c) + l->sealed.bytes);

		memcpy(c + 1, l->sealed.data, l->sealed.bytes);
		c->used = l->sealed.bytes;
		c->generation = 1;
		c->nr_events = l->nr_sealed;
	}
}

static void destroy(struct syt_writer *w)
{
	for (uint32_t t = 0; t < w->nr_threads; t++) {
		for (unsigned n = 0; n < SYT_NR_LANES; n++) {
			if (w->threads[t].lanes[n])
				free(w->threads[t].lanes[n]->sealed.data);
			free(w->threads[t].lanes[n]);
		}
	}
	for (uint16_t n = 0; n < w->nr_calls; n++)
		free(w->calls[n]);
	free(w->calls);
	free(w->threads);
	free(w->metas.data);
	free(w->stacks.data);
	free(w);
}

uint8_t *syt_writer_finish(struct syt_writer *w, size_t *bytes)
{
	struct buffer out = {NULL, 0, 0};
	struct syt_file *f;

	put(&out, NULL, SYT_PAGE_BYTES);
	put_metas(&out, &w->metas);
	put_stacks(&out, &w->stacks);
	for (uint32_t t = 0; t < w->nr_threads; t++)
		put_thread(&out, &w->threads[t], t);
	f = (struct syt_file *)out.data;
	*f = w->header;
	f->used = f->capacity = out.bytes;
	f->checksum = XXH32((uint8_t *)f + 24, offsetof(struct syt_file, live_begin) - 24, 0);
	destroy(w);
	*bytes = out.bytes;
	return out.data;
}

void syt_writer_save(struct syt_writer *w, const char *directory)
{
	char path[4096];
	size_t bytes;

	snprintf(path, sizeof(path), "%s/%04u.%u" SYT_DUMP_SUFFIX, directory, w->header.index,
	         w->header.pid);
	FILE *file = fopen(path, "w");
	uint8_t *dump = syt_writer_finish(w, &bytes);

	assert(file);
	size_t written = fwrite(dump, 1, bytes, file);

	assert(written == bytes);
	int rv = fclose(file);

	assert(rv == 0);
	free(dump);
}

struct syt_trace_data *syt_writer_read(struct syt_writer *w)
{
	const struct syt_read_options options = {.problems_shown = 10};
	struct syt_read_report report;
	size_t bytes;
	uint8_t *dump = syt_writer_finish(w, &bytes);
	struct syt_trace_data *trace = syt_read_memory(dump, bytes, &options, &report);

	assert(report.nr_read == 1);
	free(dump);
	return trace;
}
