/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The environment of a process that this one execs or spawns: the recorder must be loaded into it
 * and must find the trace, and the program must see the environment that it was given.  So what is
 * added here is taken away again by the new image's constructor.  No allocation: the caller gives
 * room. Nothing here touches errno; any thread; vfork children.
 */
#ifndef SYT_PRELOAD_ENV_H
#define SYT_PRELOAD_ENV_H

#include <stddef.h>

#include "preload/target.h"

/* Bytes of room that syt_env_make() needs for ENVP (NULL: empty) and a new image of this kind; 0
 * when ENVP can be passed as it is. */
size_t syt_env_room(char *const *envp, enum syt_target target);

/* Fills ROOM with the new environment; returns it. ENVP's strings are referred to, not copied. */
char **syt_env_make(void *room, char *const *envp, enum syt_target target);

/* In the new image's constructor: takes what make() has added out of ENVP, in place. */
void syt_env_restore(char **envp);

#endif
