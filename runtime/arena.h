/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The dump file in memory: one sparse shared mapping, handed out in chunks from the front.
 *
 * The file is created at its full capacity and its fd closed at once; pages are populated before they
 * are written, so a full disk is an error here and not a SIGBUS in the program.  Lock-free.
 */
#ifndef SYT_RUNTIME_ARENA_H
#define SYT_RUNTIME_ARENA_H

#include <stdbool.h>
#include <stdint.h>

#include "format/format.h"

struct syt_arena {
	uint8_t *base;	      /* NULL: nothing is mapped */
	uint64_t mapped_bytes;
	uint64_t limit;	      /* no chunk may end beyond it; live */
	uint64_t backed_bytes; /* from the start, known to be populated */
	bool is_closed;	      /* nothing more can be populated: the last of it is kept for definitions */
	uint64_t device, inode; /* of the file */
	uint64_t room;	      /* bytes that it was given, UINT64_MAX: no file could be made */
	enum syt_bound bound;  /* what bounds the room */
	bool is_preallocated; /* kernel without MADV_POPULATE_WRITE: disk space was taken at the start */
};

extern struct syt_arena syt_arena;

static inline struct syt_file *syt_arena_file(void)
{
	return (struct syt_file *)syt_arena.base;
}

/* What every process fills, behind the header: definitions, stacks and the first thread's slot. */
#define SYT_ARENA_FIRST_BYTES 16384u

/* Creates NAME in the directory DIR (must not exist) with up to CAPACITY bytes and maps it, in place of an earlier mapping
 * when there is one. The header page is populated and zero, as are the first
 * SYT_ARENA_FIRST_BYTES behind it; used is one page. 0 or -errno. `room` and `bound` say what there was. */
int syt_arena_open(long dir, const char *name, uint64_t capacity);

/* Unmaps. */
void syt_arena_abandon(void);

/* A new chunk of BYTES (a multiple of SYT_PAGE_BYTES) of which the first POPULATE bytes are usable
 * now. Its header is complete. NULL when there is no room. */
struct syt_chunk *syt_arena_chunk(enum syt_chunk_type type, uint32_t owner, uint64_t first,
				  uint64_t bytes, uint64_t populate);

/* Makes [ADDRESS, ADDRESS + BYTES) of a chunk usable. */
bool syt_arena_populate(void *address, uint64_t bytes);

/* Before the program gives up the system calls that populating takes: populates all that is in use and
 * room beyond it.  close: no chunk ends beyond that room.  reopen takes it back. */
void syt_arena_prepare(void);
void syt_arena_close(void);
void syt_arena_reopen(void);

/* Unmaps what lies beyond the first BYTES, and beyond the chunks and some room after them; for the rest of
 * the process's life no chunk is handed out there. Any thread. */
void syt_arena_shrink(uint64_t bytes);

/* Gives back what no chunk uses: the file ends SPARE bytes after the last chunk, and no chunk beyond that
 * is handed out. */
void syt_arena_trim(const char *path, uint64_t spare);

/* Takes the above back. */
void syt_arena_untrim(const char *path);
/* Is there less room than the file was made for? */
bool syt_arena_is_trimmed(void);

#endif
