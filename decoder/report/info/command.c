/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The command info prints the conditions under which each dump was recorded and, with --config, the values of the
 * options and the files that set them. */
#include <inttypes.h>
#include <time.h>

#include "decoder/command/options.h"
#include "decoder/report/stat/stat.h"

struct options {
	bool has_config;
};

/* clang-format off */
#define AT(member_) offsetof(struct options, member_)
static const struct syt_option option_rows[] = {
	{{"config", 0, NULL, 0, "print the value of each option of syntrace-decode, and the configuration file or environment variable that sets it; no trace is needed", 0}, AT(has_config), syt_parse_true},
	SYT_OPTION_END,
};
/* clang-format on */

/* ---- the trace ---- */

#define NS_PER_S UINT64_C(1000000000)

/* Returns the file header of a row, which is a struct syt_image. */
static const struct syt_file *file_of(const struct syt_cell *c)
{
	return &((const struct syt_image *)c->row)->file;
}

/* Returns the time in UTC at which the recording started, by the clock of the host, or NULL if it is unknown. */
static const char *word_started(const struct syt_cell *c)
{
	static char text[32];
	uint64_t ns = file_of(c)->start.real_ns;
	time_t s = (time_t)(ns / NS_PER_S);
	struct tm tm;

	return ns && gmtime_r(&s, &tm) && strftime(text, sizeof(text), "%FT%TZ", &tm) ? text : NULL;
}

static const char *word_recorder(const struct syt_cell *c)
{
	static char text[40];
	uint32_t v = file_of(c)->tool_version;

	snprintf(text, sizeof(text), "%" PRIu32 ".%" PRIu32 ".%" PRIu32, v >> 16, v >> 8 & 0xff,
	         v & 0xff);
	return text;
}

static void text_format(struct syt_table *t, const struct syt_cell *c)
{
	syt_table_cell(t, "%u.%u", file_of(c)->major, file_of(c)->minor);
}

static void json_format(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	syt_json_begin(j, key, '[');
	syt_json_u64(j, NULL, file_of(c)->major);
	syt_json_u64(j, NULL, file_of(c)->minor);
	syt_json_end(j);
}

static uint64_t number_bytes(const struct syt_cell *c)
{
	return *(const uint64_t *)c->field;
}

static void text_bytes(struct syt_table *t, const struct syt_cell *c)
{
	static const char *const units[] = {"", "K", "M", "G", "T"};
	uint64_t bytes = number_bytes(c);
	unsigned unit = 0;

	while (bytes && bytes % 1024 == 0 && unit + 1 < sizeof(units) / sizeof(*units)) {
		bytes /= 1024;
		unit++;
	}
	syt_table_cell(t, "%" PRIu64 "%s", bytes, units[unit]);
}

/* Writes the size of the ring. The cell is empty in the mode stream, which has no ring. */
static void text_ring(struct syt_table *t, const struct syt_cell *c)
{
	if (file_of(c)->mode == SYT_MODE_RING)
		text_bytes(t, c);
	else
		syt_table_cell(t, "%s", "");
}

SYT_COLUMN_WORD(type_clock, struct syt_image, syt_stat_clock(r));
SYT_COLUMN_WORD(type_mode, struct syt_image,
                r->file.mode == SYT_MODE_RING     ? "ring"
                : r->file.mode == SYT_MODE_STREAM ? "stream"
                                                  : "unknown");
static const struct syt_column_type type_started = {.word = word_started};
static const struct syt_column_type type_recorder = {.word = word_recorder};
static const struct syt_column_type type_format = {.text = text_format, .json = json_format};
static const struct syt_column_type type_bytes = {.text = text_bytes, .number = number_bytes};
static const struct syt_column_type type_ring = {.text = text_ring, .number = number_bytes};

/* clang-format off */
#define IMAGE(member_) offsetof(struct syt_image, member_)
static const struct syt_column dump_columns[] = {
	{">P",       "process",     &syt_column_u32,    IMAGE(index)},
	{">PID",     "pid",         &syt_column_u32,    IMAGE(file.pid)},
	{NULL,       "exe",         &syt_column_string, IMAGE(exe)},
	{"STARTED",  "started",     &type_started,      0},
	{NULL,       "started_ns",  &syt_column_u64,    IMAGE(file.start.real_ns)},
	{"HOST",     "host",        &syt_column_chars,  IMAGE(file.host)},
	{"?MACHINE", "machine",     &syt_column_chars,  IMAGE(file.machine)},
	{"?LIBC",    "libc",        &syt_column_string, IMAGE(libc)},
	{NULL,       "uid",         &syt_column_u32,    IMAGE(file.uid)},
	{"?CLOCK",   "clock",       &type_clock,        0},
	{"?RECORDER", "recorder",   &type_recorder,     0},
	{"?FORMAT",  "format",      &type_format,       0},
	{"MODE",     "mode",        &type_mode,         0},
	{">RING",    "ring_bytes",  &type_ring,         IMAGE(file.ring_bytes)},
	{">LIMIT",   "limit_bytes", &type_bytes,        IMAGE(file.capacity)},
	{NULL,       "block_bytes", &syt_column_u32,    IMAGE(file.block_bytes)},
	{"DUMP",     "dump",        &syt_column_string, IMAGE(path)},
};
/* clang-format on */

static const struct syt_listing dumps = SYT_LISTING("dump", dump_columns);

/* ---- the configuration ---- */

struct file_row {
	const char *path, *layer, *state;
};

static const struct syt_column file_columns[] = {
	{"FILE", SYT_KEY("file", "config_file"), &syt_column_string,
         offsetof(struct file_row, path)},
	{"OF", "layer", &syt_column_string, offsetof(struct file_row, layer)},
	{"IS", SYT_KEY("state", "file_state"), &syt_column_string,
         offsetof(struct file_row, state)},
};
static const struct syt_listing files = SYT_LISTING("file", file_columns);

static void list_files(const struct syt_view *v, const struct syt_settings *settings)
{
	static const char *const states[] = {
		[SYT_SETTINGS_READ] = "read",
		[SYT_SETTINGS_ABSENT] = "absent",
		[SYT_SETTINGS_REFUSED] = "refused",
		[SYT_SETTINGS_WRONG] = "wrong",
	};
	struct syt_listing_writer w;

	syt_listing_begin(&w, &files, v);
	for (unsigned n = 0; n < settings->nr_files; n++) {
		const struct syt_settings_file *f = &settings->files[n];

		syt_listing_row(&w,
		                &(struct file_row){f->path, syt_settings_layer_text(f->layer),
		                                   states[f->state]},
		                NULL);
	}
	syt_listing_end(&w);
	if (!v->is_json && settings->nr_files)
		syt_out_char(v->out, '\n');
}

struct setting_row {
	char section[64];
	const char *key, *value, *from;
	const char *file; /* configuration file that sets the value, or NULL */
	uint64_t line;
	const char *variable; /* environment variable that sets the value, or NULL */
};

static void text_value(struct syt_table *t, const struct syt_cell *c)
{
	const struct setting_row *row = c->row;

	syt_table_cell(t, "%s", row->value ? row->value : "-");
}

static void text_from(struct syt_table *t, const struct syt_cell *c)
{
	const struct setting_row *row = c->row;

	if (row->file)
		syt_table_cell(t, "%s:%" PRIu64, row->file, row->line);
	else
		syt_table_cell(t, "%s", row->variable ? row->variable : row->from);
}

static const struct syt_column_type type_value = {.text = text_value};
static const struct syt_column_type type_from = {.text = text_from};

/* clang-format off */
#define SETTING(member_) offsetof(struct setting_row, member_)
static const struct syt_column setting_columns[] = {
	{"SECTION", "section",  &syt_column_chars,     SETTING(section)},
	{"KEY",     "key",      &syt_column_string,    SETTING(key)},
	{NULL,      "value",    &syt_column_string,    SETTING(value)},
	{"VALUE",   NULL,       &type_value,           0},
	{NULL,      SYT_KEY("from", "set_by"), &syt_column_string,    SETTING(from)},
	{"FROM",    NULL,       &type_from,            0},
	{NULL,      SYT_KEY("file", "config_file"), &syt_column_string_if, SETTING(file)},
	{NULL,      SYT_KEY("line", "config_line"), &syt_column_u64_if,    SETTING(line)},
	{NULL,      "variable", &syt_column_string_if, SETTING(variable)},
};
/* clang-format on */

static const struct syt_listing settings_listing = SYT_LISTING("setting", setting_columns);

struct shown {
	struct syt_listing_writer writer;
	const char *verb; /* verb whose options are printed; NULL: options of all verbs */
};

/* Returns true if the option value E is printed for the verb of S. The section of a verb names a shared option only
 * if a file sets this option there. */
static bool is_shown(const struct shown *s, const struct syt_effective *e)
{
	if (!s->verb)
		return e->is_shared;
	return !e->is_shared ||
	       (e->origin == SYT_FROM_FILE && strchr(e->setting->section, ' ') != NULL);
}

static void show(void *context, const struct syt_effective *e)
{
	struct shown *s = context;
	struct setting_row row = {
		.key = e->key, .value = e->value, .from = syt_settings_origin_text(e->origin)};

	if (!is_shown(s, e))
		return;
	snprintf(row.section, sizeof(row.section), "decode%s%s", s->verb ? " " : "",
	         s->verb ? s->verb : "");
	if (e->origin == SYT_FROM_FILE) {
		row.file = e->setting->file->path;
		row.line = e->setting->line;
	}
	if (e->origin == SYT_FROM_VARIABLE)
		row.variable = e->variable->name;
	syt_listing_row(&s->writer, &row, NULL);
}

static void show_config(const struct syt_view *v, struct syt_settings *settings)
{
	struct shown s = {.verb = NULL};

	list_files(v, settings);
	syt_listing_begin(&s.writer, &settings_listing, v);
	syt_settings_show(settings, show, &s);
	for (size_t n = 0; n < SYT_NR_REPORTS; n++) {
		s.verb = syt_reports[n]->name;
		syt_options_show(settings, syt_reports[n], show, &s);
	}
	syt_listing_end(&s.writer);
}

/* ---- the command ---- */

static bool needs_no_trace(const void *options)
{
	return ((const struct options *)options)->has_config;
}

static enum syt_exit run(struct syt_command *c)
{
	const struct syt_view v = {.out = c->out, .is_json = c->format == SYT_FORMAT_JSONL};
	const struct options *o = c->options;

	if (o->has_config && c->settings)
		show_config(&v, c->settings);
	if (!c->trace)
		return SYT_EXIT_OK;
	if (o->has_config && !v.is_json)
		syt_out_char(c->out, '\n');
	syt_listing_all(&dumps, &v, c->trace->images, c->trace->nr_images,
	                sizeof(*c->trace->images), NULL);
	return SYT_EXIT_OK;
}

const struct syt_report syt_report_info = {
	.name = "info",
	.summary = "how a trace was recorded: host, clock, version and sizes; with --config, the "
		   "options in effect",
	.doc = "Prints the host, the version of syntrace, the recording mode and the sizes of each "
	       "dump, the trace file of one process. For the contents of the trace, use "
	       "'syntrace-decode stat'.",
	.formats = 1u << SYT_FORMAT_TEXT | 1u << SYT_FORMAT_JSONL,
	.options = option_rows,
	.options_bytes = sizeof(struct options),
	.is_sparse = syt_always,
	.needs_no_trace = needs_no_trace,
	.run = run,
};
