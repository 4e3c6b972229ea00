/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/unit.h"

#include <stdlib.h>

#include "decoder/base/err.h"
#include "decoder/base/store.h"

struct accepted {
	const struct syt_order *o;
	bool *is_accepted; /* [object] */
	bool *serves;      /* [image] */
};

static void find_accepted(struct accepted *a)
{
	const struct syt_places *p = &a->o->places;

	for (uint32_t object = 0; object < a->o->objects.nr; object++) {
		struct syt_history h = syt_history_of(&a->o->histories, object);

		if (syt_object_kind(&a->o->objects, object) != SYT_KIND_STREAM)
			continue;
		for (uint64_t i = 0; i < h.nr; i++) {
			const struct syt_touch *t = &h.touches[i];

			if (t->shape != SYT_SHAPE_ACCEPT || t->role != SYT_ROLE_SELF ||
			    !t->has_succeeded)
				continue;
			a->is_accepted[object] = true;
			a->serves[syt_place_image_idx(p, t->place)] = true;
		}
	}
}

/* Whoever is at its other end serves nobody, as far as is known. */
static bool is_from_outside(const struct accepted *a, uint32_t object)
{
	const struct syt_objects *objects = &a->o->objects;
	uint32_t peer = objects->all[object].peer;

	return peer == SYT_NONE || !a->serves[objects->all[peer].image];
}

static uint64_t exchanges_on(const struct syt_order *o, uint32_t object)
{
	struct syt_history h = syt_history_of(&o->histories, object);
	bool is_due = true;
	uint64_t nr = 0;

	for (uint64_t i = 0; i < h.nr; i++) {
		const struct syt_touch *t = &h.touches[i];

		if (!(i % SYT_STORE_SPARSE))
			syt_store_settle();
		if (t->shape != SYT_SHAPE_SEND && t->shape != SYT_SHAPE_RECV &&
		    t->shape != SYT_SHAPE_TRANSFER)
			continue;
		if (syt_place_row(&o->places, t->place)->result <= 0)
			continue;
		if (t->shape == SYT_SHAPE_SEND ||
		    (t->shape == SYT_SHAPE_TRANSFER && t->role == SYT_ROLE_SELF)) {
			is_due = true;
		} else if (is_due) {
			is_due = false;
			nr++;
		}
	}
	return nr;
}

uint64_t syt_unit_exchanges(const struct syt_order *o)
{
	struct accepted a = {o, syt_calloc(o->objects.nr, sizeof(bool)),
	                     syt_calloc(o->places.trace->nr_images, sizeof(bool))};
	uint64_t nr = 0, nr_outside = 0;

	find_accepted(&a);
	for (uint32_t object = 0; object < o->objects.nr; object++) {
		if (!a.is_accepted[object])
			continue;

		uint64_t here = exchanges_on(o, object);

		nr += here;
		nr_outside += is_from_outside(&a, object) ? here : 0;
	}
	free(a.is_accepted);
	free(a.serves);
	return nr_outside ? nr_outside : nr;
}

uint64_t syt_unit_visits(const struct syt_order *o, struct syt_sites *paths, const char *function)
{
	const struct syt_places *p = &o->places;
	uint64_t nr = 0;

	for (uint32_t thread = 0; thread < p->nr_threads; thread++) {
		uint32_t first = 0; /* the stack with which the visit began; 0: none */

		for (uint32_t row = 0; row < p->threads[thread]->nr_rows; row++) {
			struct syt_place at = {thread, row};
			uint32_t stack = syt_place_row(p, at)->stack;

			if (!(row % SYT_STORE_STRIDE))
				syt_store_settle();
			if (!stack || !syt_site_has(paths, syt_site_of(paths, at), function)) {
				first = 0;
			} else if (!first || stack == first) {
				first = stack;
				nr++;
			}
		}
	}
	return nr;
}

const char *syt_unit_text(enum syt_unit_rule rule)
{
	static const char *const texts[] = {"run", "exchange", "visit"};

	return texts[rule];
}
