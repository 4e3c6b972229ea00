/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Stacks that no compiler made. A region is filled with return addresses of libc, pointers into
 * itself and garbage. It is captured from changing places while single words change. A capture that
 * reuses the previous stack must always equal a full walk, for any content, and must not crash. The
 * region ends at a page that cannot be read.
 */
#define _GNU_SOURCE
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "format/format.h"
#include "runtime/module.h"
#include "runtime/stack-row.h"
#include "runtime/stack-state.h"
#include "tests/stack/oracle.h"

#define STACK_BYTES 16384u
#define NR_WORDS (STACK_BYTES / 8)
#define NR_CODE 400
#define NR_STACKS 800 /* number of stacks; with more, the table of nodes may become full */

enum kind { KIND_SP, KIND_SAVES, KIND_BP, KIND_OTHER, NR_CODE_KINDS };

static uintptr_t code[NR_CODE_KINDS][NR_CODE];
static unsigned nr_code[NR_CODE_KINDS];
static uint64_t *stack; /* [NR_WORDS] */
static uintptr_t top;

static enum kind kind_of(uint32_t row)
{
	if (!syt_stack_row_is_plain(row))
		return KIND_OTHER;
	if (row & SYT_STACK_ROW_BP)
		return KIND_BP;
	return syt_stack_row_slot(row) ? KIND_SAVES : KIND_SP;
}

/* Collects code addresses by the kind of their unwind rule, with frames so small that call chains
 * become long. */
static void find_code(void)
{
	const struct syt_module *m = syt_module_find((uintptr_t)&qsort);
	uint64_t generation = syt_module_generation();

	for (unsigned i = 0; m && i < 200000; i++) {
		uintptr_t pc = m->start + oracle_random() % (m->end - m->start);
		uint32_t row = syt_stack_row_miss(pc - 1, generation, true).row;
		enum kind kind = kind_of(row);

		if (row == SYT_STACK_ROW_NONE || nr_code[kind] == NR_CODE ||
		    (kind != KIND_OTHER && (row & SYT_STACK_ROW_OFFSET) > 12))
			continue;
		code[kind][nr_code[kind]++] = pc;
	}
}

static uint64_t random_code(enum kind kind)
{
	return nr_code[kind] ? code[kind][oracle_random() % nr_code[kind]] : 0;
}

static uint64_t random_word(void)
{
	uint32_t r = oracle_random() % 100;

	if (r < 55)
		return random_code(KIND_SP);
	if (r < 82)
		return random_code(KIND_SAVES);
	if (r < 86)
		return random_code(KIND_BP);
	if (r < 86 + (oracle_random() % 4 == 0))
		return random_code(KIND_OTHER);
	if (r < 98)
		return (uintptr_t)&stack[oracle_random() % NR_WORDS];
	return r == 98 ? 0 : (uint64_t)oracle_random() << (oracle_random() % 33);
}

struct counts {
	unsigned long nr_frames, nr_cut, nr_ended;
};

static void count(struct counts *n, uint32_t id)
{
	uint64_t pcs[SYT_STACK_DEPTH];
	unsigned nr = oracle_frames(id, pcs, SYT_STACK_DEPTH);

	n->nr_frames += nr;
	if (nr && pcs[nr - 1] & SYT_STACK_TRUNCATED)
		n->nr_cut++;
	else
		n->nr_ended++;
}

static void print(uint32_t id)
{
	uint64_t pcs[SYT_STACK_DEPTH];
	unsigned nr = oracle_frames(id, pcs, SYT_STACK_DEPTH);

	fprintf(stderr, "%u frames\n", nr);
	for (unsigned i = 0; i < nr; i++)
		fprintf(stderr, "  %3u %#llx\n", i, (unsigned long long)pcs[i]);
}

/* Returns another address whose frame has the same caller as PC, as if one function called from two places. Returns
 * PC if there is no such address. */
static uint64_t random_twin(uint64_t pc)
{
	uint64_t generation = syt_module_generation();
	uint32_t row = syt_stack_row_miss(pc - 1, generation, true).row;

	for (unsigned i = 0; i < 100; i++) {
		uint64_t twin = random_code((enum kind)(oracle_random() % 3));
		uint32_t found = syt_stack_row_miss(twin - 1, generation, true).row;
		uint32_t differs = SYT_STACK_ROW_OFFSET | SYT_STACK_ROW_BP;

		if (twin != pc && !((row ^ found) & differs))
			return twin;
	}
	return pc;
}

/* Returns a possible frame pointer saved at word AT. */
static uint64_t frame_above(unsigned at)
{
	return (uintptr_t)&stack[(at + 1 + oracle_random() % 200) % NR_WORDS];
}

/* Returns a possible frame pointer in a frame at word AT: perhaps the saved one. */
static uint64_t any_frame(unsigned at)
{
	return oracle_random() % 2 ? frame_above(at)
	                           : stack[(at + oracle_random() % 12) % NR_WORDS];
}

/* Moves the frames by a word, or captures from the next word, or both, so that one stack position looks like
 * another remembered position. */
static void shift(struct syt_stack_regs *r)
{
	uint64_t *from = (uint64_t *)r->sp;
	size_t nr = NR_WORDS - 1 - (size_t)(from - stack);
	uint32_t how = oracle_random();

	if (how & 1)
		memmove(from + 1, from, nr * sizeof(*from));
	if (how & 2 && nr > 1)
		r->sp += 8;
	if (how & 4 && from > stack)
		r->sp -= 8;
}

/* Captures one stack repeatedly, and changes one or two words between the captures. */
static bool run(struct syt_stack_state *state, struct counts *n)
{
	struct syt_stack_regs regs[3];
	uint64_t twins[3];
	unsigned which = 0;

	for (unsigned i = 0; i < NR_WORDS; i++)
		stack[i] = random_word();
	for (unsigned i = 0; i < 3; i++)
		regs[i] = (struct syt_stack_regs){
			.pc = random_code((enum kind)(oracle_random() % 3)),
			.sp = (uintptr_t)&stack[oracle_random() % (NR_WORDS / (1 + 7 * i))],
			.bp = (uintptr_t)&stack[oracle_random() % NR_WORDS],
		};
	for (unsigned i = 0; i < 3; i++)
		twins[i] = random_twin(regs[i].pc);
	for (unsigned i = 0; i < 300; i++) {
		which = oracle_random() % 3 ? which : oracle_random() % 3;

		struct syt_stack_regs *r = &regs[which];
		uintptr_t known = oracle_random() % 16 ? top : 0;

		/* mostly changes words near the start, where they belong to the captured stack */
		if (oracle_random() % 3) {
			unsigned at = (unsigned)(r->sp - (uintptr_t)stack) / 8 +
			              oracle_random() % (oracle_random() % 2 ? 160 : 12);

			stack[at % NR_WORDS] =
				oracle_random() % 4 ? random_word() : frame_above(at);
		}
		if (oracle_random() % 8 == 0)
			r->bp = any_frame((unsigned)(r->sp - (uintptr_t)stack) / 8);
		if (oracle_random() % 12 == 0)
			shift(r);
		if (oracle_random() % 32 == 0)
			r->pc = random_code((enum kind)(oracle_random() % 3));
		if (oracle_random() % 2) {
			uint64_t pc = r->pc;

			r->pc = twins[which];
			twins[which] = pc;
		}

		state->path_credit = 2; /* search and store each path */

		uint32_t stitched = syt_stack_capture(state, r, known);
		uint32_t plain = syt_stack_capture(NULL, r, known);

		if (stitched != plain) {
			fprintf(stderr, "fuzz: stitching and walking differ, top is %s\n",
			        known ? "known" : "unknown");
			print(stitched);
			print(plain);
			return false;
		}
		count(n, plain);
	}
	return true;
}

int main(void)
{
	struct counts n = {0, 0, 0};
	size_t state_bytes = (syt_stack_state_bytes() + 4095) & ~(size_t)4095;
	char *p = mmap(NULL, state_bytes + STACK_BYTES + 4096, PROT_READ | PROT_WRITE,
	               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || mprotect(p + state_bytes + STACK_BYTES, 4096, PROT_NONE))
		return 1;
	stack = (void *)(p + state_bytes);
	top = (uintptr_t)stack + STACK_BYTES;
	find_code();
	for (unsigned i = 0; i < NR_STACKS; i++)
		if (!run((void *)p, &n))
			return 1;
	printf("fuzz: %lu frames, %lu stacks cut, %lu ended\n", n.nr_frames, n.nr_cut, n.nr_ended);
	return n.nr_frames < 500000 || !n.nr_cut || oracle_nr_lost();
}
