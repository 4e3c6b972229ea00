/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The threads that used each sync object of a trace, and the time that they waited for the object.  A wait is an
 * acquire with a recorded begin and end: the acquire did not succeed at once.  The time of a readiness call counts only for
 * its epoll object, if any, because the call waits for several file descriptors.
 */
#ifndef SYT_DECODER_REPORT_STAT_OBJECT_SUMMARY_H
#define SYT_DECODER_REPORT_STAT_OBJECT_SUMMARY_H

#include "decoder/order/order.h"

struct syt_object_summary {
	uint32_t object; /* trace-wide index */
	uint32_t nr_threads, nr_images;
	uint64_t nr_events, nr_waits, wait_ns, max_wait_ns;
	uint64_t bytes; /* received bytes, or the sum of the values read from an eventfd */
	struct syt_place longest; /* the event with the longest wait */
};

enum syt_object_sort { SYT_SORT_WAIT, SYT_SORT_EVENTS, SYT_SORT_BYTES };

/* Returns the *NR objects that any event touched, most first. Owned by the caller (free). */
struct syt_object_summary *syt_object_summaries(const struct syt_order *o, enum syt_object_sort by,
                                                uint32_t *nr);

#endif
