/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * syntrace-decode stat: what is in a trace, and what is not.  The accounting balances:
 * recorded = decoded + overwritten + missing; what was lost was never recorded.
 */
#include "decoder/report/stat/stat.h"

#include <string.h>

static void parse_sort(void *field, const char *name, const char *arg, struct argp_state *state)
{
	static const char *const words[] = {
		[SYT_SORT_WAIT] = "wait", [SYT_SORT_EVENTS] = "events", [SYT_SORT_BYTES] = "bytes"};

	for (unsigned i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (!strcmp(arg, words[i])) {
			*(enum syt_object_sort *)field = (enum syt_object_sort)i;
			return;
		}
	}
	argp_error(state, "--%s takes wait, events or bytes, not '%s'", name, arg);
}

/* clang-format off */
#define AT(member_) offsetof(struct syt_stat_options, member_)
static const struct syt_option option_rows[] = {
	{{"objects", 0, NULL, 0, "list the sync objects, endpoints with addresses and peers", 0}, AT(has_objects), syt_parse_true},
	{{"sort", 0, "BY", 0, "list first the objects with the most wait (the time that threads waited), events or bytes (default: wait)", 0}, AT(sort), parse_sort},
	SYT_OPTION_LIMIT(AT(limit), "only the first N objects"),
	{{"modules", 0, NULL, 0, "list the loaded modules", 0}, AT(has_modules), syt_parse_true},
	SYT_OPTION_END,
};
/* clang-format on */

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

const struct syt_report syt_report_stat = {
	.name = "stat",
	.summary = "what is in a trace, how much, and what is missing",
	.doc = "Prints what a trace holds: processes, calls, threads, losses and blind spots.",
	.formats = 1u << SYT_FORMAT_TEXT | 1u << SYT_FORMAT_JSONL,
	.options = option_rows,
	.options_bytes = sizeof(struct syt_stat_options),
	.begin = begin,
	.is_sparse = is_sparse,
	.run = run,
};
