/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/model/merge.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/err.h"
#include "base/store.h"
#include "decoder/model/join.h"

struct source {
	const struct syt_model_label *label;
	uint32_t number; /* number of the label in the order of the inputs */
};

SYT_COMPARATOR(by_text, struct source)
{
	int order = strcmp(a->label->text, b->label->text);

	return order ? order : SYT_COMPARE(a->number, b->number);
}

static char *copy(const char *text)
{
	return text ? syt_asprintf("%s", text) : NULL;
}

/* Makes the labels of TO. Returns the new number of each label, in the order of the inputs. */
static uint32_t *merge_labels(struct syt_model_input *to, const struct syt_model_input *const *from,
                              size_t nr)
{
	uint32_t nr_all = 0, *number;
	struct source *all;

	for (size_t i = 0; i < nr; i++)
		nr_all += from[i]->nr_labels;
	all = syt_alloc(nr_all, sizeof(*all));
	number = syt_alloc(nr_all, sizeof(*number));
	to->labels = syt_alloc(nr_all, sizeof(*to->labels));
	nr_all = 0;
	for (size_t i = 0; i < nr; i++)
		for (uint32_t n = 0; n < from[i]->nr_labels; n++, nr_all++)
			all[nr_all] = (struct source){&from[i]->labels[n], nr_all};
	if (nr_all)
		qsort(all, nr_all, sizeof(*all), by_text);
	for (uint32_t i = 0; i < nr_all; i++) {
		const struct syt_model_label *label = all[i].label;
		struct syt_model_label *last =
			to->nr_labels ? &to->labels[to->nr_labels - 1] : NULL;

		if (!last || strcmp(last->text, label->text) != 0) {
			last = &to->labels[to->nr_labels++];
			*last = (struct syt_model_label){.text = copy(label->text),
			                                 .own = copy(label->own),
			                                 .turn = label->turn};
		}
		last->turn = label->turn < last->turn ? label->turn : last->turn;
		last->nr_joined += label->nr_joined;
		number[all[i].number] = to->nr_labels - 1;
	}
	free(all);
	return number;
}

static void add_leaves(struct syt_model_input *to, const struct syt_model_input *from,
                       const uint32_t *number)
{
	uint32_t first = to->nr_leaves;

	SYT_EACH(i, 0, from->nr_leaves) {
		struct syt_model_leaf leaf = from->leaves[i];

		leaf.label = number[leaf.label];
		leaf.thread += to->nr_threads;
		leaf.start += leaf.start == SYT_NONE ? 0 : first;
		leaf.task = leaf.arrived = 0;
		to->leaves[to->nr_leaves++] = leaf;
	}
	for (uint64_t i = 0; i < from->nr_inner; i++) {
		struct syt_model_inner inner = from->inner[i];

		inner.from += first;
		inner.to += first;
		to->inner[to->nr_inner++] = inner;
	}
	to->nr_threads += from->nr_threads;
	to->nr_unseen += from->nr_unseen;
	to->nr_workers = from->nr_workers > to->nr_workers ? from->nr_workers : to->nr_workers;
}

int syt_model_merge(struct syt_model_input *to, const struct syt_model_input *const *from,
                    size_t nr)
{
	uint64_t nr_leaves = 0, nr_inner = 0;
	uint32_t *number, first = 0;

	for (size_t i = 0; i < nr; i++) {
		nr_leaves += from[i]->nr_leaves;
		nr_inner += from[i]->nr_inner;
	}
	if (nr_leaves >= SYT_NONE / 2) {
		syt_warn("the runs have too many leaf tasks for one model: %llu, at most %u; name "
		         "fewer "
		         "runs",
		         (unsigned long long)nr_leaves, SYT_NONE / 2 - 1);
		return -1;
	}
	*to = (struct syt_model_input){.owns_texts = true};
	number = merge_labels(to, from, nr);
	to->room_leaves = nr_leaves;
	to->leaves = syt_store_alloc(nr_leaves, sizeof(*to->leaves));
	to->room_inner = nr_inner;
	to->inner = syt_store_alloc(nr_inner, sizeof(*to->inner));
	for (size_t i = 0; i < nr; first += from[i++]->nr_labels)
		add_leaves(to, from[i], number + first);
	free(number);
	syt_model_find_roles(to);
	return 0;
}

void syt_model_remove(struct syt_model_input *in, const uint32_t *up)
{
	uint32_t *number = syt_store_alloc(in->nr_leaves, sizeof(*number)), nr = 0;
	uint64_t nr_inner = 0;

	SYT_EACH(i, 0, in->nr_leaves)
		number[i] = up[i] == SYT_NONE ? nr++ : SYT_NONE;
	SYT_EACH(i, 0, in->nr_leaves) {
		struct syt_model_leaf leaf = in->leaves[i];

		if (number[i] == SYT_NONE)
			continue;
		leaf.start = leaf.start == SYT_NONE ? SYT_NONE : number[leaf.start];
		in->leaves[number[i]] = leaf;
	}
	for (uint64_t i = 0; i < in->nr_inner; i++) {
		struct syt_model_inner inner = in->inner[i];

		inner.from = number[inner.from];
		inner.to = number[inner.to];
		if (inner.from != SYT_NONE && inner.to != SYT_NONE)
			in->inner[nr_inner++] = inner;
	}
	in->nr_leaves = nr;
	in->nr_inner = nr_inner;
	syt_store_free(number);
}
