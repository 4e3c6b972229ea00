/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Happens-before edges, and the set that holds them.
 *
 * The set refuses an edge that runs backwards in time. A backward edge cannot be true, so the set counts it as a
 * defect of the trace or of a matching rule. The set counts every accepted edge, but stores only the kinds of edges
 * that a report wants. Only one thread at a time may use a set. Each worker thread fills its own set. The sets are
 * then joined and sorted, so that the result does not depend on the number of workers.
 */
#ifndef SYT_DECODER_EDGE_H
#define SYT_DECODER_EDGE_H

#include "decoder/history/place.h"

/* clang-format off */
enum syt_edge_kind {
#define EDGE(name_, ...) SYT_EDGE_##name_,
#include "decoder/history/edge-kinds.def"
	SYT_NR_EDGE_KINDS
};
/* clang-format on */

enum syt_edge_class { SYT_CLASS_CAUSAL, SYT_CLASS_RUN_AFTER, SYT_CLASS_INFERRED, SYT_NR_CLASSES };

#define SYT_EDGE_AMBIGUOUS                                                                         \
	1u /* the edge has several possible sources; its own source may be false */
#define SYT_EDGE_INFERRED 2u /* edge over a connection whose two sockets were paired by inference */

struct syt_edge {
	struct syt_place from, to; /* thread SYT_NONE: row is the index of a barrier round */
	uint64_t bytes;            /* bytes moved; kind handoff: SYT_HANDOFF_EVIDENCE() */
	uint32_t object;           /* trace-wide number of the sync object, or SYT_NONE */
	uint8_t kind;              /* enum syt_edge_kind */
	uint8_t class;             /* enum syt_edge_class */
	uint8_t flags;             /* bits SYT_EDGE_AMBIGUOUS and SYT_EDGE_INFERRED */
	uint8_t zero;              /* always 0, so that equal edges are equal bytes */
};

/* One round of a barrier, as a node of the graph: it is after all arrivals and before all departures. */
struct syt_round {
	uint32_t object; /* trace-wide number of the barrier */
	uint32_t round;  /* number of the round, from 0 */
	syt_time at;     /* time of the round's last arrival */
};

#define SYT_EDGES_ALL UINT32_MAX
/* All kinds of edges except the edges of locks, for a report that computes itself how long locks were held. */
#define SYT_EDGES_BUT_LOCKS                                                                        \
	(~(1u << SYT_EDGE_MUTEX | 1u << SYT_EDGE_RWLOCK | 1u << SYT_EDGE_SPIN |                    \
	   1u << SYT_EDGE_STDIO))

/* The edges that a set stores: `kinds` has bits 1 << SYT_EDGE_*, and `classes` has bits 1 << SYT_CLASS_*. */
struct syt_edges_wanted {
	uint32_t kinds, classes;
};

struct syt_edges {
	const struct syt_places *places;
	struct syt_edges_wanted wanted;
	uint32_t needed_kinds; /* kinds stored in any case: matching rules read them */
	uint64_t nr;           /* number of stored edges */
	size_t room;
	struct syt_edge *all;
	uint64_t nr_rounds;
	size_t room_rounds;
	struct syt_round *rounds;
	uint64_t nr_of_kind[SYT_NR_EDGE_KINDS]; /* number of accepted edges, stored or not */
	uint64_t nr_ambiguous[SYT_NR_EDGE_KINDS];
	uint64_t nr_defects; /* number of edges refused because they run backwards in time */
	uint64_t nr_paused;  /* number of edges refused due to a pause; a caller may reset it */
	struct syt_edge first_defect;
};

/* Opens E, an empty set of happens-before edges that stores all kinds of edges. */
void syt_edges_open(struct syt_edges *e, const struct syt_places *places);
void syt_edges_close(struct syt_edges *e);

/* Returns true if the set E stores edges of KIND and CLASS. */
bool syt_edges_holds(const struct syt_edges *e, enum syt_edge_kind kind, enum syt_edge_class class);

/* Counts NR edges of KIND. The caller must know that the set E does not store such edges. */
void syt_edges_count(struct syt_edges *e, enum syt_edge_kind kind, uint64_t nr);

/* Adds EDGE to the set. Returns false if the set refuses EDGE because it runs backwards in time, or because a call
 * that a pause of the recording left out may make it false. */
bool syt_edges_add(struct syt_edges *e, struct syt_edge edge);

/* Adds a round of a barrier to the set. Returns a struct syt_place with which edges name this round. */
struct syt_place syt_edges_round(struct syt_edges *e, struct syt_round round);

/* Adds EDGE to the set like syt_edges_add(), for a caller that already knows the times BEGIN and END of EDGE. */
bool syt_edges_add_between(struct syt_edges *e, struct syt_edge edge, syt_time begin, syt_time end);

/* Moves the edges of the NR other sets FROM of the same trace to the end of the set E, in this order, and leaves FROM empty. */
void syt_edges_append(struct syt_edges *e, struct syt_edges **from, size_t nr);

/* Drops the stored edges that WANTED excludes. The set then stores no more edges of these kinds. The counts of
 * edges stay. */
void syt_edges_narrow(struct syt_edges *e, struct syt_edges_wanted wanted);

/* Makes E a copy of those stored edges of FROM that WANTED includes. The two sets share no memory. */
void syt_edges_copy(struct syt_edges *e, const struct syt_edges *from,
                    struct syt_edges_wanted wanted);

/* Sorts the edges by the time of the target, then the time of the source, then the threads and indices of the two
 * events. Barrier rounds keep their indices. */
void syt_edges_sort(struct syt_edges *e);

/* Return the time at which EDGE leaves its source event, and the time at which it reaches its target event. */
syt_time syt_edge_begin(const struct syt_edges *e, const struct syt_edge *edge);
syt_time syt_edge_end(const struct syt_edges *e, const struct syt_edge *edge);

/* Returns the index of the first edge that ends at time T or later, in a sorted set of edges. */
uint64_t syt_edges_from(const struct syt_edges *e, syt_time t);
/* The same, for successive searches: begins at the index *NEAR, and stores the result there. */
uint64_t syt_edges_from_near(const struct syt_edges *e, syt_time t, uint64_t *near);

/* Returns true if EDGE leaves its source call (IS_FROM), or reaches its target call, at the end of the call. */
bool syt_edge_is_at_end(const struct syt_edge *edge, bool is_from);

const char *syt_edge_kind_text(enum syt_edge_kind kind);
const char *syt_edge_class_text(enum syt_edge_class class);
/* Returns the kind of edge with the name TEXT, or SYT_NR_EDGE_KINDS if no kind has this name. */
enum syt_edge_kind syt_edge_kind_find(const char *text);

#endif
