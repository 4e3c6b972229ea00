/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The interface of a report. A report consists of a row in decoder/command/reports.def and one struct syt_report
 * named syt_report_NAME.
 *
 * main.c parses the options that all reports share and the report's own options. Then main.c reads the trace, opens
 * the output (pager, colours) and calls run(). The exit status of the program is the result of run(), unless the
 * trace has losses and --fail-on-loss is set.
 */
#ifndef SYT_DECODER_COMMAND_COMMAND_H
#define SYT_DECODER_COMMAND_COMMAND_H

#include "base/err.h"
#include "decoder/command/option.h"
#include "decoder/read/reader.h"
#include "decoder/show/finding.h"
#include "settings/settings.h"

/* Scripts rely on these exit statuses of the program. */
enum syt_exit {
	SYT_EXIT_OK = 0,
	SYT_EXIT_FINDINGS = 1, /* the report found a problem (check, diff, lock-order, diagnose) */
	SYT_EXIT_USAGE = 2,
	SYT_EXIT_LOSS = 3, /* data of the trace were lost or damaged, with --fail-on-loss */
	SYT_EXIT_UNREADABLE =
		4, /* an input could not be read, or the output could not be written */
};

enum syt_format {
	SYT_FORMAT_TEXT,
	SYT_FORMAT_JSONL,
	SYT_FORMAT_DOT,
	SYT_FORMAT_JSON,
	SYT_FORMAT_MARKDOWN,
	SYT_FORMAT_JUNIT,
	SYT_FORMAT_SVG
};

/* The arguments of a report's functions. */
struct syt_command {
	const struct syt_report *report;
	enum syt_format format; /* output format: one of the formats that the report supports */
	const struct syt_trace_data *trace;
	struct syt_symbols *symbols;
	struct syt_out *out;
	void *options;  /* parsed options of the report: report->options_bytes bytes */
	const char *id; /* id of an event, "P.T.N", for a report with takes_id; NULL: not given */
	bool fail_on_loss, has_debuginfod;
	/* the next three members are for a report that reads its inputs itself, without a trace and symbols */
	const char *const *inputs;
	size_t nr_inputs;
	const struct syt_read_options *read_options;
	struct syt_settings *settings; /* contents of the configuration files; NULL: not read */
	/* a report that reads its inputs itself sets these flags: data was lost or damaged; an input, or one of
	 * its files, could not be read */
	bool has_loss, has_unreadable_input;
};

struct syt_report {
	const char *name;
	const char *summary; /* line of the report in the list of reports */
	const char *doc;     /* the text of NAME --help */
	/* set of the supported formats, as bits 1 << SYT_FORMAT_*; text is the default if it is in the set */
	unsigned formats;

	/* The report's own options; the last row has no name (decoder/command/option.h). NULL: there are none. */
	const struct syt_option *options;
	size_t options_bytes;
	const void *defaults; /* default values of the options: options_bytes bytes; NULL: zeros */
	/* Checks the parsed options, and reports an error with argp_error(). May be NULL. */
	void (*check)(void *options, struct argp_state *state);
	void (*fini)(void *options); /* frees the memory that a parser allocated; may be NULL */

	bool takes_id; /* the command line may contain the id of an event before the traces */
	/* Prints facts of the first process image before the events are decoded. The pointer may be NULL. The
	 * function is not called when the trace has no process image, or when a pager shows the output, because
	 * warnings about the trace would overwrite it. C has no trace yet. */
	void (*begin)(struct syt_command *c, const struct syt_image *first);
	/* Prints the report. Returns SYT_EXIT_OK, SYT_EXIT_FINDINGS, or another status after syt_warn(). */
	enum syt_exit (*run)(struct syt_command *c);
	/* Returns true if run() with these options reads the inputs itself, because they are several traces, or
	 * other files. NULL: run() gets one trace. */
	bool (*reads_itself)(const void *options);
	/* the output of run() is news of a running program, so no pager shows it */
	bool is_live;
	/* run() compares the first input with the second. Without the second input it is ./syntrace.data, without
	 * both inputs the first is ./syntrace.data.old. */
	bool compares;
	const char *args_doc; /* names of the inputs in the help; NULL: "[TRACE...]" */
	/* Returns true if run() with these options reads neither all events nor the edges of locks. The trace may
	 * then be sparse (only some events are in memory, decoder/read/sparse.h). NULL: it may read all. */
	bool (*is_sparse)(const void *options);
	/* Bytes that run() needs for an event in memory. If memory suffices for all events, the trace is not sparse, because run()
	 * then needs less time. 0: run() never needs less time. */
	uint32_t dense_bytes;
	/* Returns true if run() with these options needs no trace; C then contains no trace. NULL: run() always
	 * needs a trace. */
	bool (*needs_no_trace)(const void *options);

	/* The report's part of the verb diagnose and of the HTML page. If finding.find is NULL, there is none. */
	struct syt_finding_source finding;
};

#define REPORT(name_) extern const struct syt_report syt_report_##name_;
#include "decoder/command/reports.def"
#undef REPORT

enum {
#define REPORT(name_) SYT_REPORT_IS_##name_,
#include "decoder/command/reports.def"
#undef REPORT
	SYT_NR_REPORTS
};

/* Returns true: a value for the functions of a report that do not depend on its options. */
bool syt_always(const void *options);

/* All reports, in the order of --help. */
extern const struct syt_report *const syt_reports[SYT_NR_REPORTS];

/* Fills ALL with the findings of all reports on V->order, worst first. Returns the number of findings. The function
 * removes edges from ORDER (V->order) step by step. PAGE is NULL, or receives each report's part of the HTML page.
 * The caller frees each finding. */
size_t syt_findings_gather(struct syt_finding all[SYT_NR_REPORTS], struct syt_order *order,
                           const struct syt_view *v, struct syt_html *page);
/* Begin and end the parts of PAGE that take long. The page has its edges before the begin, and all findings before the end. */
void syt_findings_begin_page(struct syt_html *page);
void syt_findings_end_page(struct syt_html *page);

#endif
