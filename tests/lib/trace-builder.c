/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "tests/lib/trace-builder.h"

#include <stdlib.h>
#include <string.h>

#include "base/store.h"
#include "decoder/read/name.h"
#include "decoder/read/part.h"

#define MOST_IMAGES 8u
#define MOST_THREADS 32u
#define MOST_OBJECTS 2048u

struct syt_builder {
	struct syt_trace_data trace;
	struct syt_image images[MOST_IMAGES];
	size_t room_rows[MOST_IMAGES][MOST_THREADS], room_extras[MOST_IMAGES][MOST_THREADS],
		room_wide[MOST_IMAGES][MOST_THREADS], room_ready[MOST_IMAGES][MOST_THREADS];
	uint64_t nr_dropped[MOST_IMAGES][MOST_THREADS];
};

/* clang-format off */
#define IN true
#define OUT false
static const struct { const char *name; bool stamp_in; } shapes[] = {
#define SHAPE(name_, text_, stamp_, unsampled_) {text_, stamp_},
#include "format/shapes.def"
#undef SHAPE
};
#undef IN
#undef OUT
/* clang-format on */

static void *grown(void *array, size_t *room, uint64_t nr, size_t bytes)
{
	if (nr > *room) {
		*room = nr * 2;
		array = realloc(array, *room * bytes);
		if (!array)
			abort();
	}
	return array;
}

static void must(bool condition)
{
	if (!condition)
		abort();
}

struct syt_builder *syt_builder_create(void)
{
	struct syt_builder *b = calloc(1, sizeof(*b));

	must(b);
	b->trace.images = b->images;
	return b;
}

void syt_builder_destroy(struct syt_builder *b)
{
	syt_names_close(&b->trace);
	for (uint32_t i = 0; i < b->trace.nr_images; i++) {
		struct syt_image *image = &b->images[i];

		for (uint32_t t = 0; t < image->nr_threads; t++) {
			free(image->threads[t].rows - b->nr_dropped[i][t]);
			free(image->threads[t].extras);
			free(image->threads[t].wide);
			free(image->threads[t].ready);
			syt_store_free(image->threads[t].parts);
		}
		for (uint32_t o = 0; o < image->nr_objects; o++)
			free((void *)image->objects[o].endpoint);
		free(image->calls);
		free(image->objects);
		free(image->threads);
		free(image->in_flight);
		free(image->pauses);
	}
	free(b);
}

uint32_t syt_builder_image(struct syt_builder *b, uint32_t pid)
{
	uint32_t n = b->trace.nr_images++;
	struct syt_image *i = &b->images[n];

	must(n < MOST_IMAGES);
	i->trace = &b->trace;
	i->index = n;
	i->file.index = n;
	i->file.pid = pid;
	i->file.parent_index = UINT32_MAX;
	i->file.state = SYT_STATE_EXITED;
	i->nr_calls = SYT_NR_SHAPES;
	i->calls = calloc(SYT_NR_SHAPES, sizeof(*i->calls));
	i->objects = calloc(MOST_OBJECTS, sizeof(*i->objects));
	i->threads = calloc(MOST_THREADS, sizeof(*i->threads));
	must(i->calls && i->objects && i->threads);
	for (unsigned k = 0; k < SYT_NR_SHAPES; k++)
		i->calls[k] = (struct syt_call_info){(char *)shapes[k].name, (uint8_t)k, 0,
		                                     shapes[k].stamp_in};
	return n;
}

uint32_t syt_builder_thread(struct syt_builder *b, uint32_t image)
{
	struct syt_image *i = &b->images[image];
	uint32_t n = i->nr_threads++;

	must(n < MOST_THREADS);
	i->threads[n] = (struct syt_thread){
		.image = i, .index = n, .tid = i->file.pid + n, .creator = SYT_NONE};
	return n;
}

uint32_t syt_builder_object(struct syt_builder *b, uint32_t image, enum syt_kind kind,
                            uint64_t identity, uint32_t generation, uint16_t flags)
{
	struct syt_image *i = &b->images[image];
	uint32_t n = i->nr_objects++;

	must(n < MOST_OBJECTS);
	i->objects[n] = (struct syt_object_info){.kind = kind,
	                                         .flags = flags,
	                                         .generation = generation,
	                                         .fd = SYT_NONE,
	                                         .identity = identity};
	return n + 1;
}

void syt_builder_value(struct syt_builder *b, uint32_t image, uint32_t object, uint32_t value,
                       syt_time at)
{
	struct syt_object_info *o = &b->images[image].objects[object - 1];

	must(object && object <= b->images[image].nr_objects);
	o->flags |= SYT_OBJECT_VALUE;
	o->value = value;
	o->first = at;
}

void syt_builder_endpoint(struct syt_builder *b, uint32_t image, uint32_t object,
                          struct syt_endpoint_info info)
{
	struct syt_endpoint_info *copy = malloc(sizeof(*copy));

	must(copy && object && object <= b->images[image].nr_objects);
	*copy = info;
	copy->peer_object = info.peer_object ? info.peer_object - 1 : SYT_NONE;
	free((void *)b->images[image].objects[object - 1].endpoint);
	b->images[image].objects[object - 1].endpoint = copy;
}

void syt_builder_pause(struct syt_builder *b, uint32_t image, syt_time from)
{
	struct syt_image *i = &b->images[image];

	must(image < b->trace.nr_images && !i->nr_pauses);
	i->pauses = calloc(1, sizeof(*i->pauses));
	must(i->pauses != NULL);
	*i->pauses = (struct syt_pause_info){1, from, UINT64_MAX, UINT64_MAX};
	i->nr_pauses = 1;
	i->end = UINT64_MAX; /* the process lived on */
}

void syt_builder_sample(struct syt_builder *b, uint32_t image)
{
	must(image < b->trace.nr_images);
	b->images[image].is_sampled = true;
}

void syt_builder_moving(struct syt_builder *b, uint32_t image, uint32_t object, uint64_t position,
                        bool is_out)
{
	struct syt_image *i = &b->images[image];

	must(image < b->trace.nr_images && object && object <= i->nr_objects);
	i->in_flight = realloc(i->in_flight, (i->nr_in_flight + 1) * sizeof(*i->in_flight));
	must(i->in_flight);
	i->in_flight[i->nr_in_flight++] =
		(struct syt_in_flight_info){position, object - 1, is_out, SYT_NONE};
}

static bool has_extra(const struct syt_made *e)
{
	return e->object2 || e->thread1 || e->offset || e->offset2 || e->bytes || e->cpu ||
	       e->pid || e->arg || e->count || e->status || e->flags || e->peer ||
	       e->ready[0].object || e->left_out || e->crossed || e->is_ghost;
}

void syt_builder_event(struct syt_builder *b, uint32_t image, uint32_t thread, struct syt_made e)
{
	struct syt_thread *t = &b->images[image].threads[thread];
	struct syt_row row = {
		.in = e.in ? e.in : e.out,
		.out = e.out ? e.out : e.in,
		.result = e.result,
		.err = e.err,
		.stack = e.stack,
		.object = e.object ? e.object - 1 : SYT_NONE,
		.extra = SYT_NONE,
		.call = (uint16_t)e.shape,
	};

	must(image < b->trace.nr_images && thread < b->images[image].nr_threads);
	if (has_extra(&e)) {
		struct syt_extra x = {
			.object2 = e.object2 ? e.object2 - 1 : SYT_NONE,
			.thread = e.thread1 ? e.thread1 - 1 : SYT_NONE,
			.offset = e.offset,
			.offset2 = e.offset2,
			.bytes = e.bytes,
			.cpu = e.cpu,
			.pid = e.pid,
			.arg = e.arg,
			.count = e.count,
			.status = (uint32_t)e.status,
			.left_out = e.left_out,
			.crossed = e.crossed,
			.flags = (uint16_t)(e.flags | (e.is_ghost ? SYT_EXTRA_GHOST : 0)),
			.peer = e.peer,
			.ready = (uint32_t)t->nr_ready,
		};

		for (; x.nr_ready < 4 && e.ready[x.nr_ready].object; x.nr_ready++) {
			t->ready = grown(t->ready, &b->room_ready[image][thread], t->nr_ready + 1,
			                 sizeof(*t->ready));
			t->ready[t->nr_ready] = e.ready[x.nr_ready];
			t->ready[t->nr_ready++].object--;
		}
		t->extras = grown(t->extras, &b->room_extras[image][thread], t->nr_extras + 1,
		                  sizeof(*t->extras));
		row.extra = (uint32_t)t->nr_extras;

		struct syt_packed_extra *packed = &t->extras[t->nr_extras++];

		if (!syt_extra_pack(packed, &x)) {
			t->wide = grown(t->wide, &b->room_wide[image][thread], t->nr_wide + 1,
			                sizeof(*t->wide));
			packed->nr_ready = SYT_EXTRA_WIDE;
			packed->ready = (uint32_t)t->nr_wide;
			t->wide[t->nr_wide++] = x;
		}
	}
	t->rows = grown(t->rows, &b->room_rows[image][thread], t->nr_rows + 1, sizeof(*t->rows));
	t->rows[t->nr_rows++] = row;
}

static syt_time stamp(const struct syt_row *r)
{
	return shapes[r->call].stamp_in ? r->in : r->out;
}

struct syt_trace_data *syt_builder_trace(struct syt_builder *b)
{
	b->trace.begin = UINT64_MAX;
	for (uint32_t i = 0; i < b->trace.nr_images; i++) {
		for (uint32_t k = 0; k < b->images[i].nr_threads; k++) {
			struct syt_thread *t = &b->images[i].threads[k];

			for (uint64_t r = 0; r < t->nr_rows; r++) {
				struct syt_row row = t->rows[r];
				uint64_t at = r;

				for (; at && stamp(&t->rows[at - 1]) > stamp(&row); at--)
					t->rows[at] = t->rows[at - 1];
				t->rows[at] = row;
				if (b->trace.begin > row.in)
					b->trace.begin = row.in;
				if (b->trace.end < row.out)
					b->trace.end = row.out;
			}
			t->first = t->nr_rows ? t->rows[0].in : 0;
			if (b->images[i].is_sampled)
				syt_parts_find(t);
		}
	}
	syt_names_open(&b->trace, NULL);
	return &b->trace;
}

void syt_builder_drop(struct syt_builder *b, uint32_t image, uint32_t thread, uint64_t nr)
{
	struct syt_thread *t = &b->images[image].threads[thread];

	must(nr <= t->nr_rows);
	t->rows += nr;
	t->nr_rows -= nr;
	t->base += nr;
	if (nr)
		t->complete_from = t->nr_rows ? t->rows[0].in : UINT64_MAX;
	b->nr_dropped[image][thread] += nr;
}

void syt_builder_cut(struct syt_builder *b, uint32_t image, uint32_t thread, uint64_t nr)
{
	struct syt_thread *t = &b->images[image].threads[thread];

	must(nr <= t->nr_rows);
	t->nr_rows = nr;
}
