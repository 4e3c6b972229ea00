/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Finds the requests of a trace with their extents, and adds those that are complete to a population. One thread at a time
 * may use a struct syt_gathered. */
#ifndef SYT_DECODER_REQUEST_GATHER_H
#define SYT_DECODER_REQUEST_GATHER_H

#include "decoder/request/behaviour.h"
#include "decoder/request/work.h"

struct syt_gathered {
	struct syt_order *order;
	struct syt_requests exchanges; /* only with visits */
	struct syt_requests requests;  /* or visits of a function */
	struct syt_extents extents;
	struct syt_population *population;
	struct syt_behaviours *behaviours;
	struct syt_works *works;
	uint64_t first_member; /* number in the population of the first request of this trace */
	uint64_t nr;           /* number of requests of this trace in the population */
	uint64_t *request_of;  /* [member - first_member]: index of the request */
	uint64_t *member_of;   /* [request]: number in the population, or SYT_REQUEST_NONE */
};

/* Finds the requests of ORDER, which must contain the edges syt_extent_edges, and adds them to POPULATION. FUNCTION is NULL, or
 * the function whose visits take the place of the requests. All other arguments must outlive G. Returns 0, or -1 after a message. */
int syt_gather_open(struct syt_gathered *g, struct syt_order *order, struct syt_symbols *symbols,
                    struct syt_population *population, const char *function);
/* The same with REQUESTS, the requests of ORDER. G takes them over, also after a failure. */
int syt_gather_open_with(struct syt_gathered *g, struct syt_order *order,
                         struct syt_symbols *symbols, struct syt_population *population,
                         struct syt_requests *requests);
void syt_gather_close(struct syt_gathered *g);

/* Returns true if the request R is in the population: it came from the outside and has an end, and no event that decides about its
 * extent is missing. */
bool syt_gather_has(const struct syt_gathered *g, uint64_t r);

/* Adds the first NR_STEPS steps of the request R, which is not in the population, without work. */
void syt_gather_add_open(struct syt_gathered *g, uint64_t r, uint32_t nr_steps);

#endif
