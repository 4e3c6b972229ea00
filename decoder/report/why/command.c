/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The command why prints the waits that delayed a call or a request, in sentences. */
#include "decoder/command/view.h"
#include "decoder/report/critical_path/view.h"

struct options {
	struct syt_request_choice request;
	const char *perf;
};

/* clang-format off */
static const struct syt_option option_rows[] = {
	{{"request", 0, "N", 0, "explain why request number N took its time; 'critical-path "
	                        "--requests' prints the numbers; slowest names the slowest "
	                        "request, slowest:K the K-th slowest", 0}, offsetof(struct options, request), syt_request_choose},
	SYT_OPTION_PERF(offsetof(struct options, perf)),
	SYT_OPTION_END,
};
/* clang-format on */

/* Returns the longest call of THREAD. A main thread mostly waits for its whole program in such a call. */
static struct syt_place longest_call(const struct syt_places *places, uint32_t thread)
{
	const struct syt_thread *t = places->threads[thread];
	struct syt_place longest = {thread, 0};

	for (uint32_t row = 1; row < t->nr_rows; row++)
		if (t->rows[row].out - t->rows[row].in >
		    t->rows[longest.row].out - t->rows[longest.row].in)
			longest.row = row;
	return longest;
}

static enum syt_exit find_and_print(struct syt_view *v, const struct syt_command *c)
{
	const struct options *o = c->options;
	const struct syt_request_choice *request = &o->request;
	const struct syt_places *places = &v->order->places;
	struct syt_path_report r = {.from = {SYT_NONE, 0}};
	struct syt_place first, last;

	if (syt_request_is_chosen(request) && c->id) {
		syt_warn("use only one of --request and the event '%s'", c->id);
		return SYT_EXIT_USAGE;
	}
	if (syt_command_view_perf(v, o->perf))
		return SYT_EXIT_UNREADABLE;
	if (syt_request_is_chosen(request))
		return syt_request_run(v, request, syt_why_list);
	if (!syt_path_ends(places, &first, &last)) {
		syt_warn("the trace has no events");
		return SYT_EXIT_OK;
	}
	if (!c->id)
		r.to = longest_call(places, last.thread);
	else if (!syt_path_find_event(v->order, c->id, &r.to))
		return SYT_EXIT_USAGE;
	return syt_path_run(v, &r, syt_place_row(places, r.to)->in, syt_why_list);
}

static enum syt_exit run(struct syt_command *c)
{
	return syt_path_command(c, find_and_print);
}

const struct syt_report syt_report_why = {
	.name = "why",
	.summary = "why a call returned when it did: the chain of waits that delayed it, down to "
		   "the root cause",
	.doc = "Explains in a few sentences why the call of event ID (P.T.N), or a request, took "
	       "its time: names the thread that ended the wait, and the waits that delayed that "
	       "thread. Without ID, explains the longest call of the thread that ended last.",
	.formats = 1u << SYT_FORMAT_TEXT | 1u << SYT_FORMAT_JSONL,
	.options = option_rows,
	.options_bytes = sizeof(struct options),
	.takes_id = true,
	.run = run,
};
