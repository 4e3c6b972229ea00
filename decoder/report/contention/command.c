/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* syntrace-decode contention: who waited for which lock, and who held it meanwhile. */
#include "decoder/report/contention/view.h"
#include "decoder/command/command.h"
#include "decoder/command/values.h"

enum { KEY_OBJECT = 0x2600, KEY_LIMIT, KEY_LEAST, KEY_STACKS };

struct options {
	struct syt_contention_view view;
	bool has_limit, has_least;
};

static const struct argp_option contention_options[] = {
	{"object", KEY_OBJECT, "OBJECT", 0,
         "only locks and condition variables with this name, with * and ?", 0},
	{"limit", KEY_LIMIT, "N", 0,
         "at most N locks, and as many call paths of each (default: 10 as text, all in JSON)", 0},
	{"least", KEY_LEAST, "PERCENT", 0,
         "a lock stands out when it cost the threads that use it so much of their time (default: "
         "1)",
         0},
	{"stacks", KEY_STACKS, NULL, 0, "with the call stacks of both sides", 0},
	{NULL, 0, NULL, 0, NULL, 0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case KEY_OBJECT:
		o->view.object = arg;
		return 0;
	case KEY_LIMIT:
		o->has_limit = true;
		o->view.limit = syt_value_limit(arg, state);
		return 0;
	case KEY_LEAST:
		o->has_least = true;
		o->view.least_thousandths = syt_value_least(arg, state);
		return 0;
	case KEY_STACKS:
		o->view.has_stacks = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static enum syt_exit run(struct syt_command *c)
{
	const struct options *o = c->options;
	struct syt_contention_view v = o->view;
	struct syt_edges_wanted wanted = {SYT_EDGES_BUT_LOCKS, SYT_EDGES_ALL};
	struct syt_contention contention;
	struct syt_labels *labels;
	struct syt_order order;

	if (syt_order_open_for(&order, c->trace, wanted))
		return SYT_EXIT_UNREADABLE;
	labels = syt_labels_create(&order.places, c->symbols, 0);
	v.symbols = c->symbols;
	if (!o->has_limit && c->format == SYT_FORMAT_TEXT)
		v.limit = 10;
	if (!o->has_least)
		v.least_thousandths = 10;
	syt_contention_open(&contention, &order, labels);
	if (c->format == SYT_FORMAT_JSONL)
		syt_contention_json(c->out, &contention, &v);
	else
		syt_contention_text(c->out, &contention, &v);
	syt_contention_close(&contention);
	syt_labels_destroy(labels);
	syt_order_close(&order);
	return SYT_EXIT_OK;
}

static const struct argp argp = {.options = contention_options, .parser = parse};

const struct syt_verb syt_verb_contention = {
	.name = "contention",
	.summary = "who waited for which lock, and who held it meanwhile",
	.doc = "Prints how long threads waited for locks, by lock and call path, and charges each "
	       "wait to those who held the lock meanwhile, or to what they waited for themselves.",
	.formats = 1u << SYT_FORMAT_TEXT | 1u << SYT_FORMAT_JSONL,
	.argp = &argp,
	.options_bytes = sizeof(struct options),
	.run = run,
};
