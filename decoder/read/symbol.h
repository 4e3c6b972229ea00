/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Addresses to functions and lines, offline. The decoder uses the file at the module's recorded
 * path if the build-id matches. Otherwise it reports the module once, and its addresses stay
 * module+offset. One thread at a time may use this.
 */
#ifndef SYT_DECODER_SYMBOL_H
#define SYT_DECODER_SYMBOL_H

#include <stdbool.h>
#include <stdint.h>

#include "decoder/read/trace.h"

struct syt_symbols;

/* Creates the symbols; free them with syt_symbols_destroy(). HAS_DEBUGINFOD: elfutils may ask the
 * servers of DEBUGINFOD_URLS. Otherwise that variable is removed from the environment. */
struct syt_symbols *syt_symbols_create(bool has_debuginfod);
void syt_symbols_destroy(struct syt_symbols *s);

/* One function at an address. A physical frame has one or, with inlined functions, several of
 * these, innermost first. The symbols own the strings. */
struct syt_symbol {
	const char *fn;   /* demangled; NULL if unknown */
	const char *file; /* NULL if unknown */
	uint32_t line;    /* 0 if unknown */
	bool is_inlined;  /* into the next symbol */
};

struct syt_location {
	/* address in the process; a return address unless a signal interrupted the frame */
	uint64_t pc;
	uint64_t offset;     /* pc minus the module's load bias; pc without a module */
	const char *module;  /* path, or NULL */
	uint32_t nr_symbols; /* 0 if none is known */
	const struct syt_symbol *symbols;
	bool is_recorder; /* in libsyntrace.so: not part of the program, not shown */
	/* Never NULL: the innermost function, or module+0xoffset with the module's base name, or
	 * 0xaddress. It does not depend on load addresses. */
	const char *label;
};

/* Returns the location of node STACK (not 0) of image I, valid as long as the symbols. */
const struct syt_location *syt_symbol_locate(struct syt_symbols *s, const struct syt_image *i,
                                             uint32_t stack);

#endif
