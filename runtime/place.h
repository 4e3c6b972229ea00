/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Which trace directory this process records into, and the file that the trace's processes share.
 * doc/internals.md, "Which process belongs to which trace".
 */
#ifndef SYT_RUNTIME_PLACE_H
#define SYT_RUNTIME_PLACE_H

#include <stdint.h>

#include "format/format.h"
#include "runtime/env.h"

#define SYT_PATH_BYTES 4096u

struct syt_place {
	struct syt_trace *trace;   /* mapped, or NULL */
	char dir[SYT_PATH_BYTES]; /* absolute */
};

/* Finds or makes the directory and maps its shared file. 0, or -errno: then nothing may be recorded. */
int syt_place_open(struct syt_place *place, const struct syt_env *env);

/* Makes what syt_control() tells that of the trace. */
void syt_place_share_control(const struct syt_place *place);

/* A number for the next process image of the trace; notes that PID records here. */
uint32_t syt_place_register(struct syt_place *place, uint32_t pid);

/* Image INDEX has ended cleanly. */
void syt_place_unregister(struct syt_place *place, uint32_t index);

/* Path of the dump of image INDEX into PATH (SYT_PATH_BYTES). 0 or -ENAMETOOLONG. */
int syt_place_dump_path(const struct syt_place *place, uint32_t index, uint32_t pid, char *path);

/* PATH, made absolute by the working directory, into TO (SYT_PATH_BYTES). 0 or -errno. */
int syt_place_absolute(char *to, const char *path);

#endif
