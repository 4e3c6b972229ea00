/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The facts about a task that a reader looks for first: its latency, its threads and its connections. */
#ifndef SYT_DECODER_REPORT_MODEL_DIGEST_H
#define SYT_DECODER_REPORT_MODEL_DIGEST_H

#include "base/out.h"
#include "decoder/model/latency.h"
#include "decoder/report/model/costs.h"

struct syt_model_digest;
/* Creates the digest of M, a model of a trace, which must outlive it. */
struct syt_model_digest *syt_model_digest_create(const struct syt_model *m);
void syt_model_digest_destroy(struct syt_model_digest *d);

/* Returns the tasks of the model in the order in which a reader needs them: the top tasks first. Of the top tasks, those
 * that exchange messages come first, unless their latencies are very small; then the longest sum of latencies. */
const uint32_t *syt_model_digest_order(struct syt_model_digest *d);

/* Returns the sum of the latencies of a top task in percent of all top tasks, or of all top tasks with messages if it has
 * messages. Waits for the readiness of descriptors count only in tasks with messages. */
double syt_model_digest_weight(struct syt_model_digest *d, uint32_t task);

/* Returns the latency of TASK, which lives as long as D. */
const struct syt_model_latency *syt_model_digest_latency(struct syt_model_digest *d, uint32_t task);

/* Returns the share of the part with the index PART (of the model) in the latency of its task, in percent. */
double syt_model_digest_share(struct syt_model_digest *d, uint32_t part);

/* Returns the title of the object with which the leaves with the label (of the model) begin: "mutex:server.lock". Returns NULL
 * if it has no name, or if the leaves begin with several objects. */
const char *syt_model_digest_lock(struct syt_model_digest *d, uint32_t label);

/* Writes the threads that execute TASK: "4 threads mc-worker, main thread". */
void syt_model_digest_put_threads(struct syt_out *out, struct syt_model_digest *d, uint32_t task);
/* Writes the groups of threads that ran longest, with this time. */
void syt_model_digest_put_busiest(struct syt_out *out, struct syt_model_digest *d);
/* Writes the calls outside of tasks that took the most time, at most MOST. Waits for new work do not count. Returns false if
 * they took little time. */
bool syt_model_digest_put_outside(struct syt_out *out, struct syt_model_digest *d, unsigned most);
/* Writes the connections of TASK: "clients of 127.0.0.1:80". Writes no text if there are none. */
void syt_model_digest_put_peers(struct syt_out *out, struct syt_model_digest *d, uint32_t task);

#endif
