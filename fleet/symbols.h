/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The files that name functions and variables, by build-id: DIR/BUILD/executable and DIR/BUILD/debuginfo, as on a server
 * of debuginfod below /buildid/, and the sources in DIR/BUILD/source/. DIR/BUILD/rank has the rank of the better file.
 * The files come from the user of `put` or from the servers of debuginfod that the user names, never from an upload. One
 * thread at a time may use these functions.
 */
#ifndef SYT_FLEET_SYMBOLS_H
#define SYT_FLEET_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYT_SYMBOLS_BUILD 64u /* hex digits of the longest build-id */

/* What names a file has, from the fewest to the most. */
enum syt_symbols_rank { SYT_RANK_NONE, SYT_RANK_EXPORTED, SYT_RANK_SYMBOLS, SYT_RANK_DEBUG };

/* Keeps the program, library or file with debug information FILE in DIR, which is created if necessary, unless a file that is as
 * good is there. BUILD is the build-id that the file must have, or NULL. IS_LINK keeps a symbolic link instead of a
 * copy. Returns 0, or -1 after a message; without one if another build-id was expected. */
int syt_symbols_put(const char *dir, const char *file, const char *build, bool is_link);

/* Keeps the sources of the program, library or file with debug information FILE that are below the directory FROM, as
 * DIR/BUILD/source/PATH. PATH is the absolute path in the debug information. Returns 0, or -1 after a message. */
int syt_symbols_put_sources(const char *dir, const char *file, const char *from);

/* Opens BUILD/executable, BUILD/debuginfo or BUILD/source/PATH below DIR, as a client of debuginfod names them. A name leads to no
 * file outside of DIR; only `executable` and `debuginfo` may be symbolic links. Returns -1 if there is no such file. */
int syt_symbols_open(const char *dir, const char *name);

/* Asks the servers of debuginfod in URLS for the files of BUILD, which has none in DIR, and keeps what they have. Waits 5 s for a file.
 * Remembers for a day that they have none. Returns 0, or -1 after a message if the servers did not answer. */
int syt_symbols_fetch(const char *dir, const char *build, const char *urls);

/* Returns the rank of the files of BUILD in DIR. */
enum syt_symbols_rank syt_symbols_rank(const char *dir, const char *build);

struct syt_binary;

/* Opens the files of BUILD in DIR. The caller frees the result, which is NULL if there are no files that can be read. */
struct syt_binary *syt_binary_open(const char *dir, const char *build);
void syt_binary_close(struct syt_binary *b);
/* Returns the name of the function that contains the call before the address AT, or NULL. AT is an address of the file. The caller
 * frees the name. */
char *syt_binary_function(struct syt_binary *b, uint64_t at);
/* Returns the name of the variable at AT, with the offset in it, or NULL. The caller frees the name. */
char *syt_binary_variable(struct syt_binary *b, uint64_t at);

/* A line of a source. The texts belong to the caller. */
struct syt_line {
	char *file; /* PATH of BUILD/source/PATH, with a slash first */
	uint32_t line;
	char *inlined; /* the inlined function that has the line; NULL: no inlined one */
};

/* Stores the lines of the call before the address AT in *LINES, which the caller frees: those of inlined functions first, the
 * innermost one first. Returns their number, at most
 * SYT_SOURCE_MOST (base/source.h) and 0 without debug information. AT is an address of the file. */
size_t syt_binary_lines(struct syt_binary *b, uint64_t at, struct syt_line **lines);

#endif
