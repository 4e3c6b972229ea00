/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "base/ordered.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/work.h"

/* Number of items of a part. Their text mostly fits into the cache of a processor. */
#define ITEMS_PER_PART 512u

/* The text of a part: first `overflow`, then the buffer of `out`. */
struct syt_ordered_text {
	struct syt_out_memory overflow;
	struct syt_out out;
};

void syt_ordered_open(struct syt_ordered *o, struct syt_out *out, unsigned nr_workers)
{
	*o = (struct syt_ordered){.out = out, .nr_workers = nr_workers ? nr_workers : 1};
	o->texts = syt_calloc(o->nr_workers, sizeof(*o->texts));
	for (unsigned n = 0; n < o->nr_workers; n++)
		syt_out_open_memory(&o->texts[n].out, out, &o->texts[n].overflow);
	pthread_mutex_init(&o->lock, NULL);
	pthread_cond_init(&o->is_next, NULL);
}

/* Writes TEXT to O->out. Gives the buffer with the text to O->out, so that the text is not copied. */
static void write_text(struct syt_ordered *o, struct syt_ordered_text *text)
{
	struct syt_out *to = o->out;
	char *buffer = to->buffer;

	syt_out_flush(to);
	if (text->overflow.nr)
		syt_out_many_bytes(to, text->overflow.bytes, text->overflow.nr);
	text->overflow.nr = 0;
	syt_out_flush(to);
	to->buffer = text->out.buffer;
	to->used = text->out.used;
	syt_out_flush(to);
	to->buffer = buffer;
	text->out.used = 0;
}

static void run_part(void *context, size_t number, unsigned worker)
{
	struct syt_ordered *o = context;
	struct syt_ordered_text *text = &o->texts[worker];
	size_t from = number * ITEMS_PER_PART, to = from + ITEMS_PER_PART;
	struct syt_out out =
		text->out; /* a copy, because the outputs of two workers may be in one cache line */

	o->run(o->context, &out, from, to < o->nr_items ? to : o->nr_items, worker);
	text->out.used = out.used;
	/* syt_work() begins the parts in their order, so another worker has begun each earlier part */
	pthread_mutex_lock(&o->lock);
	while (o->next != number)
		pthread_cond_wait(&o->is_next, &o->lock);
	write_text(o, text);
	o->next++;
	pthread_cond_broadcast(&o->is_next);
	pthread_mutex_unlock(&o->lock);
}

void syt_ordered_write(struct syt_ordered *o, size_t nr_items, syt_ordered_run *run, void *context)
{
	o->run = run;
	o->context = context;
	o->nr_items = nr_items;
	o->next = 0;
	syt_work((nr_items + ITEMS_PER_PART - 1) / ITEMS_PER_PART, o->nr_workers, run_part, o);
}

void syt_ordered_close(struct syt_ordered *o)
{
	for (unsigned n = 0; n < o->nr_workers; n++) {
		free(o->texts[n].out.buffer);
		free(o->texts[n].overflow.bytes);
	}
	free(o->texts);
	pthread_mutex_destroy(&o->lock);
	pthread_cond_destroy(&o->is_next);
}
