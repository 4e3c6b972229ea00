/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The readers of workloads. The two lowest bits of the first byte select the reader. 0: the input is a model; the model is
 * saved, which must give the same text, and scores some requests. 1 and 3: the input is a file of strings; a model learns it,
 * is saved, and read again. 2: the input is a file of labels.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "decoder/request/workload.h"

#define MOST_STEPS 12u
#define MOST_SYMBOLS 4u
#define NR_REQUESTS 8u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_score(const struct syt_workload *w, const struct syt_workload_score *x,
                        uint32_t nr)
{
	const struct syt_odd_structure *s = &x->structure;

	assert(x->rank.p > 0 && x->rank.p <= 1);
	assert((x->nearest == SYT_WORKLOAD_NONE) == !w->nr_clusters);
	assert(!w->nr_clusters || (x->nearest < w->nr_clusters && x->distance >= 0));
	assert((x->norms == SYT_WORKLOAD_NONE) == !w->nr_clusters);
	assert(!w->nr_clusters || x->norms < w->nr_clusters);
	assert(s->step <= nr && s->state < w->automaton.nr_states && s->seen <= s->of);
	assert(s->instead == SYT_AUTOMATON_NONE || s->instead < w->known.symbols.nr);
}

static void score_all(const struct syt_workload *w, const struct syt_population *p)
{
	struct syt_workload_scorer s;

	syt_workload_scorer_open(&s, w, p);
	for (uint64_t i = 0; i < p->nr_members; i++) {
		struct syt_workload_score x = syt_workload_score(&s, i, i % 3 == 1);

		check_score(w, &x, p->behaviours[p->members[i].behaviour].nr);
	}
	syt_workload_scorer_close(&s);
}

/* Adds a request with symbols of W and an unknown symbol. */
static void add_request(struct syt_population *p, const struct syt_workload *w, uint32_t seed)
{
	const struct syt_text_set *known = &w->known.symbols, *components = &w->known.components;
	struct syt_work_part part = {.amounts = {1000, 200, SYT_AMOUNT_UNKNOWN, 4}};
	uint32_t steps[MOST_STEPS], nr = seed * 7 % MOST_STEPS;
	const char *component = components->nr ? components->all[seed % components->nr] : "?";

	for (uint32_t i = 0; i < nr; i++) {
		uint32_t n = (i * seed + i / 3) % (MOST_SYMBOLS + 1);
		const char *text = n < known->nr && n < MOST_SYMBOLS ? known->all[n] : "?";

		steps[i] = syt_text_set_add(&p->symbols, text, strlen(text));
	}
	part.component = syt_text_set_add(&p->components, component, strlen(component));
	syt_population_add(p, syt_population_behaviour(p, steps, nr), &part, seed % 2);
}

/* Returns a file that contains the text of W. */
static int save(const struct syt_workload *w)
{
	int fd = memfd_create("saved", MFD_CLOEXEC);
	struct syt_out o;

	assert(fd >= 0);
	syt_out_open(&o, fd, false);
	assert(syt_workload_save(w, &o));
	assert(!syt_out_close(&o));
	return fd;
}

static void check_file(int fd, const uint8_t *expected, size_t size)
{
	uint8_t *text = malloc(size + 1);

	assert(text && pread(fd, text, size + 1, 0) == (ssize_t)size);
	assert(!memcmp(text, expected, size));
	free(text);
}

static void read_model(const char *path, const uint8_t *data, size_t size)
{
	struct syt_population p = {.nr_members = 0};
	struct syt_workload w;
	int fd;

	if (!syt_workload_read(&w, path))
		return;
	fd = save(&w);
	check_file(fd, data, size);
	close(fd);
	for (uint32_t i = 0; i < NR_REQUESTS; i++)
		add_request(&p, &w, i);
	score_all(&w, &p);
	syt_population_close(&p);
	syt_workload_close(&w);
}

static void read_strings(const char *path)
{
	struct syt_population p = {.nr_members = 0};
	struct syt_workload w, again;
	char saved[40];
	int fd, fd_again;
	off_t size;
	uint8_t *text;

	if (syt_population_read_strings(&p, path)) {
		syt_workload_learn(&w, &p);
		fd = save(&w);
		size = lseek(fd, 0, SEEK_END);
		text = malloc((size_t)size);
		assert(text && pread(fd, text, (size_t)size, 0) == size);
		snprintf(saved, sizeof(saved), "/proc/self/fd/%d", fd);
		assert(syt_workload_read(&again, saved));
		fd_again = save(&again);
		check_file(fd_again, text, (size_t)size);
		score_all(&again, &p);
		syt_workload_close(&again);
		syt_workload_close(&w);
		close(fd_again);
		close(fd);
		free(text);
	}
	syt_population_close(&p);
}

static void read_labels(const char *path)
{
	struct syt_request_labels l;

	if (syt_request_labels_read(&l, path))
		assert(l.texts.nr <= l.nr);
	for (size_t i = 0; i < l.nr; i++)
		assert(l.all[i].request && l.all[i].label < l.texts.nr &&
		       *l.texts.all[l.all[i].label]);
	syt_request_labels_close(&l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("input", MFD_CLOEXEC);
	char path[40];

	assert(fd >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (size && write(fd, data + 1, size - 1) == (ssize_t)size - 1) {
		if (data[0] & 1)
			read_strings(path);
		else if (data[0] & 2)
			read_labels(path);
		else
			read_model(path, data + 1, size - 1);
	}
	close(fd);
	return 0;
}
