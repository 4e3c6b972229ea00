/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Where an event stands in a trace, and what its neighbours say about when it took effect.
 *
 * The threads of all images get one dense number; a place is (that number, row).  The recorder
 * stamps a release before the real call and an acquire after it; the instant of effect lies between
 * the bounds that syt_place_earliest() and syt_place_latest() give.  Read-only once opened; any
 * thread.
 */
#ifndef SYT_DECODER_PLACE_H
#define SYT_DECODER_PLACE_H

#include "base/store.h"
#include "decoder/read/trace.h"

struct syt_place {
	uint32_t thread; /* trace-wide; SYT_NONE: not an event but a barrier's round
	                    (decoder/history/edge.h) */
	uint32_t row;
};

/* By thread, then by row: for sorting. */
static inline int syt_place_compare(struct syt_place a, struct syt_place b)
{
	if (a.thread != b.thread)
		return a.thread < b.thread ? -1 : 1;
	return a.row < b.row ? -1 : a.row > b.row;
}

struct syt_places {
	const struct syt_trace_data *trace;
	uint32_t nr_threads;
	const struct syt_thread **threads; /* by trace-wide number */
	uint32_t *first;                   /* by index in trace->images: number of its T 0 */
	syt_time *complete_from; /* by index in trace->images: from here on no event of it is
	                            missing; UINT64_MAX: that is never certain */
	bool is_paused;          /* recording was, at some time: see decoder/history/window.h */
	syt_time complete_until; /* up to here; UINT64_MAX where it was not */
	uint64_t nr_resumes;
	syt_time *resumes; /* when recording went on; sorted */
};

/* TRACE must outlive P. Returns 0, or -1 when a thread has more rows than a place can name. */
int syt_places_open(struct syt_places *p, const struct syt_trace_data *trace);
void syt_places_close(struct syt_places *p);

static inline const struct syt_thread *syt_place_thread(const struct syt_places *p,
                                                        struct syt_place at)
{
	return p->threads[at.thread];
}

static inline const struct syt_row *syt_place_row(const struct syt_places *p, struct syt_place at)
{
	syt_store_look();
	return syt_thread_row(p->threads[at.thread], at.row);
}

static inline const struct syt_image *syt_place_image(const struct syt_places *p,
                                                      struct syt_place at)
{
	return p->threads[at.thread]->image;
}

/* Index in trace->images, which is not P when not all dumps were given. */
static inline uint32_t syt_place_image_idx(const struct syt_places *p, struct syt_place at)
{
	return (uint32_t)(p->threads[at.thread]->image - p->trace->images);
}

static inline const struct syt_call_info *syt_place_call(const struct syt_places *p,
                                                         struct syt_place at)
{
	return syt_row_call(syt_place_image(p, at), syt_place_row(p, at));
}

/* The event that ID, "P.T.N", names; false when there is none. */
bool syt_place_find(const struct syt_places *p, const char *id, struct syt_place *at);

/* When the last event of an image (by its index in trace->images) ended; 0: it has none. */
syt_time syt_place_image_end(const struct syt_places *p, uint32_t image);

/* The event's optional fields; all absent (0, SYT_NONE) when it has none. Never NULL. */
const struct syt_extra *syt_thread_extra(const struct syt_thread *t, const struct syt_row *r);

static inline const struct syt_extra *syt_place_extra(const struct syt_places *p,
                                                      struct syt_place at)
{
	return syt_thread_extra(p->threads[at.thread], syt_place_row(p, at));
}

/* The ordering stamp: what `ts` prints. */
static inline syt_time syt_row_stamp(const struct syt_call_info *c, const struct syt_row *r)
{
	return c->stamp_in ? r->in : r->out;
}

/* The earliest instant at which an acquire can have taken effect: when it began, or, when only its
 * end was stamped, the end of the thread's event before it. */
syt_time syt_place_earliest(const struct syt_places *p, struct syt_place at);

/* The latest instant at which a release can have taken effect: when it ended, or the begin of the
 * thread's next event; UINT64_MAX when nothing bounds it. */
syt_time syt_place_latest(const struct syt_places *p, struct syt_place at);

/* Whether the event did what its call is for: got the lock, the token, ... */
bool syt_row_succeeded(const struct syt_call_info *c, const struct syt_row *r);
bool syt_place_succeeded(const struct syt_places *p, struct syt_place at);

/* A cond wait that gave its mutex away and took it back, whatever woke it. */
bool syt_row_gave_mutex(const struct syt_call_info *c, const struct syt_row *r);
bool syt_place_gave_mutex(const struct syt_places *p, struct syt_place at);

/* An event of this shape, on an object of this kind, can be an edge's end: a boundary of leaf
 * tasks. */
bool syt_place_is_point(const struct syt_places *p, struct syt_place at);

#endif
