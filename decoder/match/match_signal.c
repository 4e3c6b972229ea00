/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Signals: a kill (or a related call) happens before the sigwait, or the read of a signalfd, that took the signal.
 *
 * The kernel tells the taker of a signal the sender (si_pid) and the way of sending (si_code). The source is
 * therefore a send of this signal, in this way, by this process, to the taker's process (or to several processes),
 * that began before the take ended. Three rules narrow the set of possible sends:
 * - At most one take consumes each send.
 * - Takes consume the signals of one queue (the process's or one thread's) in the order of arrival. A take that
 *   surely follows k other takes has at least the (k+1)st send as its source. If k other takes surely follow a
 *   take, its source is not among the last k sends, and is earlier than the source of each of these takes.
 * - A standard signal is pending at most once, so after a take no earlier send is left.
 *
 * If only one send is possible, this send is the source, and no other take can have it. If several sends are
 * possible, the edges are ambiguous, because an unrecorded handler may have taken some of the signals, or pending
 * signals were merged. A process that sends to a process and to single threads uses several queues. The order of
 * its sends is then unknown.
 *
 * The rule is sound because a traced process sends by recorded calls, and si_pid is not forged. A take without any
 * possible send disproves one of these two assumptions, and all takes of its group then get no edges. A process
 * that was killed may have made one more send in each thread without recording it. The computed ranks of sends
 * allow for this.
 *
 * Missing events: a send that is missing may have been the source, however early. Takes of signals from a process
 * with missing events therefore get no edge.
 */
#include "decoder/match/signal.h"

#include <string.h>

#include "base/bisect.h"
#include "base/compare.h"
#include "base/sort.h"
#include "decoder/history/instants.h"

/* ---- sorting ---- */

SYT_COMPARATOR(by_queue, struct syt_signal_send)
{
	SYT_ORDER_BY(queue);
	SYT_ORDER_BY(in);
	return syt_place_compare(a->place, b->place);
}

SYT_COMPARATOR(by_begin, struct syt_signal_send)
{
	SYT_ORDER_BY(in);
	return syt_place_compare(a->place, b->place);
}

SYT_COMPARATOR(by_end, struct syt_signal_take)
{
	SYT_ORDER_BY(out);
	return syt_place_compare(a->place, b->place);
}

/* ---- one group: takes from one signal queue, and the sends to this queue ---- */

struct group {
	struct syt_signal_send *sends; /* sorted by begin (in) */
	struct syt_signal_take *takes; /* sorted by end (out) */
	uint32_t nr_sends, nr_takes;
	uint32_t nr_ends; /* threads of a killed sender, each with perhaps one more send */
	syt_time *ends;   /* sorted: times from which on they may have sent */
};

static void rank_sends(struct group *g)
{
	syt_time *latest = syt_store_alloc(g->nr_sends, sizeof(*latest));
	syt_time *in = syt_store_alloc(g->nr_sends, sizeof(*in));
	syt_time latest_so_far = 0;
	uint32_t high_so_far = 0;

	for (uint32_t i = 0; i < g->nr_sends; i++) {
		latest[i] = g->sends[i].latest;
		in[i] = g->sends[i].in;
	}
	syt_instants_sort(latest, g->nr_sends);
	for (uint32_t i = 0; i < g->nr_sends; i++) {
		struct syt_signal_send *s = &g->sends[i];

		s->low = 1 + (uint32_t)syt_instants_before(latest, g->nr_sends, s->in);
		s->high = (uint32_t)syt_instants_until(in, g->nr_sends, s->latest) +
		          (uint32_t)syt_instants_until(g->ends, g->nr_ends, s->latest);
		high_so_far = s->high > high_so_far ? s->high : high_so_far;
		latest_so_far = s->latest > latest_so_far ? s->latest : latest_so_far;
		s->next = i;
		s->high_so_far = high_so_far;
		s->latest_so_far = latest_so_far;
	}
	syt_store_free(latest);
	syt_store_free(in);
}

static void clear_takes(struct group *g)
{
	/* maximum of `earliest` up to this element */
	syt_time *earliest = syt_store_alloc(g->nr_takes, sizeof(*earliest));
	syt_time *out = syt_store_alloc(g->nr_takes, sizeof(*out));

	for (uint32_t i = 0; i < g->nr_takes; i++) {
		out[i] = g->takes[i].out;
		earliest[i] = g->takes[i].earliest;
		if (i && earliest[i - 1] > earliest[i])
			earliest[i] = earliest[i - 1];
	}
	for (uint32_t i = 0; i < g->nr_takes; i++) {
		struct syt_signal_take *t = &g->takes[i];
		uint32_t nr = (uint32_t)syt_instants_before(out, g->nr_takes, t->earliest);

		t->cleared = nr ? earliest[nr - 1] : 0;
	}
	syt_store_free(earliest);
	syt_store_free(out);
}

/* Returns the index of the first send at or after index I that no take surely consumed. */
static uint32_t open_from(struct group *g, uint32_t i)
{
	uint32_t root = i;

	while (root < g->nr_sends && g->sends[root].next != root)
		root = g->sends[root].next;
	while (i < g->nr_sends && i != root) {
		uint32_t next = g->sends[i].next;

		g->sends[i].next = root;
		i = next;
	}
	return root;
}

/* Finds the sends that are possible sources of the take T and have a rank in [LOW, HIGH]. */
static void find_candidates(struct syt_signals *s, struct group *g, struct syt_signal_take *t,
                            uint32_t low, uint32_t high)
{
	uint32_t last = 0;
	/* skips sends that surely came before t->cleared, or surely have a rank below LOW */
	uint32_t i =
		SYT_BISECT(k, 0, g->nr_sends,
	                   g->sends[k].latest_so_far < t->cleared || g->sends[k].high_so_far < low);

	t->first = s->nr_candidates;
	t->nr = 0;
	for (i = open_from(g, i);
	     i < g->nr_sends && g->sends[i].in <= t->out && g->sends[i].low <= high;
	     i = open_from(g, i + 1)) {
		const struct syt_signal_send *of = &g->sends[i];

		if (of->latest < t->cleared || of->high < low ||
		    (of->place.thread == t->place.thread && of->place.row >= t->place.row) ||
		    (of->queue > SYT_SIGNAL_QUEUE_UNKNOWN && of->queue != t->queue))
			continue;
		if (t->nr == SYT_AMBIGUOUS_MAX) {
			t->nr = 0;
			s->nr_candidates = t->first;
			t->reason = SYT_REASON_TOO_MANY;
			return;
		}
		*SYT_STORE_ADD(s->candidates, s->nr_candidates, s->room) = of->place;
		last = i;
		t->nr++;
	}
	if (t->nr == 1)
		g->sends[last].next = last + 1;
}

static bool is_explained(const struct group *g)
{
	for (uint32_t i = 0; i < g->nr_takes; i++)
		if (g->takes[i].reason == SYT_NR_REASONS && !g->takes[i].nr &&
		    !(uint32_t)syt_instants_until(g->ends, g->nr_ends, g->takes[i].out))
			return false;
	return true;
}

/* Computes HIGH, the greatest possible rank of the source of each take. The source had begun by the end of the
 * take, and came before the sources of all takes that surely follow. */
static void bound(const struct group *g, const uint32_t *by_earliest, uint32_t *high)
{
	syt_time *in = syt_store_alloc(g->nr_sends, sizeof(*in));
	uint32_t least = UINT32_MAX, k = g->nr_takes, nr = g->nr_sends + g->nr_ends;

	for (uint32_t i = 0; i < g->nr_sends; i++)
		in[i] = g->sends[i].in;
	for (uint32_t i = g->nr_takes; i--;) {
		const struct syt_signal_take *t = &g->takes[i];

		/* all these takes end later than T, so the loop has already handled them */
		for (; k && g->takes[by_earliest[k - 1]].earliest > t->out; k--)
			if (high[by_earliest[k - 1]] < least)
				least = high[by_earliest[k - 1]];
		high[i] = (uint32_t)syt_instants_until(in, g->nr_sends, t->out) +
		          (uint32_t)syt_instants_until(g->ends, g->nr_ends, t->out);
		if (high[i] > nr - (g->nr_takes - k))
			high[i] = nr - (g->nr_takes - k);
		if (high[i] >= least)
			high[i] = least ? least - 1 : 0;
	}
	syt_store_free(in);
}

static int by_earliest(const void *a, const void *b, void *takes)
{
	const struct syt_signal_take *of = takes;

	return SYT_COMPARE(of[*(const uint32_t *)a].earliest, of[*(const uint32_t *)b].earliest);
}

static void match_group(struct syt_signals *s, struct group *g, bool has_ranks)
{
	uint32_t nr = g->nr_takes;
	uint32_t *order = syt_store_alloc(nr, sizeof(*order)),
		 *high = syt_store_alloc(nr, sizeof(*high));
	syt_time *out = syt_store_alloc(nr, sizeof(*out));
	bool is_enough = g->nr_sends + g->nr_ends >= nr;

	rank_sends(g);
	if (has_ranks && !s->is_queued)
		clear_takes(g);
	for (uint32_t i = 0; i < nr; i++) {
		order[i] = i;
		out[i] = g->takes[i].out;
	}
	syt_sort_with(order, nr, sizeof(*order), by_earliest, g->takes);
	if (has_ranks && is_enough)
		bound(g, order, high);
	for (uint32_t i = 0; i < nr; i++) {
		struct syt_signal_take *t = &g->takes[i];
		uint32_t before =
			has_ranks ? (uint32_t)syt_instants_before(out, nr, t->earliest) : 0;

		find_candidates(s, g, t, 1 + before,
		                !has_ranks  ? g->nr_sends
		                : is_enough ? high[i]
		                            : 0);
	}
	if (!is_explained(g))
		for (uint32_t i = 0; i < g->nr_takes; i++)
			if (g->takes[i].reason == SYT_NR_REASONS)
				g->takes[i].reason = SYT_REASON_NO_RELEASE;
	syt_store_free(order);
	syt_store_free(high);
	syt_store_free(out);
}

/* ---- all groups ---- */

/* Returns the reason why the sends of the process PID on HOST are no evidence, or SYT_NR_REASONS. */
static enum syt_reason why_not(const struct syt_match *m, uint32_t host, uint64_t pid)
{
	const struct syt_trace_data *trace = m->places->trace;
	enum syt_reason reason = SYT_REASON_UNTRACED_PEER;

	for (uint32_t i = 0; i < trace->nr_images; i++) {
		if (trace->images[i].host != host || trace->images[i].file.pid != pid)
			continue;
		if (m->places->complete_from[i])
			return SYT_REASON_OVERWRITTEN;
		reason = SYT_NR_REASONS;
	}
	return reason;
}

/* Finds the end of the last event of each thread of a killed process with this PID on HOST. */
static void find_ends(struct group *g, const struct syt_match *m, uint32_t host, uint64_t pid)
{
	const struct syt_trace_data *trace = m->places->trace;
	size_t room = 0;

	for (uint32_t i = 0; i < trace->nr_images; i++) {
		const struct syt_image *image = &trace->images[i];

		if (image->host != host || image->file.pid != pid ||
		    (image->file.state & 0xff) != SYT_STATE_RUNNING)
			continue;
		for (uint32_t t = 0; t < image->nr_threads; t++)
			*SYT_STORE_ADD(g->ends, g->nr_ends, room) =
				syt_match_last_end(&image->threads[t]);
	}
	syt_instants_sort(g->ends, g->nr_ends);
}

/* Matches the signal queue of each thread separately. The sends of G and the takes are sorted by queue. */
static void match_queues(struct syt_signals *s, struct group *g, uint32_t nr_sends,
                         struct syt_signal_take *takes, uint32_t nr)
{
	uint32_t at = 0;
	struct syt_signal_send *all = g->sends;

	for (uint32_t i = 0; i < nr; i += g->nr_takes) {
		uint64_t queue = takes[i].queue;

		g->takes = takes + i;
		g->nr_sends = g->nr_takes = 0;
		while (i + g->nr_takes < nr && takes[i + g->nr_takes].queue == queue)
			g->nr_takes++;
		while (at < nr_sends && all[at].queue < queue)
			at++;
		g->sends = all + at;
		while (at + g->nr_sends < nr_sends && all[at + g->nr_sends].queue == queue)
			g->nr_sends++;
		match_group(s, g, true);
	}
}

/* Matches NR takes with one sender, one way of sending and one target, sorted by the taking thread. */
static void match_route(struct syt_signals *s, struct syt_signal_take *takes, uint32_t nr)
{
	struct group g = {0};
	uint32_t host = syt_object_host(s->m->objects, s->object);
	uint64_t nr_to = 0, nr_to_many = 0, nr_shared = 0, nr_private = 0;
	struct syt_signal_send *to = syt_signals_sent(s, takes, takes->target, &nr_to);
	struct syt_signal_send *to_many = syt_signals_sent(s, takes, 0, &nr_to_many);
	enum syt_reason reason = why_not(s->m, host, takes->sender);

	if (reason != SYT_NR_REASONS) {
		for (uint32_t i = 0; i < nr; i++)
			takes[i].reason = reason;
		return;
	}
	uint32_t nr_sends = (uint32_t)(nr_to + nr_to_many);
	struct syt_signal_send *all = syt_store_alloc(nr_sends, sizeof(*all));

	memcpy(all, to, nr_to * sizeof(*to));
	memcpy(all + nr_to, to_many, nr_to_many * sizeof(*to));
	for (uint32_t i = 0; i < nr_sends; i++) {
		nr_shared += all[i].queue == SYT_SIGNAL_QUEUE_SHARED;
		nr_private += all[i].queue > SYT_SIGNAL_QUEUE_UNKNOWN;
	}
	g.sends = all;
	find_ends(&g, s->m, host, takes->sender);
	syt_sort(all, nr_sends, sizeof(*all), nr_private == nr_sends ? by_queue : by_begin);
	if (nr_private && nr_private == nr_sends) {
		match_queues(s, &g, nr_sends, takes, nr);
	} else {
		g.takes = takes;
		g.nr_takes = nr;
		g.nr_sends = nr_sends;
		syt_sort(takes, nr, sizeof(*takes), by_end);
		match_group(s, &g, nr_shared == nr_sends);
	}
	syt_store_free(all);
	syt_store_free(g.ends);
}

static void report(struct syt_signals *s, const struct syt_signal_take *t)
{
	if (t->reason != SYT_NR_REASONS || !t->nr) {
		syt_match_unattributed(s->m, t->reason != SYT_NR_REASONS ? t->reason
		                                                         : SYT_REASON_NO_RELEASE);
		return;
	}
	for (uint32_t i = 0; i < t->nr; i++)
		syt_match_cause(s->m, SYT_EDGE_SIGNAL, s->candidates[t->first + i], t->place,
		                s->object, t->nr > 1);
	syt_match_attributed(s->m, t->nr > 1);
}

void syt_match_signal(struct syt_match *m, uint32_t object)
{
	struct syt_signals s;

	if (syt_history_of(m->histories, object).nr >= SYT_NONE)
		return;
	syt_signals_open(&s, m, object);
	for (uint64_t i = 0, nr; i < s.nr_takes; i += nr) {
		struct syt_signal_take *t = &s.takes[i];

		for (nr = 1; i + nr < s.nr_takes && t[nr].reason == t->reason &&
		             t[nr].sender == t->sender && t[nr].code == t->code &&
		             t[nr].target == t->target;
		     nr++)
			;
		if (t->reason == SYT_NR_REASONS)
			match_route(&s, t, (uint32_t)nr);
	}
	for (uint64_t i = 0; i < s.nr_takes; i++)
		report(&s, &s.takes[i]);
	syt_signals_close(&s);
}
