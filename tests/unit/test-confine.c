/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A confinement switches recorder features off; the test checks which stay if the confinement does
 * not take effect after all. Runs with the TSC, also if the kernel does not trust it, and as on a machine
 * without it, where reading the time is a system call. No call is really forbidden here:
 * tests/robustness/confine.c does that.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include "runtime/arena.h"
#include "runtime/clock.h"
#include "runtime/confine.h"
#include "runtime/frame.h"
#include "runtime/session.h"

static char dir[64], setting[96];

static int set_up(void **state)
{
	char *envp[] = {setting, NULL};

	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/test-confine.XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(setting, sizeof(setting), "SYNTRACE_DIR=%s/trace", dir);
	syt_session_start(envp);
	assert_true(syt_is_recording());
#ifdef __x86_64__
	syt_clock_source = SYT_CLOCK_TSC;
	syt_clock_has_tsc = 1;
#endif
	return 0;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r '%s'", dir);
	return system(command);
}

/* Returns a filter that forbids system call NR, or no system call if NR is -1. */
static const struct sock_fprog *forbids(long nr)
{
	static struct sock_filter code[4];
	static struct sock_fprog program = {4, code};

	code[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
	                                       offsetof(struct seccomp_data, nr));
	code[1] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)nr, 0, 1);
	code[2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	code[3] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	return &program;
}

static void assert_clock_runs(void)
{
	uint64_t before = syt_clock_acquire(), after;

	assert_false(syt_clock_is_stopped());
	usleep(2000);
	after = syt_clock_acquire();
	assert_true(after - before > 1000000); /* 1 ms, or at least a third of 1 ms in ticks */
	assert_true(syt_clock_pair().ticks != 0);
}

static void assert_clock_counts(void)
{
	uint64_t before = syt_clock_acquire();

	assert_true(syt_clock_is_stopped());
	assert_int_equal(syt_clock_release(), before + 1);
	assert_int_equal(syt_clock_acquire(), before + 2);
	assert_int_equal(syt_clock_pair().ticks, 0);
}

static void test_a_filter_that_allows_all_our_calls(void **state)
{
	struct syt_confinement c;

	(void)state;
	syt_confine_begin(&c, SYT_CONFINE_FILTER, forbids(SYS_ptrace));
	syt_confine_end(&c, true);
	assert_false(syt_confine_is_narrow());
	assert_false(syt_sys_is_denied(SYS_madvise));
	assert_true(syt_sys_is_denied(SYS_kcmp)); /* not asked about */
	assert_clock_runs();
}

static void test_forbidden_calls_are_not_made(void **state)
{
	struct syt_confinement c;
	uint64_t limit = syt_arena.limit;

	(void)state;
	syt_confine_begin(&c, SYT_CONFINE_FILTER, forbids(SYS_madvise));
	assert_true(syt_confine_is_narrow());
	assert_true(syt_sys_is_denied(SYS_madvise));
	assert_true(syt_sys_is_denied(SYS_ptrace)); /* not asked about */
	assert_false(syt_sys_is_denied(SYS_getpid));
	assert_int_equal(SYT_SYS_3(SYS_madvise, syt_arena.base, 4096, 0), SYT_SYS_DENIED);
	/* space was reserved, and the recorder promises no more */
	assert_true(syt_arena.limit < limit);
	assert_true(syt_arena.limit >= syt_arena_file()->used + (1 << 20));
	memset(syt_arena.base + syt_arena_file()->used, 0,
	       syt_arena.limit - syt_arena_file()->used);
	assert_clock_runs();
	/* the kernel has refused the restriction */
	syt_confine_end(&c, false);
	assert_false(syt_confine_is_narrow());
	assert_false(syt_sys_is_denied(SYS_ptrace));
	assert_int_equal(syt_arena.limit, limit);
}

static void test_without_the_tsc_the_time_is_a_system_call(void **state)
{
	uint32_t source = syt_clock_source, has_tsc = syt_clock_has_tsc;
	struct syt_confinement c;

	(void)state;
	syt_clock_source = SYT_CLOCK_MONOTONIC;
	syt_clock_has_tsc = 0;
	assert_clock_runs();
	syt_confine_begin(&c, SYT_CONFINE_FILTER, forbids(SYS_clock_gettime));
	assert_clock_counts();
	syt_confine_end(&c, false);
	assert_clock_runs();
	syt_clock_source = source;
	syt_clock_has_tsc = has_tsc;
}

static void test_a_filter_that_cannot_be_read(void **state)
{
	struct sock_fprog wild = {5, (struct sock_filter *)8};
	struct syt_confinement c;

	(void)state;
	syt_confine_begin(&c, SYT_CONFINE_FILTER, &wild);
	assert_true(syt_sys_is_denied(SYS_getpid));
	syt_confine_end(&c, false);
	syt_confine_begin(&c, SYT_CONFINE_FILTER, (void *)8);
	assert_true(syt_sys_is_denied(SYS_getpid));
	syt_confine_end(&c, false);
	assert_false(syt_sys_is_denied(SYS_getpid));
}

static void test_strict_mode_and_the_clock(void **state)
{
	struct syt_confinement c, inner;

	(void)state;
	syt_confine_begin(&c, SYT_CONFINE_CLOCK, NULL);
	assert_clock_counts();
	assert_false(syt_confine_is_narrow());
	/* a second confinement that fails leaves the first in force */
	syt_confine_begin(&inner, SYT_CONFINE_STRICT, NULL);
	assert_true(syt_sys_is_denied(SYS_write));
	syt_confine_end(&inner, false);
	assert_false(syt_sys_is_denied(SYS_write));
	assert_clock_counts();
	syt_confine_end(&c, false);
	assert_clock_runs();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_filter_that_allows_all_our_calls),
		cmocka_unit_test(test_forbidden_calls_are_not_made),
		cmocka_unit_test(test_without_the_tsc_the_time_is_a_system_call),
		cmocka_unit_test(test_a_filter_that_cannot_be_read),
		cmocka_unit_test(test_strict_mode_and_the_clock),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
