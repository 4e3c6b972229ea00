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
#include "base/progress.h"
#include "decoder/order/handoff.h"
#include "decoder/export/archive.h"
#include "decoder/export/exporter.h"
#include "decoder/export/gzip.h"
#include "decoder/show/coverage_print.h"
#include "decoder/command/command.h"
#include "decoder/command/outfile.h"
#include "decoder/read/number.h"

struct options {
	const struct syt_exporter *exporter;
	const char *path;
	enum syt_what what;
	struct syt_moment from, to;
	struct syt_option_list threads;
	struct syt_window_names window;
	bool has_what, has_no_stacks, has_no_run_after, has_inferred, is_compressed;
};

static const struct options defaults = {.window = {.p_host = 1, .p_time = 1}};

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
	struct options *o = field;
	const struct syt_exporter *exporter = syt_exporter_find(arg);

	if (exporter)
		o->exporter = exporter;
	else if (!syt_moment_parse(arg, &o->to))
		argp_error(state, "--%s takes one of%s, or a time, not '%s': " SYT_MOMENT_HELP,
		           name, names, arg);
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

static void parse_probability(void *field, const char *name, const char *arg,
                              struct argp_state *state)
{
	char *end;
	double p = strtod(arg, &end);

	if (end == arg || *end || !(p > 0 && p <= 1))
		argp_error(state, "--%s takes a probability above 0 and up to 1, not '%s'", name,
		           arg);
	else
		*(double *)field = p;
}

static bool has_window_names(const struct options *o)
{
	const struct syt_window_names *w = &o->window;

	return w->host || w->service || w->version || w->p_host < 1 || w->p_time < 1;
}

static bool has_gz(const char *path)
{
	size_t bytes = strlen(path);

	return bytes > 3 && !strcmp(path + bytes - 3, ".gz");
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
	if (o->exporter && !o->exporter->is_timeline &&
	    (o->from.is_set || o->to.is_set || o->threads.nr))
		argp_error(state,
		           "--from, --to=TIME and --thread are valid only for the formats "
		           "perfetto and ctf, not for %s",
		           o->exporter->name);
	if (o->exporter && !o->exporter->is_window && has_window_names(o))
		argp_error(state,
		           "--host, --service, --version, --p-host and --p-time are valid only for "
		           "the format window, not for %s",
		           o->exporter->name);
	if (o->exporter && o->exporter->is_window && (o->has_no_run_after || o->has_inferred))
		argp_error(state,
		           "the format window has no edges: remove --no-run-after and --inferred");
	if ((o->what == SYT_WHAT_CONTENTION || (o->exporter && o->exporter->is_window)) &&
	    o->has_no_stacks)
		argp_error(state, "a profile of waits needs call stacks: remove --no-stacks");
	if (o->exporter && (o->exporter->is_compressed || (o->path && has_gz(o->path))))
		o->is_compressed = true;
	if (o->is_compressed && o->exporter && o->exporter->is_file)
		argp_error(state, "the format %s cannot be compressed", o->exporter->name);
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
	{{"to", 0, "FORMAT|TIME", 0, formats + 2, 0}, 0, parse_to},
	{{"output", 'o', "FILE", SYT_OPTION_NOT_OF_PROJECT, "write to FILE, whose suffix "
	                                                    "determines the format if --to is "
	                                                    "missing; without this option, or with "
	                                                    "-, write to standard output", 0}, AT(path), syt_parse_text},
	{{"compress", 0, NULL, 0, "compress the output with gzip; a CTF trace becomes a tar archive (default: if FILE ends in .gz)", 0}, AT(is_compressed), syt_parse_true},
	{{"what", 0, "wait|contention", 0, "write to a profile (folded or pprof) all waits (wait), or only waits for locks, with the lock holders (contention) (default: wait)", 0}, 0, parse_what},
	{{"from", 0, "TIME", 0, "write only calls and tasks that end at this time or later; --to=TIME: only calls and tasks that begin before this time (perfetto and ctf only): in seconds as printed, in ns as in JSON, or +TIME after the begin of the trace", 0}, AT(from), syt_parse_moment},
	SYT_OPTION_THREADS(AT(threads), "write only calls and tasks (perfetto and ctf only; repeatable)"),
	{{"no-stacks", 0, NULL, 0, "write no call stacks, and no names of tasks made from call stacks", 0}, AT(has_no_stacks), syt_parse_true},
	{{"no-run-after", 0, NULL, 0, "write no edges from one critical section to the next one of the same lock, whose order is chance", 0}, AT(has_no_run_after), syt_parse_true},
	{{"inferred", 0, NULL, 0, "also write inferred edges: work items that one thread put into a queue in memory and another thread took out", 0}, AT(has_inferred), syt_parse_true},
	{{"host", 0, "NAME", 0, "name of the host in a window file (default: the name in the trace); only for the format window, like the next four options", 0}, AT(window.host), syt_parse_word},
	{{"service", 0, "NAME", 0, "name of the service in a window file (default: the program)", 0}, AT(window.service), syt_parse_word},
	{{"version", 0, "TEXT", 0, "version of the service in a window file (default: the build-id of the program)", 0}, AT(window.version), syt_parse_word},
	{{"p-host", 0, "P", 0, "probability that the host was chosen for this window (default: 1)", 0}, AT(window.p_host), parse_probability},
	{{"p-time", 0, "P", 0, "probability that an instant is in a window: its length divided by the period (default: 1)", 0}, AT(window.p_time), parse_probability},
	SYT_OPTION_END,
};
/* clang-format on */

struct target {
	const struct syt_exporter *exporter;
	const char *path;
	bool is_compressed;
	char *directory;         /* temporary directory, if the format writes a directory */
	struct syt_outfile file; /* output file, or archive of the directory */
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
	t->directory =
		syt_asprintf("%s.%ld%s", t->path, (long)getpid(), t->is_compressed ? ".d" : "");
	if (mkdir(t->directory, 0777) == 0)
		return 0;
	syt_warn("%s: %s", t->directory, strerror(errno));
	free(t->directory);
	return -1;
}

static void remove_directory(struct target *t)
{
	sweep(t->directory, true);
	rmdir(t->directory);
	free(t->directory);
}

static int open_target(struct target *t, const struct options *o)
{
	*t = (struct target){
		.exporter = o->exporter, .path = o->path, .is_compressed = o->is_compressed};
	if (o->exporter->is_directory && open_directory(t))
		return -1;
	if (o->exporter->is_directory && !o->is_compressed)
		return 0;
	if (!syt_outfile_open(&t->file, o->path, o->exporter->is_file))
		return 0;
	if (o->exporter->is_directory)
		remove_directory(t);
	return -1;
}

/* Gives the directory of T its final name. */
static int close_directory(struct target *t, int status, uint64_t *bytes)
{
	*bytes = sweep(t->directory, false);
	if (!status && rename(t->directory, t->path) == 0) {
		free(t->directory);
		return 0;
	}
	if (!status)
		syt_warn("%s: %s", t->path, strerror(errno));
	remove_directory(t);
	return -1;
}

/* Runs EXPORTER with the output X->out. */
static int run_exporter(const struct syt_exporter *exporter, struct syt_export *x,
                        bool is_compressed)
{
	struct syt_gzip gzip;
	int status;

	if (is_compressed && syt_gzip_begin(&gzip, x->out))
		return -1;
	status = exporter->run(x);
	if (is_compressed)
		syt_gzip_end(&gzip);
	return status;
}

/* Packs the directory of T into the file of T, and removes the directory. */
static int pack(struct target *t)
{
	const char *slash = strrchr(t->path, '/'), *base = slash ? slash + 1 : t->path;
	char *name = syt_strndup(base, syt_exporter_stem(base));
	struct syt_gzip gzip;
	int status = syt_gzip_begin(&gzip, &t->file.out);

	if (!status) {
		status = syt_archive_write(&t->file.out, t->directory, name);
		syt_gzip_end(&gzip);
	}
	free(name);
	return status;
}

/* Writes and completes the output. Returns 0, or -1 after a message. Sets *BYTES to its size. */
static int fill_target(struct target *t, struct syt_export *x, uint64_t *bytes)
{
	int status;

	x->out = &t->file.out;
	x->path = t->exporter->is_directory ? t->directory : t->file.temporary;
	if (!t->exporter->is_directory)
		return syt_outfile_close(&t->file, run_exporter(t->exporter, x, t->is_compressed),
		                         bytes);
	status = t->exporter->run(x);
	if (!t->is_compressed)
		return close_directory(t, status, bytes);
	if (!status)
		status = pack(t);
	remove_directory(t);
	return syt_outfile_close(&t->file, status, bytes);
}

static void summarize(struct syt_command *c, const struct syt_export *x, uint64_t bytes)
{
	const struct options *o = c->options;
	const struct syt_trace_data *t = c->trace;
	const char *format = o->exporter->name;
	struct syt_json j = {.out = c->out};
	struct syt_selected nr = {.tasks = x->tasks->nr, .edges = x->order->edges.nr};

	for (uint32_t n = 0; n < t->nr_images; n++)
		nr.events += t->images[n].nr_decoded;
	if (!syt_selection_is_all(&x->selection))
		nr = syt_selection_count(&x->selection, x->order, x->tasks);
	if (c->format == SYT_FORMAT_TEXT) {
		syt_coverage_begin(c->out, x->order, false);
		syt_out_printf(c->out,
		               "wrote %s: %" PRIu64 " events, %" PRIu64 " leaf tasks, %" PRIu64 " "
		               "happens-before edges, %" PRIu64 " bytes: ",
		               format, nr.events, nr.tasks, nr.edges, bytes);
		syt_out_safe(c->out, o->path);
		syt_out_char(c->out, '\n');
		syt_coverage_end(c->out, x->order, false);
		return;
	}
	syt_coverage_json(c->out, x->order);
	syt_json_begin_line(&j, "export");
	syt_json_string(&j, SYT_KEY("to", "export_format"), format);
	syt_json_string(&j, SYT_KEY("file", "written_file"), o->path);
	syt_json_u64(&j, "events", nr.events);
	syt_json_u64(&j, "tasks", nr.tasks);
	syt_json_u64(&j, "edges", nr.edges);
	syt_json_u64(&j, SYT_KEY("bytes", "written_bytes"), bytes);
	syt_json_end_line(&j);
}

static int write_file(struct syt_command *c, struct syt_export *x)
{
	const struct options *o = c->options;
	uint64_t bytes;
	struct target t;
	int status;

	if (open_target(&t, o))
		return -1;
	status = fill_target(&t, x, &bytes);
	if (!status)
		summarize(c, x, bytes);
	return status;
}

/* Sets S to the part of the trace that the options select. */
static void select_part(struct syt_selection *s, const struct options *o,
                        const struct syt_places *p)
{
	*s = (struct syt_selection){.from = syt_moment_time(&o->from, p->trace, 0),
	                            .to = syt_moment_time(&o->to, p->trace, UINT64_MAX)};
	if (!o->threads.nr)
		return;
	s->threads = syt_calloc(p->nr_threads, sizeof(bool));
	for (uint32_t n = 0; n < p->nr_threads; n++)
		s->threads[n] = syt_list_matches_thread(&o->threads, p->threads[n]);
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
	if (o->exporter->is_window
	            ? syt_order_open_last(
			      &order, c->trace,
			      (struct syt_edges_wanted){SYT_EDGES_BUT_LOCKS, SYT_EDGES_ALL})
	            : syt_order_open_for(&order, c->trace, wanted))
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
	                       .window = o->window,
	                       .has_stacks = !o->has_no_stacks,
	                       .out = c->out};

	syt_progress_rename("writing");
	select_part(&x.selection, o, &order.places);

	status = is_standard_output(o) ? run_exporter(o->exporter, &x, o->is_compressed)
	                               : write_file(c, &x);
	free(x.selection.threads);
	syt_tasks_close(&tasks);
	if (labels)
		syt_labels_destroy(labels);
	syt_order_close(&order);
	return status ? SYT_EXIT_UNREADABLE : SYT_EXIT_OK;
}

static void fini(void *options)
{
	free(((struct options *)options)->threads.items);
}

/* The help of --to names the formats. */
const struct syt_report syt_report_export = {
	.name = "export",
	.summary = "the whole trace in the format of another tool: Perfetto, flame graph, pprof, "
		   "SQLite, CTF, fleet",
	.doc = "Writes threads, events, call stacks, leaf tasks (the work of a thread between two "
	       "synchronization events) and happens-before edges (recorded orders between events "
	       "of two threads) in the format of another tool. Prints how much was written, and "
	       "which part of the order of events is unknown.",
	.formats = 1u << SYT_FORMAT_TEXT | 1u << SYT_FORMAT_JSONL,
	.options = option_rows,
	.check = check,
	.options_bytes = sizeof(struct options),
	.defaults = &defaults,
	.run = run,
	.fini = fini,
};
