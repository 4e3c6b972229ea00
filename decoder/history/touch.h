/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* A touch is the use of one sync object by one event. This header defines the order of all touches of an object. */
#ifndef SYT_DECODER_TOUCH_H
#define SYT_DECODER_TOUCH_H

#include "decoder/history/place.h"

enum syt_role {
	SYT_ROLE_RELEASE2, /* a condition variable wait releases its mutex at its begin */
	SYT_ROLE_SELF,     /* the event uses its main object, at the event's ordering time stamp */
	SYT_ROLE_SECOND,   /* the event uses its second object, at its ordering time stamp */
	SYT_ROLE_READY,    /* a readiness call (poll, ...) reports an fd, at the call's end */
};

struct syt_touch {
	syt_time at;
	struct syt_place place;
	uint32_t part; /* for SYT_ROLE_READY: index of the fd in the event's list of ready fds */
	uint8_t role;  /* enum syt_role */
	bool is_acquire;
	uint8_t shape;      /* enum syt_shape, copied from the event, which is far away in memory */
	bool has_succeeded; /* result of syt_row_succeeded(), copied from the event */
};

/* Returns true if T is the use of the event's main object by a successful event with SHAPE. */
static inline bool syt_touch_is(const struct syt_touch *t, enum syt_shape shape)
{
	return t->role == SYT_ROLE_SELF && t->shape == shape && t->has_succeeded;
}

/* Return true if the event of the touch T sends data to the touched object, or receives data from it. */
static inline bool syt_touch_sends(const struct syt_touch *t)
{
	return t->role == SYT_ROLE_SELF &&
	       (t->shape == SYT_SHAPE_SEND || t->shape == SYT_SHAPE_TRANSFER);
}

static inline bool syt_touch_receives(const struct syt_touch *t)
{
	return (t->role == SYT_ROLE_SELF && t->shape == SYT_SHAPE_RECV) ||
	       (t->role == SYT_ROLE_SECOND && t->shape == SYT_SHAPE_TRANSFER);
}

/* Returns true if touch A sorts before B: by time, releases before acquires, then by thread, row, role, part. */
static inline bool syt_touch_comes_first(const struct syt_touch *a, const struct syt_touch *b)
{
	if (a->at != b->at)
		return a->at < b->at;
	if (a->is_acquire != b->is_acquire)
		return b->is_acquire;
	if (a->place.thread != b->place.thread)
		return a->place.thread < b->place.thread;
	if (a->place.row != b->place.row)
		return a->place.row < b->place.row;
	if (a->role != b->role)
		return a->role < b->role;
	return a->part < b->part;
}

/* Sorts the NR touches T in time order by merging their sorted runs. The buffer SPARE has room for NR touches. */
void syt_touches_sort(struct syt_touch *t, uint64_t nr, struct syt_touch *spare);

#endif
