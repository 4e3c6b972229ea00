/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Matches the locks of a sparse trace, which stores plain lock and unlock events compressed
 * (decoder/read/sparse.h). One pass goes through all these events in time order, and passes each mutex, spin
 * lock and stdio stream its events. */
#ifndef SYT_DECODER_LOCKS_H
#define SYT_DECODER_LOCKS_H

#include "decoder/match/match.h"

/* Returns true if syt_locks_match() matches the objects of KIND in a sparse trace. */
static inline bool syt_locks_have(enum syt_kind kind)
{
	return kind == SYT_KIND_MUTEX || kind == SYT_KIND_SPIN || kind == SYT_KIND_STDIO;
}

/* Counts the acquisitions and the happens-before edges of all mutexes, spin locks and stdio streams of a sparse
 * trace, without storing the edges. */
void syt_locks_match(struct syt_match *m, unsigned nr_workers);

#endif
