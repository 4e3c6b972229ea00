/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The dump file in memory: one sparse shared mapping. A chunk is a part of the file with a header;
 * chunks are allocated from the start of the file.
 *
 * The file gets its full capacity when it is created, and its descriptor is closed at once. Pages
 * are populated before they are written, so a full disk is an error here and not a SIGBUS in the
 * program. All functions are lock-free.
 */
#ifndef SYT_RUNTIME_ARENA_H
#define SYT_RUNTIME_ARENA_H

#include <stdbool.h>
#include <stdint.h>

#include "format/format.h"

struct syt_arena {
	uint8_t *base;	      /* NULL: no dump is mapped */
	uint64_t mapped_bytes;
	uint64_t limit;	      /* no chunk may end beyond it; changes at run time */
	uint64_t backed_bytes; /* all pages of the file before this offset are populated */
	/* populating pages is impossible now; the last populated bytes are for definitions */
	bool is_closed;
	uint64_t device, inode; /* device and inode number of the dump file */
	/* bytes that the dump file may use; UINT64_MAX: no file was created */
	uint64_t room;
	enum syt_bound bound;  /* which limit (disk, ulimit, setting) determined `room` */
	/* the kernel lacks MADV_POPULATE_WRITE, so all disk space was allocated at the start */
	bool is_preallocated;
};

extern struct syt_arena syt_arena;

static inline struct syt_file *syt_arena_file(void)
{
	return (struct syt_file *)syt_arena.base;
}

/* Bytes behind the header that every process fills with definitions, stacks and the first thread's event
 * buffer. */
#define SYT_ARENA_FIRST_BYTES 16384u

/* Creates NAME in the directory DIR (NAME must not exist) with at most CAPACITY bytes and maps it. An
 * earlier mapping is replaced. The header page and the SYT_ARENA_FIRST_BYTES behind it are populated and
 * zero, and the file's `used` is one page. Sets `room` and `bound`. Returns 0 or -errno. This function is
 * not thread-safe; it runs at the start and in a forked child. */
int syt_arena_open(long dir, const char *name, uint64_t capacity);

/* Unmaps the dump. */
void syt_arena_abandon(void);

/* Allocates a chunk of BYTES (a multiple of SYT_PAGE_BYTES) with a complete header, and populates its first
 * POPULATE bytes. Returns NULL if the file has no room or populating fails. Any thread may call this
 * function. */
struct syt_chunk *syt_arena_chunk(enum syt_chunk_type type, uint32_t owner, uint64_t first,
				  uint64_t bytes, uint64_t populate);

/* Populates [ADDRESS, ADDRESS + BYTES) of a chunk. Returns false on failure, such as a full disk. Any thread
 * may call it. */
bool syt_arena_populate(void *address, uint64_t bytes);

/* For a program that is about to forbid its own system calls (runtime/confine.h). syt_arena_prepare
 * populates all bytes in use and a reserve behind them. After syt_arena_close, no chunk ends behind the
 * reserve. syt_arena_reopen undoes syt_arena_close. */
void syt_arena_prepare(void);
void syt_arena_close(void);
void syt_arena_reopen(void);

/* Unmaps the end of the mapping. At least the first BYTES, all chunks and a reserve behind them stay mapped. No
 * chunk is allocated in the unmapped part for the rest of the process's life. Any thread may call it. */
void syt_arena_shrink(uint64_t bytes);

/* Truncates the file PATH to SPARE bytes behind the last chunk. No chunk is allocated behind the new end of
 * the file. */
void syt_arena_trim(const char *path, uint64_t spare);

/* Undoes syt_arena_trim. */
void syt_arena_untrim(const char *path);
/* Returns whether chunks can use less than the file's capacity. */
bool syt_arena_is_trimmed(void);

#endif
