/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The sync objects of a whole trace.
 *
 * An object of a process image is private unless the recorder marked its identity as shared between processes.
 * Shared objects (SYT_OBJECT_SHARED) are sockets, identified by cookie, pipes, by inode, and process-shared locks,
 * by their location in the shared memory. An identity is unique in a host or in a recording, as its source is: see
 * syt_object_scope(). All process images that name a shared object get the same trace-wide number for it. Generation
 * numbers distinguish objects that lived at one address one after another. Once opened, the structure is read-only,
 * and any thread may read it.
 */
#ifndef SYT_DECODER_OBJECT_H
#define SYT_DECODER_OBJECT_H

#include "decoder/history/place.h"
#include "decoder/read/name.h"

/* The kind of evidence that two sockets, or the two ends of a pipe, form one connection. */
enum syt_pairing {
	SYT_PAIRING_NONE,     /* no known peer */
	SYT_PAIRING_EXACT,    /* peer known by the call that made both ends, addresses, or kernel */
	SYT_PAIRING_INFERRED, /* peer inferred from the order of connect and accept calls */
};

struct syt_object {
	const struct syt_object_info *info; /* description by the first image that names it */
	uint32_t image;                     /* index in trace->images of the image of `info` */
	uint32_t index;                     /* index of `info` in the image's objects */
	uint32_t peer;      /* object at the other end of the connection, or SYT_NONE */
	uint8_t pairing;    /* enum syt_pairing */
	bool is_sampled;    /* a sampler may have left out events of the object */
	uint32_t nr_images; /* number of process images that name the object */
	bool is_one_image;  /* only one process image names the object */
	bool is_unpaired;   /* the peer is one of several candidates, and unknown */
	/* number of bytes certainly sent and received, before any call that never returned */
	uint64_t sure_out, sure_in;
	syt_time
		complete_from; /* all events that ended later are recorded; UINT64_MAX: not certain */
};

struct syt_objects {
	const struct syt_trace_data *trace;
	uint32_t nr;
	struct syt_object *all;
	uint32_t **of_image; /* [index in trace->images][index in image]: trace-wide number */
};

/* Builds O, the table of all objects. PLACES and its trace must outlive O. Returns 0, or -1 for too many
 * objects. */
int syt_objects_open(struct syt_objects *o, const struct syt_places *places);
void syt_objects_close(struct syt_objects *o);

/* Returns the trace-wide number of the object with index OBJECT in the process image with index IMAGE. Returns
 * SYT_NONE if OBJECT is SYT_NONE. */
static inline uint32_t syt_object_of(const struct syt_objects *o, uint32_t image, uint32_t object)
{
	return object == SYT_NONE ? SYT_NONE : o->of_image[image][object];
}

/* Returns the number of the object's host. */
static inline uint32_t syt_object_host(const struct syt_objects *o, uint32_t object)
{
	return o->trace->images[o->all[object].image].host;
}

static inline enum syt_kind syt_object_kind(const struct syt_objects *o, uint32_t object)
{
	return o->all[object].info->kind;
}

/* Return the title ("mutex:server.lock") and the name ("server.lock", or NULL) of the object with the trace-wide number
 * OBJECT (decoder/read/name.h). */
const char *syt_object_title_of(const struct syt_objects *o, uint32_t object);
const char *syt_object_name_of(const struct syt_objects *o, uint32_t object);

/* Returns true if the fnmatch() pattern PATTERN matches the object's title, name, or text "mutex:0x..#0". */
bool syt_objects_matches(const struct syt_objects *o, uint32_t object, const char *pattern);

#endif
