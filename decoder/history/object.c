/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/history/object.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/err.h"

/* A process image's number for an object that several processes may share, with the identity of the object. */
struct claim {
	uint64_t identity;
	uint32_t family, scope, generation;
	uint32_t image, index;
};

/* Returns the kind by which object numbers are unified. A stream socket and a listening socket have one family,
 * because a socket stays the same object when listen() is called. */
static uint32_t family(enum syt_kind kind)
{
	return kind == SYT_KIND_LISTEN ? SYT_KIND_STREAM : kind;
}

static int compare(const void *a_, const void *b_)
{
	const struct claim *a = a_, *b = b_;

	SYT_ORDER_BY(family);
	SYT_ORDER_BY(scope);
	SYT_ORDER_BY(identity);
	SYT_ORDER_BY(generation);
	SYT_ORDER_BY(image);
	SYT_ORDER_BY(index);
	return 0;
}

static bool same(const struct claim *a, const struct claim *b)
{
	return a->family == b->family && a->scope == b->scope && a->identity == b->identity &&
	       a->generation == b->generation;
}

/* Returns true if INFO describes an object better than the description THAN. A listening socket's is the best. */
static bool describes_better(const struct syt_object_info *info, const struct syt_object_info *than)
{
	if ((info->kind == SYT_KIND_LISTEN) != (than->kind == SYT_KIND_LISTEN))
		return info->kind == SYT_KIND_LISTEN;
	return !than->endpoint && info->endpoint;
}

static struct syt_object make(const struct syt_objects *o, uint32_t image, uint32_t index)
{
	return (struct syt_object){.info = &o->trace->images[image].objects[index],
	                           .image = image,
	                           .index = index,
	                           .peer = SYT_NONE,
	                           .is_one_image = true,
	                           .nr_images = 1,
	                           .sure_out = UINT64_MAX,
	                           .sure_in = UINT64_MAX};
}

/* Gives trace-wide numbers to the shared objects. Sorting places all claims to one object next to each other. */
static void number_shared(struct syt_objects *o, struct claim *claims, uint64_t nr)
{
	qsort(claims, nr, sizeof(*claims), compare);
	for (uint64_t i = 0; i < nr; i++) {
		const struct claim *c = &claims[i];
		struct syt_object_info *info = &o->trace->images[c->image].objects[c->index];

		if (i && same(c, c - 1)) {
			struct syt_object *known = &o->all[o->nr - 1];

			o->of_image[c->image][c->index] = o->nr - 1;
			known->is_one_image &= known->image == c->image;
			known->nr_images += c->image != c[-1].image;
			if (describes_better(info, known->info)) {
				known->info = info;
				known->image = c->image;
				known->index = c->index;
			}
			continue;
		}
		o->of_image[c->image][c->index] = o->nr;
		o->all[o->nr++] = make(o, c->image, c->index);
	}
}

/* Lowers sure_out and sure_in to the stream position at the begin of a call that never returned, because such a
 * call may have moved bytes. */
static void limit_counters(struct syt_objects *o, uint32_t image)
{
	const struct syt_image *i = &o->trace->images[image];

	for (size_t n = 0; n < i->nr_in_flight; n++) {
		const struct syt_in_flight_info *m = &i->in_flight[n];

		if (m->object >= i->nr_objects)
			continue;
		struct syt_object *object = &o->all[o->of_image[image][m->object]];
		uint64_t *sure = m->is_out ? &object->sure_out : &object->sure_in;

		if (*sure > m->position)
			*sure = m->position;
	}
}

int syt_objects_open(struct syt_objects *o, const struct syt_places *places)
{
	const struct syt_trace_data *trace = places->trace;
	uint64_t nr = 0, nr_shared = 0;
	struct claim *claims;

	memset(o, 0, sizeof(*o));
	o->trace = trace;
	for (uint32_t i = 0; i < trace->nr_images; i++)
		nr += trace->images[i].nr_objects;
	if (nr >= SYT_NONE)
		return -1;
	o->all = syt_calloc(nr, sizeof(*o->all));
	o->of_image = syt_calloc(trace->nr_images, sizeof(*o->of_image));
	claims = syt_calloc(nr, sizeof(*claims));
	for (uint32_t i = 0; i < trace->nr_images; i++) {
		const struct syt_image *image = &trace->images[i];

		o->of_image[i] = syt_calloc(image->nr_objects, sizeof(*o->of_image[i]));
		for (uint32_t k = 0; k < image->nr_objects; k++) {
			const struct syt_object_info *info = &image->objects[k];

			if (info->flags & SYT_OBJECT_SHARED) {
				claims[nr_shared++] = (struct claim){info->identity,
				                                     family(info->kind),
				                                     syt_object_scope(image, info),
				                                     info->generation,
				                                     i,
				                                     k};
				continue;
			}
			o->of_image[i][k] = o->nr;
			o->all[o->nr++] = make(o, i, k);
		}
	}
	number_shared(o, claims, nr_shared);
	free(claims);
	for (uint32_t i = 0; i < trace->nr_images; i++)
		limit_counters(o, i);
	/* only processes that name an object have events on this object */
	for (uint32_t i = 0; i < trace->nr_images; i++) {
		for (uint32_t k = 0; k < trace->images[i].nr_objects; k++) {
			struct syt_object *object = &o->all[o->of_image[i][k]];

			object->is_sampled |= trace->images[i].is_sampled;
			if (object->complete_from < places->complete_from[i])
				object->complete_from = places->complete_from[i];
		}
	}
	return 0;
}

void syt_objects_close(struct syt_objects *o)
{
	if (o->of_image)
		for (uint32_t i = 0; i < o->trace->nr_images; i++)
			free(o->of_image[i]);
	free(o->of_image);
	free(o->all);
	memset(o, 0, sizeof(*o));
}

const char *syt_object_title_of(const struct syt_objects *o, uint32_t object)
{
	const struct syt_object *of = &o->all[object];

	return syt_object_title(&o->trace->images[of->image], of->index);
}

const char *syt_object_name_of(const struct syt_objects *o, uint32_t object)
{
	const struct syt_object *of = &o->all[object];

	return syt_object_name(&o->trace->images[of->image], of->index);
}

bool syt_objects_matches(const struct syt_objects *o, uint32_t object, const char *pattern)
{
	const struct syt_object *of = &o->all[object];

	return syt_object_matches(&o->trace->images[of->image], of->index, pattern);
}
