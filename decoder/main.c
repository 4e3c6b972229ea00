/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * syntrace-decode VERB [OPTION...] [TRACE...]
 *
 * Exit status: the status of the verb (0 or 1); 2 for wrong usage; 3 for lost events with --fail-on-loss;
 * 4 if an input could not be read, or the output could not be written.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "config.h"
#include "base/progress.h"
#include "decoder/command/options.h"
#include "decoder/read/name.h"
#include "settings/nearest.h"

static void usage(FILE *to)
{
	fputs("Usage: syntrace-decode VERB [OPTION...] [TRACE...]\n"
	      "Prints reports on the traces of syntrace. TRACE is a trace directory, a dump (the "
	      "trace\n"
	      "file of one process), or - for a dump on standard input. Without TRACE, the verbs "
	      "read\n"
	      "the trace directory ./" SYT_DIR_DEFAULT ".\n\n",
	      to);
	for (size_t n = 0; n < SYT_NR_REPORTS; n++)
		fprintf(to, "  %-14s %s\n", syt_reports[n]->name, syt_reports[n]->summary);
	fputs("\n  -h, --help     print this text; syntrace-decode help VERB: print the options "
	      "of VERB\n"
	      "  -V, --version  print the version\n",
	      to);
}

static const struct syt_report *find_verb(const char *name)
{
	for (size_t n = 0; n < SYT_NR_REPORTS; n++)
		if (strcmp(syt_reports[n]->name, name) == 0)
			return syt_reports[n];
	return NULL;
}

/* Returns the verb NAME. Ends the program, with a suggestion, if there is none. */
static const struct syt_report *verb_of(const char *name)
{
	static const char *const launcher_verbs[] = {
#define VERB(name_, what_) #name_,
#include "settings/launcher-verbs.def"
#undef VERB
	};
	const struct syt_report *report = find_verb(name);
	struct syt_nearest_name nearest = {.wanted = name};

	if (report)
		return report;
	for (size_t n = 0; n < sizeof(launcher_verbs) / sizeof(*launcher_verbs); n++)
		if (!strcmp(launcher_verbs[n], name))
			syt_die(SYT_EXIT_USAGE, "no verb '%s'; did you mean 'syntrace %s'?", name,
			        name);
	for (size_t n = 0; n < SYT_NR_REPORTS; n++)
		syt_nearest_try(&nearest, syt_reports[n]->name);
	char *hint = syt_nearest_text(&nearest);

	syt_die(SYT_EXIT_USAGE, "no verb '%s'%s; 'syntrace-decode --help' lists the verbs%s", name,
	        hint, *name == '-' ? ". Options follow the verb" : "");
}

/* Environment variables that have the effect of an option. These variables override configuration files. */
static const struct syt_settings_variable settings_variables[] = {
	{"color", "NO_COLOR", "never", NULL},
	{"pager", "SYNTRACE_PAGER", NULL, "less"},
	{"pager", "PAGER", NULL, "less"},
	{NULL, NULL, NULL, NULL},
};

static const char *const *verb_names(void)
{
	static const char *names[SYT_NR_REPORTS + 1];

	for (size_t n = 0; n < SYT_NR_REPORTS; n++)
		names[n] = syt_reports[n]->name;
	return names;
}

static bool wants_color(const struct syt_options *o)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	if (o->color != SYT_WHEN_AUTO)
		return o->color == SYT_WHEN_ALWAYS;
	return isatty(STDOUT_FILENO) && !(no_color && *no_color) && term &&
	       strcmp(term, "dumb") != 0;
}

/* Ends the program after SIGBUS: a dump became shorter while it was mapped. */
static void on_bus_error(int sig)
{
	static const char text[] = "syntrace-decode: another program truncated a trace file while "
				   "it was being read\n";
	ssize_t n = write(STDERR_FILENO, text, sizeof(text) - 1);

	(void)sig;
	(void)n;
	_exit(SYT_EXIT_UNREADABLE);
}

static bool has_loss(const struct syt_trace_data *t, const struct syt_read_report *report)
{
	bool lost = report->is_damaged || report->nr_unreadable;

	for (uint32_t n = 0; n < t->nr_images; n++)
		lost |= t->images[n].nr_lost || t->images[n].nr_missing ||
		        t->images[n].nr_overwritten || t->images[n].nr_pauses;
	return lost;
}

/* Writes "NR ONE" or "NR SEVERAL" to F, unless NR is 0. Writes a separator first, unless F is empty. */
static void add_part(FILE *f, uint64_t nr, const char *one, const char *several)
{
	if (nr)
		fprintf(f, "%s%" PRIu64 " %s", ftell(f) ? "; " : "", nr, nr == 1 ? one : several);
}

/* Warns of the missing parts of the trace; all verbs do this. */
static void tell_loss(const struct syt_trace_data *t, const struct syt_read_report *report)
{
	static const char *const reasons[][2] = {
#define LOSS(name_, text_) {"loss (" text_ ")", "losses (" text_ ")"},
		SYT_LOSSES(LOSS)
#undef LOSS
	};
	uint64_t lost[SYT_NR_LOSSES] = {0}, overwritten = 0, missing = 0, paused = 0;
	char *text;
	size_t bytes;
	FILE *f = syt_memstream(&text, &bytes);

	for (uint32_t i = 0; i < t->nr_images; i++) {
		const struct syt_image *image = &t->images[i];

		for (unsigned n = 0; n < SYT_NR_LOSSES; n++)
			lost[n] += image->file.lost[n];
		overwritten += image->nr_overwritten;
		missing += image->nr_missing;
		paused += image->nr_pauses > 0;
	}
	for (unsigned n = 0; n < SYT_NR_LOSSES; n++)
		add_part(f, lost[n], reasons[n][0], reasons[n][1]);
	add_part(f, overwritten, "event overwritten by newer events",
	         "events overwritten by newer events");
	add_part(f, missing, "event missing or damaged", "events missing or damaged");
	add_part(f, paused, "process with pauses in the recording",
	         "processes with pauses in the recording");
	add_part(f, report->nr_unreadable, "unreadable trace file", "unreadable trace files");
	fclose(f);
	if (*text)
		syt_warn("warning: the trace is not complete: %s", text);
	else if (has_loss(t, report))
		syt_warn("warning: the trace is not complete: some of its data is damaged");
	free(text);
}

static bool uses_pager(const struct syt_options *o)
{
	return o->has_pager && !o->command.report->is_live &&
	       o->command.format == SYT_FORMAT_TEXT && isatty(STDOUT_FILENO);
}

static void begin_verb(void *options, const struct syt_image *first)
{
	struct syt_options *o = options;

	if (o->command.report->begin && !uses_pager(o))
		o->command.report->begin(&o->command, first);
}

/* Makes OUT print wall-clock times beside the times of TRACE. */
static void show_wall_clock(struct syt_out *out, const struct syt_trace_data *trace)
{
	out->has_wall_clock = trace->wall_offset_ns != 0;
	out->wall_offset_ns = trace->wall_offset_ns;
	if (!out->has_wall_clock)
		syt_warn(
			"warning: the trace does not contain the wall-clock time; --wall-clock has "
			"no effect");
}

/* Tells how to get the names of functions that the report listed as module+offset. */
static void tell_unnamed(const struct syt_command *c)
{
	char *files = syt_symbols_unnamed(c->symbols);

	if (files && c->has_debuginfod) {
		syt_out_string(c->out, "No server of DEBUGINFOD_URLS has the debug symbols of ");
		syt_out_safe(c->out, files);
		syt_out_string(c->out, ".\n");
	} else if (files) {
		syt_out_string(c->out, "Functions without a name are in stripped files: ");
		syt_out_safe(c->out, files);
		syt_out_string(c->out,
		               ". To get names, install debug symbols (packages *-dbgsym), or set "
		               "DEBUGINFOD_URLS to the server of your distribution and add "
		               "--debuginfod.\n");
	}
	if (syt_symbols_lack_map(c->symbols))
		syt_out_string(
			c->out,
			"Functions shown as an address (0x...) are generated code. To get names, "
		        "let "
			"the program write a map for perf: java -XX:+UnlockDiagnosticVMOptions "
			"-XX:+DumpPerfMapAtExit, node --perf-basic-prof, python3 -X perf.\n");
	free(files);
}

/* Runs the verb (the report), and closes its output. TRACE is NULL for a verb that reads the dumps itself. */
static enum syt_exit run_verb(struct syt_options *o, struct syt_trace_data *trace)
{
	struct syt_command *c = &o->command;
	enum syt_exit status = SYT_EXIT_UNREADABLE;
	int error;

	if (!trace || trace->nr_images) {
		c->trace = trace;
		c->symbols = trace ? syt_symbols_create(c->has_debuginfod) : NULL;
		if (trace)
			syt_names_open(trace, c->symbols);
		if (trace && o->has_wall_clock)
			show_wall_clock(c->out, trace);
		if (uses_pager(o))
			syt_out_pager(c->out);
		if (trace)
			syt_progress_rename("analyzing");
		status = c->report->run(c);
		if (trace && c->format == SYT_FORMAT_TEXT && c->report != &syt_report_report &&
		    c->report != &syt_report_export)
			tell_unnamed(c);
		if (trace)
			syt_symbols_destroy(c->symbols);
	}
	error = syt_out_close(c->out);
	if (!error)
		return status;
	syt_warn("standard output: %s", strerror(error));
	return SYT_EXIT_UNREADABLE;
}

/* tolerated excess over the limit, because the kernel frees pages with some delay */
#define TOLERATED_BYTES (UINT64_C(64) << 20)

/* Warns if the decoder used more memory than --memory allows. */
static void tell_memory(uint64_t wanted)
{
	struct rusage use;

	if (!wanted || getrusage(RUSAGE_SELF, &use) < 0)
		return;
	uint64_t had = (uint64_t)use.ru_maxrss << 10;

	if (had > wanted + wanted / 4 + TOLERATED_BYTES)
		syt_warn(
			"used %" PRIu64 " MiB of memory, more than --memory=%" PRIu64 ""
			"M: the program itself, the names in the trace and the data of one lock or "
			"socket cannot be moved to temporary files",
			had >> 20, wanted >> 20);
}

int main(int argc, char **argv)
{
	struct syt_read_report report;

	syt_err_open("syntrace-decode", SYT_EXIT_UNREADABLE,
	             ": decode the trace files of fewer "
	             "processes at a time");
	/* "help VERB" means "VERB --help" */
	if (argc == 3 && strcmp(argv[1], "help") == 0) {
		argv[1] = argv[2];
		argv[2] = (char *)"--help";
	}
	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-?") == 0 ||
	                 strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0)) {
		usage(stdout);
		return SYT_EXIT_OK;
	}
	if (argc > 1 && (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)) {
		printf("syntrace-decode %s\n", PACKAGE_VERSION);
		return SYT_EXIT_OK;
	}
	if (argc < 2) {
		usage(stderr);
		return SYT_EXIT_USAGE;
	}
	struct syt_settings settings = {.variables = settings_variables,
	                                .decode_verbs = verb_names()};
	struct syt_out out;
	struct syt_options o = {
		.command = {.report = verb_of(argv[1]), .settings = &settings, .out = &out}};
	struct syt_command *c = &o.command;

	char *name = syt_asprintf("syntrace-decode %s", argv[1]);

	argv[1] = name;
	syt_options_parse(&o, argc - 1, argv + 1);
	signal(SIGBUS, on_bus_error);
	signal(SIGPIPE, SIG_IGN);

	const struct syt_read_options read_options = {.nr_workers = o.nr_jobs,
	                                              .problems_shown = o.nr_problems,
	                                              .on_index = begin_verb,
	                                              .join = &o.hosts.join,
	                                              .is_as_sampled = o.is_as_sampled,
	                                              .is_sparse = c->report->is_sparse &&
	                                                           c->report->is_sparse(c->options),
	                                              .dense_bytes = c->report->dense_bytes,
	                                              .context = &o};

	syt_out_open(&out, STDOUT_FILENO, c->format == SYT_FORMAT_TEXT && wants_color(&o));
	syt_out_measure(&out);
	out.json_version = o.json_version;
	syt_store_limit(o.memory);
	c->read_options = &read_options;
	bool reads_itself = c->report->reads_itself && c->report->reads_itself(c->options);
	if (!c->report->is_live)
		syt_progress_open("reading");
	struct syt_trace_data *trace =
		reads_itself || !c->nr_inputs
			? NULL
			: syt_read(c->inputs, c->nr_inputs, &read_options, &report);
	enum syt_exit status = run_verb(&o, trace);

	syt_progress_close();
	if (trace && trace->nr_images)
		tell_loss(trace, &report);
	else if (!trace && c->has_loss && !c->has_unreadable_input)
		syt_warn("warning: a trace is not complete: events were lost, overwritten or "
		         "damaged");
	if (status <= SYT_EXIT_FINDINGS && c->fail_on_loss &&
	    (trace ? has_loss(trace, &report) : c->has_loss))
		status = SYT_EXIT_LOSS;
	if (status != SYT_EXIT_USAGE &&
	    (trace ? report.has_unreadable_input : c->has_unreadable_input))
		status = SYT_EXIT_UNREADABLE;
	tell_memory(o.memory);
	if (trace)
		syt_trace_destroy(trace);
	syt_options_fini(&o);
	syt_settings_close(&settings);
	free(name);
	return status;
}
