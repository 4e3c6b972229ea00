/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Handles the environment variables. A program sees the same environment as without the recorder, because
 * the constructor removes the recorder's entries (syt_env_hide). When the program executes or spawns
 * another program, syt_env_make appends the entries again.
 *
 * No function here allocates memory or changes errno. Any thread and vfork children may call the functions.
 */
#ifndef SYT_PRELOAD_ENV_H
#define SYT_PRELOAD_ENV_H

#include <stdbool.h>
#include <stddef.h>

#include "preload/target.h"

/* Removes the recorder's variables from ENVP in place, and the recorder from LD_PRELOAD. The
 * constructor calls this function after the session has started or has refused to start. */
void syt_env_hide(char **envp);

/* Sets how the new process image IMAGE inherits file descriptors (exec or spawn), and the number of bytes
 * needed to describe them. */
void syt_env_inherits(struct syt_new_image *image, enum syt_inherit inherit);

/* Returns the number of bytes that syt_env_make() needs for ENVP (may be NULL); 0: ENVP must be passed
 * unchanged. */
size_t syt_env_bytes(char *const *envp, const struct syt_new_image *image);

/* Writes the new environment into MEMORY and returns it. The strings of ENVP are not copied. */
char **syt_env_make(void *memory, char *const *envp, const struct syt_new_image *image);

/* Replaces `environ` around a call in which libc starts a program. Until syt_environ_restore() was called
 * once for each successful call of syt_environ_extend(), `environ` is the environment that syt_env_make()
 * makes. Returns false if `environ` is unchanged: there is no memory, another thread holds the lock, or no
 * entry is needed. If it returned false, do not call syt_environ_restore(). */
bool syt_environ_extend(const struct syt_new_image *image);
void syt_environ_restore(void);

/* Restores `environ` in a forked child. */
void syt_environ_fork_child(void);

/* Called by the constructor. */
void syt_environ_init(void);

/* Returns true if syt_environ_extend() has added the entry ENTRY to `environ`. */
bool syt_environ_is_added(const char *entry);

#endif
