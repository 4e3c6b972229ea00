/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A machine with threads, locks, semaphores, a condition variable, a barrier, futexes, streams and a
 * message queue that runs at random. It knows by vector clocks and by the objects themselves which
 * events happened before which others, and why. It writes the trace that a recorder would have written.
 * There is one machine; each run starts it anew.
 *
 * Each call has a begin, an instant of effect, for bytes an instant at which they are counted, and an
 * end, all at different times of one clock; other threads go on between any two of them.
 */
#ifndef SYT_TESTS_LIB_RANDOM_MACHINE_H
#define SYT_TESTS_LIB_RANDOM_MACHINE_H

#include "decoder/history/edge.h"
#include "tests/lib/trace-builder.h"

#define NR_THREADS 4u
#define MOST_EVENTS 2048u
#define MOST_SOURCES 16u

struct clock {
	uint32_t of[NR_THREADS]; /* number of events of each thread that happened before */
};

struct source {
	uint32_t thread, event;
};

/* The true effect of an event. */
struct truth {
	struct clock before; /* vector clock at the event's last effect */
	enum syt_edge_kind kind;
	uint32_t nr;
	struct source sources[MOST_SOURCES];
	uint32_t round; /* round of the barrier, plus one */
	/* of a call that moves bytes: time of its begin, and the byte counter of its end of the stream then */
	syt_time begin;
	uint64_t position;
};

#define MACHINE_KILLED 1u  /* calls that are in progress at the end leave no event */
#define MACHINE_NO_ZERO 2u /* no thread waits until a semaphore is 0 */
/* threads only send and receive, and lose the processor for many steps of the others */
#define MACHINE_STREAMS 4u

/* Runs the machine with SEED and returns the trace of process 100, image 0, which the caller destroys. */
struct syt_builder *machine_run(uint64_t seed, uint64_t nr_steps, unsigned how);

uint32_t machine_nr_events(uint32_t thread);
const struct truth *machine_truth(uint32_t thread, uint32_t event);

/* Returns a random number below N from the sequence of the last run's seed. */
uint64_t machine_random(uint64_t n);

#endif
