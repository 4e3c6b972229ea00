/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The sync objects of a whole trace.
 *
 * An image's object is private to it unless the recorder marked its identity as shared between
 * processes (SYT_OBJECT_SHARED: sockets by cookie, pipes by inode, process-shared locks by place):
 * then every image that names it gets the same trace-wide number.  Generations tell apart objects
 * that lived at one address one after the other.  Read-only once opened; any thread.
 */
#ifndef SYT_DECODER_OBJECT_H
#define SYT_DECODER_OBJECT_H

#include "decoder/history/place.h"

/* How the peer is known. */
enum syt_pairing {
	SYT_PAIRING_NONE,     /* it has none */
	SYT_PAIRING_EXACT,    /* the call that made both, the addresses, or the kernel said so */
	SYT_PAIRING_INFERRED, /* from the order of connects and accepts */
};

struct syt_object {
	const struct syt_object_info *info; /* of the first image that names it */
	uint32_t image;                     /* index in trace->images of that image */
	uint32_t peer;          /* the connection's other end (decoder/match/pair.h), or SYT_NONE */
	uint8_t pairing;        /* enum syt_pairing */
	bool is_one_image;      /* no other image names it */
	bool is_unpaired;       /* without a peer: it is one of several, not known which */
	/* Up to here its counters are certain: calls that never returned may have sent, or received, more. */
	uint64_t sure_out, sure_in;
	syt_time complete_from; /* no event on it that ended after this is missing; UINT64_MAX: not
	                           certain */
};

struct syt_objects {
	const struct syt_trace_data *trace;
	uint32_t nr;
	struct syt_object *all;
	uint32_t **of_image; /* [index in trace->images][index in image's objects]: trace-wide
	                        number */
};

/* PLACES and its trace must outlive O. Returns 0, or -1 when there are too many objects to number.
 */
int syt_objects_open(struct syt_objects *o, const struct syt_places *places);
void syt_objects_close(struct syt_objects *o);

/* The trace-wide number of OBJECT (an index, or SYT_NONE) of IMAGE (index in trace->images). */
static inline uint32_t syt_object_of(const struct syt_objects *o, uint32_t image, uint32_t object)
{
	return object == SYT_NONE ? SYT_NONE : o->of_image[image][object];
}

static inline enum syt_kind syt_object_kind(const struct syt_objects *o, uint32_t object)
{
	return o->all[object].info->kind;
}

#endif
