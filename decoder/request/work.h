/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The work of requests: CPU time, bytes, file calls and waits, by component.
 *
 * A component is a program: the name of a process image. The trace has the CPU time of a thread at some events
 * (decoder/analysis/cpu_time.h). Between two of them, the CPU time is divided in proportion to the time that the thread ran between
 * its waits. Waits are no part of the vector of work, because they depend on the circumstances. One thread at a time may use a
 * struct syt_works.
 */
#ifndef SYT_DECODER_REQUEST_WORK_H
#define SYT_DECODER_REQUEST_WORK_H

#include "decoder/request/extent.h"
#include "decoder/request/population.h"

/* The work of one component, or the sum of several. Times have the type syt_time. */
struct syt_work {
	uint32_t component; /* number in the set of components */
	syt_time ran;       /* time outside of waits */
	syt_time measured;  /* part of `ran` whose CPU time is known */
	syt_time cpu;       /* CPU time of this part */
	syt_time divided;   /* part of `cpu` from measurements that also contain other work */
	uint64_t received, sent, file_calls, file_bytes;
	syt_time file, lock, queue,
		other; /* waits: for files, for locks, as an item of a queue, for anything else */
};

struct syt_works;

/* Computes the work of requests of E, with components from SET. E and SET must outlive the result. */
struct syt_works *syt_works_create(const struct syt_extents *e, struct syt_text_set *set);
void syt_works_destroy(struct syt_works *w);

/* Computes the work of the request with the index R. Returns one element for each component, sorted by the component's name, valid until
 * the next call, and their number in *NR. R may be the number of requests: the work of several requests. */
const struct syt_work *syt_works_of(struct syt_works *w, uint64_t r, uint32_t *nr);

/* The time from one event of a thread to the next one, or in a call. */
struct syt_work_step {
	syt_time ran,
		cpu; /* time that the thread ran after the event, and its CPU time (0: unknown) */
	syt_time waited; /* time that the thread waited in the call */
};
/* Returns the times of the event AT, which is in PIECE of the extents. */
struct syt_work_step syt_works_step(struct syt_works *w, uint32_t piece, struct syt_place at);

/* Returns the CPU time of W in ns, or SYT_AMOUNT_UNKNOWN if most of it is unknown. */
uint64_t syt_work_cpu(const struct syt_work *w);
/* Returns the vector of W: the part of a population. */
struct syt_work_part syt_work_part_of(const struct syt_work *w);

/* The time that all threads of the trace ran, and how much of it belongs to requests. */
struct syt_work_shares {
	syt_time ran; /* of all threads that work for requests at some time, or of all threads */
	syt_time certain;  /* for a request, by proven happens-before edges alone */
	syt_time inferred; /* for a request, with at least one inferred step */
	syt_time several;  /* for several requests */
};
struct syt_work_shares syt_works_shares(const struct syt_works *w);

#endif
