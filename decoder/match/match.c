/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/match/match.h"

#include "base/bisect.h"

bool syt_match_edge(struct syt_match *m, enum syt_edge_kind kind, enum syt_edge_class class,
                    struct syt_place from, struct syt_place to, uint32_t object, unsigned flags)
{
	return syt_edges_add(m->edges, (struct syt_edge){.from = from,
	                                                 .to = to,
	                                                 .object = object,
	                                                 .kind = (uint8_t)kind,
	                                                 .class = (uint8_t) class,
	                                                 .flags = (uint8_t)flags});
}

bool syt_match_edge_between(struct syt_match *m, enum syt_edge_kind kind, enum syt_edge_class class,
                            const struct syt_touch *from, const struct syt_touch *to,
                            uint32_t object, unsigned flags)
{
	return syt_edges_add_between(m->edges,
	                             (struct syt_edge){.from = from->place,
	                                               .to = to->place,
	                                               .object = object,
	                                               .kind = (uint8_t)kind,
	                                               .class = (uint8_t) class,
	                                               .flags = (uint8_t)flags},
	                             from->at, to->at);
}

syt_time syt_match_complete_from(const struct syt_match *m, uint32_t object)
{
	return m->objects->all[object].complete_from;
}

bool syt_match_find_end(const struct syt_match *m, uint32_t image, enum syt_shape shape,
                        struct syt_place *found)
{
	const struct syt_histories *h = m->histories;
	syt_time last = 0;
	bool is_found = false;
	/* events are sorted by thread, and therefore by process image */
	uint64_t i = SYT_BISECT(k, 0, h->nr_life, h->life[k].thread < m->places->first[image]);

	for (; i < h->nr_life && syt_place_image_idx(m->places, h->life[i]) == image; i++) {
		syt_time in = syt_place_row(m->places, h->life[i])->in;

		if (syt_place_call(m->places, h->life[i])->shape == shape && in >= last) {
			last = in;
			*found = h->life[i];
			is_found = true;
		}
	}
	return is_found;
}

uint32_t syt_match_reported(const struct syt_match *m, const struct syt_touch *t)
{
	const struct syt_extra *x = syt_place_extra(m->places, t->place);

	return syt_place_thread(m->places, t->place)->ready[x->ready + t->part].events;
}

uint64_t syt_match_stored(const struct syt_match *m, const struct syt_touch *t)
{
	const struct syt_extra *x = syt_place_extra(m->places, t->place);

	return syt_place_thread(m->places, t->place)->ready[x->ready + t->part].position;
}

bool syt_match_is_missing_before(const struct syt_match *m, struct syt_place at)
{
	const struct syt_thread *t = syt_place_thread(m->places, at);

	return t->base || t->missing || t->image->nr_lost || t->image->nr_missing ||
	       t->image->nr_pauses;
}
