/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Decodes the most frequent events of encoding version 5 in fewer instructions than syt_event_decode() (format/event.h):
 * events without a result and optional fields, and events whose optional fields the predictor guesses by a habit.
 * syt_quick_decode() leaves all other events, and the last bytes of a block, to syt_event_decode(). It makes the same event
 * and changes the predictor in the same way.
 */
#ifndef SYT_DECODER_READ_QUICK_H
#define SYT_DECODER_READ_QUICK_H

#include <stdbool.h>

#include "format/event.h"

/* The event. The members of struct syt_event without a place here are 0. */
struct syt_quick {
	uint64_t stamp, dur;
	uint32_t call, stack, object;
	uint32_t object2;
	int64_t result;
	uint64_t offset; /* with SYT_QUICK_READY: bits SYT_READY_* */
};

enum syt_quick_kind {
	SYT_QUICK_NONE,  /* syt_quick_decode() did nothing */
	SYT_QUICK_PLAIN, /* no result and no optional field */
	SYT_QUICK_MOVED, /* syt_event_is_moved() */
	SYT_QUICK_READY, /* syt_event_is_ready(): `object2` is the ready object, `offset` its events */
	SYT_QUICK_WAITED, /* syt_event_is_waited(), with `object2` */
};

/* A code of format/codes.h: the time is BASE and the bits MASK of the next bytes, of which it has BYTES. */
struct syt_quick_code {
	uint32_t mask, base, bytes;
};

/* The events of a block, one after the other. */
struct syt_quick_walk {
	struct syt_predictor predictor;
	struct syt_cursor c;
	struct syt_quick_code gaps[16], durs[16];
};

/* The members of a walk that each event changes. A loop has them in local variables, which the compiler keeps in registers. */
struct syt_quick_at {
	const uint8_t *p, *until; /* until: syt_quick_decode() may begin before */
	uint64_t end;
	uint32_t stack, at;
};

/* An event of syt_quick_decode() has at most 15 bytes. */
#define SYT_QUICK_BYTES 16

static inline void syt_quick_fill(struct syt_quick_code *codes, unsigned nr_common,
                                  const uint8_t *common)
{
	for (unsigned i = 0; i < nr_common; i++)
		codes[i] = (struct syt_quick_code){0xff, (uint32_t)common[i] << 8, 1};
	codes[nr_common] = (struct syt_quick_code){0xffff, 0, 2};
	codes[nr_common + 1] = (struct syt_quick_code){0xffff, 0x10000, 2};
	codes[nr_common + 2] = (struct syt_quick_code){0xffffff, 0, 3};
}

/* Takes the position from W, after a call of syt_event_decode(). */
static inline __attribute__((always_inline)) struct syt_quick_at
syt_quick_enter(const struct syt_quick_walk *w)
{
	const struct syt_predictor *p = &w->predictor;
	bool is_quick = p->is_coded && w->c.end - w->c.p >= SYT_QUICK_BYTES;

	return (struct syt_quick_at){w->c.p, is_quick ? w->c.end - SYT_QUICK_BYTES + 1 : w->c.p,
	                             p->end, p->stack, p->at};
}

/* Gives the position back to W, before a call of syt_event_decode(). */
static inline __attribute__((always_inline)) void syt_quick_leave(struct syt_quick_walk *w,
                                                                  const struct syt_quick_at *at)
{
	w->c.p = at->p;
	w->predictor.end = at->end;
	w->predictor.stack = at->stack;
	w->predictor.at = at->at;
}

/* Begins with the BYTES at RAW, the events of a block of VERSION. */
static inline void syt_quick_begin(struct syt_quick_walk *w, unsigned version, uint64_t first_ticks,
                                   const uint8_t *raw, uint32_t bytes)
{
	*w = (struct syt_quick_walk){.c = {raw, raw + bytes, 0}};
	syt_predictor_begin(&w->predictor, version, first_ticks, &w->c);
	syt_quick_fill(w->gaps, SYT_NR_COMMON_GAPS, w->predictor.common.gaps);
	syt_quick_fill(w->durs, SYT_NR_COMMON_DURS, w->predictor.common.durs);
}

static inline uint32_t syt_quick_time(const uint8_t **q, const struct syt_quick_code *code)
{
	uint32_t time = (syt_load_le32(*q) & code->mask) + code->base;

	*q += code->bytes;
	return time;
}

static inline uint32_t syt_quick_le16(const uint8_t *q)
{
	return (uint32_t)q[0] | (uint32_t)q[1] << 8;
}

/* Reads a varint of one or two bytes. Sets *IS_LONG if it has more. */
static inline uint32_t syt_quick_varint(const uint8_t **q, bool *is_long)
{
	uint32_t b = *(*q)++;

	if (__builtin_expect(b < 0x80, 1))
		return b;
	*is_long |= **q >= 0x80;
	b = (b & 0x7f) | (uint32_t)(*q)[0] << 7;
	++*q;
	return b;
}

/* Does syt_quick_varint() without a branch: the length of a time difference is random. */
static inline uint32_t syt_quick_dt(const uint8_t **q, bool *is_long)
{
	uint32_t b = syt_quick_le16(*q), more = b >> 7 & 1;

	*is_long = (b & 0x8080) == 0x8080;
	*q += 1 + more;
	return (b & 0x7f) | (b >> 1 & 0x3f80 & -more);
}

/* Sets the optional fields that the predictor guesses by the entry AT. Returns SYT_QUICK_NONE for a rare habit. */
static inline enum syt_quick_kind syt_quick_guess(struct syt_predictor *p, uint32_t at,
                                                  struct syt_quick *e)
{
	uint64_t habit = p->habits[at / sizeof(struct syt_guess)];
	uint64_t key = syt_position_key(e->object, e->call);
	struct syt_position *position = syt_position(p, e->object, e->call);

	switch (habit & SYT_HABIT_KIND) {
	case 0:
		if (!habit)
			return SYT_QUICK_NONE;
		e->result = (int64_t)habit;
		e->offset = position->key == key ? position->end : 0;
		position->key = key;
		position->end = e->offset + habit;
		return SYT_QUICK_MOVED;
	case SYT_HABIT_READY:
		e->result = 1;
		e->object2 = (uint32_t)(habit >> 8);
		e->offset = habit & 0xff;
		return SYT_QUICK_READY;
	case SYT_HABIT_WAITED:
		e->result = 0;
		e->object2 = (uint32_t)habit;
		return SYT_QUICK_WAITED;
	default:
		return SYT_QUICK_NONE;
	}
}

/* Decodes the event at AT into E. */
static inline __attribute__((always_inline)) enum syt_quick_kind
syt_quick_decode(struct syt_quick_walk *w, struct syt_quick_at *at, struct syt_quick *e)
{
	struct syt_predictor *p = &w->predictor;
	struct syt_guess *before = syt_guess(p, at->at);
	const uint8_t *q = at->p;
	uint32_t stack = before->next;
	uint32_t gap, dur = 0;
	bool is_long = false;

	if (__builtin_expect(q >= at->until, 0))
		return SYT_QUICK_NONE;

	unsigned first = *q++, flags = first - SYT_FORM_PARTS;

	if (first >= SYT_FORM_PARTS) {
		if (flags & SYT_HAS_RESULT)
			return SYT_QUICK_NONE;
		if (flags & SYT_HAS_DUR) {
			unsigned times = *q++;

			if (times >= SYT_CODES_END || (times & 15) == 15)
				return SYT_QUICK_NONE;
			gap = syt_quick_time(&q, &w->gaps[times >> 4]);
			dur = syt_quick_time(&q, &w->durs[times & 15]);
		} else {
			gap = syt_quick_dt(&q, &is_long);
		}
	} else if (first < SYT_CODES_END) {
		if ((first & 15) == 15)
			return SYT_QUICK_NONE;
		gap = syt_quick_time(&q, &w->gaps[first >> 4]);
		dur = syt_quick_time(&q, &w->durs[first & 15]);
		flags = SYT_HAS_EXTRA;
	} else {
		if (first > SYT_FORM_PLAIN + 1)
			return SYT_QUICK_NONE;
		gap = syt_quick_le16(q) & (first == SYT_FORM_PLAIN ? 0xff : 0xffff);
		q += 1 + first - SYT_FORM_PLAIN;
		flags = 0;
	}

	uint32_t call_of = 0;

	if (__builtin_expect(flags & (SYT_HAS_CALL | SYT_HAS_STACK), 0)) {
		if (flags & SYT_HAS_CALL)
			call_of = syt_quick_varint(&q, &is_long);
		if (flags & SYT_HAS_STACK)
			stack = at->stack + (uint32_t)syt_unzigzag(syt_quick_varint(&q, &is_long));
	}
	/* in a sampled dump, syt_event_decode() decodes events without a call stack, and those after them */
	if (__builtin_expect(stack >= SYT_GHOST_LAST && syt_predictor_has_ghosts(p), 0))
		return SYT_QUICK_NONE;

	uint32_t to = syt_guess_at(stack);
	struct syt_guess *g = syt_guess(p, to);
	uint32_t object = flags & SYT_HAS_OBJECT ? syt_quick_varint(&q, &is_long)
	                                          : syt_guessed_object(p, g);
	enum syt_quick_kind kind = SYT_QUICK_PLAIN;

	if (!(flags & SYT_HAS_CALL))
		call_of = g->call_of;
	if (__builtin_expect(is_long, 0))
		return SYT_QUICK_NONE;
	e->call = call_of >> 1;
	e->stack = stack;
	e->object = object;
	if (flags & SYT_HAS_EXTRA) {
		/* with flags in the event, the length of the optional fields */
		if (first >= SYT_FORM_PARTS && *q++)
			return SYT_QUICK_NONE;
		kind = syt_quick_guess(p, to, e);
		if (kind == SYT_QUICK_NONE)
			return kind;
		p->has_habits = 1;
	}
	/* syt_predictor_learn(); `before` and `g` may be the same entry */
	before->next = stack;
	if (first < SYT_CODES_END || flags & SYT_HAS_DUR)
		object = syt_learn_turn(p, g, stack, object);
	g->stack = stack;
	g->call_of = call_of;
	g->object = object;
	if (kind == SYT_QUICK_READY) { /* syt_predictor_learn_extra() */
		const struct syt_ready ready = {e->object2, (uint32_t)e->offset, 0};

		syt_learn_ready(p, &ready, 0);
		syt_learn_list(p, 1);
	}
	e->dur = dur;
	e->stamp = at->end + gap;
	at->end = e->stamp + dur;
	if (dur && !(call_of & 1))
		e->stamp = at->end;
	at->p = q;
	at->stack = stack;
	at->at = to;
	return kind;
}

#endif
