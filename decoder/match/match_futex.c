/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Futexes: a wake call happens before the wait that it woke.
 *
 * A futex wait that returned 0 was woken by a wake call on its word, with a bit of its bitset, whose time [in, out]
 * overlaps that of the wait. A requeue call moves waiters to a second word, and wake calls on this word may then
 * also wake them. The decoder therefore matches words between which waiters were moved together. A wake call
 * reports how many waiters it woke, and wakes no more. The decoder processes the waits in the order in which they
 * returned:
 * - If only one wake call can have woken the waiter, this call woke it, and can then wake one waiter less.
 * - If several wake calls can have woken the waiter, the edges are ambiguous, and together these calls can wake one
 *   waiter less. A wake call is excluded if other waits, which no other call can have woken, need all its wake-ups.
 * - If no wake call can have woken the waiter, its waker was not recorded (libc itself, the kernel at the end of a
 *   thread, an inlined call). Other waits may have received the wake-up that was meant for this wait. The edges of
 *   these waits become ambiguous, back to the last time without overlapping waits and wake calls.
 *
 * The rule is sound because the kernel wakes no futex wait by itself, and a wait that ends for another reason
 * returns this reason. A number of wake-ups is used up by the same number of waits.
 *
 * Missing events: a wake call that is missing in the trace could have woken the waiter. A wait gets no edge if it
 * began before the last missing event on its words, or ended while the recording was paused. A wait without an edge
 * uses up no wake-up either, so the wake-up stays possible for other waits. A missing wait leaves too many
 * wake-ups, which only adds ambiguity.
 */
#include "base/bisect.h"
#include "decoder/match/futex.h"

#define NR_WORDS_MAX 16u  /* words to which one wait may have been moved */
#define NR_ROUNDS_MAX 8u  /* rounds of excluding wake calls that other waits need */
#define NR_SCAN_MAX 4096u /* events that are examined for one wait */

/* The futex words on which a wait may have been, each with the time from which on it may have been there. */
struct words {
	uint32_t nr;
	struct {
		uint32_t word;
		syt_time from;
	} of[NR_WORDS_MAX];
};

/* ---- possible wakers of a wait ---- */

/* Returns the index after the last wake call that began by the time T. */
static uint32_t wakes_until(const struct syt_futexes *f, syt_time t)
{
	return SYT_BISECT(i, 0, f->nr_wakes, f->wakes[i].in <= t);
}

/* Finds the futex words to which requeue calls may have moved the wait W. Returns false if there are too many
 * words. */
static bool follow_moves(const struct syt_futexes *f, const struct syt_futex_wait *w,
                         struct words *words)
{
	uint32_t end = SYT_BISECT(i, 0, f->nr_moves, f->moves[i].in <= w->out), begin, n = 0;
	bool has_changed = true;

	*words = (struct words){1, {{w->word, w->in}}};
	for (begin = end; begin && f->moves[begin - 1].latest_so_far >= w->in; begin--)
		if (++n > NR_SCAN_MAX)
			return false;
	while (has_changed) {
		has_changed = false;
		for (uint32_t i = begin; i < end; i++) {
			const struct syt_futex_move *v = &f->moves[i];
			uint32_t a = 0, b = 0;

			while (a < words->nr && words->of[a].word != v->from)
				a++;
			if (a == words->nr || v->latest < words->of[a].from)
				continue;
			syt_time from = v->in > words->of[a].from ? v->in : words->of[a].from;

			while (b < words->nr && words->of[b].word != v->to)
				b++;
			if (b == NR_WORDS_MAX)
				return false;
			if (b < words->nr && words->of[b].from <= from)
				continue;
			words->of[b].word = v->to;
			words->of[b].from = from;
			words->nr += b == words->nr;
			has_changed = true;
		}
	}
	return true;
}

static bool may_have_woken(const struct syt_futex_wake *s, const struct syt_futex_wait *w,
                           const struct words *words)
{
	if (s->place.thread == w->place.thread ||
	    (s->bitset && w->bitset && !(s->bitset & w->bitset)))
		return false;
	for (uint32_t i = 0; i < words->nr; i++)
		if ((s->word == words->of[i].word || s->word2 == words->of[i].word) &&
		    s->latest >= words->of[i].from)
			return true;
	return false;
}

static void find_candidates(struct syt_futexes *f, struct syt_futex_wait *w,
                            const struct words *words)
{
	uint32_t scanned = 0;

	w->first = f->nr_candidates;
	for (uint32_t i = syt_wakeup_last(f->wakeups, wakes_until(f, w->out)); i;
	     i = syt_wakeup_last(f->wakeups, i - 1)) {
		if (f->wakes[i - 1].latest_so_far < w->in)
			break;
		if (w->nr == SYT_AMBIGUOUS_MAX || ++scanned > NR_SCAN_MAX) {
			w->nr = 0;
			f->nr_candidates = w->first;
			w->reason = SYT_REASON_TOO_MANY;
			return;
		}
		if (!may_have_woken(&f->wakes[i - 1], w, words))
			continue;
		*SYT_STORE_ADD(f->candidates, f->nr_candidates, f->room_candidates) = i - 1;
		w->nr++;
	}
}

static void match_wait(struct syt_futexes *f, struct syt_futex_wait *w)
{
	struct words words;

	if (f->is_preshared) {
		w->reason = SYT_REASON_PRESHARED;
	} else if (w->in < f->complete_from ||
	           w->out > syt_places_window(f->m->places,
	                                      syt_place_image_idx(f->m->places, w->place))
	                            ->complete_until) {
		w->reason = SYT_REASON_OVERWRITTEN;
	} else if (!follow_moves(f, w, &words)) {
		w->reason = SYT_REASON_TOO_MANY;
	} else {
		find_candidates(f, w, &words);
		if (w->nr)
			syt_wakeup_take(f->wakeups, &f->candidates[w->first], w->nr);
		else if (w->reason == SYT_NR_REASONS)
			w->reason = SYT_REASON_NO_RELEASE;
	}
}

/* Returns the begin of the earliest wake call that overlaps the wait W in time. */
static syt_time first_overlap(const struct syt_futexes *f, const struct syt_futex_wait *w)
{
	syt_time from = w->in;
	uint32_t scanned = 0;

	for (uint32_t i = wakes_until(f, w->in); i-- && scanned < NR_SCAN_MAX; scanned++) {
		if (f->wakes[i].latest_so_far < w->in)
			break;
		from = f->wakes[i].in;
	}
	return from;
}

/* Marks waits as doubtful because another wait has no possible wake call, so a waker was not recorded. The marked
 * waits may have used the wake-ups meant for that wait, and others the wake-ups meant for the marked waits. Marking
 * goes back to the last time without overlapping waits and wake calls. */
static void mark_doubtful(struct syt_futexes *f)
{
	syt_time from = UINT64_MAX;

	for (uint32_t i = f->nr_waits; i--;) {
		struct syt_futex_wait *w = &f->waits[i];
		bool is_starved = !w->nr && w->reason == SYT_REASON_NO_RELEASE;

		if (from != UINT64_MAX && w->out < from)
			from = UINT64_MAX;
		if (from == UINT64_MAX && !is_starved)
			continue;
		syt_time first = first_overlap(f, w);

		w->is_doubtful = true;
		from = first < from ? first : from;
	}
}

/* Removes from the possible wakers of W the wake calls whose wake-ups are all used by other waits. */
static void drop_spent(struct syt_futexes *f, struct syt_futex_wait *w)
{
	uint32_t *of = &f->candidates[w->first], nr = 0;

	for (uint32_t i = 0; i < w->nr; i++)
		nr += f->wakes[of[i]].spare != 0;
	/* if all were removed, a waker was not recorded, so no waker is certain */
	if (!nr || nr == w->nr)
		return;
	nr = 0;
	for (uint32_t i = 0; i < w->nr; i++)
		if (f->wakes[of[i]].spare)
			of[nr++] = of[i];
	w->nr = nr;
}

/* Gives each wait with only one possible wake call a wake-up of this call, and removes used-up calls from other
 * waits. */
static void narrow(struct syt_futexes *f)
{
	bool has_changed = true;

	for (unsigned round = 0; has_changed && round < NR_ROUNDS_MAX; round++) {
		has_changed = false;
		/* starts with the last wait, because later waits have fewer possible wakers */
		for (uint32_t i = f->nr_waits; i--;) {
			struct syt_futex_wait *w = &f->waits[i];

			if (w->nr > 1)
				drop_spent(f, w);
			if (w->nr != 1 || w->is_certain)
				continue;
			struct syt_futex_wake *s = &f->wakes[f->candidates[w->first]];

			w->is_certain = true;
			if (w->is_doubtful || !s->spare)
				continue;
			has_changed |= !--s->spare;
		}
	}
}

/* ---- one family of futex words ---- */

static void report(const struct syt_futexes *f, const struct syt_futex_wait *w)
{
	bool is_ambiguous = w->nr > 1 || w->is_doubtful;

	if (!w->nr) {
		syt_match_unattributed(f->m, w->reason);
		return;
	}
	const uint32_t *of = &f->candidates[w->first];

	for (uint32_t i = 0; i < w->nr; i++)
		syt_match_cause(f->m, SYT_EDGE_FUTEX, f->wakes[of[i]].place, w->place, w->word,
		                is_ambiguous);
	syt_match_attributed(f->m, is_ambiguous);
}

static void match_family(struct syt_futexes *f)
{
	for (uint32_t i = 0; i < f->nr_waits; i++)
		match_wait(f, &f->waits[i]);
	mark_doubtful(f);
	narrow(f);
	for (uint32_t i = 0; i < f->nr_waits; i++)
		report(f, &f->waits[i]);
}

void syt_match_futexes(struct syt_match *m)
{
	struct syt_futexes f = {.m = m};

	syt_futexes_each(&f, match_family);
}
