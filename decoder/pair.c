/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/pair.h"

#include <stdlib.h>
#include <string.h>

#include "decoder/err.h"
#include "format/address.h"

/* An endpoint that knows both addresses, or a unix one that knows its listener's. */
struct end {
	uint64_t key; /* the same for both ends */
	uint64_t local, remote;
	uint32_t object;
	uint32_t pid; /* unix: of the client */
	syt_time from, to;
	bool is_accepted, is_connected;
};

struct ends {
	size_t nr, room;
	struct end *all;
};

static void add(struct ends *e, struct end end)
{
	syt_grow(&e->all, &e->room, e->nr + 1, sizeof(*e->all));
	e->all[e->nr++] = end;
}

static int by_key(const void *a_, const void *b_)
{
	const struct end *a = a_, *b = b_;

#define ORDER_BY(member_)                                                                          \
	if (a->member_ != b->member_)                                                              \
		return a->member_ < b->member_ ? -1 : 1;
	ORDER_BY(key)
	ORDER_BY(from)
	ORDER_BY(object)
#undef ORDER_BY
	return 0;
}

/* The call that made OBJECT one end of a connection. */
static bool find_maker(const struct syt_places *places, const struct syt_histories *h,
                       uint32_t object, uint8_t shape, struct syt_place *found)
{
	struct syt_history history = syt_history_of(h, object);

	for (uint64_t i = 0; i < history.nr; i++) {
		*found = history.touches[i].place;
		if (history.touches[i].role == SYT_ROLE_SELF &&
		    syt_place_call(places, *found)->shape == shape &&
		    syt_place_succeeded(places, *found))
			return true;
	}
	return false;
}

/* ---- by address pair ---- */

/* From when OBJECT was connected, accepted or first seen, to when its last close began, or for
 * ever. */
static void lifetime(const struct syt_places *places, const struct syt_objects *objects,
                     const struct syt_histories *h, uint32_t object, struct end *end)
{
	struct syt_history history = syt_history_of(h, object);
	struct syt_place at;

	end->from = objects->all[object].info->first;
	end->to = UINT64_MAX;
	if (find_maker(places, h, object, SYT_SHAPE_ACCEPT, &at)) {
		end->is_accepted = true;
		end->from = syt_place_row(places, at)->out;
	} else if (find_maker(places, h, object, SYT_SHAPE_CONNECT, &at)) {
		end->is_connected = true;
		end->from = syt_place_row(places, at)->in;
	} else if (history.nr && (!end->from || history.touches[0].at < end->from)) {
		end->from = syt_place_row(places, history.touches[0].place)->in;
	}
	if (history.nr) {
		at = history.touches[history.nr - 1].place;
		if (syt_place_call(places, at)->shape == SYT_SHAPE_CLOSE &&
		    syt_place_extra(places, at)->arg == 1)
			end->to = syt_place_row(places, at)->out;
	}
}

static void add_by_address(struct ends *ends, const struct syt_objects *objects,
                           const struct syt_places *places, const struct syt_histories *h,
                           uint32_t object)
{
	const struct syt_endpoint_info *e = objects->all[object].info->endpoint;
	const struct syt_image *image = &objects->trace->images[objects->all[object].image];
	struct end end = {.object = object};

	if (e->domain != SYT_AF_INET && e->domain != SYT_AF_INET6)
		return;
	end.local = syt_address_hash(e->local, e->local_bytes);
	end.remote = syt_address_hash(e->remote, e->remote_bytes);
	if (!end.local || !end.remote)
		return;
	end.key = (end.local ^ end.remote) * 31 + end.local + end.remote + e->netns;
	for (unsigned i = 0; i < sizeof(image->file.boot_id); i++)
		end.key = end.key * 131 + image->file.boot_id[i];
	lifetime(places, objects, h, object, &end);
	add(ends, end);
}

/* FIRST, which began first, and SECOND can be the ends of one connection. One that was closed
 * before the other began can, only if it connected and the other was accepted: it waited in the
 * queue. */
static bool fits(const struct end *first, const struct end *second)
{
	if (first->local != second->remote || first->remote != second->local ||
	    (first->is_accepted && second->is_connected))
		return false;
	return first->to >= second->from || (first->is_connected && second->is_accepted);
}

/*
 * ENDS[0..NR) have one key and stand in order of time.  Two connections of one address pair never
 * exist at one time, so their ends follow each other: an end belongs to the one next to it.
 */
static void pair_by_address(struct syt_objects *objects, const struct end *ends, size_t nr)
{
	const struct end *open = NULL;

	for (size_t i = 0; i < nr; i++) {
		const struct end *e = &ends[i];

		if (e->local == e->remote) {
			objects->all[e->object].peer = e->object; /* connected to itself */
		} else if (open && fits(open, e)) {
			objects->all[e->object].peer = open->object;
			objects->all[open->object].peer = e->object;
			open = NULL;
		} else {
			open = e;
		}
	}
}

/* ---- unix ---- */

/* Clients that lost their beginning may have connected without leaving an event. */
static bool is_whole(const struct syt_places *places, uint32_t pid)
{
	for (uint32_t i = 0; i < places->trace->nr_images; i++)
		if (places->trace->images[i].file.pid == pid && places->complete_from[i])
			return false;
	return true;
}

static void add_unix(struct ends *ends, const struct syt_objects *objects,
                     const struct syt_places *places, const struct syt_histories *h,
                     uint32_t object)
{
	const struct syt_endpoint_info *e = objects->all[object].info->endpoint;
	struct end end = {.object = object};
	struct syt_place at;

	if (e->domain != SYT_AF_UNIX || objects->all[object].peer != SYT_NONE)
		return;
	if (find_maker(places, h, object, SYT_SHAPE_ACCEPT, &at)) {
		end.is_accepted = true;
		end.key = syt_address_hash(e->local, e->local_bytes);
		end.pid = e->peer_pid;
		end.from = syt_place_row(places, at)->out; /* the connect was before */
		end.to = end.from;
	} else if (find_maker(places, h, object, SYT_SHAPE_CONNECT, &at)) {
		end.key = syt_address_hash(e->remote, e->remote_bytes);
		end.pid = syt_place_image(places, at)->file.pid;
		end.from = syt_place_row(places, at)->in;
		end.to = syt_place_latest(places, at);
	}
	if (end.key && end.pid && is_whole(places, end.pid))
		add(ends, end);
}

/* The client of the accepted end ENDS[I]: the only one waiting, or the first of several in a row.
 * What stands before *OPEN has its peer. */
static void pair_unix(struct syt_objects *objects, const struct end *ends, size_t i, size_t *open)
{
	const struct end *first = NULL;
	bool is_row = true;
	syt_time busy_until = 0;
	unsigned nr = 0;

	while (*open < i &&
	       (ends[*open].is_accepted || objects->all[ends[*open].object].peer != SYT_NONE))
		++*open;
	for (size_t k = *open; k < i; k++) {
		const struct end *c = &ends[k];

		if (c->is_accepted || c->pid != ends[i].pid ||
		    objects->all[c->object].peer != SYT_NONE)
			continue;
		is_row &= c->from > busy_until;
		busy_until = c->to;
		if (!nr++)
			first = c;
	}
	if (first && (nr == 1 || is_row)) {
		objects->all[first->object].peer = ends[i].object;
		objects->all[ends[i].object].peer = first->object;
	}
}

/* ---- the whole ---- */

static void pair_said(struct syt_objects *o)
{
	for (uint32_t i = 0; i < o->trace->nr_images; i++) {
		const struct syt_image *image = &o->trace->images[i];

		for (uint32_t k = 0; k < image->nr_objects; k++) {
			const struct syt_endpoint_info *e = image->objects[k].endpoint;
			uint32_t a = o->of_image[i][k];

			if (!e || e->peer_object == SYT_NONE)
				continue;
			uint32_t b = o->of_image[i][e->peer_object];

			if (o->all[a].peer == SYT_NONE)
				o->all[a].peer = b;
			if (o->all[b].peer == SYT_NONE)
				o->all[b].peer = a;
		}
	}
}

void syt_pair(struct syt_objects *objects, const struct syt_places *places,
              const struct syt_histories *histories)
{
	struct ends inet = {0}, local = {0};

	pair_said(objects);
	for (uint32_t i = 0; i < objects->nr; i++) {
		const struct syt_object_info *info = objects->all[i].info;

		if (!info->endpoint ||
		    (info->kind != SYT_KIND_STREAM && info->kind != SYT_KIND_DGRAM))
			continue;
		if (objects->all[i].peer == SYT_NONE) {
			add_by_address(&inet, objects, places, histories, i);
			add_unix(&local, objects, places, histories, i);
		}
	}
	if (inet.nr)
		qsort(inet.all, inet.nr, sizeof(*inet.all), by_key);
	for (size_t i = 0, k; i < inet.nr; i = k) {
		for (k = i; k < inet.nr && inet.all[k].key == inet.all[i].key;)
			k++;
		pair_by_address(objects, &inet.all[i], k - i);
	}
	if (local.nr)
		qsort(local.all, local.nr, sizeof(*local.all), by_key);
	for (size_t i = 0, k; i < local.nr; i = k) {
		size_t open = 0;

		for (k = i; k < local.nr && local.all[k].key == local.all[i].key; k++)
			if (local.all[k].is_accepted)
				pair_unix(objects, &local.all[i], k - i, &open);
	}
	free(inet.all);
	free(local.all);
}
