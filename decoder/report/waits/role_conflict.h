/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Threads about which the services (decoder/report/waits/service.h) contradict themselves.
 *
 * Who of two threads serves the other is decided by who turned to whom first.  When it has come out so
 * that threads serve each other in a circle, by semaphores, condition variables or futexes, these are no
 * requests and answers: they take turns with a lock, or announce each time that they are free.
 */
#ifndef SYT_DECODER_REPORT_WAITS_ROLE_CONFLICT_H
#define SYT_DECODER_REPORT_WAITS_ROLE_CONFLICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct syt_role_conflict {
	uint32_t nr_threads;
	uint32_t *circle; /* [thread]: equal for threads in a circle; NULL: there is none */
	size_t nr, room, enough;
	struct syt_role_conflict_arc {
		uint32_t served, serves; /* threads */
	} * arcs;
};

/* SERVES was seen to do something for SERVED. */
void syt_role_conflict_note(struct syt_role_conflict *m, uint32_t served, uint32_t serves);
/* Whether what was noted since the last time makes circles, of threads below NR_THREADS, that were none. */
bool syt_role_conflict_find(struct syt_role_conflict *m, uint32_t nr_threads);
/* As found. */
bool syt_role_conflict_is(const struct syt_role_conflict *m, uint32_t a, uint32_t b);
void syt_role_conflict_close(struct syt_role_conflict *m);

#endif
