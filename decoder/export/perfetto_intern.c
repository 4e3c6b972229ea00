/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/export/perfetto_intern.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/protobuf.h"
#include "decoder/export/words.h"
#include "decoder/read/call.h"

#define SEQUENCE 1u
enum { STATE_CLEARED = 1, NEEDS_STATE = 2 };

void syt_perfetto_packet(struct syt_perfetto *p, Perfetto__TracePacket *packet)
{
	Perfetto__Trace trace = PERFETTO__TRACE__INIT;

	SYT_PROTOBUF_SET(packet, trusted_packet_sequence_id, SEQUENCE);
	SYT_PROTOBUF_SET(packet, sequence_flags, p->has_begun ? NEEDS_STATE : STATE_CLEARED);
	p->has_begun = true;
	/* each packet is written as a trace of its own, because concatenated traces form one trace */
	SYT_PROTOBUF_LIST(&trace, packet, &packet, 1);

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

enum table { CATEGORIES, EVENT_NAMES, NOTE_NAMES };

static void put_name(struct syt_perfetto *p, enum table table, uint64_t iid, const char *text)
{
	Perfetto__Name name = PERFETTO__NAME__INIT, *names = &name;
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;

	SYT_PROTOBUF_SET(&name, iid, iid);
	name.name = (char *)(uintptr_t)text;
	if (table == CATEGORIES)
		SYT_PROTOBUF_LIST(&data, event_categories, &names, 1);
	else if (table == EVENT_NAMES)
		SYT_PROTOBUF_LIST(&data, event_names, &names, 1);
	else
		SYT_PROTOBUF_LIST(&data, debug_annotation_names, &names, 1);
	put(p, &data);
}

static void put_note_names(struct syt_perfetto *p)
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

	for (uint64_t n = 1; n < sizeof(notes) / sizeof(notes[0]); n++)
		put_name(p, NOTE_NAMES, n, notes[n]);
}

void syt_perfetto_open(struct syt_perfetto *p, const struct syt_export *x)
{
	*p = (struct syt_perfetto){.x = x};
	syt_ids_open(&p->ids, x->order);
	p->has_label = syt_calloc(x->labels ? syt_labels_nr(x->labels) : 0, sizeof(bool));
	p->frames = syt_store_alloc(p->ids.nr_stacks, sizeof(*p->frames));
	put_note_names(p);
}

void syt_perfetto_close(struct syt_perfetto *p)
{
	syt_ids_close(&p->ids);
	free(p->buffer);
	free(p->has_label);
	syt_store_free(p->frames);
}

uint64_t syt_perfetto_category(struct syt_perfetto *p, unsigned category)
{
	bool is_task = category == SYT_PERFETTO_TASK;
	/* numbers stay the same in later releases, because new kinds of objects are appended */
	uint64_t iid = is_task ? 1 : category + UINT64_C(2);

	if (syt_ids_mark(p->has_category, category))
		put_name(p, CATEGORIES, iid, is_task ? "task" : syt_kind_text(category));
	return iid;
}

/* Writes the name TEXT of an event with the number IID. Frees TEXT. */
static void put_event_name(struct syt_perfetto *p, uint64_t iid, char *text)
{
	put_name(p, EVENT_NAMES, iid, text);
	free(text);
}

uint64_t syt_perfetto_call(struct syt_perfetto *p, struct syt_place at)
{
	const struct syt_places *places = &p->x->order->places;
	uint64_t n =
		p->ids.calls[syt_place_image_idx(places, at)] + syt_place_row(places, at)->call;

	if (syt_ids_mark(p->ids.has_call, n)) {
		const char *name = syt_place_call(places, at)->name;

		put_event_name(p, n + 1, syt_words_clean(name ? name : "?"));
	}
	return n + 1;
}

uint64_t syt_perfetto_task(struct syt_perfetto *p, const struct syt_task *t)
{
	uint64_t iid = p->ids.nr_calls + t->label + 1;

	if (syt_ids_mark(p->has_label, t->label))
		put_event_name(p, iid, syt_words_task(p->x, t));
	return iid;
}

static void set_string(Perfetto__InternedString *s, uint64_t iid, const void *bytes, size_t nr)
{
	SYT_PROTOBUF_SET(s, iid, iid);
	SYT_PROTOBUF_SET(s, str, ((ProtobufCBinaryData){nr, (uint8_t *)(uintptr_t)bytes}));
}

uint64_t syt_perfetto_object(struct syt_perfetto *p, uint32_t object)
{
	Perfetto__InternedString string = PERFETTO__INTERNED_STRING__INIT, *strings = &string;
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
	char *text;
	uint64_t iid = object + UINT64_C(1);

	if (!syt_ids_mark(p->ids.has_object, object))
		return iid;
	text = syt_words_object(p->x, object);
	set_string(&string, iid, text, strlen(text));
	SYT_PROTOBUF_LIST(&data, debug_annotation_string_values, &strings, 1);
	put(p, &data);
	free(text);
	return iid;
}

/* Writes the module of a frame, once, and returns its number. Even a module that is not in the dump has a number,
 * because a frame without a mapping is not valid. */
static uint64_t put_module(struct syt_perfetto *p, uint32_t image, uint32_t number)
{
	const struct syt_image *i = &p->x->order->places.trace->images[image];
	uint32_t module = number <= i->nr_modules ? number : 0;
	const struct syt_module_info *m = module ? &i->modules[module - 1] : NULL;
	Perfetto__InternedString path = PERFETTO__INTERNED_STRING__INIT, *paths = &path;
	Perfetto__InternedString id = PERFETTO__INTERNED_STRING__INIT, *ids = &id;
	Perfetto__Mapping mapping = PERFETTO__MAPPING__INIT, *mappings = &mapping;
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
	/* each process image has one additional module, for frames in an unknown module */
	uint64_t iid = p->ids.modules[image] + image + module + 1;

	if (!syt_ids_mark(p->ids.has_module, iid - 1))
		return iid;

	char *text = syt_words_clean(m ? m->path : "");

	set_string(&path, iid, text, strlen(text));
	SYT_PROTOBUF_LIST(&data, mapping_paths, &paths, 1);
	if (m && m->build_id_bytes) {
		set_string(&id, iid, m->build_id, m->build_id_bytes);
		SYT_PROTOBUF_LIST(&data, build_ids, &ids, 1);
		SYT_PROTOBUF_SET(&mapping, build_id, iid);
	}
	SYT_PROTOBUF_SET(&mapping, iid, iid);
	SYT_PROTOBUF_SET(&mapping, start, m ? m->start : 0);
	SYT_PROTOBUF_SET(&mapping, end, m ? m->end : 0);
	SYT_PROTOBUF_SET(&mapping, load_bias, 0); /* 0: rel_pc has addresses of the file */
	SYT_PROTOBUF_LIST(&mapping, path_string_ids, &iid, 1);
	SYT_PROTOBUF_LIST(&data, mappings, &mappings, 1);
	put(p, &data);
	free(text);
	return iid;
}

/* Writes one function at a location: its name, source path and frame have the same number. */
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

	set_string(&name, iid, function, strlen(function));
	SYT_PROTOBUF_LIST(&data, function_names, &names, 1);
	SYT_PROTOBUF_SET(&frame, iid, iid);
	SYT_PROTOBUF_SET(&frame, function_name_id, iid);
	SYT_PROTOBUF_SET(&frame, mapping_id, mapping);
	SYT_PROTOBUF_SET(&frame, rel_pc, l->offset);
	if (file) {
		set_string(&path, iid, file, strlen(file));
		SYT_PROTOBUF_LIST(&data, source_paths, &paths, 1);
		SYT_PROTOBUF_SET(&frame, source_path_iid, iid);
		SYT_PROTOBUF_SET(&frame, line_number, symbol->line);
	}
	SYT_PROTOBUF_LIST(&data, frames, &frames, 1);
	put(p, &data);
	free(function);
	free(file);
}

static uint32_t nr_frames(const struct syt_location *l)
{
	return l->is_recorder ? 0 : l->nr_symbols ? l->nr_symbols : 1;
}

/* Writes the functions at the innermost frame of STACK, once. Returns the number of the frame of the innermost
 * function. The functions into which this function was inlined have the next numbers. */
static uint64_t put_frames(struct syt_perfetto *p, uint32_t image, uint32_t stack,
                           const struct syt_location *l)
{
	uint64_t *first = &p->frames[p->ids.stacks[image] + stack];

	if (*first)
		return *first;
	uint64_t mapping =
		put_module(p, image, p->x->order->places.trace->images[image].stacks[stack].module);

	*first = p->nr_frames + 1;
	for (uint32_t n = 0; n < nr_frames(l); n++)
		put_frame(p, mapping, l, l->nr_symbols ? &l->symbols[n] : NULL);
	return *first;
}

/* Writes the source location of the innermost frame, for viewers that show one location only. */
static void put_location(struct syt_perfetto *p, uint64_t iid, const struct syt_location *l)
{
	Perfetto__SourceLocation location = PERFETTO__SOURCE_LOCATION__INIT;
	Perfetto__SourceLocation *locations = &location;
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
	const struct syt_symbol *symbol = l->nr_symbols ? &l->symbols[0] : NULL;
	char *function = syt_words_clean(symbol && symbol->fn ? symbol->fn : l->label);
	char *file = syt_words_clean(symbol && symbol->file ? symbol->file : l->module);

	SYT_PROTOBUF_SET(&location, iid, iid);
	location.function_name = function;
	location.file_name = file;
	if (symbol && symbol->file)
		SYT_PROTOBUF_SET(&location, line_number, symbol->line);
	SYT_PROTOBUF_LIST(&data, source_locations, &locations, 1);
	put(p, &data);
	free(function);
	free(file);
}

uint64_t syt_perfetto_stack(struct syt_perfetto *p, uint32_t image, uint32_t stack)
{
	const struct syt_image *i = &p->x->order->places.trace->images[image];
	Perfetto__Callstack callstack = PERFETTO__CALLSTACK__INIT, *callstacks = &callstack;
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
	uint64_t iid = p->ids.stacks[image] + stack + 1, *frames = NULL;
	const struct syt_location *innermost = NULL;
	size_t nr = 0, room = 0;

	if (!syt_ids_mark(p->ids.has_stack, iid - 1))
		return iid;
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
	/* reverses the frames: Perfetto's stacks begin with the outermost frame */
	for (size_t n = 0; n < nr / 2; n++) {
		uint64_t moving = frames[n];

		frames[n] = frames[nr - 1 - n];
		frames[nr - 1 - n] = moving;
	}
	SYT_PROTOBUF_SET(&callstack, iid, iid);
	SYT_PROTOBUF_LIST(&callstack, frame_ids, frames, nr);
	SYT_PROTOBUF_LIST(&data, callstacks, &callstacks, 1);
	put(p, &data);
	free(frames);
	if (innermost)
		put_location(p, iid, innermost);
	return iid;
}
