/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "runtime/sample.h"

#include <stddef.h>
#include <string.h>

#include "format/calls.h"
#include "format/sampler_text.h"
#include "runtime/budget.h"
#include "runtime/clock.h"
#include "runtime/frame.h"
#include "runtime/mark.h"
#include "runtime/meta.h"
#include "runtime/quick-site.h"
#include "runtime/self.h"
#include "runtime/skip.h"

#define TURN_CALLS 4096u
#define TURN_TICKS (UINT64_C(10000) * SYT_LONG_TICKS) /* 1 s at 3 GHz */
#define RECORD_BYTES ((uint32_t)(sizeof(struct syt_meta) + sizeof(struct syt_meta_left_out)))
#define LEAST_WAIT_TICKS (SYT_LONG_TICKS / 5) /* a call that took longer has waited: 20 us */

static struct syt_sampler sampler;
static bool is_on, is_shadow;

/* A table without sites, and the empty entry before it. */
static struct {
	struct syt_site none;
	struct syt_sampling all;
} no_sites;

__thread struct syt_sampling *syt_sample_sites = &no_sites.all;
__thread struct syt_self *syt_sample_skips;

#define IS_AT(member_, at_)                                                                        \
	_Static_assert(offsetof(struct syt_sampling, member_) == (at_), "preload/fast-entry.S")
IS_AT(left_out, SYT_QUICK_LEFT_OUT_AT);
IS_AT(quick, SYT_QUICK_AT);
_Static_assert(SYT_QUICK_NONE_AT == -(int)sizeof(struct syt_site), "preload/fast-entry.S");
_Static_assert(SYT_QUICK_COUNTDOWN_AT ==
                       SYT_QUICK_NONE_AT + (int)offsetof(struct syt_site, countdown),
               "preload/fast-entry.S");

/* clang-format off */
static const uint8_t unsampled[] = {
#define SHAPE(name_, text_, stamp_, unsampled_) [SYT_SHAPE_##name_] = SYT_UNSAMPLED_##unsampled_,
#include "format/shapes.def"
#undef SHAPE
};

static const uint8_t shapes[] = {
	SYT_SHAPE_INFO,
#define CALL(name_, shape_, kind_, object_, ret_, params_, args_) SYT_SHAPE_##shape_,
#define HAND(name_, shape_, kind_) SYT_SHAPE_##shape_,
#define MARK(name_, shape_, kind_) SYT_SHAPE_##shape_,
#include "format/calls.def"
};
/* clang-format on */

void syt_sample_start(struct syt_trace *t)
{
	struct syt_sampler_options o;
	char text[SYT_SAMPLER_TEXT_BYTES];
	const char *end;

	memcpy(text, t->sampler, sizeof(text));
	text[sizeof(text) - 1] = 0;
	end = syt_sampler_parse(&o, text);
	if (t->unpaused != SYT_CONTROL_SAMPLED || !end || *end)
		return;
	syt_ring_reserve(SYT_SAMPLING_AT + sizeof(struct syt_sampling));
	syt_sampler_init(&sampler, &o);
	syt_budget_start(t, &o);
	is_shadow = t->is_shadow;
	if (!is_shadow)
		syt_ring_use_ghosts();
	is_on = true;
}

bool syt_sample_is_real(void)
{
	return is_on && !is_shadow;
}

bool syt_sample_is_on(void)
{
	return is_on;
}

bool syt_sample_has_marks(void)
{
	return is_on && sampler.options.hops;
}

unsigned syt_sample_hops(const struct syt_self *s)
{
	return s->torn & SYT_SAMPLED && s->sample.is_kept && !s->sample.asking ? s->sample.hops : 0;
}

static struct syt_call_site site_of(const void *fp)
{
	return (struct syt_call_site){((const uintptr_t *)fp)[1], (uintptr_t)fp};
}

static bool is_same(struct syt_call_site a, struct syt_call_site b)
{
	return a.pc == b.pc && a.fp == b.fp;
}

/* Returns the number of the site C, which asks with CALL (runtime/quick-site.h). The return address is at c.fp + 8. */
static uint32_t number_of(struct syt_call_site c, uint32_t call)
{
	uint32_t n = (uint32_t)c.pc * SYT_SITE_PC + (uint32_t)c.fp + 8 + call * SYT_SITE_CALL;

	return (n * SYT_SITE_SPREAD) & 0xffffff;
}

/* Returns the hash of the site NUMBER: the tag and the set. */
static uint64_t hash_of(uint32_t number)
{
	return (uint64_t)(number >> 8) << 32 | ((number >> 3 ^ number >> 11) & 31);
}

/* ---- turns: the rules of decoder/sample/turn.c, with the frame address as the stack depth ---- */

static void begin_turn(struct syt_sample *t, uint64_t now)
{
	t->nr = 1;
	t->since = now;
	t->is_kept = false;
}

/* Notes that the thread waits at C. Returns true if C is the head of its loop from now on. */
static bool waits_at_head(struct syt_sample *t, struct syt_call_site c)
{
	if (is_same(c, t->head)) {
		t->latest.pc = 0;
		return true;
	}
	if (!t->head.pc || (!t->is_kept && (c.fp > t->head.fp || is_same(c, t->latest)))) {
		t->head = c;
		t->latest.pc = 0;
		return true;
	}
	t->latest = c;
	return false;
}

/* Counts the calls that the entries have skipped as calls of the turn. */
static void count_skipped(struct syt_sample *t)
{
	uint64_t nr = t->nr + (t->shared->left_out - t->nr_seen);

	t->nr_seen = t->shared->left_out;
	if (t->nr)
		t->nr = nr < TURN_CALLS ? (uint32_t)nr : TURN_CALLS;
}

/* Returns true if the call C begins a turn. */
static bool begins_turn(struct syt_sample *t, struct syt_call_site c, bool is_wait)
{
	uint64_t now = t->is_kept || !t->nr || sampler.options.at_root ? syt_clock_release() : 0;
	bool begins = !t->nr;

	count_skipped(t);
	if (!t->since) /* a call that was skipped began the turn */
		t->since = now;
	if (t->nr >= TURN_CALLS || (t->nr && now && now - t->since >= TURN_TICKS)) {
		/* the thread has left the loop of this head */
		t->head.pc = t->latest.pc = 0;
		begins = true;
	}
	if (is_wait || is_same(c, t->head))
		begins |= waits_at_head(t, c);
	if (begins)
		begin_turn(t, now ? now : syt_clock_release());
	else
		t->nr++;
	return begins;
}

/* Returns true if a call of SHAPE always waits. */
static bool is_wait_by_shape(uint8_t shape)
{
	return shape == SYT_SHAPE_READY || shape == SYT_SHAPE_COND_WAIT || shape == SYT_SHAPE_PAUSE;
}

/* Returns true if a call of SHAPE may wait for another thread, for a process, or for input. */
static bool may_wait(uint8_t shape)
{
	switch (shape) {
	case SYT_SHAPE_SEM_WAIT:
	case SYT_SHAPE_SEM_ZERO:
	case SYT_SHAPE_BARRIER_WAIT:
	case SYT_SHAPE_TEAM_BARRIER:
	case SYT_SHAPE_TASK_WAIT:
	case SYT_SHAPE_FUTEX_WAIT:
	case SYT_SHAPE_JOIN:
	case SYT_SHAPE_REAP:
	case SYT_SHAPE_ACCEPT:
	case SYT_SHAPE_RECV:
	case SYT_SHAPE_TRANSFER:
	case SYT_SHAPE_SIGNAL_RECV:
		return true;
	default:
		return false;
	}
}

/* ---- sites ---- */

static struct syt_site_count *count_of(struct syt_sampling *shared, const struct syt_site *site)
{
	return &shared->counts[site - shared->sites.all];
}

static void store(struct syt_site_count *to, struct syt_site_count c)
{
	__atomic_store(to, &c, __ATOMIC_RELAXED);
}

/* The countdown may change until begin_run(). */
void syt_sample_end_run(struct syt_sampling *shared, const struct syt_site *site)
{
	struct syt_site_count *to = count_of(shared, site), c = *to;

	if (!c.run)
		return;
	c.left_out = (uint32_t)syt_site_left_out(to, site);
	c.run = 0;
	store(to, c);
}

static void begin_run(struct syt_sampling *shared, const struct syt_site *site)
{
	count_of(shared, site)->run = site->countdown;
}

/* Returns the value in `quick` that leads to SITE; entries cannot find the last site. */
static uint32_t quick_of(const struct syt_sampling *shared, const struct syt_site *site)
{
	return 2 * (uint32_t)(site - shared->sites.all + 1);
}

/* Lets the entries find SITE. If another site has the same place, it makes room if IS_FORCED. */
static void let_find(struct syt_sampling *shared, const struct syt_site *site, bool is_forced)
{
	uint8_t *place = &shared->quick[count_of(shared, site)->low];
	uint32_t quick = quick_of(shared, site);

	if (*place != quick && quick < 256 && (!*place || is_forced))
		*place = (uint8_t)quick;
}

/* Writes the number of calls that were left out at SITE to the dump, and clears it. If the process is killed in between, the
 * number of the record shows that the count is stale. */
static void flush(struct syt_self *s, const struct syt_site *site)
{
	struct syt_sampling *shared = s->sample.shared;
	struct syt_site_count *c = count_of(shared, site);

	syt_sample_end_run(shared, site);

	struct syt_meta_left_out m = {
		.thread = s->thread,
		.stack = site->stack,
		.call = c->call,
		.site = (uint16_t)(site - shared->sites.all),
		.number = shared->nr_flushed + 1,
		.left_out = c->left_out,
	};

	if (!c->left_out)
		return;
	syt_meta_append(SYT_META_LEFT_OUT, &m, sizeof(m), NULL, 0, NULL, 0);
	/* with very many sites, such records exceed the events */
	if (!syt_budget_is_share()) {
		s->sample.used += RECORD_BYTES;
		s->sample.ghosts += RECORD_BYTES;
	}
	SYT_ORDERED();
	c->left_out = 0;
	SYT_ORDERED();
	shared->nr_flushed++;
}

/* Returns the entry of the site C, which asks with KEY. */
static struct syt_site *find_site(struct syt_self *s, struct syt_call_site c, uint32_t key)
{
	struct syt_sampling *shared = s->sample.shared;
	uint32_t number = number_of(c, key);
	uint64_t hash = hash_of(number);
	struct syt_site *site = syt_sites_look(&shared->sites, hash);
	struct syt_site_count *count = count_of(shared, site);

	if (site->tag != syt_site_tag(hash) || count->low != (uint8_t)number) {
		flush(s, site);
		if (shared->quick[count->low] == quick_of(shared, site))
			shared->quick[count->low] = 0;
		syt_sites_take(&shared->sites, site, hash);
		count->low = (uint8_t)number;
		count->call = (uint16_t)key;
	}
	return site;
}

/* ---- the budget ---- */

#define TIMED 64u      /* one of so many records is timed */
#define USE_BYTES 256u /* a thread keeps less than this for itself */

static void add_use(struct syt_sample *t)
{
	syt_budget_use(t->used, t->ghosts);
	t->used = t->ghosts = 0;
}

/* Counts the bytes of the events that S has recorded since the last call. */
static void count_bytes(struct syt_self *s)
{
	struct syt_sample *t = &s->sample;
	const struct syt_lane_state *l = &s->slot.lane0;
	uint32_t bytes = l->pos - t->pos;

	if (l->pos < t->pos) { /* the events before are in a block now */
		bytes = l->pos;
		syt_budget_seal(t->pos, l->ring.packed_bytes);
	}
	t->pos = l->pos;
	t->used += bytes;
	if (t->was_ghost)
		t->ghosts += bytes;
	if (t->used >= USE_BYTES)
		add_use(t);
}

bool syt_sample_is_timed(struct syt_self *s)
{
	struct syt_sample *t = &s->sample;

	if (!syt_budget_is_share() || !(s->torn & SYT_SAMPLED) || t->is_timed ||
	    t->nr_records++ % TIMED)
		return false;
	t->is_timed = true;
	return true;
}

void syt_sample_used(struct syt_self *s, uint64_t ns)
{
	struct syt_sample *t = &s->sample;

	t->is_timed = false;
	syt_budget_use(ns * TIMED, t->was_ghost ? ns * TIMED : 0);
}

/* Gives the thread S the value that the budget allows at the time NOW. */
static void follow_budget(struct syt_self *s, uint64_t now)
{
	struct syt_sample *t = &s->sample;
	struct syt_sampler_options o = sampler.options;
	uint64_t value;

	if (t->used)
		add_use(t);
	value = syt_budget_value(now);
	if (value == t->value)
		return;
	t->value = value;
	syt_budget_apply(&o, value);
	syt_sampler_init(&t->sampler, &o);
	if (o.kind != SYT_SAMPLER_P)
		return;
	/* the other samplers draw again in the next second, or soon */
	for (unsigned i = 0; i < SYT_NR_SITES; i++) {
		syt_sample_end_run(t->shared, &t->shared->sites.all[i]);
		t->shared->sites.all[i].countdown = t->shared->sites.all[i].drawn = 0;
	}
}

static bool accepts(struct syt_self *s, struct syt_call_site c, uint32_t key, bool is_root)
{
	const struct syt_sampler *own = &s->sample.sampler;
	struct syt_sampling *shared = s->sample.shared;
	struct syt_site *site = find_site(s, c, key);
	uint64_t now;
	bool is_accepted;

	syt_sample_end_run(shared, site);
	if (sampler.options.at_root && !site->drawn) /* leave_out() has set the countdown */
		site->countdown = 0;
	if (syt_site_skips(site)) {
		begin_run(shared, site);
		if (syt_budget_is_on())
			syt_budget_skips();
		return false;
	}
	now = syt_clock_slow();
	if (syt_budget_is_on())
		follow_budget(s, now);
	if (now / SYT_SAMPLER_SECOND == shared->sites.second) {
		is_accepted = syt_sampler_accepts(own, &shared->sites, site, is_root, now);
		begin_run(shared, site);
		return is_accepted;
	}
	/* the begin of a second may change all countdowns */
	for (unsigned i = 0; i < SYT_NR_SITES; i++)
		syt_sample_end_run(shared, &shared->sites.all[i]);
	is_accepted = syt_sampler_accepts(own, &shared->sites, site, is_root, now);
	for (unsigned i = 0; i < SYT_NR_SITES; i++)
		begin_run(shared, &shared->sites.all[i]);
	return is_accepted;
}

/* If only roots ask, lets the next calls at C, the place of SITE, be skipped, unless C begins turns. */
static void let_skip_others(struct syt_sample *t, struct syt_call_site c, struct syt_site *site)
{
	if (!sampler.options.at_root || is_same(c, t->head) || (site->countdown && !site->drawn))
		return;
	syt_sample_end_run(t->shared, site);
	site->countdown = SYT_SITE_UNDECIDED - 1;
	site->drawn = 0;
	begin_run(t->shared, site);
}

/* Prepares the site C, which asked with KEY in vain, for calls that are skipped: captures its call stack. Returns the entry of the
 * site. Called outside of the recording of an event. */
static struct syt_site *prepare(struct syt_self *s, struct syt_call_site c, uint32_t key)
{
	struct syt_site *site = find_site(s, c, key);

	if (!site->stack)
		site->stack = syt_sample_capture((const void *)c.fp);
	let_skip_others(&s->sample, c, site);
	let_find(s->sample.shared, site, s->sample.nr % 16 == 0);
	return site;
}

/* Counts CALL at C, which asked with KEY, began at the time FROM, and is left out. */
static void leave_out(struct syt_self *s, struct syt_call_site c, uint32_t key, uint32_t call,
                      uint64_t from)
{
	struct syt_sampling *shared = s->sample.shared;
	struct syt_site *site = find_site(s, c, key);
	struct syt_site_count *to = count_of(shared, site), count;

	if (to->left_out >= UINT32_MAX - UINT8_MAX)
		flush(s, site);
	count = *to;
	count.left_out = (uint32_t)syt_site_left_out(to, site) + 1;
	count.call = (uint16_t)call;
	count.run = site->countdown;
	store(to, count);
	if (!shared->left_out)
		shared->gap_from = from;
	shared->left_out++;
	s->sample.nr_seen++;
}

/* ---- choices ---- */

static struct syt_choice *choice_of(struct syt_sample *t, uintptr_t fp)
{
	for (unsigned i = 0; i < SYT_NR_CHOICES; i++)
		if (t->choices[i].fp == fp)
			return &t->choices[i];
	return NULL;
}

bool syt_sample_is_unselected(const struct syt_self *s, const void *fp)
{
	return s->torn & SYT_SAMPLED && choice_of((struct syt_sample *)&s->sample, (uintptr_t)fp);
}

void syt_sample_ask_always(void)
{
	syt_sample_sites = &no_sites.all;
	syt_sample_skips = NULL;
}

/* Lets calls of the calling thread S be skipped if its turn is not kept. The short entry does not skip the first call after an
 * event, because its time is stored. */
static void let_skip(struct syt_self *s)
{
	const struct syt_sample *t = &s->sample;

	if (is_shadow || t->is_kept || s->borrower)
		return;
	if (t->shared->left_out)
		syt_sample_sites = t->shared;
	if (t->nr)
		syt_sample_skips = s;
}

/* Keeps the turn of the thread T, which a mark with HOPS reached at the time NOW. */
static void adopt(struct syt_sample *t, unsigned hops, uint64_t now)
{
	if (!t->nr)
		begin_turn(t, now);
	t->is_kept = true;
	t->hops = (uint8_t)(hops - 1);
}

/* Begins to sample the thread S. */
static void begin_thread(struct syt_self *s)
{
	struct syt_sampling *shared =
		(struct syt_sampling *)((uint8_t *)s->slot.shared + SYT_SAMPLING_AT);

	s->sample = (struct syt_sample){.shared = shared,
	                                .sampler = sampler,
	                                .pos = s->slot.lane0.pos,
	                                .has_budget = syt_budget_is_on()};
	shared->left_out = shared->gap_from = 0;
	memset(shared->quick, 0, sizeof(shared->quick));
	syt_sites_init(&shared->sites, syt_clock_release() ^ (uint64_t)s->tid << 32,
	               syt_clock_slow());
	if (syt_sample_has_marks()) {
		unsigned hops = syt_mark_taken_at_birth(s);

		if (hops)
			adopt(&s->sample, hops, syt_clock_release());
	}
	SYT_ORDERED();
	s->torn |= SYT_SAMPLED;
}

void syt_sample_end(struct syt_self *s)
{
	struct syt_sampling *shared = s->sample.shared;

	for (unsigned i = 0; i < SYT_NR_SITES; i++)
		flush(s, &shared->sites.all[i]);
	syt_sample_ask_always();
	s->torn &= ~SYT_SAMPLED;
}

static bool is_on_stack(const struct syt_self *s, uintptr_t sp)
{
	return sp < s->top && s->top - sp < SYT_STACK_SPAN;
}

/* Returns true if the frame FP is one of a signal handler that interrupted a decision. */
static bool is_nested(const struct syt_self *s, uintptr_t fp)
{
	uintptr_t asking = s->sample.asking;

	return s->torn & SYT_SAMPLED && asking &&
	       (!is_on_stack(s, fp) || !is_on_stack(s, asking) || fp < asking);
}

static bool selects(struct syt_self *s, struct syt_call_site c, uint32_t call)
{
	struct syt_sample *t = &s->sample;
	struct syt_choice *old = choice_of(t, c.fp);
	bool is_root;

	if (old) /* of a call that was left by a jump */
		old->fp = 0;
	is_root = begins_turn(t, c, is_wait_by_shape(shapes[call]));
	if (!t->is_kept && (is_root || !sampler.options.at_root)) {
		t->is_kept = accepts(s, c, call, is_root);
		t->hops = sampler.options.hops;
	}
	return t->is_kept;
}

static bool may_ask(struct syt_self *s, const void *fp)
{
	if (!is_on || !fp || s->borrower || is_nested(s, (uintptr_t)fp))
		return false;
	if (!(s->torn & SYT_SAMPLED))
		begin_thread(s);
	s->sample.asking = (uintptr_t)fp;
	SYT_ORDERED();
	syt_sample_ask_always();
	SYT_ORDERED();
	return true;
}

static SYT_ALWAYS_INLINE void choose(struct syt_self *s, const void *fp, uint32_t key,
                                     const struct syt_site *site)
{
	struct syt_sample *t = &s->sample;
	struct syt_choice *free = t->choices;

	if (__builtin_expect(free->fp && free->fp != (uintptr_t)fp, 0)) {
		free = choice_of(t, (uintptr_t)fp); /* of a call that was left by a jump */
		free = free ? free : choice_of(t, 0);
	}
	*(free ? free : &t->choices[t->next_choice++ % SYT_NR_CHOICES]) =
		(struct syt_choice){(uintptr_t)fp, key, (uint32_t)(site - t->shared->sites.all)};
}

static void stop_asking(struct syt_self *s)
{
	SYT_ORDERED();
	let_skip(s);
	SYT_ORDERED();
	s->sample.asking = 0;
}

/* Returns the site of CALL of the thread S with the frame FP if its countdown skips the call, else NULL. */
static SYT_ALWAYS_INLINE struct syt_site *skipped_site(struct syt_self *s, const void *fp,
                                                       uint32_t call)
{
	return syt_sample_skips == s && fp
	               ? syt_skip_find(s, fp, call, is_wait_by_shape(shapes[call]))
	               : NULL;
}

bool syt_sample_skips_recorded(const void *fp, uint32_t call)
{
	struct syt_self *s = syt_sample_skips;
	struct syt_site *site = s ? skipped_site(s, fp, call) : NULL;

	if (!site)
		return false;
	syt_skip_count_recorded(s, site);
	choose(s, fp, call, site);
	return true;
}

bool syt_sample_selects(struct syt_self *s, const void *fp, uint32_t call)
{
	bool is_selected;

	if (!may_ask(s, fp))
		return true;
	is_selected = selects(s, site_of(fp), call);
	if (!is_selected) {
		choose(s, fp, call,
		       is_shadow ? s->sample.shared->sites.all : prepare(s, site_of(fp), call));
	}
	stop_asking(s);
	return is_selected;
}

struct syt_site *syt_skip_look(struct syt_sampling *shared, uint32_t number)
{
	uint64_t hash = hash_of(number & 0xffffff);

	for (unsigned i = 0; number && i < 2 * SYT_SITE_WAYS; i++) {
		struct syt_site *site =
			syt_sites_set(&shared->sites, hash, i >= SYT_SITE_WAYS) + i % SYT_SITE_WAYS;

		if (site->tag == syt_site_tag(hash) &&
		    count_of(shared, site)->low == (uint8_t)number && site->stack) {
			let_find(shared, site, site->countdown % 16 == 0);
			return site->countdown ? site : NULL;
		}
	}
	return NULL;
}

void syt_skip_records(const void *fp, uint32_t call)
{
	struct syt_self *s = syt_self_tls;
	struct syt_site *site;

	if ((*syt_alive & SYT_ALIVE_MASK) != SYT_ALIVE || !s || !may_ask(s, fp))
		return;
	site = prepare(s, site_of(fp), call);
	if (site->countdown)
		syt_skip_count_recorded(s, site);
	choose(s, fp, call, site);
	stop_asking(s);
}

bool syt_sample_records(struct syt_self *s, const void *fp, uint32_t call)
{
	bool is_recorded = true;
	struct syt_site *site;

	if (is_shadow || (syt_sample_has_marks() && shapes[call] == SYT_SHAPE_READY)) {
		/* a mark may keep the call when it returns */
		syt_sample_selects(s, fp, call);
	} else if ((site = skipped_site(s, fp, call))) {
		syt_skip_count(s, site, 0);
		return false;
	} else if (may_ask(s, fp)) {
		is_recorded = selects(s, site_of(fp), call);
		if (!is_recorded) {
			prepare(s, site_of(fp), call);
			leave_out(s, site_of(fp), call, call, syt_clock_release());
		}
		stop_asking(s);
	}
	return is_recorded;
}

/* Returns the form of the event E of a call that was not selected. */
static enum syt_form form_of(const struct syt_event *e, uint64_t object)
{
	switch (unsampled[shapes[e->call]]) {
	case SYT_UNSAMPLED_WHOLE:
		return SYT_FORM_WHOLE;
	case SYT_UNSAMPLED_NONE:
		return SYT_FORM_NONE;
	case SYT_UNSAMPLED_COUNTER:
		if (object == SYT_OBJECT_COUNTED && !e->crossed)
			return SYT_FORM_NONE;
		__attribute__((fallthrough));
	default:
		return object == SYT_OBJECT_UNORDERED ? SYT_FORM_NONE : SYT_FORM_GHOST;
	}
}

/* Does syt_sample_event() while the entries skip no calls. */
static enum syt_form complete(struct syt_self *s, const struct syt_frame *f, struct syt_event *e,
                              bool is_release)
{
	struct syt_sampling *shared = s->sample.shared;
	struct syt_choice *choice = f->fp ? choice_of(&s->sample, (uintptr_t)f->fp) : NULL;
	uint64_t object = e->decision;
	enum syt_form form = choice ? form_of(e, object) : SYT_FORM_WHOLE;

	e->decision = 0;
	if (choice)
		choice->fp = 0;
	if (syt_budget_is_on() && !syt_budget_is_share())
		count_bytes(s);
	if (f->fp && may_wait(shapes[e->call]) &&
	    (e->flags & SYT_EVENT_BLOCKED || e->dur >= LEAST_WAIT_TICKS) &&
	    !is_same(site_of(f->fp), s->sample.head) && waits_at_head(&s->sample, site_of(f->fp))) {
		s->sample.nr = 0; /* the next call is a root */
		s->sample.is_kept = false;
	}
	/* a mark on what the call has waited for keeps the call, too: its frame still has the call stack */
	if (!is_release && f->fp && !s->sample.is_kept && syt_sample_has_marks()) {
		unsigned hops = syt_mark_taken(s, f, e, shapes[e->call]);

		if (hops) {
			adopt(&s->sample, hops, e->stamp);
			form = SYT_FORM_WHOLE;
		}
	}
	s->sample.marked = 0;
	if (is_shadow) {
		e->decision = form == SYT_FORM_NONE    ? SYT_DECISION_OUT
		              : form == SYT_FORM_GHOST ? SYT_DECISION_GHOST
		                                       : 0;
		return SYT_FORM_WHOLE;
	}
	if (form == SYT_FORM_NONE) {
		leave_out(s, site_of(f->fp), choice->key, e->call,
		          f->in ? f->in : e->stamp - e->dur);
		return form;
	}
	s->sample.was_ghost = form == SYT_FORM_GHOST;
	if (form == SYT_FORM_GHOST) {
		e->stack = SYT_GHOST_KEY(choice->site);
		if (is_release && !e->dur)
			e->dur = syt_clock_acquire() - e->stamp;
	}
	if (shared->left_out) {
		count_skipped(&s->sample);
		e->left_out = shared->left_out;
		e->gap = e->stamp > shared->gap_from ? e->stamp - shared->gap_from : 0;
		shared->left_out = shared->gap_from = s->sample.nr_seen = 0;
	}
	return form;
}

uint64_t syt_sample_takes_gap(struct syt_self *s, uint64_t stamp, uint64_t *gap)
{
	struct syt_sampling *shared = s->sample.shared;
	uint64_t left_out = shared->left_out;

	if (!left_out)
		return 0;
	syt_sample_sites = &no_sites.all;
	SYT_ORDERED();
	count_skipped(&s->sample);
	*gap = stamp > shared->gap_from ? stamp - shared->gap_from : 0;
	left_out = shared->left_out;
	shared->left_out = shared->gap_from = s->sample.nr_seen = 0;
	return left_out;
}

enum syt_form syt_sample_event(struct syt_self *s, const struct syt_frame *f, struct syt_event *e,
                               bool is_release)
{
	enum syt_form form;

	syt_sample_ask_always();
	SYT_ORDERED();
	form = complete(s, f, e, is_release);
	SYT_ORDERED();
	if (!s->sample.asking)
		let_skip(s);
	return form;
}
