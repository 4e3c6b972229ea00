/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Implements the functions of <string.h> that the recorder, lz4 and compiled code call. The functions are
 * hidden: the linker binds each call in libsyntrace.so to them.
 *
 * The recorder must not call libc's functions, because the runtimes of AddressSanitizer, MemorySanitizer and
 * ThreadSanitizer replace them. The recorder's constructor runs before the runtime's start, and until then a
 * replacement crashes. Later ThreadSanitizer reports the recorder's lock-free memory as data races.
 *
 * The compiler must use no builtins here: gcc would replace memcpy's loop by a call of memcpy.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* tests/unit/test-string.c gives these functions other names and compares their results with libc's
 * functions. */
#ifndef SYT_STRING
#define SYT_STRING(name_) name_
#endif

/* Types that may lie at any address and stand for any object. */
typedef uint16_t half __attribute__((aligned(1), may_alias));
typedef uint32_t word __attribute__((aligned(1), may_alias));
typedef uint64_t big __attribute__((aligned(1), may_alias));
typedef uint8_t vector __attribute__((vector_size(16), aligned(1), may_alias));

/* multiplied by a byte: a word with this byte eight times */
#define ONES UINT64_C(0x0101010101010101)
#define LINE (4 * sizeof(vector))         /* number of bytes that a loop moves in one step */

void *SYT_STRING(memcpy)(void *restrict to, const void *restrict from, size_t n);
void *SYT_STRING(memmove)(void *to, const void *from, size_t n);
void *SYT_STRING(memset)(void *to, int byte, size_t n);
int SYT_STRING(memcmp)(const void *a, const void *b, size_t n);
void *SYT_STRING(memchr)(const void *s, int byte, size_t n);
size_t SYT_STRING(strlen)(const char *s);
size_t SYT_STRING(strnlen)(const char *s, size_t n);
int SYT_STRING(strcmp)(const char *a, const char *b);
int SYT_STRING(strncmp)(const char *a, const char *b, size_t n);
char *SYT_STRING(strchr)(const char *s, int c);
char *SYT_STRING(strrchr)(const char *s, int c);
size_t SYT_STRING(strspn)(const char *s, const char *set);
size_t SYT_STRING(strcspn)(const char *s, const char *set);

/* Moves up to LINE bytes. Source and target may overlap: every load precedes the first store. */
static inline __attribute__((always_inline)) void move_little(uint8_t *d, const uint8_t *s,
                                                              size_t n)
{
	if (n > 2 * sizeof(vector)) {
		const vector a = *(const vector *)s, b = *(const vector *)(s + 16);
		const vector y = *(const vector *)(s + n - 32), z = *(const vector *)(s + n - 16);

		*(vector *)d = a;
		*(vector *)(d + 16) = b;
		*(vector *)(d + n - 32) = y;
		*(vector *)(d + n - 16) = z;
	} else if (n >= sizeof(vector)) {
		const vector a = *(const vector *)s, z = *(const vector *)(s + n - 16);

		*(vector *)d = a;
		*(vector *)(d + n - 16) = z;
	} else if (n >= sizeof(big)) {
		const big a = *(const big *)s, z = *(const big *)(s + n - 8);

		*(big *)d = a;
		*(big *)(d + n - 8) = z;
	} else if (n >= sizeof(word)) {
		const word a = *(const word *)s, z = *(const word *)(s + n - 4);

		*(word *)d = a;
		*(word *)(d + n - 4) = z;
	} else if (n >= sizeof(half)) {
		const half a = *(const half *)s, z = *(const half *)(s + n - 2);

		*(half *)d = a;
		*(half *)(d + n - 2) = z;
	} else if (n) {
		*d = *s;
	}
}

/* Moves LINE bytes. Every load precedes the first store. */
static inline __attribute__((always_inline)) void move_line(uint8_t *d, const uint8_t *s)
{
	const vector a = *(const vector *)s, b = *(const vector *)(s + 16);
	const vector y = *(const vector *)(s + 32), z = *(const vector *)(s + 48);

	*(vector *)d = a;
	*(vector *)(d + 16) = b;
	*(vector *)(d + 32) = y;
	*(vector *)(d + 48) = z;
}

void *SYT_STRING(memcpy)(void *restrict to, const void *restrict from, size_t n)
{
	uint8_t *d = to;
	const uint8_t *s = from;

	if (n <= LINE) {
		move_little(d, s, n);
		return to;
	}
	for (size_t i = 0; i < n - LINE; i += LINE)
		move_line(d + i, s + i);
	move_line(d + n - LINE, s + n - LINE);
	return to;
}

void *SYT_STRING(memmove)(void *to, const void *from, size_t n)
{
	uint8_t *d = to;
	const uint8_t *s = from;
	/* the last bytes of the source, loaded before a store of the loop overwrites them */
	vector kept[4];

	if (n <= LINE) {
		move_little(d, s, n);
	} else if ((uintptr_t)d - (uintptr_t)s >= n) {
		/* the target begins at a lower address than the source, or they do not overlap */
		for (size_t i = 0; i < 4; i++)
			kept[i] = *(const vector *)(s + n - LINE + 16 * i);
		for (size_t i = 0; i < n - LINE; i += LINE)
			move_line(d + i, s + i);
		for (size_t i = 0; i < 4; i++)
			*(vector *)(d + n - LINE + 16 * i) = kept[i];
	} else {
		for (size_t i = 0; i < 4; i++)
			kept[i] = *(const vector *)(s + 16 * i);
		for (size_t i = n; i > LINE; i -= LINE)
			move_line(d + i - LINE, s + i - LINE);
		for (size_t i = 0; i < 4; i++)
			*(vector *)(d + 16 * i) = kept[i];
	}
	return to;
}

void *SYT_STRING(memset)(void *to, int byte, size_t n)
{
	uint8_t *d = to;
	const big v = ONES * (uint8_t)byte;

	if (n >= sizeof(vector)) {
		typedef uint64_t pair __attribute__((vector_size(16)));
		const vector all = (vector)(pair){v, v};
		size_t i = 0;

		for (; i + LINE <= n; i += LINE) {
			*(vector *)(d + i) = all;
			*(vector *)(d + i + 16) = all;
			*(vector *)(d + i + 32) = all;
			*(vector *)(d + i + 48) = all;
		}
		for (; i + 16 <= n; i += 16)
			*(vector *)(d + i) = all;
		*(vector *)(d + n - 16) = all;
	} else if (n >= sizeof(big)) {
		*(big *)d = v;
		*(big *)(d + n - 8) = v;
	} else if (n >= sizeof(word)) {
		*(word *)d = (word)v;
		*(word *)(d + n - 4) = (word)v;
	} else if (n) {
		d[0] = d[n / 2] = d[n - 1] = (uint8_t)byte;
	}
	return to;
}

int SYT_STRING(memcmp)(const void *a, const void *b, size_t n)
{
	const uint8_t *x = a, *y = b;

	while (n >= sizeof(big) && *(const big *)x == *(const big *)y) {
		x += sizeof(big);
		y += sizeof(big);
		n -= sizeof(big);
	}
	for (; n; x++, y++, n--) {
		if (*x != *y)
			return *x - *y;
	}
	return 0;
}

/* An aligned word lies within one page, so reading the whole word is safe if one of its bytes may be read.
 * Both architectures are little-endian. */
typedef uint64_t aligned_word __attribute__((may_alias));

/* Returns a word whose lowest set bit lies in the lowest zero byte of V, or 0 if V has no zero byte. */
static inline __attribute__((always_inline)) uint64_t zero_bytes(uint64_t v)
{
	return (v - ONES) & ~v & ONES << 7;
}

/* Returns a mask of those bytes of the aligned word around S that lie before S. */
static inline __attribute__((always_inline)) uint64_t bytes_before(const void *s)
{
	return (UINT64_C(1) << (uintptr_t)s % 8 * 8) - 1;
}

static inline __attribute__((always_inline)) const aligned_word *word_of(const void *s)
{
	return (const aligned_word *)((uintptr_t)s & ~(uintptr_t)7);
}

/* Returns the address of the first zero byte in the word at P, for which zero_bytes has returned FOUND. */
static inline __attribute__((always_inline)) const char *byte_at(const aligned_word *p,
                                                                 uint64_t found)
{
	return (const char *)p + __builtin_ctzll(found) / 8;
}

void *SYT_STRING(memchr)(const void *s, int byte, size_t n)
{
	const uint64_t wanted = ONES * (uint8_t)byte;
	const aligned_word *p = word_of(s);
	uint64_t found;

	if (!n)
		return NULL;
	found = zero_bytes((*p ^ wanted) | bytes_before(s));
	while (!found) {
		p++;
		if ((uintptr_t)p - (uintptr_t)s >= n)
			return NULL;
		found = zero_bytes(*p ^ wanted);
	}
	s = byte_at(p, found) < (const char *)s + n ? byte_at(p, found) : NULL;
	return (void *)(uintptr_t)s;
}

size_t SYT_STRING(strlen)(const char *s)
{
	const aligned_word *p = word_of(s);
	uint64_t found = zero_bytes(*p | bytes_before(s));

	while (!found)
		found = zero_bytes(*++p);
	return (size_t)(byte_at(p, found) - s);
}

size_t SYT_STRING(strnlen)(const char *s, size_t n)
{
	const char *end = SYT_STRING(memchr)(s, 0, n);

	return end ? (size_t)(end - s) : n;
}

int SYT_STRING(strcmp)(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return (uint8_t)*a - (uint8_t)*b;
}

int SYT_STRING(strncmp)(const char *a, const char *b, size_t n)
{
	for (; n; a++, b++, n--) {
		if (!*a || *a != *b)
			return (uint8_t)*a - (uint8_t)*b;
	}
	return 0;
}

char *SYT_STRING(strchr)(const char *s, int c)
{
	const uint64_t wanted = ONES * (uint8_t)c, before = bytes_before(s);
	const aligned_word *p = word_of(s);
	uint64_t found = zero_bytes(*p | before) | zero_bytes((*p ^ wanted) | before);

	while (!found) {
		p++;
		found = zero_bytes(*p) | zero_bytes(*p ^ wanted);
	}
	s = byte_at(p, found);
	return *s == (char)c ? (char *)(uintptr_t)s : NULL;
}

char *SYT_STRING(strrchr)(const char *s, int c)
{
	const char *last = NULL;

	do {
		if (*s == (char)c)
			last = s;
	} while (*s++);
	return (char *)(uintptr_t)last;
}

/* Returns the length of the longest prefix of S all of whose characters are in SET (IS_IN) or are not in
 * SET. */
static size_t span(const char *s, const char *set, bool is_in)
{
	size_t n = 0;

	for (; s[n]; n++) {
		const char *p = set;

		while (*p && *p != s[n])
			p++;
		if ((*p != 0) != is_in)
			break;
	}
	return n;
}

size_t SYT_STRING(strspn)(const char *s, const char *set)
{
	return span(s, set, true);
}

size_t SYT_STRING(strcspn)(const char *s, const char *set)
{
	return span(s, set, false);
}
