/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The environment.  A program sees the one that it would see untraced: the constructor takes out
 * what belongs to the recorder (syt_env_hide), and a program that this one execs or spawns gets it
 * again, behind everything that it was given (syt_env_make), where its own constructor takes it
 * out.  No allocation: the caller gives room.  Nothing here touches errno; any thread; vfork
 * children.
 */
#ifndef SYT_PRELOAD_ENV_H
#define SYT_PRELOAD_ENV_H

#include <stdbool.h>
#include <stddef.h>

#include "preload/target.h"

/* In the constructor, once the session has started or refused to: takes out of ENVP, in place, what
 * the recorder obeys, and the recorder itself out of LD_PRELOAD. */
void syt_env_hide(char **envp);

/* IMAGE gets our fds as HEIR says, and is told what they are. */
void syt_env_inherits(struct syt_new_image *image, enum syt_heir heir);

/* Bytes of room that syt_env_make() needs for ENVP (NULL: empty) and this new image; 0 when ENVP
 * can be passed as it is. */
size_t syt_env_room(char *const *envp, const struct syt_new_image *image);

/* Fills ROOM with the new environment; returns it. ENVP's strings are referred to, not copied. */
char **syt_env_make(void *room, char *const *envp, const struct syt_new_image *image);

/*
 * Around a call in which libc starts a program by itself, with `environ`: until the same number of
 * syt_environ_restore() has been called, `environ` is what syt_env_make() would have made of it.  False:
 * it is not (no memory, another thread is at it, nothing to show); then no unshow.
 */
bool syt_environ_extend(const struct syt_new_image *image);
void syt_environ_restore(void);

/* In a forked child: nothing is shown. */
void syt_environ_fork_child(void);

/* In the constructor. */
void syt_environ_init(void);

/* Is ENTRY a string that show() has put into `environ`? */
bool syt_environ_is_added(const char *entry);

#endif
