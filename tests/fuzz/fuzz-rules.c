/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The readers of text files. If the first byte is even, the input is a baseline: its rules are applied to a small graph with
 * the call paths of the baseline, and kept in a new baseline, which must be readable. Otherwise the input is a file of names
 * for the tasks of a model.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "base/store.h"
#include "decoder/model/rename.h"
#include "decoder/report/compare/task_rules.h"

#define NR_LABELS 8u
#define NR_LEAVES 96u
#define NR_THREADS 2u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int by_text(const void *a_, const void *b_)
{
	const struct syt_model_label *a = a_, *b = b_;

	return strcmp(a->text, b->text);
}

/* Adds the call path TEXT of BYTES to the labels of IN, unless IN contains it. */
static void add_label(struct syt_model_input *in, const char *text, size_t bytes)
{
	static const enum syt_turn turns[] = {SYT_TURN_OTHER, SYT_TURN_RECEIVE, SYT_TURN_OTHER,
	                                      SYT_TURN_READY};
	struct syt_model_label *label = &in->labels[in->nr_labels];

	for (uint32_t i = 0; i < in->nr_labels; i++)
		if (!strncmp(in->labels[i].text, text, bytes) && !in->labels[i].text[bytes])
			return;
	*label = (struct syt_model_label){.text = syt_strndup(text, bytes),
	                                  .turn = (uint8_t)turns[in->nr_labels % 4]};
	in->nr_labels++;
}

/* Makes the labels of IN from the call paths of the tasks in B, and from a few others. */
static void make_labels(struct syt_model_input *in, const struct syt_baseline *b)
{
	static const char *const paths[] = {"p: f;g;lock", "p: f;g;unlock", "p: f;read",
	                                    "p: f;send"};

	in->labels = syt_calloc(NR_LABELS, sizeof(*in->labels));
	in->owns_texts = true;
	for (size_t i = 0; i < b->nr && b->norms[i].type <= SYT_FACT_ARC; i++) {
		const char *word = b->norms[i].name;

		for (size_t bytes; *word; word += bytes + (word[bytes] == '\t')) {
			bytes = strcspn(word, "\t");
			if (in->nr_labels < NR_LABELS - 2 && memmem(word, bytes, ": ", 2) &&
			    *word != '@')
				add_label(in, word + (*word == '\\'), bytes - (*word == '\\'));
		}
	}
	for (unsigned i = 0; i < 4 && in->nr_labels < NR_LABELS; i++)
		add_label(in, paths[i], strlen(paths[i]));
	qsort(in->labels, in->nr_labels, sizeof(*in->labels), by_text);
}

/* Makes a graph: two threads, of which each often starts leaves of the other. */
static void make_graph(struct syt_model_input *in, const struct syt_baseline *b)
{
	make_labels(in, b);
	in->nr_threads = NR_THREADS;
	in->nr_workers = 1;
	in->roles = syt_calloc(NR_THREADS, sizeof(*in->roles));
	in->leaves = syt_store_alloc(NR_LEAVES, sizeof(*in->leaves));
	in->inner = syt_store_alloc(NR_LEAVES, sizeof(*in->inner));
	in->nr_leaves = NR_LEAVES;
	for (uint32_t i = 0; i < NR_LEAVES; i++) {
		uint32_t first = i < NR_LEAVES / 2 ? 0 : NR_LEAVES / 2;
		struct syt_model_leaf *leaf = &in->leaves[i];

		*leaf = (struct syt_model_leaf){.label = (i * i + i / 9) % 7 % in->nr_labels,
		                                .thread = first > 0,
		                                .start = i > first ? i - 1 : SYT_NONE,
		                                .kind = SYT_EDGE_PROGRAM};
		if (first && i % 5 == 0) {
			leaf->start = i - NR_LEAVES / 2;
			leaf->kind = SYT_EDGE_STREAM;
		} else if (first && i % 5 == 3) {
			in->inner[in->nr_inner++] = (struct syt_model_inner){
				.from = i, .to = i - NR_LEAVES / 2 + 1, .kind = SYT_EDGE_STREAM};
		} else if (!first && i > 3 && i % 7 == 0) {
			leaf->start = i - 3;
			leaf->kind = SYT_ARC_CONNECTION;
		}
	}
}

/* Makes a baseline of RUN that keeps the tasks of B, writes it, and reads it again. */
static void keep_tasks(const struct syt_baseline *b, const struct syt_run *run)
{
	struct syt_baseline kept = {.rule = SYT_WORK_UNIT_RUN, .nr_runs = 1, .units = 1}, again;
	int fd = memfd_create("kept", MFD_CLOEXEC);
	FILE *f = fdopen(fd, "w");
	char path[40];

	assert(f);
	assert(syt_task_rules_learn(&kept, run, 1, b, NULL));
	kept.origin.recorded = syt_asprintf("then");
	kept.origin.host = syt_asprintf("h");
	kept.origin.recorder = syt_asprintf("r");
	kept.origin.program = syt_asprintf("p");
	syt_baseline_write(f, &kept);
	fflush(f);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert(syt_baseline_read(&again, path));
	assert(again.nr == kept.nr);
	for (size_t i = 0; i < kept.nr; i++)
		assert(!strcmp(again.norms[i].name, kept.norms[i].name));
	fclose(f);
	syt_baseline_close(&again);
	syt_baseline_close(&kept);
}

static void count_tasks(const struct syt_baseline *b)
{
	struct syt_run run = {.nr = 0};

	make_graph(&run.graph, b);
	keep_tasks(b, &run);
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
