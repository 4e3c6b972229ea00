/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Happens-before edges and the set that holds them.
 *
 * The set refuses an edge that runs backwards in time, because such an edge cannot be true, and counts it as a
 * defect of the trace or of a rule. The set counts all accepted edges, and holds only the edges that a report
 * wants. One thread at a time may use a set. Sets are appended to each other and sorted at the end, so the result
 * does not depend on the division of work.
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
	1u /* the edge has one of several possible sources, not surely the true one */
#define SYT_EDGE_INFERRED 2u /* the connection between the two endpoints is inferred */

struct syt_edge {
	struct syt_place from, to; /* thread SYT_NONE: row is an index in the set's rounds */
	uint64_t bytes;  /* moved bytes; handoff: the evidence (decoder/order/handoff.h) */
	uint32_t object; /* trace-wide number, or SYT_NONE */
	uint8_t kind;    /* enum syt_edge_kind */
	uint8_t class;   /* enum syt_edge_class */
	uint8_t flags;   /* SYT_EDGE_* */
};

/* The virtual node of one round of a barrier: after all its arrivals, before all its departures. */
struct syt_round {
	uint32_t object; /* trace-wide number */
	uint32_t round;  /* counts from 0 */
	syt_time at;     /* time of the last arrival */
};

#define SYT_EDGES_ALL UINT32_MAX
/* All kinds except the edges of locks, for a report that uses the holdings of locks. */
#define SYT_EDGES_BUT_LOCKS                                                                        \
	(~(1u << SYT_EDGE_MUTEX | 1u << SYT_EDGE_RWLOCK | 1u << SYT_EDGE_SPIN |                    \
	   1u << SYT_EDGE_STDIO))

/* The edges to hold: bits 1 << SYT_EDGE_*, and 1 << SYT_CLASS_*. */
struct syt_edges_wanted {
	uint32_t kinds, classes;
};

struct syt_edges {
	const struct syt_places *places;
	struct syt_edges_wanted wanted;
	uint32_t needed_kinds; /* bits of other kinds to hold, because matching reads such edges */
	uint64_t nr;           /* number held */
	size_t room;
	struct syt_edge *all;
	uint64_t nr_rounds;
	size_t room_rounds;
	struct syt_round *rounds;
	uint64_t nr_of_kind[SYT_NR_EDGE_KINDS]; /* number accepted, held or not */
	uint64_t nr_ambiguous[SYT_NR_EDGE_KINDS];
	uint64_t nr_defects; /* number refused because they run backwards in time */
	uint64_t nr_paused;  /* number refused because of a pause; a caller may reset it */
	struct syt_edge first_defect;
};

/* Opens a set that holds all edges. */
void syt_edges_open(struct syt_edges *e, const struct syt_places *places);
void syt_edges_close(struct syt_edges *e);

/* Returns true if the set holds edges of KIND and CLASS. */
bool syt_edges_holds(const struct syt_edges *e, enum syt_edge_kind kind, enum syt_edge_class class);

/* Counts NR edges of KIND, for a caller that knows that the set does not hold such edges. */
void syt_edges_count(struct syt_edges *e, enum syt_edge_kind kind, uint64_t nr);

/* Adds EDGE. Returns false for a refused edge: it runs backwards in time, or a call during a pause may falsify it. */
bool syt_edges_add(struct syt_edges *e, struct syt_edge edge);

/* Adds a round of a barrier. Returns the place that stands for the round. */
struct syt_place syt_edges_round(struct syt_edges *e, struct syt_round round);

/* Like syt_edges_add(), for a caller that knows the instants BEGIN and END of EDGE. */
bool syt_edges_add_between(struct syt_edges *e, struct syt_edge edge, syt_time begin, syt_time end);

/* Moves all of FROM, another set of the same trace, to the end of E. FROM is empty afterwards. */
void syt_edges_append(struct syt_edges *e, struct syt_edges *from);

/* Drops the held edges that WANTED excludes, and excludes them from now on. Counts do not change. */
void syt_edges_narrow(struct syt_edges *e, struct syt_edges_wanted wanted);

/* Sorts by time of the target, then time of the source, then place. Rounds keep their indices. */
void syt_edges_sort(struct syt_edges *e);

/* Return the instants at which EDGE begins and ends. */
syt_time syt_edge_begin(const struct syt_edges *e, const struct syt_edge *edge);
syt_time syt_edge_end(const struct syt_edges *e, const struct syt_edge *edge);

/* In a sorted set, returns the index of the first edge that ends at T or later. */
uint64_t syt_edges_from(const struct syt_edges *e, syt_time t);

/* Returns true if EDGE leaves its source (IS_FROM), or reaches its target, at that event's `out`. */
bool syt_edge_is_at_end(const struct syt_edge *edge, bool is_from);

const char *syt_edge_kind_text(enum syt_edge_kind kind);
const char *syt_edge_class_text(enum syt_edge_class class);
/* Returns SYT_NR_EDGE_KINDS if TEXT is no kind. */
enum syt_edge_kind syt_edge_kind_find(const char *text);

#endif
