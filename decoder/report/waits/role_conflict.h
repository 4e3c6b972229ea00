/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Role conflicts: threads that appear to serve each other in a cycle.
 *
 * The services (decoder/report/waits/service.h) decide which of two threads is the client: the thread
 * that first turned to the other.  The result is wrong if threads serve each other in a cycle, through
 * semaphores, condition variables or futexes.  Their exchanges are then not requests and answers: the
 * threads take turns with a lock, or announce each time that they are free.
 *
 * The caller notes an arc for each exchange, and calls find after a pass over all edges.  Find computes
 * the strongly connected components of the arcs.  Two threads conflict if they are in one component.
 * While there are new components, the caller makes another pass, and treats the exchanges between
 * conflicting threads as undecided.
 */
#ifndef SYT_DECODER_REPORT_WAITS_ROLE_CONFLICT_H
#define SYT_DECODER_REPORT_WAITS_ROLE_CONFLICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct syt_role_conflict {
	uint32_t nr_threads;
	uint32_t *
		component; /* [thread]: equal for threads of one cycle; NULL: find was not called yet */
	size_t nr, room, merge_at; /* merge_at: removes duplicate arcs when there are so many */
	struct syt_role_conflict_arc {
		uint32_t client, server; /* trace-wide threads */
	} * arcs;
};

/* Adds an arc: the thread SERVER did something for the thread CLIENT. */
void syt_role_conflict_note(struct syt_role_conflict *m, uint32_t client, uint32_t server);
/* Finds the cycles in all arcs noted so far.  Returns whether they differ from the cycles of the last call.
 * All noted threads must be below NR_THREADS. */
bool syt_role_conflict_find(struct syt_role_conflict *m, uint32_t nr_threads);
/* Returns whether the last call of find put A and B into one cycle; false before the first call. */
bool syt_role_conflict_is(const struct syt_role_conflict *m, uint32_t a, uint32_t b);
void syt_role_conflict_close(struct syt_role_conflict *m);

#endif
