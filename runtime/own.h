/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Opens directories and files only if no other user can change them.
 *
 * A user with the right to write to the shared file can truncate the file: the traced program dies of
 * SIGBUS at its next access. Each check examines the opened descriptor, because a name may mean another
 * file a moment later. The owner must be the effective user, and neither group nor others may write. The
 * sticky bit of a directory makes no difference: other users can still create files there.
 */
#ifndef SYT_RUNTIME_OWN_H
#define SYT_RUNTIME_OWN_H

#include <sys/stat.h>

/* Opens the directory PATH, which must not be a symbolic link. Returns the descriptor or -errno;
 * -EPERM: another user owns PATH or may write to it. */
long syt_own_directory(const char *path);

/* Opens NAME in the directory DIR with FLAGS (an access mode), and fills ST. Returns the descriptor, or
 * -errno; -EPERM: NAME is no regular file or has two names, or another user owns it or may write to it. */
long syt_own_file(long dir, const char *name, int flags, struct stat *st);

#endif
