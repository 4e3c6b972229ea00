/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The model of a workload: its clusters, its automaton and its calibration scores (doc/requests.md). A model is learnt from
 * a population or read from a file.
 *
 * All numbers of a model are integers or have six decimals, so a model that is saved and read again gives the same results.
 */
#ifndef SYT_DECODER_REQUEST_WORKLOAD_H
#define SYT_DECODER_REQUEST_WORKLOAD_H

#include "base/out.h"
#include "decoder/request/novelty.h"
#include "decoder/request/odd.h"
#include "decoder/request/workload_kind.h"

/* Limits of a model. The most frequent clusters and behaviours are kept. */
#define SYT_WORKLOAD_SYMBOLS 100000u
#define SYT_WORKLOAD_COMPONENTS 10000u
#define SYT_WORKLOAD_CLUSTERS 10000u
#define SYT_WORKLOAD_PARTS 100000u /* of all clusters */
#define SYT_WORKLOAD_BEHAVIOURS 50000u
#define SYT_WORKLOAD_STEPS 100000u      /* of one string */
#define SYT_WORKLOAD_ALL_STEPS 4000000u /* of all strings */
#define SYT_WORKLOAD_COUNT UINT64_C(1000000000000)

#define SYT_WORKLOAD_NONE UINT32_MAX

struct syt_workload_cluster {
	uint64_t count;                /* number of learnt requests */
	uint32_t first_part, nr_parts; /* components that a request of the cluster used */
};

/* A behaviour that the model learnt at least twice. */
struct syt_workload_behaviour {
	uint32_t behaviour; /* of `known` */
	uint64_t count;
};

struct syt_workload {
	uint64_t nr_requests, nr_behaviours; /* of the population, also for calibration */
	uint64_t nr_once;                    /* behaviours that only one request has */
	uint64_t interval_ns; /* mean time between the begins of two requests; 0: unknown */
	/* Symbols and components by text. Member K is the representative of cluster K. The count of a behaviour is the number of
	 * learnt requests, or 0 if the model does not keep it. */
	struct syt_population known;
	double *scale; /* [component * SYT_NR_RESOURCES + resource] */
	uint32_t nr_clusters, nr_parts, nr_learnt;
	size_t room_clusters, room_parts, room_learnt;
	struct syt_workload_cluster *clusters; /* most requests first */
	struct syt_workload_part *parts;
	struct syt_workload_behaviour *learnt; /* by length, then by text */
	struct syt_automaton automaton;
	struct syt_odd_calibration calibration;
};

/* Learns P and calibrates the model (doc/requests.md, "Odd requests"). */
void syt_workload_learn(struct syt_workload *w, const struct syt_population *p);
/* Learns the requests of P with IS_LEARNT[request]. KINDS are the clusters and kinds of P. The model has neither a calibration nor the
 * number of the requests. */
void syt_workload_learn_from(struct syt_workload *w, const struct syt_population *p,
                             const struct syt_workload_kinds *kinds, const bool *is_learnt);
void syt_workload_close(struct syt_workload *w);

/* Returns true if a model of a single run uses the request with this number for calibration only. */
bool syt_workload_is_calibration(uint64_t request);

/* Returns the probability that the next request has a new behaviour: behaviours of one request / requests. */
double syt_workload_unseen(const struct syt_workload *w);

/* Returns for each cluster the first cluster whose representative has the same steps. A shift of the mix is a change between such
 * groups: the CPU time decides about the cluster, and depends on the load of the machine. The caller frees the array. */
uint32_t *syt_workload_groups(const struct syt_workload *w);

/* Writes the model as text. Returns false after a message if the text would be too large to be read again. */
bool syt_workload_save(const struct syt_workload *w, struct syt_out *o);
/* Reads a model that syt_workload_save() wrote. Returns false after a message; W is then empty. */
bool syt_workload_read(struct syt_workload *w, const char *path);

/* ---- scores ---- */

struct syt_workload_score {
	uint32_t cluster; /* SYT_WORKLOAD_NONE: no cluster is near */
	uint32_t nearest; /* SYT_WORKLOAD_NONE: the model has no cluster */
	double distance;  /* to the representative of `nearest` */
	uint32_t norms;   /* the nearest cluster if CPU time does not count: its norms apply */
	bool is_learnt;   /* the model learnt the behaviour at least twice */
	struct syt_odd_structure structure; /* symbols and states of the model */
	struct syt_odd_request odd;
	struct syt_odd_rank rank;
	/* the CPU time or the other amount that exceeds those of `norms` most, if `work` > 0: the one that the rank names, or else
	 * the other amount */
	uint32_t work;
	uint32_t component; /* of the population of the request */
	enum syt_resource resource;
};

/* Scores requests of a population by a model. The results of requests with the same behaviour in a row are faster. */
struct syt_workload_scorer {
	const struct syt_workload *workload;
	const struct syt_population *population;
	struct syt_novelty novelty;
	uint32_t nr_symbols, nr_novel,
		nr_components; /* translated so far; the population may grow */
	size_t room_symbols, room_novel, room_components;
	uint32_t *symbols, *components; /* numbers in the model, or SYT_WORKLOAD_NONE */
	uint32_t *novel;                /* [symbol]: symbols of its class that the model saw once */
	struct syt_workload_sketch *sketches; /* [cluster] */
	/* the present behaviour */
	uint32_t behaviour;
	bool is_open;
	size_t room_steps, room_novel_steps;
	uint32_t *steps;       /* symbols of the model */
	uint32_t *novel_steps; /* their `novel` */
	uint32_t *edits;       /* [cluster]: lower bound of the edit distance */
	bool *is_exact;        /* [cluster]: the bound is the distance */
	double *scale;         /* of the work without CPU time */
	struct syt_workload_score score;
	/* the present request */
	size_t room_parts;
	uint32_t nr_parts;
	struct syt_work_part *parts; /* components of the model */
};

/* W and P must outlive S. */
void syt_workload_scorer_open(struct syt_workload_scorer *s, const struct syt_workload *w,
                              const struct syt_population *p);
void syt_workload_scorer_close(struct syt_workload_scorer *s);
/* Scores the request MEMBER. If IS_OPEN, the request has not ended: the score judges the structure so far. */
struct syt_workload_score syt_workload_score(struct syt_workload_scorer *s, uint64_t member,
                                             bool is_open);

/* Returns the numbers of all requests of P, sorted by behaviour. The caller frees the array with syt_store_free(). */
uint64_t *syt_workload_order(const struct syt_population *p);

#endif
