/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* syntrace-decode events: every event of every thread, in the order of time. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/command/command.h"
#include "decoder/command/values.h"
#include "decoder/read/call.h"
#include "decoder/report/events/print.h"
#include "decoder/read/merge.h"
#include "decoder/read/number.h"
#include "decoder/show/print.h"

enum {
	KEY_PID = 0x2000,
	KEY_THREAD,
	KEY_CALL,
	KEY_OBJECT,
	KEY_FROM,
	KEY_TO,
	KEY_LIMIT,
	KEY_STACKS,
	KEY_NO_STACKS
};

struct list {
	const char **items;
	size_t nr, room;
};

struct options {
	struct list pids, threads, calls, objects;
	struct syt_moment from, to;
	uint64_t limit;
	bool has_no_stacks;
};

static const struct argp_option event_options[] = {
	{"pid", KEY_PID, "PID", 0, "only events of process PID (repeatable, as are those below)",
         0},
	{"thread", KEY_THREAD, "P.T", 0, "only events of this thread; a plain number is a tid", 0},
	{"call", KEY_CALL, "NAME", 0, "only events of calls with this name; * and ? match any", 0},
	{"object", KEY_OBJECT, "OBJECT", 0,
         "only events on this object, e.g. mutex:0x5581#0; * and ? match any, a kind alone all of "
         "its",
         0},
	{"from", KEY_FROM, "TIME", 0,
         "only events from this time on: seconds as printed, or ns as in "
         "JSON; +TIME counts from the trace's begin",
         0},
	{"to", KEY_TO, "TIME", 0, "only events before this time", 0},
	{"limit", KEY_LIMIT, "N", 0, "only the first N events that are left", 0},
	{"stacks", KEY_STACKS, NULL, 0, "print call stacks (default: yes)", 0},
	{"no-stacks", KEY_NO_STACKS, NULL, 0, "do not print call stacks", 0},
	{NULL, 0, NULL, 0, NULL, 0},
};

static void add(struct list *l, const char *item)
{
	syt_grow(&l->items, &l->room, l->nr + 1, sizeof(*l->items));
	l->items[l->nr++] = item;
}

/* Digits, and * and ? that match any. */
static void add_number(struct list *l, const char *item, struct argp_state *state,
                       const char *wanted)
{
	if (!*item || item[strspn(item, "0123456789.*?")])
		argp_error(state, "%s, not '%s'", wanted, item);
	add(l, item);
}

static void parse_time(struct syt_moment *to, const char *arg, struct argp_state *state)
{
	if (!syt_moment_parse(arg, to))
		argp_error(state, "not a time: '%s': " SYT_MOMENT_HELP, arg);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case KEY_PID:
		add_number(&o->pids, arg, state, "--pid takes a process id");
		return 0;
	case KEY_THREAD:
		add_number(&o->threads, arg, state, "--thread takes P.T or a thread id");
		return 0;
	case KEY_CALL:
		add(&o->calls, arg);
		return 0;
	case KEY_OBJECT:
		add(&o->objects, arg);
		return 0;
	case KEY_FROM:
		parse_time(&o->from, arg, state);
		return 0;
	case KEY_TO:
		parse_time(&o->to, arg, state);
		return 0;
	case KEY_LIMIT:
		o->limit = syt_value_limit(arg, state);
		return 0;
	case KEY_STACKS:
		o->has_no_stacks = false;
		return 0;
	case KEY_NO_STACKS:
		o->has_no_stacks = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- filters ---- */

/* What the filters leave of one image. */
struct kept {
	bool *calls;   /* by call; NULL: all */
	bool *objects; /* by object; NULL: all */
};

static bool matches(const struct list *l, const char *text)
{
	for (size_t n = 0; n < l->nr; n++)
		if (fnmatch(l->items[n], text, 0) == 0)
			return true;
	return !l->nr;
}

static bool keeps_thread(void *context, const struct syt_thread *t)
{
	const struct options *o = context;
	char *pid = syt_asprintf("%u", t->image->file.pid);
	char *tid = syt_asprintf("%u", t->tid);
	char *name = syt_asprintf("%u.%u", t->image->index, t->index);
	bool kept =
		matches(&o->pids, pid) && (matches(&o->threads, tid) || matches(&o->threads, name));

	free(pid);
	free(tid);
	free(name);
	return kept;
}

static bool object_matches(const struct list *l, const struct syt_image *i, uint32_t n)
{
	char text[SYT_OBJECT_TEXT];

	syt_object_text(&i->objects[n], text, sizeof(text));
	if (matches(l, text) || (i->objects[n].name && matches(l, i->objects[n].name)))
		return true;
	text[strcspn(text, ":")] = 0;
	return matches(l, text);
}

static struct kept *keep_images(const struct options *o, const struct syt_trace_data *t)
{
	struct kept *kept = syt_calloc(t->nr_images, sizeof(*kept));

	for (uint32_t n = 0; n < t->nr_images; n++) {
		const struct syt_image *i = &t->images[n];

		if (o->calls.nr)
			kept[n].calls = syt_calloc(i->nr_calls, sizeof(bool));
		for (uint32_t k = 0; kept[n].calls && k < i->nr_calls; k++)
			kept[n].calls[k] = i->calls[k].name && matches(&o->calls, i->calls[k].name);
		if (o->objects.nr)
			kept[n].objects = syt_calloc(i->nr_objects, sizeof(bool));
		for (uint32_t k = 0; kept[n].objects && k < i->nr_objects; k++)
			kept[n].objects[k] = object_matches(&o->objects, i, k);
	}
	return kept;
}

static void free_kept(struct kept *kept, uint32_t nr)
{
	for (uint32_t n = 0; n < nr; n++) {
		free(kept[n].calls);
		free(kept[n].objects);
	}
	free(kept);
}

static bool keeps_object(const struct kept *k, const struct syt_thread *t, const struct syt_row *r)
{
	if (!k->objects || (r->object != SYT_NONE && k->objects[r->object]))
		return true;
	if (r->extra == SYT_NONE)
		return false;
	const struct syt_extra *x = &t->extras[r->extra];

	if (x->object2 != SYT_NONE && k->objects[x->object2])
		return true;
	for (uint32_t n = 0; n < x->nr_ready; n++) {
		uint32_t object = t->ready[x->ready + n].object;

		if (object != SYT_NONE && k->objects[object])
			return true;
	}
	return false;
}

/* ---- the verb ---- */

static enum syt_exit run(struct syt_command *c)
{
	const struct syt_trace_data *trace = c->trace;
	struct options *o = c->options;
	struct kept *kept = keep_images(o, trace);
	syt_time from = syt_moment_time(&o->from, trace, 0);
	syt_time to = syt_moment_time(&o->to, trace, UINT64_MAX);
	struct syt_stack_texts *stacks =
		o->has_no_stacks ? NULL : syt_stack_texts_create(trace, c->symbols);
	uint64_t left = o->limit ? o->limit : UINT64_MAX;
	struct syt_merge m;

	syt_merge_open(&m, trace, keeps_thread, o);
	while (left && !c->out->is_closed && syt_merge_next(&m)) {
		const struct syt_thread *t = m.current.thread;
		const struct syt_row *r = &t->rows[m.current.row];
		const struct kept *k = &kept[t->image - trace->images];

		if (m.current.stamp >= to)
			break;
		if (m.current.stamp < from || (k->calls && !k->calls[r->call]) ||
		    !keeps_object(k, t, r))
			continue;
		if (c->format == SYT_FORMAT_JSONL)
			syt_event_json(c->out, stacks, t, m.current.row);
		else
			syt_event_text(c->out, stacks, t, m.current.row);
		left--;
	}
	syt_merge_close(&m);
	syt_stack_texts_destroy(stacks);
	free_kept(kept, trace->nr_images);
	return SYT_EXIT_OK;
}

static void fini(void *options)
{
	struct options *o = options;

	free(o->pids.items);
	free(o->threads.items);
	free(o->calls.items);
	free(o->objects.items);
}

static const struct argp argp = {.options = event_options, .parser = parse};

const struct syt_verb syt_verb_events = {
	.name = "events",
	.summary = "every event of every thread, in the order of time",
	.doc = "Prints the recorded events in the order of time, with their call stacks.",
	.formats = 1u << SYT_FORMAT_TEXT | 1u << SYT_FORMAT_JSONL,
	.argp = &argp,
	.options_bytes = sizeof(struct options),
	.run = run,
	.fini = fini,
};
