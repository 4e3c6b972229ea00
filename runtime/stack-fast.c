/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The fast path, which captures nearly every call stack. It requires that the top of the stack is known, that
 * the thread has unwound each new frame's address before, and that a simple rule unwinds it. After a few
 * frames, the walk meets a frame of the stack that the thread captured before. Each step does the same as
 * syt_walk_step(). If a step needs more than loads, stack-stitch.c takes over the capture; until then, this
 * code has changed no state. */
#include "runtime/module.h"
#include "runtime/stack-node.h"
#include "runtime/stack-state.h"
#include "runtime/stack-step.h"

#define NR_WARM 64 /* maximum number of new frames that the fast path walks */
#define NR_DEEP 3  /* minimum number of new frames in a stack that is stored as a path */

/* A search for a path in vain costs a credit, finding one earns some. Without credits, no path is searched, and one of
 * NR_PATHLESS is stored, with credits to find the next ones. */
#define PATH_FIRST 6u
#define PATH_EARNING 4u
#define PATH_CREDITS 256u
#define NR_PATHLESS 128u

/* Stores the innermost frame F of the last stack as a leaf, so that a later stack with this frame is found
 * although another frame has replaced F. SITE gave the step from F to its caller. */
static inline void keep_leaf(struct syt_stack_state *s, const struct syt_stack_frame *f,
                             const struct syt_stack_site *site)
{
	const struct syt_stack_frame *caller = f - 1;
	struct syt_stack_leaf *l = syt_stack_leaf_of(s, f->pc);

	l->pc = f->pc;
	l->sp = f->sp;
	l->bp = f->bp;
	l->caller = caller;
	l->caller_sp = caller->sp;
	l->caller_id = caller->id;
	l->nr_words = (size_t)(caller->word + 1 - s->words);
	l->id = f->id;
	l->bp_bytes = site->bp_bytes;
	l->is_live = f->is_live;
	l->is_by_bp = f->is_live | caller->is_live;
}

/* Returns the id of the current stack if its innermost frame is stored as a leaf and was called from the
 * remembered stack, else 0. The leaf and its caller must have the same state as before: this function
 * compares the frame pointer, and compares the return address together with the stack words of the callers. */
static SYT_ALWAYS_INLINE uint32_t capture_leaf(struct syt_stack_state *s, uintptr_t pc,
                                               uintptr_t sp, const uintptr_t *bp_at)
{
	const struct syt_stack_leaf *l = syt_stack_leaf_of(s, pc);
	const struct syt_stack_frame *caller = l->caller;

	if (l->pc != pc || l->sp != sp || caller > s->last || caller->sp != l->caller_sp ||
	    caller->id != l->caller_id)
		return 0;
	if (l->is_by_bp) {
		uintptr_t bp = *bp_at;

		if (l->is_live && l->bp != bp)
			return 0;
		if (l->bp_bytes)
			bp = *(const uintptr_t *)(caller->sp - l->bp_bytes);
		if (caller->is_live && caller->bp != bp)
			return 0;
	}
	/* stacks with the same id depend on the same number of stack words */
	return syt_stack_changed(s->words, l->nr_words) ? 0 : l->id;
}

/* Stores the remembered stack, whose innermost frame is F, as a path. */
static __attribute__((noinline)) void keep_path(struct syt_stack_state *s,
                                                const struct syt_stack_frame *f)
{
	unsigned which = syt_stack_path_of(f->pc);
	struct syt_stack_path *p = &s->paths[which];
	size_t nr = (size_t)(f->word - s->words); /* without its return address */

	if (nr > SYT_STACK_PATH_WORDS)
		return;
	if (!s->path_credit) {
		if (++s->nr_unstored % NR_PATHLESS)
			return;
		s->path_credit = PATH_FIRST;
	}
	s->has_path |= UINT64_C(1) << which;
	p->pc = f->pc;
	p->sp = f->sp;
	p->bp = f->bp;
	p->id = f->id;
	p->nr_words = (uint16_t)nr;
	p->is_live = f->is_live;
	for (size_t i = 0; i < nr; i++)
		p->words[i] = s->words[i];
}

/* Returns the id of the current stack if it is stored as a path, else 0. The innermost frame must have the same state, and the
 * stack words the same values, as when the path was stored. The remembered stack does not change. */
static SYT_ALWAYS_INLINE uint32_t capture_path(struct syt_stack_state *s, uintptr_t pc,
                                               uintptr_t sp, uintptr_t bp)
{
	unsigned which = syt_stack_path_of(pc);
	const struct syt_stack_path *p = &s->paths[which];

	if (!s->path_credit)
		return 0;
	/* the memory of entries that were never used is not touched */
	if (!(s->has_path >> which & 1) || p->sp != sp || p->pc != pc ||
	    (p->is_live && p->bp != bp) || syt_stack_changed(p->words, p->nr_words)) {
		s->path_credit--;
		return 0;
	}
	if (s->path_credit < PATH_CREDITS)
		s->path_credit += PATH_EARNING;
	return p->id;
}

/* The last part of capture_warm(): appends the new frames, from F down to s->fresh (the innermost), to the
 * remembered frame BASE, which called them. */
static inline uint32_t join(struct syt_stack_state *s, struct syt_stack_frame *base,
                            const struct syt_stack_fresh *f)
{
	struct syt_stack_frame *to = base;
	struct syt_stack_word *word = base->word;
	uint32_t id = base->id;
	bool is_live = base->is_live;

	while (f-- != s->fresh) {
		struct syt_stack_site *site = f->site;
		uint32_t parent = id;

		id = site->id;
		if (site->parent != parent) {
			id = syt_node_intern(parent, site->key);
			if (__builtin_expect(!id, 0)) {
				s->last = s->frames;
				return 0;
			}
			site->parent = parent;
			site->id = id;
		}
		/* push() in stack-stitch.c remembers the same stack words */
		word++;
		if (!is_live) {
			is_live = site->is_by_bp;
		} else if (site->bp_bytes) {
			*word++ = (struct syt_stack_word){to->sp - site->bp_bytes, to->bp};
			is_live = site->is_by_bp;
		}
		to++;
		to->pc = site->pc;
		to->sp = f->sp;
		to->bp = f->bp;
		to->word = word;
		to->id = id;
		to->is_live = is_live;
		word->at = f->sp - 8;
		word->value = site->pc;
	}
	s->last = to;
	/* if no module contains the outermost frame, a module may be loaded there later, which
	 * capture_leaf() and capture_path() do not check */
	if (!s->is_end_unmapped) {
		if (to == base + 1)
			keep_leaf(s, to, s->fresh->site);
		else if (to >= base + NR_DEEP)
			keep_path(s, to);
	}
	return id;
}

static SYT_ALWAYS_INLINE uint32_t capture_warm(struct syt_stack_state *s,
                                               struct syt_stack_regs regs, uintptr_t top)
{
	uintptr_t pc = regs.pc, sp = regs.sp, bp = regs.bp;
	struct syt_stack_frame *m = s->last; /* the youngest remembered frame that may match */
	struct syt_stack_fresh *f = s->fresh;

	if (__builtin_expect(sp % 8 || m >= &s->frames[SYT_STACK_DEPTH - NR_WARM], 0))
		goto slow;
	for (;; f++) {
		while (m->sp < sp)
			m--;
		if (m->sp == sp && m->pc == pc && (!m->is_live || m->bp == bp)) {
			const struct syt_stack_word *changed =
				syt_stack_changed(s->words, (size_t)(m->word - s->words));

			if (!changed)
				break;
			/* verify() in stack-stitch.c skips the same frames */
			do
				m--;
			while (m->word > changed);
		}

		struct syt_stack_site *site = syt_stack_site_of(s, pc);

		if (__builtin_expect(site->pc != pc || f == &s->fresh[NR_WARM], 0))
			goto slow;

		uintptr_t cfa = sp + site->cfa_bytes;

		if (site->is_by_bp) {
			cfa = bp + site->cfa_bytes;
			if (__builtin_expect(cfa <= sp || cfa % 8 ||
			                             cfa - sp > SYT_STEP_JUMP_BYTES ||
			                             cfa - site->bp_bytes < sp,
			                     0))
				goto slow;
		}
		if (__builtin_expect(cfa > top, 0))
			goto slow;
		f->sp = sp;
		f->bp = bp;
		f->site = site;
		if (site->bp_bytes)
			bp = *(const uintptr_t *)(cfa - site->bp_bytes);
		/* no cached site has an address that is not code */
		pc = *(const uintptr_t *)(cfa - 8);
		sp = cfa;
	}
	/* when the stack was remembered, no module contained the outermost frame; a module may by now */
	if (__builtin_expect(s->is_end_unmapped, 0) && syt_module_has(s->end_pc))
		goto slow;
	return join(s, m, f);
slow:
	return syt_stack_capture_slow(s, &regs, top, s->generation);
}

/* Returns true if the contents of S are valid for a stack below TOP. A state never has the code generation of a running
 * dlclose, and its known_top is never 0, the value of an unknown top. */
static inline bool is_valid(const struct syt_stack_state *s, uintptr_t top)
{
	return __builtin_expect(s->known_top == top && s->generation == syt_module_generation(), 1);
}

/* These functions are not inline, so that capture_leaf() does not save the registers that they need. */
static __attribute__((noinline)) uint32_t
capture_regs(struct syt_stack_state *s, const struct syt_stack_regs *regs, uintptr_t top)
{
	uint32_t id = capture_path(s, regs->pc, regs->sp, regs->bp);

	return id ? id : capture_warm(s, *regs, top);
}

static __attribute__((noinline)) uint32_t capture_caller(struct syt_stack_state *s,
                                                         const uintptr_t *fp, uintptr_t top)
{
	struct syt_stack_regs regs = syt_caller_regs(fp);
	uint32_t id = capture_path(s, regs.pc, regs.sp, regs.bp);

	return id ? id : capture_warm(s, regs, top);
}

static __attribute__((noinline, cold)) uint32_t
capture_caller_slow(struct syt_stack_state *s, const uintptr_t *fp, uintptr_t top)
{
	struct syt_stack_regs regs = syt_caller_regs(fp);

	return syt_stack_capture_slow(s, &regs, top, syt_module_generation());
}

uint32_t syt_stack_capture(struct syt_stack_state *state, const struct syt_stack_regs *regs,
                           uintptr_t top)
{
	uint32_t id;

	if (__builtin_expect(!state || !is_valid(state, top), 0))
		return syt_stack_capture_slow(state, regs, top, syt_module_generation());
	id = capture_leaf(state, regs->pc, regs->sp, &regs->bp);
	return id ? id : capture_regs(state, regs, top);
}

uint32_t syt_stack_capture_caller(struct syt_stack_state *state, const uintptr_t *fp, uintptr_t top)
{
	uint32_t id;

	if (__builtin_expect(!is_valid(state, top), 0))
		return capture_caller_slow(state, fp, top);
	id = capture_leaf(state, fp[1], (uintptr_t)(fp + 2), fp);
	return id ? id : capture_caller(state, fp, top);
}
