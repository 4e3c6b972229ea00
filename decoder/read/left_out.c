/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Reads the numbers of calls that a sampler left out. The slot of a thread has an entry for each site. An entry that another
 * site or thread gets becomes a record. A process may be killed after it wrote the record and before it cleared the
 * entry; the calls then count once. */
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/err.h"
#include "decoder/read/image.h"
#include "decoder/read/part.h"
#include "format/sampling.h"

void syt_left_out_add_record(struct syt_loading *l, const struct syt_meta_left_out *m)
{
	*SYT_ADD(l->left_out, l->nr_left_out_counts, l->room_left_out) =
		(struct syt_left_out_count){m->thread, m->stack, m->call,    m->site,
	                                    m->number, false,    m->left_out};
}

void syt_left_out_add_slot(struct syt_loading *l, const struct syt_chunk_ref *c, uint32_t thread)
{
	struct syt_thread *t;
	struct syt_sampling s;

	if (!l->has_header || l->image.file.major != SYT_FORMAT_MAJOR_SAMPLED ||
	    c->data_bytes + sizeof(struct syt_chunk) < SYT_SAMPLING_AT + sizeof(s))
		return;
	memcpy(&s, c->data - sizeof(struct syt_chunk) + SYT_SAMPLING_AT, sizeof(s));
	t = syt_image_thread(l, thread);
	if (!t)
		return;
	t->left_out_last = s.left_out;
	t->left_out_from = s.gap_from;
	for (uint32_t n = 0; n < SYT_NR_SITES; n++)
		if (syt_site_left_out(&s.counts[n], &s.sites.all[n]))
			*SYT_ADD(l->left_out, l->nr_left_out_counts, l->room_left_out) =
				(struct syt_left_out_count){
					thread,
					s.sites.all[n].stack,
					s.counts[n].call,
					n,
					s.nr_flushed + 1,
					true,
					syt_site_left_out(&s.counts[n], &s.sites.all[n])};
}

bool syt_left_out_is_known(const struct syt_loading *l)
{
	return l->has_header ? l->image.file.major == SYT_FORMAT_MAJOR_SAMPLED
	                     : l->nr_left_out_counts != 0;
}

/* Sorts by what a record and its entry have in common, and the records before the entries. */
SYT_COMPARATOR(by_entry, struct syt_left_out_count)
{
	SYT_ORDER_BY(thread);
	SYT_ORDER_BY(number);
	SYT_ORDER_BY(site);
	return SYT_COMPARE(a->is_entry, b->is_entry);
}

/* Returns true if the record before the entry C already contains its calls. */
static bool is_flushed(const struct syt_left_out_count *c)
{
	return c->is_entry && !c[-1].is_entry && c[-1].thread == c->thread &&
	       c[-1].number == c->number && c[-1].site == c->site;
}

void syt_left_out_settle(struct syt_loading *l)
{
	struct syt_image *i = &l->image;
	uint32_t hint = 0;

	if (!i->is_sampled)
		return;
	for (uint32_t n = 0; n < i->nr_threads; n++) {
		syt_time *from = &i->threads[n].left_out_from;

		*from = *from ? syt_clock_time(l->clock, *from, &hint) : UINT64_MAX;
	}
	if (l->nr_left_out_counts)
		qsort(l->left_out, l->nr_left_out_counts, sizeof(*l->left_out), by_entry);
	i->left_out = syt_calloc(l->nr_left_out_counts, sizeof(*i->left_out));
	for (size_t n = 0; n < l->nr_left_out_counts; n++) {
		const struct syt_left_out_count *c = &l->left_out[n];
		struct syt_thread *t;

		if (c->thread >= i->nr_threads || !c->nr || (n && is_flushed(c)))
			continue;
		t = &i->threads[c->thread];
		t->nr_left_out = syt_saturated(t->nr_left_out, c->nr);
		i->left_out[i->nr_left_out++] = (struct syt_left_out_info){
			.thread = c->thread,
			.stack = c->stack < i->nr_stacks ? c->stack : 0,
			.call = c->call < i->nr_calls && i->calls[c->call].name ? c->call
		                                                                : i->nr_calls - 1,
			.nr = c->nr,
		};
	}
}
