/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The interface of a report: one row in decoder/command/reports.def and one struct syt_report named syt_report_NAME.
 *
 * main.c parses the options that all reports share and the report's own options. It reads the trace, opens the output (pager,
 * colours) and calls run(). The exit status is the result of run(), unless the trace has losses and --fail-on-loss is set.
 */
#ifndef SYT_DECODER_COMMAND_COMMAND_H
#define SYT_DECODER_COMMAND_COMMAND_H

#include "base/err.h"
#include "decoder/command/option.h"
#include "decoder/read/reader.h"
#include "decoder/show/finding.h"
#include "settings/settings.h"

/* The exit statuses of every verb are a contract with scripts. */
enum syt_exit {
	SYT_EXIT_OK = 0,
	SYT_EXIT_FINDINGS = 1, /* check, diff, lock-order: there is a finding */
	SYT_EXIT_USAGE = 2,
	SYT_EXIT_LOSS = 3,       /* data lost or damaged, with --fail-on-loss */
	SYT_EXIT_UNREADABLE = 4, /* no input was readable, or the output could not be written */
};

enum syt_format {
	SYT_FORMAT_TEXT,
	SYT_FORMAT_JSONL,
	SYT_FORMAT_DOT,
	SYT_FORMAT_JSON,
	SYT_FORMAT_MARKDOWN,
	SYT_FORMAT_JUNIT
};

/* The arguments of a report's functions. */
struct syt_command {
	const struct syt_report *report;
	enum syt_format format; /* the output format: one of the formats of the report */
	const struct syt_trace_data *trace;
	struct syt_symbols *symbols;
	struct syt_out *out;
	void *options;  /* the parsed options: report->options_bytes bytes */
	const char *id; /* "P.T.N", for a report with takes_id; NULL: not given */
	bool fail_on_loss, has_debuginfod;
	/* the next three: for a report that reads its inputs itself, without a trace and symbols */
	const char *const *inputs;
	size_t nr_inputs;
	const struct syt_read_options *read_options;
	struct syt_settings *settings; /* the configuration files; NULL: they are not read */
	bool has_loss;                 /* the report sets this flag when data was lost or damaged */
};

struct syt_report {
	const char *name;
	const char *summary; /* the line of the report in the list of reports */
	const char *doc;     /* the text of NAME --help */
	unsigned formats;    /* bits 1 << SYT_FORMAT_*; text is the default if the report has it */

	/* The report's own options, up to a row without a name (decoder/command/option.h); NULL: none. */
	const struct syt_option *options;
	size_t options_bytes;
	const void *defaults; /* the default options: options_bytes bytes; NULL: zeros */
	/* Checks the parsed options, and reports an error with argp_error(). May be NULL. */
	void (*check)(void *options, struct argp_state *state);
	void (*fini)(void *options); /* frees the memory that a parser allocated; may be NULL */

	bool takes_id; /* the id of an event may precede the traces */
	/* Prints facts of the first process image before the events are decoded. May be NULL. It is not called when the trace
	 * has no image, or when a pager shows the output, because warnings about the trace would overwrite it. C has no trace
	 * yet. */
	void (*begin)(struct syt_command *c, const struct syt_image *first);
	/* Prints the report. Returns SYT_EXIT_OK, SYT_EXIT_FINDINGS, or another status after syt_warn(). */
	enum syt_exit (*run)(struct syt_command *c);
	/* run() reads the inputs itself: several traces, or other files. */
	bool reads_itself;
	const char *args_doc; /* names the inputs; NULL: TRACE... */
	/* Returns true if run() reads neither all rows nor the edges of locks. The trace may then be sparse
	 * (decoder/read/sparse.h). NULL: it reads them. */
	bool (*is_sparse)(const void *options);
	/* Returns true if these options need no trace; C has none then. NULL: a trace is needed. */
	bool (*needs_no_trace)(const void *options);

	/* The report's part of the verb diagnose and of the HTML page; finding.find NULL: it has none. */
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

/* All reports, in the order of --help. */
extern const struct syt_report *const syt_reports[SYT_NR_REPORTS];

/* Fills ALL with the findings of all reports on V->order, worst first. Returns their number. It narrows the edges of ORDER
 * (V->order) step by step. PAGE is NULL, or receives each report's part of the HTML page. Free each finding. */
size_t syt_findings_gather(struct syt_finding all[SYT_NR_REPORTS], struct syt_order *order,
                           const struct syt_view *v, struct syt_html *page);

#endif
