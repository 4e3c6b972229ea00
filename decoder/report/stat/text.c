/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The lines of text that introduce a process image. */
#include <inttypes.h>

#include "decoder/report/stat/stat.h"
#include "decoder/show/blind.h"
#include "decoder/show/print.h"

static void field(struct syt_out *o, const char *name, const char *text)
{
	if (!text || !*text)
		return;
	syt_out_printf(o, "  %-10s ", name);
	syt_out_safe(o, text);
	syt_out_char(o, '\n');
}

void syt_stat_text_identity(struct syt_out *o, const struct syt_image *i)
{
	const struct syt_file *f = &i->file;
	int status;
	const char *state = syt_stat_state(i, &status);

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

void syt_stat_text_events(struct syt_out *o, const struct syt_image *i,
                          const struct syt_image_summary *s)
{
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
	syt_out_printf(o, "  %-10s %" PRIu64 " leaf tasks ran ", "tasks", s->leaves.nr);
	syt_print_span(o, s->leaves.ns);
	syt_out_char(o, '\n');
}
