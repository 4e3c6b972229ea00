/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The command contention prints the waits for locks, and the holders that caused them. */
#include "decoder/command/view.h"
#include "decoder/report/contention/contention.h"

struct options {
	const char *object;
	uint64_t limit;
	unsigned least_thousandths;
	bool has_stacks;
	const char *perf;
};

/* clang-format off */
#define AT(member_) offsetof(struct options, member_)
static const struct syt_option option_rows[] = {
	SYT_OPTION_OBJECT(AT(object), "print only the locks and condition variables with this name, in which * and ? match any characters"),
	SYT_OPTION_LIMIT(AT(limit), "print at most N locks, and N call paths of each lock (default: 10 as text, all in JSON)"),
	SYT_OPTION_LEAST(AT(least_thousandths), "describe in sentences the locks for which threads waited at least PERCENT of their time (default: 1)"),
	SYT_OPTION_STACKS(AT(has_stacks), "print the call stacks of the threads that waited for a "
	                                  "lock or held it"),
	SYT_OPTION_PERF(AT(perf)),
	SYT_OPTION_END,
};
/* clang-format on */

static const struct options defaults = {.limit = SYT_LIMIT_AUTO,
                                        .least_thousandths = SYT_CONTENTION_LEAST};

/* Returns true if a lock or condition variable of the report has the chosen name. */
static bool has_chosen(const struct syt_view *v, const struct syt_contention *c)
{
	for (size_t n = 0; n < c->nr_locks; n++)
		if (syt_view_shows(v, c->locks[n].object))
			return true;
	for (size_t n = 0; n < c->nr_herds; n++)
		if (syt_view_shows(v, c->herds[n].object))
			return true;
	return !v->object;
}

static enum syt_exit run(struct syt_command *c)
{
	const struct options *o = c->options;
	enum syt_exit status = SYT_EXIT_OK;
	struct syt_contention contention;
	struct syt_blamer blamer;
	struct syt_order order;
	struct syt_view v;

	if (syt_command_view_open(&v, &order, c,
	                          (struct syt_edges_wanted){SYT_EDGES_BUT_LOCKS, SYT_EDGES_ALL}))
		return SYT_EXIT_UNREADABLE;
	if (syt_command_view_perf(&v, o->perf)) {
		syt_command_view_close(&v, &order);
		return SYT_EXIT_UNREADABLE;
	}
	v.object = o->object;
	v.limit = syt_limit_of(o->limit, !v.is_json);
	v.least_thousandths = o->least_thousandths;
	v.has_stacks = o->has_stacks;
	v.report = &contention;
	syt_blamer_open(&blamer, &order, v.labels);
	syt_contention_open(&contention, &blamer);
	if (has_chosen(&v, &contention)) {
		syt_contention_list(&v);
	} else {
		syt_warn("no acquired lock and no broadcast condition variable has the name '%s': "
		         "stat --objects lists the names",
		         o->object);
		status = SYT_EXIT_USAGE;
	}
	syt_contention_close(&contention);
	syt_blamer_close(&blamer);
	syt_command_view_close(&v, &order);
	return status;
}

const struct syt_report syt_report_contention = {
	.name = "contention",
	.summary = "the waits of threads for locks, by lock and call path, and the lock holders",
	.doc = "Prints the time that threads waited for locks, by lock and call path. Attributes "
	       "each wait to the code that the lock holder ran at that time, or to the call in "
	       "which the lock holder itself waited.",
	.formats = 1u << SYT_FORMAT_TEXT | 1u << SYT_FORMAT_JSONL,
	.options = option_rows,
	.options_bytes = sizeof(struct options),
	.defaults = &defaults,
	.run = run,
	.finding = {"Waits for locks", "contention", 3, SYT_FINDING_EDGES_BUT_LOCKS,
                    syt_contention_find, true},
};
