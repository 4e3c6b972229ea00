/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Environments for other programs, and the start of syntrace-decode. */
#ifndef SYT_TOOL_CHILD_H
#define SYT_TOOL_CHILD_H

#include <stddef.h>
#include <sys/types.h>

/* Returns the directory of this tool, with symbolic links resolved, or NULL. The caller frees the path. */
char *syt_own_directory(void);

/* Returns the environment of this tool without the entries that begin with a text of PREFIXES, up to NULL. The
 * array has *NR entries, and space for MORE entries and NULL. The caller frees the array, but not its first *NR
 * strings. */
char **syt_environment_without(const char *const *prefixes, size_t more, size_t *nr);

/*
 * Starts syntrace-decode, which is beside this tool or in PATH, with the arguments ARGV. Returns its process id, or
 * 0 after a message, which ends with LOSS.
 *
 * With OUT < 0, the decoder prints for the user. With a file descriptor OUT, the decoder writes to OUT for this
 * tool: it has no input, blocks all signals, because signals of the terminal are for the program, and reads no
 * configuration file.
 */
pid_t syt_decoder_start(char **argv, int out, const char *loss);

#endif
