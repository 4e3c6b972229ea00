/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * One step of a stack walk: from a frame to its caller.
 *
 * A walk follows three registers (pc, sp, frame pointer). Simple unwind rules (plain rows) need no others,
 * and their step is inline. Other rules are interpreted. If a rule needs another register, the walk ends
 * with SYT_STEP_REGS and starts again from the recorder's own frame with all registers.
 *
 * The walk checks every address before it reads from it: the address must be aligned, not below the frame's
 * own stack pointer, and below the top of the stack. If the top is unknown, the walk asks the kernel
 * whether each page is readable.
 */
#ifndef SYT_RUNTIME_STACK_STEP_H
#define SYT_RUNTIME_STACK_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include "format/format.h"
#include "runtime/peek.h"
#include "runtime/stack-cfi.h"
#include "runtime/stack-row.h"
#include "runtime/stack.h"

/* A stack frame with more bytes than this is accepted only after the kernel confirms that its far end is
 * readable. */
#define SYT_STEP_JUMP_BYTES (UINT64_C(1) << 16)
/* The maximum length of a walk if the top of the stack is unknown. */
#define SYT_STEP_REACH_BYTES (UINT64_C(1) << 20)

enum syt_step {
	SYT_STEP_OK,   /* the current frame of the walk is now the caller */
	SYT_STEP_END,  /* the frame was the outermost one */
	SYT_STEP_CUT,  /* the caller of the frame cannot be found */
	SYT_STEP_REGS, /* the unwind rule needs a register that this walk does not follow */
};

/* All registers, by DWARF number. */
struct syt_step_regs {
	uint64_t values[SYT_CFI_NR_REGS];
	uint32_t known; /* one bit per register: 1 if its value is known */
};

struct syt_walk {
	uintptr_t pc, sp, bp; /* registers of the current frame */
	bool is_exact;        /* pc is an interrupted instruction, not a return address */
	bool is_top_known;
	/* the walk went through a signal frame, so its frames must not be remembered */
	bool is_signal;
	/* the end of the walk depends on more than the frames, so it must not be remembered */
	bool is_end_uncertain;
	uint32_t row;     /* unwind row of the frame from which the last step began */
	uint16_t module;  /* id of the module of that frame; 0: no module */
	uintptr_t lo, hi; /* the walk may read the stack addresses [lo, hi) */
	uintptr_t reach;  /* maximum value to which hi may grow */
	uintptr_t end; /* the word that ended the walk because it is not a return address, or 0 */
	uint64_t generation, tag;
	struct syt_step_regs *regs; /* all registers, or NULL if the walk follows only three */
};

static inline uintptr_t syt_walk_page_end(uintptr_t at)
{
	return (at | (SYT_PAGE_BYTES - 1)) + 1;
}

/* Starts a stack walk at REGS. TOP is one past the stack's highest address (0: unknown); TAG is
 * syt_stack_row_generation_tag(generation). */
static inline void syt_walk_init(struct syt_walk *w, const struct syt_stack_regs *regs,
                                 uintptr_t top, uint64_t generation, uint64_t tag)
{
	bool is_top_known = regs->sp && regs->sp < top;

	*w = (struct syt_walk){
		.pc = regs->pc,
		.sp = regs->sp,
		.bp = regs->bp,
		.is_top_known = is_top_known,
		.lo = regs->sp,
		/* the return address is in the word below sp, so the page of that word is mapped */
		.hi = is_top_known ? top : syt_walk_page_end(regs->sp - 1),
		.generation = generation,
		.tag = tag,
	};
	w->reach = is_top_known ? top : w->hi + SYT_STEP_REACH_BYTES;
}

/* Returns true if the walk may read the 8 bytes at AT, after asking the kernel if necessary. This is the
 * slow part of syt_walk_can_read(). */
bool syt_walk_extend(struct syt_walk *w, uintptr_t at);

/* Moves the walk from the current frame to its caller by an unwind rule that is not simple (not a plain
 * row). */
enum syt_step syt_walk_special(struct syt_walk *w);

/* Moves the walk from the current frame to its caller and follows all registers (w->regs). */
enum syt_step syt_walk_full(struct syt_walk *w);

/* The number of bits of a user-space address. */
#if defined(__aarch64__)
#define SYT_WALK_PC_BITS 48
#else
#define SYT_WALK_PC_BITS 47
#endif

/* Returns false if PC cannot be an address of code. */
static inline bool syt_walk_is_pc(uintptr_t pc)
{
	return pc - 1 < ((uintptr_t)1 << SYT_WALK_PC_BITS) - 1;
}

static inline bool syt_walk_can_read(struct syt_walk *w, uintptr_t at)
{
	if (__builtin_expect(at < w->hi && w->hi - at >= 8, 1))
		return true;
	return syt_walk_extend(w, at);
}

/* Stores the unwind row and the module of the current frame in w->row and w->module. */
static inline void syt_walk_look_up(struct syt_walk *w)
{
	uintptr_t at = w->pc - !w->is_exact;
	struct syt_stack_row r = syt_stack_row_get(at, w->tag);

	if (__builtin_expect(!r.row, 0))
		r = syt_stack_row_miss(at, w->generation, !w->is_signal);
	w->row = r.row;
	w->module = r.module;
}

/* Moves the walk from the current frame, whose unwind row syt_walk_look_up() has found, to its caller. */
static inline enum syt_step syt_walk_step(struct syt_walk *w)
{
	uint32_t row = w->row;
	unsigned slot = syt_stack_row_slot(row);
	uintptr_t cfa;

	if (__builtin_expect(w->regs != 0, 0))
		return syt_walk_full(w);
	if (__builtin_expect(!syt_stack_row_is_plain(row), 0))
		return syt_walk_special(w);
	cfa = (row & SYT_STACK_ROW_BP ? w->bp : w->sp) + 8 * (row & SYT_STACK_ROW_OFFSET);
	if (__builtin_expect(cfa <= w->sp || cfa % 8 || !syt_walk_can_read(w, cfa - 8), 0))
		return SYT_STEP_CUT;
	if (__builtin_expect(cfa - w->sp > SYT_STEP_JUMP_BYTES, 0) && !syt_peek_can_byte(cfa - 8)) {
		w->is_end_uncertain = true;
		return SYT_STEP_CUT;
	}
	if (slot) {
		uintptr_t at = cfa - 8 * (slot + 1);

		if (__builtin_expect(at < w->lo, 0)) {
			w->is_end_uncertain = true;
			return SYT_STEP_CUT;
		}
		w->bp = *(const uintptr_t *)at;
	}
	w->pc = *(const uintptr_t *)(cfa - 8);
	w->sp = cfa;
	w->is_exact = false;
	if (__builtin_expect(!syt_walk_is_pc(w->pc), 0)) {
		w->end = cfa - 8;
		return w->pc ? SYT_STEP_CUT : SYT_STEP_END;
	}
	return SYT_STEP_OK;
}

#endif
