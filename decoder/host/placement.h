/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The times of several hosts on common axes: the result of place.h (doc/clocks.md). After it is made, any thread may read it. */
#ifndef SYT_DECODER_HOST_PLACEMENT_H
#define SYT_DECODER_HOST_PLACEMENT_H

#include <stddef.h>
#include <stdint.h>

#include "decoder/host/graph.h"

#define SYT_HOST_EDGE_MIN_NS 2 /* least duration of each message on the joined axis */

enum syt_host_method { SYT_HOST_GAP, SYT_HOST_SQUARES };

/* From the first to the last event of a host, by its clock. */
struct syt_host_span {
	int64_t first_ns, last_ns;
};

struct syt_host_options {
	enum syt_host_method method;
	int64_t segment_ns; /* longest segment; 0: 30 min */
	const double
		*wander_ppm; /* per host; NULL: 1 ppm. A pair has the larger value of its hosts */
	uint32_t reference;  /* of its component; SYT_HOST_NONE: chosen by the graph */
	unsigned nr_workers; /* 0: one */
	/* per host: the first and the last segment cover this time, too; NULL: none */
	const struct syt_host_span *recorded;
};

enum syt_host_state {
	SYT_HOST_JOINED,
	SYT_HOST_ONE_WAY, /* no messages, or in one direction only */
	SYT_HOST_CONTRADICTS, /* no order of the messages in time is possible, even without the connections in nr_dropped */
};

/* A pair of hosts in a segment: the line `pair` of JSON. D is the clock of hosts[1] minus the clock of hosts[0]. */
struct syt_host_pair_segment {
	uint32_t hosts[2], pair, segment;
	int64_t begin_ns, end_ns; /* by the clock of hosts[0] */
	uint64_t messages[2];     /* from hosts[0] to hosts[1], and back */
	uint64_t used;            /* exchanges that the fit by least squares uses */
	int64_t at_ns,
		offset_ns; /* D at the time AT by the clock of hosts[0], the middle of the segment */
	double drift_ppm, residual_ns, offset_error_ns, drift_error_ppm, margin_ns,
		methods_differ_ns;
	int64_t least_delay_ns[2]; /* on the joined axis, per direction */
	double bounds_ns
		[2]; /* D is in [offset + bounds[0], offset + bounds[1]] (relative to the joined axis); also known without messages, if another segment of the pair has some */
	/* growth of bounds[1] (rise) and of -bounds[0] (fall) per ns, before the first ([0]) and after the last segment ([1]) */
	struct syt_host_growth {
		double rise, fall;
	} growth[2];
	enum syt_host_state state;
};

/* A host in a segment: the line `place` of JSON. The true time of an event on the clock of the reference lies between its
 * joined time - early and + late. */
struct syt_host_place {
	int64_t begin_ns, end_ns; /* by the clock of the host */
	int64_t offset_ns;        /* clock of the host minus clock of the reference, at BEGIN */
	double drift_ppm, residual_ns;
	double early_ns, late_ns; /* INFINITY: unknown */
	uint32_t
		previous; /* previous host on the shortest path from the reference; SYT_HOST_NONE: none */
};

struct syt_host_component {
	uint32_t reference, nr_hosts, nr_segments;
	int64_t *
		knots_ns; /* the nr_segments + 1 limits of the segments, by the clock of the reference */
	uint64_t nr_loops; /* pairs that close a loop, over all segments */
	double loop_ns;    /* greatest sum of offsets around such a loop */
	size_t first_pair; /* pair_segments[first_pair ...]: by segment, then by pair */
	size_t nr_pair_segments;
};

struct syt_host_clock {
	uint32_t component; /* SYT_HOST_NONE: apart */
	int64_t *local_ns;  /* times of the knots by the clock of the host */
	int64_t *slopes;    /* joined ns per local ns in each segment, 40 fraction bits */
	struct syt_host_place *places; /* per segment */
};

struct syt_placement {
	uint32_t nr_hosts, nr_components;
	struct syt_host_clock *clocks; /* per host */
	struct syt_host_component *components;
	struct syt_host_pair_segment *pair_segments;
	size_t nr_pair_segments, room_pair_segments;
	enum syt_host_state *states; /* per pair, over all segments */
	uint32_t *nr_dropped;        /* per pair: dropped connections */
	/* numbers of the dropped connections, increasing. The list is incomplete for a pair that contradicts: see states. Messages
	 * that a dropped one displaced in thinning.h may run backward, unless the caller collects all messages again. */
	uint32_t *dropped;
	size_t nr_all_dropped;
	uint64_t nr_backward; /* kept messages that take less than SYT_HOST_EDGE_MIN_NS */
};

/* Forgets all components. */
void syt_placement_clear(struct syt_placement *p);
void syt_placement_free(struct syt_placement *p);

/* Returns the time on the axis of the host's component. Increasing in LOCAL_NS. The time of a host that is apart is LOCAL_NS. */
int64_t syt_host_joined(const struct syt_placement *p, uint32_t host, int64_t local_ns);
/* Returns the segment of a joined time: the first or the last one for times outside all segments. */
uint32_t syt_host_segment(const struct syt_host_component *c, int64_t joined_ns);

#endif
