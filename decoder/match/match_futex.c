/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Futexes: a wake precedes the wait that it woke.
 *
 * A wait that returned 0 was woken by a wake on its word, with a bit of its bitset, whose [in, out]
 * overlaps the wait's. A requeue moves waiters to a second word; from then on, wakes of that word
 * may also be the source. Words between which waiters were moved are therefore matched together. A
 * wake reports how many waiters it woke, and wakes no more. The decoder processes waits in the
 * order in which they returned:
 * - One possible source is the source, and has one wake-up less to give.
 * - Several are ambiguous, and together have one wake-up less to give. A wake is excluded if other
 *   waits, which have no other possible source, need all its wake-ups.
 * - With no possible source, a waker was not recorded (libc itself, the kernel at a thread's end,
 *   an inlined call). Other waits may have received the wake-up meant for this wait: their edges
 *   become ambiguous, back to the last gap between overlapping waits and wakes.
 *
 * Sound: the kernel wakes no futex wait by itself, and a wait that ends for another reason returns
 * that reason. A set of wake-ups is used up by as many waits.
 *
 * Missing events: a missing wake could have been the source. A wait that began before the last
 * missing event of its words, or ended while recording was paused, gets no edge and takes no
 * wake-up, which stays a candidate for other waits. A missing wait leaves wake-ups over: more
 * ambiguity.
 */
#include "base/bisect.h"
#include "decoder/match/futex.h"

#define NR_WORDS_MAX 16u  /* words to which one wait may have been moved */
#define NR_ROUNDS_MAX 8u  /* rounds of excluding wake-ups of other waits */
#define NR_SCAN_MAX 4096u /* events that are examined for one wait */

/* The words on which a wait may have been, each with its begin. */
struct words {
	uint32_t nr;
	struct {
		uint32_t word;
		syt_time from;
	} of[NR_WORDS_MAX];
};

/* ---- candidates ---- */

/* Returns the index after the last element with in <= T. */
static uint32_t wakes_until(const struct syt_futexes *f, syt_time t)
{
	return SYT_BISECT(i, 0, f->nr_wakes, f->wakes[i].in <= t);
}

/* Finds the words to which W may have been moved. Returns false if there are too many. */
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
	} else if (w->in < f->complete_from || w->out > f->m->places->complete_until) {
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

/* Returns the begin of the first wake that overlaps W. */
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

/* Handles waits without a source. Other waits may have taken their wake-ups, and yet others those
 * waits' wake-ups, back to the last gap between overlapping waits and wakes. */
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

/* Removes W's candidates without spare wake-ups. */
static void drop_spent(struct syt_futexes *f, struct syt_futex_wait *w)
{
	uint32_t *of = &f->candidates[w->first], nr = 0;

	for (uint32_t i = 0; i < w->nr; i++)
		nr += f->wakes[of[i]].spare != 0;
	/* no candidate left: a waker was not recorded, so no candidate is certain */
	if (!nr || nr == w->nr)
		return;
	nr = 0;
	for (uint32_t i = 0; i < w->nr; i++)
		if (f->wakes[of[i]].spare)
			of[nr++] = of[i];
	w->nr = nr;
}

/* Gives each wait with only one candidate its wake-up, and removes it from the other waits. */
static void narrow(struct syt_futexes *f)
{
	bool has_changed = true;

	for (unsigned round = 0; has_changed && round < NR_ROUNDS_MAX; round++) {
		has_changed = false;
		/* begins at the end, because later waits have fewer candidates */
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

/* ---- the whole ---- */

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
