/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/compare/runs.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "decoder/model/merge.h"
#include "decoder/model/start.h"

/* Keeps a copy of the leaves of the run, from which its tasks are found. */
static bool add_graph(struct syt_run *run, struct syt_order *order, struct syt_symbols *symbols)
{
	struct syt_model_input in;
	const struct syt_model_input *only = &in;
	struct syt_tasks tasks;
	bool is_good;

	syt_tasks_open(&tasks, &order->places, NULL);
	is_good = !syt_model_input_open(&in, order, &tasks, symbols);
	if (is_good) {
		is_good = !syt_model_merge(&run->graph, &only, 1);
		syt_model_input_close(&in);
	}
	syt_tasks_close(&tasks);
	return is_good;
}

static bool add_trace(struct syt_runs *runs, struct syt_command *c, const char *path,
                      const char *function)
{
	struct syt_read_report report;
	struct syt_trace_data *trace = syt_read(&path, 1, c->read_options, &report);
	struct syt_symbols *symbols = NULL;
	struct syt_order order;
	bool is_read = false;

	c->has_loss |= report.is_damaged || report.nr_unreadable;
	c->has_unreadable_input |= report.has_unreadable_input;
	for (uint32_t n = 0; n < trace->nr_images; n++)
		c->has_loss |= trace->images[n].nr_pauses > 0;
	if (!trace->nr_images) {
		if (!report.has_unreadable_input) /* otherwise there is a message */
			syt_warn("%s: contains no run", path);
	} else if (!syt_order_open_for(&order, trace, syt_model_edges)) {
		symbols = syt_symbols_create(c->has_debuginfod);
		syt_names_open(trace, symbols);
		syt_grow(&runs->all, &runs->room, runs->nr + 1, sizeof(*runs->all));
		syt_run_open(&runs->all[runs->nr], path, &order, symbols, function);
		c->has_loss |= runs->all[runs->nr].nr_lost > 0;
		is_read = add_graph(&runs->all[runs->nr++], &order, symbols);
		syt_order_close(&order);
		if (is_read && runs->examine)
			is_read = runs->examine(runs->context, path, trace, symbols);
		syt_symbols_destroy(symbols);
	}
	syt_trace_destroy(trace);
	return is_read;
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

bool syt_runs_add(struct syt_runs *runs, struct syt_command *c, const char *path,
                  const char *function)
{
	struct dirent **entries;
	size_t before = runs->nr;
	bool is_good = true;
	int nr;

	if (!is_directory(path) || may_be_trace(path))
		return add_trace(runs, c, path, function);
	nr = scandir(path, &entries, is_candidate, alphasort);
	if (nr < 0) {
		syt_warn("%s: %s", path, strerror(errno));
		return false;
	}
	for (int i = 0; i < nr; i++) {
		char *name = syt_asprintf("%s/%s", path, entries[i]->d_name);

		if (is_good && is_directory(name) && may_be_trace(name))
			is_good = add_trace(runs, c, name, function);
		free(name);
		free(entries[i]);
	}
	free(entries);
	if (is_good && runs->nr == before)
		syt_warn("%s: is neither a trace nor a directory of traces", path);
	return is_good && runs->nr > before;
}

void syt_runs_close(struct syt_runs *runs)
{
	for (size_t i = 0; i < runs->nr; i++)
		syt_run_close(&runs->all[i]);
	free(runs->all);
	*runs = (struct syt_runs){0};
}
