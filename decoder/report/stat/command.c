/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The command stat prints the contents of a trace, and its losses. recorded = decoded + overwritten + missing; lost
 * events were never recorded. */
#include "decoder/report/stat/stat.h"

static void parse_sort(void *field, const char *name, const char *arg, struct argp_state *state)
{
	static const char *const words[] = {
		[SYT_SORT_WAIT] = "wait", [SYT_SORT_EVENTS] = "events", [SYT_SORT_BYTES] = "bytes"};

	unsigned n = syt_word_find(words, 3, arg);

	if (n < 3)
		*(enum syt_object_sort *)field = (enum syt_object_sort)n;
	else
		argp_error(state, "--%s takes wait, events or bytes, not '%s'", name, arg);
}

/* clang-format off */
#define AT(member_) offsetof(struct syt_stat_options, member_)
static const struct syt_option option_rows[] = {
	{{"objects", 0, NULL, 0, "list the sync objects (locks, condition variables, sockets, pipes, ...), with the addresses and peers of sockets", 0}, AT(has_objects), syt_parse_true},
	{{"sort", 0, "BY", 0, "sort the list of objects by wait (the time that threads waited for an object), events or bytes (default: wait)", 0}, AT(sort), parse_sort},
	SYT_OPTION_LIMIT(AT(limit), "list only the first N of the sync objects"),
	{{"modules", 0, NULL, 0, "list the programs and libraries that each process loaded", 0}, AT(has_modules), syt_parse_true},
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
	static const char *const names[] = {[SYT_CLOCK_TSC] = "tsc",
	                                    [SYT_CLOCK_MONOTONIC] = "monotonic",
	                                    [SYT_CLOCK_CNTVCT] = "cntvct"};
	uint32_t source = i->file.clock_source;

	return source < sizeof(names) / sizeof(*names) && names[source] ? names[source] : "unknown";
}

const struct syt_stat_loss syt_stat_losses[SYT_NR_LOSSES] = {
#define LOSS(name_, text_) {#name_, text_},
	SYT_LOSSES(LOSS)
#undef LOSS
};

/* Prints the first process image at once, because a large trace takes long to decode. */
static void begin(struct syt_command *c, const struct syt_image *first)
{
	struct syt_stat_options *o = c->options;

	if (c->format != SYT_FORMAT_TEXT)
		return;
	syt_stat_text_identity(c->out, first);
	syt_out_flush(c->out);
	o->has_begun = true;
}

/* Returns false if the options ask for a summary of the objects, which reads all events. */
static bool is_sparse(const void *options)
{
	return !((const struct syt_stat_options *)options)->has_objects;
}

static void show_image(const struct syt_view *v, const struct syt_image *i,
                       const struct syt_stat_options *o, bool is_first)
{
	struct syt_image_summary s;

	syt_summary_make(&s, i);
	if (v->is_json) {
		syt_stat_json_process(v->out, i);
		syt_stat_list_calls(v, i, &s);
		syt_stat_json_tasks(v->out, i, &s.leaves);
		syt_stat_list_threads(v, i, &s);
		syt_stat_json_blind(v->out, i);
	} else {
		if (!is_first)
			syt_out_char(v->out, '\n');
		if (!is_first || !o->has_begun)
			syt_stat_text_identity(v->out, i);
		syt_stat_text_events(v->out, i, &s);
		syt_stat_list_calls(v, i, &s);
		syt_stat_list_threads(v, i, &s);
	}
	if (o->has_modules)
		syt_stat_list_modules(v, i);
	syt_summary_fini(&s);
}

static enum syt_exit run(struct syt_command *c)
{
	const struct syt_view v = {.out = c->out, .is_json = c->format == SYT_FORMAT_JSONL};

	for (uint32_t n = 0; n < c->trace->nr_images; n++)
		show_image(&v, &c->trace->images[n], c->options, !n);
	syt_stat_hosts(c);
	return syt_stat_order(c);
}

const struct syt_report syt_report_stat = {
	.name = "stat",
	.summary = "the processes, threads and calls of a trace, and the number of lost events",
	.doc = "Prints the processes, calls and threads of a trace, the number of lost events, and "
	       "the operations of the program that syntrace could not record.",
	.formats = 1u << SYT_FORMAT_TEXT | 1u << SYT_FORMAT_JSONL,
	.options = option_rows,
	.options_bytes = sizeof(struct syt_stat_options),
	.begin = begin,
	.is_sparse = is_sparse,
	.run = run,
};
