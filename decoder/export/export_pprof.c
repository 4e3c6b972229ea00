/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Writes pprof profiles: how often and how long threads waited, by call stack. Contention profiles have the same
 * sample types as Go's (contentions, delay). Labels of their samples name the call path to blame.
 *
 * A protobuf message may be written in parts, and each part is a message. The exporter therefore writes one sample,
 * location, function or string after another, each before its first use. A location is a frame of an image's
 * stacks, or an intercepted call, which is not a frame of the recorded stack.
 */
#include <stdlib.h>

#include "base/err.h"
#include "base/profile.pb-c.h"
#include "base/protobuf.h"
#include "decoder/export/wait_sum.h"
#include "decoder/export/words.h"
#include "decoder/read/call.h"
#include "decoder/analysis/blame.h"

#define LABELS_MAX 8u

struct writer {
	const struct syt_export *x;
	uint8_t *buffer;
	size_t room;
	int64_t nr_strings;
	uint64_t nr_functions;
	struct syt_ids ids;  /* numbers of locations: calls come before frames of stacks */
	uint64_t *locations; /* locations of one sample */
	size_t room_locations;
};

static void put(struct writer *w, const Pprof__Profile *part)
{
	size_t bytes = pprof__profile__get_packed_size(part);

	syt_grow(&w->buffer, &w->room, bytes, 1);
	pprof__profile__pack(part, w->buffer);
	syt_out_bytes(w->x->out, w->buffer, bytes);
}

/* Writes TEXT and returns its index. Does not reuse equal strings, because all would have to be in memory. */
static int64_t put_string(struct writer *w, const char *text)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	char *clean = syt_words_clean(text);

	SYT_PROTOBUF_LIST(&part, string_table, &clean, 1);
	put(w, &part);
	free(clean);
	return w->nr_strings++;
}

static uint64_t put_function(struct writer *w, const char *name, const char *file)
{
	Pprof__Function function = PPROF__FUNCTION__INIT, *functions = &function;
	Pprof__Profile part = PPROF__PROFILE__INIT;

	function.id = ++w->nr_functions;
	function.name = function.system_name = put_string(w, name);
	function.filename = file ? put_string(w, file) : 0;
	SYT_PROTOBUF_LIST(&part, function, &functions, 1);
	put(w, &part);
	return function.id;
}

static uint64_t put_module(struct writer *w, uint32_t image, uint32_t number)
{
	const struct syt_image *i = &w->x->order->places.trace->images[image];
	Pprof__Mapping mapping = PPROF__MAPPING__INIT, *mappings = &mapping;
	Pprof__Profile part = PPROF__PROFILE__INIT;

	if (!number || number > i->nr_modules || !i->modules[number - 1].path)
		return 0;
	const struct syt_module_info *m = &i->modules[number - 1];

	mapping.id = w->ids.modules[image] + number;
	if (!syt_ids_mark(w->ids.has_module, mapping.id - 1))
		return mapping.id;

	char *id = syt_calloc((size_t)m->build_id_bytes * 2 + 1, 1);

	for (uint32_t n = 0; n < m->build_id_bytes; n++) {
		id[2 * n] = "0123456789abcdef"[m->build_id[n] >> 4];
		id[2 * n + 1] = "0123456789abcdef"[m->build_id[n] & 15];
	}
	mapping.memory_start = m->start;
	mapping.memory_limit = m->end;
	mapping.filename = put_string(w, m->path);
	mapping.build_id = put_string(w, id);
	mapping.has_functions = true; /* the profile has functions: pprof need not find them */
	SYT_PROTOBUF_LIST(&part, mapping, &mappings, 1);
	put(w, &part);
	free(id);
	return mapping.id;
}

static void put_location(struct writer *w, uint64_t id, uint64_t mapping, uint64_t address,
                         Pprof__Line **lines, size_t nr_lines)
{
	Pprof__Location location = PPROF__LOCATION__INIT, *locations = &location;
	Pprof__Profile part = PPROF__PROFILE__INIT;

	location.id = id;
	location.mapping_id = mapping;
	location.address = address;
	SYT_PROTOBUF_LIST(&location, line, lines, nr_lines);
	SYT_PROTOBUF_LIST(&part, location, &locations, 1);
	put(w, &part);
}

static uint64_t put_call(struct writer *w, uint32_t image, uint32_t call)
{
	const char *name = w->x->order->places.trace->images[image].calls[call].name;
	Pprof__Line line = PPROF__LINE__INIT, *lines = &line;
	uint64_t id = w->ids.calls[image] + call + 1;

	if (!syt_ids_mark(w->ids.has_call, id - 1))
		return id;
	line.function_id = put_function(w, name ? name : "?", NULL);
	put_location(w, id, 0, 0, &lines, 1);
	return id;
}

static uint64_t put_frame(struct writer *w, uint32_t image, uint32_t stack,
                          const struct syt_location *l)
{
	const struct syt_image *i = &w->x->order->places.trace->images[image];
	uint32_t nr = l->nr_symbols ? l->nr_symbols : 1;
	uint64_t number = w->ids.stacks[image] + stack, id = w->ids.nr_calls + number;

	if (!syt_ids_mark(w->ids.has_stack, number))
		return id;

	Pprof__Line *all = syt_calloc(nr, sizeof(*all));
	Pprof__Line **lines = syt_calloc(nr, sizeof(*lines));

	for (uint32_t n = 0; n < nr; n++) {
		const struct syt_symbol *s = l->nr_symbols ? &l->symbols[n] : NULL;

		pprof__line__init(&all[n]);
		all[n].function_id =
			put_function(w, s && s->fn ? s->fn : l->label, s ? s->file : NULL);
		all[n].line = s ? s->line : 0;
		lines[n] = &all[n];
	}
	put_location(w, id, put_module(w, image, i->stacks[stack].module), l->pc, lines, nr);
	free(lines);
	free(all);
	return id;
}

static size_t put_stack(struct writer *w, const struct syt_wait_sum *s)
{
	const struct syt_image *i = &w->x->order->places.trace->images[s->image];
	size_t nr = 0;

	syt_grow(&w->locations, &w->room_locations, 1, sizeof(*w->locations));
	w->locations[nr++] = put_call(w, s->image, s->call);
	for (uint32_t at = s->stack; at; at = i->stacks[at].parent) {
		const struct syt_location *l = syt_symbol_locate(w->x->symbols, i, at);

		if (l->is_recorder)
			continue;
		*SYT_ADD(w->locations, nr, w->room_locations) = put_frame(w, s->image, at, l);
	}
	return nr;
}

struct labels {
	unsigned nr;
	Pprof__Label all[LABELS_MAX], *pointers[LABELS_MAX];
};

static Pprof__Label *label(struct writer *w, struct labels *l, const char *key)
{
	Pprof__Label *new = &l->all[l->nr];

	pprof__label__init(new);
	new->key = put_string(w, key);
	l->pointers[l->nr++] = new;
	return new;
}

static void label_side(struct writer *w, struct labels *l, const char *key, uint32_t side)
{
	if (side != SYT_NONE)
		label(w, l, key)->str = put_string(w, syt_label_side_text(w->x->labels, side));
}

static void put_sample(struct writer *w, const struct syt_wait_sum *s)
{
	const struct syt_image *i = &w->x->order->places.trace->images[s->image];
	int64_t values[2] = {(int64_t)s->nr, (int64_t)s->ns};
	Pprof__Sample sample = PPROF__SAMPLE__INIT, *samples = &sample;
	Pprof__Profile part = PPROF__PROFILE__INIT;
	char *process = syt_words_process(i), *lock;
	struct labels l = {0};
	size_t nr;

	label(w, &l, "process")->str = put_string(w, process);
	label(w, &l, "pid")->num = i->file.pid;
	if (s->lock != SYT_NONE) {
		lock = syt_words_object(w->x, s->lock);
		label(w, &l, "lock")->str = put_string(w, lock);
		free(lock);
		label(w, &l, "charged")->str =
			put_string(w, syt_blame_word((enum syt_blame_kind)s->kind));
		label_side(w, &l, "holder", s->holder);
		label_side(w, &l, "culprit", s->culprit);
	}
	nr = put_stack(w, s);
	SYT_PROTOBUF_LIST(&sample, location_id, w->locations, nr);
	SYT_PROTOBUF_LIST(&sample, value, values, 2);
	SYT_PROTOBUF_LIST(&sample, label, l.pointers, l.nr);
	SYT_PROTOBUF_LIST(&part, sample, &samples, 1);
	put(w, &part);
	free(process);
}

static void put_head(struct writer *w)
{
	bool is_contention = w->x->what == SYT_WHAT_CONTENTION;
	const struct syt_trace_data *t = w->x->order->places.trace;
	Pprof__ValueType count = PPROF__VALUE_TYPE__INIT, time = PPROF__VALUE_TYPE__INIT;
	Pprof__ValueType *types[] = {&count, &time};
	Pprof__Profile part = PPROF__PROFILE__INIT;
	char *coverage = syt_words_coverage(w->x->order);
	int64_t comment;

	put_string(w, "");
	count.type = put_string(w, is_contention ? "contentions" : "waits");
	count.unit = put_string(w, "count");
	time.type = put_string(w, is_contention ? "delay" : "wait");
	time.unit = put_string(w, "nanoseconds");
	comment = put_string(w, coverage);
	SYT_PROTOBUF_LIST(&part, sample_type, types, 2);
	part.period_type = &count;
	part.period = 1;
	part.duration_nanos = t->end > t->begin ? (int64_t)SYT_TIME_NS(t->end - t->begin) : 0;
	if (t->wall_offset_ns)
		part.time_nanos = (int64_t)(SYT_TIME_NS(t->begin) + (uint64_t)t->wall_offset_ns);
	SYT_PROTOBUF_LIST(&part, comment, &comment, 1);
	put(w, &part);
	free(coverage);
}

static int run(struct syt_export *x)
{
	struct writer w = {.x = x};
	struct syt_wait_sums waits;

	syt_ids_open(&w.ids, x->order);
	put_head(&w);
	syt_wait_sums_open(&waits, x);
	for (size_t n = 0; n < waits.nr && !x->out->is_closed; n++)
		put_sample(&w, &waits.all[n]);
	syt_wait_sums_close(&waits);
	syt_ids_close(&w.ids);
	free(w.buffer);
	free(w.locations);
	return 0;
}

const struct syt_exporter syt_exporter_pprof = {
	.name = "pprof",
	.suffix = ".pb.gz",
	.is_profile = true,
	.is_compressed = true,
	.run = run,
};
