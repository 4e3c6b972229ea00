/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Output of many items in their order, with several workers. Each worker makes the text of consecutive items in a buffer of its
 * own, which stays in the cache of its processor. Then the worker waits until the text of all earlier items is written, and
 * writes its own. The output does not depend on the number of workers. */
#ifndef SYT_BASE_ORDERED_H
#define SYT_BASE_ORDERED_H

#include <pthread.h>

#include "base/out.h"

/* Writes the items [FROM, TO) to OUT. WORKER is less than the number of workers. */
typedef void syt_ordered_run(void *context, struct syt_out *out, size_t from, size_t to,
                             unsigned worker);

struct syt_ordered {
	struct syt_out *out;
	unsigned nr_workers;
	struct syt_ordered_text *texts; /* [worker] */
	syt_ordered_run *run;
	void *context;
	size_t nr_items;
	pthread_mutex_t lock; /* protects `out` and `next` */
	pthread_cond_t is_next;
	size_t next; /* number of the part that is written next */
};

/* Opens O for output to OUT. Only O writes to OUT while syt_ordered_write() runs. */
void syt_ordered_open(struct syt_ordered *o, struct syt_out *out, unsigned nr_workers);
/* Writes NR_ITEMS items. Calls RUN for consecutive items, in several threads. */
void syt_ordered_write(struct syt_ordered *o, size_t nr_items, syt_ordered_run *run, void *context);
void syt_ordered_close(struct syt_ordered *o);

#endif
