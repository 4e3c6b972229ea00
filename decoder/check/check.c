/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/check/check.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/compare.h"
#include "base/err.h"
#include "base/work.h"

const struct syt_invariant syt_invariants[] = {
#define CHECK(name_, unit_, proves_, means_) {#name_, unit_, proves_, means_, syt_check_##name_},
#include "decoder/check/checks.def"
#undef CHECK
};

const unsigned syt_nr_invariants = sizeof(syt_invariants) / sizeof(syt_invariants[0]);

SYT_COMPARATOR(by_value, uint64_t)
{
	return SYT_COMPARE(*a, *b);
}

static uint64_t process_on(const struct syt_image *i, uint64_t pid)
{
	return (uint64_t)i->host << 32 | (uint32_t)pid;
}

/* Returns true if some process of the trace may be untraced: a part of a process was not traced (nr_blind), an
 * image number is absent, or a child has no process image. */
static bool has_untraced(const struct syt_order *o)
{
	const struct syt_trace_data *trace = o->places.trace;
	uint64_t *pids = syt_alloc(trace->nr_images, sizeof(*pids));
	bool has = false;

	for (uint32_t i = 0; i < trace->nr_images; i++) {
		has |= trace->images[i].nr_blind || trace->images[i].index != i;
		pids[i] = process_on(&trace->images[i], trace->images[i].file.pid);
	}
	qsort(pids, trace->nr_images, sizeof(*pids), by_value);
	for (uint64_t i = 0; i < o->histories.nr_life && !has; i++) {
		struct syt_place at = o->histories.life[i];
		uint8_t shape = syt_place_call(&o->places, at)->shape;
		uint64_t pid = syt_place_extra(&o->places, at)->pid;
		uint64_t child = process_on(syt_place_image(&o->places, at), pid);

		has = (shape == SYT_SHAPE_FORK || shape == SYT_SHAPE_SPAWN) && pid &&
		      syt_place_row(&o->places, at)->result >= 0 &&
		      !bsearch(&child, pids, trace->nr_images, sizeof(*pids), by_value);
	}
	free(pids);
	return has;
}

/* Returns true if the last event of thread T is the end of T, but not an end by cancellation. */
static bool has_ended(const struct syt_thread *t)
{
	const struct syt_row *last = &t->rows[t->nr_rows - 1];

	switch (syt_row_call(t->image, last)->shape) {
	case SYT_SHAPE_EXIT:
	case SYT_SHAPE_EXEC:
		return true;
	case SYT_SHAPE_THREAD_END:
		return syt_thread_extra(t, last)->arg != 1;
	default:
		return false;
	}
}

SYT_COMPARATOR(by_image, struct syt_cut)
{
	SYT_ORDER_BY(image);
	return SYT_COMPARE(a->at, b->at);
}

static void find_cuts(struct syt_check *c)
{
	const struct syt_places *p = &c->order->places;

	c->cuts = syt_alloc(p->nr_threads, sizeof(*c->cuts));
	for (uint32_t n = 0; n < p->nr_threads; n++) {
		const struct syt_thread *t = p->threads[n];

		if (!t->nr_rows || !has_ended(t))
			c->cuts[c->nr_cuts++] = (struct syt_cut){
				syt_place_image_idx(p, (struct syt_place){n, 0}),
				t->nr_rows ? t->rows[t->nr_rows - 1].out : t->first};
	}
	if (c->nr_cuts)
		qsort(c->cuts, c->nr_cuts, sizeof(*c->cuts), by_image);
}

void syt_check_run(struct syt_check *c, const struct syt_invariant *invariant,
                   const struct syt_order *order, uint64_t nr_examples)
{
	memset(c, 0, sizeof(*c));
	c->order = order;
	c->nr_examples = nr_examples;
	c->of_thread = syt_calloc(order->places.nr_threads, sizeof(*c->of_thread));
	c->has_untraced = has_untraced(order);
	find_cuts(c);
	invariant->run(c);
	free(c->of_thread);
	free(c->cuts);
}

void syt_check_close(struct syt_check *c)
{
	for (uint64_t n = 0; n < c->nr_findings; n++)
		free(c->findings[n].text);
	free(c->findings);
	memset(c, 0, sizeof(*c));
}

#define TOUCHES_PER_JOB 65536u /* uses of objects that one job checks at least */

/* Consecutive objects that one job checks, and the result. */
struct part {
	uint32_t from, to;
	struct syt_check result;
};

struct parts {
	const struct syt_check *c;
	void (*check_object)(struct syt_check *c, uint32_t object);
	struct part *all;
};

static void check_part(void *context, size_t number, unsigned worker)
{
	const struct parts *parts = context;
	struct part *p = &parts->all[number];
	struct syt_check c = *parts->c;

	(void)worker;
	c.of_thread = syt_calloc(c.order->places.nr_threads, sizeof(*c.of_thread));
	for (uint32_t i = p->from; i < p->to; i++)
		parts->check_object(&c, i);
	free(c.of_thread);
	p->result = c;
}

/* Adds the result MORE of further objects to C. */
static void add_result(struct syt_check *c, struct syt_check *more)
{
	uint64_t nr_unkept = more->nr_violations - more->nr_findings;

	c->nr_checked += more->nr_checked;
	for (uint64_t n = 0; n < more->nr_findings; n++)
		syt_check_violation(c, more->findings[n]);
	c->nr_violations += nr_unkept;
	for (unsigned i = 0; i < SYT_NR_EXCUSES; i++)
		c->unproven[i] += more->unproven[i];
	for (unsigned i = 0; i < more->nr_sums; i++)
		syt_check_sum(c, more->sums[i].name, more->sums[i].value);
	free(more->findings);
}

void syt_check_objects(struct syt_check *c,
                       void (*check_object)(struct syt_check *c, uint32_t object))
{
	const struct syt_order *o = c->order;
	const uint64_t *first = o->histories.first;
	unsigned nr_workers = o->places.trace->nr_workers;
	struct parts parts = {c, check_object, NULL};
	size_t nr = 0, room = 0;

	for (uint32_t i = 0, from = 0; i < o->objects.nr; i++) {
		if (first[i + 1] - first[from] < TOUCHES_PER_JOB && i + 1 < o->objects.nr)
			continue;
		*SYT_ADD(parts.all, nr, room) = (struct part){.from = from, .to = i + 1};
		from = i + 1;
	}
	syt_work(nr, nr_workers ? nr_workers : 1, check_part, &parts);
	for (size_t n = 0; n < nr; n++)
		add_result(c, &parts.all[n].result);
	free(parts.all);
}

static const struct {
	const char *name, *text;
} excuses[] = {
#define EXCUSE(name_, text_) {#name_, text_},
	SYT_EXCUSES(EXCUSE)
#undef EXCUSE
};

const char *syt_excuse_text(enum syt_excuse excuse)
{
	return excuses[excuse].text;
}

const char *syt_excuse_name(enum syt_excuse excuse)
{
	return excuses[excuse].name;
}

uint64_t syt_check_unproven(const struct syt_check *c)
{
	uint64_t nr = 0;

	for (unsigned i = 0; i < SYT_NR_EXCUSES; i++)
		nr += c->unproven[i];
	return nr;
}

struct syt_violation *syt_check_violation(struct syt_check *c, struct syt_violation f)
{
	struct syt_violation *kept = &c->unkept;

	c->nr_violations++;
	if (c->nr_findings < c->nr_examples)
		kept = SYT_ADD(c->findings, c->nr_findings, c->room);
	else
		free(f.text);
	*kept = f;
	return kept;
}

struct syt_violation *syt_check_violation_at(struct syt_check *c, const char *what, uint32_t object,
                                             struct syt_place a, struct syt_place b)
{
	struct syt_violation f = {.what = what, .object = object, .image = SYT_NONE};

	if (a.thread != SYT_NONE)
		f.at[f.nr_at++] = a;
	if (b.thread != SYT_NONE)
		f.at[f.nr_at++] = b;
	return syt_check_violation(c, f);
}

struct syt_violation *syt_check_numbers(struct syt_check *c, const char *what, uint32_t object,
                                        struct syt_place a, struct syt_place b, uint64_t expected,
                                        uint64_t found)
{
	struct syt_violation *f = syt_check_violation_at(c, what, object, a, b);

	f->has_numbers = true;
	f->expected = expected;
	f->found = found;
	return f;
}

void syt_check_sum(struct syt_check *c, const char *name, uint64_t value)
{
	unsigned i = 0;

	while (i < c->nr_sums && strcmp(c->sums[i].name, name))
		i++;
	if (i == SYT_CHECK_SUMS)
		return;
	if (i == c->nr_sums)
		c->sums[c->nr_sums++] = (struct syt_sum){name, 0};
	c->sums[i].value += value;
}

syt_time syt_check_complete_from(const struct syt_check *c, uint32_t object)
{
	return c->order->places.is_paused ? UINT64_MAX
	                                  : c->order->objects.all[object].complete_from;
}

bool syt_check_is_whole(const struct syt_thread *t)
{
	return !t->missing && !t->gaps && !t->image->nr_lost && !t->image->nr_pauses;
}

bool syt_check_knows_all(const struct syt_thread *t)
{
	bool is_copy = !t->index && t->image->file.parent_index != UINT32_MAX;

	return !t->base && !is_copy && !t->image->is_sampled && syt_check_is_whole(t);
}

syt_time syt_check_last_begin(const struct syt_image *image)
{
	syt_time last = 0;

	for (uint32_t n = 0; n < image->nr_threads; n++) {
		const struct syt_thread *t = &image->threads[n];

		if (t->nr_rows && t->rows[t->nr_rows - 1].in > last)
			last = t->rows[t->nr_rows - 1].in;
	}
	return last;
}

/* Returns how many stopped threads in c->cuts sort before or at (IMAGE, T), by process image, then time. */
static uint32_t cuts_until(const struct syt_check *c, uint32_t image, syt_time t)
{
	struct syt_cut end = {image, t};

	return SYT_BISECT(i, 0, c->nr_cuts, by_image(&c->cuts[i], &end) <= 0);
}

uint64_t syt_check_unrecorded(const struct syt_check *c, uint32_t object, syt_time t)
{
	const struct syt_object *o = &c->order->objects.all[object];
	bool is_private = !(o->info->flags & SYT_OBJECT_SHARED);
	uint32_t from = is_private ? o->image : 0;
	uint32_t to = is_private ? o->image + 1 : c->order->places.trace->nr_images;
	uint64_t nr = 0;

	for (uint32_t i = from; i < to; i++)
		nr += cuts_until(c, i, t) - (i ? cuts_until(c, i - 1, UINT64_MAX) : 0);
	return nr;
}

bool syt_check_is_open(const struct syt_check *c, uint32_t object)
{
	const struct syt_object_info *info = c->order->objects.all[object].info;

	return info->flags & SYT_OBJECT_SHARED && (info->name || c->has_untraced);
}
