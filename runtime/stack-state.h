/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A thread remembers its previously captured stack, and checks whether that stack is unchanged
 * (doc/stacks.md, "Why stitching is exact").
 *
 * Frames are stored outermost first, so the common part of two stacks is a prefix of the array and stays in
 * place. The state also has an array of the words that a walk loads from the stack, in reverse order: the
 * words of the outermost frame come first. While words 0 to n - 1 are unchanged on the stack, the frames
 * that they lead to are unchanged.
 */
#ifndef SYT_RUNTIME_STACK_STATE_H
#define SYT_RUNTIME_STACK_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/format.h"
#include "runtime/stack.h"

/* Marks functions that are called with constant arguments, so that the compiler makes a special copy for
 * each caller. */
#define SYT_ALWAYS_INLINE inline __attribute__((always_inline))

#define SYT_NOT_STITCHED UINT32_MAX /* no id: stitching is not possible */

/* A word that a stack walk loads: its address and value. */
struct syt_stack_word {
	uintptr_t at, value;
};

/* A frame of the remembered stack. The member sp is the CFA of the frame's callee, so the return address pc
 * is stored at sp - 8; word points behind the entry of that stack word. */
struct syt_stack_frame {
	uintptr_t pc, sp;
	uintptr_t bp; /* frame pointer, valid only if is_live */
	/* one past the last of the stack words that lead from this frame outwards */
	struct syt_stack_word *word;
	uint32_t id; /* id of the stack node */
	/* the unwind rule of this frame, or of an older frame, uses this value of bp */
	bool is_live;
};

/* The cached properties of a return address (site) that a simple unwind rule covers. They are valid in the
 * code generation of the state. */
struct syt_stack_site {
	uintptr_t pc;
	uint64_t key;       /* syt_node_key() */
	uint32_t parent;    /* stack node of the caller when this call was last looked up ... */
	uint32_t id;        /* ... and stack node of this call from that caller */
	uint32_t cfa_bytes; /* distance from the stack or frame pointer to the CFA */
	/* the caller's frame pointer is saved at CFA - bp_bytes; 0: not saved */
	uint16_t bp_bytes;
	uint16_t is_by_bp; /* the CFA is relative to the frame pointer */
} __attribute__((aligned(32)));

#define SYT_STACK_NO_PARENT UINT32_MAX

/* A new frame that the walk in progress has found. */
struct syt_stack_fresh {
	uintptr_t sp, bp;
	struct syt_stack_site *site; /* cached properties of the frame's return address, or NULL */
	/* these members are used only if site is NULL: */
	uintptr_t pc;
	uint32_t row;
	uint16_t module;
	bool is_exact;
};

/* An innermost frame (leaf) of a recent stack, which a frame of the remembered stack called. The entry is
 * valid while the calling frame is remembered with the same sp and node. */
struct syt_stack_leaf {
	uintptr_t pc, sp;
	uintptr_t bp; /* frame pointer, valid only if is_live */
	/* address of the calling frame in the array frames, ... */
	const struct syt_stack_frame *caller;
	uintptr_t caller_sp; /* ... its sp, ... */
	size_t nr_words; /* ... and the number of the stack words that lead to the calling frame */
	uint32_t caller_id;
	uint32_t id; /* node */
	/* the caller's frame pointer is saved at CFA - bp_bytes; 0: not saved */
	uint16_t bp_bytes;
	bool is_live;
	bool is_by_bp; /* the unwind rule of this frame or of its caller uses the frame pointer */
} __attribute__((aligned(64)));

/* A recent stack, with all stack words that a walk from its innermost frame loads. The entry is valid while these words are
 * unchanged. Programs that cycle through some deep stacks, as servers do, find each of them here. */
#define SYT_STACK_PATH_WORDS 48
struct syt_stack_path {
	uintptr_t pc, sp;
	uintptr_t bp; /* frame pointer, valid only if is_live */
	uint32_t id;  /* node */
	uint16_t nr_words;
	bool is_live;
	/* the words in reverse order of a walk, as in the state */
	struct syt_stack_word words[SYT_STACK_PATH_WORDS];
} __attribute__((aligned(64)));

#define SYT_STACK_PATH_BITS 4
#define SYT_STACK_LEAF_BITS 5
#define SYT_STACK_SITE_BITS 10    /* base-2 logarithm of the maximum number of cached sites */
#define SYT_STACK_SITE_BITS_MIN 6 /* base-2 logarithm of the number of sites in a new table */

struct syt_stack_state {
	uint64_t generation;  /* code generation of the contents; 0: the contents are invalid */
	/* in a forked child that has not used the contents yet: the parent's `generation`, and how many
	 * captures do without them; else 0 */
	uint64_t inherited;
	uint32_t nr_plain;
	uint64_t tag;         /* syt_stack_row_generation_tag(generation) */
	uintptr_t top;        /* top of the remembered stack; 0: unknown */
	uintptr_t known_top;  /* equals top if top is known, else 1; never 0 */
	bool is_end_unmapped; /* no module contains end_pc, the address of the outermost frame */
	uintptr_t end_pc;
	/* address of the word that ended the walk because it is not a return address, or 0 */
	uintptr_t end_at;
	uintptr_t no_word;
	uint32_t site_shift; /* shift of the hash of a return address, which gives its site */
	uint32_t nr_evicted; /* number of sites that were replaced since the table has this size */
	/* how many searches for a path may fail before one is found again, and the number of paths that were not stored */
	uint32_t path_credit, nr_unstored;
	uint64_t has_path; /* one bit per entry of `paths`: 1 if it is valid */
	/* one bit per site: 1 if the site was ever written */
	uint64_t has_site[(1u << SYT_STACK_SITE_BITS) / 64];
	/* the innermost remembered frame; equals frames if no frame is remembered */
	struct syt_stack_frame *last;
	struct syt_stack_leaf leaves[1u << SYT_STACK_LEAF_BITS];
	struct syt_stack_site sites[1u << SYT_STACK_SITE_BITS];
	/* frames[0] is a sentinel with a higher sp than all other frames, so that a search ends there.
	 * words[0] is the stack word that ended the walk, or `no_word` if the walk ended otherwise. */
	struct syt_stack_frame frames[1 + SYT_STACK_DEPTH];
	struct syt_stack_word words[1 + 2 * SYT_STACK_DEPTH];
	struct syt_stack_fresh fresh[SYT_STACK_DEPTH]; /* innermost first */
	struct syt_stack_path paths[1u << SYT_STACK_PATH_BITS];
};

/* Makes the contents that a forked child has from its parent valid again: forgets the parent's stack nodes. */
void syt_stack_state_take_over(struct syt_stack_state *s);

/* Discards the remembered stack and all caches, and starts code generation GENERATION. */
void syt_stack_state_renew(struct syt_stack_state *s, uint64_t generation);

/* Captures a stack without the thread's previous stack (stack-plain.c). */
uint32_t syt_stack_capture_plain(const struct syt_stack_regs *regs, uintptr_t top,
                                 uint64_t generation);

/* Captures a stack with the help of the previous stack in S (stack-stitch.c). S must have the current code
 * generation and stack top. */
uint32_t syt_stack_capture_stitched(struct syt_stack_state *s, const struct syt_stack_regs *regs,
                                    uintptr_t top, uint64_t generation);

/* Handles every case outside the fast path of syt_stack_capture() (stack.c). */
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

	__asm__("" : "+r"(site)); /* without this empty asm, gcc computes the address twice */
	return site;
}

/* Returns the number of the path for stacks with the innermost address PC. */
static inline unsigned syt_stack_path_of(uintptr_t pc)
{
	return (unsigned)(pc * UINT64_C(0x9e3779b97f4a7c15) >> (64 - SYT_STACK_PATH_BITS));
}

static inline struct syt_stack_leaf *syt_stack_leaf_of(struct syt_stack_state *s, uintptr_t pc)
{
	return &s->leaves[pc * UINT64_C(0x9e3779b97f4a7c15) >> (64 - SYT_STACK_LEAF_BITS)];
}

/*
 * Returns the youngest of the first NR remembered words W that has changed on the stack, or NULL if all are
 * unchanged. Reads the words in the order of a walk and stops at the first changed word, because the memory
 * of older words may be unreadable by now.
 *
 * Each word costs two loads, a compare and a jump. Gathering the words with AVX2 or AVX-512 takes fewer
 * instructions but 1.5 times as long (doc/stacks.md).
 */
static SYT_ALWAYS_INLINE const struct syt_stack_word *
syt_stack_changed(const struct syt_stack_word *w, size_t nr)
{
#define SYT_CHANGED(i_) __builtin_expect(*(const uintptr_t *)w[i_].at != w[i_].value, 0)
	while (__builtin_expect(nr > 16, 0)) {
#pragma GCC unroll 8
		for (int i = 0; i < 8; i++, nr--)
			if (SYT_CHANGED(nr - 1))
				return &w[nr - 1];
	}
#define SYT_CHECK(i_)                                                                              \
	case (i_) + 1:                                                                             \
		if (SYT_CHANGED(i_))                                                               \
			return &w[i_];                                                             \
		__attribute__((fallthrough))
	switch (nr) {
		SYT_CHECK(15);
		SYT_CHECK(14);
		SYT_CHECK(13);
		SYT_CHECK(12);
		SYT_CHECK(11);
		SYT_CHECK(10);
		SYT_CHECK(9);
		SYT_CHECK(8);
		SYT_CHECK(7);
		SYT_CHECK(6);
		SYT_CHECK(5);
		SYT_CHECK(4);
		SYT_CHECK(3);
		SYT_CHECK(2);
		SYT_CHECK(1);
		SYT_CHECK(0);
	default:
		return NULL;
	}
#undef SYT_CHECK
#undef SYT_CHANGED
}

#endif
