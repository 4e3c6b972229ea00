/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* One line per process, call, thread, module, object and blind spot; `type` tells which. */
#include "decoder/read/call.h"
#include "decoder/show/blind.h"
#include "decoder/report/stat/stat.h"
#include "base/json.h"
#include "decoder/show/print.h"
#include "decoder/report/stat/summary.h"

static void begin(struct syt_json *j, const char *type, const struct syt_image *i)
{
	syt_json_begin_line(j, type);
	syt_json_u64(j, "process", i->index);
	syt_json_u64(j, "pid", i->file.pid);
}

static void use_members(struct syt_json *j, const struct syt_tally *u)
{
	syt_json_u64(j, "events", u->nr);
	syt_json_u64(j, "timed", u->nr_waited);
	syt_json_u64(j, "wait_ns", u->wait_ns);
	syt_json_u64(j, "max_wait_ns", u->max_wait_ns);
	syt_json_u64(j, "bytes", u->bytes);
}

static void hex_bytes(struct syt_json *j, const char *key, const uint8_t *bytes, size_t nr)
{
	syt_json_open_string(j, key);
	for (size_t n = 0; n < nr; n++)
		syt_out_printf(j->out, "%02x", bytes[n]);
	syt_json_close_string(j);
}

static void json_process(struct syt_json *j, const struct syt_image *i)
{
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
			syt_json_u64(j, syt_stat_loss_name(n), i->file.lost[n]);
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

static void json_thread(struct syt_json *j, const struct syt_thread *t, const struct syt_tally *use)
{
	const struct syt_image *i = t->image;

	if (!t->nr_rows && !t->tid)
		return;
	begin(j, "thread", i);
	syt_json_u64(j, "thread", t->index);
	syt_json_u64(j, "tid", t->tid);
	syt_json_string(j, "name", t->name);
	if (t->creator == SYT_NONE)
		syt_json_null(j, "creator");
	else
		syt_json_u64(j, "creator", t->creator);
	use_members(j, use);
	syt_json_u64(j, "first", t->base);
	syt_json_u64(j, "missing", t->missing);
	syt_json_end_line(j);
}

static void json_module(struct syt_json *j, const struct syt_image *i,
                        const struct syt_module_info *m)
{
	begin(j, "module", i);
	syt_json_u64(j, "module", m->id);
	syt_json_string(j, "path", m->path);
	hex_bytes(j, "build_id", m->build_id, m->build_id_bytes);
	syt_json_hex(j, "start", m->start);
	syt_json_hex(j, "end", m->end);
	syt_json_hex(j, "bias", m->bias);
	syt_json_end_line(j);
}

static void json_image(struct syt_json *j, const struct syt_image *i,
                       const struct syt_stat_options *options)
{
	struct syt_image_summary s;

	syt_summary_make(&s, i);
	json_process(j, i);
	for (uint32_t n = 0; n < i->nr_calls; n++) {
		if (!s.calls[n].nr)
			continue;
		begin(j, "call", i);
		syt_json_string(j, "call", i->calls[n].name);
		syt_json_string(j, "shape", syt_shape_text(i->calls[n].shape));
		use_members(j, &s.calls[n]);
		syt_json_end_line(j);
	}
	begin(j, "tasks", i);
	syt_json_u64(j, "tasks", s.leaves.nr);
	syt_json_u64(j, "ran", s.leaves.ns);
	syt_json_end_line(j);
	for (uint32_t n = 0; n < i->nr_threads; n++)
		json_thread(j, &i->threads[n], &s.threads[n]);
	for (uint64_t n = 0; n < i->nr_blind; n++) {
		begin(j, "blind", i);
		syt_json_string(j, "what", syt_blind_text(i->blind[n].what));
		syt_json_string(j, "text", i->blind[n].text);
		syt_json_u64(j, "ts", SYT_TIME_NS(i->blind[n].at));
		syt_json_end_line(j);
	}
	for (uint32_t n = 0; options->has_modules && n < i->nr_modules; n++)
		if (i->modules[n].id)
			json_module(j, i, &i->modules[n]);
	syt_summary_fini(&s);
}

void syt_stat_json(struct syt_command *c)
{
	struct syt_json j = {.out = c->out};

	for (uint32_t n = 0; n < c->trace->nr_images; n++)
		json_image(&j, &c->trace->images[n], c->options);
}
