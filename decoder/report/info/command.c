/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * syntrace-decode info: how a trace was recorded, which stat takes for granted; and, --config, what holds
 * for the tool itself.  The members of JSON lines are a contract: add, never rename.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "base/table.h"
#include "decoder/report/stat/stat.h"
#include "decoder/command/command.h"
#include "decoder/command/options.h"

struct options {
	bool has_config;
};

/* clang-format off */
#define AT(member_) offsetof(struct options, member_)
static const struct syt_option option_rows[] = {
	{{"config", 0, NULL, 0, "print the value of each option without a command line, and the configuration file or variable that sets it; no trace is "
	  "needed", 0}, AT(has_config), syt_parse_true},
	SYT_OPTION_END,
};
/* clang-format on */

/* ---- the trace ---- */

#define NS_PER_S UINT64_C(1000000000)

/* When the dump was begun, by its host's clock, in UTC. */
static void started(const struct syt_image *i, char *text, size_t bytes)
{
	time_t s = (time_t)(i->file.start.real_ns / NS_PER_S);
	struct tm tm;

	*text = 0;
	if (i->file.start.real_ns && gmtime_r(&s, &tm) && strftime(text, bytes, "%FT%TZ", &tm) == 0)
		*text = 0;
}

static const char *mode(const struct syt_image *i)
{
	return i->file.mode == SYT_MODE_RING     ? "ring"
	       : i->file.mode == SYT_MODE_STREAM ? "stream"
	                                         : "unknown";
}

static void version(const struct syt_image *i, char *text, size_t bytes)
{
	uint32_t v = i->file.tool_version;

	snprintf(text, bytes, "%" PRIu32 ".%" PRIu32 ".%" PRIu32, v >> 16, v >> 8 & 0xff, v & 0xff);
}

static void cell_bytes(struct syt_table *t, uint64_t bytes)
{
	static const char *const units[] = {"", "K", "M", "G", "T"};
	unsigned unit = 0;

	while (bytes && bytes % 1024 == 0 && unit + 1 < sizeof(units) / sizeof(*units)) {
		bytes /= 1024;
		unit++;
	}
	syt_table_cell(t, "%" PRIu64 "%s", bytes, units[unit]);
}

static void text_trace(struct syt_command *c)
{
	struct syt_table *t =
		syt_table_create(">P", ">PID", "STARTED", "HOST", "MACHINE", "LIBC", "CLOCK",
	                         "RECORDER", "FORMAT", "MODE", ">RING", ">LIMIT", "DUMP", NULL);

	for (uint32_t n = 0; n < c->trace->nr_images; n++) {
		const struct syt_image *i = &c->trace->images[n];
		char text[32];

		syt_table_row(t);
		syt_table_cell(t, "%" PRIu32, i->index);
		syt_table_cell(t, "%" PRIu32, i->file.pid);
		started(i, text, sizeof(text));
		syt_table_cell(t, "%s", text);
		syt_table_cell(t, "%s", i->file.host);
		syt_table_cell(t, "%s", i->file.machine);
		syt_table_cell(t, "%s", i->libc ? i->libc : "");
		syt_table_cell(t, "%s", syt_stat_clock(i));
		version(i, text, sizeof(text));
		syt_table_cell(t, "%s", text);
		syt_table_cell(t, "%u.%u", i->file.major, i->file.minor);
		syt_table_cell(t, "%s", mode(i));
		if (i->file.mode == SYT_MODE_RING)
			cell_bytes(t, i->file.ring_bytes);
		else
			syt_table_cell(t, "%s", "");
		cell_bytes(t, i->file.capacity);
		syt_table_cell(t, "%s", i->path);
	}
	syt_table_end(t, c->out);
}

static void json_trace(struct syt_command *c)
{
	for (uint32_t n = 0; n < c->trace->nr_images; n++) {
		const struct syt_image *i = &c->trace->images[n];
		struct syt_json j = {.out = c->out};
		char text[32];

		syt_json_begin_line(&j, "dump");
		syt_json_u64(&j, "process", i->index);
		syt_json_u64(&j, "pid", i->file.pid);
		syt_json_string(&j, "exe", i->exe);
		started(i, text, sizeof(text));
		syt_json_string(&j, "started", *text ? text : NULL);
		syt_json_u64(&j, "started_ns", i->file.start.real_ns);
		syt_json_string(&j, "host", i->file.host);
		syt_json_string(&j, "machine", i->file.machine);
		syt_json_string(&j, "libc", i->libc);
		syt_json_u64(&j, "uid", i->file.uid);
		syt_json_string(&j, "clock", syt_stat_clock(i));
		version(i, text, sizeof(text));
		syt_json_string(&j, "recorder", text);
		syt_json_begin(&j, "format", '[');
		syt_json_u64(&j, NULL, i->file.major);
		syt_json_u64(&j, NULL, i->file.minor);
		syt_json_end(&j);
		syt_json_string(&j, "mode", mode(i));
		syt_json_u64(&j, "ring_bytes", i->file.ring_bytes);
		syt_json_u64(&j, "limit_bytes", i->file.capacity);
		syt_json_u64(&j, "block_bytes", i->file.block_bytes);
		syt_json_string(&j, "dump", i->path);
		syt_json_end_line(&j);
	}
}

/* ---- the configuration ---- */

static const char *state_text(const struct syt_settings_file *f)
{
	static const char *const texts[] = {
		[SYT_SETTINGS_READ] = "read",
		[SYT_SETTINGS_ABSENT] = "absent",
		[SYT_SETTINGS_REFUSED] = "refused",
		[SYT_SETTINGS_WRONG] = "wrong",
	};

	return texts[f->state];
}

/* Of the options that all verbs have, a verb's section only names those that it sets. */
struct shown {
	struct syt_command *c;
	struct syt_table *table; /* NULL: JSON */
	const char *verb;        /* NULL: what all verbs have */
};

static bool is_shown(const struct shown *s, const struct syt_effective *e)
{
	if (!s->verb)
		return e->is_shared;
	return !e->is_shared ||
	       (e->origin == SYT_FROM_FILE && strchr(e->setting->section, ' ') != NULL);
}

static void show_text(const struct shown *s, const struct syt_effective *e)
{
	syt_table_row(s->table);
	syt_table_cell(s->table, "decode%s%s", s->verb ? " " : "", s->verb ? s->verb : "");
	syt_table_cell(s->table, "%s", e->key);
	syt_table_cell(s->table, "%s", e->value ? e->value : "-");
	if (e->origin == SYT_FROM_FILE)
		syt_table_cell(s->table, "%s:%u", e->setting->file->path, e->setting->line);
	else
		syt_table_cell(s->table, "%s",
		               e->origin == SYT_FROM_VARIABLE
		                       ? e->variable->name
		                       : syt_settings_origin_text(e->origin));
}

static void show_json(const struct shown *s, const struct syt_effective *e)
{
	struct syt_json j = {.out = s->c->out};

	syt_json_begin_line(&j, "setting");
	syt_json_open_string(&j, "section");
	syt_out_printf(j.out, "decode%s%s", s->verb ? " " : "", s->verb ? s->verb : "");
	syt_json_close_string(&j);
	syt_json_string(&j, "key", e->key);
	syt_json_string(&j, "value", e->value);
	syt_json_string(&j, "from", syt_settings_origin_text(e->origin));
	if (e->origin == SYT_FROM_FILE) {
		syt_json_string(&j, "file", e->setting->file->path);
		syt_json_u64(&j, "line", e->setting->line);
	}
	if (e->origin == SYT_FROM_VARIABLE)
		syt_json_string(&j, "variable", e->variable->name);
	syt_json_end_line(&j);
}

static void show(void *context, const struct syt_effective *e)
{
	const struct shown *s = context;

	if (!is_shown(s, e))
		return;
	if (s->table)
		show_text(s, e);
	else
		show_json(s, e);
}

static void show_files(struct syt_command *c)
{
	const struct syt_settings *settings = c->settings;
	struct syt_table *t =
		c->format == SYT_FORMAT_TEXT ? syt_table_create("FILE", "OF", "IS", NULL) : NULL;

	for (unsigned n = 0; n < settings->nr_files; n++) {
		const struct syt_settings_file *f = &settings->files[n];
		struct syt_json j = {.out = c->out};

		if (t) {
			syt_table_row(t);
			syt_table_cell(t, "%s", f->path);
			syt_table_cell(t, "%s", syt_settings_layer_text(f->layer));
			syt_table_cell(t, "%s", state_text(f));
			continue;
		}
		syt_json_begin_line(&j, "file");
		syt_json_string(&j, "file", f->path);
		syt_json_string(&j, "layer", syt_settings_layer_text(f->layer));
		syt_json_string(&j, "state", state_text(f));
		syt_json_end_line(&j);
	}
	if (!t)
		return;
	syt_table_end(t, c->out);
	if (settings->nr_files)
		syt_out_char(c->out, '\n');
}

static void show_config(struct syt_command *c)
{
	struct shown s = {.c = c};

	show_files(c);
	if (c->format == SYT_FORMAT_TEXT)
		s.table = syt_table_create("SECTION", "KEY", "VALUE", "FROM", NULL);
	syt_settings_show(c->settings, show, &s);
	for (size_t n = 0; n < SYT_NR_REPORTS; n++) {
		s.verb = syt_reports[n]->name;
		syt_options_show(c->settings, syt_reports[n], show, &s);
	}
	if (s.table)
		syt_table_end(s.table, c->out);
}

/* ---- the verb ---- */

static bool needs_no_trace(const void *options)
{
	return ((const struct options *)options)->has_config;
}

static bool is_sparse(const void *options)
{
	(void)options;
	return true;
}

static enum syt_exit run(struct syt_command *c)
{
	const struct options *o = c->options;

	if (o->has_config && c->settings)
		show_config(c);
	if (!c->trace)
		return SYT_EXIT_OK;
	if (o->has_config && c->format == SYT_FORMAT_TEXT)
		syt_out_char(c->out, '\n');
	if (c->format == SYT_FORMAT_TEXT)
		text_trace(c);
	else
		json_trace(c);
	return SYT_EXIT_OK;
}

const struct syt_report syt_report_info = {
	.name = "info",
	.summary = "how a trace was recorded; --config: what options are, and who says so",
	.doc = "Prints how each dump of a trace was recorded: when, by which version, in which "
	       "mode "
	       "and with how much room.  What is in it says stat.",
	.formats = 1u << SYT_FORMAT_TEXT | 1u << SYT_FORMAT_JSONL,
	.options = option_rows,
	.options_bytes = sizeof(struct options),
	.is_sparse = is_sparse,
	.needs_no_trace = needs_no_trace,
	.run = run,
};
