/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Other programs rely on the members of the JSON line: members may be added, never renamed. */
#include "decoder/show/edge_print.h"

#include "decoder/order/handoff.h"
#include "decoder/read/call.h"
#include "decoder/show/host_error.h"
#include "decoder/show/place_json.h"
#include "decoder/show/print.h"

static bool moves_bytes(const struct syt_edge *edge)
{
	return edge->kind == SYT_EDGE_STREAM || edge->kind == SYT_EDGE_DATAGRAM ||
	       edge->kind == SYT_EDGE_QUEUE;
}

void syt_edge_text_id(struct syt_out *out, const struct syt_order *o, struct syt_place at)
{
	char id[SYT_NODE_TEXT];

	syt_order_node_text(o, at, id, sizeof(id));
	syt_out_string(out, id);
}

void syt_edge_text_node(struct syt_out *out, struct syt_symbols *symbols, const struct syt_order *o,
                        struct syt_place at)
{
	syt_edge_text_id(out, o, at);
	if (at.thread == SYT_NONE)
		return;
	const struct syt_row *r = syt_place_row(&o->places, at);
	const struct syt_image *image = syt_place_image(&o->places, at);
	const char *call = syt_row_call(image, r)->name;

	syt_out_char(out, ' ');
	syt_print_colored(out, SYT_COLOR_BOLD, call ? call : "?");
	if (symbols && r->stack) {
		syt_out_string(out, " in ");
		syt_out_safe(out, syt_symbol_function(symbols, image, r->stack));
	}
}

void syt_edge_text_object(struct syt_out *out, const struct syt_order *o, uint32_t object)
{
	syt_out_safe(out, syt_object_title_of(&o->objects, object));
}

static void text_handoff(struct syt_out *out, const struct syt_order *o,
                         const struct syt_edge *edge)
{
	const struct syt_queue *q = &o->handoffs.queues[SYT_HANDOFF_QUEUE(edge->bytes)];
	uint32_t among = SYT_HANDOFF_AMONG(edge->bytes);
	unsigned confidence = syt_handoff_confidence(q, among);

	syt_out_string(out, ", through ");
	syt_edge_text_object(out, o, q->through);
	syt_out_printf(out, ", inferred as 1 of %u possible senders, confidence %u.%03u", among,
	               confidence / 1000, confidence % 1000);
}

void syt_edge_text_rest(struct syt_out *out, const struct syt_order *o, const struct syt_edge *edge)
{
	const struct syt_row *target = edge->to.thread == SYT_NONE || edge->kind == SYT_EDGE_PROGRAM
	                                       /* the edge has no waiting event, or its target
	                                        * begins without a time */
	                                       ? NULL
	                                       : syt_place_row(&o->places, edge->to);
	uint64_t waited = target ? SYT_TIME_NS(target->out) - SYT_TIME_NS(target->in) : 0;

	if (edge->object != SYT_NONE) {
		syt_out_string(out, ", ");
		syt_edge_text_object(out, o, edge->object);
	}
	if (moves_bytes(edge))
		syt_out_printf(out, ", %llu bytes", (unsigned long long)edge->bytes);
	if (edge->kind == SYT_EDGE_HANDOFF)
		text_handoff(out, o, edge);
	if (waited) {
		syt_out_string(out, ", waited ");
		syt_print_span(out, waited);
	}
	if (edge->flags & SYT_EDGE_AMBIGUOUS)
		syt_out_string(out, ", one of several possible causes");
	if (edge->flags & SYT_EDGE_INFERRED)
		syt_out_string(out, ", sockets paired by the order and size of their data");
}

struct syt_host_error syt_edge_host_error(const struct syt_order *o, const struct syt_edge *edge)
{
	return syt_host_error_of(&o->places, edge->from, syt_edge_begin(&o->edges, edge), edge->to,
	                         syt_edge_end(&o->edges, edge));
}

void syt_edge_text(struct syt_out *out, struct syt_symbols *symbols, const struct syt_order *o,
                   const struct syt_edge *edge)
{
	syt_print_seconds(out, SYT_TIME_NS(syt_edge_end(&o->edges, edge)));
	syt_out_char(out, ' ');
	syt_out_color(out, edge->class == SYT_CLASS_RUN_AFTER ? SYT_COLOR_DIM : SYT_COLOR_CYAN);
	syt_out_printf(out, "%-8s", syt_edge_kind_text(edge->kind));
	syt_out_color(out, SYT_COLOR_NONE);
	syt_out_char(out, ' ');
	syt_edge_text_node(out, symbols, o, edge->from);
	syt_out_string(out, edge->class == SYT_CLASS_RUN_AFTER ? " ..> " : " --> ");
	syt_edge_text_node(out, symbols, o, edge->to);
	syt_edge_text_rest(out, o, edge);
	syt_out_char(out, '\n');
}

static void json_handoff(struct syt_json *j, const struct syt_order *o, const struct syt_edge *edge)
{
	const struct syt_queue *q = &o->handoffs.queues[SYT_HANDOFF_QUEUE(edge->bytes)];
	uint32_t among = SYT_HANDOFF_AMONG(edge->bytes);

	syt_json_begin(j, "evidence", '{');
	syt_json_thousandths(j, SYT_KEY("confidence", "score"), syt_handoff_confidence(q, among));
	syt_json_object_of(j, "through", o, q->through);
	syt_json_u64(j, "among", among);
	syt_json_u64(j, SYT_KEY("put", "put_items"), q->nr_put);
	syt_json_u64(j, SYT_KEY("taken", "taken_items"), q->nr_taken);
	syt_json_bool(j, "balanced", q->is_balanced);
	syt_json_u64(j, "agree", q->nr_agree);
	syt_json_u64(j, "disagree", q->nr_disagree);
	syt_json_u64(j, "depth", q->depth);
	syt_json_end(j);
}

void syt_edge_name_objects(const struct syt_order *o, const struct syt_edge *edge)
{
	if (edge->object != SYT_NONE)
		syt_object_title_of(&o->objects, edge->object);
	if (edge->kind == SYT_EDGE_HANDOFF) {
		uint32_t through = o->handoffs.queues[SYT_HANDOFF_QUEUE(edge->bytes)].through;

		if (through != SYT_NONE)
			syt_object_title_of(&o->objects, through);
	}
}

static void json_node(struct syt_json *j, const char *key, const struct syt_order *o,
                      struct syt_place at)
{
	char text[SYT_NODE_TEXT];

	if (at.thread != SYT_NONE) {
		syt_json_id(j, key, syt_place_thread(&o->places, at), at.row);
		return;
	}
	syt_order_node_text(o, at, text, sizeof(text));
	syt_json_string(j, key, text);
}

/* Writes a member with text that needs no escapes. */
static void json_word(struct syt_json *j, const char *key, const char *text)
{
	syt_json_open_string(j, key);
	syt_out_string(j->out, text);
	syt_json_close_string(j);
}

void syt_edge_json_members(struct syt_json *j, const struct syt_order *o,
                           const struct syt_edge *edge)
{
	uint64_t begin = SYT_TIME_NS(syt_edge_begin(&o->edges, edge));
	uint64_t end = SYT_TIME_NS(syt_edge_end(&o->edges, edge));

	json_node(j, "from", o, edge->from);
	json_node(j, "to", o, edge->to);
	json_word(j, "kind", syt_edge_kind_text(edge->kind));
	json_word(j, "class", syt_edge_class_text(edge->class));
	if (edge->object != SYT_NONE)
		syt_json_object_of(j, "object", o, edge->object);
	if (moves_bytes(edge))
		syt_json_u64(j, "bytes", edge->bytes);
	syt_json_time(j, SYT_KEY("begin", "begin_ns"), begin);
	syt_json_time(j, SYT_KEY("end", "end_ns"), end);
	syt_host_error_json(j, SYT_HOST_ERROR_KEY, syt_edge_host_error(o, edge));
	if (edge->flags & SYT_EDGE_AMBIGUOUS)
		syt_json_bool(j, "ambiguous", true);
	if (edge->flags & SYT_EDGE_INFERRED)
		syt_json_string(j, "confidence", "inferred");
	if (edge->kind == SYT_EDGE_HANDOFF)
		json_handoff(j, o, edge);
}

void syt_edge_json(struct syt_out *out, const struct syt_order *o, const struct syt_edge *edge)
{
	struct syt_json j = {.out = out};

	syt_json_begin_line(&j, "edge");
	syt_edge_json_members(&j, o, edge);
	syt_json_end_line(&j);
}
