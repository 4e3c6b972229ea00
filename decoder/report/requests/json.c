/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The requests as JSON lines. The common members have the same keys as in critical-path --requests. */
#include <string.h>

#include "base/compare.h"
#include "base/sort.h"
#include "decoder/read/call.h"
#include "decoder/report/requests/view.h"
#include "decoder/show/client.h"
#include "decoder/show/place_json.h"
#include "decoder/show/print.h"

void syt_requests_put_cpu(struct syt_json *j, const struct syt_work *w)
{
	uint64_t cpu = syt_work_cpu(w);

	if (cpu == SYT_AMOUNT_UNKNOWN) {
		syt_json_null(j, "cpu");
		syt_json_null(j, "cpu_divided");
	} else {
		syt_json_u64(j, "cpu", cpu);
		syt_json_u64(j, "cpu_divided", SYT_TIME_NS(w->divided));
	}
}

static void put_components(struct syt_json *j, const struct syt_requests_view *v, uint64_t r)
{
	uint32_t nr;
	const struct syt_work *all = syt_works_of(v->g->works, r, &nr);

	syt_json_begin(j, "components", '[');
	for (uint32_t i = 0; i < nr; i++) {
		const struct syt_work *w = &all[i];

		syt_json_begin(j, NULL, '{');
		syt_json_string(j, "component", v->g->population->components.all[w->component]);
		syt_json_u64(j, "ran", SYT_TIME_NS(w->ran));
		syt_requests_put_cpu(j, w);
		syt_json_u64(j, SYT_KEY("received", "bytes_received"), w->received);
		syt_json_u64(j, SYT_KEY("sent", "bytes_sent"), w->sent);
		syt_json_u64(j, "file_calls", w->file_calls);
		syt_json_u64(j, SYT_KEY("file_bytes", "bytes_of_files"), w->file_bytes);
		syt_json_u64(j, SYT_KEY("file", "file_wait"), SYT_TIME_NS(w->file));
		syt_json_u64(j, SYT_KEY("lock", "waited_for_lock"), SYT_TIME_NS(w->lock));
		syt_json_u64(j, SYT_KEY("queue", "waited_in_queue"), SYT_TIME_NS(w->queue));
		syt_json_u64(j, SYT_KEY("other", "other_wait"), SYT_TIME_NS(w->other));
		syt_json_end(j);
	}
	syt_json_end(j);
}

/* Writes the number of the request's cluster and behaviour, from 0. With --against, the cluster is one of the model. */
static void put_group(struct syt_json *j, const struct syt_requests_view *v, uint64_t r)
{
	uint64_t member = v->g->member_of[r];
	uint32_t cluster;

	if (member == SYT_REQUEST_NONE) {
		syt_json_null(j, "cluster");
		syt_json_null(j, "behaviour");
		return;
	}
	cluster =
		v->is_against ? syt_odd_judge(v->judge, r).score.cluster : v->clusters->of[member];
	if (cluster == SYT_WORKLOAD_NONE)
		syt_json_null(j, "cluster");
	else
		syt_json_u64(j, "cluster", cluster);
	syt_json_u64(j, "behaviour", v->g->population->members[member].behaviour);
}

static bool has_address(const struct syt_order *o, uint32_t object)
{
	const struct syt_endpoint_info *e =
		object == SYT_NONE ? NULL : o->objects.all[object].info->endpoint;

	return e && e->remote_bytes > sizeof(uint16_t);
}

void syt_requests_put_json(const struct syt_requests_view *v, uint64_t r)
{
	struct syt_json j = {.out = v->of->out};
	const struct syt_order *o = v->g->order;
	const struct syt_request_info *info = &v->g->requests.all[r];
	const struct syt_thread *t = o->places.threads[info->x.received.thread];
	char client[SYT_ADDRESS_TEXT];

	syt_json_begin_line(&j, "request");
	syt_json_u64(&j, "request", r + 1);
	syt_json_time(&j, "ts", SYT_TIME_NS(info->begin));
	if (info->end_is == SYT_REQUEST_OPEN)
		syt_json_null(&j, "dur");
	else
		syt_json_u64(&j, "dur", SYT_TIME_NS(info->end) - SYT_TIME_NS(info->begin));
	if (info->end_is != SYT_REQUEST_OPEN)
		syt_host_error_json(&j, SYT_HOST_ERROR_KEY,
		                    syt_host_error_of_request(&o->places, info));
	syt_json_string(&j, SYT_KEY("end", "ends"), syt_request_end_word(info->end_is));
	syt_json_place(&j, "received", &o->places, info->x.received);
	syt_json_place(&j, "to", &o->places, info->ended);
	syt_json_u64(&j, "process", t->image->index);
	syt_json_u64(&j, SYT_KEY("thread", "thread_index"), t->index);
	if (info->object == SYT_NONE)
		syt_json_null(&j, "connection");
	else
		syt_json_object_of(&j, "connection", o, info->object);
	if (has_address(o, info->object))
		syt_json_string(&j, "client",
		                syt_request_client(&v->g->requests, info, client, sizeof(client)));
	syt_json_u64(&j, "bytes_received", info->x.bytes_received);
	syt_json_u64(&j, "bytes_sent", info->x.bytes_sent);
	syt_json_bool(&j, "counted", syt_request_counts(info));
	syt_json_bool(&j, "inner", info->flags & SYT_REQUEST_INNER);
	syt_json_bool(&j, "unsure", info->flags & SYT_REQUEST_UNSURE);
	syt_json_bool(&j, "pipelined", info->flags & SYT_REQUEST_PIPELINED);
	put_group(&j, v, r);
	if (v->judge)
		syt_odd_json(&j, v->judge, r);
	put_components(&j, v, r);
	syt_json_end_line(&j);
}

static void put_shares(const struct syt_requests_view *v, uint64_t nr)
{
	struct syt_json j = {.out = v->of->out};
	struct syt_work_shares s = syt_works_shares(v->g->works);

	syt_json_begin_line(&j, "requests");
	syt_json_u64(&j, "requests", nr);
	syt_json_u64(&j, SYT_KEY("counted", "counted_requests"), v->g->requests.nr_counted);
	syt_json_u64(&j, "behaviours", v->g->population->nr_behaviours);
	syt_json_u64(&j, "clusters", v->clusters->nr);
	syt_json_u64(&j, "ran", SYT_TIME_NS(s.ran));
	syt_json_u64(&j, "ran_certain", SYT_TIME_NS(s.certain));
	syt_json_u64(&j, "ran_inferred", SYT_TIME_NS(s.inferred));
	syt_json_u64(&j, "ran_several", SYT_TIME_NS(s.several));
	syt_json_u64(&j, "mixed_events", v->g->extents.nr_mixed);
	syt_json_u64(&j, SYT_KEY("pipelined", "pipelined_requests"), v->g->requests.nr_pipelined);
	syt_json_end_line(&j);
}

/* ---- all lines ---- */

#define FIRST_BATCH 1024u
#define MOST_IN_BATCH 65536u

/* The lines of a batch of requests. A batch is written in the order of the list, but its lines are made in the order of time. The
 * events of successive requests are then near each other in the store, which may keep only a part of them resident. The first
 * batch is small, so that output begins soon. */
struct batch {
	struct syt_requests_view view; /* writes to `line` */
	struct syt_view of;
	struct syt_out line; /* memory only */
	struct line {
		uint64_t request, at; /* at: index in `text` */
		uint64_t bytes;       /* 0: the line is longer than a buffer, and is made again */
		uint32_t rank;        /* in the batch */
	} * lines;
	char *text;
	uint64_t nr_bytes;
	size_t room;
};

SYT_COMPARATOR(by_request, struct line)
{
	return SYT_COMPARE(a->request, b->request);
}

SYT_COMPARATOR(by_rank, struct line)
{
	return SYT_COMPARE(a->rank, b->rank);
}

static void batch_open(struct batch *b, const struct syt_requests_view *v, uint64_t nr)
{
	const struct syt_out *out = v->of->out;

	*b = (struct batch){.view = *v, .of = *v->of};
	syt_out_open(&b->line, -1, out->has_colors);
	b->line.json_version = out->json_version;
	b->line.has_wall_clock = out->has_wall_clock;
	b->line.wall_offset_ns = out->wall_offset_ns;
	b->of.out = &b->line;
	b->view.of = &b->of;
	b->lines = syt_store_alloc(nr < MOST_IN_BATCH ? nr : MOST_IN_BATCH, sizeof(*b->lines));
}

static void batch_close(struct batch *b)
{
	syt_out_close(&b->line);
	syt_store_free(b->lines);
	syt_store_free(b->text);
}

static void make_line(struct batch *b, struct line *l)
{
	syt_requests_put_json(&b->view, l->request);
	l->at = b->nr_bytes;
	l->bytes = b->line.written ? 0 : b->line.used;
	syt_store_grow(&b->text, &b->room, b->nr_bytes, b->nr_bytes + l->bytes, 1);
	memcpy(b->text + l->at, b->line.buffer, l->bytes);
	b->nr_bytes += l->bytes;
	b->line.used = b->line.written = 0;
}

/* Writes the lines of the NR requests ALL. */
static void put_batch(struct batch *b, const struct syt_requests_view *v, const uint64_t *all,
                      uint64_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		b->lines[i] = (struct line){.request = all[i], .rank = i};
	syt_sort(b->lines, nr, sizeof(*b->lines), by_request);
	b->nr_bytes = 0;
	SYT_EACH_FAR(i, 0, nr)
		make_line(b, &b->lines[i]);
	syt_sort(b->lines, nr, sizeof(*b->lines), by_rank);
	for (uint64_t i = 0; i < nr && !v->of->out->is_closed; i++) {
		if (b->lines[i].bytes)
			syt_out_bytes(v->of->out, b->text + b->lines[i].at, b->lines[i].bytes);
		else
			syt_requests_put_json(v, b->lines[i].request);
	}
	syt_out_flush(v->of->out);
}

void syt_requests_print_json(const struct syt_requests_view *v)
{
	uint64_t nr, *order = syt_requests_order(v, &nr), size = FIRST_BATCH;
	struct batch b;

	put_shares(v, nr);
	if (v->limit && nr > v->limit)
		nr = v->limit;
	batch_open(&b, v, nr);
	for (uint64_t i = 0, n; i < nr && !v->of->out->is_closed; i += n) {
		n = nr - i < size ? nr - i : size;
		put_batch(&b, v, order + i, n);
		size = size < MOST_IN_BATCH ? 4 * size : size;
	}
	batch_close(&b);
	syt_store_free(order);
}
