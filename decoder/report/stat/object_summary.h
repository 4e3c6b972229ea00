/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Counts the threads that used each sync object of a trace, and the time that they waited for the object. A wait is
 * an acquire whose begin and end are both recorded: it did not succeed at once. A readiness call (poll, epoll_wait)
 * waits for several file descriptors, so its time counts only for its epoll object, if it has one. */
#ifndef SYT_DECODER_REPORT_STAT_OBJECT_SUMMARY_H
#define SYT_DECODER_REPORT_STAT_OBJECT_SUMMARY_H

#include "decoder/order/order.h"

struct syt_object_summary {
	uint32_t object; /* index of the object in the whole trace */
	uint32_t nr_threads, nr_images;
	uint64_t nr_events, nr_waits, wait_ns, max_wait_ns;
	uint64_t bytes; /* received bytes, or the sum of the values read from an eventfd */
	struct syt_place longest; /* event with the longest wait */
};

enum syt_object_sort { SYT_SORT_WAIT, SYT_SORT_EVENTS, SYT_SORT_BYTES };

/* Returns the *NR objects that events used, those with the greatest value of BY first. The caller frees the array
 * with free(). */
struct syt_object_summary *syt_object_summaries(const struct syt_order *o, enum syt_object_sort by,
                                                uint32_t *nr);

#endif
