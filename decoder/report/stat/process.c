/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Prints a process image as text, and its JSON lines that have no table: process, leaf tasks and blind spots. */
#include <inttypes.h>

#include "decoder/report/stat/stat.h"
#include "decoder/show/blind.h"
#include "decoder/show/print.h"
#include "decoder/show/wrap.h"

/* ---- text ---- */

static void field(struct syt_out *o, const char *name, const char *text)
{
	if (!text || !*text)
		return;
	syt_out_printf(o, "  %-10s ", name);
	syt_out_safe(o, text);
	syt_out_char(o, '\n');
}

void syt_stat_text_identity(struct syt_out *to, const struct syt_image *i)
{
	const struct syt_file *f = &i->file;
	struct syt_out words, *o = &words;
	int status;
	const char *state = syt_stat_state(i, &status);

	syt_wrap_begin(&words, to);
	syt_out_color(o, SYT_COLOR_BOLD);
	syt_out_printf(o, "Process %" PRIu32 ": ", i->index);
	syt_out_safe(o, syt_image_program(i));
	syt_out_color(o, SYT_COLOR_NONE);
	syt_out_printf(o, " (pid %" PRIu32 ", parent %" PRIu32 ") ", f->pid, f->ppid);
	syt_out_string(o, state);
	if (status >= 0)
		syt_out_printf(o, " with status %d", status);
	syt_out_char(o, '\n');
	field(o, "program", i->exe);
	field(o, "command", i->argv);
	field(o, "directory", i->cwd);
	field(o, "host", f->host);
	field(o, "pids", i->pids);
	syt_out_printf(o, "  %-10s %s, %.3f MHz\n", "clock", syt_stat_clock(i), i->clock_hz / 1e6);
	syt_wrap_end_facts(&words, to);
}

static void text_losses(struct syt_out *o, const struct syt_image *i)
{
	for (unsigned n = 0; n < SYT_NR_LOSSES; n++)
		if (i->file.lost[n])
			syt_out_printf(o, "  %-10s %" PRIu64 ": %s\n", "lost", i->file.lost[n],
			               syt_stat_losses[n].text);
	for (uint64_t n = 0; n < i->nr_blind; n++) {
		syt_out_printf(o, "  %-10s %s", "not seen", syt_blind_text(i->blind[n].what));
		if (i->blind[n].text[0]) {
			syt_out_string(o, ": ");
			syt_out_safe(o, i->blind[n].text);
		}
		syt_out_char(o, '\n');
	}
	for (uint32_t n = 0; n < i->nr_notes; n++)
		field(o, "note", i->notes[n]);
}

void syt_stat_text_events(struct syt_out *to, const struct syt_image *i,
                          const struct syt_image_summary *s)
{
	struct syt_out words, *o = &words;

	syt_wrap_begin(&words, to);
	syt_out_printf(o,
	               "  %-10s %" PRIu64 " recorded = %" PRIu64 " decoded + %" PRIu64
	               " overwritten + %" PRIu64 " missing; %" PRIu64 " lost",
	               "events", i->nr_recorded, i->nr_decoded, i->nr_overwritten, i->nr_missing,
	               i->nr_lost);
	if (i->nr_decoded)
		syt_out_printf(o, "; %.2f bytes each",
		               (double)i->bytes_events / (double)i->nr_decoded);
	syt_out_char(o, '\n');
	text_losses(o, i);
	syt_out_printf(o,
	               "  %-10s %" PRIu64 " leaf tasks (work between two synchronization "
	               "events) took ",
	               "tasks", s->leaves.nr);
	syt_print_span(o, s->leaves.ns);
	syt_out_char(o, '\n');
	syt_wrap_end_facts(&words, to);
}

/* ---- JSON ---- */

static void begin(struct syt_json *j, const char *type, const struct syt_image *i)
{
	syt_json_begin_line(j, type);
	syt_json_u64(j, "process", i->index);
	syt_json_u64(j, "pid", i->file.pid);
}

static void hex_bytes(struct syt_json *j, const char *key, const uint8_t *bytes, size_t nr)
{
	syt_json_open_string(j, key);
	for (size_t n = 0; n < nr; n++)
		syt_out_printf(j->out, "%02x", bytes[n]);
	syt_json_close_string(j);
}

void syt_stat_json_process(struct syt_out *out, const struct syt_image *i)
{
	struct syt_json json = {.out = out}, *j = &json;
	int status;
	const char *state = syt_stat_state(i, &status);

	begin(j, "process", i);
	syt_json_u64(j, "ppid", i->file.ppid);
	syt_json_u64(j, "start_time", i->file.start_time);
	if (i->pids)
		syt_json_string(j, "pids", i->pids);
	syt_json_string(j, "exe", i->exe);
	syt_json_string(j, "command", i->argv);
	syt_json_string(j, "directory", i->cwd);
	syt_json_string(j, "host", i->file.host);
	syt_json_string(j, "machine", i->file.machine);
	syt_json_string(j, "libc", i->libc);
	hex_bytes(j, "trace_id", i->file.trace_id, sizeof(i->file.trace_id));
	hex_bytes(j, "boot_id", i->file.boot_id, sizeof(i->file.boot_id));
	syt_json_string(j, "state", state);
	if (status >= 0)
		syt_json_u64(j, "status", (uint64_t)status);
	syt_json_string(j, "clock", syt_stat_clock(i));
	syt_json_u64(j, "clock_hz", (uint64_t)i->clock_hz);
	syt_json_string(j, "dump", i->path);
	syt_json_u64(j, "recorded", i->nr_recorded);
	syt_json_u64(j, "decoded", i->nr_decoded);
	syt_json_u64(j, "overwritten", i->nr_overwritten);
	syt_json_u64(j, "missing", i->nr_missing);
	syt_json_u64(j, "lost", i->nr_lost);
	syt_json_begin(j, "lost_by_reason", '{');
	for (unsigned n = 0; n < SYT_NR_LOSSES; n++)
		if (i->file.lost[n])
			syt_json_u64(j, syt_stat_losses[n].name, i->file.lost[n]);
	syt_json_end(j);
	syt_json_bool(j, "damaged", i->is_damaged);
	syt_json_u64(j, "event_bytes", i->bytes_events);
	syt_json_u64(j, "file_bytes", i->bytes_file);
	syt_json_begin(j, "notes", '[');
	for (uint32_t n = 0; n < i->nr_notes; n++)
		syt_json_string(j, NULL, i->notes[n]);
	syt_json_end(j);
	syt_json_end_line(j);
}

void syt_stat_json_tasks(struct syt_out *out, const struct syt_image *i,
                         const struct syt_leaves *leaves)
{
	struct syt_json j = {.out = out};

	begin(&j, "tasks", i);
	syt_json_u64(&j, "tasks", leaves->nr);
	syt_json_u64(&j, "ran", leaves->ns);
	syt_json_end_line(&j);
}

void syt_stat_json_blind(struct syt_out *out, const struct syt_image *i)
{
	for (uint64_t n = 0; n < i->nr_blind; n++) {
		struct syt_json j = {.out = out};

		begin(&j, "blind", i);
		syt_json_string(&j, "what", syt_blind_text(i->blind[n].what));
		syt_json_string(&j, "text", i->blind[n].text);
		syt_json_time(&j, "ts", SYT_TIME_NS(i->blind[n].at));
		syt_json_end_line(&j);
	}
}
