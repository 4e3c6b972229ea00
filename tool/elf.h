/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Facts of one ELF file, through libelf.  No judgement: that is tool/program.c.
 */
#ifndef SYT_TOOL_ELF_H
#define SYT_TOOL_ELF_H

#include <stdbool.h>
#include <stdint.h>

#include "format/calls.h"

#define SYT_NR_NEEDED 256u

struct syt_elf {
	unsigned elf_class; /* ELFCLASS* */
	unsigned machine;   /* EM_* */
	char *interpreter;  /* PT_INTERP, or NULL */
	bool has_dynamic;   /* PT_DYNAMIC */
	bool is_pie;        /* ET_DYN with DF_1_PIE */
	bool has_symbols;   /* a dynamic symbol table was found */
	unsigned nr_needed;
	char *needed[SYT_NR_NEEDED]; /* DT_NEEDED */
	bool is_go, is_rust;
	bool has_io_uring;     /* liburing is linked in or imported */
	bool has_gomp;         /* imports GNU OpenMP's entry points, which are intercepted */
	bool has_kmpc;         /* or LLVM's, which are not */
	const char *sanitizer; /* that is linked in, or NULL; has_tsan: it is ThreadSanitizer */
	bool has_tsan;
	bool imports_syscall, imports_dlopen; /* dlmopen, too */
	bool imports[SYT_NR_CALLS];           /* by SYT_CALL_* */
	bool defines[SYT_NR_CALLS];           /* and is visible to other objects */
};

/* 0; -errno; -ENOEXEC when it is no ELF file or a damaged one. Release with syt_elf_clear. */
int syt_elf_read(struct syt_elf *e, const char *path);
void syt_elf_clear(struct syt_elf *e);

/* The intercepted function's name. */
const char *syt_call_name(unsigned call);

#endif
