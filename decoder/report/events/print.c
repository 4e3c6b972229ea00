/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The members of the JSON line must keep their names, because other programs read them; others may be added. */
#include "decoder/host/summary.h"
#include "decoder/report/events/print.h"

#include <stdlib.h>

#include "base/err.h"
#include "decoder/history/place.h"
#include "decoder/show/print.h"

/* ---- texts of call stacks and objects ---- */

#define TEXT_MAX (UINT32_C(64) << 10) /* limit of a cached text; longer texts are not cached */
#define BLOCK_BYTES (UINT32_C(1) << 20)
#define NR_BLOCKS_MAX 64u
#define NR_BLOCKS_OF_OTHERS 32u /* after so many blocks, only texts of call stacks are cached */

struct text {
	const char *bytes; /* formatted text; NULL: it was not formatted yet */
	uint32_t nr;
};

/* The begin of the line of an event in JSON, which only differs by the number of the event in the events of one thread. */
struct line_text {
	struct text before, behind; /* the texts before and behind the number */
	struct syt_json state;      /* of the writer behind both texts */
};

struct syt_stack_texts {
	const struct syt_trace_data *trace;
	struct syt_symbols *symbols;
	pthread_mutex_t *symbols_lock;
	/* [process image][call stack] and [process image][object]: the text of each, in JSON the members of an object */
	struct text **of_image, **of_objects;
	struct line_text **of_threads; /* [process image][thread] */
	char *blocks[NR_BLOCKS_MAX];
	unsigned nr_blocks;
	uint32_t used; /* used bytes of the last block */
};

struct syt_stack_texts *syt_stack_texts_create(const struct syt_trace_data *trace,
                                               struct syt_symbols *symbols,
                                               pthread_mutex_t *symbols_lock)
{
	struct syt_stack_texts *t = syt_calloc(1, sizeof(*t));

	t->trace = trace;
	t->symbols = symbols;
	t->symbols_lock = symbols_lock;
	t->of_image = syt_calloc(trace->nr_images, sizeof(*t->of_image));
	t->of_objects = syt_calloc(trace->nr_images, sizeof(*t->of_objects));
	t->of_threads = syt_calloc(trace->nr_images, sizeof(*t->of_threads));
	return t;
}

void syt_stack_texts_destroy(struct syt_stack_texts *t)
{
	if (!t)
		return;
	for (uint32_t n = 0; n < t->trace->nr_images; n++) {
		free(t->of_image[n]);
		free(t->of_objects[n]);
		free(t->of_threads[n]);
	}
	for (unsigned n = 0; n < t->nr_blocks; n++)
		free(t->blocks[n]);
	free(t->of_image);
	free(t->of_objects);
	free(t->of_threads);
	free(t);
}

/* Returns memory in the cache for NR bytes, or NULL if all blocks are full. */
static char *reserve(struct syt_stack_texts *t, uint32_t nr)
{
	if (!t->nr_blocks || nr > BLOCK_BYTES - t->used) {
		if (t->nr_blocks == NR_BLOCKS_MAX)
			return NULL;
		t->blocks[t->nr_blocks++] = syt_alloc(BLOCK_BYTES, 1);
		t->used = 0;
	}
	t->used += nr;
	return t->blocks[t->nr_blocks - 1] + t->used - nr;
}

static void make(struct syt_stack_texts *t, struct syt_out *o, const struct syt_image *image,
                 uint32_t stack, bool is_json)
{
	struct syt_json j = {.out = o};

	if (is_json)
		syt_json_stack(&j, NULL, t->symbols, image, stack);
	else
		syt_print_stack(o, t->symbols, image, stack, "        ");
}

/* The place in the output at which a text begins. */
struct mark {
	uint64_t written;
	size_t before;
};

/* Returns the place for a text that follows in O and can be kept. */
static struct mark begin_text(struct syt_out *o)
{
	if (SYT_OUT_BYTES - o->used < TEXT_MAX)
		syt_out_flush(o);
	return (struct mark){o->written, o->used};
}

/* Caches the text since MARK by copying it from the output buffer, unless a flush has removed a part. */
static void keep_text(struct syt_stack_texts *t, const struct syt_out *o, struct mark mark,
                      struct text *text)
{
	uint32_t nr = (uint32_t)(o->used - mark.before);
	char *bytes;

	if (o->written != mark.written || o->used - mark.before > TEXT_MAX)
		return;
	bytes = reserve(t, nr);
	if (!bytes)
		return;
	memcpy(bytes, o->buffer + mark.before, nr);
	*text = (struct text){bytes, nr};
}

/* Writes STACK of IMAGE as a JSON array, or as an indented line for each function. All calls with the same T must
 * have the same IS_JSON. */
static void put_stack(struct syt_stack_texts *t, struct syt_out *o, const struct syt_image *image,
                      uint32_t stack, bool is_json)
{
	struct text **of_image = &t->of_image[image - t->trace->images], *text;
	struct mark mark;

	if (!*of_image)
		*of_image = syt_calloc(image->nr_stacks, sizeof(**of_image));
	text = &(*of_image)[stack];
	if (text->bytes) {
		syt_out_bytes(o, text->bytes, text->nr);
		return;
	}
	mark = begin_text(o);
	pthread_mutex_lock(t->symbols_lock);
	make(t, o, image, stack, is_json);
	pthread_mutex_unlock(t->symbols_lock);
	keep_text(t, o, mark, text);
}

/* Writes the members of OBJECT of IMAGE, which follow other members of J. */
static void put_object(struct syt_stack_texts *t, struct syt_json *j, const struct syt_image *image,
                       uint32_t object)
{
	struct text **of_objects = &t->of_objects[image - t->trace->images], *text;
	struct mark mark;

	if (!*of_objects)
		*of_objects = syt_calloc(image->nr_objects, sizeof(**of_objects));
	text = &(*of_objects)[object];
	if (text->bytes) {
		syt_out_bytes(j->out, text->bytes, text->nr);
		return;
	}
	mark = begin_text(j->out);
	syt_json_object(j, "object", image, object);
	if (t->nr_blocks <= NR_BLOCKS_OF_OTHERS)
		keep_text(t, j->out, mark, text);
}

/* ---- parts of an event ---- */

static bool moves_bytes(const struct syt_call_info *c)
{
	return c->shape == SYT_SHAPE_SEND || c->shape == SYT_SHAPE_RECV ||
	       c->shape == SYT_SHAPE_TRANSFER;
}

static const char *lock_text(const struct syt_extra *x)
{
	static const char *const texts[] = {"?", "shared", "exclusive", "unlock"};

	return texts[x->arg & SYT_LOCK_MODE];
}

struct flag {
	unsigned bit; /* bit of the flag; 0: end of the table */
	const char *text;
};

/* clang-format off */
static const struct flag ready_names[] = {
	{SYT_READY_IN, "in"},   {SYT_READY_OUT, "out"}, {SYT_READY_ERR, "err"},
	{SYT_READY_HUP, "hup"}, {SYT_READY_PRI, "pri"}, {SYT_READY_RDHUP, "rdhup"},
	{0, NULL},
};

static const struct flag flag_names[] = {
	{SYT_EVENT_PEEK, "peek"},         {SYT_EVENT_EOF, "eof"},
	{SYT_EVENT_CAPPED, "capped"},     {SYT_EVENT_VFORK, "vfork"},
	{SYT_EVENT_NOOFFSET, "nooffset"}, {SYT_EVENT_BLOCKED, "blocked"},
	{SYT_EVENT_WRITER, "writer"},     {SYT_EVENT_URGENT, "urgent"},
	{SYT_EVENT_FULL, "full"},         {SYT_EVENT_UNCOUNTED, "uncounted"},
	{0, NULL},
};
/* clang-format on */

static bool is_signal(const struct syt_call_info *c)
{
	return c->shape == SYT_SHAPE_SIGNAL_SEND || c->shape == SYT_SHAPE_SIGNAL_SENDING ||
	       c->shape == SYT_SHAPE_SIGNAL_RECV;
}

/* Returns the JSON key for the field `pid`, which names the role of that process in call C. */
static const char *pid_key(const struct syt_call_info *c)
{
	if (!is_signal(c))
		return "child";
	return c->shape == SYT_SHAPE_SIGNAL_RECV ? "sender" : "target";
}

#define NR_OF(array_) (sizeof(array_) / sizeof((array_)[0]))

/* ---- text ---- */

/* Writes the names of the flags in BITS, with FIRST before the first name and BETWEEN before the others. */
static void text_flags(struct syt_out *o, const struct flag *flags, unsigned bits,
                       const char *first, const char *between)
{
	for (; flags->bit; flags++) {
		if (!(bits & flags->bit))
			continue;
		syt_out_string(o, first);
		syt_out_string(o, flags->text);
		first = between;
	}
}

static void text_ready(struct syt_out *o, const struct syt_thread *t, const struct syt_extra *x)
{
	syt_out_string(o, " ready");
	for (uint32_t n = 0; n < x->nr_ready; n++) {
		const struct syt_ready *r = &t->ready[x->ready + n];

		syt_out_char(o, ' ');
		if (r->object == SYT_NONE)
			syt_out_char(o, '?');
		else
			syt_print_object(o, t->image, r->object);
		text_flags(o, ready_names, r->events, ":", "+");
	}
}

static void text_extra(struct syt_out *o, const struct syt_thread *t, const struct syt_row *r,
                       const struct syt_extra *x)
{
	const struct syt_call_info *c = syt_row_call(t->image, r);
	bool has_offset = !(x->flags & SYT_EVENT_NOOFFSET), is_team = c->kind == SYT_KIND_TEAM;

	if (x->object2 != SYT_NONE) {
		syt_out_string(o, " with ");
		syt_print_object(o, t->image, x->object2);
	}
	if (moves_bytes(c) && r->result >= 0 && (x->bytes || has_offset)) {
		syt_out_string(o, " bytes ");
		syt_out_u64(o, x->bytes);
		if (has_offset) {
			syt_out_string(o, " at ");
			syt_out_u64(o, x->offset);
		}
		if (has_offset && c->shape == SYT_SHAPE_TRANSFER) {
			syt_out_string(o, " from ");
			syt_out_u64(o, x->offset2);
		}
	}
	if (c->shape == SYT_SHAPE_FILE_LOCK) {
		syt_out_char(o, ' ');
		syt_out_string(o, lock_text(x));
		syt_out_string(o, " from ");
		syt_out_u64(o, x->offset);
		if (x->offset2) {
			syt_out_string(o, " description ");
			syt_out_u64(o, x->offset2);
		}
	}
	if (x->thread != SYT_NONE) {
		syt_out_string(o, " thread ");
		syt_out_u64(o, t->image->index);
		syt_out_char(o, '.');
		syt_out_u64(o, x->thread);
	}
	const struct {
		const char *name;
		uint64_t value;
	} numbers[] = {{" pid ", x->pid},
	               {" arg ", x->arg},
	               {" count ", x->count},
	               {" barriers ", is_team ? x->offset : 0},
	               {" within ", is_team ? x->offset2 : 0}};

	for (unsigned n = 0; n < NR_OF(numbers); n++) {
		if (!numbers[n].value)
			continue;
		syt_out_string(o, numbers[n].name);
		syt_out_u64(o, numbers[n].value);
	}
	if (is_signal(c) && r->object != SYT_NONE) {
		syt_out_string(o, " code ");
		syt_out_i64(o, (int32_t)x->status);
	}
	if (c->shape == SYT_SHAPE_REAP) {
		syt_out_string(o, " status ");
		syt_out_hex(o, x->status);
	}
	text_flags(o, flag_names, x->flags, " ", " ");
	if (x->flags & SYT_EXTRA_GHOST)
		syt_out_string(o, " ghost");
	if (x->left_out) {
		syt_out_string(o, " after ");
		syt_out_u64(o, x->left_out);
		syt_out_string(o, x->left_out == 1 ? " call not sampled" : " calls not sampled");
	}
	if (x->nr_ready)
		text_ready(o, t, x);
}

void syt_event_text(struct syt_out *o, struct syt_stack_texts *stacks, const struct syt_thread *t,
                    uint64_t row)
{
	const struct syt_row *r = &t->rows[row];
	const struct syt_call_info *c = syt_row_call(t->image, r);
	uint64_t in = SYT_TIME_NS(r->in), out = SYT_TIME_NS(r->out);

	syt_print_seconds(o, c->stamp_in ? in : out);
	syt_out_char(o, ' ');
	syt_print_id(o, t, row);
	syt_out_char(o, ' ');
	syt_out_color(o, SYT_COLOR_BOLD);
	syt_out_safe(o, c->name);
	syt_out_color(o, SYT_COLOR_NONE);
	if (r->object != SYT_NONE) {
		syt_out_char(o, ' ');
		syt_print_object(o, t->image, r->object);
	}
	syt_out_string(o, " = ");
	syt_out_i64(o, r->result);
	if (r->result < 0 && syt_errno_name(r->err)) {
		syt_out_char(o, ' ');
		syt_out_string(o, syt_errno_name(r->err));
	}
	text_extra(o, t, r, syt_thread_extra(t, r));
	if (out > in) {
		syt_out_string(o, " took ");
		syt_print_span(o, out - in);
	}
	syt_out_char(o, '\n');
	if (stacks)
		put_stack(stacks, o, t->image, r->stack, false);
}

/* ---- JSON ---- */

static void json_flags(struct syt_json *j, const char *key, const struct flag *flags, unsigned bits)
{
	syt_json_begin(j, key, '[');
	for (; flags->bit; flags++)
		if (bits & flags->bit)
			syt_json_string(j, NULL, flags->text);
	syt_json_end(j);
}

static void json_extra(struct syt_json *j, const struct syt_thread *t, const struct syt_row *r,
                       const struct syt_extra *x)
{
	const struct syt_image *i = t->image;
	const struct syt_call_info *c = syt_row_call(i, r);
	bool is_team = c->kind == SYT_KIND_TEAM;

	if (x->object2 != SYT_NONE) {
		syt_json_object(j, "object2", i, x->object2);
		if (c->shape == SYT_SHAPE_TRANSFER)
			syt_json_u64(j, "offset2", x->offset2);
	}
	if (c->shape == SYT_SHAPE_FILE_LOCK) {
		syt_json_string(j, SYT_KEY("lock", "lock_mode"), lock_text(x));
		syt_json_u64(j, "offset", x->offset);
		if (x->offset2)
			syt_json_u64(j, "description", x->offset2);
	}
	if (x->thread != SYT_NONE) {
		syt_json_open_string(j, "thread");
		syt_out_u64(j->out, i->index);
		syt_out_char(j->out, '.');
		syt_out_u64(j->out, x->thread);
		syt_json_close_string(j);
	}
	const struct {
		const char *key;
		uint64_t value;
	} numbers[] = {{pid_key(c), x->pid},
	               {"arg", x->arg},
	               {SYT_KEY("count", "reported_count"), x->count},
	               {"cpu", x->cpu},
	               {"barriers", is_team ? x->offset : 0},
	               {"within", is_team ? x->offset2 : 0}};

	for (unsigned n = 0; n < NR_OF(numbers); n++)
		if (numbers[n].value)
			syt_json_u64(j, numbers[n].key, numbers[n].value);
	if (c->shape == SYT_SHAPE_REAP)
		syt_json_u64(j, SYT_KEY("status", "wait_status"), x->status);
	if (is_signal(c) && r->object != SYT_NONE)
		syt_json_i64(j, "code", (int32_t)x->status);
	if (x->peer)
		syt_json_hex(j, SYT_KEY("peer", "peer_cookie"), x->peer);
	if (x->flags & ~SYT_EXTRA_GHOST)
		json_flags(j, "flags", flag_names, x->flags);
	if (x->flags & SYT_EXTRA_GHOST)
		syt_json_bool(j, "ghost", true);
	if (x->left_out)
		syt_json_u64(j, SYT_KEY("left_out", "calls_left_out"), x->left_out);
	if (!x->nr_ready)
		return;
	syt_json_begin(j, "ready", '[');
	for (uint32_t n = 0; n < x->nr_ready; n++) {
		const struct syt_ready *ready = &t->ready[x->ready + n];

		syt_json_begin(j, NULL, '{');
		syt_json_object(j, "object", i, ready->object);
		json_flags(j, SYT_KEY("events", "ready_for"), ready_names, ready->events);
		syt_json_end(j);
	}
	syt_json_end(j);
}

/* Writes the number of the host. The events of a trace of one host have no such member. */
static void json_host(struct syt_json *j, const struct syt_image *i)
{
	const struct syt_trace_data *t = i->trace;

	if (syt_hosts_nr(t) > 1)
		syt_json_u64(j, SYT_KEY("host", "host_index"),
		             syt_hosts_of(t->hosts, (uint32_t)(i - t->images)));
}

static void json_thread(struct syt_json *j, const struct syt_thread *t)
{
	syt_json_u64(j, "pid", t->image->file.pid);
	syt_json_u64(j, "tid", t->tid);
	json_host(j, t->image);
}

/* Writes the begin of the line, up to the members of the thread, from the cache. */
static void put_begin(struct syt_stack_texts *texts, struct syt_json *j, const struct syt_thread *t,
                      uint64_t row)
{
	struct line_text **of_image = &texts->of_threads[t->image - texts->trace->images], *text;
	struct syt_out *o = j->out;
	struct mark mark;

	if (!*of_image)
		*of_image = syt_calloc(t->image->nr_threads, sizeof(**of_image));
	text = &(*of_image)[t->index];
	if (text->behind.bytes) {
		syt_out_bytes(o, text->before.bytes, text->before.nr);
		syt_out_u64(o, t->base + row);
		syt_out_bytes(o, text->behind.bytes, text->behind.nr);
		*j = text->state;
		j->out = o;
		return;
	}
	mark = begin_text(o);
	syt_json_begin_line(j, "event");
	syt_json_open_string(j, "id");
	syt_out_u64(o, t->image->index);
	syt_out_char(o, '.');
	syt_out_u64(o, t->index);
	syt_out_char(o, '.');
	if (texts->nr_blocks <= NR_BLOCKS_OF_OTHERS)
		keep_text(texts, o, mark, &text->before);
	syt_out_u64(o, t->base + row);
	mark = begin_text(o);
	syt_json_close_string(j);
	json_thread(j, t);
	if (text->before.bytes)
		keep_text(texts, o, mark, &text->behind);
	text->state = *j;
}

void syt_event_json(struct syt_out *o, struct syt_stack_texts *stacks, const struct syt_thread *t,
                    uint64_t row)
{
	const struct syt_row *r = &t->rows[row];
	const struct syt_call_info *c = syt_row_call(t->image, r);
	const struct syt_extra *x = syt_thread_extra(t, r);
	uint64_t in = SYT_TIME_NS(r->in), out = SYT_TIME_NS(r->out);
	struct syt_json j = {.out = o};

	if (stacks) {
		put_begin(stacks, &j, t, row);
	} else {
		syt_json_begin_line(&j, "event");
		syt_json_id(&j, "id", t, row);
		json_thread(&j, t);
	}
	syt_json_time(&j, "ts", c->stamp_in ? in : out);
	syt_json_u64(&j, "dur", out - in);
	syt_json_string(&j, "call", c->name);
	if (stacks && r->object != SYT_NONE)
		put_object(stacks, &j, t->image, r->object);
	else
		syt_json_object(&j, "object", t->image, r->object);
	syt_json_i64(&j, "result", r->result);
	syt_json_u64(&j, "errno", r->result < 0 ? r->err : 0);
	if (moves_bytes(c) || x->bytes) {
		syt_json_u64(&j, "bytes", x->bytes);
		if (!(x->flags & SYT_EVENT_NOOFFSET))
			syt_json_u64(&j, "offset", x->offset);
	}
	if (r->extra != SYT_NONE || is_signal(c))
		json_extra(&j, t, r, x);
	if (stacks) {
		syt_json_key(&j, "stack");
		put_stack(stacks, o, t->image, r->stack, true);
	}
	syt_json_end_line(&j);
}
