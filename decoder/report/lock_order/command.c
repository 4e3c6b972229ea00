/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* syntrace-decode lock-order prints deadlocks, and lock orders that can end in a deadlock. */
#include "decoder/command/view.h"
#include "decoder/report/lock_order/view.h"

struct options {
	bool has_all;
	uint64_t limit; /* maximum number of printed cycles, and of printed locks held to the end */
};

/* clang-format off */
#define AT(member_) offsetof(struct options, member_)
static const struct syt_option option_rows[] = {
	{{"all", 0, NULL, 0, "also print the cycles of locks that cannot become deadlocks, with the reasons", 0}, AT(has_all), syt_parse_true},
	SYT_OPTION_LIMIT(AT(limit), "print at most N cycles of locks, and N locks that were held until the trace ended (default: 10 as text, all in JSON)"),
	SYT_OPTION_END,
};
/* clang-format on */

static const struct options defaults = {.limit = SYT_LIMIT_AUTO};

static enum syt_exit run(struct syt_command *c)
{
	const struct options *o = c->options;
	struct syt_lock_order l;
	struct syt_lock_order_report r = {.l = &l, .has_all = o->has_all};
	struct syt_order order;
	struct syt_view v;
	bool is_defect;

	/* only causal edges: the order of edges of mutual exclusion may differ in another run */
	if (syt_command_view_open(&v, &order, c,
	                          (struct syt_edges_wanted){SYT_EDGES_ALL, 1u << SYT_CLASS_CAUSAL}))
		return SYT_EXIT_UNREADABLE;
	v.limit = syt_limit_of(o->limit, !v.is_json);
	v.report = &r;
	syt_lock_order_open(&l, &order, v.labels);
	syt_lock_order_list(&v);
	is_defect = syt_lock_order_is_defect(&l);
	syt_lock_order_close(&l);
	syt_command_view_close(&v, &order);
	return is_defect ? SYT_EXIT_FINDINGS : SYT_EXIT_OK;
}

const struct syt_report syt_report_lock_order = {
	.name = "lock-order",
	.summary = "deadlocks, and locks that threads take in different orders, which can end in a "
		   "deadlock",
	.doc = "Prints deadlocks, lock-order inversions (threads that take the same locks in "
	       "different orders) with their call stacks, and the locks that were held until the "
	       "trace ended. The exit status is 1 if there is a deadlock, or if a lock-order "
	       "inversion can become a deadlock.",
	.formats = 1u << SYT_FORMAT_TEXT | 1u << SYT_FORMAT_JSONL,
	.options = option_rows,
	.defaults = &defaults,
	.options_bytes = sizeof(struct options),
	.finding = {"Deadlocks and lock-order inversions", "lockorder", 1, SYT_FINDING_EDGES_CAUSAL,
                    syt_lock_order_find, false},
	.is_sparse = syt_always,
	.dense_bytes = sizeof(struct syt_row) + sizeof(struct syt_touch),
	.run = run,
};
