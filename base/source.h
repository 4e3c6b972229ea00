/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Finds the functions and source lines of an address in debug information (elfutils), with inlined functions. */
#ifndef SYT_BASE_SOURCE_H
#define SYT_BASE_SOURCE_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>

#define SYT_SOURCE_MOST 64u /* functions at one address; a file with more is damaged */

/* One function at an address. The texts belong to the module. */
struct syt_source_line {
	const char *fn;        /* linkage name, or plain name; NULL if unknown */
	const char *file;      /* as in the debug information, perhaps relative; NULL if unknown */
	const char *directory; /* of the compilation, precedes a relative file; NULL if unknown */
	uint32_t line;         /* 0 if unknown */
	bool is_inlined;       /* the function is inlined into the function of the next element */
};

/* The search in one module. It begins with zero members. The module must outlive it. */
struct syt_source_search {
	bool is_read; /* the units were read */
	size_t nr, room;
	struct syt_source_unit *units; /* ranges of addresses, by begin */
};

void syt_source_close(struct syt_source_search *s);

/* Stores the functions at ADDRESS, an address of MODULE with its bias, in TO (SYT_SOURCE_MOST elements), innermost first.
 * Returns their number. If it is 0, TO[0] has the file and line if they alone are known. */
uint32_t syt_source_find(struct syt_source_search *s, Dwfl_Module *module, Dwarf_Addr address,
                         struct syt_source_line *to);

#endif
