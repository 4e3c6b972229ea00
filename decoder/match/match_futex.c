/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Futexes: the wake -> the wait that it woke.
 *
 * A wait that returned 0 was woken by a wake of its word, with a bit of its bitset, whose [in, out]
 * overlaps the wait's.  A requeue moves waiters to a second word: from then on wakes of that one
 * may have been it, too; so words between which waiters were moved are matched together.  A wake
 * says how many it woke, and wakes no more than that. So, in the order in which waits returned:
 *  - one possible source: that is it, and it has one wake-up less to give;
 *  - several: one of them, all are given as ambiguous, and together they have one less to give;
 *    those whose wake-ups turn out to be all other waits' only possibility are not among them;
 *  - none: somebody woke it who is not seen (libc itself, the kernel at a thread's end, a call
 *    that was inlined); then others may have what was for this one: their edges become ambiguous,
 *    as far back as waits and wakes overlap without a gap.
 *
 * Sound, because the kernel wakes no futex by itself, a wait that it leaves for another reason
 * returns another result, and of a set of wake-ups that as many waits must have had nothing is
 * left.
 *
 * Missing events: a missing wake could have been the source, so a wait that began before the last
 * missing event of its words gets no edge, and neither does one that ended when recording was paused: it takes no wake-up, which
 * then would be another one's.  A missing wait leaves wake-ups over: more ambiguity.
 */
#include "base/bisect.h"
#include "base/store.h"
#include "decoder/match/futex.h"

#define NR_WORDS_MAX 16u  /* that one wait may have been moved to */
#define NR_ROUNDS_MAX 8u  /* of leaving out what is others' */
#define NR_SCAN_MAX 4096u /* events that are looked at for one wait */

/* Where a wait may have been, and from when on. */
struct words {
	uint32_t nr;
	struct {
		uint32_t word;
		syt_time from;
	} of[NR_WORDS_MAX];
};

/* ---- candidates ---- */

/* Index one beyond the last one with in <= T. */
static uint32_t wakes_until(const struct syt_futexes *f, syt_time t)
{
	return SYT_BISECT(i, 0, f->nr_wakes, f->wakes[i].in <= t);
}

static uint32_t moves_until(const struct syt_futexes *f, syt_time t)
{
	return SYT_BISECT(i, 0, f->nr_moves, f->moves[i].in <= t);
}

/* Where W may have been moved; false: more words than can be followed. */
static bool follow_moves(const struct syt_futexes *f, const struct syt_futex_wait *w,
                         struct words *words)
{
	uint32_t end = moves_until(f, w->out), begin, n = 0;
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
		syt_store_grow(&f->candidates, &f->room_candidates, f->nr_candidates,
		               f->nr_candidates + 1, sizeof(*f->candidates));
		f->candidates[f->nr_candidates++] = i - 1;
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

/* The begin of the first wake that overlaps W. */
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

/* A wait that found nothing: others may have taken what was for it, and what those had left was
 * taken by others again, as far back as waits and wakes overlap without a gap. */
static void doubt(struct syt_futexes *f)
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

/* W's candidates without those that have nothing to spare. */
static void leave_out(struct syt_futexes *f, struct syt_futex_wait *w)
{
	uint32_t *of = &f->candidates[w->first], nr = 0;

	for (uint32_t i = 0; i < w->nr; i++)
		nr += f->wakes[of[i]].spare != 0;
	if (!nr || nr == w->nr) /* none: somebody is not seen, and nothing is certain */
		return;
	nr = 0;
	for (uint32_t i = 0; i < w->nr; i++)
		if (f->wakes[of[i]].spare)
			of[nr++] = of[i];
	w->nr = nr;
}

/* Waits that have only one possibility take it away from the others. */
static void narrow(struct syt_futexes *f)
{
	bool has_changed = true;

	for (unsigned round = 0; has_changed && round < NR_ROUNDS_MAX; round++) {
		has_changed = false;
		/* later waits have fewer possibilities: from the end */
		for (uint32_t i = f->nr_waits; i--;) {
			struct syt_futex_wait *w = &f->waits[i];

			if (w->nr > 1)
				leave_out(f, w);
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
		syt_match_edge(f->m, SYT_EDGE_FUTEX, SYT_CLASS_CAUSAL, f->wakes[of[i]].place,
		               w->place, w->word, is_ambiguous ? SYT_EDGE_AMBIGUOUS : 0);
	syt_match_attributed(f->m, is_ambiguous);
}

static void match_family(struct syt_futexes *f)
{
	for (uint32_t i = 0; i < f->nr_waits; i++)
		match_wait(f, &f->waits[i]);
	doubt(f);
	narrow(f);
	for (uint32_t i = 0; i < f->nr_waits; i++)
		report(f, &f->waits[i]);
}

void syt_match_futexes(struct syt_match *m)
{
	struct syt_futexes f = {.m = m};

	syt_futexes_each(&f, match_family);
}
