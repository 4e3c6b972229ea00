/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Call frame information: from a module's .eh_frame_hdr and .eh_frame (LSB 10.6; DWARF 5, 6.4) to
 * the rules that lead from a frame to its caller. Reads only the module's memory and has no state.
 * Any thread, signal handlers included. Uses about a kilobyte of stack.
 */
#ifndef SYT_RUNTIME_STACK_CFI_H
#define SYT_RUNTIME_STACK_CFI_H

#include <stdbool.h>
#include <stdint.h>

#include "format/wire.h"
#include "runtime/module.h"

/* DWARF numbers of the followed registers (x86-64 psABI, figure 3.36). */
#define SYT_CFI_BP 6
#define SYT_CFI_SP 7
#define SYT_CFI_RA 16
#define SYT_CFI_NR_REGS 17

enum syt_cfi_kind {
	SYT_CFI_UNSPECIFIED = 0, /* the ABI's default: unchanged; the stack pointer is the CFA */
	SYT_CFI_SAME,
	SYT_CFI_UNDEFINED,
	SYT_CFI_OFFSET,     /* at CFA + value */
	SYT_CFI_VAL_OFFSET, /* is CFA + value */
	SYT_CFI_REGISTER,   /* is in register `value` */
	SYT_CFI_EXPR,       /* at the address that the expression gives */
	SYT_CFI_VAL_EXPR,   /* is the value of the expression */
};

/* The value of an expression is the address of a ULEB128 length and its bytes, all in the module. */
struct syt_cfi_rule {
	int64_t value : 56;
	uint64_t kind : 8;
};

struct syt_cfi {
	struct syt_cfi_rule cfa; /* REGISTER (plus cfa_offset) or VAL_EXPR */
	int64_t cfa_offset;
	struct syt_cfi_rule regs[SYT_CFI_NR_REGS];
	bool is_signal; /* the frame of a signal trampoline: its caller's pc is exact */
};

/* Finds the rules at address PC in M. PC must be inside the call instruction, not after it. Returns
 * 0, -ENOENT if no entry covers PC, or -EINVAL if the entry is malformed or not supported. */
int syt_cfi_find(const struct syt_module *m, uintptr_t pc, struct syt_cfi *rules);

/* Reads a signed LEB128 number (DWARF 5, section 7.6). Past the end it returns 0 and sets failed. */
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
