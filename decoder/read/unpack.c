/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/read/unpack.h"

#include <string.h>

#include "base/store.h"
#include "decoder/read/quick.h"

/* Counts a reference in the events of segment S to an object, stack or call without a definition. */
static void meet_unknown(struct syt_unpack *u, const struct syt_segment *s)
{
	if (!u->nr_unknown++)
		u->first_unknown = s->byte;
}

static uint32_t object_index(struct syt_unpack *u, const struct syt_segment *s, uint64_t id)
{
	if (id - 1 < u->image->nr_objects)
		return (uint32_t)id - 1;
	if (id)
		meet_unknown(u, s);
	return SYT_NONE;
}

/* Makes room for one more element of `extras`. */
static void widen_extras(struct syt_unpack *u)
{
	struct syt_thread *t = u->sharer;

	if (t) {
		u->extras = t->extras;
		u->nr_extras =
			__atomic_fetch_add(&t->nr_extras, SYT_EXTRAS_LEASE, __ATOMIC_RELAXED);
		u->room_extras = u->nr_extras + SYT_EXTRAS_LEASE;
	} else {
		syt_store_widen(&u->extras, &u->room_extras, u->nr_extras, u->nr_extras + 1,
		                sizeof(*u->extras));
	}
}

static uint32_t at_most_u32(uint64_t v)
{
	return v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;
}

/* Returns the time of GAP ticks before the stamp of E, which is the time STAMP. */
static uint32_t gap_of(struct syt_unpack *u, const struct syt_event *e, syt_time stamp)
{
	uint64_t from = e->gap > e->stamp ? 0 : e->stamp - e->gap;
	syt_time begin = e->gap ? syt_clock_time(u->clock, from, &u->hint) : stamp;

	return begin < stamp ? at_most_u32(stamp - begin) : 0;
}

static struct syt_extra extra_of(struct syt_unpack *u, const struct syt_segment *s,
                                 const struct syt_event *e)
{
	const struct syt_image *i = u->image;

	return (struct syt_extra){
		.object2 = object_index(u, s, e->object2),
		.thread = e->thread - 1 < i->nr_threads ? (uint32_t)(e->thread - 1) : SYT_NONE,
		.offset = e->offset,
		.offset2 = e->offset2,
		.bytes = e->bytes,
		.cpu = e->cpu,
		.pid = e->pid,
		.arg = e->arg,
		.count = e->count,
		.status = (uint32_t)e->status,
		.flags = (e->flags & ~SYT_EXTRA_FLAGS) |
		         (e->decision && !u->is_as_sampled ? SYT_EXTRA_UNSELECTED : 0),
		.peer = e->peer,
		.nr_ready = (uint16_t)e->nr_ready,
		.ready = e->nr_ready ? (uint32_t)u->nr_ready : 0,
	};
}

/* Adds the optional fields X of an event with the NR_READY descriptors READY. Returns their index. */
static inline __attribute__((always_inline)) uint32_t
add_extra(struct syt_unpack *u, const struct syt_segment *s, const struct syt_ready *ready,
          uint32_t nr_ready, struct syt_extra x)
{
	struct syt_packed_extra *p;

	if (u->nr_extras == u->room_extras)
		widen_extras(u);
	p = &u->extras[u->nr_extras++];
	if (!syt_extra_pack(p, &x)) {
		p->nr_ready = SYT_EXTRA_WIDE;
		p->ready = (uint32_t)u->nr_wide;
		*SYT_STORE_ADD(u->wide, u->nr_wide, u->room_wide) = x;
	}
	if (nr_ready) {
		syt_store_grow(&u->ready, &u->room_ready, u->nr_ready, u->nr_ready + nr_ready,
		               sizeof(*u->ready));
		for (uint32_t n = 0; n < nr_ready; n++)
			u->ready[u->nr_ready++] = (struct syt_ready){
				.object = object_index(u, s, ready[n].object),
				.events = ready[n].events,
				.position = ready[n].position,
			};
	}
	return (uint32_t)u->nr_extras - 1;
}

/* Returns true if the recorder writes a whole event for each call of SHAPE, also if the sampler does not select the call. */
static bool is_always_whole(uint8_t shape)
{
#define WHOLE true
#define GHOST false
#define COUNTER false
#define NONE false
	static const bool is_whole[] = {
#define SHAPE(name_, text_, stamp_, unsampled_) unsampled_,
#include "format/shapes.def"
#undef SHAPE
	};

	return is_whole[shape];
#undef WHOLE
#undef GHOST
#undef COUNTER
#undef NONE
}

/* Sets the optional fields of ROW in a sampled trace. All other members of ROW are set. */
static void fill_sampled(struct syt_unpack *u, const struct syt_segment *s, struct syt_row *row,
                         const struct syt_event *e, bool has_extra)
{
	const struct syt_call_info *c = &u->image->calls[row->call];
	struct syt_extra x;
	bool is_out = u->is_as_sampled && e->decision == SYT_DECISION_OUT;
	bool is_ghost = u->is_as_sampled && e->decision == SYT_DECISION_GHOST;

	if (is_ghost)
		row->stack = 0;
	else
		is_ghost = !e->stack && !is_always_whole(c->shape);
	if (!(has_extra || is_ghost || is_out || e->left_out || e->crossed))
		return;
	x = extra_of(u, s, e);
	x.left_out = at_most_u32(e->left_out);
	x.gap = e->left_out ? gap_of(u, e, c->stamp_in ? row->in : row->out) : 0;
	x.crossed = at_most_u32(e->crossed);
	x.flags |= is_ghost ? SYT_EXTRA_GHOST : 0;
	x.flags |= is_out ? SYT_EXTRA_LEFT_OUT : 0;
	row->extra = add_extra(u, s, e->ready, e->nr_ready, x);
}

/* Sets the members of ROW, except for its result and its optional fields. */
static inline __attribute__((always_inline)) void
fill_head(struct syt_unpack *u, const struct syt_segment *s, struct syt_row *row, uint32_t call,
          uint32_t stack, uint32_t object, uint64_t stamp_ticks, uint64_t dur)
{
	const struct syt_image *i = u->image;
	uint64_t second;

	/* the last call of the image stands for all calls without a definition */
	if (call >= i->nr_calls - 1 || !i->calls[call].name) {
		call = i->nr_calls - 1;
		meet_unknown(u, s);
	}
	row->call = (uint16_t)call;
	row->stack = stack;
	if (stack >= i->nr_stacks) {
		row->stack = 0;
		meet_unknown(u, s);
	}
	row->object = object_index(u, s, object);

	syt_time stamp = syt_clock_part_time(u->clock, stamp_ticks, &u->hint, &u->part);

	row->in = row->out = stamp;
	if (dur && i->calls[call].stamp_in) {
		second = stamp_ticks + dur < stamp_ticks ? UINT64_MAX : stamp_ticks + dur;
		row->out = syt_clock_part_time(u->clock, second, &u->hint, &u->part);
	} else if (dur) {
		second = dur > stamp_ticks ? 0 : stamp_ticks - dur;
		row->in = syt_clock_part_time(u->clock, second, &u->hint, &u->part);
	}
}

static void fill_row(struct syt_unpack *u, const struct syt_segment *s, struct syt_row *row,
                     const struct syt_event *e, bool has_extra)
{
	fill_head(u, s, row, e->call, e->stack, e->object, e->stamp, e->dur);
	row->result = e->result;
	row->err = e->err > UINT16_MAX ? UINT16_MAX : (uint16_t)e->err;
	row->extra = SYT_NONE;
	if (u->image->is_sampled)
		fill_sampled(u, s, row, e, has_extra);
	else if (has_extra)
		row->extra =
			u->is_brief ? 0 : add_extra(u, s, e->ready, e->nr_ready, extra_of(u, s, e));
}

/* Does fill_row() for an event of KIND from syt_quick_decode(). The image is not sampled. */
static inline __attribute__((always_inline)) void
fill_quick(struct syt_unpack *u, const struct syt_segment *s, struct syt_row *row,
           const struct syt_quick *e, enum syt_quick_kind kind)
{
	struct syt_extra x = {.object2 = SYT_NONE, .thread = SYT_NONE};

	fill_head(u, s, row, e->call, e->stack, e->object, e->stamp, e->dur);
	row->result = kind == SYT_QUICK_PLAIN ? 0 : e->result;
	row->err = 0;
	row->extra = kind == SYT_QUICK_PLAIN ? SYT_NONE : 0;
	if (kind == SYT_QUICK_PLAIN || u->is_brief)
		return;
	if (kind == SYT_QUICK_MOVED) {
		x.offset = e->offset;
		x.bytes = (uint64_t)e->result;
		row->extra = add_extra(u, s, NULL, 0, x);
	} else if (kind == SYT_QUICK_WAITED) {
		x.object2 = object_index(u, s, e->object2);
		x.flags = SYT_EVENT_BLOCKED;
		row->extra = add_extra(u, s, NULL, 0, x);
	} else {
		const struct syt_ready ready = {e->object2, (uint32_t)e->offset, 0};

		x.count = x.nr_ready = 1;
		x.ready = (uint32_t)u->nr_ready;
		row->extra = add_extra(u, s, &ready, 1, x);
	}
}

/* Decodes events of S at W to *ROWS, of which N are already decoded, until an event that syt_quick_decode() leaves. Returns
 * the number of events. */
static uint32_t unpack_quick(struct syt_unpack *u, const struct syt_segment *s,
                             struct syt_quick_walk *w, uint32_t n, struct syt_row **rows)
{
	struct syt_quick_at at = syt_quick_enter(w);
	struct syt_row *row = *rows;
	uint32_t from = n;

	for (; n < s->nr_events; n++) {
		struct syt_quick e;
		enum syt_quick_kind kind = syt_quick_decode(w, &at, &e);

		if (kind == SYT_QUICK_NONE)
			break;
		if (n >= s->skip)
			fill_quick(u, s, row++, &e, kind);
	}
	syt_quick_leave(w, &at);
	*rows = row;
	return n - from;
}

uint32_t syt_unpack_rows(struct syt_unpack *u, const struct syt_segment *s, const uint8_t *raw,
                         struct syt_row *rows)
{
	struct syt_ready ready[SYT_NR_READY];
	struct syt_quick_walk w;
	struct syt_event e = {.ready = ready};
	uint32_t n = 0;

	syt_quick_begin(&w, s->version, s->first_ticks, raw, s->raw_bytes);
	while (n < s->nr_events && w.c.p < w.c.end) {
		if (!u->image->is_sampled)
			n += unpack_quick(u, s, &w, n, &rows);
		if (n == s->nr_events || w.c.p == w.c.end)
			break;

		bool has_extra = syt_event_has_extra(&w.predictor, *w.c.p);

		if (syt_event_decode(&w.predictor, &w.c, &e) < 0)
			break;
		if (n++ >= s->skip)
			fill_row(u, s, rows++, &e, has_extra);
	}
	return n;
}

/* Corrects the indices in X, whose arrays were appended to arrays with NR_WIDE and NR_READY elements. */
static void shift_extra(struct syt_packed_extra *x, uint64_t nr_wide, uint64_t nr_ready)
{
	if (x->nr_ready == SYT_EXTRA_WIDE)
		x->ready += (uint32_t)nr_wide;
	else if (x->nr_ready)
		x->ready += (uint32_t)nr_ready;
}

/* Appends the arrays `wide` and `ready` of U to those of T, which have room. */
static void append_lists(struct syt_unpack *u, struct syt_thread *t)
{
	for (size_t k = 0; k < u->nr_wide; k++) {
		t->wide[t->nr_wide] = u->wide[k];
		if (u->wide[k].nr_ready)
			t->wide[t->nr_wide].ready += (uint32_t)t->nr_ready;
		t->nr_wide++;
	}
	if (u->nr_ready)
		memcpy(t->ready + t->nr_ready, u->ready, u->nr_ready * sizeof(*u->ready));
	t->nr_ready += u->nr_ready;
}

void syt_unpack_append(struct syt_unpack *u, struct syt_thread *t, struct syt_row *rows,
                       uint64_t nr)
{
	for (uint64_t k = 0; t->nr_extras && k < nr; k++)
		if (rows[k].extra != SYT_NONE)
			rows[k].extra += (uint32_t)t->nr_extras;
	for (size_t k = 0; k < u->nr_extras; k++) {
		struct syt_packed_extra x = u->extras[k];

		shift_extra(&x, t->nr_wide, t->nr_ready);
		t->extras[t->nr_extras++] = x;
		if (!(k % SYT_STORE_STRIDE))
			syt_store_settle();
	}
	append_lists(u, t);
}

void syt_unpack_share(struct syt_thread *t, uint64_t nr_rows, uint64_t nr_jobs)
{
	t->extras = syt_store_claim(nr_rows + nr_jobs * SYT_EXTRAS_LEASE, sizeof(*t->extras));
}

void syt_unpack_publish(struct syt_unpack *u, struct syt_row *rows, uint64_t nr)
{
	struct syt_thread *t = u->sharer;

	if (!u->nr_wide && !u->nr_ready)
		return;
	for (uint64_t k = 0; (t->nr_wide || t->nr_ready) && k < nr; k++)
		if (rows[k].extra != SYT_NONE)
			shift_extra(&t->extras[rows[k].extra], t->nr_wide, t->nr_ready);
	syt_store_widen(&t->wide, &t->room_wide, t->nr_wide, t->nr_wide + u->nr_wide,
	                sizeof(*t->wide));
	syt_store_widen(&t->ready, &t->room_ready, t->nr_ready, t->nr_ready + u->nr_ready,
	                sizeof(*t->ready));
	append_lists(u, t);
}

void syt_unpack_reserve(struct syt_thread *t, uint64_t nr_extras, uint64_t nr_wide,
                        uint64_t nr_ready)
{
	if (nr_extras)
		t->extras = syt_store_claim(nr_extras, sizeof(*t->extras));
	if (nr_wide)
		t->wide = syt_store_claim(nr_wide, sizeof(*t->wide));
	if (nr_ready)
		t->ready = syt_store_claim(nr_ready, sizeof(*t->ready));
}

void syt_unpack_fini(struct syt_unpack *u)
{
	if (!u->sharer)
		syt_store_free(u->extras);
	syt_store_free(u->wide);
	syt_store_free(u->ready);
}
