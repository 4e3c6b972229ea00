/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Reads a window file (doc/fleet.md), which any host may have written. The reader trusts no byte: it checks the size of
 * the file, of its contents and of each line, the type and the range of each member, and that each number is defined.
 * It opens no file that the contents name.
 */
#ifndef SYT_FLEET_WINDOW_FILE_H
#define SYT_FLEET_WINDOW_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYT_WINDOW_ID 32u /* hex digits of an id */
#define SYT_WINDOW_MOST_FACTS 2000u
#define SYT_WINDOW_MOST_COMPRESSED (UINT64_C(16) << 20)
#define SYT_WINDOW_MOST_BYTES (UINT64_C(64) << 20)
#define SYT_WINDOW_MOST_LINE (1u << 20)

struct syt_upload_module {
	uint64_t key; /* hash of the build-id, or of the path without one */
	char *name;   /* last component of the path */
	char *path;
	char *build; /* "": without one, or one that no file has (fleet/symbols.h) */
};

struct syt_upload_stack {
	int64_t key;    /* 63 bits of the hash of the frames, not 0 */
	char *path;     /* names of the frames, the outermost first, joined by semicolons */
	char *function; /* the innermost frame */
	char *frames; /* JSON array of the frames, the innermost first: [build, module, address] or a name */
};

struct syt_upload_lock {
	int64_t key; /* 63 bits of the hash of kind and identity, not 0 */
	char *kind, *name;
	char *place;  /* of a static variable, as in `frames`; or "null" */
	int64_t made; /* key of the stack that made it, or 0 */
};

/* The words of a fact that a store keeps once: event, what, class, reason, charged, call. Absent words are "". */
enum syt_window_word {
	SYT_WORD_EVENT,
	SYT_WORD_WHAT,
	SYT_WORD_CLASS,
	SYT_WORD_REASON,
	SYT_WORD_CHARGED,
	SYT_WORD_CALL,
	SYT_NR_WORDS
};
extern const char *const syt_window_words[SYT_NR_WORDS];

struct syt_upload_fact {
	char *words[SYT_NR_WORDS];
	int64_t lock, stack, culprit; /* keys; lock, culprit: 0 without one */
	int64_t n, ns, max_ns;
};

struct syt_window_file {
	char *id, *host, *boot, *service, *version, *exe, *build;
	int64_t begin_ns, length_ns, wall_ns, events, lost;
	int64_t open, unseen_ns, paused_bytes; /* coverage */
	double weight;                         /* 1 / (p_host * p_time) */
	uint64_t nr_bytes;                     /* of the unpacked file and of the paths */
	size_t nr_modules, room_modules;
	struct syt_upload_module *modules;
	size_t nr_stacks, room_stacks;
	struct syt_upload_stack *stacks;
	size_t nr_locks, room_locks;
	struct syt_upload_lock *locks;
	size_t nr_facts, room_facts;
	struct syt_upload_fact *facts;
};

/* Reads the window file NAME of the directory DIR. Returns NULL, or the reason of a rejection as text that the caller
 * frees; W is then empty. *IS_RETRY is set to true if this machine cannot read the file now. */
char *syt_window_file_read(struct syt_window_file *w, int dir, const char *name, bool *is_retry);
void syt_window_file_close(struct syt_window_file *w);

#endif
