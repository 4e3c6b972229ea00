/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The directory of a trace belongs to the user, is private, and contains no other data. */
#ifndef SYT_TOOL_DIRECTORY_H
#define SYT_TOOL_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>

#define SYT_DUMP_NAME_BYTES 64u

/*
 * Makes DIR an empty directory with mode 0700. Returns the absolute path, which the caller frees, or NULL after a
 * message. Sets *IS_NEW if DIR did not exist or was renamed.
 *
 * A finished trace in DIR is renamed to DIR.old, and replaces a finished trace in DIR.old. With KEEP, this function
 * fails instead. A file is removed only if its content proves that syntrace wrote the file. If DIR.old is not a
 * finished trace, the trace is renamed to one of DIR.old.1 to DIR.old.9, with a message.
 *
 * The function fails for a directory with other files, a trace that is still being recorded, a symbolic link, a
 * directory of another user, and a directory that other users may write to.
 */
char *syt_directory_create(const char *dir, bool keep, bool *is_new);

/* Reads BYTES bytes at AT of the file NAME in the directory DIR. Does not follow a symbolic link. Returns false if
 * the file has fewer bytes or cannot be read. */
bool syt_file_read(int dir, const char *name, void *to, size_t bytes, size_t at);
/* Reads the begin of the file PATH as a text of less than BYTES bytes. Returns the length, 0 on failure. */
size_t syt_file_text(const char *path, char *text, size_t bytes);

/* Writes the name of the dump of the process image with the index IMAGE. */
void syt_dump_name(char name[SYT_DUMP_NAME_BYTES], unsigned image, unsigned pid);
bool syt_is_dump_name(const char *name);
/* Returns true if NAME is the name of a copy of a map file of perf (SYT_SAVED_MAP_NAME). */
bool syt_is_map_name(const char *name);

/* Returns whether the process PID that started START_TIME clock ticks after boot still exists. */
bool syt_process_lives(unsigned pid, unsigned long long start_time);

#endif
