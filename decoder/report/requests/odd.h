/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Compares requests with the model of a workload (doc/requests.md, "Odd requests"). One thread at a time may use these functions. */
#ifndef SYT_DECODER_REPORT_REQUESTS_ODD_H
#define SYT_DECODER_REPORT_REQUESTS_ODD_H

#include "base/json.h"
#include "decoder/request/gather.h"
#include "decoder/request/workload.h"

struct syt_odd_judge {
	struct syt_gathered *g;
	struct syt_symbols *symbols;
	const struct syt_workload *model;
	struct syt_workload_scorer scorer;
	uint64_t
		one_in; /* a request is a finding if at most one in so many like requests is as odd */
};

/* All arguments must outlive J. */
void syt_odd_judge_open(struct syt_odd_judge *j, struct syt_gathered *g,
                        struct syt_symbols *symbols, const struct syt_workload *model,
                        uint64_t one_in);
void syt_odd_judge_close(struct syt_odd_judge *j);

/* How a request departs from the model. */
struct syt_verdict_of {
	bool is_judged; /* the request is in the population, and the other members are valid */
	bool is_finding;
	bool is_work; /* the amount of work is odder than the steps */
	double p;     /* at most this share of like requests is as odd */
	struct syt_workload_score score;
};
struct syt_verdict_of syt_odd_judge(struct syt_odd_judge *j, uint64_t r);

/* Returns the requests that are findings, oddest first, and their number in *NR. The caller frees the array with syt_store_free(). */
uint64_t *syt_odd_findings(struct syt_odd_judge *j, uint64_t *nr);
/* Returns all requests of the population, oddest first, and their number in *NR. The caller frees the array with syt_store_free(). */
uint64_t *syt_odd_order(struct syt_odd_judge *j, uint64_t *nr);

/* Writes the members odd, finding and departs of the request R. */
void syt_odd_json(struct syt_json *json, struct syt_odd_judge *j, uint64_t r);
/* Writes how the request R departs, as the rest of a sentence, and how odd it is. */
void syt_odd_reason(struct syt_out *out, struct syt_odd_judge *j, uint64_t r);
/* Writes the sentence about the request R. */
void syt_odd_text(struct syt_out *out, struct syt_odd_judge *j, uint64_t r);

#endif
