/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Reads properties of one ELF file with libelf. tool/program.c reports the properties. */
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
	bool has_symbols;   /* true if the file has a dynamic symbol table */
	unsigned nr_needed;
	char *needed[SYT_NR_NEEDED]; /* DT_NEEDED */
	bool is_go, is_rust;
	bool has_io_uring;     /* true if the file contains or imports liburing */
	bool has_gomp;         /* true if the file imports GNU OpenMP, which is recorded */
	bool has_kmpc;         /* true if the file imports LLVM OpenMP, which is not recorded */
	const char *sanitizer; /* name of a linked-in sanitizer, or NULL */
	bool has_tsan;
	bool imports_syscall, imports_dlopen; /* imports_dlopen is true for dlmopen, too */
	bool imports[SYT_NR_CALLS];           /* [SYT_CALL_*]: imported functions */
	bool defines[SYT_NR_CALLS];           /* [SYT_CALL_*]: own, exported definitions */
};

/* Reads the file PATH into E. Returns 0 or -errno; -ENOEXEC: PATH is not an ELF file or damaged. syt_elf_clear()
 * frees the contents of E. */
int syt_elf_read(struct syt_elf *e, const char *path);
void syt_elf_clear(struct syt_elf *e);

/* Returns the build-id of the ELF file PATH in hexadecimal, or NULL. The caller frees the text. */
char *syt_elf_build_id(const char *path);

/* Returns the name of the intercepted function CALL. */
const char *syt_call_name(unsigned call);

#endif
