/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Reads call frame information: finds, in a module's .eh_frame_hdr and .eh_frame (LSB 10.6; DWARF 5, 6.4), the
 * rules that lead from a stack frame to its caller. The code reads only the module's memory, has no state, uses
 * about a kilobyte of stack, and may run in any thread and in signal handlers. */
#ifndef SYT_RUNTIME_STACK_CFI_H
#define SYT_RUNTIME_STACK_CFI_H

#include <stdbool.h>
#include <stdint.h>

#include "format/wire.h"
#include "runtime/module.h"

/* DWARF numbers of the registers that the unwinder follows (x86-64 psABI, figure 3.36). */
#define SYT_CFI_BP 6
#define SYT_CFI_SP 7
#define SYT_CFI_RA 16
#define SYT_CFI_NR_REGS 17

enum syt_cfi_kind {
	/* the ABI's default: the register is unchanged; the stack pointer is the CFA */
	SYT_CFI_UNSPECIFIED = 0,
	SYT_CFI_SAME,
	SYT_CFI_UNDEFINED,
	SYT_CFI_OFFSET,     /* the caller's register is saved at the address CFA + value */
	SYT_CFI_VAL_OFFSET, /* the caller's register has the value CFA + value */
	SYT_CFI_REGISTER,   /* the caller's register is in register number `value` */
	/* the caller's register is saved at the address that the expression gives */
	SYT_CFI_EXPR,
	SYT_CFI_VAL_EXPR, /* the caller's register is the value of the expression */
};

/* For a rule with a DWARF expression, `value` is the address of the expression's ULEB128 length and bytes,
 * all in the module. */
struct syt_cfi_rule {
	int64_t value : 56;
	uint64_t kind : 8;
};

struct syt_cfi {
	struct syt_cfi_rule cfa; /* REGISTER (plus cfa_offset) or VAL_EXPR */
	int64_t cfa_offset;
	struct syt_cfi_rule regs[SYT_CFI_NR_REGS];
	/* this is the frame of a signal trampoline, so the caller's pc is the interrupted instruction */
	bool is_signal;
};

/* Finds the unwind rules at address PC in module M. PC must be inside the call instruction, not after it.
 * Returns 0, -ENOENT if no FDE covers PC, or -EINVAL if the FDE is malformed or not supported. */
int syt_cfi_find(const struct syt_module *m, uintptr_t pc, struct syt_cfi *rules);

/* Reads a signed LEB128 number (DWARF 5, section 7.6). If C is at its end, it returns 0 and sets C->failed. */
static inline int64_t syt_get_sleb(struct syt_cursor *c)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t b;

	do {
		b = syt_get_u8(c);
		if (shift < 64)
			v |= (uint64_t)(b & 0x7f) << shift;
		shift += 7;
	} while (b & 0x80);
	if (shift < 64 && b & 0x40)
		v |= UINT64_MAX << shift;
	return (int64_t)v;
}

#endif
