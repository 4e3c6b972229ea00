/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Unwind rows. A row packs the rule for the step from a frame to its caller into 18 bits; a table caches
 * the rows by code address.
 *
 * An unwind row gives the CFA (stack or frame pointer, plus a multiple of 8) and the address where the
 * caller's frame pointer is saved. The return address is just below the CFA. A rule that does not fit into
 * 18 bits has the row SPECIAL and is looked up anew each time (stack-step.c). On aarch64, every row
 * describes the frame record at x29.
 *
 * The table of rows is global, of fixed size and lock-free. An entry is two words. Each word is complete in
 * itself (address tag, generation, payload) and is written with a single store. A row that was overwritten
 * is computed again. Rows of another code generation (module.h) do not match.
 */
#ifndef SYT_RUNTIME_STACK_ROW_H
#define SYT_RUNTIME_STACK_ROW_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The bits of a row:
 *
 *     0-13   CFA offset / 8
 *     14     the CFA is relative to the frame pointer
 *     15-17  the caller's frame pointer: 0 unchanged, n = 1..6 saved at CFA - 8 * (n + 1),
 *            7 the row is one of the constants below
 */
#define SYT_STACK_ROW_OFFSET 0x3fffu
#define SYT_STACK_ROW_BP 0x4000u
#define SYT_STACK_ROW_SLOT_SHIFT 15
#define SYT_STACK_ROW_KIND (7u << SYT_STACK_ROW_SLOT_SHIFT)

/* the frame is the outermost frame, without a return address */
#define SYT_STACK_ROW_END (SYT_STACK_ROW_KIND | 1)
#define SYT_STACK_ROW_NONE (SYT_STACK_ROW_KIND | 2) /* this address has no unwind information */
/* the rule is known, but does not fit into a row */
#define SYT_STACK_ROW_SPECIAL (SYT_STACK_ROW_KIND | 3)

static inline unsigned syt_stack_row_slot(uint32_t row)
{
	return row >> SYT_STACK_ROW_SLOT_SHIFT;
}

static inline bool syt_stack_row_is_plain(uint32_t row)
{
	return row < SYT_STACK_ROW_KIND;
}

struct syt_stack_row {
	uint32_t row;
	uint16_t module; /* id; 0: in no module */
};

/* Initializes the table of unwind rows; call it once. Returns 0 or -errno. */
int syt_stack_row_init(void);

/* Returns the unwind row of the instruction at PC (a return address minus one, or an interrupted instruction).
 * Stores the row in the table only if IS_KEPT. Any thread may call it; the code at PC must stay mapped. */
struct syt_stack_row syt_stack_row_miss(uintptr_t pc, uint64_t generation, bool is_kept);

/* Call it with each code generation that is new to the caller. The table numbers code generations modulo
 * 4095 and is emptied each time the numbers begin again. */
void syt_stack_row_renew(uint64_t generation);

/* ---- inline, because every frame of every stack walk is looked up in the table ---- */

#define SYT_STACK_ROW_SET_BITS 14
#define SYT_STACK_ROW_NR_WAYS 2
#define SYT_STACK_ROW_PAYLOAD_BITS 18
#define SYT_STACK_ROW_GENERATIONS 4095u

struct syt_stack_row_entry {
	uint64_t row;    /* address tag << 30 | code generation << 18 | row; 0: the entry is free */
	uint64_t module; /* address tag << 30 | code generation << 18 | module id */
};

/* The table: 1 << SYT_STACK_ROW_SET_BITS sets of SYT_STACK_ROW_NR_WAYS entries. */
extern struct syt_stack_row_entry (*syt_stack_row_table)[SYT_STACK_ROW_NR_WAYS];

/* Hashes an address one to one onto [0, 2^48), so the set's number and the tag determine the whole address. */
static inline uint64_t syt_stack_row_scatter(uintptr_t pc)
{
	return pc * UINT64_C(0x9e3779b97f4b) & ((UINT64_C(1) << 48) - 1);
}

static inline uint64_t syt_stack_row_set(uint64_t scattered)
{
	return scattered >> (48 - SYT_STACK_ROW_SET_BITS);
}

/* Returns the word of a table entry (address tag and code generation) without its payload. */
static inline uint64_t syt_stack_row_tag(uint64_t scattered, uint64_t generation)
{
	uint64_t tag = scattered & ((UINT64_C(1) << (48 - SYT_STACK_ROW_SET_BITS)) - 1);
	uint64_t g = (generation >> 16) % SYT_STACK_ROW_GENERATIONS + 1;

	return (tag << 12 | g) << SYT_STACK_ROW_PAYLOAD_BITS;
}

static inline struct syt_stack_row syt_stack_row_get(uintptr_t pc, uint64_t generation_tag)
{
	uint64_t scattered = syt_stack_row_scatter(pc);
	uint64_t want = syt_stack_row_tag(scattered, 0) + generation_tag;
	struct syt_stack_row_entry *e = syt_stack_row_table[syt_stack_row_set(scattered)];

	for (unsigned way = 0; way < SYT_STACK_ROW_NR_WAYS; way++) {
		uint64_t row = __atomic_load_n(&e[way].row, __ATOMIC_RELAXED) - want;
		uint64_t module = __atomic_load_n(&e[way].module, __ATOMIC_RELAXED) - want;

		if ((row | module) < UINT64_C(1) << SYT_STACK_ROW_PAYLOAD_BITS)
			return (struct syt_stack_row){(uint32_t)row, (uint16_t)module};
	}
	return (struct syt_stack_row){0, 0}; /* no valid row is 0: the table has no row for PC */
}

/* Returns the argument GENERATION_TAG of syt_stack_row_get(); a walk computes this argument once for all
 * frames. */
static inline uint64_t syt_stack_row_generation_tag(uint64_t generation)
{
	return (generation >> 16) % SYT_STACK_ROW_GENERATIONS << SYT_STACK_ROW_PAYLOAD_BITS;
}

#endif
