/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Happens-before edges and the set that holds them.
 *
 * A matcher adds; the set refuses what runs backwards in time, because that cannot be true, and
 * counts it as a defect of the trace or of a rule.  It counts what it takes, and holds what
 * somebody wants to see.  One set belongs to one thread at a time; sets are appended to each other
 * and sorted at the end, so the result does not depend on who matched what when.
 */
#ifndef SYT_DECODER_EDGE_H
#define SYT_DECODER_EDGE_H

#include "decoder/history/place.h"

/* clang-format off */
enum syt_edge_kind {
#define EDGE(name_, text_, from_, to_) SYT_EDGE_##name_,
#include "decoder/history/edge-kinds.def"
	SYT_NR_EDGE_KINDS
};
/* clang-format on */

enum syt_edge_class { SYT_CLASS_CAUSAL, SYT_CLASS_RUN_AFTER, SYT_CLASS_INFERRED, SYT_NR_CLASSES };

#define SYT_EDGE_AMBIGUOUS 1u /* one of several possible sources; the true one is among them */
#define SYT_EDGE_INFERRED 2u  /* the two ends of its connection are known by inference only */

struct syt_edge {
	struct syt_place from, to; /* thread SYT_NONE: row is an index in the set's rounds */
	uint64_t bytes;            /* of a handoff: its evidence (decoder/order/handoff.h) */
	uint32_t object;           /* trace-wide, or SYT_NONE */
	uint8_t kind;              /* enum syt_edge_kind */
	uint8_t class;             /* enum syt_edge_class */
	uint8_t flags;             /* SYT_EDGE_* */
};

/* The virtual node of one round of a barrier: after all its arrivals, before all its departures. */
struct syt_round {
	uint32_t object; /* trace-wide */
	uint32_t round;  /* from 0 */
	syt_time at;     /* the last arrival */
};

#define SYT_EDGES_ALL UINT32_MAX
/* Kinds, without those by mutual exclusion, for who tells that from the holdings themselves. */
#define SYT_EDGES_BUT_LOCKS                                                                        \
	(~(1u << SYT_EDGE_MUTEX | 1u << SYT_EDGE_RWLOCK | 1u << SYT_EDGE_SPIN |                    \
	   1u << SYT_EDGE_STDIO))

/* Which edges are held: bits 1 << SYT_EDGE_*, and 1 << SYT_CLASS_*. */
struct syt_edges_wanted {
	uint32_t kinds, classes;
};

struct syt_edges {
	const struct syt_places *places;
	struct syt_edges_wanted wanted;
	uint32_t needed_kinds; /* bits; held, too, because matching itself looks at them */
	uint64_t nr;           /* held */
	size_t room;
	struct syt_edge *all;
	uint64_t nr_rounds;
	size_t room_rounds;
	struct syt_round *rounds;
	uint64_t nr_of_kind[SYT_NR_EDGE_KINDS]; /* taken, held or not */
	uint64_t nr_ambiguous[SYT_NR_EDGE_KINDS];
	uint64_t nr_defects; /* refused: backwards in time */
	uint64_t nr_dark;    /* refused because of a pause, since somebody set it to 0 */
	struct syt_edge first_defect;
};

/* Holds all. */
void syt_edges_open(struct syt_edges *e, const struct syt_places *places);
void syt_edges_close(struct syt_edges *e);

/* Whether edges of KIND and CLASS are held. */
bool syt_edges_holds(const struct syt_edges *e, enum syt_edge_kind kind, enum syt_edge_class class);

/* Counts NR edges of KIND that would not be held. */
void syt_edges_count(struct syt_edges *e, enum syt_edge_kind kind, uint64_t nr);

/* Adds EDGE; false when it runs backwards in time, or when a call that a pause left out may have come in between (both are
 * counted). */
bool syt_edges_add(struct syt_edges *e, struct syt_edge edge);

/* A new round; returns the place that names it. */
struct syt_place syt_edges_round(struct syt_edges *e, struct syt_round round);

/* The same for who knows the instants between which EDGE runs, and so need not look them up. */
bool syt_edges_add_between(struct syt_edges *e, struct syt_edge edge, syt_time begin, syt_time end);

/* Moves all of FROM, another set of the same trace, to the end of E; FROM is empty then. */
void syt_edges_append(struct syt_edges *e, struct syt_edges *from);

/* Holds from now on those alone that WANTED names, as if it had from the begin on; what was counted stays so. */
void syt_edges_narrow(struct syt_edges *e, struct syt_edges_wanted wanted);

/* By time of the target, then of the source, then by place. Rounds keep their indices. */
void syt_edges_sort(struct syt_edges *e);

/* The instants between which EDGE runs. */
syt_time syt_edge_begin(const struct syt_edges *e, const struct syt_edge *edge);
syt_time syt_edge_end(const struct syt_edges *e, const struct syt_edge *edge);

/* Whether EDGE leaves its source (IS_FROM), or reaches its target, at that event's end: its `out`. */
bool syt_edge_is_at_end(const struct syt_edge *edge, bool is_from);

const char *syt_edge_kind_text(enum syt_edge_kind kind);
const char *syt_edge_class_text(enum syt_edge_class class);
/* SYT_NR_EDGE_KINDS when TEXT is none. */
enum syt_edge_kind syt_edge_kind_find(const char *text);

#endif
