/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The lock operations on one file (flock, fcntl): the possible owners, and the begin and end of each call in
 * time order, each with the pieces of the file that it locks. match_filelock.c derives the happens-before
 * edges. */
#ifndef SYT_DECODER_FILELOCK_H
#define SYT_DECODER_FILELOCK_H

#include "decoder/match/match.h"

/* The part of a lock call: at its begin, the call may release a lock, and at its end it may acquire one. */
enum syt_filelock_when { SYT_FILELOCK_AT_BEGIN, SYT_FILELOCK_AT_END };

struct syt_filelock_step {
	syt_time at;
	struct syt_place place;
	enum syt_filelock_when when;
	uint8_t shape;
	uint8_t mode;  /* SYT_LOCK_SHARED, SYT_LOCK_EXCLUSIVE or SYT_LOCK_NONE */
	uint8_t flags; /* SYT_LOCK_DESCRIPTION and SYT_LOCK_CLOSED */
	bool has_succeeded;
	uint32_t process, description; /* indices in `owners`, or SYT_NONE */
	uint64_t from, to;             /* range of bytes; after cut() range of pieces */
};

struct syt_filelock {
	struct syt_match *m;
	bool is_flock;
	enum syt_reason reason; /* reason why the file gets no edges, or SYT_NR_REASONS */
	uint64_t nr_steps, nr_bounds;
	uint64_t nr_visits; /* sum over all steps of the number of pieces */
	size_t room_steps;
	struct syt_filelock_step *steps;
	uint64_t *bounds; /* piece i of the file is [bounds[i], bounds[i + 1]) */
	uint32_t nr_owners;
	struct syt_filelock_owner *owners;
};

/* Collects the lock operations on the file OBJECT, and the ends of the processes that made them. */
void syt_filelock_open(struct syt_filelock *f, struct syt_match *m, uint32_t object);
void syt_filelock_close(struct syt_filelock *f);

#endif
