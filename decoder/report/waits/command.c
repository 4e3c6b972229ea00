/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The command waits prints how each thread spent its time, and the waits that delayed other work. */
#include <string.h>

#include "decoder/command/view.h"
#include "decoder/read/number.h"
#include "decoder/report/waits/waits.h"

struct options {
	struct syt_waits_filter filter;
	uint64_t limit;
	unsigned least_thousandths;
	bool has_stacks;
	const char *perf;
};

static bool parse_image_and_thread(struct syt_waits_filter *f, const char *arg, const char *dot)
{
	char image[24];

	if ((size_t)(dot - arg) >= sizeof(image))
		return false;
	memcpy(image, arg, (size_t)(dot - arg));
	image[dot - arg] = '\0';
	return syt_number_parse(image, &f->image) && syt_number_parse(dot + 1, &f->thread);
}

static void parse_thread(void *field, const char *name, const char *arg, struct argp_state *state)
{
	struct syt_waits_filter *f = field;
	const char *dot = strchr(arg, '.');

	f->tid.is_given = !dot;
	f->has_number = dot != NULL;
	if (dot ? !parse_image_and_thread(f, arg, dot) : !syt_number_parse(arg, &f->tid.value))
		argp_error(state, "--%s takes P.T or a thread id, not '%s'", name, arg);
}

/* clang-format off */
#define AT(member_) offsetof(struct options, member_)
static const struct syt_option option_rows[] = {
	SYT_OPTION_PID(AT(filter.pid), "print only the threads of the process with this pid"),
	{{"thread", 0, "P.T", 0, "print only thread number T of process number P, as printed; a plain number is a thread id of the kernel", 0}, AT(filter), parse_thread},
	SYT_OPTION_LIMIT(AT(limit), "print at most N rows of each table (default: 10 as text, all in JSON)"),
	SYT_OPTION_LEAST(AT(least_thousandths), "describe in sentences the call paths whose harmful waits (waits of threads that had work to "
	                                        "do) took at least PERCENT of the time of their threads (default: 10)"),
	SYT_OPTION_PERF(AT(perf)),
	SYT_OPTION_STACKS(AT(has_stacks), "print the call stacks of the threads that waited, and of the threads that held a lock or ended a wait"),
	SYT_OPTION_END,
};
/* clang-format on */

static const struct options defaults = {.limit = SYT_LIMIT_AUTO,
                                        .least_thousandths = SYT_WAITS_LEAST};

static enum syt_exit run(struct syt_command *c)
{
	const struct options *o = c->options;
	struct syt_waits waits;
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
	v.limit = syt_limit_of(o->limit, !v.is_json);
	v.least_thousandths = o->least_thousandths;
	v.has_stacks = o->has_stacks;
	v.report = &waits;
	syt_blamer_open(&blamer, &order, v.labels);
	syt_waits_open(&waits, &blamer, &o->filter);
	syt_waits_list(&v);
	syt_waits_close(&waits);
	syt_blamer_close(&blamer);
	syt_command_view_close(&v, &order);
	return SYT_EXIT_OK;
}

const struct syt_report syt_report_waits = {
	.name = "waits",
	.summary = "the time that each thread ran and waited, and the waits that delayed other "
	           "work",
	.doc = "Prints the time that threads ran and waited, by call path and by the lock, socket "
	       "or other object for which they waited. States for each wait whether it was harmful "
	       "(it delayed work), idle (the thread had no work) or undecided (the trace does not "
	       "show it).",
	.formats = 1u << SYT_FORMAT_TEXT | 1u << SYT_FORMAT_JSONL,
	.options = option_rows,
	.options_bytes = sizeof(struct options),
	.defaults = &defaults,
	.run = run,
	.finding = {"The time of the threads", "waits", 4, SYT_FINDING_EDGES_BUT_LOCKS,
                    syt_waits_find, true},
};
