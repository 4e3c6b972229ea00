/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Collects messages between hosts in bounded memory. An interval is 10 ms of one direction between two hosts. Per
 * interval, the collection keeps the messages that a line of any slope within SYT_HOST_RATE_MAX can touch: the vertices of their
 * convex hull, usually 1 to 3. The intervals grow until all messages fit into the limit.
 *
 * Guarantee: if D is a line in an interval, with a slope within SYT_HOST_RATE_MAX, and D meets the kept messages of the
 * interval, then D meets all its messages. If D bends in the interval, D must also meet syt_host_message_between() at the
 * bend. The guarantee has two limits. An interval keeps at most SYT_HOST_VERTICES_MAX messages. The messages of a
 * connection that the caller drops later have displaced others.
 *
 * The result is the same for the same messages in the same order. The order changes it only by the time at which the
 * intervals grow.
 */
#ifndef SYT_DECODER_HOST_THINNING_H
#define SYT_DECODER_HOST_THINNING_H

#include <stdint.h>

#define SYT_HOST_RATE_MAX 1e-3 /* largest difference of two clock rates, 1000 ppm */
#define SYT_HOST_VERTICES_MAX 64u
#define SYT_HOST_TIME_MAX                                                                          \
	(INT64_C(1)                                                                                \
	 << 61) /* times beyond +- this limit are refused, so that differences fit into int64 */

struct syt_host_message {
	int64_t send_ns, receive_ns; /* each by the clock of its host, unadjusted */
	uint32_t from, to;           /* hosts */
	uint32_t connection;         /* number that the caller chose */
	uint32_t nr; /* all messages of the interval; 0 except in its first kept message */
};

/* Returns the time of the message by the clock of the host with the lower number. */
static inline int64_t syt_host_message_at(const struct syt_host_message *m)
{
	return m->from < m->to ? m->send_ns : m->receive_ns;
}

/* The messages between two hosts: from hosts[0] to hosts[1] and back, each in the order of the clock of hosts[0]. */
struct syt_host_pair {
	uint32_t hosts[2]; /* hosts[0] < hosts[1] */
	const struct syt_host_message *messages[2];
	uint64_t nr[2];
	uint64_t interval_ns;
};

/* Returns the least receive time minus send time that messages have at the time AT by the clock of hosts[0], between the
 * adjacent kept messages A and B. Returns INFINITY if A and B are of different intervals. */
double syt_host_message_between(const struct syt_host_pair *p, const struct syt_host_message *a,
                                const struct syt_host_message *b, double at);

struct syt_thinning;

/* LIMIT_BYTES: memory for messages. */
struct syt_thinning *syt_thinning_create(uint64_t limit_bytes);
void syt_thinning_destroy(struct syt_thinning *t);
/* Adds a message between two different hosts. Counts it as refused if a time is beyond SYT_HOST_TIME_MAX. */
void syt_thinning_add(struct syt_thinning *t, uint32_t from, uint32_t to, int64_t send_ns,
                      int64_t receive_ns, uint32_t connection);
/* Sorts the messages. Returns the pairs of hosts in the order of hosts[0] and hosts[1]; T owns them. No message may be added
 * later. */
const struct syt_host_pair *syt_thinning_end(struct syt_thinning *t, uint64_t *nr);
uint64_t syt_thinning_interval_ns(const struct syt_thinning *t);
uint64_t syt_thinning_nr_refused(const struct syt_thinning *t);

#endif
