/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Makes the payload of a block of SYT_CODEC_COLUMNS from events of version 2, as recorders before version 5 did. */
#ifndef SYT_TESTS_LIB_PACK_COLUMNS_H
#define SYT_TESTS_LIB_PACK_COLUMNS_H

#include <lz4.h>
#include <string.h>

#include "format/columns.h"

/* Number of events at the start of a block from which the table of common values is made. */
#define SYT_COLUMNS_SAMPLE 256u

/* The memory that syt_columns_split() needs. */
struct syt_columns_scratch {
	/* for the gap and for dur, for each value of the upper bytes below 512: the number of events of the sample, then
	 * the code, of dur in bits 4 to 7, and above it the number of bytes that follow */
	uint16_t codes[2][512];
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

/* Finds the parts of the event at P. Returns its end, or NULL if the event does not have the form of this file. */
static inline const uint8_t *syt_columns_parse(struct syt_columns_event *e, const uint8_t *p,
                                               const uint8_t *end)
{
	struct syt_cursor c = {p + 1, end, 0};
	unsigned flags = *p & SYT_COLUMNS_FLAGS, width = *p >> SYT_DT_SHIFT;

	e->control = flags;
	e->dt = syt_get_le(&c, width == 3 ? 8 : width + 1);
	if (c.failed || syt_columns_dt_bytes(e->dt) != (width == 3 ? 8 : width + 1))
		return NULL;
	e->head = c.p;
	e->head_end = syt_columns_skip_head(c.p, end, flags);
	c.p = e->head_end;
	if (!c.p)
		return NULL;
	e->dur = 0;
	if (flags & SYT_HAS_DUR) {
		const uint8_t *q = c.p;

		e->dur = syt_get_varint(&c);
		if (c.failed)
			return NULL;
		if (e->dur < 0x80 && c.p == q + 2)
			e->control |= SYT_COLUMNS_LONG;
		else if (c.p != q + syt_columns_varint_bytes(e->dur))
			return NULL;
	}
	e->tail = c.p;
	e->tail_end = syt_columns_skip_tail(c.p, end, flags);
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
	for (unsigned v = 0; v < 512; v++)
		codes[v] =
			(uint16_t)(1u << SYT_COLUMNS_MORE_SHIFT | (v < 256 ? 12u : 13u) << shift);
	for (unsigned i = SYT_NR_COMMON; i-- > 0;)
		codes[common[i]] = (uint16_t)(i << shift);
}

/* Makes the tables of common values from the first events of the RAW_BYTES at RAW, before syt_columns_split(). */
static inline void syt_columns_sample(struct syt_columns_scratch *s, struct syt_columns *head,
                                      const uint8_t *raw, uint32_t raw_bytes)
{
	const uint8_t *p = raw, *end = raw + raw_bytes;
	uint64_t carry = 0;
	unsigned n = 0;

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
		if (e.dur >> 16 == 0)
			s->codes[1][e.dur >> 8]++;
	}
	syt_columns_choose(s->codes[0], head->common[0], 0);
	syt_columns_choose(s->codes[1], head->common[1], 4);
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
static inline uint8_t *syt_columns_put_times(const struct syt_columns_scratch *s, uint8_t *q,
                                             uint64_t gap, uint64_t dur, unsigned control)
{
	uint8_t *at = q++;
	unsigned code = 0;

	*q++ = (uint8_t)gap;
	q = syt_columns_put_upper(q, gap >> 8, s->codes[0], 0, &code);
	if (control & SYT_HAS_DUR) {
		*q++ = (uint8_t)dur;
		q = syt_columns_put_upper(q, dur >> 8, s->codes[1], 4, &code);
	}
	*at = (uint8_t)code;
	return q;
}

/* The state of syt_columns_split(). The events before P are sorted. */
struct syt_columns_writer {
	const uint8_t *p, *end;
	uint8_t *times, *rest;
	uint64_t carry;
	uint32_t nr_events;
};

/* Sorts the next event. Returns false if it does not have the form of this file. */
static inline int syt_columns_split_one(const struct syt_columns_scratch *s,
                                        struct syt_columns_writer *w)
{
	struct syt_columns_event e;
	const uint8_t *next = syt_columns_parse(&e, w->p, w->end);

	if (!next)
		return 0;
	e.dt = syt_columns_gap(e.dt, e.dur, &w->carry, &e.control);
	*w->rest++ = (uint8_t)e.control;
	for (const uint8_t *p = e.head; p < e.head_end; p++)
		*w->rest++ = *p;
	for (const uint8_t *p = e.tail; p < e.tail_end; p++)
		*w->rest++ = *p;
	w->times = syt_columns_put_times(s, w->times, e.dt, e.dur, e.control);
	w->p = next;
	return 1;
}

/*
 * Sorts the RAW_BYTES, at most SYT_LANE0_BYTES, of the events at RAW: the times to TIMES, where ROOM bytes are free, all else
 * to S->rest. Sets all of HEAD, and returns the number of bytes in S->rest.
 */
static inline uint32_t syt_columns_split(struct syt_columns_scratch *s, struct syt_columns *head,
                                         const uint8_t *raw, uint32_t raw_bytes, uint8_t *times,
                                         uint64_t room)
{
	struct syt_columns_writer w = {raw, raw + raw_bytes, times, s->rest, 0, 0};

	while (w.p < w.end &&
	       (uint64_t)(times + room - w.times) >= (uint64_t)(w.end - w.p) + SYT_COLUMNS_SLACK) {
		if (!syt_columns_split_one(s, &w))
			break;
		w.nr_events++;
	}
	head->nr_events = w.nr_events;
	head->time_bytes = (uint32_t)(w.times - times);
	while (w.p < w.end)
		*w.rest++ = *w.p++;
	return (uint32_t)(w.rest - s->rest);
}

/* Most bytes that syt_pack_columns() writes for BYTES. */
#define SYT_PACK_COLUMNS_MOST(bytes) (2 * (bytes) + 1024)

/* Packs the BYTES of events at RAW to TO. Returns the number of bytes, or 0 if they are more than SYT_LANE0_BYTES. */
static inline uint32_t syt_pack_columns(const uint8_t *raw, uint32_t bytes, uint8_t *to)
{
	static struct syt_columns_scratch scratch;
	struct syt_columns head;
	uint32_t at, rest;

	if (bytes > SYT_LANE0_BYTES)
		return 0;
	syt_columns_sample(&scratch, &head, raw, bytes);
	rest = syt_columns_split(&scratch, &head, raw, bytes, to + sizeof(head),
	                         bytes + SYT_COLUMNS_SLACK);
	at = sizeof(head) + head.time_bytes;
	memcpy(to, &head, sizeof(head));
	return at + (uint32_t)LZ4_compress_default((const char *)scratch.rest, (char *)to + at,
	                                           (int)rest, LZ4_compressBound((int)rest));
}

#endif
