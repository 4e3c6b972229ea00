/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/analysis/roles.h"

#include <string.h>

static bool gives(uint8_t shape)
{
	return shape == SYT_SHAPE_SEM_POST || shape == SYT_SHAPE_COND_SIGNAL ||
	       shape == SYT_SHAPE_COND_BROADCAST || shape == SYT_SHAPE_FUTEX_WAKE ||
	       shape == SYT_SHAPE_SEND;
}

static bool takes(uint8_t shape)
{
	return shape == SYT_SHAPE_SEM_WAIT || shape == SYT_SHAPE_COND_WAIT ||
	       shape == SYT_SHAPE_FUTEX_WAIT || shape == SYT_SHAPE_RECV;
}

/* Returns true if objects of KIND carry wake-ups or data without naming the sender. */
static bool has_no_sender(enum syt_kind kind)
{
	return kind == SYT_KIND_SEM || kind == SYT_KIND_COND || kind == SYT_KIND_FUTEX ||
	       kind == SYT_KIND_QUEUE || kind == SYT_KIND_EVENTFD;
}

static const struct syt_service_role_use *find(const struct syt_service_role_list *list,
                                               uint32_t object)
{
	for (uint32_t i = 0; i < list->nr; i++)
		if (list->all[i].object == object)
			return &list->all[i];
	return NULL;
}

static void add(struct syt_service_role_list *list, uint32_t object, uint32_t row)
{
	uint32_t i = 0;

	while (i < list->nr && list->all[i].object != object)
		i++;
	if (i == list->nr && list->nr < SYT_SERVICE_ROLE_MOST_USES)
		list->nr++;
	if (i == SYT_SERVICE_ROLE_MOST_USES)
		i--; /* drops the oldest object of the list */
	memmove(&list->all[1], &list->all[0], i * sizeof(list->all[0]));
	list->all[0] = (struct syt_service_role_use){.object = object, .row = row};
}

void syt_service_role_note(struct syt_service_role_uses *uses, const struct syt_order *order,
                           struct syt_place at)
{
	uint8_t shape = syt_place_call(&order->places, at)->shape;
	uint32_t object;

	if (!gives(shape) && !takes(shape))
		return;
	object = syt_object_of(&order->objects, syt_place_image_idx(&order->places, at),
	                       syt_place_row(&order->places, at)->object);
	if (object != SYT_NONE && has_no_sender(syt_object_kind(&order->objects, object)) &&
	    syt_place_succeeded(&order->places, at))
		add(gives(shape) ? &uses->given : &uses->taken, object, at.row);
}

static void note_taker(struct syt_service_role_object *o, uint32_t thread)
{
	for (uint32_t i = 0; i < o->nr_takers && i < SYT_SERVICE_ROLE_MOST_USES; i++)
		if (o->takers[i] == thread)
			return;
	if (o->nr_takers < SYT_SERVICE_ROLE_MOST_USES)
		o->takers[o->nr_takers] = thread;
	if (o->nr_takers <= SYT_SERVICE_ROLE_MOST_USES)
		o->nr_takers++;
}

struct syt_service_role_object syt_service_role_object(const struct syt_order *order,
                                                       uint32_t object,
                                                       struct syt_service_role_uses *uses)
{
	struct syt_history h = syt_history_of(&order->histories, object);
	struct syt_service_role_object o = {.first_giver = SYT_NONE};

	if (!has_no_sender(syt_object_kind(&order->objects, object)))
		return o;
	SYT_EACH(i, 0, h.nr) {
		const struct syt_touch *t = &h.touches[i];
		uint32_t thread = t->place.thread;

		if (t->role != SYT_ROLE_SELF)
			continue;
		if (takes(t->shape)) {
			note_taker(&o, thread);
			add(&uses[thread].takes, object, t->place.row);
		}
		if (!gives(t->shape))
			continue;
		if (!o.first_given) {
			o.first_given = t->at;
			o.first_giver = thread;
		}
		o.has_many_givers |= thread != o.first_giver;
		add(&uses[thread].gives, object, t->place.row);
	}
	return o;
}

/* State of the search for the role of a thread; the members are parameters of syt_service_role_of(). */
struct role_search {
	const struct syt_service_role_uses *uses, *giver;
	const struct syt_service_role_object *objects;
	uint32_t object;
	bool asks, begins, answers, is_either;
};

/* Returns true if the thread that first gave to the object FROM also takes from OBJECT. */
static bool first_giver_takes(const struct role_search *n, uint32_t from, uint32_t object)
{
	const struct syt_service_role_object *o = &n->objects[object];
	uint32_t thread = n->objects[from].first_giver;

	for (uint32_t i = 0; i < o->nr_takers && i < SYT_SERVICE_ROLE_MOST_USES; i++)
		if (o->takers[i] == thread)
			return true;
	return thread != SYT_NONE && find(&n->uses[thread].takes, object);
}

/* Returns a negative number if the object OTHER carries the requests and n->object the answers, a positive number
 * for the reverse. Returns 0 if the roles are unknown or the giver did not take from OTHER. */
static int compare(struct role_search *n, uint32_t other)
{
	const struct syt_service_role_object *a = &n->objects[other], *b = &n->objects[n->object];

	if (other == n->object || !find(&n->giver->taken, other) ||
	    a->first_given == b->first_given)
		return 0;
	if ((syt_service_role_is_private(a) && syt_service_role_is_private(b)) ||
	    !first_giver_takes(n, other, n->object) || !first_giver_takes(n, n->object, other)) {
		n->is_either = true;
		return 0;
	}
	return a->first_given < b->first_given ? -1 : 1;
}

enum syt_service_role syt_service_role_of(const struct syt_service_role_uses *uses, uint32_t thread,
                                          uint32_t giver,
                                          const struct syt_service_role_object *objects,
                                          uint32_t object)
{
	const struct syt_service_role_uses *t = &uses[thread];
	const struct syt_service_role_use *answered = find(&t->taken, object);
	struct role_search n = {
		.uses = uses, .giver = &uses[giver], .objects = objects, .object = object};

	if (object == SYT_NONE || !objects[object].first_given)
		return SYT_SERVICE_ROLE_UNKNOWN;
	for (uint32_t i = 0; i < t->given.nr; i++) {
		const struct syt_service_role_use *u = &t->given.all[i];
		int order = compare(&n, u->object);

		n.answers |= order > 0;
		n.asks |= order < 0 && answered && u->row > answered->row;
		n.begins |= order < 0 && !answered;
	}
	for (uint32_t i = 0; i < t->gives.nr; i++) {
		uint32_t later = t->gives.all[i].object;
		int order = find(&t->given, later) ? 0 : compare(&n, later);

		n.asks |= order < 0;
		n.answers |= order > 0;
	}
	if (n.asks != n.answers)
		return n.asks ? SYT_SERVICE_ROLE_ASKS : SYT_SERVICE_ROLE_ANSWERS;
	if (n.begins && !n.asks)
		return SYT_SERVICE_ROLE_BEGINS;
	return n.is_either ? SYT_SERVICE_ROLE_EITHER : SYT_SERVICE_ROLE_UNKNOWN;
}
