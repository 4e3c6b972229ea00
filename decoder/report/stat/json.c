/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The JSON lines of a process image that have no table: the process, its leaf tasks and its blind spots. */
#include "decoder/report/stat/stat.h"
#include "decoder/show/blind.h"

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
		syt_json_u64(&j, "ts", SYT_TIME_NS(i->blind[n].at));
		syt_json_end_line(&j);
	}
}
