/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The directory that a trace goes into: ours, private, and never somebody else's data.
 */
#ifndef SYT_TOOL_DIRECTORY_H
#define SYT_TOOL_DIRECTORY_H

#include <stdbool.h>

/*
 * Makes DIR an empty directory with mode 0700.  A finished trace that stands there is renamed to
 * DIR.old, which replaces the finished trace that DIR.old held; with KEEP it is left and an error.
 * A file is removed only when its content proves that syntrace wrote it; any other DIR.old is left
 * alone, and the trace becomes DIR.old.1 to DIR.old.9, with a message.  A directory that holds no
 * trace, is still recorded into, is a symbolic link, belongs to another user or can be written to by
 * other users is never touched. Returns the absolute path, owned by the caller, or NULL after a message.
 */
char *syt_directory_create(const char *dir, bool keep, bool *is_new);

/* Is the process PID that started START_TIME clock ticks after boot still there? */
bool syt_process_lives(unsigned pid, unsigned long long start_time);

#endif
