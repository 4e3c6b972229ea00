/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* A protobuf message may be written in parts, so each string, function, location and sample is written when it is first needed. */
#include "fleet/profile.h"

#include <inttypes.h>
#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/err.h"
#include "base/profile.pb-c.h"
#include "base/protobuf.h"
#include "base/source.h"
#include "fleet/frames.h"
#include "fleet/sums.h"

#define NR_VALUES 3u
#define MOST_FRAMES 256u
#define WINDOW_BITS_OF_GZIP (15 + 16)

/* A function or a location. */
struct name {
	char *text; /* its function and file, or the functions, files and lines of the location */
	uint64_t id;
};

struct writer {
	uint8_t *bytes;
	size_t nr, room;
	int64_t nr_strings;
	uint64_t nr_names;
	void *functions, *locations; /* trees of struct name */
};

static void put(struct writer *w, const Pprof__Profile *part)
{
	size_t bytes = pprof__profile__get_packed_size(part);

	syt_grow(&w->bytes, &w->room, w->nr + bytes, 1);
	w->nr += pprof__profile__pack(part, w->bytes + w->nr);
}

static int64_t put_string(struct writer *w, const char *text)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	char *strings[] = {(char *)text};

	SYT_PROTOBUF_LIST(&part, string_table, strings, 1);
	put(w, &part);
	return w->nr_strings++;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct name *)a)->text, ((const struct name *)b)->text);
}

static void free_name(void *name)
{
	free(((struct name *)name)->text);
	free(name);
}

/* Returns the id of the element of TREE with TEXT, which the function frees. *IS_NEW: it was not there. */
static uint64_t number(struct writer *w, void **tree, char *text, bool *is_new)
{
	struct name *new = syt_calloc(1, sizeof(*new));
	struct name **at;

	new->text = text;
	at = tsearch(new, tree, compare_names);
	if (!at)
		syt_die_of_memory(1, sizeof(*new));
	*is_new = *at == new;
	if (*is_new)
		new->id = ++w->nr_names;
	else
		free_name(new);
	return (*at)->id;
}

static uint64_t put_function(struct writer *w, const char *name, const char *file)
{
	Pprof__Function function = PPROF__FUNCTION__INIT, *functions = &function;
	Pprof__Profile part = PPROF__PROFILE__INIT;
	bool is_new;

	function.id =
		number(w, &w->functions, syt_asprintf("%s\n%s", name, file ? file : ""), &is_new);
	if (is_new) {
		function.name = function.system_name = put_string(w, name);
		function.filename = file ? put_string(w, file) : 0;
		SYT_PROTOBUF_LIST(&part, function, &functions, 1);
		put(w, &part);
	}
	return function.id;
}

static void put_location(struct writer *w, uint64_t id, const struct syt_path_frame *f,
                         const char *function)
{
	Pprof__Line lines[SYT_SOURCE_MOST], *pointers[SYT_SOURCE_MOST];
	Pprof__Location location = PPROF__LOCATION__INIT, *locations = &location;
	Pprof__Profile part = PPROF__PROFILE__INIT;
	size_t nr = f->nr ? f->nr : 1; /* a function without lines is one, too */

	for (size_t n = 0; n < nr; n++) {
		const struct syt_line *at = f->nr ? &f->lines[n] : NULL;

		pprof__line__init(&lines[n]);
		lines[n].function_id = put_function(w, at && at->inlined ? at->inlined : function,
		                                    at ? at->file : NULL);
		lines[n].line = at ? at->line : 0;
		pointers[n] = &lines[n];
	}
	location.id = id;
	SYT_PROTOBUF_LIST(&location, line, pointers, nr);
	SYT_PROTOBUF_LIST(&part, location, &locations, 1);
	put(w, &part);
}

/* Returns the location of the frame. */
static uint64_t locate(struct writer *w, const struct syt_path_frame *f)
{
	char *function = syt_strndup(f->function, f->bytes), *text = syt_asprintf("%s", function);
	uint64_t id;
	bool is_new;

	for (size_t n = 0; n < f->nr; n++) {
		const struct syt_line *at = &f->lines[n];
		char *longer = syt_asprintf("%s\n%s\n%s\n%" PRIu32, text,
		                            at->inlined ? at->inlined : "", at->file, at->line);

		free(text);
		text = longer;
	}
	id = number(w, &w->locations, text, &is_new);
	if (is_new)
		put_location(w, id, f, function);
	free(function);
	return id;
}

static int64_t rounded(double v)
{
	return v >= 0x1p63 ? INT64_MAX : v > 0 ? llround(v) : 0;
}

/* Writes the row T, whose keys end at AT, as a sample with the NR frames ALL. */
static void put_sample(struct writer *w, const struct syt_store_rows *t, size_t at,
                       const struct syt_path_frame *all, size_t nr)
{
	int64_t values[NR_VALUES] = {rounded(syt_sums_number(t, at + 2)),
	                             rounded(syt_sums_number(t, at + 4)),
	                             rounded(syt_sums_number(t, at))};
	const char *lock = t->cells[at - 1].text;
	Pprof__Label label = PPROF__LABEL__INIT, *labels = &label;
	Pprof__Sample sample = PPROF__SAMPLE__INIT, *samples = &sample;
	Pprof__Profile part = PPROF__PROFILE__INIT;
	uint64_t locations[MOST_FRAMES];

	nr = nr < MOST_FRAMES ? nr : MOST_FRAMES;
	for (size_t n = 0; n < nr; n++)
		locations[n] = locate(w, &all[n]);
	if (*lock) {
		label.key = put_string(w, "lock");
		label.str = put_string(w, lock);
		SYT_PROTOBUF_LIST(&sample, label, &labels, 1);
	}
	SYT_PROTOBUF_LIST(&sample, location_id, locations, nr);
	SYT_PROTOBUF_LIST(&sample, value, values, NR_VALUES);
	SYT_PROTOBUF_LIST(&part, sample, &samples, 1);
	put(w, &part);
}

static void put_head(struct writer *w, const char *event)
{
	const char *const names[NR_VALUES][2] = {
		{!strcmp(event, "hold") ? "holds" : "waits", "count"},
		{event, "nanoseconds"},
		{!strcmp(event, "hold") ? "hold_of_fleet" : "wait_of_fleet", "nanoseconds"}};
	Pprof__ValueType types[NR_VALUES], *pointers[NR_VALUES];
	Pprof__Profile part = PPROF__PROFILE__INIT;

	put_string(w, "");
	for (unsigned n = 0; n < NR_VALUES; n++) {
		pprof__value_type__init(&types[n]);
		types[n].type = put_string(w, names[n][0]);
		types[n].unit = put_string(w, names[n][1]);
		pointers[n] = &types[n];
	}
	SYT_PROTOBUF_LIST(&part, sample_type, pointers, NR_VALUES);
	part.default_sample_type = types[NR_VALUES - 1].type;
	put(w, &part);
}

/* Compresses the profile. Both buffers belong to the caller. */
static void compress_profile(const struct writer *w, char **bytes, size_t *nr)
{
	z_stream z = {0};
	size_t room;

	if (deflateInit2(&z, Z_BEST_SPEED, Z_DEFLATED, WINDOW_BITS_OF_GZIP, 8,
	                 Z_DEFAULT_STRATEGY) != Z_OK)
		syt_die_of_memory(1, sizeof(z));
	room = deflateBound(&z, w->nr);
	*bytes = syt_alloc(room, 1);
	z.next_in = w->bytes;
	z.avail_in = (uInt)w->nr;
	z.next_out = (Bytef *)*bytes;
	z.avail_out = (uInt)room;
	deflate(&z, Z_FINISH); /* succeeds at once: the room is sufficient */
	*nr = z.total_out;
	deflateEnd(&z);
}

int syt_fleet_profile(struct syt_fleet_store *s, const struct syt_fleet_query *q, const char *event,
                      char **bytes, size_t *nr)
{
	/* only lines differ between call paths with the same functions */
	const char *keys =
		q->symbols ? "stack," SYT_SUMS_PATH ",lock_name" : SYT_SUMS_PATH ",lock_name";
	size_t at = q->symbols ? 3 : 2;
	struct syt_frames *f = syt_frames_open(s, q);
	struct syt_store_rows t;
	struct writer w = {0};
	int status;

	if (!f)
		return -1;
	status = syt_sums_ask_facts(&t, s, q, keys,
	                            !strcmp(event, "hold") ? "event = 'hold'" : syt_query_waits(q),
	                            false);
	put_head(&w, event);
	while (!status && (status = syt_store_next(&t)) > 0) {
		const char *path = t.cells[at - 2].text;
		const struct syt_path_frame *all;
		int nr_frames = syt_frames_find(f, t.cells[0].integer, *path ? path : "?", &all);

		if (nr_frames > 0)
			put_sample(&w, &t, at, all, (size_t)nr_frames);
		status = nr_frames < 0 ? -1 : 0;
		if (w.nr >= UINT32_MAX / 2) {
			syt_warn("%s: the profile has more than 2 GiB", s->path);
			status = -1;
		}
	}
	syt_store_done(&t);
	if (!status)
		compress_profile(&w, bytes, nr);
	syt_frames_close(f);
	tdestroy(w.functions, free_name);
	tdestroy(w.locations, free_name);
	free(w.bytes);
	return status;
}
