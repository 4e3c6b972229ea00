/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The times of an event in encoding version 5: the gap, from the end of the last call to the beginning of this one, and
 * the duration. The lowest byte of a time is random; its upper bytes (the time divided by 256) have few values. One
 * byte has a code for the upper bytes of both: of the gap in bits 4 to 7, of the duration in bits 0 to 3.
 *
 *   gap       duration
 *   0 to 7    0 to 11    the entry of the table `common`, with the most common values
 *   8         12         1 byte follows
 *   9         13         1 byte follows: the value minus 256
 *   10        14         2 bytes follow
 *
 * The code is followed by the lowest byte of the gap, the bytes that follow for the gap, the lowest byte of the duration,
 * and the bytes that follow for the duration. Each block begins with its table. The recorder makes the table from the
 * times of the block before.
 */
#ifndef SYT_FORMAT_CODES_H
#define SYT_FORMAT_CODES_H

#include <stdint.h>

#include "format/wire.h"

#define SYT_NR_COMMON_GAPS 8u
#define SYT_NR_COMMON_DURS 12u

/* The most common upper bytes. */
struct syt_common {
	uint8_t gaps[SYT_NR_COMMON_GAPS], durs[SYT_NR_COMMON_DURS];
};

/* The table of a thread's first block. */
#define SYT_COMMON_FIRST                                                                           \
	{                                                                                          \
		{0, 1, 2, 3, 4, 5, 6, 7},                                                          \
		{                                                                                  \
			0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11                                       \
		}                                                                                  \
	}

/* A block begins with the size of its table: 0 for SYT_COMMON_FIRST. */
#define SYT_COMMON_BYTES_MAX (1 + sizeof(struct syt_common))

/* The first byte of an event without times of this form. */
#define SYT_CODES_END 0xb0u

#define SYT_NR_CODED 512u
#define SYT_CODE_MORE_SHIFT 8
/* For the gap and the duration, for each value of the upper bytes below SYT_NR_CODED: the code, shifted to its place, and
 * above it the number of bytes that follow. */
struct syt_codes {
	uint16_t gaps[SYT_NR_CODED], durs[SYT_NR_CODED];
	struct syt_common common;
};

/* clang-format off */
/* The struct syt_codes of SYT_COMMON_FIRST. */
#define SYT_CODES_FIRST {                                                                          \
	.gaps = {0x00, 0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70,                                   \
	         [8 ... 255] = 0x180, [256 ... 511] = 0x190},                                      \
	.durs = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, [12 ... 255] = 0x10c, [256 ... 511] = 0x10d},   \
	.common = SYT_COMMON_FIRST}
/* clang-format on */

/* Fills the codes of the table CODES->common. */
static inline void syt_codes_make(struct syt_codes *codes)
{
	const struct syt_common *common = &codes->common;

	for (unsigned v = 0; v < SYT_NR_CODED; v++) {
		codes->gaps[v] = (uint16_t)(1u << SYT_CODE_MORE_SHIFT | (v < 256 ? 8u : 9u) << 4);
		codes->durs[v] = (uint16_t)(1u << SYT_CODE_MORE_SHIFT | (v < 256 ? 12u : 13u));
	}
	for (unsigned i = SYT_NR_COMMON_GAPS; i-- > 0;)
		codes->gaps[common->gaps[i]] = (uint16_t)(i << 4);
	for (unsigned i = SYT_NR_COMMON_DURS; i-- > 0;)
		codes->durs[common->durs[i]] = (uint16_t)i;
}

/* Finds the NR most common bytes. TIMES: how often each byte occurs. */
static inline void syt_codes_choose(uint8_t *common, unsigned nr, const uint16_t *times)
{
	uint16_t most[SYT_NR_COMMON_DURS] = {0};

	for (unsigned i = 0; i < nr; i++)
		common[i] = 0;
	for (unsigned v = 0; v < 256; v++) {
		unsigned n = nr;

		if (times[v] <= most[nr - 1])
			continue;
		for (; n > 0 && times[v] > most[n - 1]; n--)
			if (n < nr) {
				most[n] = most[n - 1];
				common[n] = common[n - 1];
			}
		most[n] = times[v];
		common[n] = (uint8_t)v;
	}
}

/* Writes the table COMMON of a block to Q. Returns its end. */
static inline uint8_t *syt_put_common(uint8_t *q, const struct syt_common *common)
{
	const struct syt_common first = SYT_COMMON_FIRST;
	unsigned bytes = __builtin_memcmp(common, &first, sizeof(first)) ? sizeof(first) : 0;

	*q++ = (uint8_t)bytes;
	__builtin_memcpy(q, common, bytes);
	return q + bytes;
}

/* Reads the table of a block. */
static inline void syt_get_common(struct syt_cursor *c, struct syt_common *common)
{
	unsigned bytes = syt_get_u8(c);

	*common = (struct syt_common)SYT_COMMON_FIRST;
	if (!bytes)
		return;
	if (bytes != sizeof(*common) || (uint64_t)(c->end - c->p) < bytes) {
		c->failed = 1;
		c->p = c->end;
		return;
	}
	__builtin_memcpy(common, c->p, bytes);
	c->p += bytes;
}

/* Does syt_put_codes() for times of at most three bytes. Returns 0 if one is longer. */
static __attribute__((noinline, unused)) unsigned
syt_put_long_codes(const struct syt_codes *codes, uint8_t *q, uint64_t gap, uint64_t dur)
{
	uint64_t v = gap >> 8, d = dur >> 8;
	unsigned first = v < SYT_NR_CODED ? codes->gaps[v] : 10u << 4 | 2u << SYT_CODE_MORE_SHIFT;
	unsigned second = d < SYT_NR_CODED ? codes->durs[d] : 14u | 2u << SYT_CODE_MORE_SHIFT;
	uint8_t *at = q + 2 + (first >> SYT_CODE_MORE_SHIFT);

	if ((gap | dur) >> 24)
		return 0;
	q[0] = (uint8_t)(first | second);
	syt_put_le32(q + 1, (uint32_t)gap);
	syt_put_le32(at, (uint32_t)dur);
	return (unsigned)(at - q) + 1 + (second >> SYT_CODE_MORE_SHIFT);
}

/* Writes the times of an event to Q, where 9 bytes must be free. Returns the number of bytes, or 0 if a time is too long. */
static inline __attribute__((always_inline)) unsigned
syt_put_codes(const struct syt_codes *codes, uint8_t *q, uint64_t gap, uint64_t dur)
{
	unsigned first, second, more;

	if (__builtin_expect((gap | dur) >> 8 >= SYT_NR_CODED, 0))
		return syt_put_long_codes(codes, q, gap, dur);
	first = codes->gaps[gap >> 8];
	second = codes->durs[dur >> 8];
	more = first >> SYT_CODE_MORE_SHIFT;
	q[0] = (uint8_t)(first | second);
	syt_put_le16(q + 1, (uint32_t)gap);
	syt_put_le16(q + 2 + more, (uint32_t)dur);
	return 3 + more + (second >> SYT_CODE_MORE_SHIFT);
}

/* Reads a time with CODE. The first NR_COMMON codes are the entries of COMMON. */
static inline uint64_t syt_get_coded(struct syt_cursor *c, unsigned code, unsigned nr_common,
                                     const uint8_t *common)
{
	uint64_t low = syt_get_u8(c);

	if (code < nr_common)
		return low | (uint64_t)common[code] << 8;
	switch (code - nr_common) {
	case 0:
		return low | (uint64_t)syt_get_u8(c) << 8;
	case 1:
		return low | (uint64_t)syt_get_u8(c) << 8 | 0x10000;
	case 2:
		return low | syt_get_le(c, 2) << 8;
	default:
		c->failed = 1;
		return 0;
	}
}

#endif
