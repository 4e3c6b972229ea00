/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/events/batch.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/work.h"
#include "decoder/read/name.h"
#include "decoder/report/events/print.h"

#define EVENTS_PER_PART 1024u /* their text mostly fits into the buffer of an output */
#define PARTS_PER_WORKER 4u

struct item {
	const struct syt_thread *thread;
	uint64_t row;
};

/* The text of consecutive events: first `overflow`, then the buffer of `out`. */
struct part {
	struct syt_out_memory overflow;
	struct syt_out out;
};

struct syt_event_batch {
	struct syt_command *c;
	bool has_stacks;
	pthread_mutex_t symbols_lock;
	unsigned nr_workers;
	size_t nr, most;
	struct item *items;
	unsigned nr_parts;
	struct part *parts;
	struct syt_stack_texts **stacks; /* [worker] */
};

struct syt_event_batch *syt_event_batch_create(struct syt_command *c, bool has_stacks)
{
	struct syt_event_batch *b = syt_calloc(1, sizeof(*b));

	b->c = c;
	b->has_stacks = has_stacks;
	b->nr_workers = c->trace->nr_workers ? c->trace->nr_workers : 1;
	b->nr_parts = b->nr_workers * PARTS_PER_WORKER;
	b->most = (size_t)b->nr_parts * EVENTS_PER_PART;
	b->items = syt_alloc(b->most, sizeof(*b->items));
	b->parts = syt_calloc(b->nr_parts, sizeof(*b->parts));
	b->stacks = syt_calloc(b->nr_workers, sizeof(struct syt_stack_texts *));
	pthread_mutex_init(&b->symbols_lock, NULL);
	return b;
}

static void write_part(void *context, size_t number, unsigned worker)
{
	struct syt_event_batch *b = context;
	struct part *part = &b->parts[number];
	size_t from = number * EVENTS_PER_PART, to = from + EVENTS_PER_PART;
	struct syt_stack_texts *stacks = b->stacks[worker];
	struct syt_out out;

	if (!part->out.buffer)
		syt_out_open_memory(&part->out, b->c->out, &part->overflow);
	out = part->out; /* a copy, because the parts of two workers may be in one cache line */
	if (b->has_stacks && !stacks)
		stacks = b->stacks[worker] =
			syt_stack_texts_create(b->c->trace, b->c->symbols, &b->symbols_lock);
	for (size_t n = from; n < to && n < b->nr; n++)
		(b->c->format == SYT_FORMAT_JSONL ? syt_event_json : syt_event_text)(
			&out, stacks, b->items[n].thread, b->items[n].row);
	part->out.used = out.used;
}

/* Gives the buffer of PART to TO, whose buffer it gets, so that the text is not copied. */
static void move_text(struct syt_out *to, struct part *part)
{
	char *empty;

	if (part->overflow.nr)
		syt_out_bytes(to, part->overflow.bytes, part->overflow.nr);
	part->overflow.nr = 0;
	syt_out_flush(to);
	empty = to->buffer;
	to->buffer = part->out.buffer;
	to->used = part->out.used;
	part->out.buffer = empty;
	part->out.used = 0;
}

static void print(struct syt_event_batch *b)
{
	size_t nr_parts = (b->nr + EVENTS_PER_PART - 1) / EVENTS_PER_PART;

	syt_work(nr_parts, b->nr_workers, write_part, b);
	for (size_t part = 0; part < nr_parts; part++)
		move_text(b->c->out, &b->parts[part]);
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
	for (unsigned n = 0; n < b->nr_workers; n++)
		syt_stack_texts_destroy(b->stacks[n]);
	for (unsigned n = 0; n < b->nr_parts; n++) {
		free(b->parts[n].out.buffer);
		free(b->parts[n].overflow.bytes);
	}
	pthread_mutex_destroy(&b->symbols_lock);
	free(b->stacks);
	free(b->parts);
	free(b->items);
	free(b);
}
