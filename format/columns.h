/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Puts the bytes of the events of a block back that the recorder sorted by their kind (SYT_CODEC_COLUMNS). Recorders
 * between the versions 2 and 4 of the encoding made such blocks of events of version 2. The payload has three parts:
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
