/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* syntrace-decode check: whether what must hold in every trace holds in this one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/report/check/view.h"
#include "decoder/report/compare/against.h"
#include "decoder/command/command.h"
#include "decoder/command/values.h"

enum { KEY_ONLY = 0x2400, KEY_LIST, KEY_LIMIT, KEY_AGAINST, KEY_ALL };

#define DEFAULT_LIMIT 5u

struct options {
	uint64_t chosen; /* bits 1 << index in syt_invariants; 0: all */
	uint64_t limit;
	const char *baseline; /* or NULL */
	bool has_all;
};

static const struct argp_option check_options[] = {
	{"only", KEY_ONLY, "NAME[,NAME...]", 0, "only these invariants", 0},
	{"list", KEY_LIST, NULL, 0, "list the invariants, and read no trace", 0},
	{"limit", KEY_LIMIT, "N", 0, "show N violations of each invariant (default: 5)", 0},
	{"against", KEY_AGAINST, "BASELINE", 0,
         "instead: whether this run does what the runs did that BASELINE was made from", 0},
	{"all", KEY_ALL, NULL, 0, "with --against: also the differences that follow from others",
         0},
	{NULL, 0, NULL, 0, NULL, 0},
};

static void choose(struct options *o, const char *name, size_t bytes, struct argp_state *state)
{
	for (unsigned i = 0; i < syt_nr_invariants; i++) {
		if (strlen(syt_invariants[i].name) == bytes &&
		    !memcmp(syt_invariants[i].name, name, bytes)) {
			o->chosen |= UINT64_C(1) << i;
			return;
		}
	}
	argp_error(state, "no invariant '%.*s': --list shows them", (int)bytes, name);
}

static void list(void)
{
	for (unsigned i = 0; i < syt_nr_invariants; i++)
		printf("%-12s %s\n", syt_invariants[i].name, syt_invariants[i].proves);
	exit(SYT_EXIT_OK);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		o->limit = DEFAULT_LIMIT;
		return 0;
	case KEY_ONLY:
		for (char *end; *arg; arg = end + (*end == ',')) {
			end = strchrnul(arg, ',');
			choose(o, arg, (size_t)(end - arg), state);
		}
		return 0;
	case KEY_LIST:
		list();
		return 0;
	case KEY_LIMIT:
		o->limit = syt_value_limit(arg, state);
		return 0;
	case KEY_AGAINST:
		o->baseline = arg;
		return 0;
	case KEY_ALL:
		o->has_all = true;
		return 0;
	case ARGP_KEY_END:
		if (o->baseline && o->chosen)
			argp_error(state,
			           "--only chooses invariants, --against does not look at them");
		if (o->has_all && !o->baseline)
			argp_error(state, "--all goes with --against");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static enum syt_exit run(struct syt_command *c)
{
	const struct options *o = c->options;
	enum syt_exit status = SYT_EXIT_OK;
	struct syt_order order;
	struct syt_checked *all;
	unsigned nr = 0;

	if (o->baseline)
		return syt_against_check(c, o->baseline, o->has_all);
	if (c->format == SYT_FORMAT_MARKDOWN || c->format == SYT_FORMAT_JUNIT) {
		syt_warn("this format goes with --against");
		return SYT_EXIT_USAGE;
	}
	if (syt_order_open(&order, c->trace))
		return SYT_EXIT_UNREADABLE;
	all = syt_calloc(syt_nr_invariants, sizeof(*all));
	for (unsigned i = 0; i < syt_nr_invariants; i++) {
		if (o->chosen && !(o->chosen >> i & 1))
			continue;
		all[nr].invariant = &syt_invariants[i];
		syt_check_run(&all[nr].result, &syt_invariants[i], &order, o->limit);
		if (all[nr++].result.nr_violations)
			status = SYT_EXIT_FINDINGS;
	}
	if (c->format == SYT_FORMAT_JSONL)
		syt_check_json(c->out, &order, all, nr);
	else
		syt_check_text(c->out, c->symbols, &order, all, nr);
	for (unsigned i = 0; i < nr; i++)
		syt_check_close(&all[i].result);
	free(all);
	syt_order_close(&order);
	return status;
}

static const struct argp argp = {.options = check_options, .parser = parse};

const struct syt_verb syt_verb_check = {
	.name = "check",
	.summary = "whether what must hold in every trace holds in this one",
	.doc = "Proves the invariants of a trace: that nothing is missing unsaid, that the order "
	       "is "
	       "without contradiction, that locks exclude and counts add up.  Exit status 1 if "
	       "not.  With --against: compares the run with a baseline, see baseline and diff.",
	.formats = 1u << SYT_FORMAT_TEXT | 1u << SYT_FORMAT_JSONL | 1u << SYT_FORMAT_MARKDOWN |
                   1u << SYT_FORMAT_JUNIT,
	.argp = &argp,
	.options_bytes = sizeof(struct options),
	.run = run,
};
