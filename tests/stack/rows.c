/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Compares the unwind rows of real libraries with the rows that elfutils computes from the same
 * files. Every sampled instruction must have the same row, whether it fits the packed form or not.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/module.h"
#include "runtime/stack-row.h"
#include "tests/stack/oracle.h"

#define STEP_BYTES 61 /* distance between samples, which is not a multiple of an alignment */
#define NR_SAMPLES_MAX 60000

static const char *const libraries[] = {
	"libc.so.6",     "libm.so.6",       "ld-linux-x86-64.so.2", "libstdc++.so.6",
	"libgcc_s.so.1", "libcrypto.so.3",  "libssl.so.3",          "libpython3.11.so.1.0",
	"libdw.so.1",    "libsqlite3.so.0",
};

struct counts {
	unsigned long nr, nr_plain, nr_special, nr_none, nr_end;
};

/* Expresses a register's rule in the terms of a row. */
enum rule { RULE_SAME, RULE_UNDEFINED, RULE_OFFSET, RULE_OTHER };

static enum rule rule_of(Dwarf_Frame *frame, int reg, long *offset)
{
	Dwarf_Op mem[3], *ops;
	size_t nr;

	if (dwarf_frame_register(frame, reg, mem, &ops, &nr))
		return RULE_OTHER;
	if (!nr)
		return ops == mem ? RULE_UNDEFINED : RULE_SAME;
	if (ops[0].atom != DW_OP_call_frame_cfa || nr > 2 ||
	    (nr == 2 && ops[1].atom != DW_OP_plus_uconst))
		return RULE_OTHER;
	*offset = nr == 2 ? (long)ops[1].number : 0;
	return RULE_OFFSET;
}

static uint32_t slot_of(Dwarf_Frame *frame)
{
	long offset = 0;
	enum rule rule = rule_of(frame, 6, &offset);

	if (rule == RULE_SAME)
		return 0;
	if (rule != RULE_OFFSET || offset % 8 || offset > -16 || offset < -56)
		return 7;
	return (uint32_t)(-offset / 8 - 1);
}

static uint32_t expected_row(Dwarf_CFI *cfi, Dwarf_Addr at)
{
	Dwarf_Frame *frame = NULL;
	Dwarf_Op *ops = NULL;
	size_t nr = 0;
	bool is_signal = false;
	long offset = 0;
	uint32_t row = SYT_STACK_ROW_SPECIAL, slot, reg = 0;
	enum rule ra;

	if (dwarf_cfi_addrframe(cfi, at, &frame))
		return SYT_STACK_ROW_NONE;
	dwarf_frame_info(frame, NULL, NULL, &is_signal);
	ra = rule_of(frame, 16, &offset);
	slot = slot_of(frame);
	if (ra == RULE_UNDEFINED) {
		row = SYT_STACK_ROW_END;
		goto out;
	}
	if (dwarf_frame_cfa(frame, &ops, &nr) || nr != 1 || is_signal || ra != RULE_OFFSET ||
	    offset != -8 || slot == 7)
		goto out;
	reg = ops[0].atom == DW_OP_bregx ? (uint32_t)ops[0].number
	                                 : (uint32_t)(ops[0].atom - DW_OP_breg0);
	offset = ops[0].atom == DW_OP_bregx ? (long)ops[0].number2 : (long)ops[0].number;
	if ((reg != 6 && reg != 7) || offset <= 0 || offset % 8 ||
	    offset / 8 > (long)SYT_STACK_ROW_OFFSET)
		goto out;
	row = (uint32_t)(offset / 8) | (reg == 6 ? SYT_STACK_ROW_BP : 0) |
	      slot << SYT_STACK_ROW_SLOT_SHIFT;
out:
	free(frame);
	return row;
}

static void count(struct counts *n, uint32_t row)
{
	n->nr++;
	if (syt_stack_row_is_plain(row))
		n->nr_plain++;
	else if (row == SYT_STACK_ROW_SPECIAL)
		n->nr_special++;
	else if (row == SYT_STACK_ROW_END)
		n->nr_end++;
	else
		n->nr_none++;
}

/* Compares the rows of the code addresses [START, END) of a file that is loaded at BIAS. */
static bool compare(const char *name, Dwarf_CFI *cfi, uintptr_t bias, uintptr_t start,
                    uintptr_t end, struct counts *n)
{
	uint64_t generation = syt_module_generation();
	uintptr_t step = (end - start) / NR_SAMPLES_MAX;

	step = step < STEP_BYTES ? STEP_BYTES : step | 1;
	for (uintptr_t at = start; at < end; at += step) {
		uint32_t row = syt_stack_row_miss(at + bias, generation, false).row;
		uint32_t expected = expected_row(cfi, at);

		count(n, row);
		/* only syntrace recognizes a return address that was stored by hand */
		if (row == expected || (row == SYT_STACK_ROW_END && expected == SYT_STACK_ROW_NONE))
			continue;
		fprintf(stderr, "rows: %s at %#lx: row %#x, expected %#x\n", name,
		        (unsigned long)at, row, expected);
		return false;
	}
	return true;
}

static bool check(const char *name)
{
	void *handle = dlopen(name, RTLD_LAZY);
	struct link_map *map;
	struct counts n = {0, 0, 0, 0, 0};
	bool is_same = true;
	int fd;
	Elf *elf;
	Dwarf_CFI *cfi;
	size_t nr_phdrs = 0;

	if (!handle || dlinfo(handle, RTLD_DI_LINKMAP, &map)) {
		printf("rows: %s is not here\n", name);
		return true;
	}
	fd = open(map->l_name, O_RDONLY | O_CLOEXEC);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	cfi = elf ? dwarf_getcfi_elf(elf) : NULL;
	if (!cfi || elf_getphdrnum(elf, &nr_phdrs)) {
		fprintf(stderr, "rows: %s: %s\n", map->l_name, dwarf_errmsg(-1));
		return false;
	}
	for (size_t i = 0; i < nr_phdrs; i++) {
		GElf_Phdr p;

		if (gelf_getphdr(elf, (int)i, &p) && p.p_type == PT_LOAD && p.p_flags & PF_X)
			is_same &= compare(name, cfi, map->l_addr, p.p_vaddr,
			                   p.p_vaddr + p.p_filesz, &n);
	}
	printf("rows: %-22s %6lu samples: %6.2f %% plain, %.2f %% special, %.2f %% unknown, %lu "
	       "outermost\n",
	       name, n.nr, 100.0 * (double)n.nr_plain / (double)n.nr,
	       100.0 * (double)n.nr_special / (double)n.nr,
	       100.0 * (double)n.nr_none / (double)n.nr, n.nr_end);
	dwarf_cfi_end(cfi);
	elf_end(elf);
	close(fd);
	return is_same && n.nr_plain;
}

int main(int argc, char **argv)
{
	bool is_same = true;

	elf_version(EV_CURRENT);
	if (argc > 1)
		while (*++argv)
			is_same &= check(*argv);
	else
		for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++)
			is_same &= check(libraries[i]);
	return !is_same || oracle_nr_lost();
}
