/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Datagrams: a send happens before the receive that returned its datagram.
 *
 * A datagram has no position in a stream and may be lost. A send is a possible source of a receive if the
 * destination and source addresses and the length agree (the send may be longer if the receive filled its buffer),
 * if it began before the receive ended, and if no earlier receive returned its datagram. If only one send is
 * possible, it is the source. If several sends are possible, the edges are ambiguous, and none of these sends is
 * used up until as many datagrams were received as were sent. Socketpairs lose no datagrams; match_stream.c matches
 * them.
 *
 * Network namespaces: each namespace has its own loopback and link-local addresses. A datagram leaves its namespace only if
 * no socket of this namespace has its destination address.
 *
 * Hosts: the bounds of the clocks (decoder/host/join.h) widen the candidates of a receive. A send is a candidate if it may
 * have begun before the receive ended. A receive without the address of its sender, or with a candidate that begins after the
 * receive by the estimated clocks, has no edge. Sockets of one address in two namespaces have no edges to other hosts: the
 * address does not tell which one is meant.
 *
 * Readiness calls and calls with MSG_PEEK: if no receive overlaps the call, the datagram of the next receive was at
 * the head of the queue. The possible sources are therefore the possible sources of the next receive that had
 * begun.
 *
 * A send of several datagrams (sendmmsg, UDP_SEGMENT) records only the total length. A send of this kind may match
 * any receive that is not longer, until as many datagrams were received as it sent.
 *
 * Missing events: when a send may be missing in the trace, the other sends prove no source, so there is no edge.
 * The source of a receive of several datagrams at once is uncertain.
 */
#include "decoder/match/datagram.h"

#include <string.h>

#include "base/bisect.h"
#include "base/compare.h"
#include "base/sort.h"
#include "decoder/host/connect.h"
#include "decoder/host/join.h"
#include "format/address.h"

/* ---- the index of all datagram sends ---- */

SYT_COMPARATOR(by_target, struct syt_datagram)
{
	SYT_ORDER_BY(target);
	SYT_ORDER_BY(host);
	SYT_ORDER_BY(in);
	return syt_place_compare(a->place, b->place);
}

/* An address by which other sockets may reach a socket. */
struct alias {
	uint64_t hash;
	bool is_global; /* also from other network namespaces */
};

static bool is_ip(uint32_t domain)
{
	return domain == SYT_AF_INET || domain == SYT_AF_INET6;
}

/* Stores in ALIASES the addresses by which other sockets may reach the socket E. A socket bound to the wildcard address is
 * also reached through loopback. Returns their number, at most 3. */
static unsigned known_as(const struct syt_endpoint_info *e, struct alias *aliases)
{
	const uint8_t *address = e->local;
	uint32_t bytes = e->local_bytes;
	uint8_t alias[SYT_ADDRESS_BYTES];
	unsigned family, nr = 0;

	aliases[nr++] = (struct alias){syt_address_hash(address, bytes),
	                               !is_ip(e->domain) || syt_host_is_global(address, bytes)};
	if (bytes < 8)
		return nr;
	family = address[0] | (unsigned)address[1] << 8;
	memcpy(alias, address, sizeof(alias));
	if (family == SYT_AF_INET && !memcmp(address + 4, "\0\0\0\0", 4)) {
		memcpy(alias + 4, "\177\0\0\1", 4);
		aliases[nr++] = (struct alias){syt_address_hash(alias, bytes), false};
	} else if (family == SYT_AF_INET6 && bytes >= 24 &&
	           !memcmp(address + 8, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16)) {
		alias[23] = 1;
		aliases[nr++] = (struct alias){syt_address_hash(alias, bytes), false};
		memcpy(alias + 8, "\0\0\0\0\0\0\0\0\0\0\377\377\177\0\0\1", 16);
		aliases[nr++] = (struct alias){syt_address_hash(alias, bytes), false};
	}
	return nr;
}

static bool is_known_as(const struct syt_endpoint_info *e, uint64_t hash)
{
	struct alias aliases[3];
	unsigned nr = e ? known_as(e, aliases) : 0;

	for (unsigned i = 0; i < nr; i++)
		if (aliases[i].hash == hash)
			return true;
	return false;
}

SYT_COMPARATOR(by_address, struct syt_datagram_address)
{
	SYT_ORDER_BY(hash);
	SYT_ORDER_BY(host);
	SYT_ORDER_BY(netns);
	return 0;
}

/* Collects the addresses of all sockets, and sets is_local of all sends. */
static void find_addresses(struct syt_datagrams *d, const struct syt_objects *objects)
{
	size_t room = 0;

	for (uint32_t o = 0; o < objects->nr; o++) {
		const struct syt_endpoint_info *e = objects->all[o].info->endpoint;
		struct alias aliases[3];
		unsigned k = 0;

		if (objects->all[o].info->kind == SYT_KIND_DGRAM && e && e->netns)
			k = known_as(e, aliases);
		while (k--)
			*SYT_STORE_ADD(d->addresses, d->nr_addresses, room) =
				(struct syt_datagram_address){aliases[k].hash, e->netns,
			                                      syt_object_host(objects, o)};
	}
	syt_sort(d->addresses, d->nr_addresses, sizeof(*d->addresses), by_address);
	for (uint64_t i = 0; i < d->nr; i++) {
		struct syt_datagram_address own = {d->sends[i].target, d->sends[i].netns,
		                                   d->sends[i].host};
		uint64_t at =
			SYT_BISECT(k, 0, d->nr_addresses, by_address(&d->addresses[k], &own) < 0);

		d->sends[i].is_local = at < d->nr_addresses && !by_address(&d->addresses[at], &own);
	}
}

/* Returns true if the sockets of one network namespace only have the address. */
static bool has_one_place(const struct syt_datagrams *d, uint64_t hash)
{
	const struct syt_datagram_address *a = d->addresses;
	uint64_t first = SYT_BISECT(k, 0, d->nr_addresses, a[k].hash < hash);
	uint64_t end = SYT_BISECT(k, first, d->nr_addresses, a[k].hash == hash);

	return first < end && !by_address(&a[first], &a[end - 1]);
}

void syt_datagrams_open(struct syt_datagrams *d, const struct syt_places *places,
                        const struct syt_objects *objects, const struct syt_histories *histories)
{
	memset(d, 0, sizeof(*d));
	for (uint32_t o = 0; o < objects->nr; o++) {
		struct syt_history h = syt_history_of(histories, o);
		const struct syt_endpoint_info *e = objects->all[o].info->endpoint;

		if (objects->all[o].info->kind != SYT_KIND_DGRAM)
			continue;
		for (uint64_t i = 0; i < h.nr; i++) {
			struct syt_place at = h.touches[i].place;
			const struct syt_extra *x = syt_place_extra(places, at);

			if (!syt_touch_is(&h.touches[i], SYT_SHAPE_SEND))
				continue;
			*SYT_STORE_ADD(d->sends, d->nr, d->room) = (struct syt_datagram){
				.target = x->peer ? x->peer
			                  : e     ? syt_address_hash(e->remote, e->remote_bytes)
			                          : 0,
				.in = syt_place_row(places, at)->in,
				.bytes = x->bytes,
				.count = x->count ? x->count : 1,
				.place = at,
				.object = o,
				.host = syt_object_host(objects, o),
				.netns = e ? e->netns : 0,
			};
		}
	}
	find_addresses(d, objects);
	syt_sort(d->sends, d->nr, sizeof(*d->sends), by_target);
}

void syt_datagrams_close(struct syt_datagrams *d)
{
	syt_store_free(d->sends);
	syt_store_free(d->addresses);
	memset(d, 0, sizeof(*d));
}

/* ---- one receiving socket ---- */

/* A send to the receiving socket. */
struct source {
	const struct syt_datagram *send;
	syt_time from; /* the send began then or later, by the clock of the receiver's host */
	bool is_used;  /* its datagram was received */
};

struct receiver {
	struct syt_match *m;
	uint32_t object, host;
	uint64_t nr;
	struct source *sends; /* sorted by begin */
	uint64_t first_open;
	uint64_t nr_received; /* number of datagrams of all receives so far */
	uint64_t nr_settled;  /* number of datagrams of the sends before first_open */
};

SYT_COMPARATOR(by_begin, struct source)
{
	SYT_ORDER_BY(from);
	return SYT_COMPARE(a->send, b->send);
}

/* Returns true if the datagram of S can reach, by the address AS, a socket of the namespace NETNS. */
static bool may_reach(const struct syt_datagram *s, const struct alias *as, uint64_t netns)
{
	return s->netns == netns || !s->netns || !netns || (as->is_global && !s->is_local);
}

/* Returns true if the datagram of S can reach, by the address AS, the socket R on another host. Both addresses belong to one
 * network namespace each, and the clocks of the two hosts are joined. */
static bool may_cross(const struct receiver *r, const struct syt_datagram *s,
                      const struct alias *as)
{
	const struct syt_hosts *hosts = r->m->places->trace->hosts;
	const struct syt_endpoint_info *e = r->m->objects->all[s->object].info->endpoint;

	return hosts && e && as->is_global && !s->is_local &&
	       syt_host_is_global(e->local, e->local_bytes) &&
	       has_one_place(r->m->datagrams, as->hash) &&
	       has_one_place(r->m->datagrams, syt_address_hash(e->local, e->local_bytes)) &&
	       syt_hosts_needed(hosts, s->host, s->in, r->host) != UINT64_MAX;
}

/* Finds all sends to any address of the receiving socket R. */
static void find_sends(struct receiver *r, const struct syt_endpoint_info *e)
{
	const struct syt_datagrams *d = r->m->datagrams;
	struct alias aliases[3];
	unsigned nr = e ? known_as(e, aliases) : 0;
	size_t room = 0;

	for (unsigned i = 0; i < nr; i++) {
		uint64_t hash = aliases[i].hash;
		uint64_t low = SYT_BISECT(k, 0, d->nr, d->sends[k].target < hash);

		for (; hash && low < d->nr && d->sends[low].target == hash; low++) {
			const struct syt_datagram *s = &d->sends[low];

			if (s->host == r->host ? may_reach(s, &aliases[i], e->netns)
			                       : may_cross(r, s, &aliases[i]))
				*SYT_STORE_ADD(r->sends, r->nr, room) = (struct source){
					s,
					syt_hosts_earliest(r->m->places->trace->hosts, s->host,
				                           s->in, r->host),
					false};
		}
	}
	syt_sort(r->sends, r->nr, sizeof(*r->sends), by_begin);
}

/* Closes all sends before T as possible sources for R, if all datagrams sent by T have been received. */
static void settle(struct receiver *r, syt_time t)
{
	uint64_t nr = r->first_open, nr_sent = r->nr_settled;

	while (nr < r->nr && r->sends[nr].from <= t)
		nr_sent += r->sends[nr++].send->count;
	if (nr_sent == r->nr_received) {
		r->first_open = nr;
		r->nr_settled = nr_sent;
	}
}

/* Returns true if the length of the received datagram X allows that the send S sent it. */
static bool has_length(const struct syt_extra *x, const struct syt_datagram *s)
{
	return x->flags & SYT_EVENT_FULL || s->count > 1 ? s->bytes >= x->bytes
	                                                 : s->bytes == x->bytes;
}

/* Stores in FOUND the indices of the sends that are possible sources of the receive AT. Returns their number.
 * Returns 0 and sets *REASON if sends may be missing, or if more than SYT_AMBIGUOUS_MAX are possible. */
static unsigned find_sources(struct receiver *r, struct syt_place at, uint64_t *found,
                             enum syt_reason *reason)
{
	const struct syt_extra *x = syt_place_extra(r->m->places, at);
	syt_time out = syt_place_row(r->m->places, at)->out;
	uint64_t peer = x->peer;
	unsigned nr = 0;

	for (uint64_t i = r->first_open; i < r->nr && r->sends[i].from <= out; i++) {
		const struct syt_datagram *s = r->sends[i].send;

		if (peer && !is_known_as(r->m->objects->all[s->object].info->endpoint, peer))
			continue;
		if (syt_match_complete_from(r->m, s->object)) {
			*reason = SYT_REASON_OVERWRITTEN;
			return 0;
		}
		if (r->sends[i].is_used || !has_length(x, s))
			continue;
		/* the estimate of the clocks puts the send after the receive, or the sender is unknown */
		if (s->host != r->host && (s->in > out || !peer)) {
			*reason = SYT_REASON_UNCERTAIN;
			return 0;
		}
		if (nr == SYT_AMBIGUOUS_MAX) {
			*reason = SYT_REASON_TOO_MANY;
			return 0;
		}
		found[nr++] = i;
	}
	return nr;
}

/* Returns the reason why a received datagram has no send. On netlink sockets the kernel answers, from port 0. */
static enum syt_reason no_sender(const struct receiver *r, const struct syt_extra *x)
{
	static const uint8_t kernel[12] = {SYT_AF_NETLINK};
	const struct syt_endpoint_info *e = r->m->objects->all[r->object].info->endpoint;

	return e && e->domain == SYT_AF_NETLINK &&
	                       (!x->peer || x->peer == syt_address_hash(kernel, sizeof(kernel)))
	               ? SYT_REASON_KERNEL
	               : SYT_REASON_UNTRACED_PEER;
}

/* Matches the receive AT. Stores the indices of its possible sends in FOUND and returns their number. */
static unsigned match_recv(struct receiver *r, struct syt_place at, uint64_t *found)
{
	struct syt_match *m = r->m;
	const struct syt_extra *x = syt_place_extra(m->places, at);
	enum syt_reason reason = no_sender(r, x);
	unsigned nr = 0;

	m->coverage->bytes_received += x->bytes;
	r->nr_received += x->count ? x->count : 1;
	if (x->count > 1)
		reason = SYT_REASON_UNCERTAIN;
	else
		nr = find_sources(r, at, found, &reason);
	settle(r, syt_place_row(m->places, at)->out);
	if (!nr) {
		m->coverage->bytes_unmatched[reason] += x->bytes;
		syt_match_unattributed(m, reason);
		return 0;
	}
	for (unsigned i = 0; i < nr; i++)
		syt_edges_add(m->edges,
		              (struct syt_edge){r->sends[found[i]].send->place, at, x->bytes,
		                                r->object, SYT_EDGE_DATAGRAM, SYT_CLASS_CAUSAL,
		                                nr > 1 ? SYT_EDGE_AMBIGUOUS : 0, 0});
	m->coverage->bytes_matched += x->bytes;
	syt_match_attributed(m, nr > 1);
	if (nr == 1)
		r->sends[found[0]].is_used = r->sends[found[0]].send->count == 1;
	return nr;
}

/* Returns true if the event T received a datagram, with MSG_PEEK (IS_PEEK) or without. */
static bool is_recv(const struct syt_match *m, const struct syt_touch *t, bool is_peek)
{
	return syt_touch_is(t, SYT_SHAPE_RECV) &&
	       (syt_place_extra(m->places, t->place)->flags & (SYT_EVENT_PEEK | SYT_EVENT_EOF)) ==
	               (is_peek ? SYT_EVENT_PEEK : 0);
}

/* Adds edges to T, a readiness call or a receive with MSG_PEEK, from the sends in FOUND that had begun before T.
 * Returns false if no send had certainly begun. */
static bool add_ready(struct receiver *r, const struct syt_touch *t, const uint64_t *found,
                      unsigned nr)
{
	struct syt_match *m = r->m;
	bool is_ready = t->role == SYT_ROLE_READY;
	unsigned nr_sent = 0;

	for (unsigned i = 0; i < nr; i++) {
		if (r->sends[found[i]].from > t->at)
			continue;
		/* the clocks of two hosts leave open whether the send had begun */
		if (r->sends[found[i]].send->in > t->at)
			return false;
		nr_sent++;
	}
	for (unsigned i = 0; i < nr; i++) {
		const struct syt_datagram *send = r->sends[found[i]].send;

		if (send->in > t->at || (nr_sent == 1 && send->place.thread == t->place.thread))
			continue;
		syt_edges_add(m->edges,
		              (struct syt_edge){
				      send->place, t->place,
				      is_ready ? 0 : syt_place_extra(m->places, t->place)->bytes,
				      r->object, is_ready ? SYT_EDGE_READY : SYT_EDGE_DATAGRAM,
				      SYT_CLASS_CAUSAL, nr_sent > 1 ? SYT_EDGE_AMBIGUOUS : 0, 0});
	}
	if (nr_sent)
		syt_match_attributed(m, nr_sent > 1);
	return nr_sent;
}

/* Matches the readiness calls and peeks (MSG_PEEK) from touch FROM to the next consuming receive, touch NEXT. The
 * receive NEXT returned the datagram of one of the NR sends FOUND. */
static void match_ready(struct receiver *r, const struct syt_history *h, uint64_t from,
                        uint64_t next, const uint64_t *found, unsigned nr)
{
	struct syt_match *m = r->m;
	syt_time last = 0;

	for (uint64_t i = from; i < next; i++) {
		const struct syt_touch *t = &h->touches[i];

		if (is_recv(m, t, false))
			last = t->at;
		if (t->role != SYT_ROLE_READY && !is_recv(m, t, true))
			continue;
		if (next == h->nr || syt_place_earliest(m->places, t->place) < last ||
		    syt_place_earliest(m->places, h->touches[next].place) < t->at ||
		    !add_ready(r, t, found, nr))
			syt_match_unattributed(m, SYT_REASON_UNCERTAIN);
	}
}

void syt_match_datagram(struct syt_match *m, uint32_t to)
{
	struct syt_history h = syt_history_of(m->histories, to);
	struct receiver r = {.m = m, .object = to, .host = syt_object_host(m->objects, to)};
	uint64_t last = 0, found[SYT_AMBIGUOUS_MAX];

	find_sends(&r, m->objects->all[to].info->endpoint);
	for (uint64_t i = 0; i < h.nr; i++) {
		if (!is_recv(m, &h.touches[i], false))
			continue;
		unsigned nr = match_recv(&r, h.touches[i].place, found);

		match_ready(&r, &h, last, i, found, nr);
		last = i;
	}
	match_ready(&r, &h, last, h.nr, NULL, 0);
	syt_store_free(r.sends);
}
