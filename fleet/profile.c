/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* A protobuf message may be written in parts, so each string, function, location and sample is written when it is first needed. */
#include "fleet/profile.h"

#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/err.h"
#include "base/profile.pb-c.h"
#include "base/protobuf.h"
#include "fleet/sums.h"

#define NR_VALUES 3u
#define MOST_FRAMES 256u
#define WINDOW_BITS_OF_GZIP (15 + 16)

struct name {
	char *text;
	uint64_t id; /* of its function and of its location */
};

struct writer {
	uint8_t *bytes;
	size_t nr, room;
	int64_t nr_strings;
	uint64_t nr_names;
	void *names; /* tree of struct name */
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

static void put_function(struct writer *w, const struct name *n)
{
	Pprof__Function function = PPROF__FUNCTION__INIT, *functions = &function;
	Pprof__Line line = PPROF__LINE__INIT, *lines = &line;
	Pprof__Location location = PPROF__LOCATION__INIT, *locations = &location;
	Pprof__Profile part = PPROF__PROFILE__INIT;

	function.id = location.id = line.function_id = n->id;
	function.name = function.system_name = put_string(w, n->text);
	SYT_PROTOBUF_LIST(&location, line, &lines, 1);
	SYT_PROTOBUF_LIST(&part, function, &functions, 1);
	SYT_PROTOBUF_LIST(&part, location, &locations, 1);
	put(w, &part);
}

/* Returns the location of the function with the name of BYTES bytes at TEXT. */
static uint64_t locate(struct writer *w, const char *text, size_t bytes)
{
	struct name *new = syt_calloc(1, sizeof(*new));
	struct name **at;

	new->text = syt_strndup(text, bytes);
	at = tsearch(new, &w->names, compare_names);
	if (!at)
		syt_die_of_memory(1, sizeof(*new));
	if (*at != new) {
		free_name(new);
		return (*at)->id;
	}
	new->id = ++w->nr_names;
	put_function(w, new);
	return new->id;
}

/* Stores the locations of PATH, whose outermost function comes first, in ALL, the innermost one first. Returns their number. */
static size_t locate_path(struct writer *w, const char *path, uint64_t *all)
{
	size_t nr = 0;

	for (const char *p = path; nr < MOST_FRAMES; p++) {
		size_t bytes = strcspn(p, ";");

		all[nr++] = locate(w, p, bytes);
		p += bytes;
		if (!*p)
			break;
	}
	for (size_t n = 0; n < nr / 2; n++) {
		uint64_t outer = all[n];

		all[n] = all[nr - 1 - n];
		all[nr - 1 - n] = outer;
	}
	return nr;
}

static int64_t rounded(double v)
{
	return v >= 0x1p63 ? INT64_MAX : v > 0 ? llround(v) : 0;
}

static void put_sample(struct writer *w, const struct syt_store_rows *t)
{
	int64_t values[NR_VALUES] = {rounded(syt_sums_number(t, 4)), rounded(syt_sums_number(t, 6)),
	                             rounded(syt_sums_number(t, 2))};
	const char *path = t->cells[0].text, *lock = t->cells[1].text;
	Pprof__Label label = PPROF__LABEL__INIT, *labels = &label;
	Pprof__Sample sample = PPROF__SAMPLE__INIT, *samples = &sample;
	Pprof__Profile part = PPROF__PROFILE__INIT;
	uint64_t locations[MOST_FRAMES];
	size_t nr = locate_path(w, *path ? path : "?", locations);

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
	struct syt_store_rows t;
	struct writer w = {0};
	int status = syt_sums_ask_facts(
		&t, s, q, SYT_SUMS_PATH ",lock_name",
		!strcmp(event, "hold") ? "event = 'hold'" : syt_query_waits(q), false);

	put_head(&w, event);
	while (!status && (status = syt_store_next(&t)) > 0) {
		put_sample(&w, &t);
		status = 0;
		if (w.nr >= UINT32_MAX / 2) {
			syt_warn("%s: the profile has more than 2 GiB", s->path);
			status = -1;
		}
	}
	syt_store_done(&t);
	if (!status)
		compress_profile(&w, bytes, nr);
	tdestroy(w.names, free_name);
	free(w.bytes);
	return status;
}
