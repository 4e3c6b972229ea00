/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The lock operations on one file: the possible owners, and the begin and end of each call in order
 * of time, with its pieces of the file. match_filelock.c derives the edges.
 */
#ifndef SYT_DECODER_FILELOCK_H
#define SYT_DECODER_FILELOCK_H

#include "decoder/match/match.h"

/* An event releases at its begin and acquires at its end. */
enum syt_filelock_when { SYT_FILELOCK_AT_BEGIN, SYT_FILELOCK_AT_END };

struct syt_filelock_step {
	syt_time at;
	struct syt_place place;
	enum syt_filelock_when when;
	uint8_t shape;
	uint8_t mode;  /* SYT_LOCK_SHARED, EXCLUSIVE or NONE */
	uint8_t flags; /* the other SYT_LOCK_* */
	bool has_succeeded;
	uint32_t process, description; /* indices of owners, or SYT_NONE */
	uint64_t from, to;             /* first bytes, later pieces */
};

struct syt_filelock {
	struct syt_match *m;
	bool is_flock;
	enum syt_reason reason; /* reason why the file has no edges, or SYT_NR_REASONS */
	uint64_t nr_steps, nr_bounds;
	uint64_t nr_visits; /* sum of the pieces of all steps */
	size_t room_steps;
	struct syt_filelock_step *steps;
	uint64_t *bounds; /* of pieces: piece i is [bounds[i], bounds[i + 1]) */
	uint32_t nr_owners;
	struct syt_filelock_owner *owners;
};

/* Collects the events of OBJECT. */
void syt_filelock_open(struct syt_filelock *f, struct syt_match *m, uint32_t object);
void syt_filelock_close(struct syt_filelock *f);

#endif
