/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/events/batch.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/work.h"
#include "decoder/read/name.h"
#include "decoder/report/events/print.h"

#define EVENTS_PER_PART                                                                            \
	2048u /* their text is mostly larger than the output buffer, and so written without a copy */
#define PARTS_PER_WORKER 4u

struct item {
	const struct syt_thread *thread;
	uint64_t row;
};

/* What one worker keeps from batch to batch. */
struct writer {
	struct syt_stack_texts *stacks;
	struct syt_out out;
};

struct syt_event_batch {
	struct syt_command *c;
	bool has_stacks;
	pthread_mutex_t symbols_lock;
	unsigned nr_workers;
	size_t nr, most;
	struct item *items;
	struct syt_out_memory *texts; /* [part] */
	struct writer *writers;       /* [worker] */
};

struct syt_event_batch *syt_event_batch_create(struct syt_command *c, bool has_stacks)
{
	struct syt_event_batch *b = syt_calloc(1, sizeof(*b));
	unsigned nr_parts;

	b->c = c;
	b->has_stacks = has_stacks;
	b->nr_workers = c->trace->nr_workers ? c->trace->nr_workers : 1;
	nr_parts = b->nr_workers * PARTS_PER_WORKER;
	b->most = (size_t)nr_parts * EVENTS_PER_PART;
	b->items = syt_alloc(b->most, sizeof(*b->items));
	b->texts = syt_calloc(nr_parts, sizeof(*b->texts));
	b->writers = syt_calloc(b->nr_workers, sizeof(*b->writers));
	pthread_mutex_init(&b->symbols_lock, NULL);
	return b;
}

static void write_part(void *context, size_t part, unsigned worker)
{
	struct syt_event_batch *b = context;
	struct writer *w = &b->writers[worker];
	size_t from = part * EVENTS_PER_PART, to = from + EVENTS_PER_PART;
	struct syt_out
		out; /* a copy, because the writers of two workers may be in one cache line */

	if (!w->out.buffer)
		syt_out_open_memory(&w->out, b->c->out, NULL);
	out = w->out;
	if (b->has_stacks && !w->stacks)
		w->stacks = syt_stack_texts_create(b->c->trace, b->c->symbols, &b->symbols_lock);
	out.memory = &b->texts[part];
	for (size_t n = from; n < to && n < b->nr; n++)
		(b->c->format == SYT_FORMAT_JSONL ? syt_event_json : syt_event_text)(
			&out, w->stacks, b->items[n].thread, b->items[n].row);
	syt_out_flush(&out);
}

static void print(struct syt_event_batch *b)
{
	size_t nr_parts = (b->nr + EVENTS_PER_PART - 1) / EVENTS_PER_PART;

	syt_work(nr_parts, b->nr_workers, write_part, b);
	for (size_t part = 0; part < nr_parts; part++) {
		if (b->texts[part].nr && !b->c->out->is_closed)
			syt_out_bytes(b->c->out, b->texts[part].bytes, b->texts[part].nr);
		b->texts[part].nr = 0;
	}
	b->nr = 0;
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

void syt_event_batch_add(struct syt_event_batch *b, const struct syt_thread *t, uint64_t row)
{
	name_objects(t, row);
	b->items[b->nr++] = (struct item){t, row};
	if (b->nr == b->most)
		print(b);
}

void syt_event_batch_finish(struct syt_event_batch *b)
{
	print(b);
	for (unsigned n = 0; n < b->nr_workers; n++) {
		syt_stack_texts_destroy(b->writers[n].stacks);
		free(b->writers[n].out.buffer);
	}
	for (unsigned n = 0; n < b->nr_workers * PARTS_PER_WORKER; n++)
		free(b->texts[n].bytes);
	pthread_mutex_destroy(&b->symbols_lock);
	free(b->writers);
	free(b->texts);
	free(b->items);
	free(b);
}
