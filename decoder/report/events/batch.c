/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/events/batch.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/ordered.h"
#include "base/work.h"
#include "decoder/read/name.h"
#include "decoder/report/events/print.h"

#define EVENTS_MAX 16384u /* number of events of a batch */

struct item {
	const struct syt_thread *thread;
	uint64_t row;
};

struct items {
	size_t nr;
	struct item *all;
};

struct syt_event_batch {
	struct syt_command *c;
	bool has_stacks, is_closed;
	pthread_mutex_t symbols_lock;
	unsigned nr_workers;
	struct items added, printed; /* the next events, and those that workers print meanwhile */
	struct syt_ordered ordered;
	struct syt_beside printing;
	bool is_printing;
	struct syt_stack_texts **stacks; /* [worker] */
};

struct syt_event_batch *syt_event_batch_create(struct syt_command *c, bool has_stacks)
{
	struct syt_event_batch *b = syt_calloc(1, sizeof(*b));

	b->c = c;
	b->has_stacks = has_stacks;
	b->nr_workers = c->trace->nr_workers ? c->trace->nr_workers : 1;
	b->added.all = syt_alloc(EVENTS_MAX, sizeof(*b->added.all));
	b->printed.all = syt_alloc(EVENTS_MAX, sizeof(*b->printed.all));
	b->stacks = syt_calloc(b->nr_workers, sizeof(struct syt_stack_texts *));
	syt_ordered_open(&b->ordered, c->out, b->nr_workers);
	pthread_mutex_init(&b->symbols_lock, NULL);
	return b;
}

static void write_events(void *context, struct syt_out *out, size_t from, size_t to,
                         unsigned worker)
{
	struct syt_event_batch *b = context;
	struct syt_stack_texts *stacks = b->stacks[worker];

	if (b->has_stacks && !stacks)
		stacks = b->stacks[worker] =
			syt_stack_texts_create(b->c->trace, b->c->symbols, &b->symbols_lock);
	for (size_t n = from; n < to; n++)
		(b->c->format == SYT_FORMAT_JSONL ? syt_event_json : syt_event_text)(
			out, stacks, b->printed.all[n].thread, b->printed.all[n].row);
}

static void print(void *context)
{
	struct syt_event_batch *b = context;

	syt_ordered_write(&b->ordered, b->printed.nr, write_events, b);
}

static void finish_printing(struct syt_event_batch *b)
{
	if (b->is_printing)
		syt_beside_end(&b->printing);
	b->is_printing = false;
	b->is_closed = b->c->out->is_closed;
}

/* Makes the names of the objects of the event, which are made at their first use, by one thread. */
static void name_objects(const struct syt_thread *t, uint64_t row)
{
	const struct syt_row *r = &t->rows[row];
	const struct syt_extra *x = syt_thread_extra(t, r);

	if (r->object != SYT_NONE)
		syt_object_title(t->image, r->object);
	if (x->object2 != SYT_NONE)
		syt_object_title(t->image, x->object2);
	for (uint32_t n = 0; n < x->nr_ready; n++)
		if (t->ready[x->ready + n].object != SYT_NONE)
			syt_object_title(t->image, t->ready[x->ready + n].object);
}

/* Begins to print the added events, when those before are printed. */
static void begin_printing(struct syt_event_batch *b)
{
	const struct items printed = b->printed;

	finish_printing(b);
	b->printed = b->added;
	b->added = (struct items){0, printed.all};
	for (size_t n = 0; n < b->printed.nr; n++)
		name_objects(b->printed.all[n].thread, b->printed.all[n].row);
	syt_beside_begin(&b->printing, b->nr_workers, print, b);
	b->is_printing = true;
}

bool syt_event_batch_add(struct syt_event_batch *b, const struct syt_thread *t, uint64_t row)
{
	b->added.all[b->added.nr++] = (struct item){t, row};
	if (b->added.nr == EVENTS_MAX)
		begin_printing(b);
	return !b->is_closed;
}

void syt_event_batch_finish(struct syt_event_batch *b)
{
	begin_printing(b);
	finish_printing(b);
	for (unsigned n = 0; n < b->nr_workers; n++)
		syt_stack_texts_destroy(b->stacks[n]);
	syt_ordered_close(&b->ordered);
	pthread_mutex_destroy(&b->symbols_lock);
	free(b->stacks);
	free(b->added.all);
	free(b->printed.all);
	free(b);
}
