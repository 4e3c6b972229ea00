/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/match/futex.h"

#include "base/compare.h"
#include "base/sort.h"

/* Returns the second futex word of the event AT, or SYT_NONE if the second word is unknown or is no futex. */
static uint32_t second_word(const struct syt_match *m, struct syt_place at)
{
	uint32_t image = syt_place_image_idx(m->places, at);
	uint32_t second = syt_object_of(m->objects, image, syt_place_extra(m->places, at)->object2);

	if (second == SYT_NONE || m->objects->all[second].info->kind != SYT_KIND_FUTEX)
		return SYT_NONE;
	return second;
}

/* Returns the number of waiters that the wake or requeue call AT woke. A requeue moved its other waiters. */
static uint64_t nr_woken(const struct syt_match *m, struct syt_place at)
{
	uint64_t all = (uint64_t)syt_place_row(m->places, at)->result;
	uint64_t most = syt_place_extra(m->places, at)->count;

	if (syt_place_call(m->places, at)->shape == SYT_SHAPE_FUTEX_REQUEUE && all > most)
		return most;
	return all;
}

static bool has_moved(const struct syt_match *m, struct syt_place at)
{
	return (uint64_t)syt_place_row(m->places, at)->result > nr_woken(m, at);
}

static void add_wake(struct syt_futexes *f, uint32_t word, struct syt_place at)
{
	const struct syt_places *p = f->m->places;
	bool is_wake = syt_place_call(p, at)->shape == SYT_SHAPE_FUTEX_WAKE;

	*SYT_STORE_ADD(f->wakes, f->nr_wakes, f->room_wakes) = (struct syt_futex_wake){
		.in = syt_place_row(p, at)->in,
		.latest = syt_place_latest(p, at),
		.place = at,
		.word = word,
		.word2 = is_wake ? second_word(f->m, at) : SYT_NONE,
		.bitset = is_wake ? (uint32_t)syt_place_extra(p, at)->arg : 0,
		.spare = nr_woken(f->m, at),
	};
}

static void add_move(struct syt_futexes *f, uint32_t word, struct syt_place at)
{
	uint32_t to = second_word(f->m, at);

	if (to == SYT_NONE)
		return;
	*SYT_STORE_ADD(f->moves, f->nr_moves, f->room_moves) = (struct syt_futex_move){
		.in = syt_place_row(f->m->places, at)->in,
		.latest = syt_place_latest(f->m->places, at),
		.place = at,
		.from = word,
		.to = to,
	};
}

static void add_wait(struct syt_futexes *f, uint32_t word, struct syt_place at)
{
	const struct syt_row *r = syt_place_row(f->m->places, at);

	*SYT_STORE_ADD(f->waits, f->nr_waits, f->room_waits) = (struct syt_futex_wait){
		.in = r->in,
		.out = r->out,
		.place = at,
		.word = word,
		.bitset = (uint32_t)syt_place_extra(f->m->places, at)->arg,
		.reason = SYT_NR_REASONS,
	};
}

static void collect(struct syt_futexes *f, uint32_t word)
{
	struct syt_history h = syt_history_of(f->m->histories, word);
	syt_time complete_from = syt_match_complete_from(f->m, word);

	if (f->complete_from < complete_from)
		f->complete_from = complete_from;
	f->is_preshared |= f->m->objects->all[word].info->flags & SYT_OBJECT_PRESHARED;
	for (uint64_t i = 0; i < h.nr; i++) {
		const struct syt_touch *t = &h.touches[i];
		struct syt_place at = t->place;

		if (syt_touch_is(t, SYT_SHAPE_FUTEX_WAIT))
			add_wait(f, word, at);
		if (!syt_touch_is(t, SYT_SHAPE_FUTEX_WAKE) &&
		    !syt_touch_is(t, SYT_SHAPE_FUTEX_REQUEUE))
			continue;
		if (nr_woken(f->m, at))
			add_wake(f, word, at);
		if (has_moved(f->m, at))
			add_move(f, word, at);
	}
}

SYT_COMPARATOR(by_wake, struct syt_futex_wake)
{
	SYT_ORDER_BY(in);
	return syt_place_compare(a->place, b->place);
}

SYT_COMPARATOR(by_move, struct syt_futex_move)
{
	SYT_ORDER_BY(in);
	return syt_place_compare(a->place, b->place);
}

SYT_COMPARATOR(by_wait, struct syt_futex_wait)
{
	SYT_ORDER_BY(out);
	return syt_place_compare(a->place, b->place);
}

static void sort(struct syt_futexes *f)
{
	syt_time latest = 0;

	syt_sort(f->wakes, f->nr_wakes, sizeof(*f->wakes), by_wake);
	syt_sort(f->moves, f->nr_moves, sizeof(*f->moves), by_move);
	syt_sort(f->waits, f->nr_waits, sizeof(*f->waits), by_wait);
	syt_store_grow(&f->wakeups, &f->room_wakeups, 0, f->nr_wakes, sizeof(*f->wakeups));
	for (uint32_t i = 0; i < f->nr_wakes; i++) {
		struct syt_futex_wake *s = &f->wakes[i];

		latest = s->latest > latest ? s->latest : latest;
		s->latest_so_far = latest;
		syt_wakeup_init(f->wakeups, i, s->spare);
	}
	latest = 0;
	for (uint32_t i = 0; i < f->nr_moves; i++) {
		latest = f->moves[i].latest > latest ? f->moves[i].latest : latest;
		f->moves[i].latest_so_far = latest;
	}
}

struct member {
	uint32_t leader, word;
};

SYT_COMPARATOR(by_leader, struct member)
{
	SYT_ORDER_BY(leader);
	return SYT_COMPARE(a->word, b->word);
}

static uint32_t leader_of(uint32_t *leaders, uint32_t word)
{
	while (leaders[word] != word)
		word = leaders[word] = leaders[leaders[word]];
	return word;
}

/* Joins the family of the futex WORD with the families of the words to which its waiters may have been moved. */
static void join_families(const struct syt_match *m, uint32_t *leaders, uint32_t word)
{
	struct syt_history h = syt_history_of(m->histories, word);

	for (uint64_t i = 0; i < h.nr; i++) {
		const struct syt_touch *t = &h.touches[i];
		uint32_t second = SYT_NONE;

		if (syt_touch_is(t, SYT_SHAPE_FUTEX_WAKE) ||
		    (syt_touch_is(t, SYT_SHAPE_FUTEX_REQUEUE) && has_moved(m, t->place)))
			second = second_word(m, t->place);
		if (second != SYT_NONE)
			leaders[leader_of(leaders, second)] = leader_of(leaders, word);
	}
}

static void empty(struct syt_futexes *f)
{
	f->nr_wakes = f->nr_waits = f->nr_moves = 0;
	f->nr_candidates = 0;
	f->complete_from = 0;
	f->is_preshared = false;
}

void syt_futexes_each(struct syt_futexes *f, void (*match)(struct syt_futexes *f))
{
	const struct syt_match *m = f->m;
	uint32_t *leaders = syt_store_alloc(m->objects->nr, sizeof(*leaders));
	struct member *members;
	uint32_t nr = 0;

	for (uint32_t i = 0; i < m->objects->nr; i++) {
		leaders[i] = i;
		nr += m->objects->all[i].info->kind == SYT_KIND_FUTEX;
	}
	members = syt_store_alloc(nr, sizeof(*members));
	for (uint32_t i = 0; nr && i < m->objects->nr; i++)
		if (m->objects->all[i].info->kind == SYT_KIND_FUTEX)
			join_families(m, leaders, i);
	nr = 0;
	for (uint32_t i = 0; i < m->objects->nr; i++)
		if (m->objects->all[i].info->kind == SYT_KIND_FUTEX)
			members[nr++] = (struct member){leader_of(leaders, i), i};
	syt_sort(members, nr, sizeof(*members), by_leader);
	for (uint32_t i = 0; i < nr; i++) {
		collect(f, members[i].word);
		if (i + 1 < nr && members[i + 1].leader == members[i].leader)
			continue;
		sort(f);
		match(f);
		empty(f);
	}
	syt_store_free(f->wakes);
	syt_store_free(f->wakeups);
	syt_store_free(f->waits);
	syt_store_free(f->moves);
	syt_store_free(f->candidates);
	syt_store_free(members);
	syt_store_free(leaders);
}
