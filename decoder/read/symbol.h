/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Addresses to functions and lines, offline: the file at the module's recorded path is used when
 * its build-id is the recorded one; else the module is told once, and its addresses stay
 * module+offset. One thread at a time.
 */
#ifndef SYT_DECODER_SYMBOL_H
#define SYT_DECODER_SYMBOL_H

#include <stdbool.h>
#include <stdint.h>

#include "decoder/read/trace.h"

struct syt_symbols;

/* HAS_DEBUGINFOD: elfutils may ask the servers of DEBUGINFOD_URLS; else that variable is removed
 * from the environment. */
struct syt_symbols *syt_symbols_create(bool has_debuginfod);
void syt_symbols_destroy(struct syt_symbols *s);

/* One function at an address: a physical frame is one or, where functions were inlined, several of
 * these, innermost first. Strings live as long as the symbols. */
struct syt_symbol {
	const char *fn;   /* demangled; NULL when not known */
	const char *file; /* NULL when not known */
	uint32_t line;    /* 0 when not known */
	bool is_inlined;  /* into the next one */
};

struct syt_location {
	uint64_t pc; /* as it was in the process; a return address unless the frame was interrupted
	              */
	uint64_t offset;     /* pc minus the module's load bias; the pc itself without a module */
	const char *module;  /* path, or NULL */
	uint32_t nr_symbols; /* 0 when nothing is known */
	const struct syt_symbol *symbols;
	bool is_recorder; /* of libsyntrace.so: no part of the program, not to be shown */
	const char
		*label; /* never NULL: the innermost function, or module+0xoffset with the module's
	                   base name, or 0xaddress; independent of where things were loaded */
};

/* Where the frame of stack node STACK (not 0) of image I is. Valid until the symbols are destroyed.
 */
const struct syt_location *syt_symbol_locate(struct syt_symbols *s, const struct syt_image *i,
                                             uint32_t stack);

#endif
