/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Writes a trace in the Common Trace Format 1.8, for babeltrace2 and Trace Compass: a directory with the metadata
 * and one stream, which contains the events of all threads in the order of time.
 *
 * In the stream, calls, objects and call stacks are numbers; their names are the labels of enumerations in the
 * metadata. The metadata are written after the stream, when the used names are known. A packet of the stream is
 * written when it is full, because its head contains its length. In a trace of several hosts, each event has its host.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "decoder/export/pass.h"
#include "decoder/export/words.h"
#include "decoder/host/summary.h"
#include "decoder/read/call.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the metadata say le");

#define MAGIC 0xc1fc1fc1u
#define PACKET_BYTES 262144u
#define EVENT_BYTES 1024u /* upper bound of the size of one event */

/* Event classes of the stream, with their numbers in the metadata. */
enum { ENTER, LEAVE, CALL, TASK_BEGIN, TASK_END, ROUND, EDGE, UNENDED };

struct packet_head {
	uint32_t magic, stream;
	uint64_t begin, end, content_bits, packet_bits;
} __attribute__((packed));

struct writer {
	const struct syt_export *x;
	struct syt_out out;
	uint8_t packet[PACKET_BYTES];
	size_t used;   /* used bytes of the packet; 0: no packet has begun */
	syt_time last; /* time of the last event written */
	/* numbers of calls, stacks and objects, with marks for those that the stream uses */
	struct syt_ids ids;
	bool has_hosts; /* the trace has several hosts */
};

/* ---- the stream ---- */

static void put(struct writer *w, const void *bytes, size_t nr)
{
	memcpy(w->packet + w->used, bytes, nr);
	w->used += nr;
}

/* Writes the number V_ as a TYPE_ into the packet. */
#define PUT(w_, type_, v_) put(w_, &(type_){(type_)(v_)}, sizeof(type_))

static void put_string(struct writer *w, const char *text)
{
	put(w, text, strlen(text) + 1);
}

static void end_packet(struct writer *w)
{
	struct packet_head *head = (struct packet_head *)w->packet;

	if (!w->used)
		return;
	head->content_bits = head->packet_bits = (uint64_t)w->used * 8;
	syt_out_bytes(&w->out, w->packet, w->used);
	w->used = 0;
}

/* Begins an event of THREAD (an index in the whole trace, or SYT_NONE). */
static void begin_event(struct writer *w, uint16_t class, syt_time at, uint32_t thread)
{
	const struct syt_thread *t =
		thread == SYT_NONE ? NULL : w->x->order->places.threads[thread];
	struct packet_head *head = (struct packet_head *)w->packet;
	uint64_t ns = SYT_TIME_NS(at);

	w->last = at;
	if (PACKET_BYTES - w->used < EVENT_BYTES)
		end_packet(w);
	if (!w->used) {
		*head = (struct packet_head){MAGIC, 0, ns, 0, 0, 0};
		w->used = sizeof(*head);
	}
	head->end = ns;
	PUT(w, uint16_t, class);
	PUT(w, uint64_t, ns);
	PUT(w, uint32_t, t ? t->image->file.pid : 0);
	PUT(w, uint32_t, t ? t->tid : 0);
	PUT(w, uint32_t, t ? t->image->index : SYT_NONE);
	PUT(w, uint32_t, t ? t->index : SYT_NONE);
	PUT(w, uint32_t, thread);
	if (w->has_hosts)
		PUT(w, uint32_t,
		    t ? syt_hosts_of(w->x->order->places.trace->hosts,
		                     (uint32_t)(t->image - w->x->order->places.trace->images))
		      : SYT_NONE);
}

static void put_id(struct writer *w, struct syt_place at)
{
	char id[SYT_NODE_TEXT];

	syt_order_node_text(w->x->order, at, id, sizeof(id));
	put_string(w, id);
}

static void put_object(struct writer *w, uint32_t object)
{
	if (object != SYT_NONE)
		w->ids.has_object[object] = true;
	PUT(w, uint32_t, object);
}

/* Writes CALL, OBJECT (or SYT_NONE) and STACK (or 0), which are numbers in the process image IMAGE. */
static void put_names(struct writer *w, uint32_t image, uint32_t call, uint32_t object,
                      uint32_t stack)
{
	uint64_t call_number = w->ids.calls[image] + call;
	uint64_t stack_number = w->ids.stacks[image] + stack;

	w->ids.has_call[call_number] = true;
	PUT(w, uint32_t, (uint32_t)call_number);
	put_object(w, syt_object_of(&w->x->order->objects, image, object));
	if (stack && w->x->has_stacks) {
		w->ids.has_stack[stack_number] = true;
		PUT(w, uint32_t, (uint32_t)stack_number);
	} else {
		PUT(w, uint32_t, SYT_NONE);
	}
}

/* Writes the properties of a call that are known at its begin. */
static void put_call(struct writer *w, const struct syt_pass_step *s)
{
	const struct syt_places *p = &w->x->order->places;
	const struct syt_row *r = syt_place_row(p, s->of);

	put_id(w, s->of);
	put_names(w, syt_place_image_idx(p, s->of), r->call, r->object, r->stack);
}

static void put_result(struct writer *w, const struct syt_pass_step *s)
{
	const struct syt_row *r = syt_place_row(&w->x->order->places, s->of);
	const struct syt_extra *x = syt_place_extra(&w->x->order->places, s->of);

	PUT(w, uint64_t, (uint64_t)r->result);
	PUT(w, uint32_t, r->result < 0 ? r->err : 0);
	PUT(w, uint64_t, x->bytes);
}

static void put_edge(struct writer *w, const struct syt_pass_step *s, uint64_t number)
{
	const struct syt_edge *e = &w->x->order->edges.all[number];

	begin_event(w, EDGE, s->at, s->of.thread);
	PUT(w, uint64_t, number + 1);
	put_id(w, e->from);
	put_id(w, e->to);
	PUT(w, uint16_t, e->kind);
	PUT(w, uint16_t, e->class);
	put_object(w, e->object);
	PUT(w, uint64_t, SYT_TIME_NS(syt_edge_begin(&w->x->order->edges, e)));
	PUT(w, uint64_t, SYT_TIME_NS(syt_edge_end(&w->x->order->edges, e)));
	PUT(w, uint16_t, (e->flags & SYT_EDGE_AMBIGUOUS) != 0);
}

/* Returns the recorded duration of a call or task, even if its span in the output is shorter. */
static uint64_t length_of(const struct writer *w, const struct syt_pass_step *s)
{
	const struct syt_row *r = syt_place_row(&w->x->order->places, s->of);

	if (s->task)
		return SYT_TIME_NS(syt_task_span(w->x->tasks, s->task));
	return SYT_TIME_NS(r->out) - SYT_TIME_NS(r->in);
}

static void put_step(struct writer *w, const struct syt_pass_step *s)
{
	static const uint16_t classes[] = {
		[SYT_STEP_CALL] = CALL,         [SYT_STEP_ENTER] = ENTER,
		[SYT_STEP_LEAVE] = LEAVE,       [SYT_STEP_TASK] = TASK_BEGIN,
		[SYT_STEP_TASK_END] = TASK_END, [SYT_STEP_ROUND] = ROUND,
	};

	begin_event(w, classes[s->kind], s->at, s->of.thread);
	if (s->kind == SYT_STEP_CALL || s->kind == SYT_STEP_ENTER)
		put_call(w, s);
	else
		put_id(w, s->of);
	if (s->kind == SYT_STEP_CALL || s->kind == SYT_STEP_LEAVE)
		put_result(w, s);
	if (s->kind == SYT_STEP_LEAVE || s->kind == SYT_STEP_TASK_END)
		PUT(w, uint64_t, length_of(w, s));
	for (uint64_t n = 0; n < s->to.nr; n++)
		put_edge(w, s, s->to.all[n].edge);
}

/* Writes the calls that had not returned when the dump ended, after all other events. */
static void put_unended(struct writer *w)
{
	const struct syt_places *p = &w->x->order->places;

	for (uint32_t n = 0; n < p->nr_threads; n++) {
		const struct syt_waiting_info *waiting = &p->threads[n]->waiting;
		uint32_t image = (uint32_t)(p->threads[n]->image - p->trace->images);

		if (!syt_selection_has_waiting(&w->x->selection, p, n))
			continue;
		begin_event(w, UNENDED, waiting->since > w->last ? waiting->since : w->last, n);
		put_names(w, image, waiting->call, waiting->object, waiting->stack);
		PUT(w, uint64_t, SYT_TIME_NS(waiting->since));
	}
}

/* ---- the metadata ---- */

static const char types[] =
	"/* CTF 1.8 */\n\n"
	"typealias integer { size = 16; align = 8; signed = false; } := uint16_t;\n"
	"typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
	"typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
	"typealias integer { size = 64; align = 8; signed = true; } := int64_t;\n\n"
	"trace {\n"
	"\tmajor = 1;\n"
	"\tminor = 8;\n"
	"\tbyte_order = le;\n"
	"\tpacket.header := struct { uint32_t magic; uint32_t stream_id; };\n"
	"};\n\n";

static const char stamp_type[] =
	"typealias integer { size = 64; align = 8; signed = false; map = clock.monotonic.value; } "
	":= "
	"stamp_t;\n\n";

static const char stream_text[] =
	"stream {\n"
	"\tid = 0;\n"
	"\tpacket.context := struct { stamp_t timestamp_begin; stamp_t timestamp_end; "
	"uint64_t content_size; uint64_t packet_size; };\n"
	"\tevent.header := struct { uint16_t id; stamp_t timestamp; };\n"
	"\tevent.context := struct { uint32_t pid; uint32_t tid; uint32_t p; uint32_t t; "
	"enum threads thread_name;";

static const char classes_text[] =
	" };\n"
	"};\n\n"
	"event { name = \"enter\"; id = 0; stream_id = 0; fields := struct { "
	"string id; enum calls call; enum objects object; enum stacks stack; }; };\n"
	"event { name = \"leave\"; id = 1; stream_id = 0; fields := struct { "
	"string id; int64_t result; uint32_t errno; uint64_t bytes; uint64_t dur; }; };\n"
	"event { name = \"call\"; id = 2; stream_id = 0; fields := struct { "
	"string id; enum calls call; enum objects object; enum stacks stack; "
	"int64_t result; uint32_t errno; uint64_t bytes; }; };\n"
	"event { name = \"task_begin\"; id = 3; stream_id = 0; fields := struct { string id; }; "
	"};\n"
	"event { name = \"task_end\"; id = 4; stream_id = 0; fields := struct { "
	"string id; uint64_t dur; }; };\n"
	"event { name = \"round\"; id = 5; stream_id = 0; fields := struct { string id; }; };\n"
	"event { name = \"edge\"; id = 6; stream_id = 0; fields := struct { "
	"uint64_t number; string from; string to; enum kinds kind; enum classes class; "
	"enum objects object; uint64_t begin_ns; uint64_t end_ns; uint16_t ambiguous; }; };\n"
	"event { name = \"unended\"; id = 7; stream_id = 0; fields := struct { "
	"enum calls call; enum objects object; enum stacks stack; uint64_t since_ns; }; };\n";

/* Writes TEXT in quotes, without control characters. */
static void quote(struct syt_out *out, const char *text)
{
	char *clean = syt_words_clean(text);

	syt_out_char(out, '"');
	for (const char *p = clean; *p; p++) {
		if (*p == '"' || *p == '\\')
			syt_out_char(out, '\\');
		syt_out_char(out, *p);
	}
	syt_out_char(out, '"');
	free(clean);
}

static void begin_names(struct syt_out *out, const char *name, const char *type)
{
	syt_out_printf(out, "enum %s : %s {\n", name, type);
}

static void put_name(struct syt_out *out, const char *text, uint64_t number)
{
	syt_out_char(out, '\t');
	quote(out, text);
	syt_out_printf(out, " = %" PRIu64 ",\n", number);
}

/* Ends an enumeration with the label "none", which has the last number. */
static void end_names(struct syt_out *out)
{
	put_name(out, "none", SYT_NONE);
	syt_out_string(out, "};\n\n");
}

static void put_threads(const struct writer *w, struct syt_out *out)
{
	const struct syt_places *p = &w->x->order->places;

	begin_names(out, "threads", "uint32_t");
	for (uint32_t n = 0; n < p->nr_threads; n++) {
		if (!syt_selection_has_thread(&w->x->selection, n))
			continue;
		char *name = syt_words_thread(p->threads[n]);

		put_name(out, name, n);
		free(name);
	}
	end_names(out);
}

static void put_hosts(const struct writer *w, struct syt_out *out)
{
	const struct syt_hosts *h = w->x->order->places.trace->hosts;

	begin_names(out, "hosts", "uint32_t");
	for (uint32_t n = 0; n < h->nr; n++)
		put_name(out, h->all[n].name, n);
	end_names(out);
}

static void put_calls(const struct writer *w, struct syt_out *out)
{
	const struct syt_trace_data *t = w->x->order->places.trace;
	uint64_t number = 0;

	begin_names(out, "calls", "uint32_t");
	for (uint32_t n = 0; n < t->nr_images; n++)
		for (uint32_t k = 0; k < t->images[n].nr_calls; k++, number++)
			if (w->ids.has_call[number])
				put_name(out, t->images[n].calls[k].name, number);
	end_names(out);
}

static void put_objects(const struct writer *w, struct syt_out *out)
{
	const struct syt_objects *o = &w->x->order->objects;

	begin_names(out, "objects", "uint32_t");
	for (uint32_t n = 0; n < o->nr; n++) {
		if (!w->ids.has_object[n])
			continue;
		char *text = syt_words_object(w->x, n);

		put_name(out, text, n);
		free(text);
	}
	end_names(out);
}

static void put_stacks(const struct writer *w, struct syt_out *out)
{
	const struct syt_trace_data *t = w->x->order->places.trace;

	begin_names(out, "stacks", "uint32_t");
	for (uint32_t n = 0; n < t->nr_images; n++) {
		for (uint32_t k = 1; k < t->images[n].nr_stacks; k++) {
			if (!w->ids.has_stack[w->ids.stacks[n] + k])
				continue;
			char *path = syt_words_path(w->x, n, k);

			put_name(out, path, w->ids.stacks[n] + k);
			free(path);
		}
	}
	end_names(out);
}

static void put_kinds(struct syt_out *out)
{
	syt_out_string(out, "enum kinds : uint16_t {\n");
	for (unsigned n = 0; n < SYT_NR_EDGE_KINDS; n++)
		put_name(out, syt_edge_kind_text((enum syt_edge_kind)n), n);
	syt_out_string(out, "};\n\nenum classes : uint16_t {\n");
	for (unsigned n = 0; n < SYT_NR_CLASSES; n++)
		put_name(out, syt_edge_class_text((enum syt_edge_class)n), n);
	syt_out_string(out, "};\n\n");
}

/* Writes the clock with its distance from the wall clock, which readers add to the times. Without a distance,
 * readers show the times as they are. */
static void put_clock(struct syt_out *out, int64_t wall_offset_ns)
{
	const int64_t s = 1000000000;
	int64_t rest = (wall_offset_ns % s + s) % s;

	syt_out_string(out, "clock {\n\tname = monotonic;\n\tfreq = 1000000000;\n");
	if (wall_offset_ns)
		syt_out_printf(
			out,
			"\tdescription = \"CLOCK_MONOTONIC; with the offset, CLOCK_REALTIME\";\n"
			"\toffset_s = %" PRId64 ";\n\toffset = %" PRId64 ";\n\tabsolute = TRUE;\n",
			(wall_offset_ns - rest) / s, rest);
	syt_out_string(out, "};\n");
	syt_out_string(out, stamp_type);
}

static void put_metadata(const struct writer *w, struct syt_out *out)
{
	char *coverage = syt_words_coverage(w->x->order);

	syt_out_string(out, types);
	put_clock(out, w->x->order->places.trace->wall_offset_ns);
	syt_out_string(out, "env {\n\ttracer_name = \"syntrace\";\n\tcoverage = ");
	quote(out, coverage);
	syt_out_string(out, ";\n};\n\n");
	put_threads(w, out);
	put_calls(w, out);
	put_objects(w, out);
	put_stacks(w, out);
	put_kinds(out);
	if (w->has_hosts)
		put_hosts(w, out);
	syt_out_string(out, stream_text);
	if (w->has_hosts)
		syt_out_string(out, " enum hosts host;");
	syt_out_string(out, classes_text);
	free(coverage);
}

/* ---- the directory ---- */

static int open_file(const struct syt_export *x, const char *name, struct syt_out *out)
{
	char *path = syt_asprintf("%s/%s", x->path, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	if (fd < 0)
		syt_warn("%s: %s", path, strerror(errno));
	else
		syt_out_open(out, fd, false);
	free(path);
	return fd < 0 ? -1 : 0;
}

static int close_file(const struct syt_export *x, const char *name, struct syt_out *out)
{
	int error = syt_out_close(out);

	if (close(out->fd) < 0 && !error)
		error = errno;
	if (error)
		syt_warn("%s/%s: %s", x->path, name, strerror(error));
	return error ? -1 : 0;
}

static int write_stream(struct writer *w)
{
	const struct syt_pass_step *s;
	struct syt_pass *pass;

	if (open_file(w->x, "stream", &w->out))
		return -1;
	pass = syt_pass_open(w->x);
	while (!w->out.is_closed && (s = syt_pass_next(pass)))
		put_step(w, s);
	syt_pass_close(pass);
	put_unended(w);
	end_packet(w);
	return close_file(w->x, "stream", &w->out);
}

static int write_metadata(struct writer *w)
{
	if (open_file(w->x, "metadata", &w->out))
		return -1;
	put_metadata(w, &w->out);
	return close_file(w->x, "metadata", &w->out);
}

static int run(struct syt_export *x)
{
	struct writer *w = syt_calloc(1, sizeof(*w));
	int status;

	w->x = x;
	w->has_hosts = syt_hosts_nr(x->order->places.trace) > 1;
	syt_ids_open(&w->ids, x->order);
	if (w->ids.nr_calls >= SYT_NONE || w->ids.nr_stacks >= SYT_NONE) {
		syt_warn("the trace has more calls or call stacks than 32 bits can number");
		status = -1;
	} else {
		status = write_stream(w) || write_metadata(w) ? -1 : 0;
	}
	syt_ids_close(&w->ids);
	free(w);
	return status;
}

const struct syt_exporter syt_exporter_ctf = {
	.name = "ctf",
	.suffix = ".ctf",
	.is_directory = true,
	.is_timeline = true,
	.run = run,
};
