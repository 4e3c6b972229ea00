/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The facts about one object that explain the calls blocked on it. They are computed once for all of these calls, because many
 * threads may be blocked on an object with millions of events. */
#ifndef SYT_DECODER_ANALYSIS_BLOCKED_OBJECT_H
#define SYT_DECODER_ANALYSIS_BLOCKED_OBJECT_H

#include "decoder/analysis/holding.h"

#define SYT_BLOCKED_GIVERS 16u
#define SYT_NO_PLACE ((struct syt_place){SYT_NONE, 0})

/* The last gift of each thread, in the order of their first gifts. A call has at most SYT_BLOCKED_GIVERS givers other than
 * its own thread. */
struct syt_gifts {
	bool has_more;
	uint32_t nr;
	struct syt_place all[SYT_BLOCKED_GIVERS + 1];
	struct syt_place last, other; /* the last gift, and the last one of another thread */
};

struct syt_blocked_object {
	bool has_gifts, has_holdings, has_enders, has_tokens; /* these members are filled in */
	struct syt_gifts given,
		taken; /* taken: receives, which make room in a pipe or connection */
	uint64_t bytes_sent, bytes_received;
	uint64_t nr_needed; /* count of a barrier; 0: unknown */
	/* The ends of the posts and signals, and of the waits for them, sorted. */
	size_t nr_posts, room_posts, nr_waits, room_waits;
	syt_time *posts, *waits;
	syt_time broadcast; /* end of the last broadcast */
	struct syt_holdings holdings;
	/* The process images with threads that can end a call; NR 0: not known. */
	uint32_t nr_enders, *enders;
	/* The holding of a thread that did not make the process at the time of FORK; thread SYT_NONE: none. */
	struct syt_place fork, forked;
};

/* Fills in the facts about OBJECT up to `broadcast`. */
void syt_blocked_object_gifts(struct syt_blocked_object *f, const struct syt_order *o,
                              uint32_t object);

/* Returns true if, after SINCE, the object got more gifts than waits ended. */
bool syt_blocked_object_has_gift(const struct syt_blocked_object *f, syt_time since);

void syt_blocked_object_close(struct syt_blocked_object *f);

#endif
