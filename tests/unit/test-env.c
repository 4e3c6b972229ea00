/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/env.h"

static struct syt_env read_one(const char *setting)
{
	char copy[64];
	char *envp[] = {copy, NULL};
	struct syt_env env;

	strcpy(copy, setting);
	syt_env_read(&env, envp);
	return env;
}

static void test_defaults(void **state)
{
	struct syt_env env = read_one("OTHER=1");

	(void)state;
	assert_int_equal(env.mode, SYT_MODE_RING);
	assert_true(env.ring_bytes >= 40 << 20);
	assert_false(env.is_disabled);
	assert_null(env.session);
	assert_null(env.dir);
}

static void test_sizes(void **state)
{
	uint64_t fallback = read_one("X=").ring_bytes;

	(void)state;
	assert_int_equal(read_one("SYNTRACE_RING=123").ring_bytes, 123);
	assert_int_equal(read_one("SYNTRACE_RING=8k").ring_bytes, 8192);
	assert_int_equal(read_one("SYNTRACE_RING=3M").ring_bytes, 3 << 20);
	assert_int_equal(read_one("SYNTRACE_MAX_SIZE=2G").max_bytes, UINT64_C(2) << 30);
	assert_int_equal(read_one("SYNTRACE_MAX_SIZE=1T").max_bytes, UINT64_C(1) << 40);
	/* malformed: the default, never a guess */
	assert_int_equal(read_one("SYNTRACE_RING=").ring_bytes, fallback);
	assert_int_equal(read_one("SYNTRACE_RING=x").ring_bytes, fallback);
	assert_int_equal(read_one("SYNTRACE_RING=1Q").ring_bytes, fallback);
	assert_int_equal(read_one("SYNTRACE_RING=1MB").ring_bytes, fallback);
	assert_int_equal(read_one("SYNTRACE_RING=-1").ring_bytes, fallback);
	assert_int_equal(read_one("SYNTRACE_RING=99999999999999999999").ring_bytes, fallback);
	assert_int_equal(read_one("SYNTRACE_RING=99999999999T").ring_bytes, fallback);
}

static void test_flags_and_modes(void **state)
{
	(void)state;
	assert_true(read_one("SYNTRACE_DISABLE=1").is_disabled);
	assert_false(read_one("SYNTRACE_DISABLE=0").is_disabled);
	assert_false(read_one("SYNTRACE_DISABLE=").is_disabled);
	assert_int_equal(read_one("SYNTRACE_MODE=stream").mode, SYT_MODE_STREAM);
	assert_int_equal(read_one("SYNTRACE_MODE=ring").mode, SYT_MODE_RING);
	assert_int_equal(read_one("SYNTRACE_MODE=bogus").mode, SYT_MODE_RING);
}

static void test_get(void **state)
{
	char a[] = "A=1", b[] = "SYNTRACE_SESSIONS=2", c[] = "SYNTRACE_SESSION=/x", d[] = "D=";
	char *envp[] = {a, b, c, d, NULL};

	(void)state;
	assert_string_equal(syt_env_get(envp, "SYNTRACE_SESSION"), "/x");
	assert_string_equal(syt_env_get(envp, "D"), "");
	assert_null(syt_env_get(envp, "SYNTRACE"));
	assert_null(syt_env_get(NULL, "A"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_flags_and_modes),
		cmocka_unit_test(test_get),
	};

	return cmocka_run_group_tests_name("env", tests, NULL, NULL);
}
