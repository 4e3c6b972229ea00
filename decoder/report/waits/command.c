/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* syntrace-decode waits: where each thread's time went, and which of its waits were harmful. */
#include <string.h>

#include "decoder/read/number.h"
#include "decoder/report/waits/view.h"
#include "decoder/command/command.h"
#include "decoder/command/values.h"

enum { KEY_PID = 0x2800, KEY_THREAD, KEY_LIMIT, KEY_LEAST, KEY_STACKS };

struct options {
	struct syt_waits_view view;
	struct syt_waits_filter filter;
	bool has_limit, has_least;
};

static const struct argp_option waits_options[] = {
	{"pid", KEY_PID, "PID", 0, "only threads of process PID", 0},
	{"thread", KEY_THREAD, "P.T", 0, "only this thread; a plain number is a tid", 0},
	{"limit", KEY_LIMIT, "N", 0,
         "at most N rows of each table (default: 10 as text, all in JSON)", 0},
	{"least", KEY_LEAST, "PERCENT", 0,
         "a call path stands out when it waited harmfully for so much of its threads' time "
         "(default: 10)",
         0},
	{"stacks", KEY_STACKS, NULL, 0, "with the call stacks of both sides", 0},
	{NULL, 0, NULL, 0, NULL, 0},
};

static void parse_thread(struct syt_waits_filter *f, const char *arg, struct argp_state *state)
{
	const char *dot = strchr(arg, '.');
	char image[24];

	if (!dot) {
		f->has_tid = true;
		if (!syt_number_parse(arg, &f->tid))
			argp_error(state, "--thread takes P.T or a thread id, not '%s'", arg);
		return;
	}
	f->has_number = true;
	if ((size_t)(dot - arg) < sizeof(image)) {
		memcpy(image, arg, (size_t)(dot - arg));
		image[dot - arg] = '\0';
		if (syt_number_parse(image, &f->image) && syt_number_parse(dot + 1, &f->thread))
			return;
	}
	argp_error(state, "--thread takes P.T or a thread id, not '%s'", arg);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case KEY_PID:
		o->filter.has_pid = true;
		if (!syt_number_parse(arg, &o->filter.pid))
			argp_error(state, "--pid takes a process id, not '%s'", arg);
		return 0;
	case KEY_THREAD:
		parse_thread(&o->filter, arg, state);
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
	struct syt_waits_view v = o->view;
	struct syt_edges_wanted wanted = {SYT_EDGES_BUT_LOCKS, SYT_EDGES_ALL};
	struct syt_labels *labels;
	struct syt_waits waits;
	struct syt_order order;

	if (syt_order_open_for(&order, c->trace, wanted))
		return SYT_EXIT_UNREADABLE;
	labels = syt_labels_create(&order.places, c->symbols, 0);
	v.symbols = c->symbols;
	if (!o->has_limit && c->format == SYT_FORMAT_TEXT)
		v.limit = 10;
	if (!o->has_least)
		v.least_thousandths = 100;
	syt_waits_open(&waits, &order, labels, &o->filter);
	if (c->format == SYT_FORMAT_JSONL)
		syt_waits_json(c->out, &waits, &v);
	else
		syt_waits_text(c->out, &waits, &v);
	syt_waits_close(&waits);
	syt_labels_destroy(labels);
	syt_order_close(&order);
	return SYT_EXIT_OK;
}

static const struct argp argp = {.options = waits_options, .parser = parse};

const struct syt_verb syt_verb_waits = {
	.name = "waits",
	.summary = "where each thread's time went, and which of its waits were harmful",
	.doc = "Prints how long threads were on a processor and how long they waited, for what, by "
	       "call path, and whether somebody's work waited for that.",
	.formats = 1u << SYT_FORMAT_TEXT | 1u << SYT_FORMAT_JSONL,
	.argp = &argp,
	.options_bytes = sizeof(struct options),
	.run = run,
};
