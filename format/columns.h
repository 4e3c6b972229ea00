/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Sorts the bytes of the events of a block by their kind (SYT_CODEC_COLUMNS), and puts them back. The times of events
 * have few repetitions, so LZ4 only looks at the other bytes. The payload of such a block has three parts:
 *
 *   struct syt_columns
 *   times    time_bytes bytes. For each event:
 *              1 byte   codes of the upper bytes: of the gap in bits 0 to 3, of dur in bits 4 to 7
 *              1 byte   low byte of the gap, then the upper bytes that its code announces
 *              1 byte   low byte of dur, then the upper bytes that its code announces         if SYT_HAS_DUR
 *   rest     LZ4 block. For each event: a control byte; then call, stack, object, result and extra as in format/event.h.
 *            After nr_events events, the other bytes of the block as they are
 *
 * The control byte has the flags SYT_HAS_*, SYT_COLUMNS_GAP and SYT_COLUMNS_LONG. The gap is the time difference dt of
 * the event. With SYT_COLUMNS_GAP, the gap is dt minus dur, and minus the dur of the event before if that event has
 * no SYT_COLUMNS_GAP. So the gap is the time between two calls, even if one call waited, and dt is computed from
 * it again. The upper bytes of a time are the time divided by 256; their code is one of
 *
 *   0 to 11   the entry of the table `common`, with the most common values
 *   12        1 byte follows
 *   13        1 byte follows: the value minus 256
 *   14        2 bytes follow
 *   15        7 bytes follow
 *
 * Only an event as the recorder writes it has this form: dt in as few bytes as it needs, and dur in as few bytes as it
 * needs, or in two if one is enough (SYT_COLUMNS_LONG). All bytes from the first other event on are kept as they are.
 */
#ifndef SYT_FORMAT_COLUMNS_H
#define SYT_FORMAT_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#include "format/event.h"
#include "format/format.h"
#include "format/wire.h"

#define SYT_COLUMNS_FLAGS 0x3fu
#define SYT_COLUMNS_GAP 0x40u
#define SYT_COLUMNS_LONG 0x80u
/* the flags of an event of which all is guessed but the times */
#define SYT_COLUMNS_GUESSED (SYT_HAS_DUR | SYT_HAS_EXTRA)

/* Number of events at the start of a block from which the table of common values is made. */
#define SYT_COLUMNS_SAMPLE 256u

/* The memory that syt_columns_split() needs. */
struct syt_columns_scratch {
	/* for the gap and for dur, for each value of the upper bytes below 512: the number of events of the sample, then
	 * the code, of dur in bits 4 to 7, and above it the number of bytes that follow */
	uint16_t codes[2][512];
	/* for each width of dt but the greatest: a mask with the bits of dt, and the greatest dt of a smaller width */
	uint32_t masks[4], smaller[4];
	uint8_t rest[SYT_LANE0_BYTES];
};

/* position of the number of bytes that follow */
#define SYT_COLUMNS_MORE_SHIFT 8
/* Bytes that must be free behind the times of the remaining events: more than the times of one event. */
#define SYT_COLUMNS_SLACK 32u

/* The parts of an event in its encoding. */
struct syt_columns_event {
	uint64_t dt, dur;
	const uint8_t *head, *head_end; /* call, stack, object */
	const uint8_t *tail, *tail_end; /* result, extra */
	unsigned control;               /* without SYT_COLUMNS_GAP */
};

static inline unsigned syt_columns_varint_bytes(uint64_t v)
{
	unsigned n = 1;

	for (; v >= 0x80; v >>= 7)
		n++;
	return n;
}

/* Returns the number of bytes of a time difference. */
static inline unsigned syt_columns_dt_bytes(uint64_t dt)
{
	return dt >> 24 ? 8 : 1 + (dt > 0xff) + (dt > 0xffff);
}

/* Returns the end of the varint at P, or NULL if it does not end before END. */
static inline const uint8_t *syt_columns_skip(const uint8_t *p, const uint8_t *end)
{
	for (unsigned n = 0; n < SYT_VARINT_MAX && p < end; n++)
		if (*p++ < 0x80)
			return p;
	return NULL;
}

/* Returns the end of the call, stack and object at P of an event with FLAGS, or NULL. */
static inline const uint8_t *syt_columns_skip_head(const uint8_t *p, const uint8_t *end,
                                                   unsigned flags)
{
	for (unsigned n = (flags & SYT_HAS_CALL) / SYT_HAS_CALL +
	                  (flags & SYT_HAS_STACK) / SYT_HAS_STACK +
	                  (flags & SYT_HAS_OBJECT) / SYT_HAS_OBJECT;
	     n && p; n--)
		p = syt_columns_skip(p, end);
	return p;
}

/* Returns the end of the result and extra at P of an event with FLAGS, or NULL. */
static inline const uint8_t *syt_columns_skip_tail(const uint8_t *p, const uint8_t *end,
                                                   unsigned flags)
{
	struct syt_cursor c = {p, end, 0};
	uint64_t bytes;

	if (flags & SYT_HAS_RESULT) {
		int is_negative = p < end && *p & 1;

		c.p = syt_columns_skip(p, end);
		if (c.p && is_negative)
			c.p = syt_columns_skip(c.p, end);
	}
	if (!c.p || !(flags & SYT_HAS_EXTRA))
		return c.p;
	if (c.p < end && *c.p < 0x80)
		bytes = *c.p++;
	else
		bytes = syt_get_varint(&c);
	return c.failed || bytes > (uint64_t)(end - c.p) ? NULL : c.p + bytes;
}

/* ---- the recorder ---- */

/* Finds the parts of the event at P. Returns its end, or NULL if the event does not have the form of this file. */
static inline const uint8_t *syt_columns_parse(struct syt_columns_event *e, const uint8_t *p,
                                               const uint8_t *end)
{
	struct syt_cursor c = {p + 1, end, 0};
	unsigned flags = *p & SYT_COLUMNS_FLAGS, width = *p >> SYT_DT_SHIFT;

	e->control = flags;
	if (width < 3 && end - p >= 16) {
		e->dt = syt_load_le32(p + 1) & ((256u << 8 * width) - 1);
		c.p = p + 2 + width;
	} else {
		e->dt = syt_get_le(&c, width == 3 ? 8 : width + 1);
	}
	if (c.failed || syt_columns_dt_bytes(e->dt) != (width == 3 ? 8 : width + 1))
		return NULL;
	e->head = c.p;
	e->head_end = flags & (SYT_HAS_CALL | SYT_HAS_STACK | SYT_HAS_OBJECT)
	                      ? syt_columns_skip_head(c.p, end, flags)
	                      : c.p;
	c.p = e->head_end;
	if (!c.p)
		return NULL;
	e->dur = 0;
	if (flags & SYT_HAS_DUR) {
		const uint8_t *q = c.p;

		if (end - q >= 4 && q[0] >= 0x80 && q[1] && q[1] < 0x80) {
			e->dur = q[1] * 128u + q[0] - 128;
			c.p = q + 2;
		} else {
			e->dur = syt_get_varint(&c);
			if (c.failed)
				return NULL;
			if (e->dur < 0x80 && c.p == q + 2)
				e->control |= SYT_COLUMNS_LONG;
			else if (c.p != q + syt_columns_varint_bytes(e->dur))
				return NULL;
		}
	}
	e->tail = c.p;
	e->tail_end = flags & (SYT_HAS_RESULT | SYT_HAS_EXTRA)
	                      ? syt_columns_skip_tail(c.p, end, flags)
	                      : c.p;
	return e->tail_end;
}

/* Returns the gap of an event with the time difference DT. Sets SYT_COLUMNS_GAP in *CONTROL if the gap is shorter. CARRY:
 * the dur of the event before, or 0. */
static inline uint64_t syt_columns_gap(uint64_t dt, uint64_t dur, uint64_t *carry,
                                       unsigned *control)
{
	uint64_t known = dur + *carry;

	if (dt < known) {
		*carry = dur;
		return dt;
	}
	*carry = 0;
	*control |= SYT_COLUMNS_GAP;
	return dt - known;
}

/* Makes the table of the codes of COMMON from the numbers of events in it. SHIFT: position of the code. */
static inline void syt_columns_choose(uint16_t *codes, uint8_t *common, unsigned shift)
{
	uint16_t most[SYT_NR_COMMON] = {0};
	int has_none = 1;

	for (unsigned i = 0; i < SYT_NR_COMMON; i++)
		common[i] = 0;
	for (unsigned v = 0; v < 256; v++) {
		unsigned n = SYT_NR_COMMON;

		if (codes[v] <= most[SYT_NR_COMMON - 1])
			continue;
		for (; n > 0 && codes[v] > most[n - 1]; n--)
			if (n < SYT_NR_COMMON) {
				most[n] = most[n - 1];
				common[n] = common[n - 1];
			}
		most[n] = codes[v];
		common[n] = (uint8_t)v;
	}
	/* A gap of one byte then takes no upper byte, so the times are never longer than in the event: syt_columns_split_guessed()
	 * relies on it. */
	for (unsigned i = 0; i < SYT_NR_COMMON; i++)
		has_none = has_none && common[i];
	if (has_none)
		common[SYT_NR_COMMON - 1] = 0;
	for (unsigned v = 0; v < 512; v++)
		codes[v] =
			(uint16_t)(1u << SYT_COLUMNS_MORE_SHIFT | (v < 256 ? 12u : 13u) << shift);
	for (unsigned i = SYT_NR_COMMON; i-- > 0;)
		codes[common[i]] = (uint16_t)(i << shift);
}

/* Makes the tables of common values from the first events of the RAW_BYTES at RAW, before syt_columns_split(). Returns how
 * many percent of them have a dur: with few of them, columns save little. */
static inline unsigned syt_columns_sample(struct syt_columns_scratch *s, struct syt_columns *head,
                                          const uint8_t *raw, uint32_t raw_bytes)
{
	const uint8_t *p = raw, *end = raw + raw_bytes;
	uint64_t carry = 0;
	unsigned n = 0, nr_durs = 0;

	for (unsigned width = 0; width < 4; width++) {
		s->masks[width] = width < 3 ? (256u << 8 * width) - 1 : 0;
		s->smaller[width] = s->masks[width] >> 8;
	}
	__builtin_memset(s->codes, 0, sizeof(s->codes));
	for (; n < SYT_COLUMNS_SAMPLE && p < end; n++) {
		struct syt_columns_event e;

		p = syt_columns_parse(&e, p, end);
		if (!p)
			break;
		e.dt = syt_columns_gap(e.dt, e.dur, &carry, &e.control);
		if (e.dt >> 16 == 0)
			s->codes[0][e.dt >> 8]++;
		if (!(e.control & SYT_HAS_DUR))
			continue;
		nr_durs++;
		if (e.dur >> 16 == 0)
			s->codes[1][e.dur >> 8]++;
	}
	syt_columns_choose(s->codes[0], head->common[0], 0);
	syt_columns_choose(s->codes[1], head->common[1], 4);
	return n ? nr_durs * 100 / n : 0;
}

/* Writes the upper bytes V of a time to Q, if the table does not have them. Sets bits of *CODE. Returns the end. */
static inline uint8_t *syt_columns_put_upper(uint8_t *q, uint64_t v, const uint16_t *codes,
                                             unsigned shift, unsigned *code)
{
	unsigned n = v < 512 ? codes[v] >> SYT_COLUMNS_MORE_SHIFT : v < 65536 ? 2 : 7;

	*code |= v < 512 ? codes[v] : (v < 65536 ? 14u : 15u) << shift;
	for (; n; n--, v >>= 8)
		*q++ = (uint8_t)v;
	return q;
}

/* Writes the times of an event to Q. Returns their end. */
static __attribute__((noinline, unused)) uint8_t *
syt_columns_put_times(const struct syt_columns_scratch *s, uint8_t *q, uint64_t gap, uint64_t dur,
                      unsigned control)
{
	uint8_t *at = q++;
	unsigned code = 0, first, second;

	if ((gap | dur) >> 17 == 0) {
		first = s->codes[0][gap >> 8];
		second = control & SYT_HAS_DUR ? s->codes[1][dur >> 8] : 0;
		*at = (uint8_t)(first | second);
		syt_put_le16(q, (uint32_t)gap);
		q += 1 + (first >> SYT_COLUMNS_MORE_SHIFT);
		if (!(control & SYT_HAS_DUR))
			return q;
		syt_put_le16(q, (uint32_t)dur);
		return q + 1 + (second >> SYT_COLUMNS_MORE_SHIFT);
	}
	*q++ = (uint8_t)gap;
	q = syt_columns_put_upper(q, gap >> 8, s->codes[0], 0, &code);
	if (control & SYT_HAS_DUR) {
		*q++ = (uint8_t)dur;
		q = syt_columns_put_upper(q, dur >> 8, s->codes[1], 4, &code);
	}
	*at = (uint8_t)code;
	return q;
}

/* Copies the bytes from P to STOP to Q, where as many bytes are free as from P to END. Returns the end of the copy. */
static inline uint8_t *syt_columns_copy(uint8_t *q, const uint8_t *p, const uint8_t *stop,
                                        const uint8_t *end)
{
	if (stop - p <= 8 && end - p >= 8) {
		__builtin_memcpy(q, p, 8);
		return q + (stop - p);
	}
	while (p < stop)
		*q++ = *p++;
	return q;
}

/* The state of syt_columns_split(). The events before P are sorted. */
struct syt_columns_writer {
	const uint8_t *p, *end;
	uint8_t *times, *rest;
	uint64_t carry;
	uint32_t nr_events;
};

/* Reads the dur of two or three bytes at *P, where 4 bytes must be readable. Returns 0 if it is another one. */
static inline __attribute__((always_inline)) uint32_t syt_columns_read_dur(const uint8_t **p)
{
	uint32_t v = syt_load_le32(*p) ^ 0x80, dur = (v & 0xff) + (v >> 8 & 0xff) * 128;

	*p += 2;
	if (!(v & 0x8080))
		return dur < 0x80 ? 0 : dur;
	++*p;
	dur = (v & 0x7f) + (v >> 1 & 0x3f80) + (v >> 2 & 0x1fc000);
	return (v & 0x808080) != 0x8000 || dur < 1u << 14 ? 0 : dur;
}

/*
 * Sorts the next events that are as most events of a block: all but the times is guessed, or they have only dt. Stops before
 * another event, or 48 bytes before the end. An event adds no more bytes to the times than it has itself, and fewer to
 * the rest.
 */
static __attribute__((noinline, unused)) void
syt_columns_split_guessed(const struct syt_columns_scratch *s, struct syt_columns_writer *w)
{
	const uint8_t *p = w->p, *last = w->end - 48;
	uint8_t *t = w->times, *rest = w->rest;
	uint64_t carry = w->carry;
	uint32_t n = w->nr_events;

	for (; p <= last; n++) {
		unsigned first, second, width = *p ^ SYT_COLUMNS_GUESSED;
		uint32_t gap, dur;
		const uint8_t *q;

		if (__builtin_expect(width & SYT_COLUMNS_FLAGS, 0)) {
			/* an event that has only dt */
			if ((width & SYT_COLUMNS_FLAGS) != SYT_COLUMNS_GUESSED)
				break;
			width >>= SYT_DT_SHIFT;
			gap = syt_load_le32(p + 1) & s->masks[width];
			if (gap <= s->smaller[width])
				break;
			p += 2 + width;
			*rest = 0;
			if (gap >= carry) {
				*rest = SYT_COLUMNS_GAP;
				gap -= (uint32_t)carry;
			}
			rest++;
			carry = 0;
			if (__builtin_expect(gap >> 17, 0)) {
				t = syt_columns_put_times(s, t, gap, 0, 0);
				continue;
			}
			first = s->codes[0][gap >> 8];
			t[0] = (uint8_t)first;
			syt_put_le16(t + 1, gap);
			t += 2 + (first >> SYT_COLUMNS_MORE_SHIFT);
			continue;
		}
		width >>= SYT_DT_SHIFT;
		gap = syt_load_le32(p + 1) & s->masks[width];
		q = p + 2 + width;
		dur = syt_columns_read_dur(&q);
		if (gap <= s->smaller[width] || !dur || *q)
			break;
		p = q + 1;

		uint64_t known = carry + dur;

		/* the control byte, and the length of extra */
		if (gap >= known) {
			gap -= (uint32_t)known;
			carry = 0;
			syt_put_le16(rest, SYT_COLUMNS_GUESSED | SYT_COLUMNS_GAP);
		} else {
			carry = dur;
			syt_put_le16(rest, SYT_COLUMNS_GUESSED);
		}
		rest += 2;
		if (__builtin_expect((gap | dur) >> 17, 0)) {
			t = syt_columns_put_times(s, t, gap, dur, SYT_HAS_DUR);
			continue;
		}
		first = s->codes[0][gap >> 8];
		second = s->codes[1][dur >> 8];
		t[0] = (uint8_t)(first | second);
		syt_put_le16(t + 1, gap);
		t += first >> SYT_COLUMNS_MORE_SHIFT;
		syt_put_le16(t + 2, dur);
		t += 3 + (second >> SYT_COLUMNS_MORE_SHIFT);
	}
	w->p = p;
	w->times = t;
	w->rest = rest;
	w->carry = carry;
	w->nr_events = n;
}

/* Sorts the next event if its parts are short. 48 bytes must be readable. Returns false if it is another one. */
static inline int syt_columns_split_short(const struct syt_columns_scratch *s,
                                          struct syt_columns_writer *w)
{
	const uint8_t *p = w->p, *q;
	unsigned flags = *p & SYT_COLUMNS_FLAGS, width = *p >> SYT_DT_SHIFT;
	uint32_t dt = syt_load_le32(p + 1) & s->masks[width], dur = 0;
	uint8_t *rest = w->rest + 1;

	if (dt <= s->smaller[width])
		return 0;
	q = p = p + 2 + width;
	if (flags & (SYT_HAS_CALL | SYT_HAS_STACK | SYT_HAS_OBJECT)) {
		q = syt_columns_skip_head(p, p + 8, flags);
		if (!q)
			return 0;
		__builtin_memcpy(rest, p, 8);
		rest += q - p;
	}
	if (flags & SYT_HAS_DUR) {
		dur = syt_columns_read_dur(&q);
		if (!dur)
			return 0;
	}
	p = q;
	if (flags & SYT_HAS_RESULT) {
		if (*q & 1) /* a negative result, with errno */
			return 0;
		while (*q++ >= 0x80)
			if (q - p > 3)
				return 0;
	}
	if (flags & SYT_HAS_EXTRA)
		q += 1 + *q;
	if (q - p > 16)
		return 0;
	__builtin_memcpy(rest, p, 16);
	dt = (uint32_t)syt_columns_gap(dt, dur, &w->carry, &flags);
	*w->rest = (uint8_t)flags;
	w->rest = rest + (q - p);
	w->times = syt_columns_put_times(s, w->times, dt, dur, flags);
	w->p = q;
	return 1;
}

/* Sorts the next event. Returns false if it does not have the form of this file. */
static inline int syt_columns_split_any(const struct syt_columns_scratch *s,
                                        struct syt_columns_writer *w)
{
	struct syt_columns_event e;
	const uint8_t *next = syt_columns_parse(&e, w->p, w->end);

	if (!next)
		return 0;
	e.dt = syt_columns_gap(e.dt, e.dur, &w->carry, &e.control);
	*w->rest++ = (uint8_t)e.control;
	w->rest = syt_columns_copy(w->rest, e.head, e.head_end, w->end);
	w->rest = syt_columns_copy(w->rest, e.tail, e.tail_end, w->end);
	w->times = syt_columns_put_times(s, w->times, e.dt, e.dur, e.control);
	w->p = next;
	return 1;
}

/*
 * Sorts the RAW_BYTES, at most SYT_LANE0_BYTES, of the events at RAW: the times to TIMES, where ROOM bytes are free, all else
 * to S->rest. Sets all of HEAD, and returns the number of bytes in S->rest.
 *
 * The program may write to RAW meanwhile. All that is written depends only on how far the position advances; the room for
 * the times is always at least what remains of RAW.
 */
static inline uint32_t syt_columns_split(struct syt_columns_scratch *s, struct syt_columns *head,
                                         const uint8_t *raw, uint32_t raw_bytes, uint8_t *times,
                                         uint64_t room)
{
	struct syt_columns_writer w = {raw, raw + raw_bytes, times, s->rest, 0, 0};

	while (w.p < w.end &&
	       (uint64_t)(times + room - w.times) >= (uint64_t)(w.end - w.p) + SYT_COLUMNS_SLACK) {
		if (w.end - w.p >= 48) {
			syt_columns_split_guessed(s, &w);
			if (w.end - w.p >= 48 && syt_columns_split_short(s, &w)) {
				w.nr_events++;
				continue;
			}
		}
		if (!syt_columns_split_any(s, &w))
			break;
		w.nr_events++;
	}
	head->nr_events = w.nr_events;
	head->time_bytes = (uint32_t)(w.times - times);
	while (w.p < w.end)
		*w.rest++ = *w.p++;
	return (uint32_t)(w.rest - s->rest);
}

/* ---- the decoder ---- */

static inline uint64_t syt_columns_get_time(struct syt_cursor *c, unsigned code,
                                            const uint8_t *common)
{
	uint64_t low = syt_get_u8(c);

	switch (code) {
	case 12:
		return low | (uint64_t)syt_get_u8(c) << 8;
	case 13:
		return low | (uint64_t)syt_get_u8(c) << 8 | 0x10000;
	case 14:
		return low | syt_get_le(c, 2) << 8;
	case 15:
		return low | syt_get_le(c, 7) << 8;
	default:
		return low | (uint64_t)common[code] << 8;
	}
}

/* Writes the flags and dt of an event to Q, where 9 bytes must be free. Returns the end of the written bytes. */
static inline uint8_t *syt_columns_put_dt(uint8_t *q, unsigned control, uint64_t dt)
{
	unsigned bytes = syt_columns_dt_bytes(dt);

	*q++ = (uint8_t)((control & SYT_COLUMNS_FLAGS) | (bytes == 8 ? 3 : bytes - 1)
	                                                         << SYT_DT_SHIFT);
	syt_put_le64(q, dt);
	return q + bytes;
}

static inline uint8_t *syt_columns_put_dur(uint8_t *q, unsigned control, uint64_t dur)
{
	if (!(control & SYT_HAS_DUR))
		return q;
	q = syt_put_varint(q, dur);
	if (control & SYT_COLUMNS_LONG) {
		q[-1] |= 0x80;
		*q++ = 0;
	}
	return q;
}

/* Puts the bytes of an event back to Q, if it is short (no part but the times), and returns their end; else returns NULL.
 * 16 bytes may be written. NEXT: the byte behind the control byte. */
static inline uint8_t *syt_columns_put_short(uint8_t *q, unsigned control, uint64_t dt,
                                             uint64_t dur, uint8_t next)
{
	unsigned width = (dt > 0xff) + (dt > 0xffff), flags = control & ~SYT_COLUMNS_GAP;

	if (dt >> 24)
		return NULL;
	syt_put_le32(q, (uint32_t)dt << 8 | width << SYT_DT_SHIFT | flags);
	q += 2 + width;
	if (!flags)
		return q;
	if (flags != SYT_COLUMNS_GUESSED || next || dur < 0x80 || dur >> 21)
		return NULL;
	syt_put_le32(q, (uint32_t)((dur & 0x7f) | 0x80 | (dur & 0x3f80) << 1 |
	                           (dur >> 14 ? 0x8000 | dur >> 14 << 16 : 0)));
	return q + (dur >> 14 ? 4 : 3);
}

/*
 * Puts the bytes of a block back to RAW, RAW_BYTES of them. The part `times` is at TIMES. The part `rest`, REST_BYTES long, is
 * at the end of ROOM bytes at RAW, and is overwritten on the way: what remains of it is never more than what remains to
 * be written. Returns true if all parts are right.
 */
static inline int syt_columns_join(const struct syt_columns *head, const uint8_t *times,
                                   uint8_t *raw, uint32_t raw_bytes, uint32_t room,
                                   uint32_t rest_bytes)
{
	struct syt_cursor t = {times, times + head->time_bytes, 0};
	struct syt_cursor c = {raw + room - rest_bytes, raw + room, 0};
	uint8_t *q = raw, *end = raw + raw_bytes;
	uint64_t carry = 0;

	for (uint32_t n = 0; n < head->nr_events; n++) {
		unsigned control = syt_get_u8(&c);
		unsigned codes = syt_get_u8(&t);
		uint64_t dt = syt_columns_get_time(&t, codes & 15, head->common[0]), dur = 0;

		if (control & SYT_HAS_DUR)
			dur = syt_columns_get_time(&t, codes >> 4, head->common[1]);
		if (control & SYT_COLUMNS_GAP) {
			dt += dur + carry;
			carry = 0;
		} else {
			carry = dur;
		}

		uint8_t *short_end = c.p - q < 16 || end - q < 16 || c.p == c.end
		                             ? NULL
		                             : syt_columns_put_short(q, control, dt, dur, *c.p);

		if (__builtin_expect(short_end != NULL, 1)) {
			c.p += control / SYT_HAS_EXTRA & 1;
			q = short_end;
			continue;
		}

		uint8_t first[1 + 8], second[SYT_VARINT_MAX + 1];
		const uint8_t *event = c.p, *tail = syt_columns_skip_head(event, c.end, control);

		if (c.failed || t.failed || !tail)
			return 0;
		c.p = syt_columns_skip_tail(tail, c.end, control);
		if (!c.p)
			return 0;

		size_t nr_first = (size_t)(syt_columns_put_dt(first, control, dt) - first);
		size_t nr_second = (size_t)(syt_columns_put_dur(second, control, dur) - second);

		/* behind the event, the part `rest` that was not read yet remains */
		if ((size_t)(c.p - event) + nr_first + nr_second > (size_t)(end - q) ||
		    (uint64_t)(c.p - q) < (size_t)(c.p - event) + nr_first + nr_second)
			return 0;
		__builtin_memcpy(q, first, nr_first);
		q += nr_first;
		__builtin_memmove(q, event, (size_t)(tail - event));
		q += tail - event;
		__builtin_memcpy(q, second, nr_second);
		q += nr_second;
		__builtin_memmove(q, tail, (size_t)(c.p - tail));
		q += c.p - tail;
	}
	if (c.failed || t.failed || t.p != t.end || c.end - c.p != end - q)
		return 0;
	__builtin_memmove(q, c.p, (size_t)(end - q));
	return 1;
}

#endif
