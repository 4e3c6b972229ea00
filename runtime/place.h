/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Which trace directory this process records into, and the file that the trace's processes share.
 * doc/internals.md, "Which process belongs to which trace".
 */
#ifndef SYT_RUNTIME_PLACE_H
#define SYT_RUNTIME_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "format/format.h"
#include "runtime/env.h"

#define SYT_PATH_BYTES 4096u

struct syt_trace_dir {
	struct syt_trace *trace;   /* mapped, or NULL */
	uint64_t device, inode;    /* of the shared file */
	uint32_t aside;		   /* number of the name that a finished trace got (runtime/aside.h); 0: as usual */
	char dir[SYT_PATH_BYTES];  /* absolute */
	char shared[SYT_PATH_BYTES]; /* path of the shared file */
};

/* Finds or makes the directory and maps its shared file. 0, or -errno: then nothing may be recorded. */
int syt_place_open(struct syt_trace_dir *place, const struct syt_env *env);

/* Makes what syt_control() tells that of the trace. */
void syt_place_share_control(const struct syt_trace_dir *place);

/* Gives *INDEX, a number for the next process image of the trace, and notes that PID records here. Returns 0 or
 * -ENOSPC. */
int syt_place_register(struct syt_trace_dir *place, uint32_t pid, uint32_t *index);

/* Opens the directory, also when it was renamed since, for a new dump. Returns the descriptor, or -errno when the shared
 * file is not in it: a dump would belong to no trace, or to another one.  At the start and in a forked child. */
long syt_place_directory(struct syt_trace_dir *place);

/* Looks whether the directory was renamed since; `dir` is the new name then. Returns whether the directory is in reach. Any
 * thread. */
bool syt_place_follow(struct syt_trace_dir *place);

/* Notes in the shared file that a process could open no dump; the first one counts. */
void syt_place_refuse(struct syt_trace_dir *place, const struct syt_refusal *r);

/* Image INDEX has ended cleanly. */
void syt_place_unregister(struct syt_trace_dir *place, uint32_t index);

/* Path of the dump of image INDEX into PATH, which has BYTES. 0 or -ENAMETOOLONG. */
int syt_place_dump_path(const struct syt_trace_dir *place, uint32_t index, uint32_t pid, char *path,
                        size_t bytes);

/* PATH, made absolute by the working directory, into TO (SYT_PATH_BYTES). 0 or -errno. */
int syt_place_absolute(char *to, const char *path);

#endif
