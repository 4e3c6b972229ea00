/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Stitching: a stack walk goes outwards until its state matches a frame of the thread's previous walk. The
 * frames beyond that frame are verified (their stack words are compared) instead of walked. This file handles
 * every kind of unwind rule and stacks with an unknown top; stack-fast.c handles the common case. */
#include "runtime/module.h"
#include "runtime/stack-node.h"
#include "runtime/stack-row.h"
#include "runtime/stack-state.h"
#include "runtime/stack-step.h"

/* Most forked children end or execute a program after one or two calls. Walking these few stacks from their innermost to
 * their outermost frame takes less time than copying the pages with the remembered stack. */
#define NR_PLAIN 2u

size_t syt_stack_state_bytes(void)
{
	return sizeof(struct syt_stack_state);
}

void syt_stack_state_reset(struct syt_stack_state *state)
{
	state->last = state->frames;
}

void syt_stack_state_abandon(struct syt_stack_state *state)
{
	state->last = state->frames;
	state->generation = 0;
	state->inherited = 0;
	state->nr_plain = 0;
}

static void mark_site(struct syt_stack_state *s, const struct syt_stack_site *site)
{
	size_t i = (size_t)(site - s->sites);

	s->has_site[i / 64] |= UINT64_C(1) << i % 64;
}

/* Returns the next cached site from index *I on that was written at least once, or NULL. Does not touch the
 * other sites, because most threads need few pages of the table. */
static struct syt_stack_site *next_site(struct syt_stack_state *s, uint32_t *i)
{
	for (; *i < 1u << SYT_STACK_SITE_BITS; *i = (*i / 64 + 1) * 64) {
		uint64_t rest = s->has_site[*i / 64] >> *i % 64;

		if (!rest)
			continue;
		*i += (uint32_t)__builtin_ctzll(rest) + 1;
		return &s->sites[*i - 1];
	}
	return NULL;
}

/* Empties the table of cached return addresses (sites) and sets its size to 2^BITS. */
static void clear_sites(struct syt_stack_state *s, uint32_t bits)
{
	struct syt_stack_site *site;

	for (uint32_t i = 0; (site = next_site(s, &i));)
		site->pc = 0;
	s->site_shift = 64 - bits;
	s->nr_evicted = 0;
	/* No lookup may match a free site. For address 0, which a walk may load, the free site needs
	 * another address. */
	site = syt_stack_site_of(s, 0);
	site->pc = 1;
	mark_site(s, site);
}

/* Enlarges the table of sites once the number of replaced sites reaches the size of the table. */
static void grow_sites(struct syt_stack_state *s)
{
	uint32_t bits = 64 - s->site_shift;

	if (__builtin_expect(s->nr_evicted >> bits && bits < SYT_STACK_SITE_BITS, 0))
		clear_sites(s, bits + 2);
}

/* The contents stay as they are, because the first write to a page copies it for the child. */
void syt_stack_state_fork_child(struct syt_stack_state *s)
{
	if (s->generation)
		s->inherited = s->generation;
	s->generation = 0;
	s->nr_plain = s->inherited ? NR_PLAIN : 0;
}

void syt_stack_state_take_over(struct syt_stack_state *s)
{
	struct syt_stack_site *site;

	for (uint32_t i = 0; (site = next_site(s, &i));)
		site->parent = SYT_STACK_NO_PARENT;
	for (unsigned i = 0; i < 1u << SYT_STACK_LEAF_BITS; i++)
		if (s->leaves[i].sp)
			s->leaves[i].sp = 0;
	s->has_path = 0;
	s->last = s->frames;
	s->generation = s->inherited;
	s->inherited = 0;
}

void syt_stack_state_renew(struct syt_stack_state *s, uint64_t generation)
{
	syt_stack_row_renew(generation);
	clear_sites(s, s->site_shift ? 64 - s->site_shift : SYT_STACK_SITE_BITS_MIN);
	for (unsigned i = 0; i < 1u << SYT_STACK_LEAF_BITS; i++)
		if (s->leaves[i].sp) /* do not touch memory that is not in use yet */
			s->leaves[i].sp = 0;
	s->has_path = 0;
	s->frames[0] = (struct syt_stack_frame){.sp = UINTPTR_MAX, .word = s->words};
	s->generation = generation;
	s->tag = syt_stack_row_generation_tag(generation);
	s->last = s->frames;
}

/* Does syt_stack_changed() for a stack with an unknown top: asks the kernel whether each page is readable. */
static __attribute__((noinline)) const struct syt_stack_word *
changed_slow(const struct syt_stack_state *s, struct syt_walk *w, const struct syt_stack_word *p)
{
	while (p-- != s->words)
		if ((p->at != (uintptr_t)&s->no_word && !syt_walk_can_read(w, p->at)) ||
		    *(const uintptr_t *)p->at != p->value)
			return p;
	return NULL;
}

/* Returns true if every stack word that led outwards from the remembered frame M is unchanged; M and its
 * callers are then the same as before. On failure, *LIMIT is the frame to which the first changed word led:
 * only the callers of that frame can match. */
static bool verify(struct syt_stack_state *s, struct syt_walk *w, struct syt_stack_frame *m,
                   struct syt_stack_frame **limit)
{
	/* The compared words lie between the stack pointers of two frames. If the top of the stack is
	 * known, they lie below the top. */
	const struct syt_stack_word *changed =
		w->is_top_known ? syt_stack_changed(s->words, (size_t)(m->word - s->words))
				: changed_slow(s, w, m->word);

	if (changed) {
		while (m->word > changed)
			m--;
		*limit = m;
		return false;
	}
	if (s->is_end_unmapped && syt_module_has(s->end_pc)) {
		*limit = s->frames;
		return false;
	}
	return true;
}

/* Returns true if a site can hold the unwind rule ROW. Checks the size of the frame, as a step of a walk
 * does. */
static bool can_be_site(uint32_t row)
{
	uint32_t cfa_bytes = 8 * (row & SYT_STACK_ROW_OFFSET);
	uint32_t slot = syt_stack_row_slot(row);

	return syt_stack_row_is_plain(row) && cfa_bytes <= SYT_STEP_JUMP_BYTES &&
	       (row & SYT_STACK_ROW_BP || !slot || 8 * (slot + 1) <= cfa_bytes);
}

/* Looks up the unwind row of W's current frame in the table of all threads. Stores the result in F and in
 * the thread's cache (sites). */
static void look_up(struct syt_stack_state *s, struct syt_walk *w, struct syt_stack_fresh *f)
{
	syt_walk_look_up(w);
	f->row = w->row;
	f->module = w->module;
	f->site = NULL;
	/* as in the table of rows, no address beyond a signal frame or without a module is cached */
	if (w->is_signal || w->is_exact || !w->module || !can_be_site(w->row))
		return;

	unsigned slot = syt_stack_row_slot(w->row);
	struct syt_stack_site *site = syt_stack_site_of(s, w->pc);

	f->site = site;
	if (site->pc != w->pc) {
		s->nr_evicted += site->pc != 0;
		mark_site(s, site);
		*site = (struct syt_stack_site){
			.pc = w->pc,
			.key = syt_node_key(w->pc, w->module),
			.parent = SYT_STACK_NO_PARENT,
			.cfa_bytes = 8 * (w->row & SYT_STACK_ROW_OFFSET),
			.bp_bytes = (uint16_t)(slot ? 8 * (slot + 1) : 0),
			.is_by_bp = !!(w->row & SYT_STACK_ROW_BP),
		};
	}
}

/* Walks from W and stores the frames in s->fresh, until the end of the stack or until a remembered frame
 * whose stack words are unchanged. Stores that frame, or s->frames if there is none, in *BASE. Returns the
 * number of frames in s->fresh. */
static uint32_t walk_and_match(struct syt_stack_state *s, struct syt_walk *w,
                               struct syt_stack_frame **base, enum syt_step *rv)
{
	struct syt_stack_frame *m = s->last; /* the innermost remembered frame that may match */
	uint32_t nr = 0;

	for (;; nr++) {
		struct syt_stack_fresh *f = &s->fresh[nr];

		while (m->sp < w->sp)
			m--;
		if (m->sp == w->sp && m->pc == w->pc && (!m->is_live || m->bp == w->bp) &&
		    !w->is_exact && verify(s, w, m, &m)) {
			*base = m;
			*rv = SYT_STEP_END;
			return nr;
		}
		if (nr == SYT_STACK_DEPTH) {
			*rv = SYT_STEP_CUT;
			break;
		}
		f->pc = w->pc;
		f->sp = w->sp;
		f->bp = w->bp;
		f->is_exact = w->is_exact;
		look_up(s, w, f);
		*rv = syt_walk_step(w);
		if (*rv != SYT_STEP_OK) {
			nr++;
			break;
		}
	}
	*base = s->frames;
	return nr;
}

static uint32_t intern(uint32_t parent, const struct syt_stack_fresh *f, bool is_cut)
{
	struct syt_stack_site *site = f->site;
	bool is_kept = site && site->pc == f->pc && !is_cut;
	uint32_t id;

	if (is_kept && site->parent == parent)
		return site->id;
	id = syt_node_intern(parent,
	                     syt_node_key(syt_stack_marked(f->pc, is_cut, f->is_exact), f->module));
	if (is_kept && id) {
		site->parent = parent;
		site->id = id;
	}
	return id;
}

/* Appends frame F to the remembered stack, whose last frame called F. Returns false if the step from F to
 * its caller depends on more stack words than can be compared later. */
static bool push(struct syt_stack_state *s, const struct syt_stack_fresh *f, uint32_t id)
{
	const struct syt_stack_frame *caller = s->last;
	struct syt_stack_word *word = caller->word + 1;
	bool is_plain = syt_stack_row_is_plain(f->row);
	bool is_live = is_plain && f->row & SYT_STACK_ROW_BP;
	unsigned slot = is_plain ? syt_stack_row_slot(f->row) : 0;
	uintptr_t cfa = caller != s->frames ? caller->sp : s->end_at ? s->end_at + 8 : 0;

	if (f->row == SYT_STACK_ROW_SPECIAL)
		return false;
	/* a word saved below the frame's own sp may be overwritten; a very large frame is checked at every
	 * walk */
	if (cfa && (cfa - f->sp > SYT_STEP_JUMP_BYTES || (slot && cfa - 8 * (slot + 1) < f->sp)))
		return false;
	if (slot && caller->is_live)
		*word++ = (struct syt_stack_word){caller->sp - 8 * (slot + 1), caller->bp};
	*word = (struct syt_stack_word){f->sp - 8, f->pc};
	*++s->last = (struct syt_stack_frame){
		.pc = f->pc,
		.sp = f->sp,
		.bp = f->bp,
		.word = word,
		.id = id,
		.is_live = is_live || (!slot && caller->is_live),
	};
	return true;
}

/* Stores how the walk W ended, at its outermost frame F, as the end of the remembered stack. */
static void remember_end(struct syt_stack_state *s, const struct syt_walk *w,
                         const struct syt_stack_fresh *f)
{
	s->is_end_unmapped = !f->module;
	s->end_pc = f->pc - 1;
	s->end_at = w->end;
	s->words[0].at = w->end ? w->end : (uintptr_t)&s->no_word;
	s->words[0].value = *(const uintptr_t *)s->words[0].at;
}

uint32_t syt_stack_capture_stitched(struct syt_stack_state *s, const struct syt_stack_regs *regs,
                                    uintptr_t top, uint64_t generation)
{
	struct syt_stack_frame *base;
	enum syt_step rv;
	struct syt_walk w;

	syt_walk_init(&w, regs, top, generation, s->tag);
	grow_sites(s);

	uint32_t nr = walk_and_match(s, &w, &base, &rv), id = base->id;
	bool is_whole = base == s->frames; /* no remembered frame was reused */

	if (__builtin_expect(rv == SYT_STEP_REGS || base - s->frames + nr > SYT_STACK_DEPTH, 0)) {
		s->last = s->frames;
		return SYT_NOT_STITCHED;
	}
	if (is_whole)
		remember_end(s, &w, &s->fresh[nr - 1]);
	s->last = base;

	/* the outermost frame is not the thread's first frame */
	bool is_cut = is_whole && rv != SYT_STEP_END;
	bool is_kept = !w.is_signal && !w.is_end_uncertain && nr != SYT_STACK_DEPTH;

	for (uint32_t i = nr; i--; is_cut = false) {
		id = intern(id, &s->fresh[i], is_cut);
		if (__builtin_expect(!id, 0)) {
			s->last = s->frames;
			return 0;
		}
		is_kept = is_kept && push(s, &s->fresh[i], id);
	}
	return id;
}
