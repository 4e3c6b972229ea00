/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The command report writes one HTML page about the whole trace. */
#include <inttypes.h>
#include <unistd.h>

#include "decoder/report/page/page.h"
#include "decoder/show/coverage_print.h"
#include "decoder/command/command.h"
#include "decoder/command/outfile.h"

struct options {
	const char *path;
};

static bool is_standard_output(const struct options *o)
{
	return !o->path || !strcmp(o->path, "-");
}

/* clang-format off */
#define AT(member_) offsetof(struct options, member_)
static const struct syt_option option_rows[] = {
	{{"output", 'o', "FILE", SYT_OPTION_NOT_OF_PROJECT, "write the page to FILE; without this option, or with -, to standard output", 0}, AT(path), syt_parse_text},
	SYT_OPTION_END,
};
/* clang-format on */

static void check(void *options_, struct argp_state *state)
{
	if (is_standard_output(options_) && isatty(STDOUT_FILENO))
		argp_error(state, "the report is an HTML page: write it to a file with -o FILE");
}

static void summarize(struct syt_command *c, const struct syt_order *order,
                      const struct syt_html_content *content, uint64_t bytes)
{
	const struct options *o = c->options;
	struct syt_json j = {.out = c->out};

	if (c->format == SYT_FORMAT_TEXT) {
		syt_coverage_begin(c->out, order, false);
		syt_out_printf(c->out,
		               "report: %" PRIu64 " threads, %" PRIu64 " waits and %" PRIu64
		               " edges drawn one by one, in %" PRIu64 " bytes: ",
		               content->nr_threads, content->nr_waits, content->nr_edges, bytes);
		syt_out_safe(c->out, o->path);
		syt_out_char(c->out, '\n');
		syt_coverage_end(c->out, order, false);
		return;
	}
	syt_coverage_json(c->out, order);
	syt_json_begin_line(&j, "report");
	syt_json_string(&j, SYT_KEY("file", "written_file"), o->path);
	syt_json_u64(&j, "threads", content->nr_threads);
	syt_json_u64(&j, "waits", content->nr_waits);
	syt_json_u64(&j, "edges", content->nr_edges);
	syt_json_u64(&j, SYT_KEY("bytes", "written_bytes"), bytes);
	syt_json_end_line(&j);
}

static int write_file(struct syt_command *c, struct syt_order *order)
{
	const struct options *o = c->options;
	struct syt_html_content content;
	struct syt_outfile file;
	uint64_t bytes;

	if (syt_outfile_open(&file, o->path, false))
		return -1;
	syt_html_write(&file.out, order, c->symbols, &content);
	if (syt_outfile_close(&file, 0, &bytes))
		return -1;
	summarize(c, order, &content, bytes);
	return 0;
}

static enum syt_exit run(struct syt_command *c)
{
	struct syt_html_content content;
	struct syt_order order;
	int status = 0;

	if (syt_order_open(&order, c->trace))
		return SYT_EXIT_UNREADABLE;
	if (is_standard_output(c->options))
		syt_html_write(c->out, &order, c->symbols, &content);
	else
		status = write_file(c, &order);
	syt_order_close(&order);
	return status ? SYT_EXIT_UNREADABLE : SYT_EXIT_OK;
}

const struct syt_report syt_report_report = {
	.name = "report",
	.summary = "an HTML page with the threads over time and the findings of all reports",
	.doc = "Writes an HTML page that a browser shows without other files or a network: the "
	       "threads over time, the event that ended each wait, the critical path (the work and "
	       "waits that determined when the program ended), the waits for locks, and the order "
	       "of locks.",
	.formats = 1u << SYT_FORMAT_TEXT | 1u << SYT_FORMAT_JSONL,
	.options = option_rows,
	.check = check,
	.options_bytes = sizeof(struct options),
	.run = run,
};
