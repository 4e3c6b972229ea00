/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Finds the trace directory that this process records into, and maps the file that the trace's processes share
 * (doc/internals.md, "Which process belongs to which trace"). */
#ifndef SYT_RUNTIME_PLACE_H
#define SYT_RUNTIME_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "format/format.h"
#include "runtime/env.h"

#define SYT_PATH_BYTES 4096u

struct syt_trace_dir {
	struct syt_trace *trace;   /* mapped, or NULL */
	uint64_t device, inode;    /* device and inode of the shared file */
	uint32_t old_nr;		   /* number of the finished trace's new name; 0: DIR.old, or none */
	char dir[SYT_PATH_BYTES];  /* absolute */
	char shared[SYT_PATH_BYTES]; /* path of the shared file */
};

/* Finds or creates the directory and maps its shared file. If it returns -errno, the process must not
 * record. */
int syt_place_open(struct syt_trace_dir *place, const struct syt_env *env);

/* Makes syt_control() read the pause number from the trace's shared file. */
void syt_place_share_control(const struct syt_trace_dir *place);

/* Stores in *INDEX the number of a new process image and notes that PID records. Returns 0, or -ENOSPC if
 * there is no number left. */
int syt_place_register(struct syt_trace_dir *place, uint32_t pid, uint32_t *index);

/* Opens the directory for a new dump, also if it was renamed since the start. Returns the
 * descriptor. Returns -errno if the shared file is not in the directory, because the dump would
 * belong to no trace, or to another one. Call it only at the start and in a forked child. */
long syt_place_directory(struct syt_trace_dir *place);

/* Checks whether the directory was renamed; then `dir` becomes the new name. Returns whether the
 * directory is reachable. Any thread. */
bool syt_place_follow(struct syt_trace_dir *place);

/* Notes in the shared file that a process could open no dump. Keeps the reason of the first such process,
 * and counts all of them. */
void syt_place_refuse(struct syt_trace_dir *place, const struct syt_refusal *r);

/* Notes in the shared file that process image INDEX has ended cleanly. */
void syt_place_unregister(struct syt_trace_dir *place, uint32_t index);

/* Writes the path of the dump of process image INDEX to PATH, a buffer of BYTES. Returns 0 or
 * -ENAMETOOLONG. */
int syt_place_dump_path(const struct syt_trace_dir *place, uint32_t index, uint32_t pid, char *path,
                        size_t bytes);

/* Writes PATH, made absolute with the working directory, to TO (SYT_PATH_BYTES). Returns 0 or
 * -errno. */
int syt_place_absolute(char *to, const char *path);

#endif
