/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The memory of a thread's previous stack, and the check that it still holds (doc/stacks.md, "Why
 * stitching is exact").
 *
 * Frames are stored outermost first, so the common part of two stacks is a prefix of the array and stays
 * in place. Next to the frames is a flat list of the words that a walk outwards loads from the stack, in
 * reverse order. While the words [0, n) are unchanged, the frames that they lead to are unchanged.
 */
#ifndef SYT_RUNTIME_STACK_STATE_H
#define SYT_RUNTIME_STACK_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/format.h"
#include "runtime/stack.h"

/* For functions called with constant arguments, which the compiler then specializes. */
#define SYT_ALWAYS_INLINE inline __attribute__((always_inline))

#define SYT_NOT_STITCHED UINT32_MAX /* no id: stitching is not possible */

/* A word that a walk loads. */
struct syt_stack_word {
	uintptr_t at, value;
};

/* A frame of the remembered stack. sp is the CFA of the callee of this frame,
 * so pc is stored at sp - 8; *word describes that location. */
struct syt_stack_frame {
	uintptr_t pc, sp;
	uintptr_t bp;                /* only if is_live */
	struct syt_stack_word *word; /* one past the words that lead outwards */
	uint32_t id;                 /* node */
	bool is_live; /* this frame's row, or an older one's, uses bp as it is here */
};

/* The cached properties of a return address with a plain row. Valid in the state's generation. */
struct syt_stack_site {
	uintptr_t pc;
	uint64_t key;       /* syt_node_key() */
	uint32_t parent;    /* the last caller's node ... */
	uint32_t id;        /* ... and the call's node below it */
	uint32_t cfa_bytes; /* CFA minus the stack or frame pointer */
	/* the caller's frame pointer is saved at CFA - bp_bytes; 0: not saved */
	uint16_t bp_bytes;
	uint16_t is_by_bp; /* the CFA is relative to the frame pointer */
} __attribute__((aligned(32)));

#define SYT_STACK_NO_PARENT UINT32_MAX

/* A frame of a walk in progress. */
struct syt_stack_fresh {
	uintptr_t sp, bp;
	struct syt_stack_site *site; /* NULL: not cached */
	/* used only if the site does not give them: */
	uintptr_t pc;
	uint32_t row;
	uint16_t module;
	bool is_exact;
};

/* An innermost frame that was called from the remembered stack, possibly not the latest one. The
 * entry is valid while the calling frame is remembered with the same sp and node. */
struct syt_stack_leaf {
	uintptr_t pc, sp;
	uintptr_t bp;                         /* only if is_live */
	const struct syt_stack_frame *caller; /* the calling frame's place in frames, ... */
	uintptr_t caller_sp;                  /* ... its sp, ... */
	const struct syt_stack_word *word;    /* ... and one past the words that lead to it */
	uint32_t caller_id;
	uint32_t id; /* node */
	/* the caller's frame pointer is saved at CFA - bp_bytes; 0: not saved */
	uint16_t bp_bytes;
	bool is_live;
	bool is_by_bp; /* the frame pointer is live here or in the caller */
} __attribute__((aligned(64)));

#define SYT_STACK_LEAF_BITS 3
#define SYT_STACK_SITE_BITS 10    /* bits of the largest table */
#define SYT_STACK_SITE_BITS_MIN 6 /* bits of a new table */

struct syt_stack_state {
	uint64_t generation;  /* 0: the contents are invalid */
	uint64_t tag;         /* syt_stack_row_generation_tag(generation) */
	uintptr_t top;        /* top of the remembered stack; 0: unknown */
	uintptr_t known_top;  /* equals top if known, else 1; never 0 */
	bool is_end_unmapped; /* no module contains the outermost frame: end_pc */
	uintptr_t end_pc;
	uintptr_t end_at; /* the word there is not a return address; 0: no word */
	uintptr_t no_word;
	uint32_t site_shift; /* shift of the hash: gives the number of sites */
	uint32_t nr_evicted; /* sites evicted since the table has this size */
	uint64_t has_site[(1u << SYT_STACK_SITE_BITS) / 64]; /* bit per site: it was written */
	struct syt_stack_frame *last; /* the youngest remembered frame; == frames: none */
	struct syt_stack_leaf leaves[1u << SYT_STACK_LEAF_BITS];
	struct syt_stack_site sites[1u << SYT_STACK_SITE_BITS];
	/* frames[0] is a sentinel, above all others, so that a search ends there. words[0] is the
	 * word that ended the stack, or `no_word` if the stack ended without one. */
	struct syt_stack_frame frames[1 + SYT_STACK_DEPTH];
	struct syt_stack_word words[1 + 2 * SYT_STACK_DEPTH];
	struct syt_stack_fresh fresh[SYT_STACK_DEPTH]; /* innermost first */
};

/* Discards the whole state and starts GENERATION. */
void syt_stack_state_renew(struct syt_stack_state *s, uint64_t generation);

/* Captures without the previous stack: stack-plain.c. */
uint32_t syt_stack_capture_plain(const struct syt_stack_regs *regs, uintptr_t top,
                                 uint64_t generation);

/* Captures with the previous stack: stack-stitch.c. S must be of GENERATION and TOP. */
uint32_t syt_stack_capture_stitched(struct syt_stack_state *s, const struct syt_stack_regs *regs,
                                    uintptr_t top, uint64_t generation);

/* Handles every case outside the fast path of syt_stack_capture(): stack.c. */
uint32_t syt_stack_capture_slow(struct syt_stack_state *s, const struct syt_stack_regs *regs,
                                uintptr_t top, uint64_t generation);

/* Returns PC in the form that syt_node_key() takes. */
static inline uint64_t syt_stack_marked(uintptr_t pc, bool is_cut, bool is_exact)
{
	return (pc & SYT_STACK_OFFSET) | (is_cut ? SYT_STACK_TRUNCATED : 0) |
	       (is_exact ? SYT_STACK_SIGNAL : 0);
}

static inline struct syt_stack_site *syt_stack_site_of(struct syt_stack_state *s, uintptr_t pc)
{
	struct syt_stack_site *site = &s->sites[pc * UINT64_C(0x9e3779b97f4a7c15) >> s->site_shift];

	__asm__("" : "+r"(site)); /* otherwise gcc computes the address twice */
	return site;
}

static inline struct syt_stack_leaf *syt_stack_leaf_of(struct syt_stack_state *s, uintptr_t pc)
{
	return &s->leaves[pc * UINT64_C(0xbf58476d1ce4e5b9) >> (64 - SYT_STACK_LEAF_BITS)];
}

/* Returns the youngest changed word among the NR words before P, or NULL if all are unchanged. */
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
 * Returns the youngest changed word before P, or NULL if all are unchanged. Reads the words in the order
 * of a walk and stops at the first changed word: memory of older words may be unreadable by now.
 *
 * Each word costs a load and a compare. Gathering them with AVX2 or AVX-512 takes fewer instructions but
 * 1.5 times as long (doc/stacks.md).
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
