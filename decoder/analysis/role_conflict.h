/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Finds role conflicts: threads that appear to serve each other in a cycle.
 *
 * The analysis of services (decoder/analysis/service.h) regards the thread that first turned to another thread
 * as the client. This rule is wrong for threads that serve each other in a cycle, through semaphores, condition
 * variables or futexes. Threads in such a cycle take turns with a lock, or announce each time that they are free:
 * their exchanges are not requests and answers.
 *
 * For each exchange, the caller adds an arc from the client to the server. After a pass over all happens-before
 * edges, it calls syt_role_conflict_find(). Two threads conflict if they are in one strongly connected component of
 * the arcs. While there are new components, the caller makes another pass, in which the exchanges between
 * conflicting threads are undecided.
 */
#ifndef SYT_DECODER_ANALYSIS_ROLE_CONFLICT_H
#define SYT_DECODER_ANALYSIS_ROLE_CONFLICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct syt_role_conflict {
	uint32_t nr_threads;
	/* [thread]: number that is equal for threads of one cycle; NULL: no cycles were searched yet */
	uint32_t *component;
	size_t nr, room, merge_at; /* merge_at: number of arcs at which duplicates are removed */
	struct syt_role_conflict_arc {
		uint32_t client, server; /* trace-wide indices of the two threads */
	} * arcs;
};

/* Adds an arc: the thread SERVER did something for the thread CLIENT. */
void syt_role_conflict_note(struct syt_role_conflict *m, uint32_t client, uint32_t server);
/* Finds the cycles in all arcs added so far, between threads with indices below NR_THREADS. Returns true if the
 * cycles differ from those of the last call. */
bool syt_role_conflict_find(struct syt_role_conflict *m, uint32_t nr_threads);
/* Returns true if the last call of syt_role_conflict_find() put the threads A and B into one cycle. Returns false
 * before the first such call. */
bool syt_role_conflict_is(const struct syt_role_conflict *m, uint32_t a, uint32_t b);
void syt_role_conflict_close(struct syt_role_conflict *m);

#endif
