/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Converts the file header and the definition records of a dump from bytes to structs. Only this file depends on
 * the version of the dump. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "decoder/read/call.h"
#include "base/err.h"
#include "decoder/read/image.h"

#define HEADER_SUMMED 24u /* the header's checksum covers the bytes from here to its live members */

/* Grows *ARRAY so that it has an element with index AT. New elements are zero. */
static void reach(void *array, size_t *room, uint32_t *nr, uint64_t at, size_t bytes)
{
	uint8_t *base;

	if (at < *nr)
		return;
	syt_grow(array, room, at + 1, bytes);
	memcpy(&base, array, sizeof(base));
	memset(base + *nr * bytes, 0, (at + 1 - *nr) * bytes);
	*nr = (uint32_t)(at + 1);
}

uint64_t syt_loading_limit(const struct syt_loading *l, size_t bytes)
{
	/* some file systems compress, so the data can be larger than the allocated bytes */
	uint64_t real = l->in.allocated_bytes * 8 + (UINT64_C(1) << 20);

	return (l->in.bytes < real ? l->in.bytes : real) / bytes;
}

struct syt_thread *syt_image_thread(struct syt_loading *l, uint32_t t)
{
	struct syt_image *i = &l->image;
	uint32_t had = i->nr_threads;

	if (t >= 4096 + syt_loading_limit(l, sizeof(struct syt_meta_thread)))
		return NULL;
	reach(&i->threads, &l->room_threads, &i->nr_threads, t, sizeof(*i->threads));
	for (uint32_t n = had; n < i->nr_threads; n++) {
		i->threads[n].index = n;
		i->threads[n].creator = SYT_NONE;
	}
	return &i->threads[t];
}

/* Returns true if a chunk with an intact header follows a damaged file header. */
static bool has_chunk(const struct syt_input *in)
{
	struct syt_chunk_walk w;
	struct syt_chunk_ref c;

	syt_chunk_walk_init(&w, in, NULL, UINT64_MAX);
	return syt_chunk_next(&w, &c);
}

/* Returns true if the file contains only zeros: its process created it and ended before it wrote data. */
static bool is_blank(const struct syt_input *in)
{
	for (uint64_t at = 0; (at = syt_input_next_data(in, at)) < in->bytes;
	     at += SYT_PAGE_BYTES) {
		const uint8_t *p = in->data + at;
		uint64_t left = in->bytes - at < SYT_PAGE_BYTES ? in->bytes - at : SYT_PAGE_BYTES;

		if (*p || memcmp(p, p + 1, left - 1) != 0)
			return false;
	}
	return true;
}

const char *syt_record_header(struct syt_loading *l)
{
	struct syt_file *f = &l->image.file;
	const struct syt_input *in = &l->in;
	uint64_t bytes = in->bytes < sizeof(*f) ? in->bytes : sizeof(*f);

	memset(f, 0, sizeof(*f));
	if (!in->bytes)
		return "byte 0x0: the file is empty: it is no dump (the trace file of one "
		       "process), or the disk was full";
	memcpy(f, in->data, bytes);
	if (bytes < sizeof(*f) || f->magic != SYT_FILE_MAGIC) {
		if (bytes >= 8 && f->magic == SYT_TRACE_MAGIC)
			return "byte 0x0: this is the file shared by all processes of a trace; "
			       "name the directory or a *.dump file";
		if (bytes >= 8 && f->magic == SYT_FILE_MAGIC)
			return "header, byte 0x0: the file ends inside the header";
		if (!has_chunk(in))
			return is_blank(in) ? "byte 0x0: only zeros: the process ended before the "
			                      "recording began"
			                    : "byte 0x0: not a syntrace dump (the trace file of "
			                      "one process)";
	}

	uint32_t checksum = XXH32((const uint8_t *)f + HEADER_SUMMED,
	                          offsetof(struct syt_file, live_begin) - HEADER_SUMMED, 0);

	l->has_header = f->magic == SYT_FILE_MAGIC && f->checksum == checksum;
	if (f->magic == SYT_FILE_MAGIC && f->major > SYT_FORMAT_MAJOR_SAMPLED && l->has_header)
		return "header, byte 0x8: the format is newer than this decoder; use a newer "
		       "syntrace";
	if (f->major ==
	    SYT_FORMAT_MAJOR_SAMPLED_OLD) /* its blocks tell the version of the events */
		f->major = SYT_FORMAT_MAJOR_SAMPLED;
	if (!l->has_header)
		syt_problem(&l->problems, 0,
		            "header, byte 0x0: damaged; names, numbers and times of this process "
		            "may be wrong, but its events are kept");
	f->host[sizeof(f->host) - 1] = f->machine[sizeof(f->machine) - 1] = 0;
	if (l->has_header)
		return NULL;
	/* values from a damaged header must not control how the dump is read */
	f->used = UINT64_MAX;
	if (f->clock_source < SYT_CLOCK_TSC || f->clock_source > SYT_CLOCK_CNTVCT)
		f->clock_source = SYT_CLOCK_TSC;
	f->clock_hz = 0;
	f->start = (struct syt_clock_pair){0, 0, 0};
	return NULL;
}

/* ---- definitions ---- */

static bool read_fixed(struct syt_loading *l, const struct syt_meta_ref *r, void *to, size_t bytes)
{
	if (r->bytes < bytes) {
		syt_problem(&l->problems, r->byte,
		            "definition, byte 0x%" PRIx64 ": too short for its type %u; ignored",
		            r->byte, r->type);
		return false;
	}
	memcpy(to, r->data, bytes);
	return true;
}

static void impossible(struct syt_loading *l, const struct syt_meta_ref *r, const char *what,
                       uint64_t id)
{
	syt_problem(&l->problems, r->byte,
	            "definition, byte 0x%" PRIx64 ": impossible %s number %" PRIu64 "; ignored",
	            r->byte, what, id);
}

static char *tail_text(const struct syt_meta_ref *r, size_t from)
{
	return syt_strndup(r->data + from, r->bytes - from);
}

static void set_text(char **to, char *text)
{
	free(*to);
	*to = text;
}

/* Sets the definition of CALL. Takes the ownership of NAME. */
static void set_call(struct syt_loading *l, const struct syt_meta_ref *r, uint32_t call, char *name,
                     uint8_t shape, uint8_t kind)
{
	struct syt_image *i = &l->image;

	/* the last call number is reserved for calls without a definition */
	if (call >= UINT16_MAX) {
		impossible(l, r, "call", call);
		free(name);
		return;
	}
	reach(&i->calls, &l->room_calls, &i->nr_calls, call, sizeof(*i->calls));
	free(i->calls[call].name);
	syt_call_resolve(&i->calls[call], name, shape, kind);
}

static void read_call(struct syt_loading *l, const struct syt_meta_ref *r)
{
	struct syt_meta_call m;

	if (read_fixed(l, r, &m, sizeof(m)))
		set_call(l, r, m.call, tail_text(r, sizeof(m)), m.shape, m.kind);
}

static void read_calls(struct syt_loading *l, const struct syt_meta_ref *r)
{
	struct syt_meta_calls m;
	uint64_t at = sizeof(m);

	if (!read_fixed(l, r, &m, sizeof(m)))
		return;
	for (uint32_t n = 0; n < m.nr; n++) {
		const uint8_t *end =
			r->bytes - at > 2 ? memchr(r->data + at + 2, 0, r->bytes - at - 2) : NULL;

		if (!end) {
			syt_problem(&l->problems, r->byte,
			            "definition, byte 0x%" PRIx64
			            ": the record announces %u calls and contains %" PRIu32
			            "; the others are ignored",
			            r->byte, m.nr, n);
			return;
		}
		set_call(l, r, m.first + n,
		         syt_strndup(r->data + at + 2, (size_t)(end - r->data) - at - 2),
		         r->data[at], r->data[at + 1]);
		at = (uint64_t)(end - r->data) + 1;
	}
}

/* Joins the arguments of a program to one line, with spaces. An empty argument becomes ''. */
static char *join_arguments(const uint8_t *p, size_t bytes)
{
	char *line = syt_alloc(bytes + 1, 3), *to = line;

	/* a zero byte ends each argument, except if the recorder cut the command line */
	for (const uint8_t *end = p + bytes; p < end; p++) {
		size_t nr = strnlen((const char *)p, (size_t)(end - p));

		if (to > line)
			*to++ = ' ';
		to = mempcpy(to, nr ? (const char *)p : "''", nr ? nr : 2);
		p += nr;
	}
	*to = 0;
	return line;
}

/* Returns the program's name: the base name of argv[0], without the leading '-' of a login shell. Returns NULL if argv[0]
 * is empty or, like /proc/self/exe, says nothing about the program. */
static char *program_name(const uint8_t *p, size_t bytes)
{
	const char *argv0 = (const char *)p;
	size_t nr = strnlen(argv0, bytes);
	const char *slash = memrchr(argv0, '/', nr);

	if (nr >= 6 && !memcmp(argv0, "/proc/", 6))
		return NULL;
	if (slash) {
		nr -= (size_t)(slash + 1 - argv0);
		argv0 = slash + 1;
	}
	if (nr && *argv0 == '-') {
		argv0++;
		nr--;
	}
	return nr ? syt_asprintf("%.*s", (int)nr, argv0) : NULL;
}

static struct syt_object_info *object_at(struct syt_loading *l, const struct syt_meta_ref *r,
                                         uint32_t id)
{
	struct syt_image *i = &l->image;
	uint32_t had = i->nr_objects;

	if (!id || id > syt_loading_limit(l, sizeof(struct syt_meta_object))) {
		impossible(l, r, "object", id);
		return NULL;
	}
	reach(&i->objects, &l->room_objects, &i->nr_objects, id - 1, sizeof(*i->objects));
	for (uint32_t n = had; n < i->nr_objects; n++)
		i->objects[n].fd = SYT_NONE;
	if (id - 1 < l->first_changed)
		l->first_changed = id - 1;
	return &i->objects[id - 1];
}

static void read_text(struct syt_loading *l, const struct syt_meta_ref *r)
{
	struct syt_image *i = &l->image;
	struct syt_meta_text m;

	if (!read_fixed(l, r, &m, sizeof(m)))
		return;
	switch (m.what) {
	case SYT_TEXT_EXE:
		set_text(&i->exe, tail_text(r, sizeof(m)));
		break;
	case SYT_TEXT_ARGV:
		set_text(&i->argv, join_arguments(r->data + sizeof(m), r->bytes - sizeof(m)));
		set_text(&i->argv0, program_name(r->data + sizeof(m), r->bytes - sizeof(m)));
		break;
	case SYT_TEXT_CWD:
		set_text(&i->cwd, tail_text(r, sizeof(m)));
		break;
	case SYT_TEXT_PIDS:
		set_text(&i->pids, tail_text(r, sizeof(m)));
		break;
	case SYT_TEXT_SAMPLER:
		set_text(&i->sampler, tail_text(r, sizeof(m)));
		break;
	case SYT_TEXT_LIBC:
		set_text(&i->libc, tail_text(r, sizeof(m)));
		break;
	case SYT_TEXT_THREAD_NAME: {
		struct syt_thread *t = syt_image_thread(l, m.subject);

		if (t)
			set_text(&t->name, tail_text(r, sizeof(m)));
		else
			impossible(l, r, "thread", m.subject);
		break;
	}
	case SYT_TEXT_OBJECT_NAME: {
		struct syt_object_info *o = object_at(l, r, m.subject);

		if (o)
			set_text(&o->name, tail_text(r, sizeof(m)));
		break;
	}
	case SYT_TEXT_NOTE:
		*SYT_ADD(i->notes, i->nr_notes, l->room_notes) = tail_text(r, sizeof(m));
		break;
	default: /* a newer recorder wrote this type of text */
		break;
	}
}

static void read_module(struct syt_loading *l, const struct syt_meta_ref *r)
{
	struct syt_image *i = &l->image;
	struct syt_meta_module m;

	if (!read_fixed(l, r, &m, sizeof(m)))
		return;
	if (!m.id || m.id > UINT16_MAX || m.build_id_bytes > r->bytes - sizeof(m)) {
		impossible(l, r, "module", m.id);
		return;
	}
	reach(&i->modules, &l->room_modules, &i->nr_modules, m.id - 1, sizeof(*i->modules));

	struct syt_module_info *mod = &i->modules[m.id - 1];

	free(mod->path);
	free(mod->build_id);
	*mod = (struct syt_module_info){
		.id = m.id,
		.start = m.start,
		.end = m.end,
		.bias = m.bias,
		.from = m.ticks,
		.to = UINT64_MAX,
		.path = tail_text(r, sizeof(m) + m.build_id_bytes),
		.build_id = syt_alloc(m.build_id_bytes, 1),
		.build_id_bytes = m.build_id_bytes,
	};
	memcpy(mod->build_id, r->data + sizeof(m), m.build_id_bytes);
}

static void read_unmap(struct syt_loading *l, const struct syt_meta_ref *r)
{
	struct syt_meta_unmap m;

	if (read_fixed(l, r, &m, sizeof(m)) && m.id && m.id <= l->image.nr_modules)
		l->image.modules[m.id - 1].to = m.ticks;
}

static void read_thread(struct syt_loading *l, const struct syt_meta_ref *r)
{
	struct syt_meta_thread m;

	if (!read_fixed(l, r, &m, sizeof(m)))
		return;
	struct syt_thread *t = syt_image_thread(l, m.thread);

	if (!t) {
		impossible(l, r, "thread", m.thread);
		return;
	}
	t->tid = m.tid;
	t->creator = m.creator;
	t->handle = m.handle;
	t->first = m.ticks;
}

static void read_object(struct syt_loading *l, const struct syt_meta_ref *r)
{
	struct syt_meta_object m;

	if (!read_fixed(l, r, &m, sizeof(m)))
		return;
	struct syt_object_info *o = object_at(l, r, m.object);

	if (!o)
		return;
	o->kind = m.kind < SYT_NR_KINDS ? (enum syt_kind)m.kind : SYT_KIND_OTHER;
	o->flags = m.flags;
	o->generation = m.generation;
	o->fd = m.flags & SYT_OBJECT_VALUE ? SYT_NONE : m.fd;
	o->value = m.flags & SYT_OBJECT_VALUE ? m.fd : 0;
	o->identity = m.identity;
	o->first = m.ticks;
}

static void read_origin(struct syt_loading *l, const struct syt_meta_ref *r)
{
	struct syt_meta_origin m;

	if (!read_fixed(l, r, &m, sizeof(m)))
		return;
	struct syt_object_info *o = object_at(l, r, m.object);

	if (o)
		o->origin = m.stack;
}

/* Copies a socket address, but does not replace a known address by an empty one. */
static void read_address(uint8_t *to, uint16_t *to_bytes, const uint8_t *from, uint16_t bytes)
{
	if (!bytes)
		return;
	memset(to, 0, SYT_ADDRESS_BYTES);
	memcpy(to, from, bytes);
	*to_bytes = bytes;
}

static void read_endpoint(struct syt_loading *l, const struct syt_meta_ref *r)
{
	struct syt_meta_endpoint m;

	if (!read_fixed(l, r, &m, sizeof(m)))
		return;
	struct syt_object_info *o = object_at(l, r, m.object);
	const uint8_t *addresses = r->data + sizeof(m);

	if (!o)
		return;
	if (m.local_bytes > SYT_ADDRESS_BYTES || m.remote_bytes > SYT_ADDRESS_BYTES ||
	    r->bytes - sizeof(m) < (size_t)m.local_bytes + m.remote_bytes) {
		impossible(l, r, "address of object", m.object);
		return;
	}
	struct syt_endpoint_info *e = (struct syt_endpoint_info *)(uintptr_t)o->endpoint;

	if (!e) {
		o->endpoint = e = syt_calloc(1, sizeof(*e));
		e->peer_object = SYT_NONE;
	}
	e->domain = m.domain;
	e->type = m.type;
	e->protocol = m.protocol;
	if (m.peer_object)
		e->peer_object = m.peer_object - 1;
	e->peer_pid = m.peer_pid;
	e->dev = m.dev;
	e->inode = m.inode;
	e->cookie = m.cookie;
	e->netns = m.netns;
	e->tx = m.tx;
	e->rx = m.rx;
	read_address(e->local, &e->local_bytes, addresses, m.local_bytes);
	read_address(e->remote, &e->remote_bytes, addresses + m.local_bytes, m.remote_bytes);
}

static void read_clock(struct syt_loading *l, const struct syt_meta_ref *r)
{
	struct syt_clock_pair m;

	if (read_fixed(l, r, &m, sizeof(m)))
		*SYT_ADD(l->pairs, l->nr_pairs, l->room_pairs) = m;
}

static void read_blind(struct syt_loading *l, const struct syt_meta_ref *r)
{
	struct syt_image *i = &l->image;
	struct syt_meta_blind m;

	if (!read_fixed(l, r, &m, sizeof(m)))
		return;
	*SYT_ADD(i->blind, i->nr_blind, l->room_blind) = (struct syt_blind_spot){
		.what = m.what,
		.thread = m.thread,
		.at = m.ticks,
		.text = tail_text(r, sizeof(m)),
	};
}

static void read_returned(struct syt_loading *l, const struct syt_meta_ref *r)
{
	struct syt_meta_returned m;

	if (read_fixed(l, r, &m, sizeof(m)))
		*SYT_ADD(l->returned, l->nr_returned, l->room_returned) = m;
}

static void read_left_out(struct syt_loading *l, const struct syt_meta_ref *r)
{
	struct syt_meta_left_out m;

	if (read_fixed(l, r, &m, sizeof(m)))
		syt_left_out_add_record(l, &m);
}

void syt_record_meta(struct syt_loading *l, const struct syt_meta_ref *r)
{
	static void (*const readers[])(struct syt_loading *, const struct syt_meta_ref *) = {
		[SYT_META_CALL] = read_call,         [SYT_META_TEXT] = read_text,
		[SYT_META_MODULE] = read_module,     [SYT_META_UNMAP] = read_unmap,
		[SYT_META_THREAD] = read_thread,     [SYT_META_OBJECT] = read_object,
		[SYT_META_ENDPOINT] = read_endpoint, [SYT_META_CLOCK] = read_clock,
		[SYT_META_BLIND] = read_blind,       [SYT_META_RETURNED] = read_returned,
		[SYT_META_CALLS] = read_calls,       [SYT_META_ORIGIN] = read_origin,
		[SYT_META_LEFT_OUT] = read_left_out,
	};

	/* record types that are not in the table come from a newer recorder */
	if (r->type < sizeof(readers) / sizeof(readers[0]) && readers[r->type])
		readers[r->type](l, r);
}
