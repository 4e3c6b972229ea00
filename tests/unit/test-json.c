/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* JSON and terminal output must be valid and harmless for any text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/out.h"
#include "tests/lib/random.h"

static struct syt_out out;
static char text[1 << 16];

static void begin(void)
{
	syt_out_open(&out, memfd_create("out", 0), false);
}

/* Returns the text written since begin(). */
static const char *written(void)
{
	int fd = out.fd;

	assert_int_equal(syt_out_close(&out), 0);
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	assert_true(n >= 0);
	text[n] = 0;
	close(fd);
	return text;
}

static void members_and_elements_are_separated(void **state)
{
	struct syt_json j = {.out = &out};

	(void)state;
	begin();
	for (unsigned n = 0; n < 2; n++) {
		syt_json_begin_line(&j, "line");
		syt_json_begin(&j, "a", '[');
		syt_json_i64(&j, NULL, INT64_MIN);
		syt_json_bool(&j, NULL, true);
		syt_json_begin(&j, NULL, '{');
		syt_json_end(&j);
		syt_json_null(&j, NULL);
		syt_json_end(&j);
		syt_json_hex(&j, "h", UINT64_MAX);
		syt_json_string(&j, "s", NULL);
		syt_json_end_line(&j);
	}
	assert_string_equal(written(),
	                    "{\"v\":1,\"type\":\"line\",\"a\":[-9223372036854775808,true,{},null],"
	                    "\"h\":\"0xffffffffffffffff\",\"s\":null}\n"
	                    "{\"v\":1,\"type\":\"line\",\"a\":[-9223372036854775808,true,{},null],"
	                    "\"h\":\"0xffffffffffffffff\",\"s\":null}\n");
}

static void check_string(const char *in, const char *expected)
{
	struct syt_json j = {.out = &out};

	begin();
	syt_json_begin(&j, NULL, '[');
	syt_json_string(&j, NULL, in);
	syt_json_end(&j);
	assert_string_equal(written(), expected);
}

static void strings_are_escaped(void **state)
{
	(void)state;
	check_string("plain /path", "[\"plain /path\"]");
	check_string("\"\\\n\t\r\b\x1b[31m\x7f",
	             "[\"\\\"\\\\\\n\\t\\u000d\\u0008\\u001b[31m\\u007f\"]");
	check_string("gr\xc3\xbc\xc3\x9f", "[\"gr\xc3\xbc\xc3\x9f\"]");
	check_string("\xf0\x9f\x98\x80", "[\"\xf0\x9f\x98\x80\"]");
	/* no UTF-8: a lone byte, a cut sequence, overlong, a surrogate, beyond the last */
	check_string("a\xff", "[\"a\\ufffd\"]");
	check_string("\xe2\x82", "[\"\\ufffd\\ufffd\"]");
	check_string("\xc0\xaf", "[\"\\ufffd\\ufffd\"]");
	check_string("\xed\xa0\x80", "[\"\\ufffd\\ufffd\\ufffd\"]");
	check_string("\xf5\x80\x80\x80", "[\"\\ufffd\\ufffd\\ufffd\\ufffd\"]");
	check_string("\xc2\x9b", "[\"\\u009b\"]");
}

static void markup_is_escaped_inside_of_markup(void **state)
{
	struct syt_json j = {.out = &out, .is_in_markup = true};

	(void)state;
	begin();
	syt_json_begin(&j, NULL, '[');
	syt_json_string(&j, NULL, "a</script><!-- & \"b\" -->");
	syt_json_end(&j);
	assert_string_equal(written(), "[\"a\\u003c/script\\u003e\\u003c!-- \\u0026 "
	                               "\\\"b\\\" --\\u003e\"]");
	check_string("<&>", "[\"<&>\"]");
}

static void terminals_see_no_control_characters(void **state)
{
	(void)state;
	begin();
	syt_out_safe(&out, "a\x1b]0;x\x07\n\xc2\x9b\xff\xc3\xbc\xe2\x80\xae");
	assert_string_equal(written(),
	                    "a\\x1b]0;x\\x07\\x0a\\xc2\\x9b\\xff\xc3\xbc\\xe2\\x80\\xae");
}

static void random_bytes_make_harmless_text(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 500; seed++) {
		struct syt_random r = {seed};
		struct syt_json j = {.out = &out};
		char bytes[64];

		for (unsigned n = 0; n < sizeof(bytes); n++)
			bytes[n] = (char)(1 + syt_random_below(&r, 255));
		begin();
		syt_json_open_string(&j, NULL);
		syt_json_piece(&j, bytes, sizeof(bytes));
		syt_json_close_string(&j);
		syt_out_safe_bytes(&out, bytes, sizeof(bytes));
		const unsigned char *p = (const unsigned char *)written();
		const unsigned char *end = p + strlen((const char *)p);

		while (p < end) {
			uint32_t code = 0;
			unsigned length = syt_utf8(p, end, &code);

			assert_int_not_equal(length, 0);
			assert_true(code >= 0x20 && !(code >= 0x7f && code < 0xa0));
			p += length;
		}
	}
}

static void numbers_are_written(void **state)
{
	(void)state;
	begin();
	syt_out_u64(&out, 0);
	syt_out_char(&out, ' ');
	syt_out_u64(&out, UINT64_MAX);
	syt_out_char(&out, ' ');
	syt_out_i64(&out, -1);
	syt_out_char(&out, ' ');
	syt_out_hex(&out, 0);
	syt_out_char(&out, ' ');
	syt_out_hex(&out, UINT64_C(0xdeadbeef));
	assert_string_equal(written(), "0 18446744073709551615 -1 0x0 0xdeadbeef");
}

static void a_reader_that_went_away_is_no_error(void **state)
{
	static char block[4096];
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	close(fds[0]);
	syt_out_open(&out, fds[1], false);
	for (unsigned n = 0; n < 1000; n++)
		syt_out_bytes(&out, block, sizeof(block));
	assert_true(out.is_closed);
	assert_int_equal(syt_out_close(&out), 0);
	close(fds[1]);
}

/*
 * For each number of digits: the smallest, the largest, and the neighbours of 99 and 100 at the
 * end.
 */
static void numbers_of_all_lengths_are_as_printf_has_them(void **state)
{
	char expected[4096] = "", *at = expected;
	uint64_t power = 1;

	(void)state;
	begin();
	for (unsigned n = 0; n < 20; n++, power *= 10) {
		const uint64_t numbers[] = {power - 1, power, power + 9, power + 99, power + 100};

		for (unsigned k = 0; k < 5; k++) {
			at += sprintf(at, "%llu ", (unsigned long long)numbers[k]);
			syt_out_u64(&out, numbers[k]);
			syt_out_char(&out, ' ');
		}
	}
	assert_string_equal(written(), expected);
}

static void random_numbers_are_as_printf_has_them(void **state)
{
	struct syt_random r = {1};
	char expected[24];

	(void)state;
	begin();
	for (unsigned n = 0; n < 200000; n++) {
		uint64_t v = syt_random_magnitude(&r);

		out.used = 0;
		syt_out_u64(&out, v);
		sprintf(expected, "%llu", (unsigned long long)v);
		assert_int_equal(out.used, strlen(expected));
		assert_memory_equal(out.buffer, expected, out.used);
	}
	out.used = 0;
	written();
}

static void keys_may_be_long(void **state)
{
	static const char key[] =
		"a_key_that_is_much_longer_than_any_that_the_decoder_has_and_yet_a_key";
	struct syt_json j = {.out = &out};
	char expected[256];

	(void)state;
	begin();
	syt_json_begin(&j, NULL, '{');
	syt_json_u64(&j, key, 1);
	syt_json_key(&j, key);
	syt_out_string(&out, "[]");
	syt_json_end(&j);
	snprintf(expected, sizeof(expected), "{\"%s\":1,\"%s\":[]}", key, key);
	assert_string_equal(written(), expected);
}

/* Text that does not fit into the buffer is written out, in order and only once. */
static void a_full_buffer_is_written(void **state)
{
	static char large[SYT_OUT_BYTES + 7];
	uint64_t nr = 0;
	struct stat st;

	(void)state;
	memset(large, 'x', sizeof(large));
	begin();
	for (unsigned n = 0; n < 5; n++) {
		syt_out_char(&out, 'a');
		syt_out_bytes(&out, large, SYT_OUT_BYTES - n);
		syt_out_bytes(&out, large, sizeof(large));
		nr += 1 + SYT_OUT_BYTES - n + sizeof(large);
		assert_int_equal(out.written + out.used, nr);
	}
	syt_out_flush(&out);
	assert_int_equal(fstat(out.fd, &st), 0);
	assert_int_equal(st.st_size, nr);
	written();
}

static void a_full_disk_is_an_error(void **state)
{
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	if (!full)
		skip();
	syt_out_open(&out, fileno(full), false);
	syt_out_string(&out, "text");
	assert_int_not_equal(syt_out_close(&out), 0);
	fclose(full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_and_elements_are_separated),
		cmocka_unit_test(strings_are_escaped),
		cmocka_unit_test(markup_is_escaped_inside_of_markup),
		cmocka_unit_test(terminals_see_no_control_characters),
		cmocka_unit_test(random_bytes_make_harmless_text),
		cmocka_unit_test(numbers_are_written),
		cmocka_unit_test(numbers_of_all_lengths_are_as_printf_has_them),
		cmocka_unit_test(random_numbers_are_as_printf_has_them),
		cmocka_unit_test(keys_may_be_long),
		cmocka_unit_test(a_full_buffer_is_written),
		cmocka_unit_test(a_reader_that_went_away_is_no_error),
		cmocka_unit_test(a_full_disk_is_an_error),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
