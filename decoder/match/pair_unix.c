/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Pairs unix sockets by what the kernel reported, or else by the order of connect and accept calls, or else by
 * their traffic (pair_traffic.c). */
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/sort.h"
#include "decoder/match/pair.h"
#include "format/address.h"

/* ---- pairing by the kernel's information ---- */

struct socket {
	uint64_t cookie, inode;
	uint32_t host, object;
};

struct sockets {
	size_t nr, room;
	struct socket *all;
	struct socket *by_inode; /* the elements of `all`, sorted by inode */
};

static int compare(const struct socket *a, const struct socket *b, uint64_t of_a, uint64_t of_b)
{
	SYT_ORDER_BY(host);
	return of_a < of_b ? -1 : of_a > of_b;
}

SYT_COMPARATOR(by_cookie, struct socket)
{
	return compare(a, b, a->cookie, b->cookie);
}

SYT_COMPARATOR(by_inode, struct socket)
{
	return compare(a, b, a->inode, b->inode);
}

/* Returns the object of the unix socket with COOKIE, or SYT_NONE if the trace does not contain this socket. */
static uint32_t find_cookie(const struct sockets *s, uint32_t host, uint64_t cookie)
{
	struct socket wanted = {.host = host, .cookie = cookie};
	const struct socket *found =
		cookie ? bsearch(&wanted, s->all, s->nr, sizeof(*s->all), by_cookie) : NULL;

	return found ? found->object : SYT_NONE;
}

/* Returns the object of the unix socket with INODE, or SYT_NONE unless exactly one socket of the trace ever had
 * this inode. */
static uint32_t find_inode(const struct sockets *s, uint32_t host, uint64_t inode)
{
	struct socket wanted = {.host = host, .inode = inode};
	const struct socket *all = s->by_inode, *end = all + s->nr,
			    *found = bsearch(&wanted, all, s->nr, sizeof(*all), by_inode);

	if (!found || (found > all && !by_inode(found - 1, found)) ||
	    (found + 1 < end && !by_inode(found + 1, found)))
		return SYT_NONE;
	return found->object;
}

static void collect(struct sockets *s, const struct syt_objects *objects)
{
	for (uint32_t i = 0; i < objects->nr; i++) {
		const struct syt_endpoint_info *e = objects->all[i].info->endpoint;

		if (!e || e->domain != SYT_AF_UNIX || !e->cookie)
			continue;
		*SYT_STORE_ADD(s->all, s->nr, s->room) =
			(struct socket){e->cookie, e->inode, syt_object_host(objects, i), i};
	}
	if (!s->nr)
		return;
	s->by_inode = syt_store_alloc(s->nr, sizeof(*s->by_inode));
	memcpy(s->by_inode, s->all, s->nr * sizeof(*s->all));
	syt_sort(s->all, s->nr, sizeof(*s->all), by_cookie);
	syt_sort(s->by_inode, s->nr, sizeof(*s->by_inode), by_inode);
}

static void pair_told(struct syt_objects *objects)
{
	const struct syt_peers_info *peers = &objects->trace->peers;
	struct sockets s = {0};
	uint32_t host = SYT_NONE;

	if (!peers->nr)
		return;
	collect(&s, objects);
	for (size_t i = 0; s.nr && i < peers->nr; i++) {
		const struct syt_peer_info *p = &peers->all[i];

		/* the peers of one recording follow each other */
		if (!i || memcmp(p, p - 1, offsetof(struct syt_peer_info, cookie)) != 0)
			host = syt_host_find(objects->trace, p->boot_id, p->trace_id);
		uint32_t a = find_cookie(&s, host, p->cookie);
		uint32_t b = p->peer_cookie ? find_cookie(&s, host, p->peer_cookie)
		                            : find_inode(&s, host, p->peer_inode);

		if (a != SYT_NONE && b != SYT_NONE && a != b && objects->all[a].peer == SYT_NONE &&
		    objects->all[b].peer == SYT_NONE)
			syt_pair_join(objects, a, b, SYT_PAIRING_EXACT);
	}
	syt_store_free(s.all);
	syt_store_free(s.by_inode);
}

/* ---- pairing by the order of connect and accept calls ---- */

/* A connected or accepted unix socket whose listening address is known. */
struct end {
	uint64_t key; /* hash of the listening address */
	uint32_t host;
	uint32_t pid; /* pid of the client */
	uint32_t object;
	syt_time from, to; /* earliest and latest time of effect of the call */
	syt_time later;    /* earliest begin of a later accept */
	syt_time since;    /* for an accepted socket: begin of listening */
	bool is_accepted;
	bool is_spent; /* for a connected socket: its accept is known, or cannot be known */
};

struct ends {
	size_t nr, room;
	struct end *all;
};

/* Sorts connect calls by their begin, accept calls by their end. */
static int by_key(const void *a_, const void *b_)
{
	const struct end *a = a_, *b = b_;
	syt_time at = a->is_accepted ? a->to : a->from, bt = b->is_accepted ? b->to : b->from;

	SYT_ORDER_BY(host);
	SYT_ORDER_BY(key);
	SYT_ORDER_BY(pid);
	SYT_ORDER(at, bt);
	return SYT_COMPARE(a->object, b->object);
}

/* Returns false if the first events of the client PID on HOST are missing: it may have connected without leaving an
 * event. */
static bool is_whole(const struct syt_places *places, uint32_t host, uint32_t pid)
{
	for (uint32_t i = 0; i < places->trace->nr_images; i++) {
		const struct syt_image *image = &places->trace->images[i];

		if (image->host == host && image->file.pid == pid && places->complete_from[i])
			return false;
	}
	return true;
}

static uint32_t listener_of(const struct syt_pairs *p, struct syt_place accept)
{
	return syt_object_of(p->objects, syt_place_image_idx(p->places, accept),
	                     syt_place_extra(p->places, accept)->object2);
}

/* Returns false if an accept call may be missing. The missing call took a connection that another accept seems to
 * get. */
static bool is_accepting_whole(const struct syt_pairs *p, struct syt_place at)
{
	uint32_t listener = listener_of(p, at);

	return !p->places->complete_from[syt_place_image_idx(p->places, at)] &&
	       (listener == SYT_NONE || !p->objects->all[listener].complete_from);
}

/* Returns the key of a unix socket address. All processes of a host share path names. An abstract name, which
 * begins with NUL, belongs to a network namespace. */
static uint64_t key_of(const struct syt_endpoint_info *e, const uint8_t *address, uint32_t bytes)
{
	uint64_t key = syt_address_hash(address, bytes);

	return key && bytes > 2 && !address[2] ? key * 31 + e->netns : key;
}

/* Returns when the listening socket of the accept call AT began to listen, or 0 if this is unknown. */
static syt_time listens_since(const struct syt_pairs *p, struct syt_place at)
{
	uint32_t listener = listener_of(p, at);
	struct syt_place listen;

	if (listener == SYT_NONE || !syt_pair_maker(p, listener, SYT_SHAPE_LISTEN, &listen))
		return 0;
	return syt_place_row(p->places, listen)->in;
}

static void add(struct ends *ends, const struct syt_pairs *p, uint32_t object)
{
	const struct syt_places *places = p->places;
	const struct syt_endpoint_info *e = p->objects->all[object].info->endpoint;
	struct end end = {.object = object, .host = syt_object_host(p->objects, object)};
	struct syt_place at;

	if (!e || e->domain != SYT_AF_UNIX || p->objects->all[object].peer != SYT_NONE)
		return;
	if (syt_pair_maker(p, object, SYT_SHAPE_ACCEPT, &at)) {
		if (!is_accepting_whole(p, at))
			return;
		end.is_accepted = true;
		end.key = key_of(e, e->local, e->local_bytes);
		end.pid = e->peer_pid;
		end.from = syt_place_earliest(places, at);
		end.to = syt_place_row(places, at)->out;
		end.since = listens_since(p, at);
	} else if (syt_pair_maker(p, object, SYT_SHAPE_CONNECT, &at)) {
		end.key = key_of(e, e->remote, e->remote_bytes);
		end.pid = syt_place_image(places, at)->file.pid;
		end.from = syt_place_row(places, at)->in;
		end.to = syt_place_latest(places, at);
	}
	if (!end.key || !end.pid || !is_whole(places, end.host, end.pid))
		return;
	*SYT_STORE_ADD(ends->all, ends->nr, ends->room) = end;
}

/* The connect calls whose connection one accept call may have returned. */
struct waiting {
	struct end *first;
	unsigned nr, nr_first; /* number of all, and of these that may be the first in the queue */
};

static struct waiting waiting_for(struct end *ends, size_t nr, const struct end *accept)
{
	struct waiting w = {NULL, 0, 0};

	for (size_t i = 0; i < nr && ends[i].from <= accept->to; i++) {
		struct end *c = &ends[i];

		if (c->is_accepted || c->is_spent || c->to < accept->since)
			continue;
		if (!w.first)
			w.first = c;
		w.nr++;
		w.nr_first += c->from <= w.first->to;
	}
	return w;
}

/* More connects than any accept queue holds. If more wait, an untraced process accepts connections too. */
#define NR_WAITING_MAX 8192u

/* Accepted and connected sockets that belong together, with unknown pairs. */
struct open {
	unsigned nr_accepted, nr_connected;
	uint32_t accepted[SYT_TRAFFIC_MAX], connected[SYT_TRAFFIC_MAX];
	bool is_partial; /* there are more sockets than the arrays hold */
};

static void leave_open(struct syt_objects *objects, struct open *o, const struct end *e)
{
	unsigned *nr = e->is_accepted ? &o->nr_accepted : &o->nr_connected;

	objects->all[e->object].is_unpaired = true;
	if (*nr < SYT_TRAFFIC_MAX)
		(e->is_accepted ? o->accepted : o->connected)[(*nr)++] = e->object;
	else
		o->is_partial = true;
}

/* Pairs a complete set of sockets by their traffic. The set is complete if the other end of each socket is in
 * it. */
static void close_open(const struct syt_pairs *p, struct open *o)
{
	/* a sampler leaves out sends and receives */
	if (o->nr_accepted && o->nr_accepted == o->nr_connected && !o->is_partial &&
	    !syt_trace_is_sampled(p->places->trace))
		syt_pair_by_traffic(p, o->accepted, o->connected, o->nr_accepted);
	o->nr_accepted = o->nr_connected = 0;
	o->is_partial = false;
}

/* Pairs ENDS[0..NR), which have one listening address and one client process, and are sorted by time. */
static void pair_by_order(const struct syt_pairs *p, struct end *ends, size_t nr)
{
	struct syt_objects *objects = p->objects;
	struct open unknown = {.is_partial = false};
	syt_time busy_until = 0, later = UINT64_MAX;
	unsigned nr_unknown = 0; /* number of accepted sockets with an unknown peer */
	size_t open = 0;         /* all ends before this index are spent */

	for (size_t i = nr; i--;) {
		ends[i].later = later;
		if (ends[i].is_accepted && ends[i].from < later)
			later = ends[i].from;
	}
	for (size_t i = 0; i < nr; i++) {
		const struct end *a = &ends[i];
		bool is_alone = a->from >= busy_until && a->later >= a->to;
		struct waiting w;

		if (!a->is_accepted)
			continue;
		if (a->from >= busy_until && !nr_unknown)
			close_open(p, &unknown);
		busy_until = a->to > busy_until ? a->to : busy_until;
		while (open < nr && (ends[open].is_accepted || ends[open].is_spent))
			open++;
		w = waiting_for(&ends[open], nr - open, a);
		unknown.is_partial |= !w.nr || w.nr > NR_WAITING_MAX;
		if (!w.nr)
			continue;
		if (w.nr > NR_WAITING_MAX)
			break;
		if (!nr_unknown && w.nr_first == 1) {
			w.first->is_spent = true;
			if (is_alone) {
				syt_pair_join(objects, w.first->object, a->object,
				              SYT_PAIRING_INFERRED);
			} else {
				leave_open(objects, &unknown, a);
				leave_open(objects, &unknown, w.first);
			}
			continue;
		}
		leave_open(objects, &unknown, a);
		/* certain again as soon as all connections that wait have been accepted */
		if (++nr_unknown < w.nr)
			continue;
		nr_unknown = 0;
		for (size_t k = open; k < nr && ends[k].from <= a->to; k++) {
			if (!ends[k].is_accepted && !ends[k].is_spent && ends[k].to >= a->since)
				leave_open(objects, &unknown, &ends[k]);
			ends[k].is_spent = true;
		}
	}
	for (size_t k = open; nr_unknown && k < nr; k++)
		if (!ends[k].is_accepted && !ends[k].is_spent)
			leave_open(objects, &unknown, &ends[k]);
	close_open(p, &unknown);
}

void syt_pair_unix(const struct syt_pairs *p)
{
	const struct syt_objects *objects = p->objects;
	struct ends ends = {0};

	pair_told(p->objects);
	for (uint32_t i = 0; i < objects->nr; i++)
		if (objects->all[i].info->kind == SYT_KIND_STREAM ||
		    objects->all[i].info->kind == SYT_KIND_DGRAM)
			add(&ends, p, i);
	syt_sort(ends.all, ends.nr, sizeof(*ends.all), by_key);
	for (size_t i = 0, k; i < ends.nr; i = k) {
		for (k = i; k < ends.nr && ends.all[k].key == ends.all[i].key &&
		            ends.all[k].pid == ends.all[i].pid &&
		            ends.all[k].host == ends.all[i].host;)
			k++;
		pair_by_order(p, &ends.all[i], k - i);
	}
	syt_store_free(ends.all);
}
