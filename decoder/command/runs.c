/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/command/runs.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool read_run(struct syt_command *c, const char *path, syt_run_taker *take, void *context)
{
	struct syt_read_report report;
	struct syt_trace_data *trace = syt_read(&path, 1, c->read_options, &report);
	bool is_good = false;

	c->has_loss |= report.is_damaged || report.nr_unreadable;
	c->has_unreadable_input |= report.has_unreadable_input;
	for (uint32_t n = 0; n < trace->nr_images; n++) {
		const struct syt_image *i = &trace->images[n];

		c->has_loss |= i->nr_pauses || i->nr_lost || i->nr_missing || i->nr_overwritten;
	}
	if (!trace->nr_images) {
		if (!report.has_unreadable_input) /* otherwise there is a message */
			syt_warn("%s: contains no run", path);
	} else {
		struct syt_symbols *symbols = syt_symbols_create(c->has_debuginfod);

		syt_names_open(trace, symbols);
		is_good = take(context, path, trace, symbols);
		syt_symbols_destroy(symbols);
	}
	syt_trace_destroy(trace);
	return is_good;
}

/* Returns true if ENTRY may be the trace of a run: a directory whose name does not begin with a dot. */
static int is_candidate(const struct dirent *entry)
{
	return entry->d_name[0] != '.' &&
	       (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN || entry->d_type == DT_LNK);
}

static bool is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Returns true if the directory PATH is a trace, that is, if it contains a dump, or if it cannot be opened. */
static bool may_be_trace(const char *path)
{
	DIR *dir = opendir(path);
	bool has = !dir;

	for (const struct dirent *e; dir && (e = readdir(dir));) {
		size_t bytes = strlen(e->d_name), suffix = strlen(SYT_DUMP_SUFFIX);

		has |= bytes > suffix && !strcmp(e->d_name + bytes - suffix, SYT_DUMP_SUFFIX);
	}
	if (dir)
		closedir(dir);
	return has;
}

bool syt_runs_each(struct syt_command *c, const char *path, syt_run_taker *take, void *context)
{
	struct dirent **entries;
	bool is_good = true;
	int nr, nr_read = 0;

	if (!is_directory(path) || may_be_trace(path))
		return read_run(c, path, take, context);
	nr = scandir(path, &entries, is_candidate, alphasort);
	if (nr < 0) {
		syt_warn("%s: %s", path, strerror(errno));
		return false;
	}
	for (int i = 0; i < nr; i++) {
		char *name = syt_asprintf("%s/%s", path, entries[i]->d_name);

		if (is_good && is_directory(name) && may_be_trace(name)) {
			is_good = read_run(c, name, take, context);
			nr_read++;
		}
		free(name);
		free(entries[i]);
	}
	free(entries);
	if (is_good && !nr_read)
		syt_warn("%s: is neither a trace nor a directory of traces", path);
	return is_good && nr_read;
}
