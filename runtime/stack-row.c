/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "runtime/stack-row.h"

#include <errno.h>
#include <stddef.h>

#include "runtime/map.h"
#include "runtime/module.h"
#include "runtime/stack-cfi.h"

#define NR_SETS (1u << SYT_STACK_ROW_SET_BITS)
#define TABLE_BYTES (NR_SETS * sizeof(*syt_stack_row_table))

struct syt_stack_row_entry (*syt_stack_row_table)[SYT_STACK_ROW_NR_WAYS];
static uint64_t table_cycle;

int syt_stack_row_init(void)
{
	if (!syt_stack_row_table)
		syt_stack_row_table = syt_map_private(TABLE_BYTES);
	return syt_stack_row_table ? 0 : -ENOMEM;
}

void syt_stack_row_renew(uint64_t generation)
{
	uint64_t cycle = (generation >> 16) / SYT_STACK_ROW_GENERATIONS;
	uint64_t old = __atomic_load_n(&table_cycle, __ATOMIC_RELAXED);

	if (old != cycle && __atomic_compare_exchange_n(&table_cycle, &old, cycle, false,
	                                                __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		syt_map_reset(syt_stack_row_table, TABLE_BYTES);
}

#if defined(__x86_64__)
static bool is_unchanged(struct syt_cfi_rule r)
{
	return r.kind == SYT_CFI_UNSPECIFIED || r.kind == SYT_CFI_SAME;
}

/* Returns the 18-bit unwind row equivalent to the rules R, or SPECIAL if no row is. */
static uint32_t pack(const struct syt_cfi *r)
{
	struct syt_cfi_rule ra = r->regs[SYT_CFI_RA], bp = r->regs[SYT_CFI_BP];
	uint32_t row, slot = 0;

	if (ra.kind == SYT_CFI_UNDEFINED)
		return SYT_STACK_ROW_END;
	if (r->is_signal || ra.kind != SYT_CFI_OFFSET || ra.value != -8 ||
	    r->cfa.kind != SYT_CFI_REGISTER || r->regs[SYT_CFI_SP].kind != SYT_CFI_UNSPECIFIED ||
	    (r->cfa.value != SYT_CFI_SP && r->cfa.value != SYT_CFI_BP) || r->cfa_offset <= 0 ||
	    r->cfa_offset % 8 || r->cfa_offset / 8 > (int64_t)SYT_STACK_ROW_OFFSET)
		return SYT_STACK_ROW_SPECIAL;
	row = (uint32_t)(r->cfa_offset / 8);
	if (r->cfa.value == SYT_CFI_BP)
		row |= SYT_STACK_ROW_BP;
	if (!is_unchanged(bp)) {
		if (bp.kind != SYT_CFI_OFFSET || bp.value % 8 || bp.value > -16 || bp.value < -56)
			return SYT_STACK_ROW_SPECIAL;
		slot = (uint32_t)(-bp.value / 8 - 1);
	}
	return row | slot << SYT_STACK_ROW_SLOT_SHIFT;
}

/* Returns true if the instruction before RETURN_TO looks like a call. */
static bool follows_call(const struct syt_module *m, uintptr_t return_to)
{
	/* possible lengths of an indirect call (FF /2), counted from its opcode */
	static const uint8_t indirect[] = {2, 3, 4, 6, 7};
	const uint8_t *p = (const uint8_t *)return_to;

	if (return_to - m->start < 8 || p[-5] == 0xe8)
		return return_to - m->start >= 8;
	for (unsigned i = 0; i < sizeof(indirect); i++) {
		const uint8_t *q = p - indirect[i];

		if (q[0] == 0xff && (q[1] >> 3 & 7) == 2)
			return true;
	}
	return false;
}

static uint32_t row_of(const struct syt_module *m, uintptr_t pc)
{
	struct syt_cfi rules;
	int rv = syt_cfi_find(m, pc, &rules);

	if (!rv)
		return pack(&rules);
	/* This return address was stored by hand: it is the start of a function that no instruction called.
	 * An example is __start_context below a coroutine. */
	if (rv == -ENOENT && !syt_cfi_find(m, pc + 1, &rules) && !follows_call(m, pc + 1))
		return SYT_STACK_ROW_END;
	return SYT_STACK_ROW_NONE;
}
#else
/* AAPCS64 6.4.6: the frame record at x29 holds the caller's x29 and the return address. */
static uint32_t row_of(const struct syt_module *m, uintptr_t pc)
{
	(void)m;
	(void)pc;
	return 2 | SYT_STACK_ROW_BP | 1u << SYT_STACK_ROW_SLOT_SHIFT;
}
#endif

/* Stores R for PC as the first of the two entries in its set, and moves the entry that was first to the
 * second place. */
static void put(uintptr_t pc, uint64_t generation, struct syt_stack_row r)
{
	uint64_t scattered = syt_stack_row_scatter(pc);
	uint64_t tag = syt_stack_row_tag(scattered, generation);
	struct syt_stack_row_entry *e = syt_stack_row_table[syt_stack_row_set(scattered)];

	for (unsigned way = SYT_STACK_ROW_NR_WAYS - 1; way; way--) {
		uint64_t row = __atomic_load_n(&e[way - 1].row, __ATOMIC_RELAXED);
		uint64_t module = __atomic_load_n(&e[way - 1].module, __ATOMIC_RELAXED);

		__atomic_store_n(&e[way].row, row, __ATOMIC_RELAXED);
		__atomic_store_n(&e[way].module, module, __ATOMIC_RELAXED);
	}
	__atomic_store_n(&e[0].row, tag | r.row, __ATOMIC_RELAXED);
	__atomic_store_n(&e[0].module, tag | r.module, __ATOMIC_RELAXED);
}

struct syt_stack_row syt_stack_row_miss(uintptr_t pc, uint64_t generation, bool is_kept)
{
	const struct syt_module *m = syt_module_find(pc);

	/* the row of an address in no module is not cached: a module may be loaded at the address without a
	 * dlclose */
	if (!m)
		return (struct syt_stack_row){SYT_STACK_ROW_NONE, 0};

	struct syt_stack_row r = {row_of(m, pc), (uint16_t)m->id};

	if (is_kept && !syt_module_is_closing(generation))
		put(pc, generation, r);
	return r;
}
