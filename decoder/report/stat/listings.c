/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Writes the listings of the report stat: calls, threads, modules and sync objects. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/compare.h"
#include "decoder/read/call.h"
#include "decoder/report/stat/stat.h"
#include "decoder/show/print.h"

/* Returns the build id of a module as hexadecimal digits. */
static const char *word_build_id(const struct syt_cell *c)
{
	static char text[41];
	const struct syt_module_info *m = c->row;

	*text = '\0';
	for (uint32_t k = 0; k < m->build_id_bytes && k < 20; k++)
		snprintf(text + 2 * k, 3, "%02x", m->build_id[k]);
	return text;
}

static const struct syt_column_type build_id = {.word = word_build_id};

/* In these listings, the parent of each row is the struct syt_image of its process. */
/* clang-format off */
#define OF_IMAGE(member_) (SYT_OF_PARENT | offsetof(struct syt_image, member_))
#define PROCESS_COLUMNS                                         \
	{NULL, "process", &syt_column_u32, OF_IMAGE(index)},    \
	{NULL, "pid",     &syt_column_u32, OF_IMAGE(file.pid)}

#define USE_COLUMNS(type_)                                                              \
	{">EVENTS",   "events",      &syt_column_u64,   offsetof(type_, use.nr)},          \
	{NULL,        "timed",       &syt_column_u64,   offsetof(type_, use.nr_waited)},   \
	{">IN CALLS", "wait_ns",     &syt_column_ns,    offsetof(type_, use.wait_ns)},     \
	{">LONGEST",  "max_wait_ns", &syt_column_ns,    offsetof(type_, use.max_wait_ns)}, \
	{">BYTES",    "bytes",       &syt_column_count, offsetof(type_, use.bytes)}

struct call_row {
	uint32_t call;
	const char *name, *shape;
	struct syt_tally use;
};

static const struct syt_column call_columns[] = {
	PROCESS_COLUMNS,
	{"CALL",  "call",  &syt_column_string, offsetof(struct call_row, name)},
	{"MEANS", "shape", &syt_column_string, offsetof(struct call_row, shape)},
	USE_COLUMNS(struct call_row),
};

struct thread_row {
	uint32_t thread, tid, creator;
	char id[24], creator_id[24]; /* "P.T" */
	const char *name;
	struct syt_tally use;
	uint64_t first, missing;
};

#define THREAD(member_) offsetof(struct thread_row, member_)
static const struct syt_column thread_columns[] = {
	PROCESS_COLUMNS,
	{NULL,         SYT_KEY("thread", "thread_index"),  &syt_column_u32,    THREAD(thread)},
	{"THREAD",     NULL,      &syt_column_chars,  THREAD(id)},
	{">TID",       "tid",     &syt_column_u32,    THREAD(tid)},
	{"NAME",       SYT_KEY("name", "thread_name"), &syt_column_string, THREAD(name)},
	{NULL,         "creator", &syt_column_u32,    THREAD(creator)},
	{">CREATED BY", NULL,     &syt_column_chars,  THREAD(creator_id)},
	USE_COLUMNS(struct thread_row),
	{NULL,         "first",   &syt_column_u64,    THREAD(first)},
	{NULL,         "missing", &syt_column_u64,    THREAD(missing)},
};

#define MODULE(member_) offsetof(struct syt_module_info, member_)
static const struct syt_column module_columns[] = {
	PROCESS_COLUMNS,
	{"MODULE",   SYT_KEY("module", "module_id"), &syt_column_u32,    MODULE(id)},
	{NULL,       SYT_KEY("path", "module_path"), &syt_column_string, MODULE(path)},
	{NULL,       "build_id", &build_id,          0},
	{">START",   "start",    &syt_column_hex,    MODULE(start)},
	{">END",     SYT_KEY("end", "end_address"), &syt_column_hex,    MODULE(end)},
	{NULL,       "bias",     &syt_column_hex,    MODULE(bias)},
	{"BUILD ID", NULL,       &build_id,          0},
	{"PATH",     NULL,       &syt_column_string, MODULE(path)},
};

struct object_row {
	struct syt_object_summary s;
	uint32_t fd, peer;
	const char *kind, *name, *pairing;
	bool is_shared, is_adopted;
	/* facts of the endpoint; NULL: the object is not an endpoint */
	const struct syt_endpoint_info *endpoint;
	char local[SYT_ADDRESS_TEXT], remote[SYT_ADDRESS_TEXT];
	char id[SYT_OBJECT_TEXT]; /* empty if the column OBJECT shows it */
};

/* Writes the JSON members that only an endpoint has. */
static void json_endpoint(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	const struct object_row *row = c->row;
	const struct syt_endpoint_info *e = row->endpoint;

	(void)key;
	if (!e)
		return;
	syt_json_string(j, "local", row->local);
	syt_json_string(j, "remote", row->remote);
	if (e->inode)
		syt_json_u64(j, "inode", e->inode);
	syt_json_u64(j, "cookie", e->cookie);
	if (e->peer_pid)
		syt_json_u64(j, "peer_pid", e->peer_pid);
}

static const struct syt_column_type endpoint = {.json = json_endpoint};

#define OBJECT(member_) offsetof(struct object_row, member_)
static const struct syt_column object_columns[] = {
	PROCESS_COLUMNS,
	{"OBJECT",    "object",      &syt_column_object,    OBJECT(s.object)},
	{NULL,        SYT_KEY("kind", "object_kind"),        &syt_column_string,    OBJECT(kind)},
	{NULL,        SYT_KEY_1("name"), &syt_column_string_if, OBJECT(name)},
	{NULL,        "fd",          &syt_column_u32_if,    OBJECT(fd)},
	{NULL,        "shared",      &syt_column_bool,      OBJECT(is_shared)},
	{NULL,        "adopted",     &syt_column_bool,      OBJECT(is_adopted)},
	{NULL,        "",            &endpoint,             0},
	{NULL,        "peer",        &syt_column_object_if, OBJECT(peer)},
	{NULL,        "pairing",     &syt_column_string_if, OBJECT(pairing)},
	{">PROCESS",  NULL,          &syt_column_u32,       OF_IMAGE(index)},
	{">EVENTS",   "events",      &syt_column_u64,       OBJECT(s.nr_events)},
	{">THREADS",  "threads",     &syt_column_u32,       OBJECT(s.nr_threads)},
	{NULL,        "processes",   &syt_column_u32,       OBJECT(s.nr_images)},
	{">WAITS",    "timed",       &syt_column_u64,       OBJECT(s.nr_waits)},
	{">WAITED",   "wait_ns",     &syt_column_ns,        OBJECT(s.wait_ns)},
	{">LONGEST",  "max_wait_ns", &syt_column_ns,        OBJECT(s.max_wait_ns)},
	{">BYTES IN", "bytes",       &syt_column_count,     OBJECT(s.bytes)},
	{"?PEER",     NULL,          &syt_column_object,    OBJECT(peer)},
	{"?LOCAL",    NULL,          &syt_column_chars,     OBJECT(local)},
	{"?REMOTE",   NULL,          &syt_column_chars,     OBJECT(remote)},
	{"ID",        NULL,          &syt_column_chars,     OBJECT(id)},
};
/* clang-format on */

static const struct syt_listing calls = SYT_LISTING("call", call_columns);
static const struct syt_listing threads = SYT_LISTING("thread", thread_columns);
static const struct syt_listing modules = SYT_LISTING("module", module_columns);
static const struct syt_listing objects = SYT_LISTING("object", object_columns);

static void separate(const struct syt_view *v)
{
	if (!v->is_json)
		syt_out_char(v->out, '\n');
}

static int longest_first(const void *a_, const void *b_)
{
	const struct call_row *a = a_, *b = b_;

	SYT_ORDER(b->use.wait_ns, a->use.wait_ns);
	SYT_ORDER(b->use.nr, a->use.nr);
	SYT_ORDER_BY(call);
	return 0;
}

void syt_stat_list_calls(const struct syt_view *v, const struct syt_image *i,
                         const struct syt_image_summary *s)
{
	struct call_row *rows = syt_alloc(i->nr_calls, sizeof(*rows));
	size_t nr = 0;

	for (uint32_t n = 0; n < i->nr_calls; n++)
		if (s->calls[n].nr)
			rows[nr++] =
				(struct call_row){n, i->calls[n].name,
			                          syt_shape_text(i->calls[n].shape), s->calls[n]};
	if (!v->is_json)
		qsort(rows, nr, sizeof(*rows), longest_first);
	separate(v);
	syt_listing_all(&calls, v, rows, nr, sizeof(*rows), i);
	free(rows);
}

void syt_stat_list_threads(const struct syt_view *v, const struct syt_image *i,
                           const struct syt_image_summary *s)
{
	struct syt_listing_writer w;

	separate(v);
	syt_listing_begin(&w, &threads, v);
	for (uint32_t n = 0; n < i->nr_threads; n++) {
		const struct syt_thread *t = &i->threads[n];
		struct thread_row row = {
			t->index,           t->tid,        t->creator, "",        "",
			syt_thread_name(t), s->threads[n], t->base,    t->missing};

		if (!t->nr_rows && !t->tid)
			continue;
		snprintf(row.id, sizeof(row.id), "%" PRIu32 ".%" PRIu32, i->index, t->index);
		if (t->creator != SYT_NONE)
			snprintf(row.creator_id, sizeof(row.creator_id), "%" PRIu32 ".%" PRIu32,
			         i->index, t->creator);
		syt_listing_row(&w, &row, i);
	}
	syt_listing_end(&w);
}

void syt_stat_list_modules(const struct syt_view *v, const struct syt_image *i)
{
	struct syt_listing_writer w;

	separate(v);
	syt_listing_begin(&w, &modules, v);
	for (uint32_t n = 0; n < i->nr_modules; n++)
		if (i->modules[n].id)
			syt_listing_row(&w, &i->modules[n], i);
	syt_listing_end(&w);
}

static void list_object(struct syt_listing_writer *w, const struct syt_object_summary *s)
{
	const struct syt_order *o = w->view->order;
	const struct syt_object *object = &o->objects.all[s->object];
	const struct syt_object_info *info = object->info;
	const struct syt_endpoint_info *e = info->endpoint;
	struct object_row row = {
		.s = *s,
		.fd = info->fd,
		.peer = object->peer,
		.kind = syt_kind_text(info->kind),
		.name = syt_object_name_of(&o->objects, s->object),
		.is_shared = info->flags & SYT_OBJECT_SHARED,
		.is_adopted = info->flags & SYT_OBJECT_ADOPTED,
		.endpoint = e,
	};

	if (row.name)
		syt_object_text(info, row.id, sizeof(row.id));
	if (e) {
		syt_address_text(e->local, e->local_bytes, row.local, sizeof(row.local));
		syt_address_text(e->remote, e->remote_bytes, row.remote, sizeof(row.remote));
	}
	if (object->peer != SYT_NONE)
		row.pairing = object->pairing == SYT_PAIRING_INFERRED ? "inferred" : "exact";
	syt_listing_row(w, &row, &o->places.trace->images[object->image]);
}

void syt_stat_list_objects(const struct syt_view *v, enum syt_object_sort by)
{
	uint32_t nr;
	struct syt_object_summary *all = syt_object_summaries(v->order, by, &nr);
	struct syt_listing_writer w;

	syt_listing_begin(&w, &objects, v);
	for (uint32_t i = 0; i < nr && (!v->limit || i < v->limit); i++)
		list_object(&w, &all[i]);
	free(all);
	separate(v);
	syt_listing_end(&w);
}
