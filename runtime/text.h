/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Builds and reads small texts without libc's stdio and locale. A text never exceeds its buffer and always ends
 * with NUL. */
#ifndef SYT_RUNTIME_TEXT_H
#define SYT_RUNTIME_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A text under construction in a buffer of CAPACITY bytes. is_cut: the text did not fit. */
struct syt_text_buffer {
	char *text;
	size_t capacity, length;
	bool is_cut;
};

static inline void syt_text_add(struct syt_text_buffer *b, const char *s)
{
	size_t n = strlen(s);

	if (b->length + n >= b->capacity) {
		b->is_cut = true;
		return;
	}
	memcpy(b->text + b->length, s, n + 1);
	b->length += n;
}

/* Appends V in decimal, with at least WIDTH digits. */
static inline void syt_text_add_number(struct syt_text_buffer *b, uint64_t v, unsigned width)
{
	char digits[24];
	char *p = digits + sizeof(digits) - 1;

	*p = 0;
	do {
		*--p = (char)('0' + v % 10);
		v /= 10;
	} while (v || (unsigned)(digits + sizeof(digits) - 1 - p) < width);
	syt_text_add(b, p);
}

/* Appends the last NR hexadecimal digits of V. */
static inline void syt_text_add_hex(struct syt_text_buffer *b, uint64_t v, unsigned nr)
{
	char digit[] = "0";

	while (nr--) {
		*digit = "0123456789abcdef"[v >> (4 * nr) & 15];
		syt_text_add(b, digit);
	}
}

/* Reads the 32 hexadecimal digits of an id, with any dashes. Returns true if TEXT ends there. */
static inline bool syt_text_id(const char *text, uint8_t id[16])
{
	static const char hex[] = "0123456789abcdef";

	memset(id, 0, 16);
	for (unsigned i = 0; i < 32; text++) {
		const char *digit = *text ? strchr(hex, *text) : NULL;

		if (!digit && *text != '-')
			return false;
		if (!digit)
			continue;
		id[i / 2] = (uint8_t)(id[i / 2] << 4 | (digit - hex));
		i++;
	}
	return !*text;
}

/* Reads decimal digits at *P. Returns false if there are none or they overflow. */
static inline bool syt_text_number(const char **p, uint64_t *v)
{
	const char *s = *p;

	*v = 0;
	for (; *s >= '0' && *s <= '9'; s++) {
		if (__builtin_mul_overflow(*v, 10u, v) ||
		    __builtin_add_overflow(*v, (unsigned)(*s - '0'), v))
			return false;
	}
	if (s == *p)
		return false;
	*p = s;
	return true;
}

#endif
