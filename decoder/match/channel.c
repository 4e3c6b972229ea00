/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/match/channel.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "base/compare.h"
#include "base/err.h"
#include "base/sort.h"
#include "decoder/host/join.h"

SYT_COMPARATOR(by_time, struct syt_move)
{
	SYT_ORDER_BY(from);
	SYT_ORDER_BY(begin);
	SYT_ORDER_BY(to);
	return syt_place_compare(a->place, b->place);
}

/* Sorts the NR moves by time. They are mostly sorted, and this loop calls no function to see it. */
static void sort_moves(struct syt_move *moves, uint32_t nr)
{
	for (uint32_t i = 1; i < nr; i++) {
		if (moves[i - 1].from < moves[i].from)
			continue;
		syt_sort(moves, nr, sizeof(*moves), by_time);
		return;
	}
}

/* Sorts MOVES (sends or receives) by time and cuts them into groups of moves that overlap in time. Returns the
 * number of these groups. *GROUPS stays NULL if each move is a group. */
static uint32_t group(struct syt_move *moves, uint32_t nr, struct syt_group **groups)
{
	uint32_t nr_groups = 0, nr_in_last = 0;
	syt_time busy_until = 0;
	struct syt_group *g;

	sort_moves(moves, nr);
	for (uint32_t i = 0; i < nr; i++) {
		/* Successive moves of one thread overlap only if a signal handler made the second move. */
		bool is_one_thread = nr_in_last == 1 &&
		                     moves[i].place.thread == moves[i - 1].place.thread &&
		                     moves[i].from >= busy_until;

		if (!nr_groups || moves[i].from > busy_until || is_one_thread) {
			nr_groups++;
			nr_in_last = 0;
			busy_until = moves[i].to;
		}
		nr_in_last++;
		busy_until = moves[i].to > busy_until ? moves[i].to : busy_until;
		moves[i].group = nr_groups - 1;
	}
	if (nr_groups == nr)
		return nr_groups;
	*groups = g = syt_store_claim(nr_groups, sizeof(*g));
	for (uint32_t i = 0; i < nr; i++) {
		const struct syt_move *m = &moves[i];
		struct syt_group *of = &g[m->group];

		if (!i || m->group != moves[i - 1].group)
			*of = (struct syt_group){.begin = m->begin,
			                         .end = m->end,
			                         .first = i,
			                         .is_whole = m->is_whole};
		of->nr++;
		of->begin = m->begin < of->begin ? m->begin : of->begin;
		of->end = m->end > of->end ? m->end : of->end;
	}
	return nr_groups;
}

static void set_whole(struct syt_move *moves, struct syt_group *groups, uint32_t i, bool is_whole)
{
	moves[groups ? groups[i].first : i].is_whole = is_whole;
	if (groups)
		groups[i].is_whole = is_whole;
}

static bool is_move(const struct syt_touch *t, bool is_out)
{
	return is_out ? syt_touch_sends(t) : syt_touch_receives(t);
}

/* Trusts positions in channel C only up to an urgent byte (MSG_OOB), which follows the data of its send. X are the optional
 * fields of the send. */
static void meet_urgent(struct syt_channel *c, const struct syt_extra *x)
{
	if (x->flags & SYT_EVENT_URGENT && x->offset + x->bytes < c->trusted) {
		c->trusted = x->offset + x->bytes;
		c->limit_reason = SYT_REASON_UNCERTAIN;
	}
}

/* Finds the data that the event T, which is_move(), moved into channel C (IS_OUT) or out of C. *HAS_OFFSET tells whether their
 * position is known. Returns false if the event moved none. */
static bool find_move(struct syt_channel *c, const struct syt_touch *t, bool is_out,
                      struct syt_move *move, bool *has_offset)
{
	const struct syt_places *p = c->m->places;
	const struct syt_row *r = syt_place_row(p, t->place);
	const struct syt_extra *x = syt_thread_extra(syt_place_thread(p, t->place), r);
	uint64_t units = x->bytes;

	if (is_out && t->shape == SYT_SHAPE_SEND)
		meet_urgent(c, x);
	c->has_eof |= !is_out && x->flags & SYT_EVENT_EOF;
	if (r->result < 0)
		return false;
	if (c->kind == SYT_EDGE_DATAGRAM)
		units = (!is_out && x->flags & SYT_EVENT_EOF) ? 0 : x->count ? x->count : 1;
	if (!units)
		return false;
	move->begin = t->role == SYT_ROLE_SECOND ? x->offset2 : x->offset;
	move->end = move->begin + units < units ? UINT64_MAX : move->begin + units;
	move->from = is_out ? r->in : syt_place_earliest(p, t->place);
	move->to = is_out ? syt_place_latest(p, t->place) : r->out;
	move->place = t->place;
	move->group = 0;
	move->is_peek = !is_out && x->flags & SYT_EVENT_PEEK;
	move->is_whole = true;
	*has_offset = !(x->flags & SYT_EVENT_NOOFFSET);
	return true;
}

static uint32_t collect(struct syt_channel *c, uint32_t object, bool is_out,
                        struct syt_move **moves)
{
	struct syt_history h = syt_history_of(c->m->histories, object);
	uint64_t most = 0;
	struct syt_move *of;
	uint32_t nr = 0;

	SYT_EACH(i, 0, h.nr)
		most += is_move(&h.touches[i], is_out);
	of = syt_store_claim(most, sizeof(*of));
	SYT_EACH_FAR(i, 0, h.nr) {
		const struct syt_touch *t = &h.touches[i];
		bool has_offset;

		if (!is_move(t, is_out) || !find_move(c, t, is_out, &of[nr], &has_offset))
			continue;
		if (has_offset) {
			nr++;
		} else if (is_out) {
			c->broken = SYT_REASON_NO_OFFSET;
		} else {
			if (syt_place_extra(c->m->places, t->place)->flags & SYT_EVENT_UNCOUNTED)
				c->broken = SYT_REASON_NO_OFFSET;
			c->nr_no_offset++;
			c->bytes_no_offset += of[nr].is_peek ? 0 : syt_channel_bytes(c, &of[nr]);
		}
	}
	*moves = of;
	return nr;
}

/* Returns true if a killed process may have sent data over C before T without recording the call. */
static bool may_be_in_flight(const struct syt_channel *c, syt_time t)
{
	struct syt_history h = syt_history_of(c->m->histories, c->from);

	for (uint64_t i = h.nr; i-- && i + 1000 > h.nr;) {
		const struct syt_thread *thread =
			syt_place_thread(c->m->places, h.touches[i].place);

		if ((thread->image->file.state & 0xff) == SYT_STATE_RUNNING &&
		    syt_hosts_earliest(c->m->places->trace->hosts, c->hosts[0],
		                       syt_thread_row(thread, thread->nr_rows - 1)->out,
		                       c->hosts[1]) <= t)
			return true;
	}
	return false;
}

/* Returns the reason why C received more bytes than were sent by recorded calls. If a traced process made the
 * channel and no recorded call wrote into it, its children wrote the bytes, mostly through stdio. */
static enum syt_reason unseen_sender(const struct syt_channel *c)
{
	const struct syt_object_info *info = c->m->objects->all[c->from].info;

	if (c->nr_sends)
		return SYT_REASON_UNTRACED_WRITER;
	return info->flags & SYT_OBJECT_ADOPTED ? SYT_REASON_UNTRACED_PEER
	                                        : SYT_REASON_UNSEEN_WRITER;
}

/* ---- sampled traces ---- */

/* A range of positions. */
struct range {
	uint64_t begin, end;
};

SYT_COMPARATOR(by_begin, struct range)
{
	SYT_ORDER_BY(begin);
	return SYT_COMPARE(a->end, b->end);
}

/* Returns the ranges of the NR moves, sorted and without overlaps. *NR becomes their number. */
static struct range *ranges_of(const struct syt_move *moves, uint32_t *nr)
{
	struct range *all = syt_store_alloc(*nr, sizeof(*all));
	uint32_t kept = 0, nr_moves = 0;

	for (uint32_t i = 0; i < *nr; i++)
		if (!moves[i].is_peek)
			all[nr_moves++] = (struct range){moves[i].begin, moves[i].end};
	syt_sort(all, nr_moves, sizeof(*all), by_begin);
	for (uint32_t i = 0; i < nr_moves; i++) {
		if (!kept || all[i].begin > all[kept - 1].end)
			all[kept++] = all[i];
		else if (all[i].end > all[kept - 1].end)
			all[kept - 1].end = all[i].end;
	}
	*nr = kept;
	return all;
}

/* Returns true if the NR ranges contain all positions from BEGIN to END. */
static bool is_covered(const struct range *all, uint32_t nr, uint64_t begin, uint64_t end)
{
	uint32_t i = SYT_BISECT(k, 0, nr, all[k].end < end);

	return begin == end || (i < nr && all[i].begin <= begin);
}

/* Returns how many units other moves of C took before the begin of M, during M. */
static uint64_t crossed(const struct syt_channel *c, const struct syt_move *m)
{
	uint32_t nr = syt_place_extra(c->m->places, m->place)->crossed;

	return nr == UINT32_MAX ? m->begin : nr;
}

/* Finds the groups of MOVES whose positions are certain although a sampler left out moves: recorded moves took all positions of the
 * group, and all that other calls took during the moves of the group. The recorder counts a move after the real call,
 * so a move that crossed another one may have come before it. A move that is left out has crossed no other one. */
static void find_certain(const struct syt_channel *c, struct syt_move *moves, uint32_t nr_moves,
                         struct syt_group *groups, uint32_t nr_groups)
{
	uint32_t nr = nr_moves;
	struct range *all = ranges_of(moves, &nr);

	for (uint32_t i = 0; i < nr_groups; i++) {
		const struct syt_group g = syt_channel_group(groups, moves, i);
		uint64_t begin = g.begin;

		for (uint32_t k = g.first; k < g.first + g.nr; k++) {
			uint64_t uncrossed = moves[k].begin - crossed(c, &moves[k]);

			begin = uncrossed < begin ? uncrossed : begin;
		}
		if (!is_covered(all, nr, begin, g.end) &&
		    (g.nr > 1 || crossed(c, &moves[g.first])))
			set_whole(moves, groups, i, false);
	}
	syt_store_free(all);
}

/* The numbers of units that the processes had sent and received when they closed an endpoint. */
struct totals {
	uint64_t sent, received; /* the greatest of all closes */
	syt_time at;             /* time of the close with the greatest `sent` */
	bool is_final;           /* each process that knows the endpoint has closed it */
};

static bool is_close(const struct syt_touch *t)
{
	return (t->shape == SYT_SHAPE_CLOSE && t->role == SYT_ROLE_SELF) ||
	       (t->shape == SYT_SHAPE_DUP && t->role == SYT_ROLE_SECOND);
}

static void read_totals(const struct syt_match *m, uint32_t object, struct totals *totals)
{
	struct syt_history h = syt_history_of(m->histories, object);
	const struct syt_trace_data *trace = m->places->trace;
	uint32_t nr_closed = 0;
	bool *is_closed = syt_calloc(trace->nr_images, sizeof(*is_closed));

	*totals = (struct totals){0};
	SYT_EACH_FAR(i, 0, h.nr) {
		const struct syt_touch *t = &h.touches[i];

		if (!is_close(t))
			continue;

		const struct syt_extra *x = syt_place_extra(m->places, t->place);

		/* only the close of the last fd that the process has of the endpoint */
		if (x->arg != 1 || x->flags & SYT_EVENT_NOOFFSET)
			continue;
		if (x->offset >= totals->sent) {
			totals->sent = x->offset;
			totals->at = syt_place_row(m->places, t->place)->out;
		}
		totals->received = x->offset2 > totals->received ? x->offset2 : totals->received;
		is_closed[syt_place_image_idx(m->places, t->place)] = true;
	}
	for (uint32_t n = 0; n < trace->nr_images; n++)
		nr_closed += is_closed[n];
	totals->is_final = nr_closed == m->objects->all[object].nr_images;
	free(is_closed);
}

/* Returns true if the numbers of units at the closes of C's endpoints show that more was received than recorded processes sent. */
static bool is_exceeded(const struct syt_channel *c)
{
	struct totals from, to;

	if (!c->is_sampled)
		return false;
	read_totals(c->m, c->from, &from);
	if (c->from == c->to)
		return from.received > from.sent;
	read_totals(c->m, c->to, &to);
	return to.received > from.sent && (from.is_final || from.at >= to.at);
}

/* Sets what is known about C although a sampler left out sends and receives. */
static void settle_sampled(struct syt_channel *c)
{
	struct totals totals;

	c->has_end = c->has_all_sends;
	if (!c->is_sampled)
		return;
	find_certain(c, c->sends, c->nr_sends, c->send_groups, c->nr_send_groups);
	find_certain(c, c->recvs, c->nr_recvs, c->recv_groups, c->nr_recv_groups);
	if (c->from == SYT_NONE)
		return;
	read_totals(c->m, c->from, &totals);
	c->has_end = totals.is_final && !c->sends_from;
	if (c->has_end && totals.sent > c->end)
		c->end = totals.sent;
}

/* Returns the reason why the positions in C contradict each other, because an untraced process also sends or
 * receives. Returns SYT_NR_REASONS if there is no contradiction. A send that may overlap a missing send is none: the
 * recorder may have counted the two in another order than the kernel. */
static enum syt_reason find_break(struct syt_channel *c)
{
	for (uint32_t i = 1; i < c->nr_send_groups; i++)
		if (syt_channel_sent(c, i).begin < syt_channel_sent(c, i - 1).end)
			return SYT_REASON_UNCERTAIN;
	if (is_exceeded(c))
		return unseen_sender(c);
	for (uint32_t i = 0; i < c->nr_recvs; i++) {
		const struct syt_move *r = &c->recvs[i];

		if (r->end > c->trusted || r->end > c->trusted_received ||
		    (c->is_sampled && !syt_channel_received(c, r->group).is_whole))
			continue;
		if (r->end > c->end && c->has_all_sends && !may_be_in_flight(c, r->to))
			return unseen_sender(c);
		for (uint32_t g = syt_channel_find(c, r->begin);
		     g < c->nr_send_groups && syt_channel_sent(c, g).begin < r->end; g++) {
			const struct syt_group s = syt_channel_sent(c, g);

			if (s.nr == 1 && s.is_whole && c->sends[s.first].from > r->to)
				return SYT_REASON_UNTRACED_WRITER;
		}
	}
	return SYT_NR_REASONS;
}

SYT_COMPARATOR(by_mark, struct syt_mark)
{
	SYT_ORDER_BY(at);
	return SYT_COMPARE(a->end, b->end);
}

/* Sorts as sort_moves() does. */
static void sort_marks(struct syt_mark *marks, uint32_t nr)
{
	for (uint32_t i = 1; i < nr; i++) {
		if (marks[i - 1].at < marks[i].at)
			continue;
		syt_sort(marks, nr, sizeof(*marks), by_mark);
		return;
	}
}

static void mark(struct syt_channel *c)
{
	const struct syt_object_info *info = c->m->objects->all[c->to].info;
	bool is_adopted = info->flags & SYT_OBJECT_ADOPTED && info->endpoint;
	uint64_t end = is_adopted ? info->endpoint->rx : 0;
	uint32_t nr = 1;

	c->by = syt_store_claim((uint64_t)c->nr_recvs + 1, sizeof(*c->by));
	c->until = syt_store_claim((uint64_t)c->nr_recvs + 1, sizeof(*c->until));
	c->by[0] = c->until[0] = (struct syt_mark){0, end};
	for (uint32_t i = 0; i < c->nr_recvs; i++) {
		if (c->recvs[i].is_peek)
			continue;
		c->by[nr] = (struct syt_mark){c->recvs[i].to, c->recvs[i].end};
		c->until[nr++] = (struct syt_mark){c->recvs[i].from, c->recvs[i].end};
	}
	c->nr_marks = nr;
	sort_marks(c->by, nr);
	sort_marks(c->until, nr);
	for (uint32_t i = 1; i < nr; i++) {
		if (c->by[i].end < c->by[i - 1].end)
			c->by[i].end = c->by[i - 1].end;
		if (c->until[i].end < c->until[i - 1].end)
			c->until[i].end = c->until[i - 1].end;
	}
}

#define STEPS_NEAR 4u /* number of elements that are examined one by one before a search */

static uint64_t mark_at(const struct syt_mark *marks, uint32_t nr, syt_time t, uint32_t *near)
{
	for (unsigned n = 0; n < STEPS_NEAR && *near && *near < nr && marks[*near].at <= t; n++)
		++*near;
	if (!*near || marks[*near - 1].at > t || (*near < nr && marks[*near].at <= t))
		*near = SYT_BISECT_NEAR(i, 1u, nr, *near, marks[i].at <= t);
	return marks[*near - 1].end;
}

uint64_t syt_channel_received_by(struct syt_channel *c, syt_time t)
{
	if (!c->by)
		mark(c);
	return mark_at(c->by, c->nr_marks, t, &c->near_by);
}

uint64_t syt_channel_received_until(struct syt_channel *c, syt_time t)
{
	if (!c->until)
		mark(c);
	return mark_at(c->until, c->nr_marks, t, &c->near_until);
}

uint64_t syt_channel_sent_before(const struct syt_match *m, uint32_t from)
{
	const struct syt_object_info *info = m->objects->all[from].info;

	return info->flags & SYT_OBJECT_ADOPTED && info->endpoint ? info->endpoint->tx : 0;
}

/* Returns the position up to which the recorded receives are certain, although a receive after trusted_received may
 * be missing. If the position after a receive equals the number of bytes sent until then, no uncounted receive took
 * bytes before it. */
static uint64_t caught_up(const struct syt_channel *c)
{
	uint64_t sent = syt_channel_sent_before(c->m, c->from), certain = c->trusted_received;
	uint32_t next = 0;

	for (uint32_t i = 0; i < c->nr_recvs; i++) {
		const struct syt_move *r = &c->recvs[i];
		uint64_t by;

		/* both arrays are sorted by the begin of the call */
		for (; next < c->nr_sends && c->sends[next].from <= r->from; next++)
			sent = c->sends[next].end > sent ? c->sends[next].end : sent;
		if (r->end <= certain || r->end < sent)
			continue;
		by = sent;
		for (uint32_t k = next; k < c->nr_sends && c->sends[k].from <= r->to; k++)
			by = c->sends[k].end > by ? c->sends[k].end : by;
		if (r->end == by)
			certain = r->end;
	}
	return certain;
}

/* Lowers the positions up to which C is trusted, because calls that never returned may have moved data. */
static void limit_trust(struct syt_channel *c)
{
	const struct syt_object *all = c->m->objects->all;

	if (c->trusted > all[c->from].sure_out) {
		c->trusted = all[c->from].sure_out;
		c->limit_reason = SYT_REASON_UNRETURNED;
	}
	c->trusted_received = all[c->to].sure_in;
	if (c->trusted == UINT64_MAX && c->has_all_sends && c->trusted_received != UINT64_MAX)
		c->trusted_received = caught_up(c);
	if (c->trusted_received < c->trusted)
		c->limit_reason = SYT_REASON_UNRETURNED;
}

/* Finishes the groups of sends, and converts the times of the sends to the clock of the receiver. At the end of the known
 * time, a missing send began later. A group that began before may overlap it, but no earlier receive can have its bytes. */
static void settle_sends(struct syt_channel *c)
{
	const struct syt_hosts *hosts = c->m->places->trace->hosts;
	syt_time next = UINT64_MAX, until = syt_places_known_until(c->m->places, c->hosts[0]);

	for (uint32_t i = 0; i < c->nr_send_groups; i++) {
		syt_time from = c->sends[syt_channel_sent(c, i).first].from;

		set_whole(c->sends, c->send_groups, i, from >= c->sends_from && from <= until);
	}
	if (c->hosts[0] == c->hosts[1])
		return;
	/* from the last to the first, so that the sends stay sorted by their begin */
	for (uint32_t i = c->nr_sends; i--;) {
		struct syt_move *s = &c->sends[i];
		syt_time from = syt_hosts_earliest(hosts, c->hosts[0], s->from, c->hosts[1]);

		s->from = next = from < next ? from : next;
		s->to = syt_hosts_latest(hosts, c->hosts[0], s->to, c->hosts[1]);
	}
}

static uint32_t host_of(const struct syt_match *m, uint32_t object)
{
	return syt_hosts_of(m->places->trace->hosts, m->objects->all[object].image);
}

void syt_channel_open(struct syt_channel *c, struct syt_match *m, uint32_t from, uint32_t to)
{
	bool is_datagram = syt_object_kind(m->objects, to) == SYT_KIND_DGRAM;

	*c = (struct syt_channel){
		.m = m,
		.from = from,
		.to = to,
		.kind = is_datagram ? SYT_EDGE_DATAGRAM : SYT_EDGE_STREAM,
		.broken = SYT_NR_REASONS,
		.trusted = UINT64_MAX,
		.trusted_received = UINT64_MAX,
		.recvs_from = syt_match_complete_from(m, to),
	};
	c->nr_recvs = collect(c, to, false, &c->recvs);
	c->nr_recv_groups = group(c->recvs, c->nr_recvs, &c->recv_groups);
	c->is_sampled = !is_datagram && (m->objects->all[to].is_sampled ||
	                                 (from != SYT_NONE && m->objects->all[from].is_sampled));
	if (from == SYT_NONE) {
		settle_sampled(c);
		c->broken = m->objects->all[to].is_unpaired ? SYT_REASON_UNPAIRED
		                                            : SYT_REASON_UNTRACED_PEER;
		return;
	}
	c->sends_from = syt_match_complete_from(m, from);
	c->has_all_sends = !c->sends_from && !c->is_sampled;
	c->hosts[0] = host_of(m, from);
	c->hosts[1] = host_of(m, to);
	c->nr_sends = collect(c, from, true, &c->sends);
	c->nr_send_groups = group(c->sends, c->nr_sends, &c->send_groups);
	settle_sends(c);
	c->end = syt_channel_sent_before(m, from);
	for (uint32_t i = 0; i < c->nr_sends; i++)
		c->end = c->sends[i].end > c->end ? c->sends[i].end : c->end;
	settle_sampled(c);
	limit_trust(c);
	if (c->broken == SYT_NR_REASONS)
		c->broken = find_break(c);
}

void syt_channel_close(struct syt_channel *c)
{
	syt_store_free(c->sends);
	syt_store_free(c->recvs);
	syt_store_free(c->send_groups);
	syt_store_free(c->recv_groups);
	syt_store_free(c->by);
	syt_store_free(c->until);
}

uint32_t syt_channel_find(struct syt_channel *c, uint64_t position)
{
	const struct syt_move *s = c->sends;
	uint32_t n = c->near;

	/* the positions of groups increase, because find_break() is the first caller */
	if (!c->send_groups && n < c->nr_send_groups) {
		n += s[n].end <= position;
		if ((!n || s[n - 1].end <= position) &&
		    (n == c->nr_send_groups || s[n].end > position))
			return c->near = n;
	}
	c->near = SYT_BISECT_NEAR(i, 0u, c->nr_send_groups, c->near,
	                          syt_channel_sent(c, i).end <= position);
	return c->near;
}
