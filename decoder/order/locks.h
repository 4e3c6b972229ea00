/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The locks of a sparse trace (decoder/read/sparse.h). One pass goes through all plain events in the order of time,
 * and gives each mutex, spin lock and stdio stream its events.
 */
#ifndef SYT_DECODER_LOCKS_H
#define SYT_DECODER_LOCKS_H

#include "decoder/match/match.h"

/* Returns true if objects of KIND are matched here in a sparse trace. */
static inline bool syt_locks_have(enum syt_kind kind)
{
	return kind == SYT_KIND_MUTEX || kind == SYT_KIND_SPIN || kind == SYT_KIND_STDIO;
}

/* Counts the acquisitions and the happens-before edges of all these locks, without storing the edges. */
void syt_locks_match(struct syt_match *m, unsigned nr_workers);

#endif
