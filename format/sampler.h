/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Samplers: a sampler decides which calls of a thread a trace keeps (doc/sampling.md).
 *
 * A thread has a table of its call sites. After each accepted call, the sampler draws the next accepted call of the site
 * and counts down to it, so most calls cost one decrement. The sampler reads the clock only at the end of a countdown.
 * This file uses integers only: a floating-point operation changes the exception flags of the traced program, which the
 * program can read. Logarithms and numbers of samples have 24 binary digits behind the point. The functions have no state
 * except the table, call no function of libc and allocate no memory. One thread at a time may use a table.
 */
#ifndef SYT_FORMAT_SAMPLER_H
#define SYT_FORMAT_SAMPLER_H

#include <stdint.h>

#define SYT_SAMPLER_POINT 24
#define SYT_SAMPLER_UNIT 1000000u /* the parameters of a sampler are in millionths */
#define SYT_SAMPLER_SECOND UINT64_C(1000000000)
#define SYT_SAMPLER_TICK 12 /* a bucket counts time in units of 2^12 ns */

enum syt_sampler_kind { SYT_SAMPLER_P, SYT_SAMPLER_BUMP, SYT_SAMPLER_BUCKET, SYT_NR_SAMPLER_KINDS };

/* The parameters of a sampler in millionths, as the user gives them. A sampler uses only its own. */
struct syt_sampler_options {
	uint8_t kind;    /* enum syt_sampler_kind */
	uint8_t at_root; /* 1: ask only at the roots of turns; 0: at each call */
	uint8_t hops;    /* number of threads that a sampled turn reaches through releases */
	uint64_t p;      /* p: probability of an accepted call, at most 1 */
	/* bump: 0.1 to 1000 accepted calls of a site in a second, divided by the root of pi; least probability */
	uint64_t lambda, floor;
	/* bucket: most tokens of a site, 1 to 1000; new tokens in a second, 0.01 to 1000 */
	uint64_t size, rate;
};

/* How one kind of site is sampled: a call with the number k is accepted with the probability 1 - exp(-h), where h
 * is the maximum of lambda2 / k^2 and floor. */
struct syt_hazard {
	uint64_t lambda2, floor; /* SYT_SAMPLER_POINT */
	uint64_t floor_from;     /* the least k for which h is the floor; UINT64_MAX: none */
};

struct syt_sampler {
	struct syt_sampler_options options;
	struct syt_hazard root, other; /* p, bump: at the roots of turns, and at other sites */
	/* bucket: ticks until a token is added, and ticks until a bucket with one token is full */
	uint32_t interval, room;
};

/* A call site of a thread. The number of calls in this second is `calls` and, of the present countdown, drawn - 1 -
 * countdown. */
struct syt_site {
	uint16_t tag;      /* part of the hash of the site; 0: the entry is empty */
	uint8_t countdown; /* number of calls to skip before the sampler decides again */
	/* 1 + number of calls that the last draw skips; SYT_SITE_UNDECIDED: the call after them is not yet
	 * accepted; 0: there was no draw in this second */
	uint8_t drawn;
	uint32_t calls;
	uint32_t stack; /* for the owner of the table: identifies the site in reports */
	uint32_t full;  /* bucket: the tick at which the bucket is full */
};
_Static_assert(sizeof(struct syt_site) == 16, "four sites have one cache line");

#define SYT_SITE_UNDECIDED 255u
#define SYT_SITE_WAYS 4u
#define SYT_NR_SITES 128u

struct syt_sites {
	struct syt_site all[SYT_NR_SITES];
	uint64_t second, since_ns; /* the present second; the time from which `calls` counts */
	uint64_t random;           /* state of the random numbers, not 0 */
	uint64_t nr_displaced;     /* number of sites that took the entry of another site */
};

/* Initializes T. An equal SEED gives equal random numbers. */
static inline void syt_sites_init(struct syt_sites *t, uint64_t seed, uint64_t now_ns)
{
	static const struct syt_site empty = {.tag = 0};

	for (unsigned i = 0; i < SYT_NR_SITES; i++) {
		t->all[i] = empty;
		t->all[i].full = (uint32_t)(now_ns >> SYT_SAMPLER_TICK);
	}
	t->second = UINT64_MAX;
	t->since_ns = now_ns;
	t->nr_displaced = 0;
	/* the finalizer of MurmurHash3 separates the sequences of consecutive seeds */
	seed = (seed ^ seed >> 33) * UINT64_C(0xff51afd7ed558ccd);
	seed = (seed ^ seed >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
	t->random = (seed ^ seed >> 33) | 1;
}

static inline uint16_t syt_site_tag(uint64_t hash)
{
	uint16_t tag = (uint16_t)(hash >> 32);

	return tag ? tag : 1;
}

/* Returns the number of calls of the site S in this second that is known: those of the present countdown, too. Where only roots
 * ask, the recorder sets a countdown that no number was drawn for. */
static inline uint32_t syt_site_used(const struct syt_site *s)
{
	uint32_t from = s->drawn ? s->drawn - 1u : SYT_SITE_UNDECIDED - 1u;

	return s->calls + (s->countdown && s->countdown < from ? from - s->countdown : 0);
}

/* Returns one of the two sets of entries for a site with the hash HASH: the first one, or the second one, which is another. */
static inline struct syt_site *syt_sites_set(struct syt_sites *t, uint64_t hash, int is_second)
{
	uint64_t set = hash ^ (is_second ? (hash >> 40 | 1) : 0);

	return &t->all[set % (SYT_NR_SITES / SYT_SITE_WAYS) * SYT_SITE_WAYS];
}

/* Returns the entry of the site with the hash HASH, or the entry that a new site with this hash takes: an empty entry, or the
 * entry of the site with the fewest known calls in this second. An entry does not become empty again, so a site
 * is not behind an empty entry. */
static inline struct syt_site *syt_sites_look(struct syt_sites *t, uint64_t hash)
{
	struct syt_site *least = syt_sites_set(t, hash, 0);

	for (int is_second = 0; is_second < 2; is_second++) {
		struct syt_site *set = syt_sites_set(t, hash, is_second);

		for (unsigned i = 0; i < SYT_SITE_WAYS; i++) {
			struct syt_site *s = &set[i];

			if (s->tag == syt_site_tag(hash) || !s->tag)
				return s;
			if (syt_site_used(s) < syt_site_used(least))
				least = s;
		}
	}
	return least;
}

/* Gives the entry S, the result of syt_sites_look(), to the site with the hash HASH. If very many sites were displaced in
 * this second, as by coroutines, the new site inherits the counts of the entry. Otherwise each of its calls would be a
 * first call, which is accepted. */
static inline void syt_sites_take(struct syt_sites *t, struct syt_site *s, uint64_t hash)
{
	if (s->tag && t->nr_displaced++ < SYT_NR_SITES) {
		s->countdown = s->drawn = 0;
		s->calls = 0;
		s->full = (uint32_t)(t->since_ns >> SYT_SAMPLER_TICK);
	}
	s->tag = syt_site_tag(hash);
	s->stack = 0;
}

/* Returns the entry of the site with the hash HASH. */
static inline struct syt_site *syt_sites_find(struct syt_sites *t, uint64_t hash)
{
	struct syt_site *s = syt_sites_look(t, hash);

	if (s->tag != syt_site_tag(hash))
		syt_sites_take(t, s, hash);
	return s;
}

/* Counts a call of the site S. Returns 1 if the countdown skips the call, or 0 if syt_sampler_accepts() must decide. */
static inline int syt_site_skips(struct syt_site *s)
{
	if (!s->countdown)
		return 0;
	s->countdown--;
	return 1;
}

/* Returns -ln(U) for a random number U from (0, 1] with the distribution of RANDOM / 2^64; 0 counts as 1. The error of the
 * linear interpolation is below 4e-5. */
static inline uint64_t syt_minus_ln(uint64_t random)
{
	/* -ln(1/2 + i/128), for i from 0 to 64 */
	static const uint32_t table[65] = {
		11629080, 11368963, 11112817, 10860523, 10611968, 10367040, 10125637, 9887659,
		9653009,  9421595,  9193330,  8968129,  8745911,  8526598,  8310115,  8096389,
		7885352,  7676937,  7471079,  7267716,  7066789,  6868240,  6672013,  6478055,
		6286313,  6096738,  5909281,  5723895,  5540536,  5359159,  5179722,  5002184,
		4826504,  4652646,  4480570,  4310242,  4141625,  3974686,  3809392,  3645710,
		3483610,  3323062,  3164035,  3006501,  2850433,  2695803,  2542585,  2390754,
		2240285,  2091153,  1943335,  1796809,  1651550,  1507539,  1364753,  1223173,
		1082777,  943546,   805461,   668503,   532655,   397897,   264214,   131587,
		0,
	};
	unsigned zeros = random ? (unsigned)__builtin_clzll(random) : 63;
	uint64_t mantissa = (random ? random : 1) << zeros; /* from 2^63 on */
	unsigned i = (unsigned)(mantissa >> 57) - 64;
	uint64_t part = mantissa >> 33 & 0xffffff; /* of the interval */

	return zeros * UINT64_C(11629080) + table[i] -
	       ((uint64_t)(table[i] - table[i + 1]) * part >> 24);
}

/* Returns a number with the exponential distribution of mean 1 (xorshift64*). */
static inline uint64_t syt_sites_draw(struct syt_sites *t)
{
	t->random ^= t->random >> 12;
	t->random ^= t->random << 25;
	t->random ^= t->random >> 27;
	return syt_minus_ln(t->random * UINT64_C(0x2545f4914f6cdd1d));
}

/* Returns A * B / 2^32, for A below 2^45 and B below 2^33. */
static inline uint64_t syt_sampler_product(uint64_t a, uint64_t b)
{
	return ((a >> 24) * b >> 8) + ((a & 0xffffff) * b >> 32);
}

/* Returns the number of calls from the number X on that are skipped before the next accepted call. This is the least
 * n for which the sum of h over the calls X to X + n is at least E, or a number from MOST on if n is at least MOST. X is at least
 * 1 unless h is the floor for all calls. */
static inline uint64_t syt_hazard_skip(const struct syt_hazard *h, uint64_t x, uint64_t e,
                                       uint64_t most)
{
	uint64_t sum = 0, k = x, begin, end, wanted;

	e += !e;
	/* adds the first terms; from 16 on, the sum is near to an integral */
	for (; k < 16 && k < h->floor_from; k++) {
		sum += h->lambda2 / (k * k);
		if (sum >= e)
			return k - x;
	}
	if (k < h->floor_from) {
		/* the sum of lambda2 / i^2 over i from k to n is near to lambda2 * (1/(k - 1/2) - 1/(n + 1/2)) */
		begin = (UINT64_C(2) << 32) / (2 * k - 1);
		end = h->floor_from < UINT32_MAX / 2 ? (UINT64_C(2) << 32) / (2 * h->floor_from - 1)
		                                     : 0;
		wanted = h->lambda2 ? ((e - sum) << 32) / h->lambda2 + 1 : UINT64_MAX;
		if (wanted < begin && begin - wanted > end) {
			uint64_t n = ((UINT64_C(2) << 32) / (begin - wanted) + 1) / 2;

			return (n > k ? n : k) - x;
		}
		if (h->floor_from == UINT64_MAX)
			return most;
		if (begin > end)
			sum += syt_sampler_product(h->lambda2, begin - end);
		if (sum >= e)
			sum = e - 1; /* by rounding */
		k = h->floor_from;
	}
	return h->floor ? k - x + (e - sum - 1) / h->floor : most;
}

/* Lets the site S skip the next SKIPPED calls, or as many as a countdown can skip. Then the sampler draws again, because the
 * exponential distribution has no memory. */
static inline void syt_site_skip(struct syt_site *s, uint64_t skipped)
{
	s->drawn = (uint8_t)(skipped < SYT_SITE_UNDECIDED - 1 ? skipped + 1 : SYT_SITE_UNDECIDED);
	s->countdown = (uint8_t)(s->drawn - 1);
}

static inline int syt_hazard_accepts(const struct syt_hazard *h, struct syt_sites *t,
                                     struct syt_site *s, int is_accepted)
{
	uint64_t skipped = 0;

	if (!is_accepted) {
		skipped = syt_hazard_skip(h, s->calls, syt_sites_draw(t), SYT_SITE_UNDECIDED);
		is_accepted = !skipped;
	}
	s->calls++;
	if (is_accepted)
		skipped = syt_hazard_skip(h, s->calls, syt_sites_draw(t), SYT_SITE_UNDECIDED);
	else
		skipped--; /* the present call */
	syt_site_skip(s, skipped);
	return is_accepted;
}

/* NOW is in ticks; the site's calls were counted for SINCE ticks. The bucket is full at the tick s->full. */
static inline int syt_bucket_accepts(const struct syt_sampler *sampler, struct syt_site *s,
                                     uint32_t now, uint64_t since)
{
	uint32_t lacking = s->full - now; /* ticks until the bucket is full */
	int is_accepted;

	if (lacking > sampler->room + sampler->interval)
		lacking = 0; /* the bucket is full since some time */
	is_accepted = lacking <= sampler->room;
	if (is_accepted)
		lacking += sampler->interval;
	s->full = now + lacking;
	s->calls++;
	s->drawn = 0;
	/* skips half of the calls that are expected until there is a token; a few calls show no rate */
	if (lacking > sampler->room && s->calls >= 8 && since)
		syt_site_skip(s, (lacking - sampler->room) * (uint64_t)s->calls / since / 2);
	return is_accepted;
}

static inline void syt_sites_begin_second(const struct syt_sampler *sampler, struct syt_sites *t,
                                          uint64_t now_ns)
{
	t->second = now_ns / SYT_SAMPLER_SECOND;
	t->since_ns = now_ns;
	t->nr_displaced = 0;
	for (unsigned i = 0; i < SYT_NR_SITES; i++) {
		t->all[i].calls = 0;
		if (sampler->options.kind == SYT_SAMPLER_BUMP)
			t->all[i].countdown = t->all[i].drawn = 0;
	}
}

/* Decides about a call of the site S of T, for which syt_site_skips() returned 0. IS_ROOT: the call begins a turn. Returns
 * 1 if the call is accepted. */
static inline int syt_sampler_accepts(const struct syt_sampler *sampler, struct syt_sites *t,
                                      struct syt_site *s, int is_root, uint64_t now_ns)
{
	int is_accepted = s->drawn && s->drawn != SYT_SITE_UNDECIDED;

	if (s->drawn)
		s->calls += s->drawn - 1u;
	if (now_ns / SYT_SAMPLER_SECOND != t->second)
		syt_sites_begin_second(sampler, t, now_ns);
	if (sampler->options.kind == SYT_SAMPLER_BUCKET)
		return syt_bucket_accepts(sampler, s, (uint32_t)(now_ns >> SYT_SAMPLER_TICK),
		                          (now_ns - t->since_ns) >> SYT_SAMPLER_TICK);
	if (sampler->options.kind == SYT_SAMPLER_BUMP)
		is_accepted |= !s->calls;
	return syt_hazard_accepts(is_root ? &sampler->root : &sampler->other, t, s, is_accepted);
}

/* Returns -ln(1 - P), for P in millionths, and a number greater than all draws for P = 1. */
static inline uint64_t syt_sampler_hazard_of(uint64_t p)
{
	uint64_t rest = ((SYT_SAMPLER_UNIT - p) << 32) / SYT_SAMPLER_UNIT, sum = 0, power, y;

	if (!rest)
		return UINT64_C(64) << SYT_SAMPLER_POINT;
	for (; rest < UINT64_C(1) << 31; rest *= 2)
		sum += UINT64_C(2977044472); /* ln 2 */
	y = (UINT64_C(1) << 32) - rest;
	power = y;
	for (unsigned i = 1; i <= 32; i++) {
		sum += power / i;
		power = power * y >> 32;
	}
	return sum >> (32 - SYT_SAMPLER_POINT);
}

static inline void syt_hazard_init(struct syt_hazard *h, uint64_t lambda2, uint64_t floor)
{
	uint64_t root = 0;

	h->lambda2 = lambda2;
	h->floor = floor;
	h->floor_from = lambda2 ? UINT64_MAX : 0;
	if (!floor || !lambda2)
		return;
	for (uint64_t bit = UINT64_C(1) << 31; bit; bit /= 2)
		if ((root + bit) * (root + bit) <= lambda2 / floor)
			root += bit;
	h->floor_from = root + 1;
}

/* Prepares the sampler S for valid options. */
static inline void syt_sampler_init(struct syt_sampler *s, const struct syt_sampler_options *o)
{
	static const struct syt_sampler none = {.interval = 0};
	uint64_t lambda2;

	*s = none;
	s->options = *o;
	switch (o->kind) {
	case SYT_SAMPLER_P:
		syt_hazard_init(&s->root, 0, syt_sampler_hazard_of(o->p));
		s->other = s->root;
		break;
	case SYT_SAMPLER_BUMP:
		lambda2 = (o->lambda * o->lambda / SYT_SAMPLER_UNIT << SYT_SAMPLER_POINT) /
		          SYT_SAMPLER_UNIT;
		syt_hazard_init(&s->root, lambda2, syt_sampler_hazard_of(o->floor));
		/* a turn has many calls at other sites, which would multiply the accepted calls */
		syt_hazard_init(&s->other, lambda2 / 64, 0);
		break;
	default:
		s->interval = (uint32_t)((SYT_SAMPLER_SECOND * SYT_SAMPLER_UNIT / o->rate) >>
		                         SYT_SAMPLER_TICK);
		s->room = (uint32_t)((o->size - SYT_SAMPLER_UNIT) * s->interval / SYT_SAMPLER_UNIT);
	}
}

#endif
