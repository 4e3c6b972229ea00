/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Scores of requests that depart from a model, and their probabilities (doc/requests.md, "Odd requests"). A score is an
 * integer, so that a model has the same scores before and after it is saved. A score is calibrated by the scores of like
 * requests from which the model did not learn.
 *
 * The rank of a request joins its scores: the smallest of the numbers of calibration scores that reach them. The numbers for the
 * two scores of work count twice. The calibration requests have ranks, too, so the share of like requests with a small rank is
 * known.
 */
#ifndef SYT_DECODER_REQUEST_ODD_H
#define SYT_DECODER_REQUEST_ODD_H

#include "decoder/request/automaton.h"

#define SYT_ODD_UNIT 1000        /* a score is a number of thousandths */
#define SYT_ODD_MOST 2000000000u /* maximum score */
#define SYT_ODD_SCORES 10000u    /* maximum number of distinct calibration scores that are kept */
#define SYT_ODD_TAIL 5000u       /* number of the highest scores that are kept exactly */

/* How a request departs from its model at a step. */
enum syt_odd_change { SYT_ODD_NONE, SYT_ODD_EXTRA, SYT_ODD_OTHER, SYT_ODD_MISSING };

/* Returns "extra", "other" or "missing"; NULL for SYT_ODD_NONE. */
const char *syt_odd_change_word(enum syt_odd_change c);

/* How improbable the string of a request is. The other members are valid if `change` is not SYT_ODD_NONE. */
struct syt_odd_structure {
	uint32_t score; /* most bits by which a step exceeds the expected bits, in thousandths */
	enum syt_odd_change change;
	uint32_t step;     /* the step that departs; the length of the string stands for its end */
	uint32_t state;    /* state before this step: its transitions are expected, and its end */
	uint32_t instead;  /* symbol of an other or missing step, or SYT_AUTOMATON_NONE */
	uint64_t seen, of; /* `seen` of `of` requests in this state went on like this request */
};

/* Computes the structure of the string STEPS, which has symbols of A, or SYT_AUTOMATON_NONE for unknown symbols. NOVEL[step] is the
 * number of symbols of the class of the step that A saw once (novelty.h); NULL: 0. If IS_OPEN, the request goes on after the
 * string. */
struct syt_odd_structure syt_odd_structure(const struct syt_automaton *a, const uint32_t *steps,
                                           const uint32_t *novel, uint32_t nr, bool is_open);

/* Calibration scores, ascending. */
struct syt_odd_score {
	uint32_t score;
	uint64_t count; /* number of requests with this score */
	uint64_t below; /* number of requests with lower scores */
};

struct syt_odd_scores {
	uint32_t nr;
	size_t room;
	struct syt_odd_score *all;
	uint64_t total; /* sum of the counts */
};

/* Copies the NR scores ALL, and keeps at most SYT_ODD_SCORES distinct ones in S. Of the scores below the tail, several become
 * the largest of them, so p is never too small. */
void syt_odd_scores_open(struct syt_odd_scores *s, const uint32_t *all, uint64_t nr);
/* Adds a score that is larger than all others. */
void syt_odd_scores_add(struct syt_odd_scores *s, uint32_t score, uint64_t count);
void syt_odd_scores_close(struct syt_odd_scores *s);

/* Returns the number of calibration scores that reach SCORE. */
uint64_t syt_odd_reach(const struct syt_odd_scores *s, uint32_t score);

/* Returns (1 + number of calibration scores that reach SCORE) / (1 + number of calibration scores). */
double syt_odd_p(const struct syt_odd_scores *s, uint32_t score);

/* The scores of a request. Chance changes each of them in another way: the paths of the program, the load of the machine, and
 * the amounts of data. */
enum syt_odd_score_kind { SYT_ODD_STRUCTURE, SYT_ODD_AMOUNT, SYT_ODD_CPU, SYT_ODD_NR_KINDS };
struct syt_odd_request {
	uint32_t scores[SYT_ODD_NR_KINDS];
};

/* The scores of the calibration requests. `joint` has the rank R of each request as the score SYT_ODD_MOST - R. In a model of an
 * older version, `joint` is empty, and the scores of amounts include CPU time. */
struct syt_odd_calibration {
	struct syt_odd_scores kinds[SYT_ODD_NR_KINDS], joint;
};

/* Calibrates C by the NR requests ALL. */
void syt_odd_calibrate(struct syt_odd_calibration *c, const struct syt_odd_request *all,
                       uint64_t nr);
void syt_odd_calibration_close(struct syt_odd_calibration *c);

/* How odd a request is. */
struct syt_odd_rank {
	enum syt_odd_score_kind kind; /* the score that gives the rank */
	double p; /* at most about this share of like requests has such a small rank */
};
struct syt_odd_rank syt_odd_rank(const struct syt_odd_calibration *c,
                                 const struct syt_odd_request *r);

/* Converts VALUE, which may be negative or infinite, to a score. */
uint32_t syt_odd_score(double value);

#endif
