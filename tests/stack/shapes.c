/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Random call trees over functions whose frames differ: plain, variable-sized, all callee-saved
 * registers in use, realigned, with stack arguments, large, called back by libc, with a frame
 * pointer; the same function from two places at one depth; deeper than the limit.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <pthread.h>
#include <search.h>
#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/stack/oracle.h"

#define NOINLINE __attribute__((noinline))
#define USE(p_) __asm__ volatile("" : : "r"(p_) : "memory")

static void tree(int depth);
static unsigned long nr_wanted;

static NOINLINE void plain(int depth)
{
	tree(depth);
	oracle_check();
	USE(&depth);
}

static NOINLINE void variable(int depth)
{
	for (int i = 0; i < 2; i++) {
		char *p = alloca(16 + oracle_random() % 512);

		USE(p);
		tree(depth);
		oracle_check();
	}
	USE(&depth);
}

/* Every callee-saved register holds something that changes from call to call. */
static NOINLINE void pressed(int depth)
{
	unsigned long a = oracle_random(), b = a * 3, c = a * 5, d = a * 7, e = a * 11, f = a * 13;

	for (int i = 0; i < 3; i++) {
		__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
		oracle_check();
		a += b, b += c, c += d, d += e, e += f, f += a;
		__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
		if (i == 1)
			tree(depth);
	}
	USE(a + b + c + d + e + f);
}

static NOINLINE void aligned(int depth)
{
	alignas(64) char block[128];

	USE(block);
	tree(depth);
	oracle_check();
	USE(block);
}

/* Realigned and variable-sized with arguments on the stack: the CFA itself is saved in the frame.
 */
static NOINLINE void realigned(int depth, long a, long b, long c, long d, long e, long f, long g)
{
	alignas(64) char block[128];
	char *p = alloca(oracle_random() % 256 + 1);

	USE(block);
	USE(p);
	tree(depth);
	oracle_check();
	USE(a + b + c + d + e + f + g);
	USE(block);
}

static NOINLINE void large(int depth)
{
	char block[40000];

	USE(block);
	tree(depth > 2 ? 2 : depth);
	oracle_check();
	USE(block);
}

static NOINLINE void huge(int depth)
{
	char block[200000];

	USE(block);
	tree(depth > 1 ? 1 : depth);
	oracle_check();
	USE(block);
}

static int depth_of_callback;

static int by_value(const void *a, const void *b)
{
	int depth = depth_of_callback;

	oracle_check();
	if (depth > 0 && oracle_random() % 8 == 0) {
		depth_of_callback = 0;
		tree(depth - 1);
		depth_of_callback = depth;
	}
	return *(const int *)a - *(const int *)b;
}

static NOINLINE void called_back(int depth)
{
	int v[6], key = 3;
	size_t nr = 6;

	for (int i = 0; i < 6; i++)
		v[i] = (int)(oracle_random() % 10);
	depth_of_callback = depth > 2 ? 2 : depth;
	qsort(v, 6, sizeof(*v), by_value);
	lfind(&key, v, &nr, sizeof(*v), by_value);
	depth_of_callback = 0;
	oracle_check();
}

static NOINLINE void framed(int depth)
{
	USE(__builtin_frame_address(0));
	tree(depth);
	oracle_check();
	USE(&depth);
}

/*
 * Two stacks in which the inner function has the same caller at the same address; only the caller's
 * caller differs.
 */
static NOINLINE void inner(void)
{
	oracle_check();
	USE(&nr_wanted);
}

static NOINLINE void middle(void)
{
	inner();
	USE(&nr_wanted);
}

static NOINLINE void twice(int depth)
{
	middle();
	middle();
	if (depth > 1)
		tree(depth - 1);
	middle();
	USE(&depth);
}

static NOINLINE long varied(int nr, ...)
{
	va_list list;
	long sum = 0;

	va_start(list, nr);
	for (int i = 0; i < nr; i++)
		sum += va_arg(list, int);
	oracle_check();
	va_end(list);
	return sum;
}

#if defined(__x86_64__)
/* Functions in hand-written assembler, whose CFA is relative to rbx or saved on the stack. */
void via_rbx(void (*call)(int), int depth);
void via_stack(void (*call)(int), int depth);
/* clang-format off */
__asm__(".text\n"
	"via_rbx:\n"
	"	.cfi_startproc\n"
	"	push %rbx\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset rbx, -16\n"
	"	mov %rsp, %rbx\n"
	"	.cfi_def_cfa_register rbx\n"
	"	sub $40, %rsp\n"
	"	and $-64, %rsp\n"
	"	mov %rdi, %rax\n"
	"	mov %esi, %edi\n"
	"	call *%rax\n"
	"	mov %rbx, %rsp\n"
	"	.cfi_def_cfa_register rsp\n"
	"	pop %rbx\n"
	"	.cfi_def_cfa_offset 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"via_stack:\n"
	"	.cfi_startproc\n"
	"	mov %rsp, %rax\n"
	"	.cfi_def_cfa_register rax\n"
	"	sub $64, %rsp\n"
	"	and $-64, %rsp\n"
	"	mov %rax, 8(%rsp)\n"
	"	.cfi_escape 0x0f, 5, 0x77, 8, 0x06, 0x23, 8\n" /* CFA is *(rsp + 8) + 8 */
	"	mov %rdi, %rax\n"
	"	mov %esi, %edi\n"
	"	call *%rax\n"
	"	mov 8(%rsp), %rsp\n"
	"	.cfi_def_cfa rsp, 8\n"
	"	ret\n"
	"	.cfi_endproc\n");
/* clang-format on */
#else
static NOINLINE void via_rbx(void (*call)(int), int depth)
{
	call(depth);
	USE(&depth);
}
#define via_stack via_rbx
#endif

static jmp_buf landing;

/* Leaves by longjmp at the deepest call. */
static NOINLINE void jumper(int n)
{
	oracle_check();
	if (nr_wanted && !n)
		longjmp(landing, 1);
	if (n)
		jumper(n - 1);
	USE(&n);
}

static NOINLINE void jumped(void)
{
	if (!setjmp(landing))
		jumper((int)(oracle_random() % 5));
	oracle_check();
}

static NOINLINE int endless(int n)
{
	int rv = 0;

	if (n)
		rv = endless(n - 1);
	if (n % 97 == 0 || n < 3)
		oracle_check();
	USE(&n);
	return rv + n;
}

static void tree(int depth)
{
	if (depth <= 0 || oracle_nr_checks() > nr_wanted) {
		oracle_check();
		return;
	}
	switch (oracle_random() % 14) {
	case 0:
		plain(depth - 1);
		break;
	case 1:
		variable(depth - 1);
		break;
	case 2:
		pressed(depth - 1);
		break;
	case 3:
		aligned(depth - 1);
		break;
	case 4:
		realigned(depth - 1, 1, 2, 3, 4, 5, 6, 7);
		break;
	case 5:
		large(depth - 1);
		break;
	case 6:
		huge(depth - 1);
		break;
	case 7:
		called_back(depth - 1);
		break;
	case 8:
		framed(depth - 1);
		break;
	case 9:
		twice(depth - 1);
		break;
	case 10:
		varied(3, 1, 2, depth);
		plain(depth - 1);
		break;
	case 11:
		via_rbx(pressed, depth - 1);
		break;
	case 12:
		via_stack(pressed, depth - 1);
		break;
	default:
		if (oracle_random() % 4)
			pressed(depth - 1);
		else
			jumped();
	}
	USE(&depth);
}

static void *run(void *arg)
{
	nr_wanted += 30000;
	while (oracle_nr_checks() < nr_wanted)
		tree((int)(oracle_random() % 20));
	endless(40);
	endless(980);
	endless(2000);
	endless(60);
	return arg;
}

int main(void)
{
	pthread_t t;

	run(NULL);
	if (pthread_create(&t, NULL, run, NULL) || pthread_join(t, NULL))
		return 1;
	if (oracle_nr_lost()) {
		fprintf(stderr, "shapes: %lu lost\n", oracle_nr_lost());
		return 1;
	}
	printf("shapes: %lu stacks compared\n", oracle_nr_checks());
	return 0;
}
