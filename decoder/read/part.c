/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/read/part.h"

#include <string.h>

#include "base/store.h"

syt_time syt_part_gap_after(const struct syt_thread *t, uint64_t row)
{
	uint64_t next;

	if (syt_part_is_cut(t, row))
		return t->left_out_from;
	if (!t->nr_parts)
		return UINT64_MAX;
	next = syt_part_of(t, row);
	return next < t->nr_parts && t->parts[next].row == row + 1 ? t->parts[next].gap_from
	                                                           : UINT64_MAX;
}

bool syt_trace_is_sampled(const struct syt_trace_data *trace)
{
	for (uint32_t n = 0; n < trace->nr_images; n++)
		if (trace->images[n].is_sampled)
			return true;
	return false;
}

struct syt_calls syt_calls_of(const struct syt_trace_data *trace)
{
	struct syt_calls c = {0};

	for (uint32_t n = 0; n < trace->nr_images; n++)
		for (uint32_t k = 0; k < trace->images[n].nr_threads; k++) {
			const struct syt_thread *t = &trace->images[n].threads[k];

			c.whole += t->nr_rows - t->nr_ghosts;
			c.ghosts += t->nr_ghosts;
			c.left_out = syt_saturated(c.left_out, t->nr_left_out);
		}
	return c;
}

const char *syt_sampler_of(const struct syt_trace_data *trace)
{
	for (uint32_t n = 0; n < trace->nr_images; n++)
		if (trace->images[n].is_sampled && trace->images[n].sampler)
			return trace->images[n].sampler;
	return "?";
}

struct syt_sampled_paths syt_sampled_paths_of(const struct syt_trace_data *trace)
{
	struct syt_sampled_paths paths;
	struct syt_counts seen = {0};

	for (uint32_t n = 0; n < trace->nr_images; n++) {
		const struct syt_image *i = &trace->images[n];

		for (uint32_t k = 0; k < i->nr_threads; k++)
			SYT_EACH(row, 0, i->threads[k].nr_rows) {
				const struct syt_row *r = &i->threads[k].rows[row];

				if (r->stack)
					*syt_counts_at(&seen, (uint64_t)n << 32 | r->stack,
					               r->call) = 1;
			}
	}
	paths.whole = seen.nr;
	for (uint32_t n = 0; n < trace->nr_images; n++) {
		const struct syt_image *i = &trace->images[n];

		for (size_t k = 0; k < i->nr_left_out; k++)
			if (i->left_out[k].stack)
				*syt_counts_at(&seen, (uint64_t)n << 32 | i->left_out[k].stack,
				               i->left_out[k].call) = 1;
	}
	paths.all = seen.nr;
	syt_counts_fini(&seen);
	return paths;
}

static bool is_left_out(const struct syt_thread *t, const struct syt_row *r)
{
	return syt_extra_of(t, r).flags & SYT_EXTRA_LEFT_OUT;
}

/* Returns the optional fields of R, a row of T, in t->wide. The array t->extras has memory for *ROOM_EXTRAS elements. */
static struct syt_extra *widen(struct syt_thread *t, struct syt_row *r, size_t *room_extras)
{
	struct syt_extra x = syt_extra_of(t, r);
	struct syt_packed_extra *p;

	if (r->extra == SYT_NONE) {
		r->extra = (uint32_t)t->nr_extras;
		*SYT_STORE_ADD(t->extras, t->nr_extras, *room_extras) = (struct syt_packed_extra){0};
	}
	p = &t->extras[r->extra];
	if (p->nr_ready != SYT_EXTRA_WIDE) {
		p->nr_ready = SYT_EXTRA_WIDE;
		p->ready = (uint32_t)t->nr_wide;
		*SYT_STORE_ADD(t->wide, t->nr_wide, t->room_wide) = x;
	}
	return &t->wide[p->ready];
}

static uint32_t at_most_u32(uint64_t v)
{
	return v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;
}

uint64_t syt_parts_strip(struct syt_thread *t, struct syt_counts *left_out)
{
	size_t room_extras = t->nr_extras;
	uint64_t nr = 0, kept = 0;
	syt_time from = 0;

	SYT_EACH(n, 0, t->nr_rows) {
		struct syt_row r = t->rows[n];

		if (is_left_out(t, &r)) {
			if (!nr || r.in < from)
				from = r.in;
			nr++;
			++*syt_counts_at(left_out, r.stack, r.call);
			continue;
		}
		if (nr) {
			struct syt_extra *x = widen(t, &r, &room_extras);
			syt_time stamp = t->image->calls[r.call].stamp_in ? r.in : r.out;

			x->left_out = at_most_u32(nr);
			x->gap = stamp > from ? at_most_u32(stamp - from) : 0;
			t->nr_left_out += nr;
			nr = 0;
		}
		t->rows[kept++] = r;
	}
	if (nr) {
		t->nr_left_out += nr;
		t->left_out_last = nr;
		t->left_out_from = from;
	}
	nr = t->nr_rows - kept;
	t->nr_rows = kept;
	return nr;
}

void syt_parts_find(struct syt_thread *t)
{
	size_t room = 0;
	bool was_ghost = false;

	SYT_EACH(n, 0, t->nr_rows) {
		const struct syt_row *r = &t->rows[n];
		const struct syt_extra *x = syt_thread_extra(t, r);
		bool is_ghost = x->flags & SYT_EXTRA_GHOST;
		syt_time stamp = t->image->calls[r->call].stamp_in ? r->in : r->out;

		t->nr_ghosts += is_ghost;
		if (n && (was_ghost || is_ghost || x->left_out))
			*SYT_STORE_ADD(t->parts, t->nr_parts, room) = (struct syt_part){
				n, x->left_out ? stamp - (stamp < x->gap ? stamp : x->gap)
					       : UINT64_MAX};
		was_ghost = is_ghost;
	}
}
