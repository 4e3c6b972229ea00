/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/host/move.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/compare.h"
#include "base/err.h"
#include "base/progress.h"
#include "base/sort.h"
#include "base/store.h"
#include "base/work.h"
#include "decoder/read/unpack.h"

SYT_COMPARATOR(by_end, struct syt_host_move)
{
	SYT_ORDER_BY(of);
	SYT_ORDER_BY(what);
	SYT_ORDER_BY(from);
	SYT_ORDER_BY(begin);
	SYT_ORDER_BY(to);
	return SYT_COMPARE(a->end, b->end);
}

/* ---- reading ---- */

/* A job reads the segments of one thread and lane. */
struct job {
	const struct syt_loading *loading;
	const uint32_t *end_of; /* [object] */
	size_t from, to;        /* indices of segments */
};

struct reading {
	struct syt_host_ends *ends;
	struct syt_host_moves *moves;
	struct job *jobs;
	size_t nr_jobs, room_jobs;
	pthread_mutex_t lock; /* of moves and ends */
	struct buffers {
		uint8_t *scratch;
		struct syt_row *rows;
		uint32_t room_rows;
	} * buffers; /* [worker] */
};

/* The moves of a job, before they are added to the moves of all jobs. */
struct found {
	uint64_t nr;
	size_t room;
	struct syt_host_move *all;
	uint64_t open;   /* index of the first move whose end the next row of the thread limits */
	syt_time before; /* end of the thread's previous row */
};

static struct syt_host_move *add(struct found *f, const struct syt_row *r, uint32_t of,
                                 enum syt_host_what what, uint64_t begin, uint64_t bytes)
{
	uint64_t end = begin + bytes < begin ? UINT64_MAX : begin + bytes;
	bool is_point = r->in == r->out;
	bool begins = what == SYT_HOST_SEND || what == SYT_HOST_CONNECT || what == SYT_HOST_SHUT ||
	              what == SYT_HOST_CLOSE || what == SYT_HOST_DEAF;
	struct syt_host_move *move = SYT_STORE_ADD(f->all, f->nr, f->room);

	*move = (struct syt_host_move){
		.begin = begin,
		.end = end,
		/* the recorder stamped only the begin of a release, or the end of an acquire */
		.from = is_point && !begins ? f->before : r->in,
		.to = is_point && begins ? UINT64_MAX : r->out,
		.of = of,
		.what = (uint8_t)what,
	};
	return move;
}

static void add_data(struct found *f, const struct syt_row *r, const struct syt_extra *x,
                     uint32_t of, bool is_out, uint64_t at)
{
	if (r->result < 0 || !x->bytes)
		return;
	if (x->flags & (SYT_EVENT_NOOFFSET | SYT_EVENT_URGENT)) {
		add(f, r, of, SYT_HOST_UNSURE, 0, 0);
		return;
	}
	add(f, r, of, is_out ? SYT_HOST_SEND : SYT_HOST_RECV, at, x->bytes)->is_peek =
		x->flags & SYT_EVENT_PEEK;
}

/* Adds the readable sockets that a readiness call reported. */
static void add_ready(struct found *f, const struct job *j, const struct syt_row *r,
                      const struct syt_extra *x, const struct syt_ready *ready)
{
	const char *name = j->loading->image.calls[r->call].name;
	bool may_be_error = !name || strstr(name, "select");

	for (uint32_t n = 0; n < x->nr_ready; n++) {
		uint32_t object = ready[x->ready + n].object;
		uint32_t of = object == SYT_NONE ? SYT_NONE : j->end_of[object];

		/* an error makes a socket readable too, and a socket that was never connected has hung up (HUP) */
		if (of != SYT_NONE && ready[x->ready + n].events & SYT_READY_IN &&
		    !(ready[x->ready + n].events & SYT_READY_ERR))
			add(f, r, of, SYT_HOST_READY, 0, 0)->may_be_error = may_be_error;
	}
}

static void add_row(struct found *f, const struct job *j, const struct syt_row *r,
                    const struct syt_extra *x, const struct syt_ready *ready)
{
	const struct syt_call_info *call = &j->loading->image.calls[r->call];
	uint32_t of = r->object == SYT_NONE ? SYT_NONE : j->end_of[r->object];
	uint32_t of2 = x->object2 == SYT_NONE ? SYT_NONE : j->end_of[x->object2];

	if (of2 != SYT_NONE && call->shape == SYT_SHAPE_TRANSFER)
		add_data(f, r, x, of2, false, x->offset2);
	if (of2 != SYT_NONE && call->shape == SYT_SHAPE_ACCEPT && r->result >= 0) {
		add(f, r, of2, SYT_HOST_TAKE, 0, 0);
		if (of != SYT_NONE)
			add(f, r, of, SYT_HOST_ACCEPT, of2, 0);
		return;
	}
	if (of2 != SYT_NONE && call->shape == SYT_SHAPE_DUP && x->arg == 1)
		add(f, r, of2, SYT_HOST_CLOSE, 0, 0);
	if (x->nr_ready)
		add_ready(f, j, r, x, ready);
	if (of == SYT_NONE)
		return;
	switch (call->shape) {
	case SYT_SHAPE_SEND:
	case SYT_SHAPE_TRANSFER:
		add_data(f, r, x, of, true, x->offset);
		break;
	case SYT_SHAPE_RECV:
		add_data(f, r, x, of, false, x->offset);
		if (x->flags & SYT_EVENT_EOF)
			add(f, r, of, SYT_HOST_EOF, 0, 0);
		if (r->result < 0 && r->err != EAGAIN && r->err != EINTR)
			add(f, r, of, SYT_HOST_FAILED, 0, 0);
		break;
	case SYT_SHAPE_CONNECT:
		if (r->result >= 0 || r->err == EINPROGRESS)
			add(f, r, of, SYT_HOST_CONNECT, 0, 0);
		break;
	case SYT_SHAPE_ACCEPT:
		if (r->result >= 0)
			add(f, r, of, SYT_HOST_ACCEPT, SYT_NONE, 0);
		break;
	case SYT_SHAPE_SHUTDOWN:
		if (x->arg != SHUT_RD)
			add(f, r, of, SYT_HOST_SHUT, 0, 0);
		if (x->arg != SHUT_WR)
			add(f, r, of, SYT_HOST_DEAF, 0, 0);
		break;
	case SYT_SHAPE_CLOSE:
		add(f, r, of, SYT_HOST_CLOSE, 0, 0);
		break;
	default:
		break;
	}
}

static void read_segment(struct found *f, const struct job *j, const struct syt_segment *s,
                         struct syt_unpack *u, struct buffers *b)
{
	const struct syt_extra none = {.object2 = SYT_NONE, .thread = SYT_NONE};
	const uint8_t *raw = s->payload ? syt_segment_raw(s, b->scratch) : NULL;
	uint32_t nr;

	if (s->nr_events > b->room_rows) {
		b->room_rows = s->nr_events;
		b->rows = syt_realloc(b->rows, b->room_rows, sizeof(*b->rows));
	}
	u->nr_extras = u->nr_wide = u->nr_ready = 0;
	nr = raw ? syt_unpack_rows(u, s, raw, b->rows) : 0;
	nr = nr > s->skip ? nr - s->skip : 0;
	for (uint32_t n = 0; n < nr; n++) {
		const struct syt_row *r = &b->rows[n];

		for (; f->open < f->nr; f->open++)
			if (f->all[f->open].to == UINT64_MAX && r->in >= f->all[f->open].from)
				f->all[f->open].to = r->in;
		const struct syt_extra x = r->extra == SYT_NONE
		                                   ? none
		                                   : syt_extra_unpack(u->extras, u->wide, r->extra);

		add_row(f, j, r, &x, u->ready);
		f->before = r->out;
	}
}

static void describe(struct syt_host_end *e, const struct syt_host_move *m)
{
	if (e->is_listening)
		return;
	if (!e->is_known || m->from < e->first)
		e->first = m->from;
	if (m->to != UINT64_MAX && m->to > e->last)
		e->last = m->to;
	if (m->from > e->last)
		e->last = m->from;
	e->is_known = true;
	e->is_whole &= m->what != SYT_HOST_UNSURE;
	e->has_connected |= m->what == SYT_HOST_CONNECT;
	e->has_accepted |= m->what == SYT_HOST_ACCEPT;
	if (m->what == SYT_HOST_SEND && m->end > e->sent)
		e->sent = m->end;
	if (m->what == SYT_HOST_RECV && m->end > e->received)
		e->received = m->end;
}

static void run_job(void *context, size_t number, unsigned worker)
{
	struct reading *r = context;
	const struct job *j = &r->jobs[number];
	struct buffers *b = &r->buffers[worker];
	struct syt_unpack u = {.image = &j->loading->image, .clock = j->loading->clock};
	struct found f = {0};

	if (!b->scratch)
		b->scratch = syt_alloc(SYT_RAW_MAX, 1);
	for (size_t n = j->from; n < j->to; n++) {
		syt_store_settle();
		read_segment(&f, j, &j->loading->segments[n], &u, b);
	}
	syt_unpack_fini(&u);
	pthread_mutex_lock(&r->lock);
	for (uint64_t n = 0; n < f.nr; n++) {
		describe(&r->ends->all[f.all[n].of], &f.all[n]);
		*SYT_STORE_ADD(r->moves->all, r->moves->nr, r->moves->room) = f.all[n];
	}
	pthread_mutex_unlock(&r->lock);
	syt_store_free(f.all);
	syt_progress_step();
}

/* Limits the certain positions of sends by the calls that never returned, which may have sent bytes. */
static void limit(struct syt_host_ends *ends, const struct syt_image *i, const uint32_t *end_of)
{
	for (size_t n = 0; n < i->nr_in_flight; n++) {
		const struct syt_in_flight_info *f = &i->in_flight[n];

		if (!f->is_out || f->object >= i->nr_objects || end_of[f->object] == SYT_NONE)
			continue;
		struct syt_host_end *e = &ends->all[end_of[f->object]];

		e->sure = f->position < e->sure ? f->position : e->sure;
	}
}

/* Returns true if the dump L contains all events of its process image. */
static bool is_whole(const struct syt_loading *l)
{
	const struct syt_image *i = &l->image;

	return !i->nr_overwritten && !i->nr_missing && !i->nr_lost && !i->nr_pauses &&
	       !i->file.was_paused && !i->nr_in_flight && !l->problems.nr &&
	       (i->file.state & 0xff) != SYT_STATE_RUNNING;
}

static void plan(struct reading *r, const struct syt_loading *l, const uint32_t *end_of)
{
	for (size_t from = 0, to; from < l->nr_segments; from = to) {
		to = from + 1;
		while (to < l->nr_segments && l->segments[to].thread == l->segments[from].thread &&
		       l->segments[to].lane == l->segments[from].lane)
			to++;
		*SYT_ADD(r->jobs, r->nr_jobs, r->room_jobs) = (struct job){l, end_of, from, to};
	}
}

/* Sets END of the accept calls of listening sockets. */
static void note_earlier(struct syt_host_moves *moves)
{
	syt_time latest = 0;

	for (uint64_t n = 0; n < moves->nr; n++) {
		struct syt_host_move *m = &moves->all[n];

		if (m->what != SYT_HOST_TAKE)
			continue;
		if (!n || m[-1].what != SYT_HOST_TAKE || m[-1].of != m->of)
			latest = 0;
		m->end = latest;
		latest = m->to > latest ? m->to : latest;
	}
}

void syt_host_moves_read(struct syt_host_moves *moves, struct syt_host_ends *ends,
                         struct syt_loading *const *loadings, size_t nr, unsigned nr_workers)
{
	struct reading r = {.ends = ends, .moves = moves, .lock = PTHREAD_MUTEX_INITIALIZER};

	*moves = (struct syt_host_moves){0};
	r.buffers = syt_calloc(nr_workers, sizeof(*r.buffers));
	for (uint32_t n = 0; n < ends->nr; n++) {
		struct syt_host_end *e = &ends->all[n];

		e->is_known = false;
		e->received = e->first = e->last = 0;
		e->sent = e->sent_before;
		e->sure = UINT64_MAX;
		e->is_whole = true;
	}
	for (size_t n = 0; n < nr; n++) {
		if (!ends->of_image[n])
			continue;
		for (uint32_t k = 0; k < loadings[n]->image.nr_objects; k++)
			if (ends->of_image[n][k] != SYT_NONE)
				ends->all[ends->of_image[n][k]].is_whole &= is_whole(loadings[n]);
		limit(ends, &loadings[n]->image, ends->of_image[n]);
		plan(&r, loadings[n], ends->of_image[n]);
	}
	syt_progress_begin("joining hosts", r.nr_jobs);
	syt_work(r.nr_jobs, nr_workers, run_job, &r);
	syt_progress_end();
	syt_sort(moves->all, moves->nr, sizeof(*moves->all), by_end);
	note_earlier(moves);
	for (unsigned n = 0; n < nr_workers; n++) {
		free(r.buffers[n].scratch);
		free(r.buffers[n].rows);
	}
	free(r.buffers);
	free(r.jobs);
}

void syt_host_moves_close(struct syt_host_moves *moves)
{
	syt_store_free(moves->all);
	*moves = (struct syt_host_moves){0};
}
