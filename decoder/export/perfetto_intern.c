/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/export/perfetto_intern.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/store.h"
#include "decoder/export/words.h"
#include "decoder/read/call.h"

#define SEQUENCE 1u
enum { STATE_CLEARED = 1, NEEDS_STATE = 2 };

void syt_perfetto_packet(struct syt_perfetto *p, Perfetto__TracePacket *packet)
{
	Perfetto__Trace trace = PERFETTO__TRACE__INIT;

	packet->has_trusted_packet_sequence_id = true;
	packet->trusted_packet_sequence_id = SEQUENCE;
	packet->has_sequence_flags = true;
	packet->sequence_flags = p->has_begun ? NEEDS_STATE : STATE_CLEARED;
	p->has_begun = true;
	trace.packet = &packet;
	trace.n_packet = 1; /* concatenated traces form one trace */

	size_t bytes = perfetto__trace__get_packed_size(&trace);

	syt_grow(&p->buffer, &p->room, bytes, 1);
	perfetto__trace__pack(&trace, p->buffer);
	syt_out_bytes(p->x->out, p->buffer, bytes);
}

static void put(struct syt_perfetto *p, Perfetto__InternedData *data)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

	packet.interned_data = data;
	syt_perfetto_packet(p, &packet);
}

/* ---- names in every trace ---- */

static void put_names(struct syt_perfetto *p)
{
	static const char *const notes[] = {
		[SYT_PERFETTO_ID] = "id",
		[SYT_PERFETTO_OBJECT] = "object",
		[SYT_PERFETTO_RESULT] = "result",
		[SYT_PERFETTO_ERRNO] = "errno",
		[SYT_PERFETTO_BYTES] = "bytes",
		[SYT_PERFETTO_OFFSET] = "offset",
		[SYT_PERFETTO_CPU] = "cpu_ns",
		[SYT_PERFETTO_LABEL] = "label",
		[SYT_PERFETTO_EDGES] = "edges",
		[SYT_PERFETTO_DURATION] = "dur_ns",
		[SYT_PERFETTO_COVERAGE] = "coverage",
	};

	for (uint64_t n = 1; n < sizeof(notes) / sizeof(notes[0]); n++) {
		Perfetto__Name name = PERFETTO__NAME__INIT, *names = &name;
		Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;

		name.has_iid = true;
		name.iid = n;
		name.name = (char *)(uintptr_t)notes[n];
		data.debug_annotation_names = &names;
		data.n_debug_annotation_names = 1;
		put(p, &data);
	}
}

void syt_perfetto_open(struct syt_perfetto *p, const struct syt_export *x)
{
	const struct syt_trace_data *t = x->order->places.trace;
	uint64_t nr_stacks = 0, nr_modules = 0;

	*p = (struct syt_perfetto){.x = x};
	p->calls = syt_calloc(t->nr_images, sizeof(*p->calls));
	p->stacks = syt_calloc(t->nr_images, sizeof(*p->stacks));
	p->modules = syt_calloc(t->nr_images, sizeof(*p->modules));
	for (uint32_t n = 0; n < t->nr_images; n++) {
		p->calls[n] = p->nr_calls;
		p->stacks[n] = nr_stacks;
		p->modules[n] = nr_modules;
		p->nr_calls += t->images[n].nr_calls;
		nr_stacks += t->images[n].nr_stacks;
		nr_modules += t->images[n].nr_modules + UINT64_C(1); /* plus the unknown module */
	}
	p->has_call = syt_calloc(p->nr_calls, sizeof(bool));
	p->has_label = syt_calloc(x->labels ? syt_labels_nr(x->labels) : 0, sizeof(bool));
	p->has_object = syt_calloc(x->order->objects.nr, sizeof(bool));
	p->has_module = syt_calloc(nr_modules, sizeof(bool));
	p->has_stack = syt_store_alloc(nr_stacks, sizeof(bool));
	p->frames = syt_store_alloc(nr_stacks, sizeof(*p->frames));
	put_names(p);
}

void syt_perfetto_close(struct syt_perfetto *p)
{
	free(p->buffer);
	free(p->calls);
	free(p->stacks);
	free(p->modules);
	free(p->has_call);
	free(p->has_label);
	free(p->has_object);
	free(p->has_module);
	syt_store_free(p->has_stack);
	syt_store_free(p->frames);
}

/* ---- names ---- */

uint64_t syt_perfetto_category(struct syt_perfetto *p, unsigned category)
{
	Perfetto__Name name = PERFETTO__NAME__INIT, *names = &name;
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
	bool is_task = category == SYT_PERFETTO_TASK;
	uint64_t iid = is_task ? 1 : category + UINT64_C(2); /* kinds are appended */

	if (p->has_category[category])
		return iid;
	p->has_category[category] = true;
	name.has_iid = true;
	name.iid = iid;
	name.name = (char *)(uintptr_t)(is_task ? "task" : syt_kind_text(category));
	data.event_categories = &names;
	data.n_event_categories = 1;
	put(p, &data);
	return iid;
}

static void put_event_name(struct syt_perfetto *p, uint64_t iid, char *text)
{
	Perfetto__Name name = PERFETTO__NAME__INIT, *names = &name;
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;

	name.has_iid = true;
	name.iid = iid;
	name.name = text;
	data.event_names = &names;
	data.n_event_names = 1;
	put(p, &data);
	free(text);
}

uint64_t syt_perfetto_call(struct syt_perfetto *p, struct syt_place at)
{
	const struct syt_places *places = &p->x->order->places;
	uint64_t n = p->calls[syt_place_image_idx(places, at)] + syt_place_row(places, at)->call;

	if (!p->has_call[n]) {
		const char *name = syt_place_call(places, at)->name;

		p->has_call[n] = true;
		put_event_name(p, n + 1, syt_words_clean(name ? name : "?"));
	}
	return n + 1;
}

uint64_t syt_perfetto_task(struct syt_perfetto *p, const struct syt_task *t)
{
	uint64_t iid = p->nr_calls + t->label + 1;

	if (!p->has_label[t->label]) {
		p->has_label[t->label] = true;
		put_event_name(p, iid, syt_words_task(p->x, t));
	}
	return iid;
}

uint64_t syt_perfetto_object(struct syt_perfetto *p, uint32_t object)
{
	Perfetto__InternedString string = PERFETTO__INTERNED_STRING__INIT, *strings = &string;
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
	const struct syt_object_info *info = p->x->order->objects.all[object].info;
	char text[SYT_OBJECT_TEXT], *name, *whole;

	if (p->has_object[object])
		return object + UINT64_C(1);
	p->has_object[object] = true;
	syt_object_text(info, text, sizeof(text));
	name = info->name ? syt_words_clean(info->name) : NULL;
	whole = name ? syt_asprintf("%s (%s)", text, name) : syt_asprintf("%s", text);
	string.has_iid = string.has_str = true;
	string.iid = object + UINT64_C(1);
	string.str = (ProtobufCBinaryData){strlen(whole), (uint8_t *)whole};
	data.debug_annotation_string_values = &strings;
	data.n_debug_annotation_string_values = 1;
	put(p, &data);
	free(whole);
	free(name);
	return string.iid;
}

/* ---- call stacks ---- */

/* Puts the module of a frame once, and returns its number. A missing module, or a module that is
 * not in the dump, has a number too, because a frame without a mapping is not valid. */
static uint64_t put_module(struct syt_perfetto *p, uint32_t image, uint32_t number)
{
	const struct syt_image *i = &p->x->order->places.trace->images[image];
	uint32_t module = number <= i->nr_modules ? number : 0;
	const struct syt_module_info *m = module ? &i->modules[module - 1] : NULL;
	Perfetto__InternedString path = PERFETTO__INTERNED_STRING__INIT, *paths = &path;
	Perfetto__InternedString id = PERFETTO__INTERNED_STRING__INIT, *ids = &id;
	Perfetto__Mapping mapping = PERFETTO__MAPPING__INIT, *mappings = &mapping;
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
	uint64_t iid = p->modules[image] + module + 1;

	if (p->has_module[iid - 1])
		return iid;
	p->has_module[iid - 1] = true;

	char *text = syt_words_clean(m ? m->path : "");

	path.has_iid = path.has_str = id.has_iid = id.has_str = true;
	path.iid = id.iid = iid;
	path.str = (ProtobufCBinaryData){strlen(text), (uint8_t *)text};
	data.mapping_paths = &paths;
	data.n_mapping_paths = 1;
	if (m && m->build_id_bytes) {
		id.str = (ProtobufCBinaryData){m->build_id_bytes, m->build_id};
		data.build_ids = &ids;
		data.n_build_ids = 1;
		mapping.has_build_id = true;
		mapping.build_id = iid;
	}
	mapping.has_iid = mapping.has_start = mapping.has_end = mapping.has_load_bias = true;
	mapping.iid = iid;
	mapping.start = m ? m->start : 0;
	mapping.end = m ? m->end : 0;
	mapping.load_bias = 0; /* rel_pc has the file's own addresses */
	mapping.path_string_ids = &iid;
	mapping.n_path_string_ids = 1;
	data.mappings = &mappings;
	data.n_mappings = 1;
	put(p, &data);
	free(text);
	return iid;
}

/* Puts one function at a location: its name, source path and frame have the same number. */
static void put_frame(struct syt_perfetto *p, uint64_t mapping, const struct syt_location *l,
                      const struct syt_symbol *symbol)
{
	Perfetto__InternedString name = PERFETTO__INTERNED_STRING__INIT, *names = &name;
	Perfetto__InternedString path = PERFETTO__INTERNED_STRING__INIT, *paths = &path;
	Perfetto__Frame frame = PERFETTO__FRAME__INIT, *frames = &frame;
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
	char *function = syt_words_clean(symbol && symbol->fn ? symbol->fn : l->label);
	char *file = symbol && symbol->file ? syt_words_clean(symbol->file) : NULL;
	uint64_t iid = ++p->nr_frames;

	name.has_iid = name.has_str = path.has_iid = path.has_str = true;
	name.iid = path.iid = iid;
	name.str = (ProtobufCBinaryData){strlen(function), (uint8_t *)function};
	data.function_names = &names;
	data.n_function_names = 1;
	frame.has_iid = frame.has_function_name_id = true;
	frame.has_mapping_id = frame.has_rel_pc = true;
	frame.iid = frame.function_name_id = iid;
	frame.mapping_id = mapping;
	frame.rel_pc = l->offset;
	if (file) {
		path.str = (ProtobufCBinaryData){strlen(file), (uint8_t *)file};
		data.source_paths = &paths;
		data.n_source_paths = 1;
		frame.has_source_path_iid = frame.has_line_number = true;
		frame.source_path_iid = iid;
		frame.line_number = symbol->line;
	}
	data.frames = &frames;
	data.n_frames = 1;
	put(p, &data);
	free(function);
	free(file);
}

static uint32_t nr_frames(const struct syt_location *l)
{
	return l->is_recorder ? 0 : l->nr_symbols ? l->nr_symbols : 1;
}

/* Puts the functions at node STACK once. Returns the number of the innermost function's frame. The
 * functions into which it was inlined follow. */
static uint64_t put_frames(struct syt_perfetto *p, uint32_t image, uint32_t stack,
                           const struct syt_location *l)
{
	uint64_t *first = &p->frames[p->stacks[image] + stack];

	if (*first)
		return *first;
	uint64_t mapping =
		put_module(p, image, p->x->order->places.trace->images[image].stacks[stack].module);

	*first = p->nr_frames + 1;
	for (uint32_t n = 0; n < nr_frames(l); n++)
		put_frame(p, mapping, l, l->nr_symbols ? &l->symbols[n] : NULL);
	return *first;
}

/* Puts the location of the innermost frame, for viewers that show one location only. */
static void put_location(struct syt_perfetto *p, uint64_t iid, const struct syt_location *l)
{
	Perfetto__SourceLocation location = PERFETTO__SOURCE_LOCATION__INIT;
	Perfetto__SourceLocation *locations = &location;
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
	const struct syt_symbol *symbol = l->nr_symbols ? &l->symbols[0] : NULL;
	char *function = syt_words_clean(symbol && symbol->fn ? symbol->fn : l->label);
	char *file = syt_words_clean(symbol && symbol->file ? symbol->file : l->module);

	location.has_iid = true;
	location.iid = iid;
	location.function_name = function;
	location.file_name = file;
	if (symbol && symbol->file) {
		location.has_line_number = true;
		location.line_number = symbol->line;
	}
	data.source_locations = &locations;
	data.n_source_locations = 1;
	put(p, &data);
	free(function);
	free(file);
}

uint64_t syt_perfetto_stack(struct syt_perfetto *p, uint32_t image, uint32_t stack)
{
	const struct syt_image *i = &p->x->order->places.trace->images[image];
	Perfetto__Callstack callstack = PERFETTO__CALLSTACK__INIT, *callstacks = &callstack;
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
	uint64_t iid = p->stacks[image] + stack + 1, *frames = NULL;
	const struct syt_location *innermost = NULL;
	size_t nr = 0, room = 0;

	if (p->has_stack[iid - 1])
		return iid;
	p->has_stack[iid - 1] = true;
	for (uint32_t at = stack; at; at = i->stacks[at].parent) {
		const struct syt_location *l = syt_symbol_locate(p->x->symbols, i, at);

		if (l->is_recorder)
			continue;
		if (!innermost)
			innermost = l;
		uint64_t first = put_frames(p, image, at, l);

		syt_grow(&frames, &room, nr + nr_frames(l), sizeof(*frames));
		for (uint32_t n = 0; n < nr_frames(l); n++)
			frames[nr++] = first + n;
	}
	for (size_t n = 0; n < nr / 2; n++) { /* Perfetto's stacks begin with the outermost frame */
		uint64_t moving = frames[n];

		frames[n] = frames[nr - 1 - n];
		frames[nr - 1 - n] = moving;
	}
	callstack.has_iid = true;
	callstack.iid = iid;
	callstack.frame_ids = frames;
	callstack.n_frame_ids = nr;
	data.callstacks = &callstacks;
	data.n_callstacks = 1;
	put(p, &data);
	free(frames);
	if (innermost)
		put_location(p, iid, innermost);
	return iid;
}
