/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/compare/work_unit.h"

#include "decoder/analysis/exchange.h"

static uint64_t exchanges_on(const struct syt_order *o, uint32_t object)
{
	struct syt_exchanges w = syt_exchanges_of(o, object);
	struct syt_exchange x;
	uint64_t nr = 0;

	while (syt_exchanges_next(&w, &x))
		nr++;
	return nr;
}

uint64_t syt_work_unit_exchanges(const struct syt_order *o)
{
	struct syt_servers s;
	uint64_t nr = 0, nr_outside = 0;

	syt_servers_open(&s, o);
	for (uint32_t object = 0; object < o->objects.nr; object++) {
		if (s.accepted[object] != SYT_ACCEPTED_SEEN)
			continue;

		uint64_t here = exchanges_on(o, object);

		nr += here;
		nr_outside += syt_servers_is_outside(&s, object, SYT_ACCEPTED_SEEN) ? here : 0;
	}
	syt_servers_close(&s);
	return nr_outside ? nr_outside : nr;
}

uint64_t syt_work_unit_visits(const struct syt_order *o, struct syt_call_paths *paths,
                              const char *function)
{
	const struct syt_places *p = &o->places;
	uint64_t nr = 0;

	for (uint32_t thread = 0; thread < p->nr_threads; thread++) {
		uint32_t first =
			/* call stack that began the present visit; 0: the thread is outside of FUNCTION */
			0;

		SYT_EACH(row, 0, p->threads[thread]->nr_rows) {
			struct syt_place at = {thread, row};
			uint32_t stack = syt_place_row(p, at)->stack;

			if (!stack ||
			    !syt_call_path_has(paths, syt_call_path_of(paths, at), function)) {
				first = 0;
			} else if (!first || stack == first) {
				first = stack;
				nr++;
			}
		}
	}
	return nr;
}

const char *const syt_work_unit_texts[] = {"run", "exchange", "visit"};
