/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Programs that this tool runs: their environments, libsyntrace.so, the dynamic loader, and syntrace-decode. */
#ifndef SYT_TOOL_CHILD_H
#define SYT_TOOL_CHILD_H

#include <stddef.h>
#include <sys/types.h>

/* Returns the environment of this tool without the entries that begin with one of PREFIXES, which end with NULL.
 * The array has *NR entries, and space for MORE entries. The caller frees the array, but not its first *NR strings. */
char **syt_environment_without(const char *const *prefixes, size_t more, size_t *nr);

/* Returns the path of libsyntrace.so, or NULL after a message. The caller frees the path. Searches in .libs of this
 * tool's directory (build tree), relative to this tool (moved installation), and in the configured directory. */
char *syt_library_find(void);

/* Calls EACH for every library that the dynamic loader would map for the executable PATH. LIBRARY is NULL for a
 * missing library. Runs the loader of the system, but not the program. */
void syt_library_each(const char *path,
                      void (*each)(void *context, const char *soname, const char *library),
                      void *context);

/*
 * Starts syntrace-decode, which is beside this tool or in PATH. Returns the process id, or 0 after an error
 * message that ends with the text LOSS.
 *
 * If OUT < 0, the decoder prints for the user. Otherwise, the decoder writes to the file descriptor OUT,
 * has no input, and reads no configuration file. It writes its messages to ERR, unless ERR < 0. The decoder then blocks all signals, because signals of
 * the terminal are for the traced program.
 */
pid_t syt_decoder_start(char **argv, int out, int err, const char *loss);

/* Replaces this tool by syntrace-decode. Returns only after an error message. */
void syt_decoder_exec(char **argv);

#endif
