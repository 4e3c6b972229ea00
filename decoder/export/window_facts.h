/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Sums the waits and the holdings of locks of one window, for export --to=window. A window is the recorded time from the
 * last resume of the recording until the next pause, or the whole trace if the recording was never paused.
 *
 * A wait or a holding counts if its call began in the window, with its whole time. The words and the times are those
 * of the report waits. All parts of the time of a group of this report are rounded so that their sum is the time
 * that the report prints.
 */
#ifndef SYT_DECODER_EXPORT_WINDOW_FACTS_H
#define SYT_DECODER_EXPORT_WINDOW_FACTS_H

#include "decoder/export/exporter.h"

/* Most facts of a window. The smallest facts are summed in one fact "other" of each event, wait and hold. */
#define SYT_WINDOW_FACTS 2000u

struct syt_window_fact {
	bool is_hold;
	uint8_t kind, reason; /* enum syt_waits_kind, _reason; not of a holding */
	uint8_t blame;        /* enum syt_blame_kind, or SYT_NR_BLAMES */
	bool is_other; /* the sum of the smallest facts; the other members above and below have no meaning */
	uint32_t image, call;    /* index in trace->images, and of the call in the image */
	uint32_t lock;           /* index in `locks`, or SYT_NONE */
	uint32_t stack, culprit; /* indices in `stacks`; culprit: or SYT_NONE */
	uint64_t nr;             /* number of waits with a part in this fact, or of holdings */
	uint64_t ns, most_ns;
};

/* A call stack or a lock, by its content: two objects at one address in two processes of one program are one lock. */
struct syt_window_stack {
	uint32_t image, stack;
};

/* A lock is identified by the name that the program gave it, otherwise by its place in a module, otherwise by the call
 * stack of its first use. */
struct syt_window_lock {
	uint32_t object; /* trace-wide */
	uint32_t module; /* index in the modules of the object's image, or SYT_NONE */
	uint32_t made;   /* index in `stacks`, or SYT_NONE */
	uint64_t offset; /* address of the lock minus the load bias of the module */
};

struct syt_window_facts {
	syt_time from, until; /* the window */
	bool is_part;         /* the recording was paused */
	syt_time
		wall; /* lifetimes of all threads in the window; the time of the report waits for a whole trace */
	uint64_t nr_events, nr_lost;
	uint64_t nr_open; /* calls that had not returned */
	syt_time unseen;  /* time of waits whose lock holder the trace does not show */
	size_t nr, room;
	struct syt_window_fact *all; /* the largest time first, then the facts "other" */
	size_t nr_stacks, room_stacks;
	struct syt_window_stack *stacks;
	size_t nr_locks, room_locks;
	struct syt_window_lock *locks;
};

/* Gathers the facts of X->order. The edges of this order must belong to the last period without a pause. */
void syt_window_facts_open(struct syt_window_facts *w, const struct syt_export *x);
void syt_window_facts_close(struct syt_window_facts *w);

#endif
