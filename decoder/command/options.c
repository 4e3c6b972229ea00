/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/command/options.h"

#include <stdlib.h>
#include <unistd.h>

#include "decoder/read/number.h"
#include "base/work.h"

#define SHARED_SECTION "decode"
#define JSON_VERSION_MAX 2u
#define MEMORY_MIN (UINT64_C(1) << 20)

enum {
	KEY_COLOR = 0x1000,
	KEY_NO_PAGER,
	KEY_FAIL_ON_LOSS,
	KEY_DEBUGINFOD,
	KEY_PROBLEMS,
	KEY_MEMORY,
	KEY_WALL_CLOCK,
	KEY_JSON_VERSION,
	KEY_REFERENCE,
	KEY_METHOD,
	KEY_SEGMENT,
	KEY_WANDER,
	KEY_APART,
	KEY_AS_SAMPLED,
	KEY_FIRST_ROW = 0x2000
};

static const struct argp_option shared_options[] = {
	{"format", 'f', "FORMAT", 0, NULL, 90},
	{"fail-on-loss", KEY_FAIL_ON_LOSS, NULL, 0,
         "exit with status 3 if events of the trace were lost, overwritten or damaged", 90},
	{"problems", KEY_PROBLEMS, "N", 0,
         "print at most N warnings about damaged data of each dump, the trace file of one process "
         "(default: 10)",
         90},
	{"debuginfod", KEY_DEBUGINFOD, NULL, SYT_OPTION_NOT_OF_PROJECT,
         "download missing debug information from the servers that the environment variable "
         "DEBUGINFOD_URLS lists",
         90},
	{"jobs", 'j', "N", 0, "decode the trace with N threads (default: one per processor)", 90},
	{"memory", KEY_MEMORY, "SIZE", 0,
         "use about SIZE bytes of memory, for example 512M or 2G, and temporary files in TMPDIR "
         "for the "
         "rest (default: a quarter of the memory of the machine, at most 768M)",
         90},
	{"wall-clock", KEY_WALL_CLOCK, NULL, 0,
         "print beside each time of the trace the time of day in UTC, by the clock of the traced "
         "host",
         90},
	{"reference", KEY_REFERENCE, "HOST", 0,
         "place the clocks of the other hosts on the time axis of HOST, a number or a name as "
         "clocks prints it "
         "(default: the host that is nearest to the others)",
         90},
	{"method", KEY_METHOD, "METHOD", 0,
         "estimate the offsets between hosts by gap, the widest gap between the messages of both "
         "directions, or by "
         "least-squares (default: gap)",
         90},
	{"segment", KEY_SEGMENT, "TIME", 0,
         "assume that the rates of clocks are constant for at most TIME, for example 10m (default: "
         "30m)",
         90},
	{"wander", KEY_WANDER, "PPM", 0,
         "assume that the rates of clocks change by at most PPM millionths within this time "
         "(default: 1 for a TSC, 1000 "
         "for CLOCK_MONOTONIC)",
         90},
	{"apart", KEY_APART, NULL, 0,
         "place the clocks of all hosts by wall-clock time, also if messages passed between the "
         "hosts",
         90},
	{"as-sampled", KEY_AS_SAMPLED, NULL, 0,
         "leave out the events that a sampler would have left out (a trace with "
         "SYNTRACE_SAMPLE_SHADOW=1)",
         90},
	{"json-version", KEY_JSON_VERSION, "N", 0,
         "print version 1 or 2 of the JSON format; in version 2, each key has one meaning "
         "(default: 1)",
         90},
	{"color", KEY_COLOR, "WHEN", OPTION_ARG_OPTIONAL,
         "color the text: auto (on a terminal, unless NO_COLOR is set), always or never (default: "
         "auto)",
         90},
	{"no-pager", KEY_NO_PAGER, NULL, 0,
         "print directly to the terminal, without a pager (the program in SYNTRACE_PAGER or PAGER, "
         "or less)",
         90},
	{NULL, 0, NULL, 0, NULL, 0},
};

static const char *const format_names[] = {
	[SYT_FORMAT_TEXT] = "text",         [SYT_FORMAT_JSONL] = "jsonl",
	[SYT_FORMAT_DOT] = "dot",           [SYT_FORMAT_JSON] = "json",
	[SYT_FORMAT_MARKDOWN] = "markdown", [SYT_FORMAT_JUNIT] = "junit",
	[SYT_FORMAT_SVG] = "svg",
};

#define NR_FORMATS (sizeof(format_names) / sizeof(format_names[0]))

/* Returns the names of the formats of REPORT, the default first. The caller frees the text. */
static char *format_text(const struct syt_report *report)
{
	const char *first = NULL;
	char *text;
	size_t bytes;
	FILE *f = syt_memstream(&text, &bytes);

	for (unsigned n = 0; n < NR_FORMATS; n++) {
		if (!(report->formats >> n & 1))
			continue;
		fprintf(f, "%s%s", first ? ", " : "", format_names[n]);
		first = first ? first : format_names[n];
	}
	fprintf(f, " (default: %s)", first);
	fclose(f);
	return text;
}

/* Returns true if ARG comes from the section [decode] of a configuration file and is a format that only
 * other reports support. */
static bool is_for_others(const char *arg, const struct argp_state *state)
{
	const struct syt_setting *setting = syt_settings_source(state);

	return setting && strcmp(setting->section, SHARED_SECTION) == 0 &&
	       syt_word_find(format_names, NR_FORMATS, arg) < NR_FORMATS;
}

static error_t parse_format(struct syt_options *o, const char *arg, struct argp_state *state)
{
	unsigned n = syt_word_find(format_names, NR_FORMATS, arg);

	if (n < NR_FORMATS && o->command.report->formats >> n & 1) {
		o->command.format = (enum syt_format)n;
		return 0;
	}
	if (is_for_others(arg, state))
		return ECANCELED;
	char *all = format_text(o->command.report);

	argp_error(state, "%s has no format '%s'; its formats are %s", o->command.report->name, arg,
	           all);
	free(all);
	return 0;
}

static void parse_color(struct syt_options *o, const char *arg, struct argp_state *state)
{
	static const char *const words[] = {
		[SYT_WHEN_AUTO] = "auto", [SYT_WHEN_ALWAYS] = "always", [SYT_WHEN_NEVER] = "never"};
	unsigned n = arg ? syt_word_find(words, 3, arg) : SYT_WHEN_ALWAYS;

	if (n < 3)
		o->color = (enum syt_when)n;
	else
		argp_error(state, "--color takes auto, always or never, not '%s'", arg);
}

static void parse_problems(struct syt_options *o, const char *arg, struct argp_state *state)
{
	char *end;
	unsigned long n = strtoul(arg, &end, 10);

	if (!*arg || *end || n > 64)
		argp_error(state, "--problems takes a number from 0 to 64, not '%s'", arg);
	o->nr_problems = (unsigned)n;
}

static void parse_json_version(struct syt_options *o, const char *arg, struct argp_state *state)
{
	uint64_t n;

	if (!syt_number_parse(arg, &n) || !n || n > JSON_VERSION_MAX)
		argp_error(state, "--json-version takes 1 or 2, not '%s'", arg);
	else
		o->json_version = (unsigned)n;
}

static void parse_jobs(struct syt_options *o, const char *arg, struct argp_state *state)
{
	uint64_t n;

	if (!syt_number_parse(arg, &n) || !n || n > SYT_WORKERS_MAX)
		argp_error(state, "--jobs takes a number from 1 to %u, not '%s'", SYT_WORKERS_MAX,
		           arg);
	else
		o->nr_jobs = (unsigned)n;
}

static void parse_memory(struct syt_options *o, const char *arg, struct argp_state *state)
{
	if (!syt_size_parse(arg, &o->memory) || o->memory < MEMORY_MIN)
		argp_error(state, "--memory takes a size of at least 1M, not '%s'", arg);
}

static void parse_method(struct syt_options *o, const char *arg, struct argp_state *state)
{
	static const char *const words[] = {
		[SYT_HOST_GAP] = "gap", [SYT_HOST_SQUARES] = "least-squares"};
	unsigned n = syt_word_find(words, 2, arg);

	if (n < 2)
		o->hosts.method = (enum syt_host_method)n;
	else
		argp_error(state, "--method takes gap or least-squares, not '%s'", arg);
}

static void parse_segment(struct syt_options *o, const char *arg, struct argp_state *state)
{
	if (!syt_span_parse(arg, strlen(arg), &o->hosts.segment_ns))
		argp_error(state,
		           "--segment takes a length of time, for example 10m or 90s, not '%s'",
		           arg);
}

static void parse_wander(struct syt_options *o, const char *arg, struct argp_state *state)
{
	char *end;
	double ppm = strtod(arg, &end);

	if (!*arg || *end || !(ppm >= 0 && ppm <= 1000))
		argp_error(state, "--wander takes a number from 0 to 1000, not '%s'", arg);
	else
		o->hosts.wander_ppm = ppm;
}

bool syt_always(const void *options)
{
	(void)options;
	return true;
}

/* Returns true if TEXT is an id, "P.T.N", and not the name of a trace. */
static bool is_id(const char *text)
{
	unsigned nr_dots = 0;

	for (const char *p = text; *p; p++) {
		if (*p == '.' && p > text && p[-1] != '.' && p[1])
			nr_dots++;
		else if (*p < '0' || *p > '9')
			return false;
	}
	return nr_dots == 2;
}

/* Sets the inputs that the NR words at WORDS of the command line name. Adds the default traces. */
static void set_inputs(struct syt_options *o, char **words, size_t nr, struct argp_state *state)
{
	static const char *const traces[] = {SYT_DIR_DEFAULT ".old", SYT_DIR_DEFAULT};
	struct syt_command *c = &o->command;
	size_t least = c->report->compares ? 2 : 1;

	if (nr && c->report->takes_id && is_id(*words)) {
		c->id = *words++;
		nr--;
	}
	c->nr_inputs = nr;
	c->inputs = (const char *const *)words;
	if (nr >= least)
		return;
	for (size_t n = nr + 2 - least; n < 2; n++)
		if (access(traces[n], F_OK) < 0)
			argp_error(state,
			           "no trace is given, and ./%s does not exist: name a trace "
			           "directory, a dump (the trace file of one process), or - for a "
			           "dump on standard input",
			           traces[n]);
	if (nr) {
		o->inputs[0] = words[0];
		o->inputs[1] = traces[1];
		c->inputs = o->inputs;
	} else {
		c->inputs = traces + 2 - least;
	}
	c->nr_inputs = least;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct syt_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = o;
		return 0;
	case 'f':
		return parse_format(o, arg, state);
	case KEY_COLOR:
		parse_color(o, arg, state);
		return 0;
	case KEY_NO_PAGER:
		o->has_pager = false;
		return 0;
	case KEY_JSON_VERSION:
		parse_json_version(o, arg, state);
		return 0;
	case KEY_REFERENCE:
		o->hosts.reference = arg;
		return 0;
	case KEY_METHOD:
		parse_method(o, arg, state);
		return 0;
	case KEY_SEGMENT:
		parse_segment(o, arg, state);
		return 0;
	case KEY_WANDER:
		parse_wander(o, arg, state);
		return 0;
	case KEY_APART:
		o->hosts.is_apart = true;
		return 0;
	case KEY_AS_SAMPLED:
		o->is_as_sampled = true;
		return 0;
	case KEY_WALL_CLOCK:
		o->has_wall_clock = true;
		return 0;
	case KEY_FAIL_ON_LOSS:
		o->command.fail_on_loss = true;
		return 0;
	case KEY_DEBUGINFOD:
		o->command.has_debuginfod = true;
		return 0;
	case 'j':
		parse_jobs(o, arg, state);
		return 0;
	case KEY_MEMORY:
		parse_memory(o, arg, state);
		return 0;
	case KEY_PROBLEMS:
		parse_problems(o, arg, state);
		return 0;
	case ARGP_KEY_ARGS:
		set_inputs(o, state->argv + state->next, (size_t)(state->argc - state->next),
		           state);
		return 0;
	case ARGP_KEY_NO_ARGS:
		if (o->command.report->needs_no_trace &&
		    o->command.report->needs_no_trace(o->command.options))
			return 0;
		set_inputs(o, NULL, 0, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Returns the help of --format, which names the formats of this report. */
static char *filter(int key, const char *text, void *input)
{
	const struct syt_options *o = input;

	if (key != 'f' || !o)
		return (char *)(uintptr_t)text;
	char *formats = format_text(o->command.report);
	char *help = syt_asprintf("print the output as %s", formats);

	free(formats);
	return help;
}

/* The argp parser of a report: the options that all reports share, and the report's own options as a
 * child parser. */
struct report_argp {
	struct argp_option *options; /* options of the child parser */
	struct argp child;
	struct argp_child children[2];
	struct argp argp;
};

static size_t nr_rows(const struct syt_report *report)
{
	size_t nr = 0;

	while (report->options && report->options[nr].argp.name)
		nr++;
	return nr;
}

/* Returns the short option letter of row ROW of the report's options, or a number above all letters. */
static int key_of(const struct syt_report *report, size_t row)
{
	int key = report->options[row].argp.key;

	return key ? key : KEY_FIRST_ROW + (int)row;
}

static error_t parse_row(int key, char *arg, struct argp_state *state)
{
	struct syt_options *o = state->input;
	const struct syt_report *report = o->command.report;

	if (key == ARGP_KEY_INIT) {
		if (report->defaults)
			memcpy(o->command.options, report->defaults, report->options_bytes);
		return 0;
	}
	if (key == ARGP_KEY_END) {
		if (report->check)
			report->check(o->command.options, state);
		return 0;
	}
	for (size_t n = 0; n < nr_rows(report); n++) {
		const struct syt_option *row = &report->options[n];

		if (key != key_of(report, n))
			continue;
		row->parse((char *)o->command.options + row->at, row->argp.name, arg, state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/* Returns the argp parser of REPORT. The caller frees it by free_argp() after the last use of the settings. */
static struct report_argp *make_argp(const struct syt_report *report)
{
	struct report_argp *a = syt_calloc(1, sizeof(*a));
	size_t nr = nr_rows(report);

	*a = (struct report_argp){.options = syt_calloc(nr + 1, sizeof(*a->options))};
	for (size_t n = 0; n < nr; n++) {
		a->options[n] = report->options[n].argp;
		a->options[n].key = key_of(report, n);
	}
	a->child = (struct argp){.options = a->options, .parser = parse_row};
	a->children[0] = (struct argp_child){&a->child, 0, NULL, 10};
	a->argp = (struct argp){
		.options = shared_options,
		.parser = parse,
		.args_doc = report->args_doc   ? report->args_doc
	                    : report->takes_id ? "[ID] [TRACE...]"
	                                       : "[TRACE...]",
		.doc = report->doc,
		.children = a->children,
		.help_filter = filter,
	};
	return a;
}

static void free_argp(struct report_argp *a)
{
	if (a)
		free(a->options);
	free(a);
}

static void set_defaults(struct syt_options *o)
{
	o->command.format = o->command.report->formats & 1u << SYT_FORMAT_TEXT
	                            ? SYT_FORMAT_TEXT
	                            : (enum syt_format)__builtin_ctz(o->command.report->formats);
	o->has_pager = true;
	o->nr_problems = 10;
	o->hosts = (struct syt_host_settings){.join = SYT_HOSTS_JOIN, .wander_ppm = -1};
	o->command.options = syt_calloc(1, o->command.report->options_bytes);
	o->section = syt_asprintf("%s %s", SHARED_SECTION, o->command.report->name);
}

void syt_options_parse(struct syt_options *o, int argc, char **argv)
{
	set_defaults(o);
	o->argp = make_argp(o->command.report);
	argp_err_exit_status = SYT_EXIT_USAGE;

	const struct syt_settings_verb verb = {.shared = SHARED_SECTION, .own = o->section};

	syt_settings_parse(o->command.settings, &verb, &o->argp->argp, argc, argv, 0, o);
}

void syt_options_show(struct syt_settings *settings, const struct syt_report *report,
                      syt_settings_shown *shown, void *context)
{
	struct syt_options o = {.command = {.report = report}};

	set_defaults(&o);
	o.argp = make_argp(report);

	const struct syt_settings_verb sections = {.shared = SHARED_SECTION, .own = o.section};

	syt_settings_show_verb(settings, &sections, &o.argp->argp, &o, &o, shown, context);
	syt_options_fini(&o);
}

void syt_options_fini(struct syt_options *o)
{
	if (o->command.report->fini)
		o->command.report->fini(o->command.options);
	free(o->command.options);
	free_argp(o->argp);
	free(o->section);
}
