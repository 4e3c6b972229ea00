/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Parses the options that all reports share. */
#ifndef SYT_DECODER_COMMAND_OPTIONS_H
#define SYT_DECODER_COMMAND_OPTIONS_H

#include "decoder/command/command.h"
#include "decoder/host/join.h"

enum syt_when { SYT_WHEN_AUTO, SYT_WHEN_ALWAYS, SYT_WHEN_NEVER };

struct report_argp;

struct syt_options {
	struct syt_command command; /* the report with its options and inputs */
	enum syt_when color;
	bool has_pager, has_wall_clock, is_as_sampled;
	unsigned nr_problems;  /* maximum number of printed problems of each dump */
	unsigned json_version; /* version of the JSON format; 0: the first */
	unsigned nr_jobs;      /* number of decoding threads; 0: one per processor */
	struct syt_host_settings hosts;
	uint64_t memory;       /* memory limit in bytes; 0: the default */
	const char *inputs[2]; /* inputs of a report that compares, if the command line names one */
	char *section;         /* name of the report's section in the configuration files */
	struct report_argp *argp; /* argp parser of the report; NULL before parsing */
};

/* Parses the command line ARGV (argv[0] is the name of the report) into OPTIONS; OPTIONS->command.report is set
 * already. Ends the program on a usage error or --help. */
void syt_options_parse(struct syt_options *options, int argc, char **argv);
void syt_options_fini(struct syt_options *options);

/* Calls SHOWN for each option of REPORT with the value that it has without a command line. */
void syt_options_show(struct syt_settings *settings, const struct syt_report *report,
                      syt_settings_shown *shown, void *context);

#endif
