/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The sync objects of a whole trace.
 *
 * An object of a process image is private unless the recorder marked its identity as shared between processes
 * (SYT_OBJECT_SHARED: sockets by cookie, pipes by inode, process-shared locks by place). All images that name a
 * shared object get the same trace-wide number. Generations distinguish objects that successively lived at one
 * address. Read-only once opened; any thread.
 */
#ifndef SYT_DECODER_OBJECT_H
#define SYT_DECODER_OBJECT_H

#include "decoder/history/place.h"

/* The evidence for an object's peer. */
enum syt_pairing {
	SYT_PAIRING_NONE,     /* no peer */
	SYT_PAIRING_EXACT,    /* evidence: the call that made both, the addresses, or the kernel */
	SYT_PAIRING_INFERRED, /* evidence: the order of connects and accepts */
};

struct syt_object {
	const struct syt_object_info *info; /* from the first image that names the object */
	uint32_t image;                     /* index of this image in trace->images */
	uint32_t peer;     /* other end of the connection (decoder/match/pair.h), or SYT_NONE */
	uint8_t pairing;   /* enum syt_pairing */
	bool is_one_image; /* only one image names the object */
	bool is_unpaired;  /* the peer is unknown, one of several candidates */
	/* bytes that were certainly sent and received, without calls that never returned */
	uint64_t sure_out, sure_in;
	syt_time
		complete_from; /* all events that ended later are recorded; UINT64_MAX: not certain */
};

struct syt_objects {
	const struct syt_trace_data *trace;
	uint32_t nr;
	struct syt_object *all;
	uint32_t **of_image; /* [index in trace->images][index in its objects]: trace-wide number */
};

/* PLACES and its trace must outlive O. Returns 0, or -1 if there are too many objects. */
int syt_objects_open(struct syt_objects *o, const struct syt_places *places);
void syt_objects_close(struct syt_objects *o);

/* Returns the trace-wide number of OBJECT, an index in the image with index IMAGE, or SYT_NONE for SYT_NONE. */
static inline uint32_t syt_object_of(const struct syt_objects *o, uint32_t image, uint32_t object)
{
	return object == SYT_NONE ? SYT_NONE : o->of_image[image][object];
}

static inline enum syt_kind syt_object_kind(const struct syt_objects *o, uint32_t object)
{
	return o->all[object].info->kind;
}

#endif
