/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Properties that the reference unwinder cannot check: marks, the end of a walk, memory that it
 * must not read. tests/stack/ tests that stacks are correct.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <alloca.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "format/format.h"
#include "runtime/module.h"
#include "runtime/stack-node.h"
#include "runtime/stack-state.h"
#include "tests/stack/oracle.h"

#define NOINLINE __attribute__((noinline))
#define USE(p_) __asm__ volatile("" : : "r"(p_) : "memory")

static struct syt_stack_state *state;
static uint64_t pcs[SYT_STACK_DEPTH + 1];

static size_t state_bytes(void)
{
	return (syt_stack_state_bytes() + 4095) & ~(size_t)4095;
}

static int start(void **unused)
{
	(void)unused;
	state = mmap(NULL, state_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
	             0);
	return state == MAP_FAILED || syt_stack_init();
}

/* Captures the stack as a wrapper does. */
static NOINLINE uint32_t capture(uintptr_t top)
{
	const uintptr_t *fp = __builtin_frame_address(0);
	struct syt_stack_regs regs = {.pc = fp[1], .sp = (uintptr_t)(fp + 2), .bp = fp[0]};
	uint32_t id = syt_stack_capture(state, &regs, top);

	assert_int_equal(syt_stack_capture(NULL, &regs, top), id);
	return id;
}

static unsigned frames(uint32_t id)
{
	return oracle_frames(id, pcs, SYT_STACK_DEPTH + 1);
}

static void test_a_whole_stack_is_not_marked(void **unused)
{
	unsigned nr = frames(capture(0));

	(void)unused;
	assert_true(nr > 4);
	for (unsigned i = 0; i < nr; i++)
		assert_int_equal(pcs[i] & (SYT_STACK_TRUNCATED | SYT_STACK_SIGNAL), 0);
}

static NOINLINE void down(unsigned left, uint32_t *id)
{
	if (left)
		down(left - 1, id);
	else
		*id = capture(0);
	USE(&left);
}

static void test_a_deep_stack_is_cut_at_the_outer_end(void **unused)
{
	uint32_t id = 0;

	(void)unused;
	down(2 * SYT_STACK_DEPTH, &id);
	assert_int_equal(frames(id), SYT_STACK_DEPTH);
	assert_true(pcs[SYT_STACK_DEPTH - 1] & SYT_STACK_TRUNCATED);
	assert_false(pcs[SYT_STACK_DEPTH - 2] & SYT_STACK_TRUNCATED);
}

/* Code without unwind rows: push rbp; mov rbp, rsp; call rdi; pop rbp; ret. */
static const uint8_t generated[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3};

static uint32_t from_generated_id;

static NOINLINE void from_generated(void)
{
	from_generated_id = capture(0);
	USE(&from_generated_id);
}

static void test_generated_code_ends_the_stack_with_a_mark(void **unused)
{
	void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
	                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint32_t first;

	(void)unused;
	if (code == MAP_FAILED)
		skip();
	memcpy(code, generated, sizeof(generated));
	((void (*)(void (*)(void)))code)(from_generated);
	assert_int_equal(frames(from_generated_id), 2);
	assert_int_equal(pcs[1], ((uintptr_t)code + 6) | SYT_STACK_TRUNCATED);
	assert_int_equal(oracle_module_of_frame(from_generated_id - 1), 0);
	first = from_generated_id;
	((void (*)(void (*)(void)))code)(from_generated);
	assert_int_equal(from_generated_id, first);
	munmap(code, 4096);
}

static void test_a_walk_does_not_leave_the_stack(void **unused)
{
	uintptr_t *page =
		mmap(NULL, 2 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uintptr_t pc = (uintptr_t)__builtin_return_address(0);
	struct syt_stack_regs regs = {.pc = pc, .sp = (uintptr_t)(page + 510), .bp = 8};

	(void)unused;
	mprotect(page + 512, 4096, PROT_NONE);
	for (unsigned i = 0; i < 512; i++)
		page[i] = pc;
	/* two words of stack are left, so with any unwind rule the frame ends at an unreadable page */
	assert_true(frames(syt_stack_capture(state, &regs, 0)) >= 1);
	assert_true(frames(syt_stack_capture(state, &regs, (uintptr_t)(page + 512))) >= 1);
	assert_true(pcs[0] & SYT_STACK_TRUNCATED);
	/* a frame pointer that is not a stack address */
	for (uintptr_t bp = 0; bp < UINTPTR_MAX - 4096 * 8; bp += UINTPTR_MAX / 4096) {
		regs.bp = bp;
		syt_stack_capture(state, &regs, 0);
		syt_stack_capture(NULL, &regs, (uintptr_t)(page + 512));
	}
	munmap(page, 2 * 4096);
}

static volatile uint32_t tight_id; /* written by the handler */
static volatile bool is_first;
static uintptr_t tight_bottom; /* of the signal stack */

#define TIGHT_BYTES 1024u /* bytes of the signal stack that the handler leaves free */

static void on_tight_stack(int signal)
{
	const uintptr_t *fp = __builtin_frame_address(0);
	struct syt_stack_regs regs = {.pc = fp[1], .sp = (uintptr_t)(fp + 2), .bp = fp[0]};
	uintptr_t left = (uintptr_t)fp - tight_bottom;

	(void)signal;
	/* The minimum size includes room for registers that the kernel saves only once they are used (AMX: 8 KiB). */
	if (!is_first && left > TIGHT_BYTES)
		*(volatile char *)alloca(left - TIGHT_BYTES) = 0;
	tight_id = syt_stack_capture(is_first ? NULL : state, &regs, 0);
}

/*
 * On the smallest signal stack, with no memory below it, a capture takes only the pc and no more
 * stack.
 */
static void test_a_tight_signal_stack_is_not_overrun(void **unused)
{
	size_t bytes = (size_t)sysconf(_SC_MINSIGSTKSZ) + 512;
	size_t mapped = (bytes + 4095) & ~(size_t)4095;
	char *p = mmap(NULL, 4096 + mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
	               0);
	stack_t s = {.ss_sp = p + 4096, .ss_size = bytes};
	struct sigaction action = {.sa_handler = on_tight_stack, .sa_flags = SA_ONSTACK};

	(void)unused;
	tight_bottom = (uintptr_t)s.ss_sp;
	mprotect(p, 4096, PROT_NONE);
	assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
	/* on the thread's stack first: the table learns the frame */
	is_first = true;
	raise(SIGUSR1);
	assert_true(frames(tight_id) > 3);
	is_first = false;
	assert_int_equal(sigaltstack(&s, NULL), 0);
	tight_id = UINT32_MAX;
	raise(SIGUSR1);
	assert_int_not_equal(tight_id, UINT32_MAX);
	if (tight_id) {
		assert_int_equal(frames(tight_id), 1);
		assert_true(pcs[0] & SYT_STACK_TRUNCATED);
	}
	s.ss_flags = SS_DISABLE;
	sigaltstack(&s, NULL);
	munmap(p, 4096 + mapped);
}

static void test_nonsense_is_refused(void **unused)
{
	uintptr_t pc = (uintptr_t)&capture + 1, sp = (uintptr_t)&pc & ~(uintptr_t)7;
	const struct syt_stack_regs wrong[] = {
		{.pc = 0, .sp = sp},      {.pc = UINTPTR_MAX, .sp = sp},        {.pc = pc, .sp = 0},
		{.pc = pc, .sp = sp + 4}, {.pc = (uintptr_t)1 << 47, .sp = sp},
	};

	(void)unused;
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		assert_int_equal(syt_stack_capture(state, &wrong[i], 0), 0);
		assert_int_equal(syt_stack_capture(NULL, &wrong[i], 0), 0);
	}
}

static void test_errno_stays(void **unused)
{
	(void)unused;
	errno = 0xbeef;
	capture(0);
	syt_module_renew();
	capture(0);
	assert_int_equal(errno, 0xbeef);
}

/* One call site, even if the compiler unrolls the loop. */
static NOINLINE void repeat(unsigned nr, void (*between)(unsigned i), uint32_t *ids)
{
	for (unsigned i = 0; i < nr; i++) {
		__asm__ volatile("" : "+r"(i), "+r"(nr));
		ids[i] = capture(0);
		between(i);
	}
}

static void renew_or_close(unsigned i)
{
	if (i == 0)
		syt_module_renew();
	else
		syt_module_closing();
}

static void test_ids_do_not_change_with_the_generation(void **unused)
{
	uint32_t ids[3];

	(void)unused;
	repeat(3, renew_or_close, ids);
	syt_module_closed();
	syt_module_closed();
	assert_int_equal(ids[0], ids[1]);
	assert_int_equal(ids[0], ids[2]);
}

static void renew_often(unsigned i)
{
	for (unsigned n = 0; n < 100 + i; n++)
		syt_module_renew();
}

/* Cached unwind rules have 12 bits of the code generation: when these bits wrap around, old rules must
 * be gone. */
static void test_generations_wrap(void **unused)
{
	uint32_t ids[200];

	(void)unused;
	repeat(200, renew_often, ids);
	for (unsigned i = 1; i < 200; i++)
		assert_int_equal(ids[i], ids[0]);
}

static void test_nodes_are_unique(void **unused)
{
	uint32_t ids[3000], parent = 0;

	(void)unused;
	for (uint32_t i = 0; i < 3000; i++)
		ids[i] = parent =
			syt_node_intern(i % 3 ? parent : 0, syt_node_key(0x400000 + 16 * i, 0));
	parent = 0;
	for (uint32_t i = 0; i < 3000; i++) {
		parent = syt_node_intern(i % 3 ? parent : 0, syt_node_key(0x400000 + 16 * i, 0));
		assert_int_equal(parent, ids[i]);
		assert_int_equal(oracle_frames(parent, pcs, SYT_STACK_DEPTH), i % 3 + 1);
		assert_int_equal(pcs[0], 0x400000 + 16 * i);
	}
	/* the flags SYT_STACK_TRUNCATED and SYT_STACK_SIGNAL are part of a node's identity */
	parent = syt_node_intern(0, syt_node_key(0x400000 | SYT_STACK_TRUNCATED, 0));
	assert_int_not_equal(parent, ids[0]);
	assert_int_equal(oracle_frames(parent, pcs, 1), 1);
	assert_true(pcs[0] & SYT_STACK_TRUNCATED);
}

/* More callees of one caller than one line of each level holds, whose hashes choose the same lines. */
static void test_nodes_with_equal_hashes(void **unused)
{
	uint32_t ids[60];
	uint64_t keys[60];
	unsigned nr = 0, last = SYT_NODE_NR_LEVELS - 1;

	(void)unused;
	for (uint64_t pc = 0x400000; nr < 60; pc++)
		if (!(syt_node_slot(syt_node_key(pc, 0), 0, last) >> SYT_NODE_WAY_BITS))
			keys[nr++] = syt_node_key(pc, 0);
	for (unsigned i = 0; i < nr; i++) {
		ids[i] = syt_node_intern(0, keys[i]);
		assert_int_not_equal(ids[i], 0);
	}
	for (unsigned i = 0; i < nr; i++) {
		assert_int_equal(syt_node_intern(0, keys[i]), ids[i]);
		assert_int_equal(oracle_frames(ids[i], pcs, 1), 1);
		assert_int_equal(pcs[0], keys[i]);
	}
	assert_int_equal(oracle_nr_lost(), 0);
}

/* This test is the last, because stack ids begin again at 1. */
static void test_a_forked_child_starts_again(void **unused)
{
	size_t bytes = state_bytes() - 4096;
	uint8_t *rest = (uint8_t *)state + 4096;
	uint32_t before, after;

	(void)unused;
	for (int i = 0; i < 2; i++)
		before = capture(0);
	syt_stack_fork_child();
	syt_stack_state_fork_child(state);
	/* the first captures copy no page of the parent's stack for the child */
	assert_int_equal(mprotect(rest, bytes, PROT_READ), 0);
	for (int i = 0; i < 2; i++) {
		after = capture(0);
		assert_int_equal(frames(after), frames(before));
	}
	assert_int_not_equal(after, before);
	assert_int_equal(mprotect(rest, bytes, PROT_READ | PROT_WRITE), 0);
	/* later captures remember stacks again */
	for (int i = 0; i < 3; i++)
		assert_int_equal(frames(capture(0)), frames(before));
}

/* Captures below NR more frames of a stack with the known top TOP. The two functions make different stacks. */
static NOINLINE void down_known(unsigned nr, uintptr_t top)
{
	if (nr)
		down_known(nr - 1, top);
	else
		capture(top);
	USE(&nr);
}

static NOINLINE void down_again(unsigned nr, uintptr_t top)
{
	if (nr)
		down_again(nr - 1, top);
	else
		capture(top);
	USE(&nr);
}

/* A thread that makes calls in two deep functions in turn finds both stacks without a walk. */
static void test_recent_deep_stacks_are_found(void **unused)
{
	uintptr_t top = ((uintptr_t)__builtin_frame_address(0) | 0xffff) + 1;

	(void)unused;
	for (unsigned i = 0; i < 200; i++)
		(i % 2 ? down_known : down_again)(8, top);
	assert_int_not_equal(state->path_credit, 0);
	/* a stack with another top ends elsewhere */
	down_known(8, top + 4096);
	assert_int_equal(state->has_path, 0);
}

int main(void)
{
#define TEST(name_) cmocka_unit_test(name_)
	const struct CMUnitTest tests[] = {
		TEST(test_a_whole_stack_is_not_marked),
		TEST(test_a_deep_stack_is_cut_at_the_outer_end),
		TEST(test_generated_code_ends_the_stack_with_a_mark),
		TEST(test_a_walk_does_not_leave_the_stack),
		TEST(test_a_tight_signal_stack_is_not_overrun),
		TEST(test_nonsense_is_refused),
		TEST(test_errno_stays),
		TEST(test_ids_do_not_change_with_the_generation),
		TEST(test_generations_wrap),
		TEST(test_nodes_are_unique),
		TEST(test_nodes_with_equal_hashes),
		TEST(test_recent_deep_stacks_are_found),
		TEST(test_a_forked_child_starts_again),
	};

	return cmocka_run_group_tests(tests, start, NULL);
}
