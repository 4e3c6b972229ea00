/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Captures a call stack without the thread's previous stack: walks all frames. If the unwind rule of a frame
 * needs a register that the walk does not follow, the walk is repeated with all registers from this function
 * on. */
#include <stddef.h>

#include "runtime/stack-node.h"
#include "runtime/stack-row.h"
#include "runtime/stack-state.h"
#include "runtime/stack-step.h"

#define NR_PART 32 /* number of frames that one walk stores */
#define NR_OWN_FRAMES 64

/* The part of a frame that its stack node needs. */
struct part {
	uintptr_t pc;
	uint16_t module;
	bool is_exact;
};

/* Walks to the outermost frame. Stores up to NR_PART frames, from number FIRST on, in PART, and the number
 * of all frames in *NR. */
static enum syt_step walk_part(struct syt_walk *w, struct part part[NR_PART], uint32_t first,
                               uint32_t *nr)
{
	enum syt_step rv = SYT_STEP_OK;

	for (*nr = 0; rv == SYT_STEP_OK; ++*nr) {
		struct part *f = *nr - first < NR_PART ? &part[*nr - first] : NULL;

		if (*nr == SYT_STACK_DEPTH)
			return SYT_STEP_CUT;
		syt_walk_look_up(w);
		if (f)
			*f = (struct part){w->pc, w->module, w->is_exact};
		rv = syt_walk_step(w);
	}
	return rv;
}

#if defined(__x86_64__)
/* Unwinds from this function to the frame with the registers REGS, so that the walk W knows all registers
 * there. */
static __attribute__((noinline)) bool start_full(struct syt_walk *w, struct syt_step_regs *all,
                                                 const struct syt_stack_regs *regs, uintptr_t top,
                                                 uint64_t generation)
{
	struct syt_stack_regs own;

	__asm__ volatile("leaq 0(%%rip), %%rax\n\t"
	                 "movq %%rax, 128(%0)\n\t"
	                 "movq %%rbx, 24(%0)\n\t"
	                 "movq %%rbp, 48(%0)\n\t"
	                 "movq %%rsp, 56(%0)\n\t"
	                 "movq %%r12, 96(%0)\n\t"
	                 "movq %%r13, 104(%0)\n\t"
	                 "movq %%r14, 112(%0)\n\t"
	                 "movq %%r15, 120(%0)"
	                 :
	                 : "r"(all->values)
	                 : "rax", "memory");
	all->known = 0x1f0c8;
	own.pc = all->values[SYT_CFI_RA];
	own.sp = all->values[SYT_CFI_SP];
	own.bp = all->values[SYT_CFI_BP];
	syt_walk_init(w, &own, top, generation, syt_stack_row_generation_tag(generation));
	w->is_exact = true;
	w->regs = all;
	for (unsigned i = 0; i < NR_OWN_FRAMES; i++) {
		if (w->sp == regs->sp && w->pc == regs->pc)
			return true;
		syt_walk_look_up(w);
		if (syt_walk_step(w) != SYT_STEP_OK)
			break;
	}
	return false;
}
#else
static bool start_full(struct syt_walk *w, struct syt_step_regs *all,
                       const struct syt_stack_regs *regs, uintptr_t top, uint64_t generation)
{
	(void)w, (void)all, (void)regs, (void)top, (void)generation;
	return false;
}
#endif

/* Walks the whole stack and defines its nodes. Returns SYT_STEP_REGS if the walk needs all registers, or,
 * with IS_FULL, if they are unavailable. */
static enum syt_step walk_whole(const struct syt_stack_regs *regs, uintptr_t top,
                                uint64_t generation, bool is_full, struct part part[NR_PART],
                                uint32_t first, uint32_t *nr)
{
	struct syt_step_regs all;
	struct syt_walk w;

	if (!is_full)
		syt_walk_init(&w, regs, top, generation, syt_stack_row_generation_tag(generation));
	else if (!start_full(&w, &all, regs, top, generation))
		return SYT_STEP_REGS;
	return walk_part(&w, part, first, nr);
}

/* Nodes are made from the outermost frame inwards, but a walk begins at the innermost frame. There is no
 * memory for all frames, so the walk is repeated for each part of the stack. */
uint32_t syt_stack_capture_plain(const struct syt_stack_regs *regs, uintptr_t top,
                                 uint64_t generation)
{
	struct part part[NR_PART];
	uint32_t first, id = 0, nr = 0;
	enum syt_step rv = walk_whole(regs, top, generation, false, part, 0, &nr);
	bool is_full = rv == SYT_STEP_REGS;

	if (is_full) {
		rv = walk_whole(regs, top, generation, true, part, 0, &nr);
		is_full = rv != SYT_STEP_REGS;
		/* otherwise the stack is cut at the frame that needs the missing register */
		if (!is_full)
			rv = walk_whole(regs, top, generation, false, part, 0, &nr);
	}
	for (first = (nr - 1) / NR_PART * NR_PART;; first -= NR_PART) {
		uint32_t i = nr - first < NR_PART ? nr - first : NR_PART;

		if (nr > NR_PART)
			walk_whole(regs, top, generation, is_full, part, first, &nr);
		while (i--) {
			bool is_cut = first + i + 1 == nr && rv != SYT_STEP_END;

			id = syt_node_intern(id, syt_node_key(syt_stack_marked(part[i].pc, is_cut,
			                                                       part[i].is_exact),
			                                      part[i].module));
			if (!id)
				return 0;
		}
		if (!first)
			return id;
	}
}
