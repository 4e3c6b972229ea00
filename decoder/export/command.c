/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* syntrace-decode export writes the trace in a format of other tools. The output has a temporary name until it is
 * complete, so its final name never shows half of a trace. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "decoder/order/handoff.h"
#include "decoder/export/exporter.h"
#include "decoder/show/coverage_print.h"
#include "decoder/command/command.h"
#include "decoder/command/outfile.h"

struct options {
	const struct syt_exporter *exporter;
	const char *path;
	enum syt_what what;
	bool has_what, has_no_stacks, has_no_run_after, has_inferred;
};

/* The names of the formats, and the help of --to. */
static const char names[] =
#define EXPORTER(name_, summary_) " " #name_
#include "decoder/export/exporters.def"
#undef EXPORTER
	, formats[] =
#define EXPORTER(name_, summary_) ", " #name_ " (" summary_ ")"
#include "decoder/export/exporters.def"
#undef EXPORTER
	;

static void parse_to(void *field, const char *name, const char *arg, struct argp_state *state)
{
	const struct syt_exporter **exporter = field;

	*exporter = syt_exporter_find(arg);
	if (*exporter)
		return;
	argp_error(state, "--%s takes one of%s, not '%s'", name, names, arg);
}

static bool is_standard_output(const struct options *o)
{
	return !o->path || !strcmp(o->path, "-");
}

static void parse_what(void *field, const char *name, const char *arg, struct argp_state *state)
{
	struct options *o = field;

	o->has_what = true;
	if (!strcmp(arg, "wait"))
		o->what = SYT_WHAT_WAIT;
	else if (!strcmp(arg, "contention"))
		o->what = SYT_WHAT_CONTENTION;
	else
		argp_error(state, "--%s takes wait or contention, not '%s'", name, arg);
}

static void check(void *options_, struct argp_state *state)
{
	struct options *o = options_;

	if (!o->exporter && o->path)
		o->exporter = syt_exporter_of_file(o->path);
	if (!o->exporter)
		argp_error(state, "no format is given: use --to with one of%s", names);
	if (o->has_what && o->exporter && !o->exporter->is_profile)
		argp_error(state,
		           "--what is valid only for the profile formats folded and pprof, "
		           "not for %s",
		           o->exporter->name);
	if (o->what == SYT_WHAT_CONTENTION && o->has_no_stacks)
		argp_error(state, "a profile of waits needs call stacks: remove --no-stacks");
	if (is_standard_output(o) && o->exporter &&
	    (o->exporter->is_file || o->exporter->is_directory))
		argp_error(state, "the format %s needs an output file: use -o FILE",
		           o->exporter->name);
	if (is_standard_output(o) && isatty(STDOUT_FILENO))
		argp_error(state, "this format is not text for a terminal: use -o FILE");
}

/* clang-format off */
#define AT(member_) offsetof(struct options, member_)
static const struct syt_option option_rows[] = {
	{{"to", 0, "FORMAT", 0, formats + 2, 0}, AT(exporter), parse_to},
	{{"output", 'o', "FILE", SYT_OPTION_NOT_OF_PROJECT, "write to FILE, whose suffix "
	                                                    "determines the format if --to is "
	                                                    "missing; without this option, or with "
	                                                    "-, write to standard output", 0}, AT(path), syt_parse_text},
	{{"what", 0, "wait|contention", 0, "write to a profile (folded or pprof) all waits (wait), or only waits for locks, with the lock holders (contention) (default: wait)", 0}, 0, parse_what},
	{{"no-stacks", 0, NULL, 0, "write no call stacks, and no names of tasks made from call stacks", 0}, AT(has_no_stacks), syt_parse_true},
	{{"no-run-after", 0, NULL, 0, "write no edges from one critical section to the next one of the same lock, whose order is chance", 0}, AT(has_no_run_after), syt_parse_true},
	{{"inferred", 0, NULL, 0, "also write inferred edges: work items that one thread put into a queue in memory and another thread took out", 0}, AT(has_inferred), syt_parse_true},
	SYT_OPTION_END,
};
/* clang-format on */

struct target {
	const struct syt_exporter *exporter;
	const char *path;
	char *directory;         /* temporary directory, if the format writes a directory */
	struct syt_outfile file; /* output file, if the format writes a file */
};

/* Returns the sum of the sizes of the files in the directory PATH. Removes the directory and its files if
 * IS_REMOVED. */
static uint64_t sweep(const char *path, bool is_removed)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	uint64_t bytes = 0;
	struct stat st;

	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		if (fstatat(dirfd(dir), entry->d_name, &st, 0) == 0)
			bytes += (uint64_t)st.st_size;
		if (is_removed)
			unlinkat(dirfd(dir), entry->d_name, 0);
	}
	if (dir)
		closedir(dir);
	return bytes;
}

static int open_directory(struct target *t)
{
	t->directory = syt_asprintf("%s.%ld", t->path, (long)getpid());
	if (mkdir(t->directory, 0777) == 0)
		return 0;
	syt_warn("%s: %s", t->directory, strerror(errno));
	free(t->directory);
	return -1;
}

static int open_target(struct target *t, const struct syt_exporter *exporter, const char *path)
{
	*t = (struct target){.exporter = exporter, .path = path};
	return exporter->is_directory ? open_directory(t)
	                              : syt_outfile_open(&t->file, path, exporter->is_file);
}

static int close_directory(struct target *t, int status, uint64_t *bytes)
{
	int error = 0;

	*bytes = sweep(t->directory, status != 0);
	if (!status && rename(t->directory, t->path) < 0) {
		error = errno;
		sweep(t->directory, true);
	}
	if (status || error)
		rmdir(t->directory);
	free(t->directory);
	if (error)
		syt_warn("%s: %s", t->path, strerror(error));
	return error ? -1 : status;
}

/* Completes the output. Returns STATUS, or -1 if the output could not be written. Sets *BYTES to its size. */
static int close_target(struct target *t, int status, uint64_t *bytes)
{
	return t->exporter->is_directory ? close_directory(t, status, bytes)
	                                 : syt_outfile_close(&t->file, status, bytes);
}

static void summarize(struct syt_command *c, const struct syt_export *x, uint64_t bytes)
{
	const struct options *o = c->options;
	const struct syt_trace_data *t = c->trace;
	const char *format = o->exporter->name;
	struct syt_json j = {.out = c->out};
	uint64_t nr_events = 0;

	for (uint32_t n = 0; n < t->nr_images; n++)
		nr_events += t->images[n].nr_decoded;
	if (c->format == SYT_FORMAT_TEXT) {
		syt_coverage_begin(c->out, x->order, false);
		syt_out_printf(c->out,
		               "wrote %s: %" PRIu64 " events, %" PRIu64 " leaf tasks, %" PRIu64 " "
		               "happens-before edges, %" PRIu64 " bytes: ",
		               format, nr_events, x->tasks->nr, x->order->edges.nr, bytes);
		syt_out_safe(c->out, o->path);
		syt_out_char(c->out, '\n');
		syt_coverage_end(c->out, x->order, false);
		return;
	}
	syt_coverage_json(c->out, x->order);
	syt_json_begin_line(&j, "export");
	syt_json_string(&j, "to", format);
	syt_json_string(&j, "file", o->path);
	syt_json_u64(&j, "events", nr_events);
	syt_json_u64(&j, "tasks", x->tasks->nr);
	syt_json_u64(&j, "edges", x->order->edges.nr);
	syt_json_u64(&j, "bytes", bytes);
	syt_json_end_line(&j);
}

static int write_file(struct syt_command *c, struct syt_export *x)
{
	const struct options *o = c->options;
	uint64_t bytes;
	struct target t;
	int status;

	if (open_target(&t, o->exporter, o->path))
		return -1;
	x->out = &t.file.out;
	x->path = o->exporter->is_directory ? t.directory : t.file.temporary;
	status = close_target(&t, o->exporter->run(x), &bytes);
	if (!status)
		summarize(c, x, bytes);
	return status;
}

static enum syt_exit run(struct syt_command *c)
{
	struct options *o = c->options;
	struct syt_edges_wanted wanted = {SYT_EDGES_ALL, SYT_EDGES_ALL};
	struct syt_labels *labels = NULL;
	struct syt_order order;
	struct syt_tasks tasks;
	int status;

	if (!o->exporter) /* the caller has parsed no options: uses the first exporter */
		o->exporter = syt_exporter_at(0);
	if (o->has_no_run_after)
		wanted.classes &= ~(1u << SYT_CLASS_RUN_AFTER);
	if (syt_order_open_for(&order, c->trace, wanted))
		return SYT_EXIT_UNREADABLE;
	if (o->has_inferred)
		syt_handoffs_infer(&order, c->symbols);
	if (o->has_no_stacks)
		syt_names_without_symbols(c->trace);
	else
		labels = syt_labels_create(&order.places, c->symbols, 0);
	syt_tasks_open(&tasks, &order.places, labels);

	struct syt_export x = {.order = &order,
	                       .tasks = &tasks,
	                       .labels = labels,
	                       .symbols = c->symbols,
	                       .what = o->what,
	                       .has_stacks = !o->has_no_stacks,
	                       .out = c->out};

	status = is_standard_output(o) ? o->exporter->run(&x) : write_file(c, &x);
	syt_tasks_close(&tasks);
	if (labels)
		syt_labels_destroy(labels);
	syt_order_close(&order);
	return status ? SYT_EXIT_UNREADABLE : SYT_EXIT_OK;
}

/* The help of --to names the formats. */
const struct syt_report syt_report_export = {
	.name = "export",
	.summary = "the whole trace in the format of another tool: Perfetto, flame graph, pprof, "
		   "SQLite, CTF",
	.doc = "Writes threads, events, call stacks, leaf tasks (the work of a thread between two "
	       "synchronization events) and happens-before edges (recorded orders between events "
	       "of two threads) in the format of another tool. Prints how much was written, and "
	       "which part of the order of events is unknown.",
	.formats = 1u << SYT_FORMAT_TEXT | 1u << SYT_FORMAT_JSONL,
	.options = option_rows,
	.check = check,
	.options_bytes = sizeof(struct options),
	.run = run,
};
