/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/turns.h"

#include <string.h>

#include "decoder/base/store.h"

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

static bool is_between(enum syt_kind kind)
{
	return kind == SYT_KIND_SEM || kind == SYT_KIND_COND || kind == SYT_KIND_FUTEX ||
	       kind == SYT_KIND_QUEUE || kind == SYT_KIND_EVENTFD;
}

static const struct syt_turn_use *find(const struct syt_turn_list *list, uint32_t object)
{
	for (uint32_t i = 0; i < list->nr; i++)
		if (list->all[i].object == object)
			return &list->all[i];
	return NULL;
}

static void add(struct syt_turn_list *list, uint32_t object, uint32_t row)
{
	uint32_t i = 0;

	while (i < list->nr && list->all[i].object != object)
		i++;
	if (i == list->nr && list->nr < SYT_TURN_MOST_USES)
		list->nr++;
	if (i == SYT_TURN_MOST_USES)
		i--; /* the oldest one goes */
	memmove(&list->all[1], &list->all[0], i * sizeof(list->all[0]));
	list->all[0] = (struct syt_turn_use){object, row};
}

void syt_turn_note(struct syt_turn_uses *uses, const struct syt_order *order, struct syt_place at)
{
	uint8_t shape = syt_place_call(&order->places, at)->shape;
	uint32_t object;

	if (!gives(shape) && !takes(shape))
		return;
	object = syt_object_of(&order->objects, syt_place_image_idx(&order->places, at),
	                       syt_place_row(&order->places, at)->object);
	if (object != SYT_NONE && is_between(syt_object_kind(&order->objects, object)) &&
	    syt_place_succeeded(&order->places, at))
		add(gives(shape) ? &uses->given : &uses->taken, object, at.row);
}

syt_time syt_turn_givers(const struct syt_order *order, uint32_t object, void *context,
                         struct syt_turn_uses *(*uses_of)(void *context, uint32_t thread))
{
	struct syt_history h = syt_history_of(&order->histories, object);
	syt_time first = 0;

	if (!is_between(syt_object_kind(&order->objects, object)))
		return 0;
	for (uint64_t i = 0; i < h.nr; i++) {
		const struct syt_touch *t = &h.touches[i];

		if (!(i % SYT_STORE_STRIDE))
			syt_store_settle();
		if (!gives(t->shape) || t->role != SYT_ROLE_SELF)
			continue;
		first = first ? first : t->at;
		add(&uses_of(context, t->place.thread)->gives, object, t->place.row);
	}
	return first;
}

enum syt_turn syt_turn_of(const struct syt_turn_uses *t, const struct syt_turn_uses *giver,
                          const syt_time *first_given, uint32_t object)
{
	const struct syt_turn_use *answered = find(&t->taken, object);
	bool asks = false, begins = false, answers = false;

	if (object == SYT_NONE || !first_given[object])
		return SYT_TURN_UNKNOWN;
	for (uint32_t i = 0; i < t->given.nr; i++) {
		const struct syt_turn_use *u = &t->given.all[i];

		if (u->object == object || !find(&giver->taken, u->object))
			continue;
		if (first_given[u->object] > first_given[object])
			answers = true;
		else if (first_given[u->object] == first_given[object])
			continue;
		else if (answered && u->row > answered->row)
			asks = true;
		else if (!answered)
			begins = true;
	}
	for (uint32_t i = 0; i < t->gives.nr; i++) {
		uint32_t later = t->gives.all[i].object;

		if (later == object || !find(&giver->taken, later) || find(&t->given, later))
			continue;
		asks |= first_given[later] < first_given[object];
		answers |= first_given[later] > first_given[object];
	}
	if (asks != answers)
		return asks ? SYT_TURN_ASKS : SYT_TURN_ANSWERS;
	return begins && !asks ? SYT_TURN_BEGINS : SYT_TURN_UNKNOWN;
}
