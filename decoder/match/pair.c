/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/match/pair.h"

#include "base/compare.h"
#include "base/sort.h"
#include "decoder/host/join.h"
#include "format/address.h"

/* A socket whose local and remote addresses are both known. */
struct end {
	uint64_t key; /* equal for both ends of a connection */
	uint32_t host;
	uint64_t local, remote;
	uint32_t object;
	syt_time from, to;
	bool is_accepted, is_connected;
};

struct ends {
	size_t nr, room;
	struct end *all;
};

SYT_COMPARATOR(by_key, struct end)
{
	SYT_ORDER_BY(host);
	SYT_ORDER_BY(key);
	SYT_ORDER_BY(from);
	return SYT_COMPARE(a->object, b->object);
}

bool syt_pair_maker(const struct syt_pairs *p, uint32_t object, enum syt_shape shape,
                    struct syt_place *found)
{
	struct syt_history h = syt_history_of(p->histories, object);

	for (uint64_t i = 0; i < h.nr; i++) {
		*found = h.touches[i].place;
		if (syt_touch_is(&h.touches[i], shape))
			return true;
	}
	return false;
}

/* ---- pairing of sockets by their addresses ---- */

/* Stores the lifetime of the socket OBJECT in *END: from its connect, accept or first use to its last close, or
 * without end. */
static void lifetime(const struct syt_pairs *p, uint32_t object, struct end *end)
{
	const struct syt_places *places = p->places;
	struct syt_history h = syt_history_of(p->histories, object);
	struct syt_place at;

	end->from = p->objects->all[object].info->first;
	end->to = UINT64_MAX;
	if (syt_pair_maker(p, object, SYT_SHAPE_ACCEPT, &at)) {
		end->is_accepted = true;
		end->from = syt_place_row(places, at)->out;
	} else if (syt_pair_maker(p, object, SYT_SHAPE_CONNECT, &at)) {
		end->is_connected = true;
		end->from = syt_place_row(places, at)->in;
	} else if (h.nr && (!end->from || h.touches[0].at < end->from)) {
		end->from = syt_place_row(places, h.touches[0].place)->in;
	}
	if (h.nr && h.touches[h.nr - 1].shape == SYT_SHAPE_CLOSE) {
		at = h.touches[h.nr - 1].place;
		if (syt_place_extra(places, at)->arg == 1)
			end->to = syt_place_row(places, at)->out;
	}
}

static void add_by_address(struct ends *ends, const struct syt_pairs *p, uint32_t object)
{
	const struct syt_objects *objects = p->objects;
	const struct syt_endpoint_info *e = objects->all[object].info->endpoint;
	struct end end = {.object = object};

	if (e->domain != SYT_AF_INET && e->domain != SYT_AF_INET6)
		return;
	end.local = syt_address_hash(e->local, e->local_bytes);
	end.remote = syt_address_hash(e->remote, e->remote_bytes);
	if (!end.local || !end.remote)
		return;
	end.key = (end.local ^ end.remote) * 31 + end.local + end.remote + e->netns;
	end.host = syt_object_host(objects, object);
	lifetime(p, object, &end);
	*SYT_STORE_ADD(ends->all, ends->nr, ends->room) = end;
}

/* Returns true if FIRST, which began first, and SECOND can be the two ends of one connection. If one end was closed
 * before the other began, it must be the connecting end, whose connection waited in the accept queue. */
static bool fits(const struct end *first, const struct end *second)
{
	if (first->local != second->remote || first->remote != second->local ||
	    (first->is_accepted && second->is_connected))
		return false;
	return first->to >= second->from || (first->is_connected && second->is_accepted);
}

/* Pairs the sockets ENDS[0..NR), which have one key and are sorted by time. Two connections with the same two
 * addresses never exist at one time, so the two ends of a connection are neighbours in the array. */
static void pair_by_address(struct syt_objects *objects, const struct end *ends, size_t nr)
{
	const struct end *open = NULL;

	for (size_t i = 0; i < nr; i++) {
		const struct end *e = &ends[i];

		if (e->local == e->remote) {
			/* a socket connected to itself */
			syt_pair_join(objects, e->object, e->object, SYT_PAIRING_EXACT);
		} else if (open && fits(open, e)) {
			syt_pair_join(objects, e->object, open->object, SYT_PAIRING_EXACT);
			open = NULL;
		} else {
			open = e;
		}
	}
}

/* ---- pairing of all sockets ---- */

void syt_pair_join(struct syt_objects *objects, uint32_t a, uint32_t b, enum syt_pairing pairing)
{
	objects->all[a].peer = b;
	objects->all[b].peer = a;
	objects->all[a].pairing = objects->all[b].pairing = (uint8_t)pairing;
}

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

			if (o->all[a].peer == SYT_NONE && o->all[b].peer == SYT_NONE)
				syt_pair_join(o, a, b, SYT_PAIRING_EXACT);
		}
	}
}

/* Pairs the sockets of connections between hosts or network namespaces, which the reader has found. */
static void pair_between_hosts(struct syt_objects *o)
{
	const struct syt_hosts *h = o->trace->hosts;

	for (uint32_t n = 0; h && n < h->nr_pairs; n++) {
		const struct syt_socket_pair *pair = &h->pairs[n];
		uint32_t a = o->of_image[pair->image[0]][pair->object[0]];
		uint32_t b = o->of_image[pair->image[1]][pair->object[1]];

		if (o->all[a].peer == SYT_NONE && o->all[b].peer == SYT_NONE)
			syt_pair_join(o, a, b, SYT_PAIRING_EXACT);
	}
}

void syt_pair(struct syt_objects *objects, const struct syt_places *places,
              const struct syt_histories *histories)
{
	struct syt_pairs p = {objects, places, histories};
	struct ends inet = {0};

	pair_said(objects);
	for (uint32_t i = 0; i < objects->nr; i++) {
		const struct syt_object_info *info = objects->all[i].info;

		if (!info->endpoint ||
		    (info->kind != SYT_KIND_STREAM && info->kind != SYT_KIND_DGRAM))
			continue;
		if (objects->all[i].peer == SYT_NONE)
			add_by_address(&inet, &p, i);
	}
	syt_sort(inet.all, inet.nr, sizeof(*inet.all), by_key);
	for (size_t i = 0, k; i < inet.nr; i = k) {
		for (k = i; k < inet.nr && inet.all[k].key == inet.all[i].key &&
		            inet.all[k].host == inet.all[i].host;)
			k++;
		pair_by_address(objects, &inet.all[i], k - i);
	}
	syt_store_free(inet.all);
	pair_between_hosts(objects);
	syt_pair_unix(&p);
}
