/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Opens the files of each build once, and looks up each address once: many call paths share their outer frames. */
#include "fleet/frames.h"

#include <inttypes.h>
#include <jansson.h>
#include <pthread.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/err.h"

static pthread_mutex_t elfutils = PTHREAD_MUTEX_INITIALIZER; /* they are not safe for threads */

struct build {
	char *id;
	struct syt_binary *binary; /* NULL: no files */
};

struct place {
	const struct build *build;
	uint64_t at;
	size_t nr;
	struct syt_line *lines;
};

struct syt_frames {
	struct syt_fleet_store *names; /* has the frames of stacks */
	const char *symbols;
	void *builds, *places; /* trees of struct build and struct place */
	size_t room;
	struct syt_path_frame *all;
	time_t deadline;
};

static int compare_builds(const void *a, const void *b)
{
	return strcmp(((const struct build *)a)->id, ((const struct build *)b)->id);
}

static int compare_places(const void *a_, const void *b_)
{
	const struct place *a = a_, *b = b_;

	if (a->build != b->build)
		return a->build < b->build ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

static void free_build(void *build)
{
	struct build *b = build;

	syt_binary_close(b->binary);
	free(b->id);
	free(b);
}

static void free_place(void *place)
{
	struct place *p = place;

	for (size_t n = 0; n < p->nr; n++) {
		free(p->lines[n].file);
		free(p->lines[n].inlined);
	}
	free(p->lines);
	free(p);
}

/* Returns the element of TREE that equals KEY, of BYTES bytes. *IS_NEW: it is a copy of KEY. */
static void *find(void **tree, const void *key, size_t bytes,
                  int (*compare)(const void *, const void *), bool *is_new)
{
	void **at = tsearch(key, tree, compare);

	if (!at)
		syt_die_of_memory(1, bytes);
	*is_new = *at == key;
	if (*is_new) {
		*at = syt_alloc(bytes, 1);
		memcpy(*at, key, bytes);
	}
	return *at;
}

static const struct place *find_place(struct syt_frames *f, const char *id, uint64_t at)
{
	const struct build of = {.id = (char *)(uintptr_t)id};
	struct place place = {.at = at}, *p;
	struct build *b;
	bool is_new;

	b = find(&f->builds, &of, sizeof(of), compare_builds, &is_new);
	if (is_new) {
		b->id = syt_asprintf("%s", id);
		b->binary = syt_symbols_rank(f->symbols, id) == SYT_RANK_DEBUG
		                    ? syt_binary_open(f->symbols, id)
		                    : NULL;
	}
	place.build = b;
	p = find(&f->places, &place, sizeof(place), compare_places, &is_new);
	if (is_new && b->binary)
		p->nr = syt_binary_lines(b->binary, at, &p->lines);
	return p;
}

struct syt_frames *syt_frames_open(struct syt_fleet_store *s, const struct syt_fleet_query *q)
{
	struct syt_frames *f;
	struct syt_fleet_store *names = NULL;

	s->journal = q->journal;
	if (q->symbols && !(names = s->all->names(s)))
		return NULL;
	if (q->symbols)
		pthread_mutex_lock(&elfutils);
	f = syt_calloc(1, sizeof(*f));
	*f = (struct syt_frames){
		.names = names, .symbols = q->symbols, .deadline = time(NULL) + SYT_STORE_SECONDS};
	return f;
}

void syt_frames_close(struct syt_frames *f)
{
	if (!f)
		return;
	tdestroy(f->places, free_place);
	tdestroy(f->builds, free_build);
	free(f->all);
	if (f->symbols)
		pthread_mutex_unlock(&elfutils);
	free(f);
}

/* Stores the frames of STACK, as text of JSON, in *FRAMES; NULL: the store does not have them. */
static int read_frames(struct syt_frames *f, int64_t stack, json_t **frames)
{
	const struct syt_store_value value = {NULL, stack};
	struct syt_store_rows t;
	int status = syt_store_ask(&t, f->names, "SELECT frames FROM frames WHERE stack = ?1",
	                           &value, 1);

	*frames = NULL;
	if (!status && (status = syt_store_next(&t)) > 0) {
		*frames = json_loads(t.cells[0].text, 0, NULL);
		status = 0;
	}
	syt_store_done(&t);
	return status;
}

int syt_frames_find(struct syt_frames *f, int64_t stack, const char *path,
                    const struct syt_path_frame **all)
{
	json_t *frames = NULL;
	size_t nr = 1;

	if (f->symbols && read_frames(f, stack, &frames))
		return -1;
	if (f->symbols && time(NULL) > f->deadline) {
		syt_warn("%s: the search for source lines took more than a minute", f->symbols);
		json_decref(frames);
		return -1;
	}
	for (const char *p = path; *p; p++)
		nr += *p == ';';
	if (nr > f->room) {
		free(f->all);
		f->all = syt_calloc(nr, sizeof(*f->all));
		f->room = nr;
	}
	for (size_t n = nr; n-- > 0; path += f->all[n].bytes + 1) {
		const json_t *frame = json_array_get(frames, n);
		const char *build = json_string_value(json_array_get(frame, 0));
		const struct place *p =
			build ? find_place(f, build,
		                           (uint64_t)json_integer_value(json_array_get(frame, 2)))
			      : NULL;

		f->all[n] = (struct syt_path_frame){.function = path,
		                                    .bytes = strcspn(path, ";"),
		                                    .build = p ? p->build->id : "",
		                                    .nr = p ? p->nr : 0,
		                                    .lines = p ? p->lines : NULL};
	}
	json_decref(frames);
	*all = f->all;
	return (int)nr;
}
