/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A population: many requests, each with its behaviour and its work. All analyses of workloads read a population, which
 * comes from traces (decoder/request/learn.h), from a file of strings, or from a test.
 *
 * The behaviour of a request is a string of symbols (doc/requests.md). A population stores equal strings once.
 * Symbols, behaviours and components have numbers from 0, in the order in which they were added. Only one thread at a time
 * may use a population.
 */
#ifndef SYT_DECODER_REQUEST_POPULATION_H
#define SYT_DECODER_REQUEST_POPULATION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"

/* Distinct texts with numbers from 0. */
struct syt_text_set {
	uint32_t nr;
	size_t room;
	char **all; /* [number]: owned by the set */
	struct syt_hash index;
};

/* Returns the number of the text of BYTES bytes, which is added if necessary. */
uint32_t syt_text_set_add(struct syt_text_set *s, const char *text, size_t bytes);
/* Returns the number of TEXT, or SYT_HASH_NONE. */
uint32_t syt_text_set_find(const struct syt_text_set *s, const char *text);
void syt_text_set_close(struct syt_text_set *s);

/* clang-format off */
/* The resources of which a vector of work consists: word in JSON and in files, unit. */
#define SYT_RESOURCES(RESOURCE) \
	RESOURCE(CPU,        "cpu",        "ns")    /* time on a CPU */                       \
	RESOURCE(RECEIVED,   "received",   "bytes") /* from sockets and pipes */              \
	RESOURCE(SENT,       "sent",       "bytes")                                           \
	RESOURCE(FILE_CALLS, "file_calls", "calls") /* reads, writes and flushes of files */  \
	RESOURCE(FILE_BYTES, "file_bytes", "bytes")
#define SYT_RESOURCE_ID(name_, ...) SYT_RESOURCE_##name_,
enum syt_resource { SYT_RESOURCES(SYT_RESOURCE_ID) SYT_NR_RESOURCES };
/* clang-format on */
const char *syt_resource_word(enum syt_resource r);

#define SYT_AMOUNT_UNKNOWN UINT64_MAX /* the trace does not contain the amount (CPU time only) */

/* The work of one component (a program) for one request. */
struct syt_work_part {
	uint32_t component;
	uint64_t amounts[SYT_NR_RESOURCES];
};

struct syt_behaviour {
	uint64_t first; /* the string is steps[first] up to steps[first + nr] */
	uint32_t nr;
	uint32_t hash;
	uint64_t count; /* number of requests with this behaviour */
};

/* One request of the population. The request's number is its index. */
struct syt_member {
	uint32_t behaviour;
	uint32_t nr_parts;
	uint64_t
		first_part; /* parts[first_part] up to parts[first_part + nr_parts], by component */
};

struct syt_population {
	struct syt_text_set symbols, components;
	uint64_t nr_steps;
	size_t room_steps;
	uint32_t *steps; /* symbols of all behaviours */
	uint32_t nr_behaviours;
	size_t room_behaviours;
	struct syt_behaviour *behaviours;
	struct syt_hash index; /* of behaviours */
	uint64_t nr_members, nr_parts;
	size_t room_members, room_parts;
	struct syt_member *members;
	struct syt_work_part *parts;
	/* [run]: its first member. Empty if the requests come from a file or from a test without runs. */
	uint64_t nr_runs, *runs;
	size_t room_runs;
	/* time between the first and the last request of each run, in sum, and number of intervals between its requests */
	uint64_t span_ns, nr_intervals;
};

/* A population whose members are all zero is empty. */
void syt_population_close(struct syt_population *p);

/* Returns the number of the behaviour with the string STEPS of NR symbols, which is added (with count 0) if necessary. */
uint32_t syt_population_behaviour(struct syt_population *p, const uint32_t *steps, uint32_t nr);

/* Returns the number of the behaviour with the string STEPS of NR symbols, or SYT_HASH_NONE. */
uint32_t syt_population_find(const struct syt_population *p, const uint32_t *steps, uint32_t nr);

/* Adds a request with BEHAVIOUR and the work PARTS, sorted by component, each component at most once. Increments the count
 * of the behaviour. Returns the number of the request. */
uint64_t syt_population_add(struct syt_population *p, uint32_t behaviour,
                            const struct syt_work_part *parts, uint32_t nr_parts);

/* Declares that the requests that will be added come from another run. */
void syt_population_begin_run(struct syt_population *p);

/* Makes TO the population of the members of FROM with IS_CHOSEN[member], in their order. The symbols and components of TO have
 * the numbers of FROM. */
void syt_population_choose(struct syt_population *to, const struct syt_population *from,
                           const bool *is_chosen);

static inline const uint32_t *syt_behaviour_steps(const struct syt_population *p,
                                                  uint32_t behaviour)
{
	return p->steps + p->behaviours[behaviour].first;
}

/* Compares two behaviours by length, then by the texts of their symbols. */
int syt_behaviour_compare(const struct syt_population *p, uint32_t a, uint32_t b);

/* Adds a request for each line of the file at PATH; blanks separate the symbols of a line. The requests have no work. An empty
 * line is a request without steps. Returns false after a message with line and column. */
bool syt_population_read_strings(struct syt_population *p, const char *path);

/* The labels that a file gives to requests, in the order of its lines. */
struct syt_request_labels {
	struct syt_text_set texts;
	size_t nr, room;
	struct syt_request_label {
		uint64_t request; /* from 1 */
		uint32_t label;   /* number in `texts` */
	} * all;
};

/* Reads the file at PATH: each line is the number of a request, a tab and a label. Empty lines and lines that begin with # have
 * no effect. Returns false after a message with line and column. The caller closes L in both cases. */
bool syt_request_labels_read(struct syt_request_labels *l, const char *path);
void syt_request_labels_close(struct syt_request_labels *l);

#endif
