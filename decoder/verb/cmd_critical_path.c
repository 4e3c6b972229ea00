/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* syntrace-decode critical-path: what determined when the program, or an event of it, ended; and
 * why: the same about one call. */
#include <stdlib.h>

#include "decoder/show/path_print.h"
#include "decoder/verb/command.h"
#include "decoder/verb/values.h"

enum { KEY_FROM = 0x2800, KEY_TO, KEY_LIMIT, KEY_STACKS };

#define MOST_SEGMENTS 30u

struct options {
	const char *from, *to; /* ids, or NULL */
	uint64_t limit;
	bool has_stacks;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		o->limit = MOST_SEGMENTS;
		return 0;
	case KEY_FROM:
		o->from = arg;
		return 0;
	case KEY_TO:
		o->to = arg;
		return 0;
	case KEY_LIMIT:
		o->limit = syt_value_limit(arg, state);
		return 0;
	case KEY_STACKS:
		o->has_stacks = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static bool find_event(const struct syt_order *order, const char *id, struct syt_place *at)
{
	if (syt_place_find(&order->places, id, at))
		return true;
	syt_warn("there is no event '%s': ids are P.T.N, as events prints them", id);
	return false;
}

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

static enum syt_exit print(struct syt_command *c, const struct syt_order *order,
                           struct syt_path_view *v, syt_time from,
                           void (*text)(struct syt_out *, const struct syt_path_view *),
                           void (*json)(struct syt_out *, const struct syt_path_view *))
{
	struct syt_path path;
	struct syt_path_sum sum;

	if (syt_path_open(&path, order, from, v->to))
		return SYT_EXIT_UNREADABLE;
	v->symbols = c->symbols;
	v->labels = syt_labels_create(&order->places, c->symbols, 0);
	v->path = &path;
	v->sum = &sum;
	syt_path_sum_open(&sum, &path, v->labels, c->symbols);
	(c->format == SYT_FORMAT_JSONL ? json : text)(c->out, v);
	syt_path_sum_close(&sum);
	syt_labels_destroy(v->labels);
	syt_path_close(&path);
	return SYT_EXIT_OK;
}

static enum syt_exit find_and_print(struct syt_command *c, const struct syt_order *order)
{
	const struct options *o = c->options;
	struct syt_path_view v = {
		.from = {SYT_NONE, 0}, .limit = o->limit, .has_stacks = o->has_stacks};
	struct syt_place first, last;
	syt_time from;

	if (!syt_path_ends(&order->places, &first, &last)) {
		syt_warn("there is no event");
		return SYT_EXIT_OK;
	}
	v.to = last;
	if ((o->from && !find_event(order, o->from, &v.from)) ||
	    (o->to && !find_event(order, o->to, &v.to)))
		return SYT_EXIT_USAGE;
	from = syt_place_row(&order->places, o->from ? v.from : first)->in;
	if (from > syt_place_row(&order->places, v.to)->out) {
		syt_warn("'%s' ended before '%s' began", o->to ? o->to : "the last event", o->from);
		return SYT_EXIT_USAGE;
	}
	return print(c, order, &v, from, syt_path_text, syt_path_json);
}

static enum syt_exit run(struct syt_command *c)
{
	struct syt_order order;
	enum syt_exit status;

	if (syt_order_open(&order, c->trace))
		return SYT_EXIT_UNREADABLE;
	status = find_and_print(c, &order);
	syt_order_close(&order);
	return status;
}

static enum syt_exit find_and_tell(struct syt_command *c, const struct syt_order *order)
{
	struct syt_path_view v = {.from = {SYT_NONE, 0}};
	struct syt_place first, last;

	if (!syt_path_ends(&order->places, &first, &last)) {
		syt_warn("there is no event");
		return SYT_EXIT_OK;
	}
	if (!c->id)
		v.to = longest_wait(&order->places, last.thread);
	else if (!find_event(order, c->id, &v.to))
		return SYT_EXIT_USAGE;
	return print(c, order, &v, syt_place_row(&order->places, v.to)->in, syt_why_text,
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

static const struct argp_option path_options[] = {
	{"from", KEY_FROM, "ID", 0, "from the begin of event P.T.N on (default: the first event)",
         0},
	{"to", KEY_TO, "ID", 0, "to the end of event P.T.N (default: the last one)", 0},
	{"limit", KEY_LIMIT, "N", 0,
         "as text, show the N longest segments, and at most N rows of each table (30)", 0},
	{"stacks", KEY_STACKS, NULL, 0, "with call stacks", 0},
	{NULL, 0, NULL, 0, NULL, 0},
};

static const struct argp path_argp = {.options = path_options, .parser = parse};

const struct syt_verb syt_verb_critical_path = {
	.name = "critical-path",
	.summary = "what determined when it ended, across threads and processes",
	.doc = "Prints the chain of what ran and of what was waited for that determined when the "
	       "last event, or another one, ended: from the end backwards, at each wait to the "
	       "thread that ended it.",
	.formats = 1u << SYT_FORMAT_TEXT | 1u << SYT_FORMAT_JSONL,
	.argp = &path_argp,
	.options_bytes = sizeof(struct options),
	.run = run,
};

const struct syt_verb syt_verb_why = {
	.name = "why",
	.summary = "why a call returned when it did: what it waited for, down to the root",
	.doc = "Tells in a few sentences what the event ID, P.T.N, waited for, and what that "
               "waited "
	       "for. Without ID: the longest call of the thread that ended last.",
	.formats = 1u << SYT_FORMAT_TEXT | 1u << SYT_FORMAT_JSONL,
	.takes_id = true,
	.run = run_why,
};
