/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/read/tail.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "decoder/read/name.h"
#include "format/sampling.h"

/* maximum number of looks (readings of new events) that wait for data which a thread has begun to write */
#define STALLS_MAX 20u
/* maximum number of looks at the dump of a process that vanished without an exit record */
#define DEAD_MAX 10u
/* number of looks without new data after which a chunk that has successors counts as full */
#define QUIET_MAX 10u
/* maximum of bytes of definitions or event blocks that are read at a time */
#define CHUNK_MAX (UINT64_C(1) << 30)

struct syt_tail_chunk {
	uint64_t at, bytes, first;
	/* done: bytes of definitions or event blocks that were already read */
	uint64_t done, generation;
	uint32_t owner;
	uint16_t type;
	uint8_t lane;
	bool has_lane, is_full; /* is_full: no process will add data to the chunk */
	unsigned nr_stalls, nr_quiet;
};

/* The next event number in each lane (the thread itself, or signal handlers at one nesting depth) of a thread. */
struct syt_tail_thread {
	uint64_t next_seq[SYT_NR_LANES];
};

/* ---- reading ---- */

static bool get(const struct syt_tail_image *i, void *to, size_t bytes, uint64_t at)
{
	return pread(i->fd, to, bytes, (off_t)at) == (ssize_t)bytes;
}

static uint8_t *buffer_of(struct syt_tail *t, uint64_t bytes)
{
	if (bytes > t->buffer_bytes) {
		t->buffer_bytes = bytes;
		t->buffer = syt_realloc(t->buffer, bytes, 1);
	}
	return t->buffer;
}

static struct syt_tail_thread *thread_at(struct syt_tail_image *i, uint32_t thread)
{
	if (!syt_image_thread(&i->loading, thread))
		return NULL;
	if (thread >= i->nr_threads) {
		syt_grow(&i->threads, &i->room_threads, (size_t)thread + 1, sizeof(*i->threads));
		memset(i->threads + i->nr_threads, 0,
		       ((size_t)thread + 1 - i->nr_threads) * sizeof(*i->threads));
		i->nr_threads = (size_t)thread + 1;
	}
	return &i->threads[thread];
}

/* ---- the chunks ---- */

static struct syt_tail_slot *slot_of(struct syt_tail_image *i, uint32_t number)
{
	for (size_t n = 0; n < i->nr_slots; n++)
		if (i->slots[n].page.chunk.owner == number)
			return &i->slots[n];
	return NULL;
}

static void meet_chunk(struct syt_tail_image *i, const struct syt_chunk *c)
{
	struct syt_tail_slot *s;

	if (c->type == SYT_CHUNK_SLOT && !slot_of(i, c->owner)) {
		s = SYT_ADD(i->slots, i->nr_slots, i->room_slots);
		*s = (struct syt_tail_slot){.at = i->end, .bytes = c->bytes};
		s->page.chunk.owner = c->owner;
	} else if (c->type == SYT_CHUNK_META || c->type == SYT_CHUNK_STACKS ||
	           c->type == SYT_CHUNK_BLOCKS) {
		*SYT_ADD(i->chunks, i->nr_chunks, i->room_chunks) = (struct syt_tail_chunk){
			.at = i->end,
			.bytes = c->bytes,
			.first = c->first,
			.owner = c->owner,
			.type = c->type,
		};
	}
}

/* Walks through the chunks made since the last walk. If a thread is making a chunk, its size is unknown, so the
 * walk waits for it, for at most STALLS_MAX looks. IS_LOOK: this is the first walk in this look. */
static void walk(struct syt_tail_image *i, bool is_look)
{
	struct syt_input *in = &i->loading.in;
	uint64_t used = i->loading.image.file.used;
	struct syt_chunk c;
	struct stat st;

	if (fstat(i->fd, &st) || !get(i, &used, sizeof(used), offsetof(struct syt_file, used)))
		return;
	in->bytes = (uint64_t)st.st_size;
	in->allocated_bytes = (uint64_t)st.st_blocks * 512;
	if (used > in->bytes)
		used = in->bytes;
	while (i->end < used && get(i, &c, sizeof(c), i->end)) {
		if (syt_chunk_is_valid(&c) && c.bytes <= in->bytes - i->end) {
			meet_chunk(i, &c);
			i->end += c.bytes;
			i->nr_stalls = 0;
		} else if (i->nr_stalls > STALLS_MAX) {
			i->end += SYT_PAGE_BYTES;
		} else if (i->is_live) {
			i->nr_stalls += is_look;
			break;
		} else {
			i->nr_stalls = STALLS_MAX + 1;
		}
	}
}

/* ---- definitions ---- */

static bool is_wanted(unsigned type)
{
	return type == SYT_META_CALL || type == SYT_META_CALLS || type == SYT_META_TEXT ||
	       type == SYT_META_MODULE || type == SYT_META_THREAD || type == SYT_META_OBJECT ||
	       type == SYT_META_ORIGIN;
}

/* Reads definition records up to an incomplete record. Waits for that record, for at most STALLS_MAX
 * looks, and then skips it. */
static void read_definitions(struct syt_tail_image *i, struct syt_tail_chunk *c, bool has_later,
                             bool is_look)
{
	struct syt_chunk header;
	struct syt_chunk_ref ref = {.byte = c->at};
	struct syt_meta_walk w;
	struct syt_meta_ref r;
	uint8_t *bytes;

	if (!get(i, &header, sizeof(header), c->at) || header.used > c->bytes - sizeof(header))
		return;
	/* a thread that does not yet know the later chunk may still reserve space for a record in this chunk */
	c->nr_quiet = has_later && header.used == c->done ? c->nr_quiet + is_look : 0;
	c->is_full = c->nr_quiet > QUIET_MAX;
	if (header.used <= c->done || header.used - c->done > CHUNK_MAX)
		return;
	ref.data_bytes = header.used - c->done;
	bytes = syt_alloc(ref.data_bytes, 1);
	ref.data = bytes;
	syt_meta_walk_init(&w, &ref, &i->loading.problems);
	if (!get(i, bytes, ref.data_bytes, c->at + sizeof(header) + c->done))
		ref.data_bytes = 0;
	while (ref.data_bytes - w.at >= sizeof(struct syt_meta)) {
		uint16_t magic;

		memcpy(&magic, bytes + w.at, sizeof(magic));
		if (magic != SYT_META_MAGIC && i->is_live && c->nr_stalls < STALLS_MAX) {
			c->nr_stalls += is_look;
			break;
		}
		c->nr_stalls = 0;
		if (syt_meta_next(&w, &r) && is_wanted(r.type))
			syt_record_meta(&i->loading, &r);
	}
	c->done += w.at;
	free(bytes);
}

static void define(struct syt_tail_image *i, bool is_look)
{
	size_t last;

	walk(i, is_look);
	for (last = i->nr_chunks; last && i->chunks[last - 1].type != SYT_CHUNK_META;)
		last--;
	for (size_t n = 0; n < last; n++)
		if (i->chunks[n].type == SYT_CHUNK_META && !i->chunks[n].is_full)
			read_definitions(i, &i->chunks[n], n + 1 < last, is_look);
}

void syt_tail_define(struct syt_tail_image *i)
{
	define(i, false);
}

/* ---- stacks ---- */

static bool read_node(struct syt_tail_image *i, struct syt_stack_node *node, uint32_t id)
{
	for (size_t n = 0; n < i->nr_chunks; n++) {
		const struct syt_tail_chunk *c = &i->chunks[n];
		uint64_t nr = (c->bytes - sizeof(struct syt_chunk)) / sizeof(*node);

		if (c->type == SYT_CHUNK_STACKS && id >= c->first && id - c->first < nr)
			return get(i, node, sizeof(*node),
			           c->at + sizeof(struct syt_chunk) +
			                   (id - c->first) * sizeof(*node)) &&
			       node->parent < id &&
			       node->check ==
			               syt_stack_check(node->parent, node->module, node->offset);
	}
	return false;
}

static uint32_t read_stack(struct syt_tail_image *i, uint32_t stack)
{
	struct syt_image *image = &i->loading.image;

	if (!stack || stack >= syt_loading_limit(&i->loading, sizeof(struct syt_stack_node)))
		return 0;
	if (stack >= image->nr_stacks) {
		image->stacks =
			syt_realloc(image->stacks, (size_t)stack + 1, sizeof(*image->stacks));
		memset(image->stacks + image->nr_stacks, 0,
		       ((size_t)stack + 1 - image->nr_stacks) * sizeof(*image->stacks));
		image->nr_stacks = stack + 1;
	}
	for (uint32_t id = stack; id && !image->stacks[id].check; id = image->stacks[id].parent)
		if (!read_node(i, &image->stacks[id], id))
			image->stacks[id] = (struct syt_stack_node){.offset = SYT_STACK_TRUNCATED};
	return stack;
}

uint32_t syt_tail_stack(struct syt_tail_image *i, uint32_t stack)
{
	syt_tail_define(i);
	return read_stack(i, stack);
}

void syt_tail_origins(struct syt_tail_image *i)
{
	struct syt_loading *l = &i->loading;

	/* threads may write the definition of an object after those of later objects, which are numbered after it */
	if (l->first_changed < i->nr_origins) {
		syt_image_names_forget(&l->image);
		i->nr_origins = l->first_changed;
	}
	l->first_changed = SYT_NONE;
	for (; i->nr_origins < l->image.nr_objects; i->nr_origins++)
		read_stack(i, l->image.objects[i->nr_origins].origin);
}

/* ---- events ---- */

/* Sets the next expected event number of thread T in LANE to NEXT. Reports a gap if this skips event numbers. */
static void meet_gap(struct syt_tail_image *i, uint32_t thread, struct syt_tail_thread *t,
                     unsigned lane, uint64_t next, uint64_t ticks)
{
	if (next > t->next_seq[lane]) {
		t->next_seq[lane] = next;
		i->eye->on_gap(i->eye->context, i, thread, ticks);
	}
}

/* Decodes NR events at the cursor; the first has number SEQ. Reports the events that were not reported
 * before. Returns the number of decoded events. */
static uint32_t decode(struct syt_tail_image *i, uint32_t thread, unsigned lane,
                       struct syt_predictor *p, struct syt_cursor *c, uint64_t seq, uint32_t nr)
{
	struct syt_ready ready[SYT_NR_READY];
	struct syt_event e = {.ready = ready};
	/* a sampler may have left out calls before an event, and around a ghost: an event without call stack */
	bool is_sampled = i->loading.image.file.major == SYT_FORMAT_MAJOR_SAMPLED;
	uint32_t n = 0;

	for (; n < nr && c->p < c->end && syt_event_decode(p, c, &e) == 0; n++) {
		/* the pointer is fetched again for each event: a callback may add threads and thereby
		 * move the array */
		struct syt_tail_thread *t = &i->threads[thread];

		if (seq + n >= t->next_seq[lane]) {
			t->next_seq[lane] = seq + n + 1;
			if (e.left_out || (is_sampled && !e.stack))
				i->eye->on_gap(i->eye->context, i, thread, e.stamp);
			i->eye->on_event(i->eye->context, i, thread, &e);
		}
	}
	return n;
}

static void look_at_block(struct syt_tail *t, struct syt_tail_image *i, const struct syt_segment *s)
{
	struct syt_tail_thread *thread = thread_at(i, s->thread);
	struct syt_predictor predictor = {0};
	const uint8_t *raw;

	if (!thread || s->first_seq + s->nr_events <= thread->next_seq[s->lane])
		return;
	meet_gap(i, s->thread, thread, s->lane, s->first_seq, s->first_ticks);
	raw = syt_segment_raw(s, t->raw);
	if (raw) {
		struct syt_cursor c = {raw, raw + s->raw_bytes, 0};

		syt_predictor_begin(&predictor, s->version, s->first_ticks, &c);
		decode(i, s->thread, s->lane, &predictor, &c, s->first_seq, s->nr_events);
	}
	meet_gap(i, s->thread, &i->threads[s->thread], s->lane, s->first_seq + s->nr_events,
	         s->first_ticks);
}

/* A chunk of event blocks with its unread part. */
struct news {
	struct syt_tail_chunk *chunk;
	uint64_t used, first_ticks;
};

static bool has_news(struct syt_tail_image *i, struct syt_tail_chunk *c, struct news *news)
{
	struct syt_chunk header;
	struct syt_block block;

	if (!get(i, &header, sizeof(header), c->at))
		return false;
	if (header.generation != c->generation) {
		c->generation = header.generation;
		c->done = 0;
	}
	if (header.used > c->bytes - sizeof(header) || header.used < c->done + sizeof(block) ||
	    !get(i, &block, sizeof(block), c->at + sizeof(header) + c->done))
		return false;
	*news = (struct news){c, header.used, block.first_ticks};
	c->lane = block.lane;
	c->has_lane = true;
	return true;
}

static int by_time(const void *a, const void *b)
{
	const struct news *x = a, *y = b;

	return x->first_ticks < y->first_ticks ? -1 : x->first_ticks > y->first_ticks;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Returns true, and sets t->is_behind, if the time for this look is over. */
static bool is_late(struct syt_tail *t)
{
	t->is_behind |= t->until_ns && now_ns() >= t->until_ns;
	return t->is_behind;
}

static void read_news(struct syt_tail *t, struct syt_tail_image *i, const struct news *news)
{
	struct syt_tail_chunk *c = news->chunk;
	struct syt_chunk_ref ref = {.byte = c->at, .data_bytes = news->used - c->done};
	struct syt_block_walk w;
	struct syt_segment s;
	uint32_t number = 0;

	if (ref.data_bytes > CHUNK_MAX)
		return;
	ref.header.owner = c->owner;
	ref.data = buffer_of(t, ref.data_bytes);
	if (!get(i, t->buffer, ref.data_bytes, c->at + sizeof(struct syt_chunk) + c->done))
		return;
	syt_block_walk_init(&w, &ref, &i->loading.problems, &number);
	while (!is_late(t) && syt_block_next(&w, &s))
		look_at_block(t, i, &s);
	c->done = t->is_behind ? c->done + w.at : news->used;
}

/* Reads the event blocks that slot OWNER completed (sealed) since the last look. In stream mode
 * (without a ring), a chunk is complete when the same lane has a later chunk. */
static void look_at_blocks(struct syt_tail *t, struct syt_tail_image *i, uint32_t owner)
{
	bool is_stream = i->loading.image.file.mode == SYT_MODE_STREAM;
	bool has_later[SYT_NR_LANES] = {false};
	struct news *news = NULL;
	size_t nr = 0, room = 0;

	for (size_t n = i->nr_chunks; n-- > 0;) {
		struct syt_tail_chunk *c = &i->chunks[n];
		struct news one;

		if (c->type != SYT_CHUNK_BLOCKS || c->owner != owner || c->is_full)
			continue;
		if (has_news(i, c, &one))
			*SYT_ADD(news, nr, room) = one;
		if (is_stream && c->has_lane && c->lane < SYT_NR_LANES) {
			c->is_full = has_later[c->lane];
			has_later[c->lane] = true;
		}
	}
	if (nr)
		qsort(news, nr, sizeof(*news), by_time);
	for (size_t n = 0; n < nr; n++) {
		if (!t->is_behind)
			read_news(t, i, &news[n]);
		if (t->is_behind)
			news[n].chunk->is_full = false;
	}
	free(news);
}

/* Reads the events that were written into the current block of LANE since the last look. If the thread
 * starts a new block there meanwhile, reports no events: the completed block contains them. */
static void look_at_lane(struct syt_tail *t, struct syt_tail_image *i, struct syt_tail_slot *s,
                         unsigned lane)
{
	const struct syt_lane *l = &s->page.lanes[lane];
	struct syt_tail_lane *mine = &s->lanes[lane];
	uint32_t bytes = (uint32_t)l->committed, nr = (uint32_t)(l->committed >> 32), read;
	struct syt_tail_thread *thread;
	struct syt_lane after;
	bool has_more;

	if (!SYT_EVENT_VERSION_IS_KNOWN(l->block.version) || l->block.first_seq > INT64_MAX)
		return;
	if (mine->first_seq != l->block.first_seq || mine->first_ticks != l->block.first_ticks ||
	    mine->thread != l->block.thread) {
		mine->thread = l->block.thread;
		mine->first_seq = l->block.first_seq;
		mine->first_ticks = l->block.first_ticks;
		mine->bytes = mine->nr = 0;
	}
	if (bytes <= mine->bytes || nr <= mine->nr || bytes > SYT_RAW_MAX ||
	    l->offset < sizeof(s->page) || l->offset > s->bytes || bytes > s->bytes - l->offset)
		return;
	read = bytes - mine->bytes;
	if (!get(i, buffer_of(t, SYT_RAW_MAX), read, s->at + l->offset + mine->bytes) ||
	    !get(i, &after, sizeof(after),
	         s->at + offsetof(struct syt_slot, lanes) + lane * sizeof(after)))
		return;
	has_more = after.block.first_seq != l->block.first_seq ||
	              after.block.first_ticks != l->block.first_ticks ||
	              after.block.thread != l->block.thread || after.committed < l->committed;
	s->has_more |= has_more;
	if (has_more)
		return;
	thread = thread_at(i, mine->thread);
	if (!thread)
		return;
	meet_gap(i, mine->thread, thread, lane, mine->first_seq, mine->first_ticks);
	if (!mine->predictor)
		mine->predictor = syt_calloc(1, sizeof(*mine->predictor));

	struct syt_cursor c = {t->buffer, t->buffer + read, 0};

	if (!mine->bytes)
		syt_predictor_begin(mine->predictor, l->block.version, mine->first_ticks, &c);

	/* Events that cannot be decoded here are not tried again: the completed block will contain
	 * them correctly, or show a gap. */
	decode(i, mine->thread, lane, mine->predictor, &c, mine->first_seq + mine->nr,
	       nr - mine->nr);
	mine->bytes = bytes;
	mine->nr = nr;
}

/* Returns true if the sampler has left out calls of the thread of the slot since its last event: it may hold no lock any more. */
static bool is_not_sampled(struct syt_tail_image *i, const struct syt_tail_slot *s)
{
	uint64_t left_out;

	return i->loading.image.file.major == SYT_FORMAT_MAJOR_SAMPLED &&
	       get(i, &left_out, sizeof(left_out),
	           s->at + SYT_SAMPLING_AT + offsetof(struct syt_sampling, left_out)) &&
	       left_out;
}

static void look_at_slot(struct syt_tail *t, struct syt_tail_image *i, struct syt_tail_slot *s)
{
	uint64_t dropped = s->page.dropped;
	struct syt_slot page;
	bool has_sealed;

	if (!get(i, &page, sizeof(page), s->at))
		return;
	has_sealed = !s->is_known || s->is_behind || page.sealed != s->sealed;
	for (unsigned n = 0; n < SYT_NR_LANES; n++)
		has_sealed |= page.lanes[n].block.first_seq != s->lanes[n].first_seq ||
		              page.lanes[n].block.thread != s->lanes[n].thread;
	page.chunk.owner = s->page.chunk.owner;
	s->page = page;
	s->sealed = page.sealed;
	if (has_sealed)
		look_at_blocks(t, i, page.chunk.owner);
	s->is_behind = has_sealed && t->is_behind;
	s->has_more = false;
	for (unsigned n = 0; n < SYT_NR_LANES && !s->is_behind; n++)
		look_at_lane(t, i, s, n);
	if (is_not_sampled(i, s) && thread_at(i, page.thread))
		i->eye->on_gap(i->eye->context, i, page.thread, i->now);
	if (s->is_known && page.dropped != dropped && thread_at(i, page.thread))
		i->eye->on_gap(i->eye->context, i, page.thread, i->now);
	s->is_known = true;
}

/* ---- images ---- */

static uint64_t now_ticks(uint32_t source)
{
	if (source == SYT_CLOCK_MONOTONIC)
		return now_ns();
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t ticks;

	__asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#else
	return 0;
#endif
}

/* Sets ns_per_tick from the nominal frequency of the clock or, if it is unknown, from the mean rate
 * since the begin of the dump. */
static void set_clock(struct syt_tail_image *i)
{
	const struct syt_file *f = &i->loading.image.file;
	uint64_t ns = now_ns();

	i->now = now_ticks(f->clock_source);
	if (f->clock_source == SYT_CLOCK_MONOTONIC)
		i->ns_per_tick = 1;
	else if (f->clock_hz)
		i->ns_per_tick = 1e9 / (double)f->clock_hz;
	else if (i->now > f->start.ticks && ns > f->start.mono_ns)
		i->ns_per_tick =
			(double)(ns - f->start.mono_ns) / (double)(i->now - f->start.ticks);
	else
		i->ns_per_tick = 1;
}

static void set_pauses(struct syt_tail_image *i, const struct syt_trace *trace)
{
	bool is_ns = i->loading.image.file.clock_source == SYT_CLOCK_MONOTONIC;
	uint32_t nr = trace->nr_pauses < SYT_NR_PAUSES ? trace->nr_pauses : SYT_NR_PAUSES;
	const struct syt_pause *last = nr ? &trace->pauses[nr - 1] : NULL;

	i->resumed = 0;
	if (trace->control != trace->unpaused || (last && !last->to_ns))
		i->resumed = UINT64_MAX;
	else if (last)
		i->resumed = is_ns ? last->to_ns : last->to_ticks;
}

/* Reads the file header of the process image. Returns false if the header is not */
static bool begin(struct syt_tail *t, struct syt_tail_image *i)
{
	uint8_t page[SYT_PAGE_BYTES] = {0};
	struct syt_loading *l = &i->loading;
	bool is_right;

	if (!get(i, page, sizeof(page), 0))
		return false;
	syt_input_memory(&l->in, i->name, page, sizeof(page));
	is_right = !syt_record_header(l) && l->has_header;
	l->in.data = NULL;
	if (!is_right) {
		syt_input_close(&l->in);
		return false;
	}
	l->image.index = l->image.file.index;
	l->image.path = syt_asprintf("%s/%s", t->dir, i->name);
	syt_image_names_open(&l->image, t->symbols);
	i->end = SYT_PAGE_BYTES;
	i->has_begun = i->is_live = true;
	i->eye->on_image(i->eye->context, i);
	return true;
}

static bool is_recording(const struct syt_tail_image *i, const struct syt_trace *trace,
                         uint64_t state)
{
	const struct syt_file *f = &i->loading.image.file;
	/* the first pid of the list is in the outermost namespace */
	const char *pids = i->loading.image.pids;
	unsigned long pid = pids ? strtoul(pids, NULL, 10) : f->pid;

	if (state != SYT_STATE_RUNNING || pid > INT32_MAX || !pid)
		return false;
	if (f->index < SYT_NR_TRACE_PROCESSES && trace->pids[f->index] != f->pid)
		return false;
	return !kill((pid_t)pid, 0) || errno == EPERM;
}

/* Sets is_live and is_over of the process image, and its numbers of losses. A process that begins or calls exec does not record
 * for an instant. */
static void set_state(struct syt_tail_image *i, const struct syt_trace *trace)
{
	uint64_t state = 0;

	get(i, &state, sizeof(state), offsetof(struct syt_file, state));
	get(i, i->loading.image.file.lost, sizeof(i->loading.image.file.lost),
	    offsetof(struct syt_file, lost));
	state &= 0xff;
	i->is_live = is_recording(i, trace, state);
	i->nr_dead = i->is_live ? 0 : i->nr_dead + 1;
	i->is_over = i->nr_dead && (state == SYT_STATE_EXITED || i->nr_dead > DEAD_MAX);
}

static void look_at_image(struct syt_tail *t, struct syt_tail_image *i,
                          const struct syt_trace *trace)
{
	i->fd = openat(t->fd, i->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (i->fd < 0 && !t->has_unreadable) {
		syt_warn("%s/%s: %s", t->dir, i->name, strerror(errno));
		t->has_unreadable = true;
	}
	if (i->fd < 0 || (!i->has_begun && !begin(t, i)))
		goto end;
	set_clock(i);
	set_pauses(i, trace);
	if (!t->skips_events)
		define(i, true);
	/* the state is read before the events: a process whose recording is over has already written
	 * all its data */
	set_state(i, trace);
	for (size_t n = 0; n < i->nr_slots && !t->skips_events; n++)
		look_at_slot(t, i, &i->slots[n]);
	if (t->is_behind)
		i->is_over = false;
	i->eye->on_looked(i->eye->context, i);
end:
	if (i->fd >= 0)
		close(i->fd);
	i->fd = -1;
}

static bool is_known(const struct syt_tail *t, const char *name)
{
	for (size_t n = 0; n < t->nr_images; n++)
		if (!strcmp(t->images[n]->name, name))
			return true;
	return false;
}

static bool find_images(struct syt_tail *t)
{
	int fd = openat(t->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	if (!d) {
		syt_warn("%s: %s", t->dir, strerror(errno));
		return false;
	}
	while ((e = readdir(d))) {
		struct syt_tail_image *i;

		if (!syt_input_is_dump(e->d_name) || is_known(t, e->d_name))
			continue;
		i = syt_calloc(1, sizeof(*i));
		i->name = syt_asprintf("%s", e->d_name);
		i->fd = i->loading.in.fd = -1;
		syt_problems_init(&i->loading.problems);
		*SYT_ADD(t->images, t->nr_images, t->room_images) = i;
	}
	closedir(d);
	return true;
}

/* ---- the whole trace ---- */

/* Reads the beginning of the trace's shared file: its header and its list of pids. */
static bool read_trace(const struct syt_tail *t, struct syt_trace *trace)
{
	int fd = openat(t->fd, SYT_TRACE_NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	size_t bytes = offsetof(struct syt_trace, endpoints);
	bool is_read = fd >= 0 && pread(fd, trace, bytes, 0) == (ssize_t)bytes;

	if (fd >= 0)
		close(fd);
	return is_read && trace->magic == SYT_TRACE_MAGIC && trace->major == SYT_FORMAT_MAJOR;
}

bool syt_tail_open(struct syt_tail *t, const char *dir)
{
	struct syt_trace *trace = syt_alloc(offsetof(struct syt_trace, endpoints), 1);
	bool is_trace;

	*t = (struct syt_tail){.fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
	is_trace = t->fd >= 0 && read_trace(t, trace);
	free(trace);
	if (!is_trace) {
		syt_warn("%s: %s", dir,
		         t->fd < 0 ? strerror(errno)
		                   : "contains no trace that this version of syntrace can read");
		if (t->fd >= 0)
			close(t->fd);
		return false;
	}
	t->dir = syt_asprintf("%s", dir);
	t->raw = syt_alloc(SYT_RAW_MAX, 1);
	return true;
}

bool syt_tail_look(struct syt_tail *t, const struct syt_tail_eye *eye)
{
	struct syt_trace *trace = syt_alloc(offsetof(struct syt_trace, endpoints), 1);
	bool is_done = read_trace(t, trace);

	t->is_behind = false;
	if (is_done)
		t->nr_processes = trace->nr_processes;
	else
		syt_warn("%s: the trace directory was removed", t->dir);
	if (is_done && t->nr_images < trace->nr_processes)
		is_done = find_images(t);
	for (size_t n = 0; is_done && n < t->nr_images; n++) {
		t->images[n]->eye = eye;
		if (!t->images[n]->is_over)
			look_at_image(t, t->images[n], trace);
	}
	free(trace);
	return is_done;
}

bool syt_tail_is_live(const struct syt_tail *t)
{
	for (size_t n = 0; n < t->nr_images; n++)
		if (t->images[n]->has_begun && !t->images[n]->is_over)
			return true;
	return false;
}

bool syt_tail_has_read(const struct syt_tail *t)
{
	for (size_t n = 0; n < t->nr_images; n++)
		if (t->images[n]->has_begun)
			return !t->has_unreadable;
	if (!t->has_unreadable)
		syt_warn("%s: contains no dump (*%s), the trace file of a process, that can be read", t->dir,
		         SYT_DUMP_SUFFIX);
	return false;
}

void syt_tail_close(struct syt_tail *t)
{
	for (size_t n = 0; n < t->nr_images; n++) {
		struct syt_tail_image *i = t->images[n];

		for (size_t s = 0; s < i->nr_slots; s++)
			for (unsigned lane = 0; lane < SYT_NR_LANES; lane++)
				free(i->slots[s].lanes[lane].predictor);
		syt_loading_fini(&i->loading);
		syt_image_fini(&i->loading.image);
		free(i->chunks);
		free(i->slots);
		free(i->threads);
		free(i->name);
		free(i);
	}
	free(t->images);
	free(t->buffer);
	free(t->raw);
	free(t->dir);
	close(t->fd);
}
