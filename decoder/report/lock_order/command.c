/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* syntrace-decode lock-order: whether the order in which locks are taken can end in a deadlock. */
#include "decoder/report/lock_order/view.h"
#include "decoder/command/command.h"
#include "decoder/command/values.h"

enum { KEY_ALL = 0x2700, KEY_LIMIT };

static const struct argp_option lock_order_options[] = {
	{"all", KEY_ALL, NULL, 0, "also cycles that cannot be deadlocks, and why", 0},
	{"limit", KEY_LIMIT, "N", 0,
         "at most N cycles, and N locks held to the end (default: 10 as text, all in JSON)", 0},
	{NULL, 0, NULL, 0, NULL, 0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct syt_lock_order_view *v = state->input;

	switch (key) {
	case KEY_ALL:
		v->has_all = true;
		return 0;
	case KEY_LIMIT:
		v->limit = syt_value_limit(arg, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static enum syt_exit run(struct syt_command *c)
{
	struct syt_lock_order_view v = *(const struct syt_lock_order_view *)c->options;
	/* order by mutual exclusion may be another one the next time */
	struct syt_edges_wanted wanted = {SYT_EDGES_ALL, 1u << SYT_CLASS_CAUSAL};
	struct syt_lock_order l;
	struct syt_labels *labels;
	struct syt_order order;
	bool is_possible;

	if (syt_order_open_for(&order, c->trace, wanted))
		return SYT_EXIT_UNREADABLE;
	labels = syt_labels_create(&order.places, c->symbols, 0);
	v.symbols = c->symbols;
	if (!v.limit && c->format == SYT_FORMAT_TEXT)
		v.limit = 10;
	syt_lock_order_open(&l, &order, labels);
	if (c->format == SYT_FORMAT_JSONL)
		syt_lock_order_json(c->out, &l, &v);
	else
		syt_lock_order_text(c->out, &l, &v);
	is_possible =
		l.nr_deadlocks || (l.nr_cycles && l.cycles[0].verdict == SYT_VERDICT_POSSIBLE);
	syt_lock_order_close(&l);
	syt_labels_destroy(labels);
	syt_order_close(&order);
	return is_possible ? SYT_EXIT_FINDINGS : SYT_EXIT_OK;
}

static const struct argp argp = {.options = lock_order_options, .parser = parse};

const struct syt_verb syt_verb_lock_order = {
	.name = "lock-order",
	.summary = "whether the order in which locks are taken can end in a deadlock",
	.doc = "Prints the circles in which threads take locks, with the call stacks of every "
	       "step, and "
	       "the locks that were held to the end. Exit status 1 when there is a deadlock, or "
	       "can be.",
	.formats = 1u << SYT_FORMAT_TEXT | 1u << SYT_FORMAT_JSONL,
	.argp = &argp,
	.options_bytes = sizeof(struct syt_lock_order_view),
	.run = run,
};
