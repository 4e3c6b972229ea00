/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/show/summary.h"

#include <stdlib.h>

#include "decoder/base/err.h"
#include "decoder/base/store.h"

static void add(struct syt_use *u, uint64_t wait_ns, uint64_t bytes)
{
	u->nr++;
	u->bytes += bytes;
	if (!wait_ns)
		return;
	u->nr_waited++;
	u->wait_ns += wait_ns;
	if (wait_ns > u->max_wait_ns)
		u->max_wait_ns = wait_ns;
}

void syt_summary_make(struct syt_image_summary *s, const struct syt_image *i)
{
	s->calls = syt_calloc(i->nr_calls, sizeof(*s->calls));
	s->objects = syt_calloc(i->nr_objects, sizeof(*s->objects));
	s->threads = syt_calloc(i->nr_threads, sizeof(*s->threads));
	for (uint32_t n = 0; n < i->nr_threads; n++) {
		const struct syt_thread *t = &i->threads[n];

		for (uint64_t row = 0; row < t->nr_rows; row++) {
			const struct syt_row *r = &t->rows[row];
			const struct syt_extra *x =
				r->extra == SYT_NONE ? NULL : &t->extras[r->extra];
			uint64_t wait_ns = SYT_TIME_NS(r->out) - SYT_TIME_NS(r->in);
			uint64_t bytes = x ? x->bytes : 0;

			if (!(row % SYT_STORE_STRIDE))
				syt_store_settle();
			add(&s->calls[r->call], wait_ns, bytes);
			add(&s->threads[n], wait_ns, bytes);
			if (r->object != SYT_NONE)
				add(&s->objects[r->object], wait_ns, bytes);
			if (x && x->object2 != SYT_NONE)
				add(&s->objects[x->object2], wait_ns, bytes);
		}
	}
}

void syt_summary_fini(struct syt_image_summary *s)
{
	free(s->calls);
	free(s->objects);
	free(s->threads);
}
