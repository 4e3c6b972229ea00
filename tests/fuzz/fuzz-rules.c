/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The readers of text files: the input is a baseline, whose rules are applied to a small graph, or, when its first byte is
 * odd, a file of names for the tasks of a model.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/store.h"
#include "decoder/model/rename.h"
#include "decoder/report/compare/task_rules.h"

#define NR_LABELS 4u
#define NR_LEAVES 64u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void count_tasks(const struct syt_baseline *b)
{
	static const char *const paths[NR_LABELS] = {"p: f;g;lock", "p: f;g;unlock", "p: f;read",
	                                             "p: f;send"};
	struct syt_run run = {
		.graph = {.nr_leaves = NR_LEAVES, .nr_labels = NR_LABELS, .nr_threads = 1}};
	struct syt_model_input *in = &run.graph;

	in->labels = calloc(NR_LABELS, sizeof(*in->labels));
	in->leaves = syt_store_alloc(NR_LEAVES, sizeof(*in->leaves));
	for (uint32_t i = 0; i < NR_LABELS; i++)
		in->labels[i].text = paths[i];
	for (uint32_t i = 0; i < NR_LEAVES; i++)
		in->leaves[i] = (struct syt_model_leaf){.label = i * i % 7 % NR_LABELS,
		                                        .start = i ? i - 1 : SYT_NONE,
		                                        .kind = SYT_EDGE_PROGRAM};
	syt_task_rules_count(b, &run, 1);
	for (size_t i = 0; i < run.nr; i++)
		assert(run.facts[i].nr <= NR_LEAVES * NR_LEAVES);
	syt_run_close(&run);
}

static void name_tasks(const char *path)
{
	static const char *const names[] = {"a", "b"};
	struct syt_model m = {.nr_tasks = 2, .tasks = calloc(2, sizeof(*m.tasks))};

	for (unsigned i = 0; i < 2; i++)
		m.tasks[i].name = strdup(names[i]);
	syt_model_rename(&m, path);
	assert(strcmp(m.tasks[0].name, m.tasks[1].name) != 0);
	for (unsigned i = 0; i < 2; i++)
		free(m.tasks[i].name);
	free(m.tasks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("input", MFD_CLOEXEC);
	struct syt_baseline b;
	char path[40];

	assert(fd >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (size && write(fd, data + 1, size - 1) == (ssize_t)size - 1) {
		if (data[0] & 1) {
			name_tasks(path);
		} else if (syt_baseline_read(&b, path)) {
			count_tasks(&b);
			syt_baseline_close(&b);
		}
	}
	close(fd);
	return 0;
}
