/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/read/reader.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/err.h"
#include "base/store.h"
#include "decoder/read/boot.h"
#include "decoder/read/image.h"
#include "decoder/read/name.h"
#include "decoder/read/peer.h"
#include "decoder/read/sparse.h"
#include "base/work.h"

struct reader {
	struct syt_loading **loadings;
	size_t nr, room;
	const struct syt_read_options *options;
	struct syt_read_report *report;
	const char **reasons; /* [dump]: reason why the dump is unreadable, or NULL */
	size_t nr_inputs;
	bool *is_input_read; /* [input]: at least one dump of the input is readable */
	struct syt_clock_map *clocks;
	size_t nr_clocks;
	int64_t wall_offset_ns; /* trace->wall_offset_ns */
	struct syt_hosts *hosts;
	struct syt_peers_info peers;
};

/* ---- finding dumps ---- */

static void add_dump(struct reader *r, size_t input, const char *path)
{
	struct syt_loading *l = syt_calloc(1, sizeof(*l));
	int rv = syt_input_open(&l->in, path);

	if (rv < 0) {
		syt_warn("%s: %s", path, strerror(-rv));
		free(l);
		r->report->nr_unreadable++;
		r->report->has_unreadable_input = true;
		return;
	}
	l->input = input;
	syt_problems_init(&l->problems);
	*SYT_ADD(r->loadings, r->nr, r->room) = l;
}

static int is_dump_name(const struct dirent *entry)
{
	return syt_input_is_dump(entry->d_name);
}

static void add_directory(struct reader *r, size_t input, const char *path)
{
	struct dirent **entries;
	int n = scandir(path, &entries, is_dump_name, versionsort);

	if (n <= 0) {
		if (n < 0)
			syt_warn("%s: %s", path, strerror(errno));
		else
			syt_warn("%s: contains no dump (*%s), the trace file of a process; no "
			         "program was recorded there",
			         path, SYT_DUMP_SUFFIX);
		if (n == 0)
			free(entries);
		r->report->nr_unreadable++;
		return;
	}
	for (int i = 0; i < n; i++) {
		char *file = syt_asprintf("%s/%s", path, entries[i]->d_name);

		add_dump(r, input, file);
		free(file);
		free(entries[i]);
	}
	free(entries);
	syt_peers_read(&r->peers, path);
}

static void add_input(struct reader *r, size_t input, const char *path)
{
	DIR *dir = strcmp(path, "-") == 0 ? NULL : opendir(path);

	if (dir) {
		closedir(dir);
		add_directory(r, input, path);
	} else {
		add_dump(r, input, path);
	}
}

/* ---- indexing ---- */

static void index_one(void *context, size_t n, unsigned worker)
{
	struct reader *r = context;

	(void)worker;
	r->loadings[n]->from_ticks = r->options->from_ticks;
	r->loadings[n]->is_as_sampled = r->options->is_as_sampled;
	r->reasons[n] = syt_image_index(r->loadings[n]);
}

static void settle_one(void *context, size_t n, unsigned worker)
{
	struct reader *r = context;

	(void)worker;
	syt_segments_settle(r->loadings[n]);
}

SYT_COMPARATOR(latest_first, struct syt_segment)
{
	return SYT_COMPARE(b->first_ticks, a->first_ticks);
}

/* Moves the begin of the window so that it has at most most_events events and one more block of each thread. */
static void limit_window(struct reader *r)
{
	struct syt_segment *all = NULL;
	size_t nr = 0, room = 0;
	uint64_t nr_events = 0;

	for (size_t n = 0; n < r->nr; n++)
		for (size_t k = 0; k < r->loadings[n]->nr_segments; k++)
			*SYT_ADD(all, nr, room) = r->loadings[n]->segments[k];
	if (nr)
		qsort(all, nr, sizeof(*all), latest_first);
	for (size_t k = 0; k < nr; k++) {
		nr_events += all[k].nr_events;
		if (nr_events <= r->options->most_events)
			continue;
		for (size_t n = 0; n < r->nr; n++)
			if (all[k].first_ticks > r->loadings[n]->from_ticks)
				r->loadings[n]->from_ticks = all[k].first_ticks;
		break;
	}
	free(all);
}

static void drop(struct syt_loading *l)
{
	syt_loading_fini(l);
	syt_image_fini(&l->image);
	free(l);
}

static void index_all(struct reader *r)
{
	size_t kept = 0;

	r->reasons = syt_calloc(r->nr, sizeof(*r->reasons));
	syt_work(r->nr, r->options->nr_workers, index_one, r);
	for (size_t n = 0; n < r->nr; n++) {
		if (!r->reasons[n]) {
			r->is_input_read[r->loadings[n]->input] = true;
			r->loadings[kept++] = r->loadings[n];
			continue;
		}
		syt_warn("%s: %s", r->loadings[n]->in.name, r->reasons[n]);
		drop(r->loadings[n]);
		r->report->nr_unreadable++;
	}
	r->nr = kept;
	if (r->options->from_ticks && r->options->most_events)
		limit_window(r);
	syt_work(r->nr, r->options->nr_workers, settle_one, r);
	free(r->reasons);
	for (size_t n = 0; n < r->nr_inputs; n++)
		r->report->has_unreadable_input |= !r->is_input_read[n];
	free(r->is_input_read);
}

/* Sorts by trace, `recording` if IS_NUMBERED, boot, twin and P. */
static int by_recording_and_index(const void *a, const void *b, void *is_numbered)
{
	const struct syt_image *x = &(*(struct syt_loading *const *)a)->image;
	const struct syt_image *y = &(*(struct syt_loading *const *)b)->image;
	int c = memcmp(x->file.trace_id, y->file.trace_id, sizeof(x->file.trace_id));

	if (!c && is_numbered)
		SYT_ORDER(x->recording, y->recording);
	if (!c)
		c = memcmp(x->file.boot_id, y->file.boot_id, sizeof(x->file.boot_id));
	if (c)
		return c;
	SYT_ORDER(x->twin, y->twin);
	SYT_ORDER(x->file.index, y->file.index);
	return strcmp(x->path, y->path);
}

/* Sorts the dumps by trace, then by recording in the order of the least P, then by P. */
static void sort_dumps(struct reader *r)
{
	bool is_numbered = true;

	if (!r->nr)
		return;
	qsort_r(r->loadings, r->nr, sizeof(*r->loadings), by_recording_and_index, NULL);
	for (size_t n = 0; n < r->nr; n++) {
		struct syt_image *i = &r->loadings[n]->image;

		/* until syt_identity_number(): the least P of the recording */
		i->recording = n && syt_identity_is_one_recording(i, &r->loadings[n - 1]->image)
		                       ? r->loadings[n - 1]->image.recording
		                       : i->file.index;
	}
	qsort_r(r->loadings, r->nr, sizeof(*r->loadings), by_recording_and_index, &is_numbered);
}

/* Returns an undamaged dump of the same input as L, else of another input, or NULL. */
static const struct syt_loading *find_whole(const struct reader *r, const struct syt_loading *l)
{
	const struct syt_loading *found = NULL;

	for (size_t n = 0; n < r->nr; n++)
		if (r->loadings[n]->has_header &&
		    (!found || (r->loadings[n]->input == l->input && found->input != l->input)))
			found = r->loadings[n];
	return found;
}

/* Repairs the identity of a dump with a damaged header: takes P and pid from its file name
 * (P.PID.dump), and the ids and the clock from another dump. */
static void repair_identity(struct reader *r)
{
	for (size_t n = 0; n < r->nr; n++) {
		struct syt_loading *l = r->loadings[n];
		const struct syt_loading *whole = l->has_header ? NULL : find_whole(r, l);
		unsigned index, pid;

		if (l->has_header)
			continue;
		if (sscanf(basename(l->in.name), "%u.%u.", &index, &pid) == 2) {
			l->image.file.index = index;
			l->image.file.pid = pid;
		}
		if (whole) {
			const struct syt_file *f = &whole->image.file;

			memcpy(l->image.file.trace_id, f->trace_id, sizeof(f->trace_id));
			memcpy(l->image.file.boot_id, f->boot_id, sizeof(f->boot_id));
			l->image.file.clock_source = f->clock_source;
			l->image.file.clock_hz = f->clock_hz;
		}
	}
}

/* Makes the numbers P of process images unique: the images of a second recording get the numbers after
 * those of the first recording. */
static void number_images(struct reader *r)
{
	uint32_t next = 0;

	sort_dumps(r);
	for (size_t n = 0; n < r->nr; n++) {
		struct syt_image *i = &r->loadings[n]->image;

		i->index = i->file.index >= next ? i->file.index : next;
		/* a number so large that other images get no number cannot be right */
		if (i->index > UINT32_MAX - (uint32_t)r->nr - 1)
			i->index = next;
		next = i->index + 1;
	}
}

/* ---- time ---- */

static bool same_clock(const struct syt_image *a, const struct syt_image *b)
{
	return a->host == b->host && a->file.clock_source == b->file.clock_source;
}

/* Checks the clock pair `latest` in the file header, which the checksum does not cover. If it
 * contradicts the other pairs, reports it and returns false. */
static bool is_latest_sound(struct syt_loading *l, const struct syt_clock_reference *reference)
{
	const struct syt_clock_pair *latest = &l->image.file.latest;
	size_t at = offsetof(struct syt_file, latest);
	const char *member;

	if (!latest->ticks)
		return false;
	member = syt_clock_misfit(reference, latest);
	if (!member)
		return true;
	if (member[0] == 'm')
		at += offsetof(struct syt_clock_pair, mono_ns);
	syt_problem(&l->problems, at,
	            "header, byte 0x%zx: latest.%s contradicts the other clock pairs; the pair is "
	            "ignored",
	            at, member);
	return false;
}

static void fit_clock(struct reader *r, size_t first)
{
	const struct syt_image *i = &r->loadings[first]->image;
	struct syt_clock_map *map = &r->clocks[r->nr_clocks++];
	struct syt_clock_pair *pairs;
	size_t nr = 0;

	for (size_t n = first; n < r->nr; n++)
		if (same_clock(&r->loadings[n]->image, i))
			nr += r->loadings[n]->nr_pairs + 1;
	pairs = syt_alloc(nr, sizeof(*pairs));
	nr = 0;
	for (size_t n = first; n < r->nr; n++) {
		struct syt_loading *l = r->loadings[n];

		if (!same_clock(&l->image, i))
			continue;
		if (l->nr_pairs)
			memcpy(pairs + nr, l->pairs, l->nr_pairs * sizeof(*pairs));
		nr += l->nr_pairs;
		l->clock = map;
	}

	struct syt_clock_reference reference = syt_clock_refer(pairs, nr);

	for (size_t n = first; n < r->nr; n++)
		if (same_clock(&r->loadings[n]->image, i) &&
		    (r->loadings[n]->is_latest_sound = is_latest_sound(r->loadings[n], &reference)))
			pairs[nr++] = r->loadings[n]->image.file.latest;
	syt_clock_fit(map, i->file.clock_source, i->file.clock_hz, pairs, nr);
	free(pairs);
	if (map->is_guess)
		syt_problem(&r->loadings[first]->problems, 0,
		            "the trace file does not contain the clock frequency; a clock tick is "
		            "taken as a nanosecond");
}

/* Aligns the clocks of several boots or hosts, which have different CLOCK_MONOTONIC, by real time
 * since the oldest boot. */
static void align_clocks(struct reader *r)
{
	int64_t least = INT64_MAX;

	for (size_t n = 0; n < r->nr_clocks; n++)
		if (r->clocks[n].real_offset_ns < least)
			least = r->clocks[n].real_offset_ns;
	r->wall_offset_ns = r->nr_clocks ? least : 0;
	for (size_t n = 0; r->nr_clocks > 1 && n < r->nr_clocks; n++) {
		uint64_t shift = (uint64_t)r->clocks[n].real_offset_ns - (uint64_t)least;

		/* two boots more than nine years apart: one of the clocks is wrong */
		if (shift < UINT64_C(1) << 58)
			syt_clock_shift(&r->clocks[n], (int64_t)shift);
	}
}

static void set_clocks(struct reader *r)
{
	r->clocks = syt_calloc(r->nr, sizeof(*r->clocks));
	for (size_t n = 0; n < r->nr; n++)
		if (!r->loadings[n]->clock)
			fit_clock(r, n);
	align_clocks(r);
	for (size_t n = 0; n < r->nr; n++)
		syt_image_add_unknown_call(r->loadings[n]);
	if (r->options->join)
		r->hosts = r->options->join->join(r->options->join,
		                                  &(struct syt_clocks){
							  .loadings = r->loadings,
							  .all = r->clocks,
							  .nr_loadings = (uint32_t)r->nr,
							  .nr = (uint32_t)r->nr_clocks,
							  .nr_workers = r->options->nr_workers,
							  .wall_offset_ns = &r->wall_offset_ns,
						  });
	for (size_t n = 0; n < r->nr; n++)
		syt_image_set_times(r->loadings[n]);
}

/* ---- the whole trace ---- */

static void set_span(struct syt_trace_data *t)
{
	t->begin = UINT64_MAX;
	for (uint32_t n = 0; n < t->nr_images; n++) {
		const struct syt_image *i = &t->images[n];

		t->begin = i->begin < t->begin ? i->begin : t->begin;
		t->end = i->end > t->end ? i->end : t->end;
	}
	if (t->begin > t->end)
		t->begin = t->end;
}

/* Returns true if memory suffices for all events, and the caller then prefers a full trace. */
static bool fits(const struct reader *r)
{
	uint64_t nr = 0;

	for (size_t n = 0; n < r->nr; n++)
		for (size_t k = 0; k < r->loadings[n]->nr_segments; k++)
			nr += r->loadings[n]->segments[k].nr_events;
	return r->options->dense_bytes && syt_store_fits(nr * r->options->dense_bytes);
}

static struct syt_trace_data *finish(struct reader *r)
{
	struct syt_trace_data *t = syt_calloc(1, sizeof(*t));

	index_all(r);
	syt_identity_read(r->loadings, r->nr);
	repair_identity(r);
	syt_boots_split(r->loadings, r->nr);
	number_images(r);
	syt_identity_number(r->loadings, r->nr);
	set_clocks(r);
	syt_pauses_read(r->loadings, r->nr);
	if (r->options->on_index && r->nr)
		r->options->on_index(r->options->context, &r->loadings[0]->image);
	if (r->options->is_sparse && !fits(r))
		t->sparse = syt_sparse_survey(r->loadings, r->nr, r->options->nr_workers);
	if (!t->sparse)
		syt_rows_decode(r->loadings, r->nr, r->options->nr_workers);
	t->images = syt_calloc(r->nr, sizeof(*t->images));
	t->nr_images = (uint32_t)r->nr;
	t->peers = r->peers;
	t->nr_workers = r->options->nr_workers;
	for (size_t n = 0; n < r->nr; n++) {
		struct syt_loading *l = r->loadings[n];
		struct syt_image *i = &t->images[n];

		syt_waiting_settle(l);
		syt_pauses_settle(l);
		l->image.is_damaged = l->problems.nr > 0;
		r->report->is_damaged |= l->image.is_damaged;
		syt_problems_print(&l->problems, l->in.name, r->options->problems_shown);
		*i = l->image;
		i->trace = t;
		for (uint32_t k = 0; k < i->nr_threads; k++)
			i->threads[k].image = i;
		if (!t->sparse) {
			syt_loading_fini(l);
			free(l);
		}
	}
	r->report->nr_read = t->nr_images;
	t->wall_offset_ns = r->wall_offset_ns;
	t->hosts = r->hosts;
	t->hosts_destroy = r->options->join ? r->options->join->destroy : NULL;
	if (t->sparse) {
		syt_sparse_settle(t->sparse, r->loadings, r->nr, r->clocks, r->nr_clocks);
	} else {
		for (size_t n = 0; n < r->nr_clocks; n++)
			syt_clock_fini(&r->clocks[n]);
		free(r->clocks);
		free(r->loadings);
	}
	syt_components_name(t);
	set_span(t);
	syt_names_open(t, NULL);
	return t;
}

static void start(struct reader *r, struct syt_read_options *mine,
                  const struct syt_read_options *options, struct syt_read_report *report,
                  size_t nr_inputs)
{
	*mine = *options;
	if (!mine->nr_workers)
		mine->nr_workers = syt_nr_workers();
	*report = (struct syt_read_report){.nr_read = 0};
	*r = (struct reader){.options = mine, .report = report, .nr_inputs = nr_inputs};
	r->is_input_read = syt_calloc(nr_inputs, sizeof(*r->is_input_read));
}

struct syt_trace_data *syt_read(const char *const *inputs, size_t nr_inputs,
                                const struct syt_read_options *options,
                                struct syt_read_report *report)
{
	struct syt_read_options mine;
	struct reader r;

	start(&r, &mine, options, report, nr_inputs);
	for (size_t n = 0; n < nr_inputs; n++)
		add_input(&r, n, inputs[n]);
	return finish(&r);
}

struct syt_trace_data *syt_read_memory(const void *bytes, size_t nr_bytes,
                                       const struct syt_read_options *options,
                                       struct syt_read_report *report)
{
	struct syt_read_options mine;
	struct syt_loading *l = syt_calloc(1, sizeof(*l));
	struct reader r;

	start(&r, &mine, options, report, 1);
	syt_input_memory(&l->in, "memory", bytes, nr_bytes);
	syt_problems_init(&l->problems);
	*SYT_ADD(r.loadings, r.nr, r.room) = l;
	return finish(&r);
}

void syt_trace_destroy(struct syt_trace_data *t)
{
	if (t->hosts)
		t->hosts_destroy(t->hosts);
	syt_names_close(t);
	for (uint32_t n = 0; n < t->nr_images; n++)
		syt_image_fini(&t->images[n]);
	free(t->images);
	syt_sparse_destroy(t->sparse);
	syt_peers_fini(&t->peers);
	free(t);
}
