/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Tests the predicted effect of a seccomp filter on a system call, with filters written by hand, and
 * with random filters, which an interpreter runs with many arguments for comparison. A wrong "allowed"
 * would kill programs; a wrong "not allowed" only loses events.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include <cmocka.h>
#include <linux/audit.h>
#include <linux/seccomp.h>

#include "runtime/seccomp.h"
#include "tests/lib/random.h"

#if defined(__x86_64__)
#define OUR_ARCH AUDIT_ARCH_X86_64
#else
#define OUR_ARCH AUDIT_ARCH_AARCH64
#endif

#define NR_AT offsetof(struct seccomp_data, nr)
#define ARCH_AT offsetof(struct seccomp_data, arch)
#define ARG_AT(n_) (offsetof(struct seccomp_data, args) + 8 * (n_))
#define LOAD(at_) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (at_))
#define IF(value_, yes_, no_) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value_), (yes_), (no_))
#define RETURN(what_) BPF_STMT(BPF_RET | BPF_K, (what_))
#define ALLOW SECCOMP_RET_ALLOW
#define KILL SECCOMP_RET_KILL_PROCESS

#define ALLOWS(nr_, ...)                                                                           \
	({                                                                                         \
		const struct sock_filter f_[] = {__VA_ARGS__};                                     \
		syt_seccomp_allows(f_, sizeof(f_) / sizeof(*f_), (nr_));                           \
	})

static void test_by_number(void **state)
{
	(void)state;
	assert_true(ALLOWS(3, RETURN(ALLOW)));
	assert_false(ALLOWS(3, RETURN(KILL)));
	assert_false(ALLOWS(3, RETURN(SECCOMP_RET_ERRNO | 1)));
	assert_false(ALLOWS(3, RETURN(SECCOMP_RET_TRAP)));
	assert_false(ALLOWS(3, RETURN(SECCOMP_RET_LOG)));
	assert_false(ALLOWS(3, RETURN(SECCOMP_RET_TRACE)));
	assert_false(ALLOWS(3, RETURN(SECCOMP_RET_USER_NOTIF)));
	assert_true(ALLOWS(3, LOAD(NR_AT), IF(3, 0, 1), RETURN(ALLOW), RETURN(KILL)));
	assert_false(ALLOWS(4, LOAD(NR_AT), IF(3, 0, 1), RETURN(ALLOW), RETURN(KILL)));
	/* the result for another architecture does not matter */
	assert_true(ALLOWS(4, LOAD(ARCH_AT), IF(OUR_ARCH, 1, 0), RETURN(KILL), RETURN(ALLOW)));
	assert_false(ALLOWS(4, LOAD(ARCH_AT), IF(OUR_ARCH, 1, 0), RETURN(ALLOW), RETURN(KILL)));
	/* ranges and bits */
	assert_true(ALLOWS(7, LOAD(NR_AT), BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 8, 0, 1),
	                   RETURN(KILL), RETURN(ALLOW)));
	assert_false(ALLOWS(8, LOAD(NR_AT), BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 8, 0, 1),
	                    RETURN(KILL), RETURN(ALLOW)));
	assert_false(ALLOWS(9, LOAD(NR_AT), BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 1), IF(1, 0, 1),
	                    RETURN(KILL), RETURN(ALLOW)));
}

static void test_by_argument(void **state)
{
	(void)state;
	/* The filter decides by an argument, whose value is unknown, so the call is not considered allowed. */
	assert_false(ALLOWS(3, LOAD(ARG_AT(0)), IF(0, 0, 1), RETURN(ALLOW), RETURN(KILL)));
	assert_false(ALLOWS(3, LOAD(ARG_AT(0)), IF(0, 0, 1), RETURN(KILL), RETURN(ALLOW)));
	/* an argument decides between results that both allow the call */
	assert_true(ALLOWS(3, LOAD(ARG_AT(0)), IF(0, 0, 1), RETURN(ALLOW), RETURN(ALLOW)));
	/* the filter refuses only another system call */
	assert_true(ALLOWS(3, LOAD(NR_AT), IF(4, 0, 3), LOAD(ARG_AT(1)), IF(1, 0, 1), RETURN(KILL),
	                   RETURN(ALLOW)));
	assert_false(ALLOWS(4, LOAD(NR_AT), IF(4, 0, 3), LOAD(ARG_AT(1)), IF(1, 0, 1), RETURN(KILL),
	                    RETURN(ALLOW)));
}

static void test_unusual_filters(void **state)
{
	struct sock_filter none = RETURN(ALLOW);

	(void)state;
	assert_false(syt_seccomp_allows(&none, 0, 3));
	assert_false(syt_seccomp_allows(&none, BPF_MAXINSNS + 1, 3));
	/* the filter runs or jumps beyond its end */
	assert_false(ALLOWS(3, LOAD(NR_AT)));
	assert_false(ALLOWS(3, LOAD(NR_AT), IF(3, 9, 0), RETURN(ALLOW)));
	assert_false(ALLOWS(3, BPF_STMT(BPF_JMP | BPF_JA, 0xffffffff), RETURN(ALLOW)));
	/* the accumulator says, scratch memory is not followed, a division by zero ends it */
	assert_true(ALLOWS(3, BPF_STMT(BPF_LD | BPF_IMM, ALLOW), BPF_STMT(BPF_RET | BPF_A, 0)));
	assert_false(ALLOWS(3, BPF_STMT(BPF_LD | BPF_IMM, ALLOW), BPF_STMT(BPF_ST, 0),
	                    BPF_STMT(BPF_LD | BPF_MEM, 0), BPF_STMT(BPF_RET | BPF_A, 0)));
	assert_false(ALLOWS(3, BPF_STMT(BPF_LDX | BPF_IMM, 0),
	                    BPF_STMT(BPF_ALU | BPF_DIV | BPF_X, 0), RETURN(ALLOW)));
	assert_true(ALLOWS(
		3, LOAD(NR_AT), BPF_STMT(BPF_MISC | BPF_TAX, 0), BPF_STMT(BPF_LD | BPF_IMM, 3),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_X, 0, 0, 1), RETURN(ALLOW), RETURN(KILL)));
}

/* ---- random filters, run for real ---- */

static uint32_t run(const struct sock_filter *f, uint32_t nr, const struct seccomp_data *d)
{
	uint32_t a = 0, x = 0, mem[BPF_MEMWORDS] = {0};

	for (uint32_t at = 0; at < nr; at++) {
		const struct sock_filter *i = &f[at];
		uint32_t b = BPF_SRC(i->code) == BPF_X ? x : i->k;

		switch (i->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			memcpy(&a, (const char *)d + i->k, 4);
			break;
		case BPF_LD | BPF_IMM:
			a = i->k;
			break;
		case BPF_LDX | BPF_IMM:
			x = i->k;
			break;
		case BPF_LD | BPF_MEM:
			a = mem[i->k];
			break;
		case BPF_ST:
			mem[i->k] = a;
			break;
		case BPF_MISC | BPF_TAX:
			x = a;
			break;
		case BPF_MISC | BPF_TXA:
			a = x;
			break;
		case BPF_ALU | BPF_ADD | BPF_K:
		case BPF_ALU | BPF_ADD | BPF_X:
			a += b;
			break;
		case BPF_ALU | BPF_AND | BPF_K:
		case BPF_ALU | BPF_AND | BPF_X:
			a &= b;
			break;
		case BPF_ALU | BPF_RSH | BPF_K:
			a >>= b;
			break;
		case BPF_JMP | BPF_JA:
			at += i->k;
			break;
		case BPF_JMP | BPF_JEQ | BPF_K:
		case BPF_JMP | BPF_JEQ | BPF_X:
			at += a == b ? i->jt : i->jf;
			break;
		case BPF_JMP | BPF_JGT | BPF_K:
			at += a > b ? i->jt : i->jf;
			break;
		case BPF_JMP | BPF_JSET | BPF_K:
			at += a & b ? i->jt : i->jf;
			break;
		case BPF_RET | BPF_K:
			return i->k;
		default:
			return KILL;
		}
	}
	return KILL;
}

#define NR_RANDOM 24u

static void make(struct sock_filter *f, struct syt_random *r)
{
	static const uint16_t codes[] = {
		BPF_LD | BPF_W | BPF_ABS,   BPF_LD | BPF_W | BPF_ABS,  BPF_LD | BPF_IMM,
		BPF_LDX | BPF_IMM,          BPF_LD | BPF_MEM,          BPF_ST,
		BPF_MISC | BPF_TAX,         BPF_MISC | BPF_TXA,        BPF_ALU | BPF_ADD | BPF_K,
		BPF_ALU | BPF_ADD | BPF_X,  BPF_ALU | BPF_AND | BPF_K, BPF_ALU | BPF_AND | BPF_X,
		BPF_ALU | BPF_RSH | BPF_K,  BPF_JMP | BPF_JA,          BPF_JMP | BPF_JEQ | BPF_K,
		BPF_JMP | BPF_JEQ | BPF_K,  BPF_JMP | BPF_JEQ | BPF_X, BPF_JMP | BPF_JGT | BPF_K,
		BPF_JMP | BPF_JSET | BPF_K, BPF_RET | BPF_K,
	};
	static const uint32_t offsets[] = {NR_AT, NR_AT, ARCH_AT, ARG_AT(0), ARG_AT(1)};

	for (uint32_t at = 0; at < NR_RANDOM; at++) {
		uint32_t left = NR_RANDOM - 1 - at;
		uint16_t code = left ? codes[syt_random_below(r, sizeof(codes) / sizeof(*codes))]
		                     : BPF_RET | BPF_K;
		struct sock_filter *i = &f[at];

		*i = (struct sock_filter){.code = code, .k = (uint32_t)syt_random_below(r, 4)};
		if (BPF_CLASS(code) == BPF_JMP) {
			uint32_t most = left < 4 ? left : 4;

			i->jt = (uint8_t)syt_random_below(r, most);
			i->jf = (uint8_t)syt_random_below(r, most);
			if (BPF_OP(code) == BPF_JA)
				i->k = (uint32_t)syt_random_below(r, most);
		} else if (code == (BPF_LD | BPF_W | BPF_ABS)) {
			i->k = offsets[syt_random_below(r, 5)];
		} else if (BPF_CLASS(code) == BPF_RET) {
			i->k = syt_random_below(r, 4) ? ALLOW : KILL;
		}
	}
}

static void test_random(void **state)
{
	struct syt_random r = {21};
	unsigned nr_allowed = 0;

	(void)state;
	for (unsigned n = 0; n < 40000; n++) {
		struct sock_filter f[NR_RANDOM];
		long call = (long)syt_random_below(&r, 4);

		make(f, &r);
		if (!syt_seccomp_allows(f, NR_RANDOM, call))
			continue;
		nr_allowed++;
		for (unsigned args = 0; args < 25; args++) {
			struct seccomp_data d = {
				.nr = (int)call, .arch = OUR_ARCH, .args = {args % 5, args / 5}};

			assert_int_equal(run(f, NR_RANDOM, &d), ALLOW);
		}
	}
	assert_true(nr_allowed > 400);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_number),
		cmocka_unit_test(test_by_argument),
		cmocka_unit_test(test_unusual_filters),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
