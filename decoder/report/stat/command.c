/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * syntrace-decode stat: what is in a trace, and what is not.  The accounting balances:
 * recorded = decoded + overwritten + missing; what was lost was never recorded.
 */
#include "decoder/report/stat/stat.h"
#include "decoder/command/values.h"

#include <string.h>

enum { KEY_OBJECTS = 0x2000, KEY_MODULES, KEY_SORT, KEY_LIMIT };

static const struct argp_option stat_options[] = {
	{"objects", KEY_OBJECTS, NULL, 0,
         "list the sync objects, endpoints with addresses and peers", 0},
	{"sort", KEY_SORT, "BY", 0,
         "objects with the most first: wait (the time that threads waited), events or bytes "
         "(default: wait)",
         0},
	{"limit", KEY_LIMIT, "N", 0, "only the first N objects", 0},
	{"modules", KEY_MODULES, NULL, 0, "list the loaded modules", 0},
	{NULL, 0, NULL, 0, NULL, 0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct syt_stat_options *o = state->input;

	switch (key) {
	case KEY_OBJECTS:
		o->has_objects = true;
		return 0;
	case KEY_MODULES:
		o->has_modules = true;
		return 0;
	case KEY_SORT:
		if (!strcmp(arg, "wait"))
			o->sort = SYT_SORT_WAIT;
		else if (!strcmp(arg, "events"))
			o->sort = SYT_SORT_EVENTS;
		else if (!strcmp(arg, "bytes"))
			o->sort = SYT_SORT_BYTES;
		else
			argp_error(state, "--sort takes wait, events or bytes, not '%s'", arg);
		return 0;
	case KEY_LIMIT:
		o->limit = syt_value_limit(arg, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const char *syt_stat_state(const struct syt_image *i, int *status)
{
	*status = -1;
	switch (i->file.state & 0xff) {
	case SYT_STATE_EXITED:
		*status = (int)(i->file.state >> 8 & 0xff);
		return "exited";
	case SYT_STATE_EXECED:
		return "replaced by exec";
	case SYT_STATE_RUNNING:
		return "running or killed";
	default:
		return "unknown";
	}
}

const char *syt_stat_clock(const struct syt_image *i)
{
	switch (i->file.clock_source) {
	case SYT_CLOCK_TSC:
		return "tsc";
	case SYT_CLOCK_MONOTONIC:
		return "monotonic";
	case SYT_CLOCK_CNTVCT:
		return "cntvct";
	default:
		return "unknown";
	}
}

const char *syt_stat_loss(unsigned loss)
{
	static const char *const texts[] = {
#define LOSS(name_, text_) text_,
		SYT_LOSSES(LOSS)
#undef LOSS
	};

	return loss < SYT_NR_LOSSES ? texts[loss] : NULL;
}

const char *syt_stat_loss_name(unsigned loss)
{
	static const char *const names[] = {
#define LOSS(name_, text_) #name_,
		SYT_LOSSES(LOSS)
#undef LOSS
	};

	return loss < SYT_NR_LOSSES ? names[loss] : NULL;
}

/* Of a large trace something is to be seen at once. */
static void begin(struct syt_command *c, const struct syt_image *first)
{
	struct syt_stat_options *o = c->options;

	if (c->format != SYT_FORMAT_TEXT)
		return;
	syt_stat_text_identity(c->out, first);
	syt_out_flush(c->out);
	o->has_begun = true;
}

/* Summaries of objects look at all rows. */
static bool is_sparse(const void *options)
{
	return !((const struct syt_stat_options *)options)->has_objects;
}

static enum syt_exit run(struct syt_command *c)
{
	if (c->format == SYT_FORMAT_JSONL)
		syt_stat_json(c);
	else
		syt_stat_text(c);
	return syt_stat_order(c);
}

static const struct argp argp = {.options = stat_options, .parser = parse};

const struct syt_verb syt_verb_stat = {
	.name = "stat",
	.summary = "what is in a trace, how much, and what is missing",
	.doc = "Prints what a trace holds: processes, calls, threads, losses and blind spots.",
	.formats = 1u << SYT_FORMAT_TEXT | 1u << SYT_FORMAT_JSONL,
	.argp = &argp,
	.options_bytes = sizeof(struct syt_stat_options),
	.begin = begin,
	.is_sparse = is_sparse,
	.run = run,
};
