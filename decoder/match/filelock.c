/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/match/filelock.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "base/compare.h"
#include "base/err.h"
#include "base/sort.h"

struct syt_filelock_owner {
	/* for a process: its pid and start time; for an open file description: its number, and a number above all start
	 * times for its recording */
	uint64_t key[2];
};

SYT_COMPARATOR(by_key, struct syt_filelock_owner)
{
	SYT_ORDER_BY(key[0]);
	return SYT_COMPARE(a->key[1], b->key[1]);
}

static struct syt_filelock_owner process_of(const struct syt_filelock *f, struct syt_place at)
{
	const struct syt_file *file = &syt_place_image(f->m->places, at)->file;

	return (struct syt_filelock_owner){{file->pid, file->start_time}};
}

static struct syt_filelock_owner description_of(const struct syt_filelock *f, struct syt_place at)
{
	return (struct syt_filelock_owner){
		{syt_place_extra(f->m->places, at)->offset2,
	         UINT64_MAX - syt_place_image(f->m->places, at)->recording}};
}

static uint32_t owner_of(const struct syt_filelock *f, struct syt_filelock_owner o)
{
	const struct syt_filelock_owner *found =
		bsearch(&o, f->owners, f->nr_owners, sizeof(*f->owners), by_key);

	return (uint32_t)(found - f->owners);
}

static bool is_lock(const struct syt_touch *t)
{
	return t->role == SYT_ROLE_SELF && t->shape == SYT_SHAPE_FILE_LOCK;
}

/* Collects all possible owners of a file lock (processes and open file descriptions), sorted. */
static void collect_owners(struct syt_filelock *f, const struct syt_history *h)
{
	uint32_t nr = 0;

	f->owners = syt_store_alloc(2 * h->nr + 1, sizeof(*f->owners));
	for (uint64_t i = 0; i < h->nr; i++) {
		struct syt_place at = h->touches[i].place;

		if (!is_lock(&h->touches[i]))
			continue;
		f->owners[f->nr_owners++] = process_of(f, at);
		if (syt_place_extra(f->m->places, at)->offset2)
			f->owners[f->nr_owners++] = description_of(f, at);
	}
	syt_sort(f->owners, f->nr_owners, sizeof(*f->owners), by_key);
	for (uint32_t i = 0; i < f->nr_owners; i++)
		if (!i || by_key(&f->owners[i], &f->owners[i - 1]))
			f->owners[nr++] = f->owners[i];
	f->nr_owners = nr;
}

static void add_step(struct syt_filelock *f, struct syt_filelock_step s)
{
	*SYT_STORE_ADD(f->steps, f->nr_steps, f->room_steps) = s;
}

static void collect_one(struct syt_filelock *f, struct syt_place at)
{
	const struct syt_places *p = f->m->places;
	const struct syt_row *r = syt_place_row(p, at);
	const struct syt_extra *x = syt_place_extra(p, at);
	struct syt_filelock_step s = {.at = r->in,
	                              .place = at,
	                              .when = SYT_FILELOCK_AT_BEGIN,
	                              .shape = SYT_SHAPE_FILE_LOCK,
	                              .mode = x->arg & SYT_LOCK_MODE,
	                              .flags = x->arg & (SYT_LOCK_DESCRIPTION | SYT_LOCK_CLOSED),
	                              .has_succeeded = r->result == 0,
	                              .process = SYT_NONE,
	                              .description = SYT_NONE,
	                              .from = x->offset,
	                              .to = x->offset + x->count};
	bool is_closed = s.flags & SYT_LOCK_CLOSED;

	if (s.flags & SYT_LOCK_CLOSED || f->is_flock || !x->count || s.to < s.from)
		s.to = UINT64_MAX;
	if (is_closed || f->is_flock)
		s.from = 0;
	if (!(s.flags & SYT_LOCK_DESCRIPTION) && !f->is_flock)
		s.process = owner_of(f, process_of(f, at));
	if (x->offset2)
		s.description = owner_of(f, description_of(f, at));
	else if (!is_closed && s.process == SYT_NONE && s.has_succeeded)
		f->reason = SYT_REASON_UNCERTAIN;
	if (x->flags & SYT_EVENT_NOOFFSET && s.has_succeeded)
		f->reason = SYT_REASON_UNCERTAIN;
	add_step(f, s);
	s.at = r->out;
	s.when = SYT_FILELOCK_AT_END;
	if (s.has_succeeded && s.mode != SYT_LOCK_NONE)
		add_step(f, s);
}

/* Collects the event that ends the process image IMAGE, if there is one: its last exit, or its successful exec. */
static void collect_life(struct syt_filelock *f, uint32_t image)
{
	const struct syt_places *p = f->m->places;
	bool is_exec = (p->trace->images[image].file.state & 0xff) == SYT_STATE_EXECED;
	enum syt_shape shape = is_exec ? SYT_SHAPE_EXEC : SYT_SHAPE_EXIT;
	struct syt_place at;

	if (!syt_match_find_end(f->m, image, shape, &at))
		return;
	uint32_t process = f->is_flock ? SYT_NONE : owner_of(f, process_of(f, at));

	add_step(f, (struct syt_filelock_step){.at = syt_place_row(p, at)->in,
	                                       .place = at,
	                                       .when = SYT_FILELOCK_AT_BEGIN,
	                                       .shape = (uint8_t)shape,
	                                       .process = process,
	                                       .description = SYT_NONE,
	                                       .to = UINT64_MAX});
}

SYT_COMPARATOR(by_time, struct syt_filelock_step)
{
	SYT_ORDER_BY(at);
	SYT_ORDER_BY(when);
	return syt_place_compare(a->place, b->place);
}

SYT_COMPARATOR(by_value, uint64_t)
{
	return SYT_COMPARE(*a, *b);
}

static uint64_t piece_of(const struct syt_filelock *f, uint64_t bound)
{
	return SYT_BISECT(i, 0, f->nr_bounds, f->bounds[i] < bound);
}

static void cut(struct syt_filelock *f)
{
	uint64_t nr = 0;

	f->bounds = syt_store_alloc(2 * f->nr_steps + 1, sizeof(*f->bounds));
	for (uint64_t i = 0; i < f->nr_steps; i++) {
		f->bounds[nr++] = f->steps[i].from;
		f->bounds[nr++] = f->steps[i].to;
	}
	syt_sort(f->bounds, nr, sizeof(*f->bounds), by_value);
	for (uint64_t i = 0; i < nr; i++)
		if (!i || f->bounds[i] != f->bounds[i - 1])
			f->bounds[f->nr_bounds++] = f->bounds[i];
	for (uint64_t i = 0; i < f->nr_steps; i++) {
		struct syt_filelock_step *s = &f->steps[i];

		s->from = piece_of(f, s->from);
		s->to = piece_of(f, s->to);
		f->nr_visits += s->to - s->from;
	}
}

static void collect(struct syt_filelock *f, const struct syt_history *h)
{
	uint32_t nr_images = f->m->places->trace->nr_images;
	bool *seen = syt_calloc(nr_images, sizeof(*seen));

	collect_owners(f, h);
	for (uint64_t i = 0; i < h->nr; i++) {
		struct syt_place at = h->touches[i].place;

		if (!is_lock(&h->touches[i]))
			continue;
		collect_one(f, at);
		seen[syt_place_image_idx(f->m->places, at)] = true;
	}
	for (uint32_t i = 0; i < nr_images; i++)
		if (seen[i])
			collect_life(f, i);
	free(seen);
	if (!f->nr_steps)
		return;
	syt_sort(f->steps, f->nr_steps, sizeof(*f->steps), by_time);
	cut(f);
}

void syt_filelock_open(struct syt_filelock *f, struct syt_match *m, uint32_t object)
{
	struct syt_history h = syt_history_of(m->histories, object);

	*f = (struct syt_filelock){
		.m = m,
		.is_flock = m->objects->all[object].info->kind == SYT_KIND_FLOCK,
		.reason = SYT_NR_REASONS,
	};
	collect(f, &h);
}

void syt_filelock_close(struct syt_filelock *f)
{
	syt_store_free(f->bounds);
	syt_store_free(f->steps);
	syt_store_free(f->owners);
}
