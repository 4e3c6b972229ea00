/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The program's own queues, through which threads hand off items (decoder/order/handoff.h). */
#ifndef SYT_DECODER_ORDER_QUEUE_H
#define SYT_DECODER_ORDER_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The evidence for a queue: a mutex, and the object on which threads wait when the queue is empty. */
struct syt_queue {
	uint32_t mutex, through;   /* trace-wide objects */
	uint64_t nr_put, nr_taken; /* sections that put an item in, and that took one */
	/* sections in stretches between two empty instants in which the numbers agree, or disagree */
	uint64_t nr_agree, nr_disagree;
	bool is_balanced; /* as many were taken as put, in total */
	uint32_t depth;   /* number of frames that distinguish sections, from the innermost */
};

struct syt_handoffs {
	size_t nr, room;
	struct syt_queue *queues;
};

#define SYT_HANDOFF_EVIDENCE(queue_, among_) ((uint64_t)(queue_) << 32 | (among_))
#define SYT_HANDOFF_QUEUE(bytes_) ((uint32_t)((bytes_) >> 32)) /* index in the queues */
/* The number of items in the queue when the item was put in, or when it was taken: the larger
 * number. With 1, the item was alone, so the edge is right in whatever order the queue returns
 * items. */
#define SYT_HANDOFF_AMONG(bytes_) ((uint32_t)(bytes_))

#endif
