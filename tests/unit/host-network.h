/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Simulated hosts that exchange messages, and their placement. */
#ifndef SYT_TESTS_UNIT_HOST_NETWORK_H
#define SYT_TESTS_UNIT_HOST_NETWORK_H

#include "decoder/host/place.h"
#include "tests/unit/host-simulation.h"

#define NET_HOSTS_MAX 2100u

struct net {
	struct syt_random random;
	struct sim_clock clocks[NET_HOSTS_MAX];
	uint32_t nr;
	struct syt_thinning *thinning;
	const struct syt_host_pair *pairs;
	uint64_t nr_pairs;
	struct syt_placement *p;
	uint32_t from, to; /* of the present traffic */
};

static inline struct net net_create(uint32_t nr, uint64_t seed)
{
	struct net n = {.random = {.state = seed * 104729},
	                .nr = nr,
	                .thinning = syt_thinning_create(64 << 20)};

	for (uint32_t i = 0; i < nr; i++)
		n.clocks[i] = sim_clock(&n.random);
	return n;
}

/* Adds a message that is sent and received at true times. */
static inline void net_send(struct net *n, uint32_t from, uint32_t to, double sent, double received,
                            uint32_t connection)
{
	syt_thinning_add(n->thinning, from, to, sim_read(&n->clocks[from], sent),
	                 sim_read(&n->clocks[to], received), connection);
}

static inline void net_add(void *context, int is_answer, double sent, double received)
{
	struct net *n = context;

	net_send(n, is_answer ? n->to : n->from, is_answer ? n->from : n->to, sent, received, 0);
}

static inline void net_talk(struct net *n, uint32_t from, uint32_t to, const struct sim_traffic *t)
{
	n->from = from;
	n->to = to;
	sim_exchange(&n->random, t, net_add, n);
}

static inline void net_place(struct net *n, const struct syt_host_options *options)
{
	n->pairs = syt_thinning_end(n->thinning, &n->nr_pairs);
	n->p = syt_hosts_place(n->nr, n->pairs, n->nr_pairs, options);
}

static inline void net_free(struct net *n)
{
	syt_placement_free(n->p);
	syt_thinning_destroy(n->thinning);
}

/* The joined time of a host at a true time. */
static inline int64_t net_joined(const struct net *n, uint32_t host, double t)
{
	return syt_host_joined(n->p, host, sim_read(&n->clocks[host], t));
}

/* Returns the greatest difference, in us, of the joined times of host 0 and another host at the same true time. */
static inline double net_error_of(const struct net *n, uint32_t host, double begin, double end)
{
	double most = 0;

	for (unsigned k = 0; k <= 500; k++) {
		const double t = begin + (end - begin) * k / 500;

		most = fmax(most, fabs((double)(net_joined(n, host, t) - net_joined(n, 0, t))));
	}
	return most / SIM_US;
}

static inline double net_error(const struct net *n, double begin, double end)
{
	double most = 0;

	for (uint32_t host = 1; host < n->nr; host++)
		most = fmax(most, net_error_of(n, host, begin, end));
	return most;
}

#endif
