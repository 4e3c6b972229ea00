/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The sync objects of a whole trace.
 *
 * An image's object is private to it unless the recorder marked its identity as shared between
 * processes (SYT_OBJECT_SHARED: sockets by cookie, pipes by inode, process-shared locks by place).
 * All images that name a shared object get the same trace-wide number. Generations distinguish
 * objects that successively lived at one address. Read-only once opened; any thread.
 */
#ifndef SYT_DECODER_OBJECT_H
#define SYT_DECODER_OBJECT_H

#include "decoder/history/place.h"

/* The evidence for an object's peer. */
enum syt_pairing {
	SYT_PAIRING_NONE,     /* no peer */
	SYT_PAIRING_EXACT,    /* the call that made both, the addresses, or the kernel */
	SYT_PAIRING_INFERRED, /* the order of connects and accepts */
};

struct syt_object {
	const struct syt_object_info *info; /* from the first image that names it */
	uint32_t image;                     /* index of that image in trace->images */
	/* other end of the connection (decoder/match/pair.h), or SYT_NONE */
	uint32_t peer;
	uint8_t pairing;   /* enum syt_pairing */
	bool is_one_image; /* only one image names it */
	bool is_unpaired;  /* no peer: one of several candidates is its peer */
	/* The counters are certain up to here. Calls that never returned may have sent, or
	 * received, more. */
	uint64_t sure_out, sure_in;
	/* all events on it that ended after this are recorded; UINT64_MAX: not certain */
	syt_time complete_from;
};

struct syt_objects {
	const struct syt_trace_data *trace;
	uint32_t nr;
	struct syt_object *all;
	/* [index in trace->images][index in image's objects]: trace-wide number */
	uint32_t **of_image;
};

/* Opens O. PLACES and its trace must outlive O. Returns 0, or -1 if there are too many objects. */
int syt_objects_open(struct syt_objects *o, const struct syt_places *places);
void syt_objects_close(struct syt_objects *o);

/* Returns the trace-wide number of OBJECT (an index, or SYT_NONE) of IMAGE (index in
 * trace->images). */
static inline uint32_t syt_object_of(const struct syt_objects *o, uint32_t image, uint32_t object)
{
	return object == SYT_NONE ? SYT_NONE : o->of_image[image][object];
}

static inline enum syt_kind syt_object_kind(const struct syt_objects *o, uint32_t object)
{
	return o->all[object].info->kind;
}

#endif
