/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The sends and takes of one signal, by sender and way of sending. decoder/match/match_signal.c derives the
 * happens-before edges, and keeps its intermediate results in members of these structures. */
#ifndef SYT_DECODER_SIGNAL_H
#define SYT_DECODER_SIGNAL_H

#include "decoder/match/match.h"

enum { SYT_SIGNAL_QUEUE_SHARED = 0, SYT_SIGNAL_QUEUE_UNKNOWN = 1 }; /* other values are tids */

struct syt_signal_send {
	uint64_t sender, target; /* pids; target 0: several processes, or unknown */
	int32_t code;
	uint64_t queue;
	syt_time in, latest;
	syt_time latest_so_far;
	uint32_t low, high; /* range of possible ranks in its group, from 1 */
	uint32_t high_so_far;
	/* index of this send or of a later one; all sends between them are used up (path-compressed) */
	uint32_t next;
	struct syt_place place;
};

struct syt_signal_take {
	uint64_t sender, target;
	int32_t code;
	uint64_t queue; /* tid of the thread that took the signal */
	syt_time earliest, out;
	syt_time cleared; /* all sends that surely took effect before this time are used up */
	uint64_t first;   /* index of its first possible send in `candidates` */
	uint32_t nr;
	enum syt_reason reason; /* reason why it has no edge, or SYT_NR_REASONS */
	struct syt_place place;
};

struct syt_signals {
	struct syt_match *m;
	uint32_t object;
	bool is_queued;
	uint64_t nr_sends, nr_takes, nr_candidates;
	struct syt_signal_send *sends; /* sorted by sender, way of sending, target, begin */
	/* sorted by reason (takes without a sender first), sender, way of sending, target, queue, end */
	struct syt_signal_take *takes;
	struct syt_place *candidates;
	size_t room;
};

/* Collects the sends and takes of the signal OBJECT, which must have fewer than SYT_NONE events. */
void syt_signals_open(struct syt_signals *s, struct syt_match *m, uint32_t object);
/* Returns the sends of the signal by the sender of the take T to TARGET, in the way that T reports, and their
 * number in *NR. */
struct syt_signal_send *syt_signals_sent(const struct syt_signals *s,
                                         const struct syt_signal_take *t, uint64_t target,
                                         uint64_t *nr);
void syt_signals_close(struct syt_signals *s);

#endif
