/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Converts addresses to functions and source lines, without the traced process. The decoder uses the file at the
 * module's recorded path if its build-id matches. Otherwise it reports the module once and prints its addresses as
 * module+offset. One thread at a time may use a struct syt_symbols. */
#ifndef SYT_DECODER_SYMBOL_H
#define SYT_DECODER_SYMBOL_H

#include <stdbool.h>
#include <stdint.h>

#include "decoder/read/trace.h"

struct syt_symbols;

/* Creates a symbol table; the caller frees it with syt_symbols_destroy(). With HAS_DEBUGINFOD, elfutils may ask the
 * servers of DEBUGINFOD_URLS. Otherwise this function removes that variable from the environment. */
struct syt_symbols *syt_symbols_create(bool has_debuginfod);
void syt_symbols_destroy(struct syt_symbols *s);

/* Creates a symbol table that prints no messages, for work beside that of a thread that uses another table. The caller frees it with
 * syt_symbols_join(). */
struct syt_symbols *syt_symbols_fork(void);
/* Prints the messages about files that FORK found and S did not find, and destroys FORK. */
void syt_symbols_join(struct syt_symbols *s, struct syt_symbols *fork);

/* Forgets all images, which the caller may then free. Keeps the files, and the functions that were found in them. */
void syt_symbols_forget_images(struct syt_symbols *s);

/* One function at an address. An address has one or, with inlined functions, several of these,
 * innermost first. The symbol table owns the strings. */
struct syt_symbol {
	const char *fn;   /* demangled name of the function; NULL if unknown */
	const char *file; /* source file; NULL if unknown */
	uint32_t line;    /* line in the source file; 0 if unknown */
	bool is_inlined;  /* the function is inlined into the function of the next symbol */
};

struct syt_location {
	/* address in the process; it is a return address unless a signal interrupted the frame */
	uint64_t pc;
	/* pc minus the module's load bias; equal to pc if there is no module */
	uint64_t offset;
	const char *module;  /* path of the module, or NULL */
	uint32_t nr_symbols; /* number of known functions at the address, may be 0 */
	const struct syt_symbol *symbols;
	/* the address is in libsyntrace.so, so it is not part of the program and is not shown */
	bool is_recorder;
	/* Name of the location: the innermost function, or module+0xoffset with the module's base name, or
	 * 0xaddress; never NULL. The offset is the begin of the function if the file has unwind tables for the
	 * address, so all calls in a function have one name. The name does not depend on load addresses. */
	const char *label;
};

/* Returns the location of the innermost frame of STACK (not 0) of image I. The location is valid until S is
 * destroyed. */
const struct syt_location *syt_symbol_locate(struct syt_symbols *s, const struct syt_image *i,
                                             uint32_t stack);

/* Returns the label of the innermost frame of STACK (not 0) that belongs neither to the library of a language nor to the
 * recorder, such as the caller of std::mutex::lock. Without such a frame, returns the label of the innermost frame. */
const char *syt_symbol_function(struct syt_symbols *s, const struct syt_image *i, uint32_t stack);

/* The names of functions that are available for a file, from the fewest to the most. */
enum syt_file_names {
	SYT_NAMES_NONE,     /* the file is missing, or is another build now */
	SYT_NAMES_EXPORTED, /* the file is stripped: only exported functions have names */
	SYT_NAMES_SYMBOLS,  /* the file has a symbol table, so inlined functions are not visible */
	SYT_NAMES_DEBUG,    /* the file has debug information */
	SYT_NR_NAMES
};

/* A program or library to which syt_symbol_locate() found frames. The symbol table owns the strings. */
struct syt_symbol_file {
	const char *name; /* as in a label: the last component of the path, or the program's name */
	const uint8_t *build_id;
	uint32_t build_id_bytes;
	enum syt_file_names names;
	const char
		*optimization; /* the compiler's option -O, from the debug information, or NULL */
};

/* Calls TELL with CONTEXT for each program or library to which syt_symbol_locate() found frames, except the
 * recorder. */
void syt_symbols_files(struct syt_symbols *s,
                       void (*tell)(void *context, const struct syt_symbol_file *f), void *context);

/* Returns the name of the static variable or field at ADDRESS of image I at the time AT: "server.lock",
 * "table[3].lock", "lock+0x28" without debug information, or "libfoo.so+0x4040" without a symbol. Returns NULL if no
 * module was mapped there. The name does not depend on load addresses, and is valid until S is destroyed. */
const char *syt_symbol_variable(struct syt_symbols *s, const struct syt_image *i, uint64_t address,
                                syt_time at);

/* Returns true if FUNCTION belongs to the library of a language. A program contains templates and generics of this
 * library, compiled as its own code. */
bool syt_symbol_is_of_language(const char *function);
/* Returns true if FUNCTION belongs to the library of a language: by its name, or by the source file of SYMBOL (or NULL).
 * The name of an inlined function may lack its namespace. */
bool syt_symbol_is_library(const char *function, const struct syt_symbol *symbol);

/* Returns the length of the function name without the suffix of a compiler's copy of a function (".isra.0"). The
 * name has BYTES bytes. */
size_t syt_symbol_plain_bytes(const char *function, size_t bytes);

/* Returns true if the call path PATH has a function of a file that is missing, or is another build now. */
bool syt_symbols_lack_file(const struct syt_symbols *s, const char *path);
/* Notes the files of which the call path PATH, which a report lists, has a function without a name. */
void syt_symbols_note_listed(struct syt_symbols *s, const char *path);
/* Returns the names of these files, "memcached, libevent-2.1.so.7", which the caller frees; NULL: there are none. */
char *syt_symbols_unnamed(const struct syt_symbols *s);
/* Returns true if a report lists a function outside of all files (generated code, JIT) of which no map has the name. */
bool syt_symbols_lack_map(const struct syt_symbols *s);

#endif
