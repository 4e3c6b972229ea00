/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Locks on files: two owners never hold locks on the same bytes if one of the locks is exclusive. An owner is a
 * process (lockf, fcntl), also over exec, or an open file description (flock, F_OFD_SETLK).
 *
 * A lock is certainly held from the end (`out`) of the acquisition to the begin of the next event that may end or
 * change it. A lock may end or change at any call for the same owner on the same bytes, at the closing of an fd, or
 * at the last event of the process image. The times at which conflicting locks are held must not overlap.
 *
 * A file is not checked if events are missing, if an open file description or a range is unknown, or if two threads
 * act for one owner at the same time.
 */
#include <stdlib.h>

#include "decoder/check/check.h"
#include "base/compare.h"
#include "base/err.h"
#include "base/sort.h"

#define MOST_STEPS (UINT64_C(1) << 24) /* maximum of comparisons between the locks of one file */

enum when { AT_BEGIN, AT_END, AT_IMAGE_END };

struct owner {
	uint64_t key[2]; /* process: pid, start time; description: number, UINT64_MAX */
};

struct step {
	syt_time at;
	enum when when;
	struct syt_place place;
};

struct hold {
	struct owner owner;
	uint64_t from, to; /* range of locked bytes */
	uint32_t image;
	bool is_exclusive;
	struct syt_place lock;
};

struct filelock {
	struct syt_check *c;
	uint32_t object;
	bool is_flock;
	uint64_t nr_steps, cost, nr_acquired;
	size_t room_steps, room_holds;
	struct step *steps;
	uint64_t nr_holds;
	struct hold *holds;
	syt_time *ends; /* [process image]: time until which it certainly lives; 0: not computed */
};

/* ---- owner and range of a lock call ---- */

static bool is_same(struct owner a, struct owner b)
{
	return a.key[0] == b.key[0] && a.key[1] == b.key[1];
}

static struct owner process_of(const struct syt_places *p, struct syt_place at)
{
	const struct syt_file *file = &syt_place_image(p, at)->file;

	return (struct owner){{file->pid, file->start_time}};
}

static struct owner description_of(const struct syt_places *p, struct syt_place at)
{
	return (struct owner){
		{syt_place_extra(p, at)->offset2, UINT64_MAX - syt_place_image(p, at)->recording}};
}

static struct owner owner_of(const struct filelock *f, struct syt_place at)
{
	const struct syt_places *p = &f->c->order->places;
	bool is_description = f->is_flock || syt_place_extra(p, at)->arg & SYT_LOCK_DESCRIPTION;

	return is_description ? description_of(p, at) : process_of(p, at);
}

static void range_of(const struct filelock *f, const struct syt_extra *x, uint64_t *from,
                     uint64_t *to)
{
	*from = x->offset;
	*to = x->offset + x->count;
	if (!x->count || *to < *from)
		*to = UINT64_MAX;
	if (f->is_flock || x->arg & SYT_LOCK_CLOSED) {
		*from = 0;
		*to = UINT64_MAX;
	}
}

static bool is_acquired(const struct syt_row *r, const struct syt_extra *x)
{
	return r->result == 0 && !(x->arg & SYT_LOCK_CLOSED) &&
	       (x->arg & SYT_LOCK_MODE) != SYT_LOCK_NONE;
}

/* ---- begins and ends of lock calls ---- */

static void add_step(struct filelock *f, syt_time at, enum when when, struct syt_place place)
{
	*SYT_STORE_ADD(f->steps, f->nr_steps, f->room_steps) = (struct step){at, when, place};
}

/* Sorts the begins and ends of lock calls by time. At the same time, acquisitions (AT_END) come after all
 * others. */
SYT_COMPARATOR(by_time, struct step)
{
	SYT_ORDER_BY(at);
	SYT_ORDER_BY(when == AT_END);
	return syt_place_compare(a->place, b->place);
}

static void collect(struct filelock *f, const struct syt_history *h)
{
	const struct syt_places *p = &f->c->order->places;

	for (uint64_t i = 0; i < h->nr; i++) {
		struct syt_place at = h->touches[i].place;
		uint32_t image = syt_place_image_idx(p, at);
		const struct syt_row *r = syt_place_row(p, at);

		if (h->touches[i].role != SYT_ROLE_SELF ||
		    h->touches[i].shape != SYT_SHAPE_FILE_LOCK)
			continue;
		if (!f->ends[image]) {
			f->ends[image] = syt_check_last_begin(syt_place_image(p, at));
			add_step(f, f->ends[image], AT_IMAGE_END, at);
		}
		add_step(f, r->in, AT_BEGIN, at);
		if (is_acquired(r, syt_place_extra(p, at))) {
			add_step(f, r->out, AT_END, at);
			f->nr_acquired++;
		}
	}
	syt_sort(f->steps, f->nr_steps, sizeof(*f->steps), by_time);
}

/* A lock call: the owner for which it acts, its time and its thread. */
struct act {
	struct owner owner;
	syt_time in, out;
	uint32_t thread;
};

SYT_COMPARATOR(by_owner, struct act)
{
	SYT_ORDER_BY(owner.key[0]);
	SYT_ORDER_BY(owner.key[1]);
	SYT_ORDER_BY(in);
	return SYT_COMPARE(a->out, b->out);
}

/* Returns true if two threads act for one owner of file locks at the same time. */
static bool has_rivals(const struct filelock *f)
{
	const struct syt_places *p = &f->c->order->places;
	struct act *acts = syt_store_alloc(f->nr_steps, sizeof(*acts));
	const struct act *last = NULL; /* the owner's call with the latest end so far */
	uint64_t nr = 0;
	bool has = false;

	for (uint64_t i = 0; i < f->nr_steps; i++) {
		struct syt_place at = f->steps[i].place;

		if (f->steps[i].when == AT_BEGIN)
			acts[nr++] = (struct act){owner_of(f, at), f->steps[i].at,
			                          syt_place_row(p, at)->out, at.thread};
	}
	syt_sort(acts, nr, sizeof(*acts), by_owner);
	for (uint64_t i = 0; i < nr && !has; i++) {
		bool is_first = !last || !is_same(last->owner, acts[i].owner);

		has = !is_first && last->thread != acts[i].thread && last->out > acts[i].in;
		if (is_first || acts[i].out > last->out)
			last = &acts[i];
	}
	syt_store_free(acts);
	return has;
}

static bool is_uncertain(const struct filelock *f)
{
	const struct syt_places *p = &f->c->order->places;

	for (uint64_t i = 0; i < f->nr_steps; i++) {
		const struct syt_extra *x = syt_place_extra(p, f->steps[i].place);
		bool has_owner = x->offset2 || !(f->is_flock || x->arg & SYT_LOCK_DESCRIPTION);

		if (f->steps[i].when == AT_END && (x->flags & SYT_EVENT_NOOFFSET || !has_owner))
			return true;
	}
	return has_rivals(f);
}

/* ---- held file locks ---- */

/* Removes the bytes [FROM, TO) from the locks that OWNER holds. */
static void give_up(struct filelock *f, struct owner owner, uint64_t from, uint64_t to)
{
	f->cost += f->nr_holds;
	for (uint64_t i = f->nr_holds; i--;) {
		struct hold h = f->holds[i];

		if (!is_same(h.owner, owner) || h.from >= to || from >= h.to)
			continue;
		f->holds[i] = f->holds[--f->nr_holds];
		if (h.to > to) {
			struct hold *rest = SYT_STORE_ADD(f->holds, f->nr_holds, f->room_holds);

			*rest = h;
			rest->from = to;
		}
		if (h.from < from) {
			h.to = from;
			*SYT_STORE_ADD(f->holds, f->nr_holds, f->room_holds) = h;
		}
	}
}

static void end_image(struct filelock *f, uint32_t image)
{
	f->cost += f->nr_holds;
	for (uint64_t i = f->nr_holds; i--;)
		if (f->holds[i].image == image)
			f->holds[i] = f->holds[--f->nr_holds];
}

static void acquire(struct filelock *f, const struct step *s)
{
	const struct syt_places *p = &f->c->order->places;
	const struct syt_extra *x = syt_place_extra(p, s->place);
	struct hold mine = {.owner = owner_of(f, s->place),
	                    .image = syt_place_image_idx(p, s->place),
	                    .is_exclusive = (x->arg & SYT_LOCK_MODE) == SYT_LOCK_EXCLUSIVE,
	                    .lock = s->place};

	range_of(f, x, &mine.from, &mine.to);
	f->cost += f->nr_holds;
	for (uint64_t i = f->nr_holds; i--;) {
		struct hold *h = &f->holds[i];

		if (is_same(h->owner, mine.owner) || h->from >= mine.to || mine.from >= h->to ||
		    !(h->is_exclusive || mine.is_exclusive))
			continue;
		syt_check_violation_at(f->c,
		                       "the second event acquired this lock while the owner "
		                       "of the first event held it",
		                       f->object, h->lock, s->place);
		f->holds[i] = f->holds[--f->nr_holds]; /* each conflict is reported only once */
	}
	if (s->at < f->ends[mine.image])
		*SYT_STORE_ADD(f->holds, f->nr_holds, f->room_holds) = mine;
}

static void run_step(struct filelock *f, const struct step *s)
{
	const struct syt_places *p = &f->c->order->places;
	const struct syt_extra *x = syt_place_extra(p, s->place);
	uint64_t from, to;

	switch (s->when) {
	case AT_BEGIN:
		range_of(f, x, &from, &to);
		give_up(f, owner_of(f, s->place), from, to);
		if (x->arg & SYT_LOCK_CLOSED) {
			give_up(f, process_of(p, s->place), from, to);
			give_up(f, description_of(p, s->place), from, to);
		}
		break;
	case AT_END:
		acquire(f, s);
		break;
	case AT_IMAGE_END:
		end_image(f, syt_place_image_idx(p, s->place));
		break;
	}
}

static void check_object(struct syt_check *c, uint32_t object, syt_time *ends)
{
	const struct syt_places *p = &c->order->places;
	const struct syt_object *o = &c->order->objects.all[object];
	struct syt_history h = syt_history_of(&c->order->histories, object);
	struct filelock f = {.c = c,
	                     .object = object,
	                     .is_flock = o->info->kind == SYT_KIND_FLOCK,
	                     .ends = ends};
	uint64_t i = 0;

	collect(&f, &h);
	if (o->complete_from) {
		syt_check_excuse(c, SYT_EXCUSE_OVERWRITTEN, f.nr_acquired);
	} else if (is_uncertain(&f)) {
		syt_check_excuse(c, SYT_EXCUSE_UNCERTAIN, f.nr_acquired);
	} else {
		for (; i < f.nr_steps && f.cost <= MOST_STEPS; i++) {
			c->nr_checked += f.steps[i].when == AT_END;
			run_step(&f, &f.steps[i]);
		}
		for (; i < f.nr_steps; i++)
			syt_check_excuse(c, SYT_EXCUSE_TOO_MANY, f.steps[i].when == AT_END);
	}
	for (i = 0; i < f.nr_steps; i++)
		ends[syt_place_image_idx(p, f.steps[i].place)] = 0;
	syt_store_free(f.steps);
	syt_store_free(f.holds);
}

void syt_check_filelock(struct syt_check *c)
{
	syt_time *ends = syt_calloc(c->order->places.trace->nr_images, sizeof(*ends));

	for (uint32_t i = 0; i < c->order->objects.nr; i++) {
		enum syt_kind kind = syt_object_kind(&c->order->objects, i);

		if (kind == SYT_KIND_FLOCK || kind == SYT_KIND_RECORD)
			check_object(c, i, ends);
	}
	free(ends);
}
