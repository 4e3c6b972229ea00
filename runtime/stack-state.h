/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * What a thread remembers of its previous stack, and how it is verified (doc/stacks.md, "Why
 * stitching is exact").
 *
 * Frames are remembered outermost first, so that what two stacks of a thread have in common is a
 * prefix of the array and stays where it is.  Beside the frames stands a flat list of words: what a
 * walk loads from the stack on its way outwards, in the same order.  While the words [0, n) are what
 * they were, the frames that they lead to are the same.
 */
#ifndef SYT_RUNTIME_STACK_STATE_H
#define SYT_RUNTIME_STACK_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/format.h"
#include "runtime/stack.h"

/* What is used for frames of which much is known, and for others. */
#define SYT_ALWAYS_INLINE inline __attribute__((always_inline))

#define SYT_NOT_STITCHED UINT32_MAX /* no id: not possible with what is remembered */

/* A word that a walk loads. */
struct syt_stack_word {
	uintptr_t at, value;
};

/* A frame of the remembered stack. sp is the CFA of the frame that it called; its pc is the word at
 * sp - 8, and *word says so. */
struct syt_stack_frame {
	uintptr_t pc, sp;
	uintptr_t bp;                /* only if is_live */
	struct syt_stack_word *word; /* behind those that lead outwards from here */
	uint32_t id;                 /* node */
	bool is_live; /* this frame's row or an older one uses the frame pointer as it is here */
};

/* What is known of a return address whose row is plain: valid in the state's generation. */
struct syt_stack_site {
	uintptr_t pc;
	uint64_t key;       /* syt_node_key() */
	uint32_t parent;    /* node that was last found to call it ... */
	uint32_t id;        /* ... and what the call is then */
	uint32_t cfa_bytes; /* where the CFA is, from the stack or the frame pointer */
	/* the caller's frame pointer was saved at CFA - bp_bytes; 0: it was not */
	uint16_t bp_bytes;
	uint16_t is_by_bp; /* the CFA is relative to the frame pointer */
} __attribute__((aligned(32)));

#define SYT_STACK_NO_PARENT UINT32_MAX

/* A frame of a walk in progress. */
struct syt_stack_fresh {
	uintptr_t sp, bp;
	struct syt_stack_site *site; /* NULL: none */
	/* not where everything is said by the site: */
	uintptr_t pc;
	uint32_t row;
	uint16_t module;
	bool is_exact;
};

/* An innermost frame that was called from the remembered stack, perhaps not as the last one. It
 * holds while the frame that called it is remembered: the one in whose state it led to. */
struct syt_stack_leaf {
	uintptr_t pc, sp;
	uintptr_t bp; /* only if is_live */
	const struct syt_stack_frame
		*caller;                   /* where the frame was remembered that called it, ... */
	uintptr_t caller_sp;               /* ... in which state, ... */
	const struct syt_stack_word *word; /* ... and behind the words that lead to it */
	uint32_t caller_id;
	uint32_t id; /* node */
	/* the caller's frame pointer was saved at CFA - bp_bytes; 0: it was not */
	uint16_t bp_bytes;
	bool is_live;
	bool is_by_bp; /* the frame pointer is live here or in the caller */
} __attribute__((aligned(64)));

#define SYT_STACK_LEAF_BITS 3
#define SYT_STACK_SITE_BITS 10    /* of a table that has grown to its full size */
#define SYT_STACK_SITE_BITS_MIN 6 /* of a thread that does little */

struct syt_stack_state {
	uint64_t generation;  /* 0: nothing in here is believed */
	uint64_t tag;         /* syt_stack_row_generation_tag(generation) */
	uintptr_t top;        /* of the stack that is remembered; 0: not known */
	uintptr_t known_top;  /* the same; not 0 */
	bool is_end_unmapped; /* the outermost frame lies in no module: at ... */
	uintptr_t end_pc;
	uintptr_t end_at; /* where it has a word that is no return address, or 0 */
	uintptr_t nothing;
	uint32_t site_shift; /* of a hash: tells how many of the sites are used */
	uint32_t nr_ousted;  /* sites that had to make room for another since there were as many */
	uint64_t has_site[(1u << SYT_STACK_SITE_BITS) /
	                  64];        /* a bit for each of the sites that was ever written */
	struct syt_stack_frame *last; /* the youngest that is remembered; frames: there is none */
	struct syt_stack_leaf leaves[1u << SYT_STACK_LEAF_BITS];
	struct syt_stack_site sites[1u << SYT_STACK_SITE_BITS];
	/* frames[0] is none: above all others, so that a search ends there. Its word, words[0], is
	 * what ended the stack; `nothing` where it ended without one. */
	struct syt_stack_frame frames[1 + SYT_STACK_DEPTH];
	struct syt_stack_word words[1 + 2 * SYT_STACK_DEPTH];
	struct syt_stack_fresh fresh[SYT_STACK_DEPTH]; /* innermost first */
};

/* All of it is out of date. */
void syt_stack_state_renew(struct syt_stack_state *s, uint64_t generation);

/* Without memory of the previous stack: stack-plain.c. */
uint32_t syt_stack_capture_plain(const struct syt_stack_regs *regs, uintptr_t top,
                                 uint64_t generation);

/* With it: stack-stitch.c. S is of GENERATION and TOP. */
uint32_t syt_stack_capture_stitched(struct syt_stack_state *s, const struct syt_stack_regs *regs,
                                    uintptr_t top, uint64_t generation);

/* Whatever syt_stack_capture() leaves to it: stack.c. */
uint32_t syt_stack_capture_slow(struct syt_stack_state *s, const struct syt_stack_regs *regs,
                                uintptr_t top, uint64_t generation);

/* PC as syt_node_key() takes it. */
static inline uint64_t syt_stack_marked(uintptr_t pc, bool is_cut, bool is_exact)
{
	return (pc & SYT_STACK_OFFSET) | (is_cut ? SYT_STACK_TRUNCATED : 0) |
	       (is_exact ? SYT_STACK_SIGNAL : 0);
}

static inline struct syt_stack_site *syt_stack_site_of(struct syt_stack_state *s, uintptr_t pc)
{
	struct syt_stack_site *site = &s->sites[pc * UINT64_C(0x9e3779b97f4a7c15) >> s->site_shift];

	__asm__("" : "+r"(site)); /* else the address is computed twice */
	return site;
}

static inline struct syt_stack_leaf *syt_stack_leaf_of(struct syt_stack_state *s, uintptr_t pc)
{
	return &s->leaves[pc * UINT64_C(0xbf58476d1ce4e5b9) >> (64 - SYT_STACK_LEAF_BITS)];
}

/* The youngest of the NR words before P that is not what it was; NULL: all are. */
static SYT_ALWAYS_INLINE const struct syt_stack_word *
syt_stack_changed_of(const struct syt_stack_word *p, int nr)
{
#pragma GCC unroll 8
	for (int i = 1; i <= nr; i++)
		if (*(const uintptr_t *)p[-i].at != p[-i].value)
			return p - i;
	return NULL;
}

/*
 * The youngest of the words before P that is not what it was; NULL: all are.  They are read in the
 * order of a walk, and none after the one that has changed: an older one may by now be memory that
 * nobody may read.
 *
 * A load and a compare for each; gathering them by AVX2 or AVX-512 takes fewer instructions and
 * half as much time again (doc/stacks.md).
 */
static SYT_ALWAYS_INLINE const struct syt_stack_word *
syt_stack_changed(const struct syt_stack_state *s, const struct syt_stack_word *p)
{
	const struct syt_stack_word *changed;
	size_t nr = (size_t)(p - s->words);

	if (nr & 1) {
		if ((changed = syt_stack_changed_of(p, 1)))
			return changed;
		p -= 1;
	}
	if (nr & 2) {
		if ((changed = syt_stack_changed_of(p, 2)))
			return changed;
		p -= 2;
	}
	if (nr & 4) {
		if ((changed = syt_stack_changed_of(p, 4)))
			return changed;
		p -= 4;
	}
	for (; p != s->words; p -= 8)
		if ((changed = syt_stack_changed_of(p, 8)))
			return changed;
	return NULL;
}

#endif
