/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The place of an event in a trace: its thread and its index in the thread. Neighbouring events bound its time of
 * effect.
 *
 * The threads of all process images are numbered through from 0 (trace-wide). The recorder takes the time stamp of
 * a release (unlock, send) before the real call, and the time stamp of an acquire (lock, receive) after the call.
 * The real effect of an event lies between syt_place_earliest() and syt_place_latest(). Once opened, struct
 * syt_places is read-only, and any thread may read it.
 */
#ifndef SYT_DECODER_PLACE_H
#define SYT_DECODER_PLACE_H

#include "base/store.h"
#include "decoder/host/join.h"
#include "decoder/read/part.h"
#include "decoder/read/trace.h"

struct syt_place {
	uint32_t thread; /* trace-wide number; SYT_NONE: a barrier round (decoder/history/edge.h) */
	uint32_t row;
};

/* Compares two events by thread, then by index in the thread, for sorting. */
static inline int syt_place_compare(struct syt_place a, struct syt_place b)
{
	if (a.thread != b.thread)
		return a.thread < b.thread ? -1 : 1;
	return a.row < b.row ? -1 : a.row > b.row;
}

/* The period of a paused recording that is analysed (decoder/history/window.h). Each host has its own. */
struct syt_window {
	bool is_paused;          /* the recording was paused at some time */
	syt_time complete_until; /* end of the period; UINT64_MAX: no end */
	uint64_t nr_resumes;
	syt_time *resumes; /* sorted times at which pauses of the recording ended */
};

struct syt_places {
	const struct syt_trace_data *trace;
	uint32_t nr_threads;
	const struct syt_thread **threads; /* [trace-wide number of the thread] */
	/* [index in trace->images]: `first` is the trace-wide number of the process image's thread 0. From the time
	 * `complete_from` on, all events of the image are recorded (UINT64_MAX: never certain). */
	uint32_t *first;
	syt_time *complete_from;
	bool is_paused;             /* a recording was paused at some time */
	struct syt_window *windows; /* [host] */
};

/* Numbers the threads of TRACE, which must outlive P. Returns 0, or -1 if there are too many threads, or too many
 * events in a thread. */
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

/* Makes the CPU load the row of AT, which will soon be read. The rows of one object are far from each other, so that each
 * read would otherwise wait for memory. The function must be inline: gcc removes a call without a result or side effects. */
static inline __attribute__((always_inline)) void syt_place_prefetch(const struct syt_places *p, struct syt_place at)
{
	const struct syt_thread *t = p->threads[at.thread];

	if (t->kept)
		return;
	__builtin_prefetch(&t->rows[at.row]);
	__builtin_prefetch(&t->rows[at.row].err); /* mostly in the next cache line */
}

static inline const struct syt_image *syt_place_image(const struct syt_places *p,
                                                      struct syt_place at)
{
	return p->threads[at.thread]->image;
}

/* Returns the index in trace->images of the event's process image. In an incomplete trace, this index differs from
 * the image's number P in event names "P.T.N". */
static inline uint32_t syt_place_image_idx(const struct syt_places *p, struct syt_place at)
{
	return (uint32_t)(p->threads[at.thread]->image - p->trace->images);
}

static inline const struct syt_call_info *syt_place_call(const struct syt_places *p,
                                                         struct syt_place at)
{
	return syt_row_call(syt_place_image(p, at), syt_place_row(p, at));
}

/* Returns the window of the host of the process image trace->images[IMAGE]. */
static inline const struct syt_window *syt_places_window(const struct syt_places *p, uint32_t image)
{
	return &p->windows[syt_hosts_of(p->trace->hosts, image)];
}

/* Returns the time until which all events of HOST are recorded that began before; UINT64_MAX: no event is missing at the
 * end. */
static inline syt_time syt_places_known_until(const struct syt_places *p, uint32_t host)
{
	syt_time until = p->windows[host].complete_until;

	return p->trace->read_at && p->trace->read_at < until ? p->trace->read_at : until;
}

/* Finds the event with the name ID, "P.T.N" (process image, thread, event). Returns false for an unknown event. */
bool syt_place_find(const struct syt_places *p, const char *id, struct syt_place *at);

/* Returns the end time of the last event of the process image trace->images[IMAGE], or 0 without events. */
syt_time syt_place_image_end(const struct syt_places *p, uint32_t image);

static inline struct syt_extra syt_extra_at(const struct syt_places *p, struct syt_place at)
{
	return syt_extra_of(p->threads[at.thread], syt_place_row(p, at));
}

/* Evaluates to a pointer like syt_thread_extra(). */
#define syt_place_extra(p_, ...) ((const struct syt_extra[]){syt_extra_at(p_, __VA_ARGS__)})

/* Returns the number of the part to which the event AT belongs. Parts are numbered within a thread. */
static inline uint64_t syt_place_part(const struct syt_places *p, struct syt_place at)
{
	return syt_part_of(p->threads[at.thread], at.row);
}

/* Returns true if AT is a ghost: an event without call stack, which the sampler did not select. */
static inline bool syt_place_is_ghost(const struct syt_places *p, struct syt_place at)
{
	const struct syt_thread *t = p->threads[at.thread];

	return t->nr_ghosts && syt_row_is_ghost(t, syt_thread_row(t, at.row));
}

/* Returns the time stamp by which an event is ordered: the begin of a release or the end of an acquire. */
static inline syt_time syt_row_stamp(const struct syt_call_info *c, const struct syt_row *r)
{
	return c->stamp_in ? r->in : r->out;
}

/* Returns the earliest time at which an acquire can have taken effect: the begin of its call or, if only the end of
 * the call was recorded, the end of the thread's previous event. */
syt_time syt_place_earliest(const struct syt_places *p, struct syt_place at);

/* Returns the latest time at which a release can have taken effect: the end of its call, the begin of the thread's
 * next event, or UINT64_MAX. */
syt_time syt_place_latest(const struct syt_places *p, struct syt_place at);

/* Return true if the call of an event achieved its purpose: it got the lock, the token, ... */
bool syt_row_succeeded(const struct syt_call_info *c, const struct syt_row *r);
bool syt_place_succeeded(const struct syt_places *p, struct syt_place at);

/* Return true for a wait for a condition variable that released its mutex and acquired the mutex again. */
bool syt_row_gave_mutex(const struct syt_call_info *c, const struct syt_row *r);
bool syt_place_gave_mutex(const struct syt_places *p, struct syt_place at);

/* Returns true if the event AT is a synchronization event: a happens-before edge may begin or end there.
 * Synchronization events separate leaf tasks (the work of a thread between two synchronization events). */
bool syt_place_is_point(const struct syt_places *p, struct syt_place at);

#endif
