/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The directory of a trace: it belongs to the user, is private, and contains no other data.
 */
#ifndef SYT_TOOL_DIRECTORY_H
#define SYT_TOOL_DIRECTORY_H

#include <stdbool.h>

/*
 * Makes DIR an empty directory with mode 0700.  Returns its absolute path, owned by the caller, or NULL after
 * a message.  Sets *IS_NEW if the directory did not exist before.
 *
 * A finished trace in DIR is renamed to DIR.old, and replaces a finished trace in DIR.old.  With KEEP, it
 * stays, and the call fails.  A file is removed only if its content proves that syntrace wrote it.  Any other
 * DIR.old stays, and the trace is renamed to DIR.old.1 to DIR.old.9, with a message.
 *
 * These directories are never changed: a directory without a trace, a trace that is still being recorded, a
 * symbolic link, a directory of another user, and a directory that other users may write to.
 */
char *syt_directory_create(const char *dir, bool keep, bool *is_new);

/* Returns whether the process PID that started START_TIME clock ticks after boot still exists. */
bool syt_process_lives(unsigned pid, unsigned long long start_time);

#endif
