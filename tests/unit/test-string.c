/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Compares runtime/string.c with libc's functions, for lengths up to 300 and alignments up to 16.  The
 * objects end at the end of a page, and the next page has no memory.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <sys/mman.h>

#define SYT_STRING(name_) own_##name_
#include "runtime/string.c"

#define MOST 300u
#define PAGE 4096u

/* Maps two pages in front of an unmapped one and returns the end of the two. */
static uint8_t *edge_of(void)
{
	uint8_t *p =
		mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(p != MAP_FAILED);
	assert_int_equal(mprotect(p + 2 * PAGE, PAGE, PROT_NONE), 0);
	return p + 2 * PAGE;
}

static void fill(uint8_t *p, size_t n, unsigned seed)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (uint8_t)((i + seed) * 2654435761u >> 13);
}

/* Copies N bytes to the end of memory from the end of memory, and from AT bytes before it. */
static void test_copies(void **state)
{
	uint8_t *from = edge_of(), *to = edge_of(), *wanted = edge_of();

	(void)state;
	for (size_t n = 0; n <= MOST; n++) {
		for (size_t at = 0; at < 17; at++) {
			fill(from - MOST - 17, MOST + 17, (unsigned)n);
			fill(to - MOST - 17, MOST + 17, 77);
			memcpy(wanted - MOST - 17, to - MOST - 17, MOST + 17);
			memcpy(wanted - n - at, from - n, n);
			assert_ptr_equal(own_memcpy(to - n - at, from - n, n), to - n - at);
			assert_memory_equal(to - MOST - 17, wanted - MOST - 17, MOST + 17);
			assert_ptr_equal(own_memmove(to - n, from - n - at, n), to - n);
			memmove(wanted - n, from - n - at, n);
			assert_memory_equal(to - MOST - 17, wanted - MOST - 17, MOST + 17);
		}
	}
}

/* Source and target overlap in either direction. */
static void test_moves(void **state)
{
	uint8_t own[3 * MOST], libc[3 * MOST];

	(void)state;
	for (size_t n = 0; n <= MOST; n++) {
		for (size_t to = 0; to <= 2 * MOST; to += n < 40 ? 1 : 7) {
			fill(own, sizeof(own), (unsigned)(n + to));
			memcpy(libc, own, sizeof(own));
			own_memmove(own + to, own + MOST, n);
			memmove(libc + to, libc + MOST, n);
			assert_memory_equal(own, libc, sizeof(own));
		}
	}
}

static void test_fills(void **state)
{
	uint8_t *own = edge_of(), *libc = edge_of();

	(void)state;
	for (size_t n = 0; n <= MOST; n++) {
		for (size_t at = 0; at < 17; at++) {
			fill(own - MOST - 17, MOST + 17, 5);
			memcpy(libc - MOST - 17, own - MOST - 17, MOST + 17);
			assert_ptr_equal(own_memset(own - n - at, (int)(n * 3 + 300), n),
			                 own - n - at);
			memset(libc - n - at, (int)(n * 3 + 300), n);
			assert_memory_equal(own - MOST - 17, libc - MOST - 17, MOST + 17);
		}
	}
}

static int sign(int v)
{
	return (v > 0) - (v < 0);
}

/* Compares two areas that differ in byte AT only, and searches this byte. */
static void test_compares(void **state)
{
	uint8_t *a = edge_of(), *b = edge_of();

	(void)state;
	for (size_t n = 0; n <= 70; n++) {
		for (size_t at = 0; at <= n; at++) {
			memset(a - n, 0x80, n);
			memset(b - n, 0x80, n);
			if (at < n)
				a[-(ptrdiff_t)n + (ptrdiff_t)at] = at % 2 ? 0x7f : 0xff;
			assert_int_equal(sign(own_memcmp(a - n, b - n, n)),
			                 sign(memcmp(a - n, b - n, n)));
			assert_int_equal(sign(own_memcmp(b - n, a - n, n)),
			                 sign(memcmp(b - n, a - n, n)));
			assert_ptr_equal(own_memchr(a - n, at % 2 ? 0x7f : 0xff, n),
			                 at < n ? a - n + at : NULL);
			assert_ptr_equal(own_memchr(a - n, 0x101, n), NULL);
		}
	}
}

/* Texts that end at the end of memory. */
static void test_texts(void **state)
{
	static const char *const texts[] = {"",
	                                    "a",
	                                    "ab",
	                                    "abc",
	                                    "abcd",
	                                    "abd",
	                                    "/x/y",
	                                    "/x/y/",
	                                    "a\xff",
	                                    "a\x7f",
	                                    "aaaaaaa",
	                                    "aaaaaaab",
	                                    "/proc",
	                                    "  1 2",
	                                    "1234567",
	                                    "12345678",
	                                    "a longer text, with = and \x80\x81\x01 in it",
	                                    "\x01\x01\x80\x01\xff\xff\x01\x01\x01"};
	char *a = (char *)edge_of(), *b = (char *)edge_of();

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const char *s = strcpy(a - strlen(texts[i]) - 1, texts[i]);

		assert_int_equal(own_strlen(s), strlen(s));
		for (size_t n = 0; n < 12; n++)
			assert_int_equal(own_strnlen(s, n), strnlen(s, n));
		assert_int_equal(own_strnlen(a - 9, 9), strnlen(a - 9, 9));
		for (int c = 0; c < 256; c++) {
			assert_ptr_equal(own_strchr(s, c), strchr(s, c));
			assert_ptr_equal(own_strrchr(s, c), strrchr(s, c));
		}
		for (size_t j = 0; j < sizeof(texts) / sizeof(texts[0]); j++) {
			const char *t = strcpy(b - strlen(texts[j]) - 1, texts[j]);

			assert_int_equal(sign(own_strcmp(s, t)), sign(strcmp(s, t)));
			assert_int_equal(own_strspn(s, t), strspn(s, t));
			assert_int_equal(own_strcspn(s, t), strcspn(s, t));
			for (size_t n = 0; n < 10; n++)
				assert_int_equal(sign(own_strncmp(s, t, n)),
				                 sign(strncmp(s, t, n)));
		}
	}
	for (size_t n = 0; n < 40; n++) { /* strings behind other bytes, at all alignments */
		for (size_t at = 0; at < 9; at++) {
			char *s = a - 1 - n - at;

			memset(a - 64, 0, 64);
			memset(s, 0x80, n);
			s[-1] = '=';
			assert_int_equal(own_strlen(s), n);
			assert_null(own_strchr(s, '='));
			assert_ptr_equal(own_strchr(s, 0), s + n);
			assert_ptr_equal(own_memchr(s, 0, n + 1), s + n);
			assert_null(own_memchr(s, 0, n));
			if (n) {
				s[n - 1] = '=';
				assert_ptr_equal(own_strchr(s, '='), s + n - 1);
				assert_ptr_equal(own_memchr(s, '=', n), s + n - 1);
				assert_null(own_memchr(s, '=', n - 1));
			}
		}
	}
	memset(a - 8, 'x', 8); /* not terminated */
	assert_int_equal(own_strnlen(a - 8, 8), 8);
	memset(b - 8, 'x', 8);
	assert_int_equal(own_strncmp(a - 8, b - 8, 8), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_copies), cmocka_unit_test(test_moves),
		cmocka_unit_test(test_fills),  cmocka_unit_test(test_compares),
		cmocka_unit_test(test_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
