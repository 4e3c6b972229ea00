/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The locks of a sparse trace (decoder/read/sparse.h): all its plain events go by once, in the
 * order of time, and each mutex, spin lock and stdio stream meets its own.
 */
#ifndef SYT_DECODER_LOCKS_H
#define SYT_DECODER_LOCKS_H

#include "decoder/match/match.h"

/* Whether objects of KIND are matched here when the trace is sparse. */
static inline bool syt_locks_have(enum syt_kind kind)
{
	return kind == SYT_KIND_MUTEX || kind == SYT_KIND_SPIN || kind == SYT_KIND_STDIO;
}

/* Counts the acquisitions and edges of all of them; none of the edges is held. */
void syt_locks_match(struct syt_match *m, unsigned nr_workers);

#endif
