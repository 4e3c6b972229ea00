/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The hosts of a trace, and their clocks on one time axis (doc/clocks.md).
 *
 * A host is one boot of a machine. The reader calls join() before it reads events. join() pairs the connections between
 * the hosts (connect.h), finds the messages (message.h), places the clocks (place.h) and bends their maps. All times of
 * the trace are then joined times. A host without messages in both directions stays apart: its clock is aligned by
 * wall-clock time, and no order between its events and those of other hosts is certain.
 *
 * After the reader has finished, any thread may read the structure.
 */
#ifndef SYT_DECODER_JOIN_H
#define SYT_DECODER_JOIN_H

#include "decoder/host/place.h"
#include "decoder/read/reader.h"

struct syt_host_settings {
	struct syt_join join; /* SYT_HOSTS_JOIN */
	enum syt_host_method method;
	const char *reference; /* number or name of a host; NULL: chosen by the graph */
	uint64_t segment_ns;   /* longest segment; 0: 30 min */
	double wander_ppm;     /* < 0: 1 ppm for a TSC, 1000 ppm for CLOCK_MONOTONIC */
	bool is_apart;         /* all hosts stay apart */
};

struct syt_certain;

struct syt_hosts *syt_hosts_join(const struct syt_join *settings, const struct syt_clocks *clocks);
void syt_hosts_destroy(struct syt_hosts *hosts);
#define SYT_HOSTS_JOIN                                                                             \
	{                                                                                          \
		syt_hosts_join, syt_hosts_destroy                                                  \
	}

/* The two sockets of a connection between hosts or network namespaces: index in trace->images, and in its objects. */
struct syt_socket_pair {
	uint32_t image[2], object[2];
};

struct syt_host_info {
	char name[sizeof(((struct syt_file *)NULL)->host)]; /* name of the machine */
	uint32_t clock_source;                              /* enum syt_clock_source */
	int64_t shift_ns; /* local time of the placement minus time of the host's CLOCK_MONOTONIC */
};

struct syt_hosts {
	uint32_t nr, nr_images, nr_pairs;
	struct syt_host_info *all;     /* in the order of their lowest process number */
	uint32_t *of_image;            /* [index in trace->images]: host */
	struct syt_socket_pair *pairs; /* connections between hosts or network namespaces */
	/* the placement; axis_ns is the joined time of the trace minus that of the placement */
	const struct syt_placement *placement;
	int64_t axis_ns;
	struct syt_certain *certain;
};

/* Returns the host of the process image with index IMAGE; 0 if HOSTS is NULL. */
static inline uint32_t syt_hosts_of(const struct syt_hosts *hosts, uint32_t image)
{
	return hosts ? hosts->of_image[image] : 0;
}

/* Returns by how much an event on host B must be later than an event at AT on host A, so that this order is certain:
 * 0 if A and B are equal, UINT64_MAX if no difference makes it certain. HOSTS may be NULL if A equals B. */
syt_time syt_hosts_needed(const struct syt_hosts *hosts, uint32_t a, syt_time at, uint32_t b);

/* Return the earliest and the latest time, by the clock of host B, of an event at AT on host A: no event on B that is
 * earlier or later can be at the same time. */
syt_time syt_hosts_earliest(const struct syt_hosts *hosts, uint32_t a, syt_time at, uint32_t b);
syt_time syt_hosts_latest(const struct syt_hosts *hosts, uint32_t a, syt_time at, uint32_t b);

#endif
