/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The place of an event in a trace, and the bounds that neighbouring events give for its effect.
 *
 * The threads of all images are numbered from 0 (trace-wide). A place is the number of a thread and a row, the
 * index of an event in the thread. The recorder stamps a release before the real call and an acquire after the
 * call. The effect lies between syt_place_earliest() and syt_place_latest(). Read-only once opened; any thread.
 */
#ifndef SYT_DECODER_PLACE_H
#define SYT_DECODER_PLACE_H

#include "base/store.h"
#include "decoder/read/trace.h"

struct syt_place {
	uint32_t thread; /* trace-wide; SYT_NONE: a barrier's round (decoder/history/edge.h) */
	uint32_t row;
};

/* Compares by thread, then by row, for sorting. */
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
	/* [index in trace->images]: trace-wide number of the image's thread 0; the time from which all events of
	 * the image are recorded (UINT64_MAX: never certain) */
	uint32_t *first;
	syt_time *complete_from;
	bool is_paused;          /* recording was paused at some time (decoder/history/window.h) */
	syt_time complete_until; /* end of the chosen time; UINT64_MAX: no end */
	uint64_t nr_resumes;
	syt_time *resumes; /* ends of the pauses; sorted */
};

/* TRACE must outlive P. Returns 0, or -1 if there are too many threads, or rows in a thread. */
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

/* Returns the index in trace->images. It differs from P if the trace is incomplete. */
static inline uint32_t syt_place_image_idx(const struct syt_places *p, struct syt_place at)
{
	return (uint32_t)(p->threads[at.thread]->image - p->trace->images);
}

static inline const struct syt_call_info *syt_place_call(const struct syt_places *p,
                                                         struct syt_place at)
{
	return syt_row_call(syt_place_image(p, at), syt_place_row(p, at));
}

/* Finds the event with the name ID, "P.T.N". Returns false if there is none. */
bool syt_place_find(const struct syt_places *p, const char *id, struct syt_place *at);

/* Returns the end of an image's last event (IMAGE: index in trace->images); 0: no event. */
syt_time syt_place_image_end(const struct syt_places *p, uint32_t image);

/* Returns the event's optional fields, never NULL. Absent fields are 0 or SYT_NONE. */
const struct syt_extra *syt_thread_extra(const struct syt_thread *t, const struct syt_row *r);

static inline const struct syt_extra *syt_place_extra(const struct syt_places *p,
                                                      struct syt_place at)
{
	return syt_thread_extra(p->threads[at.thread], syt_place_row(p, at));
}

/* Returns the ordering stamp, which `ts` prints. */
static inline syt_time syt_row_stamp(const struct syt_call_info *c, const struct syt_row *r)
{
	return c->stamp_in ? r->in : r->out;
}

/* Returns the earliest instant at which an acquire can have taken effect: its begin or, if only its end has a
 * stamp, the end of the thread's previous event. */
syt_time syt_place_earliest(const struct syt_places *p, struct syt_place at);

/* Returns the latest instant at which a release can have taken effect: its end, the begin of the thread's next
 * event, or UINT64_MAX. */
syt_time syt_place_latest(const struct syt_places *p, struct syt_place at);

/* Returns true if the call achieved its purpose: it got the lock, the token, ... */
bool syt_row_succeeded(const struct syt_call_info *c, const struct syt_row *r);
bool syt_place_succeeded(const struct syt_places *p, struct syt_place at);

/* Returns true for a wait for a condition variable that released its mutex and acquired it again. */
bool syt_row_gave_mutex(const struct syt_call_info *c, const struct syt_row *r);
bool syt_place_gave_mutex(const struct syt_places *p, struct syt_place at);

/* Returns true if a happens-before edge may begin or end at the event AT. Such events separate leaf tasks. */
bool syt_place_is_point(const struct syt_places *p, struct syt_place at);

#endif
