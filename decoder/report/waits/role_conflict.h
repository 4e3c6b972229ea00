/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Role conflicts: threads that appear to serve each other in a cycle.
 *
 * The services (decoder/report/waits/service.h) take the thread that first turned to another thread
 * as the client. This is wrong for threads that serve each other in a cycle, through semaphores,
 * condition variables or futexes. The threads then take turns with a lock, or announce each time
 * that they are free: their exchanges are not requests and answers.
 *
 * The caller notes an arc from client to server for each exchange, and calls find after a pass over
 * all happens-before edges. Two threads conflict if they are in one strongly connected component of
 * the arcs. While there are new components, the caller makes another pass, in which the exchanges
 * between conflicting threads are undecided.
 */
#ifndef SYT_DECODER_REPORT_WAITS_ROLE_CONFLICT_H
#define SYT_DECODER_REPORT_WAITS_ROLE_CONFLICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct syt_role_conflict {
	uint32_t nr_threads;
	uint32_t *component;       /* [thread]: equal for threads of one cycle; NULL: no find yet */
	size_t nr, room, merge_at; /* merge_at: removes duplicate arcs when there are so many */
	struct syt_role_conflict_arc {
		uint32_t client, server; /* trace-wide threads */
	} * arcs;
};

/* Adds an arc: the thread SERVER did something for the thread CLIENT. */
void syt_role_conflict_note(struct syt_role_conflict *m, uint32_t client, uint32_t server);
/* Finds the cycles in all arcs noted so far, of threads below NR_THREADS. Returns whether the cycles
 * differ from those of the last call. */
bool syt_role_conflict_find(struct syt_role_conflict *m, uint32_t nr_threads);
/* Returns whether the last call of find put A and B into one cycle; false before the first call. */
bool syt_role_conflict_is(const struct syt_role_conflict *m, uint32_t a, uint32_t b);
void syt_role_conflict_close(struct syt_role_conflict *m);

#endif
