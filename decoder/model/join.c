/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/model/join.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/counts.h"
#include "base/err.h"
#include "decoder/analysis/call_path.h"
#include "decoder/analysis/call_rule.h"
#include "decoder/analysis/own_frame.h"

static enum syt_turn turn_of(const struct syt_places *p, struct syt_place at)
{
	switch (syt_place_call(p, at)->shape) {
	case SYT_SHAPE_READY:
		return SYT_TURN_READY;
	case SYT_SHAPE_ACCEPT:
		return SYT_TURN_ACCEPT;
	case SYT_SHAPE_COND_WAIT:
	case SYT_SHAPE_SEM_WAIT:
	case SYT_SHAPE_FUTEX_WAIT:
	case SYT_SHAPE_SIGNAL_RECV:
	case SYT_SHAPE_PAUSE:
		return SYT_TURN_WAIT;
	case SYT_SHAPE_RECV:
		return SYT_TURN_RECEIVE;
	default:
		return SYT_TURN_OTHER;
	}
}

struct labels {
	struct syt_symbols *symbols;
	size_t nr, room;
	struct label {
		struct syt_model_label label;
		uint32_t path;
		bool is_allocator;
	} * all; /* [path] until they are sorted */
};

/* Notes a use of the call path of the event AT, and returns the number of the path. */
static uint32_t note_path(struct labels *l, const struct syt_model_input *in, struct syt_place at)
{
	uint32_t path = syt_call_path_of(in->paths, at);
	uint8_t turn = turn_of(&in->order->places, at);

	if (path >= l->nr) { /* paths are numbered from 0, so it is the next one */
		const struct syt_places *p = &in->order->places;
		char *own = syt_own_frame_path(l->symbols, syt_place_image(p, at),
		                               syt_place_row(p, at)->stack);

		*SYT_ADD(l->all, l->nr, l->room) =
			(struct label){{.own = own, .turn = SYT_TURN_OTHER},
			               path,
			               syt_own_frame_is_allocator(l->symbols, syt_place_image(p, at),
			                                          syt_place_row(p, at)->stack)};
	}
	if (turn < l->all[path].label.turn)
		l->all[path].label.turn = turn;
	return path;
}

/* Returns true if the event AT with the call path PATH separates no leaves, because timing or the state of an allocator
 * decides whether the event occurs. */
static bool is_joined(const struct labels *l, const struct syt_places *p, struct syt_place at,
                      uint32_t path)
{
	return l->all[path].is_allocator || syt_place_call(p, at)->shape == SYT_SHAPE_READY ||
	       syt_call_rule_of(p, at) == SYT_CALL_RULE_NONE;
}

/* Makes the leaves of the thread NUMBER from its leaf tasks. The label of a leaf is the number of its call path. */
static void join_thread(struct syt_model_input *in, struct labels *l, uint32_t number)
{
	const struct syt_tasks *t = in->tasks;
	uint64_t first = t->first_of_thread[number];

	SYT_EACH(i, first, t->first_of_thread[number + 1]) {
		struct syt_place at = {number, t->all[i].begin};
		uint32_t path = note_path(l, in, at);

		if (i > first && is_joined(l, &in->order->places, at, path)) {
			l->all[path].label.nr_joined++;
			continue;
		}
		syt_store_grow(&in->leaves, &in->room_leaves, in->nr_leaves, in->nr_leaves + 1,
		               sizeof(*in->leaves));
		in->leaves[in->nr_leaves++] = (struct syt_model_leaf){.label = path,
		                                                      .thread = number,
		                                                      .start = SYT_NONE,
		                                                      .task = (uint32_t)i,
		                                                      .arrived = at.row};
	}
}

SYT_COMPARATOR(by_text, struct label)
{
	return strcmp(a->label.text, b->label.text);
}

/* Numbers the labels by their texts, so that the numbers do not depend on the order of threads. */
static void sort_labels(struct syt_model_input *in, struct labels *l)
{
	uint32_t *number = syt_alloc(l->nr, sizeof(*number));

	in->nr_labels = (uint32_t)l->nr;
	in->labels = syt_alloc(l->nr, sizeof(*in->labels));
	for (uint32_t i = 0; i < l->nr; i++)
		l->all[i].label.text = syt_call_path_text(in->paths, i);
	if (l->nr)
		qsort(l->all, l->nr, sizeof(*l->all), by_text);
	for (uint32_t i = 0; i < l->nr; i++) {
		in->labels[i] = l->all[i].label;
		number[l->all[i].path] = i;
	}
	SYT_EACH(i, 0, in->nr_leaves)
		in->leaves[i].label = number[in->leaves[i].label];
	free(number);
	free(l->all);
}

/* Returns the length of the first function of a call path, with the name of the program. */
static size_t entry_bytes(const char *text)
{
	return strcspn(text, ";");
}

void syt_model_find_roles(struct syt_model_input *in)
{
	uint32_t role = 0, *of_label = syt_calloc(in->nr_labels, sizeof(*of_label));

	in->roles = syt_calloc(in->nr_threads, sizeof(*in->roles));
	for (uint32_t i = 0; i < in->nr_labels; i++) {
		const char *text = in->labels[i].text;
		size_t bytes = entry_bytes(text);

		if (i && (entry_bytes(in->labels[i - 1].text) != bytes ||
		          memcmp(in->labels[i - 1].text, text, bytes) != 0))
			role++;
		of_label[i] = role;
	}
	/* the last leaf of a thread decides, because a thread may begin with a call of libc */
	SYT_EACH(i, 0, in->nr_leaves)
		in->roles[in->leaves[i].thread] = of_label[in->leaves[i].label];
	free(of_label);
}

void syt_model_join(struct syt_model_input *in, struct syt_symbols *symbols)
{
	struct labels l = {.symbols = symbols};

	for (uint32_t n = 0; n < in->order->places.nr_threads; n++)
		join_thread(in, &l, n);
	sort_labels(in, &l);
	in->nr_threads = in->order->places.nr_threads;
	syt_model_find_roles(in);
}
