/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Reads facts from one ELF file with libelf. tool/program.c draws the conclusions. */
#ifndef SYT_TOOL_ELF_H
#define SYT_TOOL_ELF_H

#include <stdbool.h>

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
	bool has_gomp;         /* imports entry points of GNU OpenMP, which are intercepted */
	bool has_kmpc;         /* imports entry points of LLVM's OpenMP, which are not */
	const char *sanitizer; /* linked-in sanitizer, or NULL; has_tsan: it is ThreadSanitizer */
	bool has_tsan;
	bool imports_syscall, imports_dlopen; /* imports_dlopen: dlopen or dlmopen */
	bool imports[SYT_NR_CALLS];           /* [SYT_CALL_*] */
	bool defines[SYT_NR_CALLS];           /* defines it, visible to other objects */
};

/* Fills E from the file PATH. Returns 0, -errno, or -ENOEXEC if the file is damaged or not an ELF file. Release E
 * with syt_elf_clear(). */
int syt_elf_read(struct syt_elf *e, const char *path);
void syt_elf_clear(struct syt_elf *e);

/* Returns the name of the intercepted function CALL. */
const char *syt_call_name(unsigned call);

#endif
