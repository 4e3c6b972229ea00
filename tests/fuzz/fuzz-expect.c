/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Fuzzes the parser of expectations. The target compares what it parsed with a small model. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/store.h"
#include "decoder/model/expect.h"

#define NR_LABELS 4u
#define NR_INSTANCES 10u

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct syt_model_input in;
static struct syt_model m;

static void close_model(void)
{
	syt_model_close(&m);
	syt_model_input_close(&in);
}

/* Makes a model: a thread locks, sends and unlocks again and again, and another thread receives. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const char *const labels[NR_LABELS] = {"s: main;get;lock", "s: main;get;unlock",
	                                              "s: main;get;write", "s: work;read"};
	const struct syt_model_options options = {.least = 2};

	(void)argc;
	(void)argv;
	in.nr_labels = NR_LABELS;
	in.nr_threads = 2;
	in.labels = calloc(NR_LABELS, sizeof(*in.labels));
	in.roles = calloc(2, sizeof(*in.roles));
	in.leaves = syt_store_alloc((uint64_t)NR_INSTANCES * NR_LABELS, sizeof(*in.leaves));
	in.inner = syt_store_alloc(NR_INSTANCES, sizeof(*in.inner));
	for (uint32_t i = 0; i < NR_LABELS; i++)
		in.labels[i] = (struct syt_model_label){.text = labels[i], .turn = SYT_TURN_OTHER};
	for (uint32_t i = 0; i < NR_INSTANCES * 3; i++)
		in.leaves[in.nr_leaves++] =
			(struct syt_model_leaf){.label = i % 3,
		                                .start = i % 3 ? i - 1 : SYT_NONE,
		                                .kind = SYT_EDGE_PROGRAM};
	for (uint32_t i = 0; i < NR_INSTANCES; i++) {
		in.inner[in.nr_inner++] = (struct syt_model_inner){
			.from = in.nr_leaves, .to = 3 * i + 2, .kind = SYT_EDGE_STREAM};
		in.leaves[in.nr_leaves++] = (struct syt_model_leaf){
			.label = 3, .thread = 1, .start = 3 * i + 1, .kind = SYT_EDGE_STREAM};
	}
	if (syt_model_open(&m, &in, &options))
		abort();
	atexit(close_model);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct syt_expect_error error;
	struct syt_expect e;
	/* exactly as much as there is, so that a byte too far is seen */
	char *text = malloc(size + !size);

	if (!text)
		abort();
	memcpy(text, data, size);
	if (!syt_expect_parse(&e, text, size, &error))
		assert(error.message && error.line && error.column && error.column <= size + 1);
	for (size_t i = 0; i < e.nr; i++) {
		struct syt_expect_result r = syt_expect_check(&e.all[i], &m, NULL);

		assert(e.all[i].least <= e.all[i].most && e.all[i].share &&
		       e.all[i].share <= SYT_EXPECT_ALL);
		assert(r.nr_failed <= r.nr && (r.node == SYT_NONE) == !r.nr_failed);
	}
	syt_expect_close(&e);
	free(text);
	return 0;
}
