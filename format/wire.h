/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Reads and writes little-endian and variable-length numbers. The put functions do not check the buffer size: their
 * caller ensures it (SYT_VARINT_MAX per number). The get functions check every bound: after a cursor has run past
 * its end, all further reads fail and return zeros. */
#ifndef SYT_FORMAT_WIRE_H
#define SYT_FORMAT_WIRE_H

#include <stdint.h>

#define SYT_VARINT_MAX 10u

static inline uint8_t *syt_put_varint(uint8_t *p, uint64_t v)
{
	while (v >= 0x80) {
		*p++ = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	*p++ = (uint8_t)v;
	return p;
}

/* Writes V in little-endian byte order, with a single store. */
static inline void syt_put_le16(uint8_t *p, uint32_t v)
{
	uint16_t low = (uint16_t)v;

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	low = __builtin_bswap16(low);
#endif
	__builtin_memcpy(p, &low, sizeof(low));
}

static inline void syt_put_le32(uint8_t *p, uint32_t v)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap32(v);
#endif
	__builtin_memcpy(p, &v, sizeof(v));
}

static inline void syt_put_le64(uint8_t *p, uint64_t v)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	__builtin_memcpy(p, &v, sizeof(v));
}

/* Reads a little-endian number, with a single load. */
static inline uint32_t syt_load_le32(const uint8_t *p)
{
	uint32_t v;

	__builtin_memcpy(&v, p, sizeof(v));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap32(v);
#endif
	return v;
}

static inline uint64_t syt_load_le64(const uint8_t *p)
{
	uint64_t v;

	__builtin_memcpy(&v, p, sizeof(v));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	return v;
}

/* Zigzag encoding: numbers of small magnitude and either sign become small unsigned numbers. */
static inline uint64_t syt_zigzag(int64_t v)
{
	return ((uint64_t)v << 1) ^ (uint64_t)(v >> 63);
}

static inline int64_t syt_unzigzag(uint64_t v)
{
	return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

struct syt_cursor {
	const uint8_t *p, *end;
	int failed;
};

static inline uint8_t syt_get_u8(struct syt_cursor *c)
{
	if (c->p >= c->end) {
		c->failed = 1;
		return 0;
	}
	return *c->p++;
}

static inline uint64_t syt_get_le(struct syt_cursor *c, unsigned nr_bytes)
{
	uint64_t v = 0;

	if ((uint64_t)(c->end - c->p) < nr_bytes) {
		c->failed = 1;
		c->p = c->end;
		return 0;
	}
	for (unsigned i = 0; i < nr_bytes; i++)
		v |= (uint64_t)c->p[i] << (8 * i);
	c->p += nr_bytes;
	return v;
}

/* Does syt_get_le() with one load, which may reach behind the number, but not behind the end of C. */
static inline uint64_t syt_get_le_at_once(struct syt_cursor *c, unsigned nr_bytes)
{
	uint64_t v;

	if (c->end - c->p < 8)
		return syt_get_le(c, nr_bytes);
	v = syt_load_le64(c->p);
	c->p += nr_bytes;
	return nr_bytes < 8 ? v & ((UINT64_C(1) << 8 * nr_bytes) - 1) : v;
}

static inline uint64_t syt_get_varint(struct syt_cursor *c)
{
	uint64_t v = 0;

	if (c->p < c->end && *c->p < 0x80) { /* most numbers have one byte */
		v = *c->p++;
		return c->failed ? 0 : v;
	}
	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint8_t b = syt_get_u8(c);

		/* the tenth byte of a 64-bit varint has one significant bit */
		if (shift == 63 && b > 1)
			break;
		v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			return c->failed ? 0 : v;
	}
	c->failed = 1;
	return 0;
}

#endif
