/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "tests/oracle/mark.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "tests/lib/random.h"

enum unsampled { NONE, COUNTER, GHOST, WHOLE };

static const enum unsampled unsampled[] = {
#define SHAPE(name_, text_, stamp_, unsampled_) unsampled_,
#include "format/shapes.def"
#undef SHAPE
};

struct marking {
	struct syt_trace_data *trace;
	const struct syt_order *full;
	struct syt_random random;
	unsigned per_mille, length;
	enum mutant mutant;
	/* [thread]: the optional fields that a row gets, or those that it has, for each row */
	struct syt_extra **extras;
};

static struct syt_thread *thread_of(const struct marking *m, uint32_t number)
{
	const struct syt_thread *t = m->full->places.threads[number];
	uint32_t image = (uint32_t)(t->image - m->full->places.trace->images);

	return &m->trace->images[image].threads[t->index];
}

static struct syt_extra *extra_at(const struct marking *m, struct syt_place at)
{
	return &m->extras[at.thread][at.row];
}

/* ---- what the recorder stores of counters ---- */

struct move {
	uint64_t begin, end;
	syt_time from, to; /* earliest begin and latest end of the effect */
	struct syt_place at;
	bool is_second, is_peek;
};

static size_t moves_of(const struct marking *m, uint32_t object, bool is_out, struct move **moves)
{
	struct syt_history h = syt_history_of(&m->full->histories, object);
	const struct syt_places *p = &m->full->places;
	size_t nr = 0, room = 0;

	*moves = NULL;
	for (uint64_t i = 0; i < h.nr; i++) {
		const struct syt_touch *t = &h.touches[i];
		const struct syt_row *r = syt_place_row(p, t->place);
		const struct syt_extra *x = syt_place_extra(p, t->place);
		bool is_second = t->role == SYT_ROLE_SECOND;
		uint64_t begin = is_second ? x->offset2 : x->offset;

		if (!(is_out ? syt_touch_sends(t) : syt_touch_receives(t)) || r->result < 0 ||
		    !x->bytes || x->flags & SYT_EVENT_NOOFFSET)
			continue;
		*SYT_ADD(*moves, nr, room) = (struct move){
			.begin = begin,
			.end = begin + x->bytes,
			.from = is_out ? r->in : syt_place_earliest(p, t->place),
			.to = is_out ? syt_place_latest(p, t->place) : r->out,
			.at = t->place,
			.is_second = is_second,
			.is_peek = !is_out && x->flags & SYT_EVENT_PEEK,
		};
	}
	return nr;
}

/* Notes how far the counter moved during each call, at most. */
static void cross(const struct marking *m, const struct move *moves, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		uint64_t before = 0, least = moves[i].begin;
		struct syt_extra *x = extra_at(m, moves[i].at);

		for (size_t k = 0; k < nr; k++) {
			if (moves[k].begin < least)
				least = moves[k].begin;
			if (!moves[k].is_peek && moves[k].end <= moves[i].begin &&
			    moves[k].to <= moves[i].from && moves[k].end > before)
				before = moves[k].end;
		}
		if (before < least)
			before = least;
		x->crossed += (uint32_t)(moves[i].begin - before);
	}
}

/* Notes the position of the reader in each readiness report of OBJECT. */
static void note_readers(const struct marking *m, uint32_t object, const struct move *recvs,
                         size_t nr)
{
	struct syt_history h = syt_history_of(&m->full->histories, object);
	const struct syt_places *p = &m->full->places;
	const struct syt_object_info *info = m->full->objects.all[object].info;
	uint64_t begin =
		info->flags & SYT_OBJECT_ADOPTED && info->endpoint ? info->endpoint->rx : 0;

	for (uint64_t i = 0; i < h.nr; i++) {
		const struct syt_touch *t = &h.touches[i];
		uint64_t by = begin, until = begin;
		uint32_t last = t->place.thread;
		struct syt_thread *thread;

		if (t->role != SYT_ROLE_READY)
			continue;
		for (size_t k = 0; k < nr; k++) {
			if (recvs[k].is_peek)
				continue;
			if (recvs[k].to <= syt_place_earliest(p, t->place) && recvs[k].end > by) {
				by = recvs[k].end;
				last = recvs[k].at.thread;
			}
			if (recvs[k].from <= t->at && recvs[k].end > until)
				until = recvs[k].end;
		}
		thread = thread_of(m, t->place.thread);
		thread->ready[extra_at(m, t->place)->ready + t->part].position =
			by == until && last == t->place.thread ? 1 + by : 0;
	}
}

/* Returns the end of the moves before AT; sets *IS_KNOWN to false if a move overlaps AT. */
static uint64_t total(const struct marking *m, struct syt_place at, const struct move *moves,
                      size_t nr, uint64_t begin, bool *is_known)
{
	const struct syt_row *r = syt_place_row(&m->full->places, at);
	uint64_t end = begin;

	for (size_t i = 0; i < nr; i++) {
		if (moves[i].is_peek || moves[i].from > r->out)
			continue;
		*is_known &= moves[i].to <= r->in || moves[i].at.thread == at.thread;
		end = moves[i].end > end ? moves[i].end : end;
	}
	return end;
}

static void note_totals(const struct marking *m, uint32_t object, const struct move *sends,
                        size_t nr_sends, const struct move *recvs, size_t nr_recvs,
                        bool has_unknown)
{
	struct syt_history h = syt_history_of(&m->full->histories, object);
	const struct syt_object_info *info = m->full->objects.all[object].info;
	bool is_adopted = info->flags & SYT_OBJECT_ADOPTED && info->endpoint;

	for (uint64_t i = 0; i < h.nr; i++) {
		const struct syt_touch *t = &h.touches[i];
		bool is_known = !has_unknown, is_dup = t->shape == SYT_SHAPE_DUP;
		struct syt_extra *x = extra_at(m, t->place);

		if (!(t->shape == SYT_SHAPE_CLOSE && t->role == SYT_ROLE_SELF) &&
		    !(is_dup && t->role == SYT_ROLE_SECOND))
			continue;
		if (x->arg != 1)
			continue;
		x->offset = total(m, t->place, sends, nr_sends, is_adopted ? info->endpoint->tx : 0,
		                  &is_known);
		x->offset2 = total(m, t->place, recvs, nr_recvs,
		                   is_adopted ? info->endpoint->rx : 0, &is_known);
		if (!is_known)
			x->flags |= SYT_EVENT_NOOFFSET;
	}
}

static bool is_counted(enum syt_kind kind)
{
	return kind == SYT_KIND_STREAM || kind == SYT_KIND_PIPE || kind == SYT_KIND_EVENTFD;
}

static bool has_no_offset(const struct marking *m, uint32_t object)
{
	struct syt_history h = syt_history_of(&m->full->histories, object);

	for (uint64_t i = 0; i < h.nr; i++)
		if ((syt_touch_sends(&h.touches[i]) || syt_touch_receives(&h.touches[i])) &&
		    syt_place_extra(&m->full->places, h.touches[i].place)->flags &
		            SYT_EVENT_NOOFFSET)
			return true;
	return false;
}

static void note_counters(const struct marking *m)
{
	for (uint32_t object = 0; object < m->full->objects.nr; object++) {
		struct move *sends, *recvs;
		size_t nr_sends, nr_recvs;
		bool has_unknown;

		if (!is_counted(syt_object_kind(&m->full->objects, object)))
			continue;
		nr_sends = moves_of(m, object, true, &sends);
		nr_recvs = moves_of(m, object, false, &recvs);
		has_unknown = has_no_offset(m, object);
		cross(m, sends, nr_sends);
		cross(m, recvs, nr_recvs);
		note_readers(m, object, recvs, nr_recvs);
		note_totals(m, object, sends, nr_sends, recvs, nr_recvs, has_unknown);
		free(sends);
		free(recvs);
	}
}

/* ---- the selection ---- */

/* Returns what an unsampled call leaves. */
static enum unsampled leaves(const struct marking *m, struct syt_place at, const struct syt_row *r)
{
	const struct syt_image *i = syt_place_image(&m->full->places, at);
	enum unsampled what = unsampled[i->calls[r->call].shape];
	enum syt_kind kind = r->object == SYT_NONE ? SYT_KIND_FILE : i->objects[r->object].kind;
	const struct syt_extra *x = extra_at(m, at);
	enum syt_kind second = x->object2 == SYT_NONE ? SYT_KIND_FILE : i->objects[x->object2].kind;

	if (what == COUNTER) {
		if (x->crossed)
			return GHOST;
		if (is_counted(kind) || is_counted(second) ||
		    (kind == SYT_KIND_FILE && second == SYT_KIND_FILE))
			return NONE;
		return GHOST;
	}
	return what == GHOST && r->object != SYT_NONE && kind == SYT_KIND_FILE ? NONE : what;
}

static void select_rows(struct marking *m, uint32_t number)
{
	struct syt_thread *t = thread_of(m, number);
	unsigned left = 0;

	for (uint64_t n = 0; n < t->nr_rows; n++) {
		struct syt_place at = {number, (uint32_t)n};
		struct syt_extra *x = extra_at(m, at);
		enum unsampled what = leaves(m, at, &t->rows[n]);

		if (!left && syt_random_below(&m->random, 1000) < m->per_mille)
			left = 1 + (unsigned)syt_random_below(&m->random, 2 * m->length);
		if (left) {
			left--;
			continue;
		}
		if (what == GHOST && m->mutant == MUTANT_GHOST)
			what = NONE;
		if (what == GHOST) {
			t->rows[n].stack = 0;
			x->flags |= SYT_EXTRA_GHOST;
		} else if (what != WHOLE) {
			x->flags |= SYT_EXTRA_LEFT_OUT;
		}
	}
}

/* Gives each row of the thread its own optional fields. */
static void spread_extras(struct marking *m, uint32_t number)
{
	struct syt_thread *t = thread_of(m, number);
	struct syt_packed_extra *packed = syt_store_alloc(t->nr_rows, sizeof(*packed));
	struct syt_extra *all = syt_store_alloc(t->nr_rows, sizeof(*all));

	for (uint64_t n = 0; n < t->nr_rows; n++) {
		all[n] = *syt_thread_extra(t, &t->rows[n]);
		packed[n].nr_ready = SYT_EXTRA_WIDE;
		packed[n].ready = (uint32_t)n;
		t->rows[n].extra = (uint32_t)n;
	}
	syt_store_free(t->extras);
	syt_store_free(t->wide);
	t->extras = packed;
	t->wide = all;
	t->nr_extras = t->nr_wide = t->room_wide = t->nr_rows;
	m->extras[number] = all;
}

/* Forgets NR rows of T. */
static void forget(struct syt_thread *t, uint64_t nr)
{
	t->numbered -= nr;
	t->image->nr_recorded -= nr;
	t->image->nr_decoded -= nr;
}

void mark(struct syt_trace_data *trace, const struct syt_order *full, uint64_t seed,
          unsigned per_mille, unsigned length, enum mutant mutant)
{
	struct marking m = {trace, full, {seed}, per_mille, length, mutant, NULL};

	m.extras = syt_calloc(full->places.nr_threads, sizeof(*m.extras));
	for (uint32_t n = 0; n < full->places.nr_threads; n++)
		spread_extras(&m, n);
	note_counters(&m);
	for (uint32_t n = 0; n < trace->nr_images; n++) {
		trace->images[n].is_sampled = true;
		trace->images[n].sampler = syt_asprintf("marks");
	}
	for (uint32_t n = 0; n < full->places.nr_threads; n++) {
		struct syt_thread *t = thread_of(&m, n);
		struct syt_counts left_out = {0};
		uint64_t nr;

		select_rows(&m, n);
		for (uint64_t row = 0; row < t->nr_rows && mutant == MUTANT_CROSSED; row++)
			t->wide[row].crossed = 0;
		nr = syt_parts_strip(t, &left_out);
		syt_counts_fini(&left_out);
		forget(t, nr);
		syt_parts_find(t);
		if (mutant == MUTANT_HALF)
			t->nr_parts = t->left_out_last = 0;
	}
	free(m.extras);
}

void note_crossed(struct syt_counts *crossed, struct syt_trace_data *sampled,
                  const struct syt_order *full)
{
	const struct marking m = {.trace = sampled, .full = full};

	for (uint32_t n = 0; n < full->places.nr_threads; n++) {
		const struct syt_thread *t = thread_of(&m, n);

		for (uint64_t row = 0; row < t->nr_rows; row++)
			*syt_counts_at(crossed, n, t->rows[row].in) +=
				syt_thread_extra(t, &t->rows[row])->crossed;
	}
}

/* Leaves out the ghosts of T, which has the optional fields EXTRAS for each row. */
static void drop_ghosts(struct syt_thread *t, struct syt_extra *extras)
{
	uint64_t kept = 0, nr = 0, nr_rows = t->nr_rows;
	syt_time from = 0;

	for (uint64_t n = 0; n < nr_rows; n++) {
		struct syt_extra *x = &extras[n];
		struct syt_row *r = &t->rows[n];
		syt_time stamp = t->image->calls[r->call].stamp_in ? r->in : r->out;
		syt_time begin = x->left_out ? stamp - x->gap : r->in;

		from = nr ? from : begin;
		if (x->flags & SYT_EXTRA_GHOST) {
			nr += 1 + x->left_out;
			continue;
		}
		if (nr) {
			x->left_out += (uint32_t)nr;
			x->gap = (uint32_t)(stamp - from);
			nr = 0;
		}
		t->rows[kept++] = *r;
	}
	t->left_out_from = nr ? from : t->left_out_from;
	t->left_out_last += nr;
	t->nr_left_out += nr_rows - kept;
	t->nr_rows = kept;
	forget(t, nr_rows - kept);
	t->nr_parts = t->nr_ghosts = 0;
	syt_store_free(t->parts);
	t->parts = NULL;
	syt_parts_find(t);
}

void spoil(struct syt_trace_data *sampled, const struct syt_order *full, enum mutant mutant)
{
	struct marking m = {sampled, full, {0}, 0, 0, mutant, NULL};

	m.extras = syt_calloc(full->places.nr_threads, sizeof(*m.extras));
	for (uint32_t n = 0; n < full->places.nr_threads; n++) {
		struct syt_thread *t = thread_of(&m, n);

		spread_extras(&m, n);
		if (mutant == MUTANT_GHOST)
			drop_ghosts(t, m.extras[n]);
		for (uint64_t row = 0; row < t->nr_rows && mutant == MUTANT_CROSSED; row++)
			m.extras[n][t->rows[row].extra].crossed = 0;
		if (mutant == MUTANT_HALF)
			t->nr_parts = t->left_out_last = 0;
	}
	free(m.extras);
}
