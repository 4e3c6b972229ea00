/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Capturing.  The result is always that of a full walk; what a thread remembers of its previous
 * stack only saves the work (doc/stacks.md, "Why stitching is exact").
 *
 * Frames are remembered outermost first, so that what two stacks of a thread have in common is a
 * prefix of the array and stays where it is.
 */
#define _GNU_SOURCE /* stack_t */
#include "runtime/stack.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>

#include "format/format.h"
#include "runtime/module.h"
#include "runtime/stack-node.h"
#include "runtime/stack-row.h"
#include "runtime/stack-step.h"
#include "runtime/sys.h"

#define NR_PART 32 /* frames that a walk without memory of its own holds at a time */
#define NR_OWN_FRAMES 64
#define NR_WARM 64              /* new frames of a capture that is nothing special */
#define WALK_BYTES 4096u        /* of stack that a walk may take; measured: 3.3 KiB */
#define LOOK_BYTES 2560u        /* ... that one frame's first sight may take */
#define NOT_STITCHED UINT32_MAX /* no id */

/* What is used twice: for frames of which much is known, and for others. */
#define ALWAYS_INLINE inline __attribute__((always_inline))

/* A frame of a walk in progress. */
struct fresh {
	uintptr_t pc, sp, bp;
	uint32_t row;
	uint16_t module;
	bool is_exact;
	uint8_t site; /* index in the thread's sites */
};

/* What the last capture with this pc found: valid in the state's generation. */
struct site {
	uintptr_t pc; /* a return address */
	uint32_t row;
	uint32_t parent, id; /* 0: unknown */
	uint16_t module;
} __attribute__((aligned(32)));

#define SITE_BITS 8 /* struct fresh */

#define FRAME_LIVE 1u    /* this frame's row or an older one uses the frame pointer as it is here */
#define FRAME_BARRIER 2u /* the way to the caller needs more words than are verified */

/* A frame of the remembered stack. sp is the CFA of the frame that it called; its pc is at sp - 8.
 */
struct frame {
	uintptr_t pc, sp;
	uintptr_t bp; /* only if LIVE */
	uint32_t id;
	uint16_t flags;       /* FRAME_* */
	uint16_t nr_barriers; /* in this and all older frames */
	uint32_t nr_words;    /* that lead outwards from here */
	uint64_t serial;      /* no other frame of the thread ever had it */
};

/* What a walk loads from the stack on its way from a remembered frame to its caller: the return
 * address, and before it the frame pointer where it is live. */
struct word {
	uintptr_t at, value;
};

/* An innermost frame that was called from the remembered stack, perhaps not as the last one. It
 * holds as long as the frame that called it is remembered, and with it all older ones. */
struct leaf {
	uintptr_t pc, sp;
	uintptr_t bp;        /* only if is_live */
	uint64_t serial;     /* of the frame that called it */
	uint32_t nr_callers; /* up to that one; 0: no leaf */
	uint32_t id;
	uint32_t bp_off; /* the caller's frame pointer was loaded from CFA - bp_off; 0: it is not
	                    live */
	bool is_live;
} __attribute__((aligned(64)));

#define LEAF_BITS 3

struct syt_stack_state {
	uint64_t generation;
	uint64_t tag; /* syt_stack_row_generation_tag(generation) */
	uintptr_t top;
	uint32_t nr;      /* frames */
	uint64_t serial;  /* of the youngest frame there ever was */
	uintptr_t end_at; /* where the outermost frame has a word that is no return address, or 0 */
	uintptr_t end_word;
	bool is_end_unmapped; /* the outermost frame lies in no module */
	struct leaf leaves[1u << LEAF_BITS];
	struct site sites[1u << SITE_BITS];
	struct frame frames[SYT_STACK_DEPTH];
	struct word words[2 * SYT_STACK_DEPTH];
	struct fresh fresh[SYT_STACK_DEPTH]; /* innermost first */
};

size_t syt_stack_state_bytes(void)
{
	return sizeof(struct syt_stack_state);
}

void syt_stack_state_reset(struct syt_stack_state *state)
{
	state->nr = 0;
}

void syt_stack_state_abandon(struct syt_stack_state *state)
{
	state->nr = 0;
	state->generation = 0; /* no generation: the sites are forgotten, too */
}

int syt_stack_init(void)
{
	int rv = syt_module_init();

	if (!rv)
		rv = syt_stack_row_init();
	return rv ? rv : syt_node_init();
}

void syt_stack_invalidate(void)
{
	syt_module_renew();
}

void syt_stack_prepare(void)
{
	syt_node_prepare();
}

void syt_stack_fork_child(void)
{
	syt_node_fork_child();
	syt_module_renew();
}

static uint64_t key_of(const struct fresh *f, bool is_cut)
{
	return (f->pc & SYT_STACK_OFFSET) | (is_cut ? SYT_STACK_TRUNCATED : 0) |
	       (f->is_exact ? SYT_STACK_SIGNAL : 0);
}

static inline void note(struct fresh *f, const struct syt_walk *w)
{
	f->pc = w->pc;
	f->sp = w->sp;
	f->bp = w->bp;
	f->is_exact = w->is_exact;
}

/* ---- without memory of the previous stack ---- */

/* Walks on to the end. Stores frames FIRST and following into PART; *NR: frames of the whole stack.
 */
static enum syt_step walk_part(struct syt_walk *w, struct fresh part[NR_PART], uint32_t first,
                               uint32_t *nr)
{
	enum syt_step rv = SYT_STEP_OK;

	for (*nr = 0; rv == SYT_STEP_OK; ++*nr) {
		struct fresh *f = *nr - first < NR_PART ? &part[*nr - first] : NULL;

		if (*nr == SYT_STACK_DEPTH)
			return SYT_STEP_CUT;
		if (f)
			note(f, w);
		syt_walk_look(w);
		if (f)
			f->module = w->module;
		rv = syt_walk_step(w);
	}
	return rv;
}

#if defined(__x86_64__)
/* Brings W to the frame REGS by unwinding from here, so that all registers are known. */
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
		syt_walk_look(w);
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

/* Walks the whole stack; SYT_STEP_REGS when that takes all registers (IS_FULL: when they are not to
 * be had). */
static enum syt_step walk_whole(const struct syt_stack_regs *regs, uintptr_t top,
                                uint64_t generation, bool is_full, struct fresh part[NR_PART],
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

/* A stack is interned outermost first and walked innermost first: where there is no memory to hold
 * it, it is walked again for each part. */
static __attribute__((noinline)) uint32_t capture_plain(const struct syt_stack_regs *regs,
                                                        uintptr_t top, uint64_t generation)
{
	struct fresh part[NR_PART];
	uint32_t first, id = 0, nr = 0;
	enum syt_step rv = walk_whole(regs, top, generation, false, part, 0, &nr);
	bool is_full = rv == SYT_STEP_REGS;

	if (is_full) {
		rv = walk_whole(regs, top, generation, true, part, 0, &nr);
		is_full = rv != SYT_STEP_REGS;
		/* else what lies behind that frame is given up */
		if (!is_full)
			rv = walk_whole(regs, top, generation, false, part, 0, &nr);
	}
	for (first = (nr - 1) / NR_PART * NR_PART;; first -= NR_PART) {
		uint32_t i = nr - first < NR_PART ? nr - first : NR_PART;

		if (nr > NR_PART)
			walk_whole(regs, top, generation, is_full, part, first, &nr);
		while (i--) {
			bool is_cut = first + i + 1 == nr && rv != SYT_STEP_END;

			id = syt_node_intern(id, key_of(&part[i], is_cut), part[i].module);
			if (!id)
				return 0;
		}
		if (!first)
			return id;
	}
}

/* ---- with memory ---- */

/* The youngest of the first NR words that is not what it was, plus one; 0: all are. */
static inline uint32_t find_changed(const struct syt_stack_state *s, uint32_t nr)
{
	const struct word *p = &s->words[nr];

#pragma GCC unroll 4
	while (p-- > s->words)
		if (*(const uintptr_t *)p->at != p->value)
			break;
	return (uint32_t)(p + 1 - s->words);
}

/* The same where each page must be asked for. */
static __attribute__((noinline)) uint32_t find_changed_slow(const struct syt_stack_state *s,
                                                            struct syt_walk *w, uint32_t nr)
{
	for (; nr; nr--) {
		const struct word *p = &s->words[nr - 1];

		if (!syt_walk_can_read(w, p->at) || *(const uintptr_t *)p->at != p->value)
			break;
	}
	return nr;
}

/* True when the outermost remembered frame still ends the stack. */
static inline bool verify_end(const struct syt_stack_state *s)
{
	return (!s->end_at || *(const uintptr_t *)s->end_at == s->end_word) &&
	       !(s->is_end_unmapped && syt_module_has(s->frames[0].pc - 1));
}

/*
 * True when every word that led outwards from remembered frame C on is what it was: then the stack
 * from there on is the remembered one.  Reads the words in the order of a walk and nothing that a
 * walk would not read.  On failure *LIMIT is the frame that the first changed word led to: only
 * older frames than that one's callee can match.
 */
static inline bool verify(const struct syt_stack_state *s, struct syt_walk *w, uint32_t c,
                          uint32_t *limit)
{
	/* words lie between the stack pointers of two frames: where the top is known they are below
	 * it */
	uint32_t nr = s->frames[c].nr_words;
	uint32_t changed = __builtin_expect(w->is_top_known, 1) ? find_changed(s, nr)
	                                                        : find_changed_slow(s, w, nr);

	if (changed) {
		while (s->frames[c].nr_words >= changed)
			c--;
		*limit = c;
		return false;
	}
	if ((s->end_at && !syt_walk_can_read(w, s->end_at)) || !verify_end(s)) {
		*limit = 0;
		return false;
	}
	return true;
}

/* The site of PC, a return address. */
static inline uint8_t site_of(uintptr_t pc)
{
	return (uint8_t)(pc * UINT64_C(0x9e3779b97f4a7c15) >> (64 - SITE_BITS));
}

/* Looks the frame up that W stands at: among the thread's own sites, which are in its cache, then
 * in the shared table. */
static inline void look(struct syt_stack_state *s, struct syt_walk *w, struct fresh *f)
{
	struct site *site;

	f->site = site_of(w->pc);
	site = &s->sites[f->site];
	if (__builtin_expect(site->pc == w->pc && !w->is_exact, 1)) {
		w->row = site->row;
		w->module = site->module;
	} else {
		syt_walk_look(w);
		/* as for the table: not below a signal, not without a module */
		if (w->module && !w->is_signal && !w->is_exact)
			*site = (struct site){.pc = w->pc, .row = w->row, .module = w->module};
	}
	f->row = w->row;
	f->module = w->module;
}

/* IS_WARM: F's site is the thread's, and nothing marks F. */
static ALWAYS_INLINE uint32_t intern(struct syt_stack_state *s, uint32_t parent,
                                     const struct fresh *f, bool is_cut, bool is_warm)
{
	struct site *site = &s->sites[f->site];
	bool is_kept = is_warm || (site->pc == f->pc && !f->is_exact && !is_cut);
	uint32_t id;

	if (is_kept && site->id && site->parent == parent)
		return site->id;
	id = syt_node_intern(parent, is_warm ? f->pc : key_of(f, is_cut), f->module);
	if (is_kept) {
		site->parent = parent;
		site->id = id;
	}
	return id;
}

/*
 * Walks from W into s->fresh until the stack's end or a remembered frame that it can be joined to.
 * *BASE: remembered frames that stay.  Returns the number of fresh frames.
 */
static inline uint32_t walk_and_match(struct syt_stack_state *s, struct syt_walk *w, uint32_t *base,
                                      enum syt_step *rv)
{
	uint32_t c = s->nr, nr = 0; /* frames [0, c) are candidates, innermost last */

	for (;; nr++) {
		struct fresh *f = &s->fresh[nr];

		while (c && s->frames[c - 1].sp < w->sp)
			c--;
		if (c && s->frames[c - 1].sp == w->sp) {
			const struct frame *m = &s->frames[c - 1];

			if (m->pc == w->pc && (!(m->flags & FRAME_LIVE) || m->bp == w->bp) &&
			    !m->nr_barriers && !w->is_exact && verify(s, w, c - 1, &c)) {
				*base = c;
				*rv = SYT_STEP_END;
				return nr;
			}
		}
		if (nr == SYT_STACK_DEPTH) {
			*rv = SYT_STEP_CUT;
			break;
		}
		note(f, w);
		look(s, w, f);
		*rv = syt_walk_step(w);
		if (*rv != SYT_STEP_OK) {
			nr++;
			break;
		}
	}
	*base = 0;
	return nr;
}

/* Remembers frame F as the one called from the frames remembered so far. IS_WARM: there are some,
 * and F's row is plain. */
static ALWAYS_INLINE void push(struct syt_stack_state *s, const struct fresh *f, uint32_t id,
                               bool is_warm)
{
	struct frame *to = &s->frames[s->nr], *caller = is_warm || s->nr ? to - 1 : NULL;
	uint32_t nr_words = 0;
	bool is_plain = is_warm || syt_stack_row_is_plain(f->row);
	unsigned slot = is_plain ? syt_stack_row_slot(f->row) : 0;
	bool is_barrier = !is_warm && f->row == SYT_STACK_ROW_SPECIAL;
	bool is_live = is_barrier || (is_plain && f->row & SYT_STACK_ROW_BP);

	if (caller) {
		is_live |= !slot && caller->flags & FRAME_LIVE;
		nr_words = caller->nr_words;
		if (slot && caller->flags & FRAME_LIVE)
			s->words[nr_words++] =
				(struct word){caller->sp - 8 * (slot + 1), caller->bp};
		s->words[nr_words++] = (struct word){caller->sp - 8, caller->pc};
		/* a saved word below the frame's own sp is not live; a jump is believed once only
		 */
		is_barrier |= slot && caller->sp - 8 * (slot + 1) < f->sp;
		is_barrier |= caller->sp - f->sp > SYT_STEP_JUMP_BYTES;
	} else if (!is_warm && s->end_at) {
		/* the same for the way to the word that ended the stack */
		is_barrier |= slot && s->end_at - 8 * slot < f->sp;
		is_barrier |= s->end_at + 8 - f->sp > SYT_STEP_JUMP_BYTES;
	}
	to->pc = f->pc;
	to->sp = f->sp;
	to->bp = f->bp;
	to->id = id;
	to->flags = (uint16_t)((is_live ? FRAME_LIVE : 0) | (is_barrier ? FRAME_BARRIER : 0));
	to->nr_words = nr_words;
	to->serial = ++s->serial;
	to->nr_barriers = (uint16_t)((caller ? caller->nr_barriers : 0) + is_barrier);
	s->nr++;
}

static inline struct leaf *leaf_of(struct syt_stack_state *s, uintptr_t pc)
{
	return &s->leaves[pc * UINT64_C(0xbf58476d1ce4e5b9) >> (64 - LEAF_BITS)];
}

/* Keeps the innermost frame, F, beyond the next one that is called from the same place. */
static inline void keep_leaf(struct syt_stack_state *s, const struct frame *f)
{
	const struct frame *caller = f - 1;
	struct leaf *l = leaf_of(s, f->pc);

	l->pc = f->pc;
	l->sp = f->sp;
	l->bp = f->bp;
	l->serial = caller->serial;
	l->nr_callers = f->nr_barriers ? 0 : s->nr - 1;
	l->id = f->id;
	l->bp_off = f->nr_words - caller->nr_words == 2
	                    ? (uint32_t)(caller->sp - s->words[caller->nr_words].at)
	                    : 0;
	l->is_live = f->flags & FRAME_LIVE;
}

/*
 * The stack whose innermost frame is kept and was called from the remembered stack; 0: it is not.
 * This is verify() for a frame whose callers are remembered, while it is not: its state is the
 * same, and so is each word that leads outwards.  The top must be known and that of the state, and
 * so must be the generation.
 */
static inline uint32_t capture_leaf(struct syt_stack_state *s, const struct syt_stack_regs *regs)
{
	const struct leaf *l = leaf_of(s, regs->pc);
	uint32_t nr = l->nr_callers;

	if (l->pc != regs->pc || l->sp != regs->sp || (l->is_live && l->bp != regs->bp) || !nr ||
	    nr > s->nr)
		return 0;

	const struct frame *caller = &s->frames[nr - 1];

	if (caller->serial != l->serial || *(const uintptr_t *)(caller->sp - 8) != caller->pc ||
	    (l->bp_off && *(const uintptr_t *)(caller->sp - l->bp_off) != caller->bp))
		return 0;
	return !find_changed(s, caller->nr_words) && verify_end(s) ? l->id : 0;
}

/*
 * capture_stitched() where nothing is out of the ordinary: the top is known, the thread has met
 * each frame's address before, and the walk meets the remembered stack after a few plain rows. Each
 * step is that of syt_walk_step(); where that would do more than load, this is NOT_STITCHED, and
 * nothing has been changed yet.
 */
static inline uint32_t capture_warm(struct syt_stack_state *s, const struct syt_stack_regs *regs,
                                    uintptr_t top)
{
	uintptr_t pc = regs->pc, sp = regs->sp, bp = regs->bp;
	const struct frame *m = &s->frames[s->nr]; /* behind the last candidate */
	struct fresh *f = s->fresh;

	if (__builtin_expect(sp % 8, 0))
		return NOT_STITCHED;
	for (;; f++) {
		while (m > s->frames && m[-1].sp < sp)
			m--;
		if (m == s->frames)
			return NOT_STITCHED;
		if (m[-1].sp == sp && m[-1].pc == pc && !m[-1].nr_barriers &&
		    (!(m[-1].flags & FRAME_LIVE) || m[-1].bp == bp)) {
			uint32_t changed = find_changed(s, m[-1].nr_words);

			if (!changed)
				break;
			/* as in verify() */
			do
				m--;
			while (m->nr_words >= changed);
		}

		uint8_t at_site = site_of(pc);
		const struct site *site = &s->sites[at_site];
		uint32_t row = site->row;
		unsigned slot = syt_stack_row_slot(row);
		uintptr_t cfa =
			(row & SYT_STACK_ROW_BP ? bp : sp) + 8 * (row & SYT_STACK_ROW_OFFSET);

		if (__builtin_expect(site->pc != pc || !syt_stack_row_is_plain(row) || cfa <= sp ||
		                             cfa > top || cfa % 8 ||
		                             cfa - sp > SYT_STEP_JUMP_BYTES ||
		                             f == &s->fresh[NR_WARM],
		                     0))
			return NOT_STITCHED;
		f->pc = pc;
		f->sp = sp;
		f->bp = bp;
		f->row = row;
		f->module = site->module;
		f->site = at_site;
		if (slot) {
			uintptr_t at = cfa - 8 * (slot + 1);

			if (__builtin_expect(at < regs->sp, 0))
				return NOT_STITCHED;
			bp = *(const uintptr_t *)at;
		}
		pc = *(const uintptr_t *)(cfa - 8);
		sp = cfa;
		if (__builtin_expect(!syt_walk_is_pc(pc), 0))
			return NOT_STITCHED;
	}

	uint32_t base = (uint32_t)(m - s->frames), nr = (uint32_t)(f - s->fresh);
	uint32_t id = m[-1].id;

	if (__builtin_expect(!verify_end(s) || base + nr > SYT_STACK_DEPTH, 0))
		return NOT_STITCHED;
	s->nr = base;
	while (f-- > s->fresh) {
		id = intern(s, id, f, false, true);
		if (__builtin_expect(!id, 0)) {
			s->nr = 0;
			return 0;
		}
		push(s, f, id, true);
	}
	if (nr == 1)
		keep_leaf(s, &s->frames[base]);
	return id;
}

/* NOT_STITCHED: not possible with what is remembered, or at all. */
static uint32_t capture_stitched(struct syt_stack_state *s, struct syt_walk *w)
{
	enum syt_step rv;
	uint32_t base, nr = walk_and_match(s, w, &base, &rv);
	uint32_t id = base ? s->frames[base - 1].id : 0;

	if (__builtin_expect(rv == SYT_STEP_REGS || base + nr > SYT_STACK_DEPTH, 0)) {
		s->nr = 0;
		return NOT_STITCHED;
	}
	if (!base) {
		s->is_end_unmapped = nr && !s->fresh[nr - 1].module;
		s->end_at = w->end;
		s->end_word = w->end ? *(const uintptr_t *)w->end : 0;
	}
	s->nr = base;

	bool is_cut = !base && rv != SYT_STEP_END; /* the outermost frame */

	for (uint32_t i = nr; i--; is_cut = false) {
		id = intern(s, id, &s->fresh[i], is_cut, false);
		if (__builtin_expect(!id, 0)) {
			s->nr = 0;
			return 0;
		}
		push(s, &s->fresh[i], id, false);
	}
	if (__builtin_expect(w->is_signal || w->is_impure || nr == SYT_STACK_DEPTH, 0))
		s->nr = base;
	return id;
}

/* The innermost frame only, with what the table has of it: next to no stack is used. */
static uint32_t capture_pc(const struct syt_stack_regs *regs, uint64_t generation)
{
	struct syt_stack_row r =
		syt_stack_row_get(regs->pc - 1, syt_stack_row_generation_tag(generation));

	return r.row ? syt_node_intern(0, regs->pc | SYT_STACK_TRUNCATED, r.module) : 0;
}

/* The top of the alternate signal stack if that is the current one, else 0. *ROOM: bytes of stack
 * that are left, as far as is known. */
static uintptr_t alternate_top(const struct syt_stack_regs *regs, size_t *room)
{
	stack_t s;
	long rv = SYT_SYS_2(SYS_sigaltstack, NULL, &s);

	*room = rv == SYT_SYS_DENIED ? 0 : SIZE_MAX; /* who knows */
	if (rv || !(s.ss_flags & SS_ONSTACK) || regs->sp - (uintptr_t)s.ss_sp >= s.ss_size)
		return 0;
	*room = (uintptr_t)__builtin_frame_address(0) - (uintptr_t)s.ss_sp;
	return (uintptr_t)s.ss_sp + s.ss_size;
}

/* What is remembered about code is out of date. */
static void renew(struct syt_stack_state *s, uint64_t generation)
{
	syt_stack_row_renew(generation);
	for (unsigned i = 0; i < 1u << SITE_BITS; i++)
		s->sites[i].pc = 0;
	s->generation = generation;
	s->tag = syt_stack_row_generation_tag(generation);
	s->nr = 0;
}

static __attribute__((noinline)) uint32_t capture_slow(struct syt_stack_state *state,
                                                       const struct syt_stack_regs *regs,
                                                       uintptr_t top, uint64_t generation)
{
	struct syt_walk w;
	uint32_t id;

	if (!syt_walk_is_pc(regs->pc) || !regs->sp || regs->sp % 8)
		return 0;
	if (__builtin_expect(regs->sp >= top, 0)) {
		size_t room;

		top = alternate_top(regs, &room);
		if (room < LOOK_BYTES)
			return 0;
		if (room < WALK_BYTES)
			return capture_pc(regs, generation);
	}
	if (__builtin_expect(!state || syt_module_is_closing(generation), 0)) {
		syt_stack_row_renew(generation);
		return capture_plain(regs, top, generation);
	}
	if (__builtin_expect(state->generation != generation, 0))
		renew(state, generation);
	if (__builtin_expect(state->top != top, 0)) {
		state->top = top;
		state->nr = 0;
	}
	syt_walk_init(&w, regs, top, generation, state->tag);
	id = capture_stitched(state, &w);
	return __builtin_expect(id == NOT_STITCHED, 0) ? capture_plain(regs, top, generation) : id;
}

uint32_t syt_stack_capture(struct syt_stack_state *state, const struct syt_stack_regs *regs,
                           uintptr_t top)
{
	uint64_t generation = syt_module_generation();

	/* a generation in which a module closes is never a state's */
	if (__builtin_expect(top && state && state->top == top && state->generation == generation,
	                     1)) {
		uint32_t id = capture_leaf(state, regs);

		if (id)
			return id;
		id = capture_warm(state, regs, top);
		if (id != NOT_STITCHED)
			return id;
	}
	return capture_slow(state, regs, top, generation);
}
