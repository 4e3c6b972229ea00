/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Finds demands of clients: the times in which a thread had received a client's request and had not answered it.
 *
 * A span is a time in which a thread works on the request of one client. The span goes from the end of a receive on
 * an accepted connection to the begin of the thread's next send on this connection:
 *
 *  - If the thread uses another accepted connection, or accepts one, in between, there is no span:
 *    the thread may serve several clients at a time.
 *  - A call in which the thread waits for clients is cut out of the span. For epoll, this is a call
 *    on an instance that has ever reported a client. For poll and select, it is any call of this
 *    thread, if one of its calls has ever reported a client.
 *  - Another receive of data on the connection begins the span again.
 *
 * The client had sent a request to this thread, and received data next. The client therefore had to wait for the
 * time of the span.
 */
#include "decoder/report/waits/demand.h"

#include <stdlib.h>

#include "base/err.h"

struct serving {
	struct syt_demands *d;
	const struct syt_services *s;
	/* [object]: the object is an epoll instance that has reported a client */
	bool *watches;
	/* [thread]: one of its calls of poll or select has reported a client */
	bool *polls;
	uint32_t thread; /* thread that is examined now */
	/* connection of the thread's open request; SYT_NONE: no open request */
	uint32_t connection;
	syt_time since; /* begin of the present span */
	uint64_t first; /* index of the first demand that belongs to the open request */
};

static uint32_t object_of(const struct serving *v, struct syt_place at, uint32_t object)
{
	const struct syt_order *o = v->s->order;

	return syt_object_of(&o->objects, syt_place_image_idx(&o->places, at), object);
}

static bool is_client(const struct serving *v, uint32_t object)
{
	return object != SYT_NONE && v->s->sides[object] == SYT_SIDE_ACCEPTED;
}

/* Finds the calls in which threads wait for clients: sets `watches` and `polls`. */
static void find_watchers(struct serving *v)
{
	const struct syt_order *o = v->s->order;

	for (uint32_t i = 0; i < o->objects.nr; i++) {
		struct syt_history h = syt_history_of(&o->histories, i);

		if (!is_client(v, i))
			continue;
		SYT_EACH(n, 0, h.nr) {
			struct syt_place at = h.touches[n].place;
			uint32_t by;

			if (h.touches[n].role != SYT_ROLE_READY)
				continue;
			by = object_of(v, at, syt_place_row(&o->places, at)->object);
			if (by == SYT_NONE)
				v->polls[at.thread] = true;
			else
				v->watches[by] = true;
		}
	}
}

/* Removes the open request and its spans. */
static void forget(struct serving *v)
{
	if (v->connection != SYT_NONE)
		v->d->nr = v->first;
	v->connection = SYT_NONE;
}

/* Removes the time of the call R from the present span, because the thread waited for clients in this call. */
static void cut_out(struct serving *v, const struct syt_row *r)
{
	if (v->connection == SYT_NONE)
		return;
	syt_demands_add(v->d, v->thread, SYT_DEMAND_LOCK, v->since, r->in);
	v->since = r->out;
}

static void receive(struct serving *v, const struct syt_row *r, uint32_t object)
{
	if (!is_client(v, object))
		return;
	if (object == v->connection && r->result <= 0) {
		cut_out(v, r);
		return;
	}
	forget(v);
	if (r->result <= 0)
		return;
	v->connection = object;
	v->since = r->out;
	v->first = v->d->nr;
}

static void send(struct serving *v, const struct syt_row *r, uint32_t object)
{
	if (!is_client(v, object) || (object == v->connection && r->result <= 0))
		return;
	if (object != v->connection) {
		forget(v);
		return;
	}
	syt_demands_add(v->d, v->thread, SYT_DEMAND_LOCK, v->since, r->in);
	v->connection = SYT_NONE;
}

static void see(struct serving *v, struct syt_place at)
{
	const struct syt_places *p = &v->s->order->places;
	const struct syt_row *r = syt_place_row(p, at);
	uint32_t object;

	switch (syt_place_call(p, at)->shape) {
	case SYT_SHAPE_READY:
		object = object_of(v, at, r->object);
		if (object == SYT_NONE ? v->polls[at.thread] : v->watches[object])
			cut_out(v, r);
		break;
	case SYT_SHAPE_ACCEPT:
		forget(v);
		break;
	case SYT_SHAPE_TRANSFER:
		send(v, r, object_of(v, at, r->object));
		receive(v, r, object_of(v, at, syt_place_extra(p, at)->object2));
		break;
	case SYT_SHAPE_SEND:
		send(v, r, object_of(v, at, r->object));
		break;
	case SYT_SHAPE_RECV:
		receive(v, r, object_of(v, at, r->object));
		break;
	default:
		break;
	}
}

void syt_demand_client_gather(struct syt_demands *d, const struct syt_services *s)
{
	const struct syt_order *o = s->order;
	struct serving v = {.d = d, .s = s};

	v.watches = syt_calloc(o->objects.nr + 1, sizeof(*v.watches));
	v.polls = syt_calloc(o->places.nr_threads + 1, sizeof(*v.polls));
	find_watchers(&v);
	for (v.thread = 0; v.thread < o->places.nr_threads; v.thread++) {
		v.connection = SYT_NONE;
		SYT_EACH(row, 0, o->places.threads[v.thread]->nr_rows)
			see(&v, (struct syt_place){v.thread, row});
		forget(&v);
	}
	free(v.polls);
	free(v.watches);
}
