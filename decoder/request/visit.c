/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/request/visit.h"

#include <string.h>

#include "base/compare.h"
#include "base/sort.h"
#include "decoder/analysis/call_path.h"

static void begin_visit(struct syt_requests *rs, struct syt_place at)
{
	const struct syt_row *r = syt_place_row(&rs->order->places, at);
	struct syt_request_info info = {
		.x = {.received = at,
	              .reported = {SYT_NONE, 0},
	              .closed = {SYT_NONE, 0},
	              .is_sure = true},
		.begun = at,
		.begin = r->in,
		.received_at = r->in,
		.object = SYT_NONE,
		.begin_is = SYT_REQUEST_RECEIVED,
		.end_is = SYT_REQUEST_ANSWERED,
	};

	*SYT_STORE_ADD(rs->all, rs->nr, rs->room) = info;
}

/* Lets the last visit contain the event AT. */
static void extend_visit(struct syt_requests *rs, struct syt_place at)
{
	struct syt_request_info *info = &rs->all[rs->nr - 1];

	info->ended = info->x.answered = at;
	info->end = syt_place_row(&rs->order->places, at)->out;
}

static void find_visits(struct syt_requests *rs, struct syt_call_paths *paths, uint32_t thread,
                        const char *function)
{
	const struct syt_places *p = &rs->order->places;
	uint32_t first = 0; /* call stack that began the present visit; 0: the thread is outside */

	SYT_EACH(row, 0, p->threads[thread]->nr_rows) {
		struct syt_place at = {thread, (uint32_t)row};
		uint32_t stack = syt_place_row(p, at)->stack;

		if (!stack || !syt_call_path_has(paths, syt_call_path_of(paths, at), function)) {
			first = 0;
			continue;
		}
		if (!first || stack == first) {
			first = stack;
			begin_visit(rs, at);
		}
		extend_visit(rs, at);
	}
}

static int by_begin(const void *a_, const void *b_)
{
	const struct syt_request_info *a = a_, *b = b_;

	SYT_ORDER_BY(begin);
	return syt_place_compare(a->x.received, b->x.received);
}

void syt_visits_open(struct syt_requests *rs, const struct syt_order *order,
                     struct syt_symbols *symbols, const char *function)
{
	struct syt_call_paths *paths = syt_call_paths_create(&order->places, symbols);

	memset(rs, 0, sizeof(*rs));
	rs->order = order;
	for (uint32_t i = 0; i < order->places.nr_threads; i++)
		find_visits(rs, paths, i, function);
	syt_sort(rs->all, rs->nr, sizeof(*rs->all), by_begin);
	rs->nr_counted = rs->nr;
	syt_call_paths_destroy(paths);
}
