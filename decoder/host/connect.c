/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/host/connect.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/err.h"
#include "base/sort.h"
#include "format/address.h"

/* A process image's number for a socket. */
struct claim {
	struct syt_host_end end;
	uint32_t boot, generation;
	uint64_t identity; /* 0: only this process image knows the socket */
};

struct claims {
	size_t nr, room;
	struct claim *all;
};

/* Places all claims to one socket next to each other. */
SYT_COMPARATOR(by_socket, struct claim)
{
	SYT_ORDER_BY(end.key);
	SYT_ORDER_BY(boot);
	SYT_ORDER_BY(end.netns);
	SYT_ORDER_BY(end.local);
	SYT_ORDER_BY(end.clock);
	SYT_ORDER_BY(identity);
	SYT_ORDER_BY(generation);
	SYT_ORDER_BY(end.image);
	return SYT_COMPARE(a->end.object, b->end.object);
}

static bool is_one_socket(const struct claim *a, const struct claim *b)
{
	return a->identity && a->identity == b->identity && a->generation == b->generation &&
	       a->end.key == b->end.key && a->end.clock == b->end.clock && a->boot == b->boot;
}

bool syt_host_is_global(const uint8_t *address, uint32_t bytes)
{
	static const uint8_t zero[16], mapped[12] = {[10] = 0xff, [11] = 0xff};
	const uint8_t *v4 = address + 4, *v6 = address + 8;
	uint32_t domain = bytes > 2 ? address[0] | (uint32_t)address[1] << 8 : 0;

	if (domain == SYT_AF_INET6 && bytes >= 24) {
		if (memcmp(v6, mapped, sizeof(mapped)) != 0)
			return memcmp(v6, zero, 15) != 0 &&
			       !(v6[0] == 0xfe && (v6[1] & 0xc0) == 0x80);
		v4 = v6 + sizeof(mapped);
	} else if (domain != SYT_AF_INET || bytes < 8) {
		return false;
	}
	return v4[0] && v4[0] != 127 && !(v4[0] == 169 && v4[1] == 254);
}

static struct claim claim_of(const struct syt_image *i, uint32_t image, uint32_t object,
                             uint32_t clock, uint32_t boot)
{
	const struct syt_object_info *o = &i->objects[object];

	return (struct claim){
		.boot = boot,
		.generation = o->generation,
		.identity = o->flags & SYT_OBJECT_SHARED ? o->identity : 0,
		.end = {.clock = clock, .image = image, .object = object, .peer = SYT_NONE},
	};
}

static void add(struct claims *claims, const struct syt_image *i, uint32_t image, uint32_t object,
                uint32_t clock, uint32_t boot)
{
	const struct syt_object_info *o = &i->objects[object];
	const struct syt_endpoint_info *e = o->endpoint;

	if (o->kind != SYT_KIND_STREAM || !e || !syt_host_is_global(e->local, e->local_bytes) ||
	    !syt_host_is_global(e->remote, e->remote_bytes))
		return;

	struct claim c = claim_of(i, image, object, clock, boot);

	c.end.local = syt_address_hash(e->local, e->local_bytes);
	c.end.remote = syt_address_hash(e->remote, e->remote_bytes);
	c.end.netns = e->netns;
	if (o->flags & SYT_OBJECT_ADOPTED) {
		c.end.sent_before = e->tx;
		c.end.received_before = e->rx;
	}
	c.end.key = (c.end.local ^ c.end.remote) * 31 + c.end.local + c.end.remote;
	*SYT_ADD(claims->all, claims->nr, claims->room) = c;
}

/* Returns true if the claims C[0..NR), which have one boot and one namespace, contain both ends of a connection. */
static bool has_both_ends(const struct claim *c, size_t nr)
{
	for (size_t n = 1; n < nr; n++)
		if (c[n].end.local != c[0].end.local)
			return true;
	return c[0].end.local == c[0].end.remote;
}

/* Makes an end of the claim C, or adds C to the last end if both are one socket. BEFORE: the previous claim, or NULL. */
static void make_end(struct syt_host_ends *ends, size_t *room, const struct claim *before,
                     const struct claim *c)
{
	struct syt_host_end *last = ends->nr ? &ends->all[ends->nr - 1] : NULL;

	if (before && is_one_socket(before, c)) {
		if (c->end.sent_before > last->sent_before)
			last->sent_before = c->end.sent_before;
		if (c->end.received_before < last->received_before)
			last->received_before = c->end.received_before;
	} else {
		*SYT_ADD(ends->all, ends->nr, *room) = c->end;
	}
	ends->of_image[c->end.image][c->end.object] = ends->nr - 1;
}

/* Makes ends of the claims C[0..NR), which have one key, unless no two namespaces share the connection. */
static void make_ends(struct syt_host_ends *ends, size_t *room, const struct claim *c, size_t nr)
{
	uint32_t first = ends->nr;
	bool has_two_sides = false;

	for (size_t from = 0, to; from < nr; from = to) {
		to = from + 1;
		while (to < nr && c[to].boot == c[from].boot &&
		       c[to].end.netns == c[from].end.netns)
			to++;
		if (has_both_ends(&c[from], to - from))
			continue;
		for (size_t n = from; n < to; n++)
			make_end(ends, room, n > from ? &c[n - 1] : NULL, &c[n]);
	}
	for (uint32_t n = first; n < ends->nr; n++)
		has_two_sides |= ends->all[n].local != ends->all[first].local;
	if (has_two_sides)
		return;
	for (size_t n = 0; n < nr; n++)
		ends->of_image[c[n].end.image][c[n].end.object] = SYT_NONE;
	ends->nr = first;
}

/* Adds the listening sockets of all process images that have ends. */
static void add_listening(struct syt_host_ends *ends, size_t *room,
                          struct syt_loading *const *loadings, const uint32_t *clock,
                          const uint32_t *boot)
{
	struct claims claims = {0};

	for (uint32_t n = 0; n < ends->nr_images; n++)
		for (uint32_t k = 0; ends->of_image[n] && k < loadings[n]->image.nr_objects; k++)
			if (loadings[n]->image.objects[k].kind == SYT_KIND_LISTEN)
				*SYT_ADD(claims.all, claims.nr, claims.room) =
					claim_of(&loadings[n]->image, n, k, clock[n], boot[n]);
	syt_sort(claims.all, claims.nr, sizeof(*claims.all), by_socket);
	for (size_t n = 0; n < claims.nr; n++) {
		make_end(ends, room, n ? &claims.all[n - 1] : NULL, &claims.all[n]);
		ends->all[ends->nr - 1].is_listening = true;
	}
	free(claims.all);
}

void syt_host_ends_find(struct syt_host_ends *ends, struct syt_loading *const *loadings, size_t nr,
                        const uint32_t *clock, const uint32_t *boot)
{
	struct claims claims = {0};
	size_t room = 0;

	*ends = (struct syt_host_ends){.nr_images = (uint32_t)nr};
	for (uint32_t n = 0; n < nr; n++)
		for (uint32_t k = 0; k < loadings[n]->image.nr_objects; k++)
			add(&claims, &loadings[n]->image, n, k, clock[n], boot[n]);
	ends->of_image = syt_calloc(nr, sizeof(*ends->of_image));
	for (size_t n = 0; n < claims.nr; n++) {
		uint32_t image = claims.all[n].end.image;
		uint32_t nr_objects = loadings[image]->image.nr_objects;

		if (ends->of_image[image])
			continue;
		ends->of_image[image] = syt_alloc(nr_objects, sizeof(**ends->of_image));
		for (uint32_t k = 0; k < nr_objects; k++)
			ends->of_image[image][k] = SYT_NONE;
	}
	syt_sort(claims.all, claims.nr, sizeof(*claims.all), by_socket);
	for (size_t from = 0, to; from < claims.nr; from = to) {
		to = from + 1;
		while (to < claims.nr && claims.all[to].end.key == claims.all[from].end.key)
			to++;
		make_ends(ends, &room, &claims.all[from], to - from);
	}
	free(claims.all);
	if (ends->nr)
		add_listening(ends, &room, loadings, clock, boot);
}

void syt_host_ends_close(struct syt_host_ends *ends)
{
	for (uint32_t n = 0; n < ends->nr_images; n++)
		free(ends->of_image[n]);
	free(ends->of_image);
	free(ends->all);
	*ends = (struct syt_host_ends){0};
}

/* ---- pairing ---- */

struct pairing {
	struct syt_host_ends *ends;
	syt_may_precede *may_precede;
	void *context;
};

static bool may_meet(const struct pairing *p, const struct syt_host_end *a,
                     const struct syt_host_end *b)
{
	if (a->clock == b->clock)
		return a->first <= b->last && b->first <= a->last;
	return !p->may_precede ||
	       (p->may_precede(p->context, a->clock, a->first, b->clock, b->last) &&
	        p->may_precede(p->context, b->clock, b->first, a->clock, a->last));
}

/* Returns true if nothing contradicts that A and B are the two ends of one connection. */
static bool is_possible(const struct syt_host_end *a, const struct syt_host_end *b)
{
	if (a->peer != SYT_NONE || b->peer != SYT_NONE || a->local != b->remote ||
	    a->remote != b->local || !a->is_known || !b->is_known)
		return false;
	if ((a->has_connected && b->has_connected) || (a->has_accepted && b->has_accepted))
		return false;
	if ((a->is_whole && b->received > a->sent) || (b->is_whole && a->received > b->sent))
		return false;
	return true;
}

/* Returns the peer of the end N among the ends [FROM, TO), or SYT_NONE if it is unknown. A socket that exists at the
 * time of N is preferred, because one pair of addresses belongs to one connection at a time. Without a socket of this time,
 * a connection can have waited in the queue of the listening socket after its other end was closed. */
static uint32_t only_peer(const struct pairing *p, uint32_t n, uint32_t from, uint32_t to)
{
	const struct syt_host_end *all = p->ends->all;
	uint32_t found[2] = {SYT_NONE, SYT_NONE}, nr[2] = {0, 0};

	for (uint32_t k = from; k < to; k++) {
		if (k == n || !is_possible(&all[n], &all[k]))
			continue;
		bool is_late = !may_meet(p, &all[n], &all[k]);

		if (is_late && !all[n].has_accepted && !all[k].has_accepted)
			continue;
		found[is_late] = k;
		nr[is_late]++;
	}
	return nr[0] == 1 ? found[0] : !nr[0] && nr[1] == 1 ? found[1] : SYT_NONE;
}

/* Limit of the sockets with one pair of addresses; beyond it, the work would grow with the square. */
#define MOST_CANDIDATES 4096u

static uint32_t pair_group(const struct pairing *p, uint32_t from, uint32_t to)
{
	struct syt_host_end *all = p->ends->all;
	uint32_t nr = 0;

	if (to - from > MOST_CANDIDATES)
		return 0;

	uint32_t *peer = syt_alloc(to - from, sizeof(*peer));

	for (uint32_t n = from; n < to; n++)
		peer[n - from] = only_peer(p, n, from, to);
	for (uint32_t n = from; n < to; n++) {
		uint32_t of = peer[n - from];

		if (of == SYT_NONE || of < n || peer[of - from] != n)
			continue;
		all[n].peer = of;
		all[of].peer = n;
		nr++;
	}
	free(peer);
	return nr;
}

uint32_t syt_host_ends_pair(struct syt_host_ends *ends, syt_may_precede *may_precede, void *context)
{
	struct pairing p = {ends, may_precede, context};
	uint32_t nr = 0;

	for (uint32_t from = 0, to; from < ends->nr && !ends->all[from].is_listening; from = to) {
		to = from + 1;
		while (to < ends->nr && !ends->all[to].is_listening &&
		       ends->all[to].key == ends->all[from].key)
			to++;
		nr += pair_group(&p, from, to);
	}
	return nr;
}
