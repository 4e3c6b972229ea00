/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* syntrace-decode why: what a call, or a request, waited for, in sentences. */
#include "decoder/report/critical_path/requests.h"

/* clang-format off */
#define AT(member_) offsetof(struct syt_request_choice, member_)
static const struct syt_option option_rows[] = {
	{{"request", 0, "N", 0, "why request N took as long as it did, numbered as critical-path --requests prints them; slowest: the slowest request, "
	  "slowest:K: the K-th slowest", 0}, 0, syt_request_choose},
	SYT_OPTION_END,
};
/* clang-format on */

/* Of the thread with the last event: in which main thread waits for its program, mostly. */
static struct syt_place longest_wait(const struct syt_places *places, uint32_t thread)
{
	const struct syt_thread *t = places->threads[thread];
	struct syt_place longest = {thread, 0};

	for (uint32_t row = 1; row < t->nr_rows; row++)
		if (t->rows[row].out - t->rows[row].in >
		    t->rows[longest.row].out - t->rows[longest.row].in)
			longest.row = row;
	return longest;
}

static enum syt_exit find_and_tell(struct syt_command *c, const struct syt_order *order)
{
	const struct syt_request_choice *request = c->options;
	struct syt_path_view v = {.from = {SYT_NONE, 0}};
	struct syt_place first, last;

	if (syt_request_is_chosen(request) && c->id) {
		syt_warn("--request and the event '%s' exclude each other", c->id);
		return SYT_EXIT_USAGE;
	}
	if (syt_request_is_chosen(request))
		return syt_request_run(c, order, request, &v, syt_why_text, syt_why_json);
	if (!syt_path_ends(&order->places, &first, &last)) {
		syt_warn("there is no event");
		return SYT_EXIT_OK;
	}
	if (!c->id)
		v.to = longest_wait(&order->places, last.thread);
	else if (!syt_path_find_event(order, c->id, &v.to))
		return SYT_EXIT_USAGE;
	return syt_path_run(c, order, &v, syt_place_row(&order->places, v.to)->in, syt_why_text,
	                    syt_why_json);
}

static enum syt_exit run_why(struct syt_command *c)
{
	struct syt_order order;
	enum syt_exit status;

	if (syt_order_open(&order, c->trace))
		return SYT_EXIT_UNREADABLE;
	status = find_and_tell(c, &order);
	syt_order_close(&order);
	return status;
}

const struct syt_report syt_report_why = {
	.name = "why",
	.summary = "why a call returned when it did: what it waited for, down to the root",
	.doc = "Tells in a few sentences what the event ID, P.T.N, or a request, waited for, and "
	       "what "
	       "that waited for. Without ID: the longest call of the thread that ended last.",
	.formats = 1u << SYT_FORMAT_TEXT | 1u << SYT_FORMAT_JSONL,
	.options = option_rows,
	.options_bytes = sizeof(struct syt_request_choice),
	.takes_id = true,
	.run = run_why,
};
