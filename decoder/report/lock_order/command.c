/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* syntrace-decode lock-order: whether the order in which locks are taken can end in a deadlock. */
#include "decoder/report/lock_order/view.h"
#include "decoder/command/command.h"

/* clang-format off */
#define AT(member_) offsetof(struct syt_lock_order_view, member_)
static const struct syt_option option_rows[] = {
	{{"all", 0, NULL, 0, "also cycles that cannot become deadlocks, and the reasons", 0}, AT(has_all), syt_parse_true},
	SYT_OPTION_LIMIT(AT(limit), "at most N cycles, and N locks held to the end (default: 10 as text, all in JSON)"),
	SYT_OPTION_END,
};
/* clang-format on */

static const struct syt_lock_order_view defaults = {.limit = SYT_LIMIT_AUTO};

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
	v.limit = syt_limit_of(v.limit, c->format == SYT_FORMAT_TEXT);
	syt_lock_order_open(&l, &order, labels);
	if (c->format == SYT_FORMAT_JSONL)
		syt_lock_order_json(c->out, &l, &v);
	else
		syt_lock_order_text(c->out, &l, &v);
	is_possible = syt_lock_order_is_defect(&l);
	syt_lock_order_close(&l);
	syt_labels_destroy(labels);
	syt_order_close(&order);
	return is_possible ? SYT_EXIT_FINDINGS : SYT_EXIT_OK;
}

const struct syt_report syt_report_lock_order = {
	.name = "lock-order",
	.summary = "whether the order in which locks are taken can end in a deadlock",
	.doc = "Prints the circles in which threads take locks, with the call stacks of every "
	       "step, and "
	       "the locks that were held to the end. Exit status 1 when there is a deadlock, or "
	       "can be.",
	.formats = 1u << SYT_FORMAT_TEXT | 1u << SYT_FORMAT_JSONL,
	.options = option_rows,
	.defaults = &defaults,
	.options_bytes = sizeof(struct syt_lock_order_view),
	.finding = {"Deadlocks and lock-order inversions", "lockorder", 0,
                    SYT_FINDING_EDGES_CAUSAL, syt_lock_order_find},
	.run = run,
};
