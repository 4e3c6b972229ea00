/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include <inttypes.h>
#include <stdlib.h>

#include "decoder/read/call.h"
#include "decoder/show/blind.h"
#include "decoder/report/stat/stat.h"
#include "decoder/show/print.h"
#include "decoder/report/stat/summary.h"
#include "base/table.h"

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
	syt_out_safe(o, i->exe ? i->exe : "unknown program");
	syt_out_color(o, SYT_COLOR_NONE);
	syt_out_printf(o, " (pid %" PRIu32 ", parent %" PRIu32 ") ", f->pid, f->ppid);
	syt_out_string(o, state);
	if (status >= 0)
		syt_out_printf(o, " with status %d", status);
	syt_out_char(o, '\n');
	field(o, "command", i->argv);
	field(o, "directory", i->cwd);
	field(o, "host", f->host);
	field(o, "pids", i->pids);
	syt_out_printf(o, "  %-10s %s, %.3f MHz\n", "clock", syt_stat_clock(i), i->clock_hz / 1e6);
}

static void print_accounting(struct syt_out *o, const struct syt_image *i)
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
	for (unsigned n = 0; n < SYT_NR_LOSSES; n++)
		if (i->file.lost[n])
			syt_out_printf(o, "  %-10s %" PRIu64 ": %s\n", "lost", i->file.lost[n],
			               syt_stat_loss(n));
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

static void use_cells(struct syt_table *t, const struct syt_tally *u)
{
	syt_table_cell(t, "%" PRIu64, u->nr);
	syt_table_span(t, u->wait_ns);
	syt_table_span(t, u->max_wait_ns);
	if (u->bytes)
		syt_table_cell(t, "%" PRIu64, u->bytes);
	else
		syt_table_cell(t, "%s", "");
}

/* Indices by time waited, then by number, most first. */
struct by_use {
	uint32_t index;
	const struct syt_tally *use;
};

static int most_first(const void *a, const void *b)
{
	const struct by_use *x = a, *y = b;

	if (x->use->wait_ns != y->use->wait_ns)
		return x->use->wait_ns > y->use->wait_ns ? -1 : 1;
	if (x->use->nr != y->use->nr)
		return x->use->nr > y->use->nr ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static struct by_use *sort_uses(const struct syt_tally *uses, uint32_t nr, uint32_t *nr_used)
{
	struct by_use *sorted = syt_alloc(nr, sizeof(*sorted));

	*nr_used = 0;
	for (uint32_t n = 0; n < nr; n++)
		if (uses[n].nr)
			sorted[(*nr_used)++] = (struct by_use){n, &uses[n]};
	qsort(sorted, *nr_used, sizeof(*sorted), most_first);
	return sorted;
}

static void print_leaves(struct syt_out *o, const struct syt_leaves *l)
{
	syt_out_printf(o, "  %-10s %" PRIu64 " leaf tasks ran ", "tasks", l->nr);
	syt_print_span(o, l->ns);
	syt_out_char(o, '\n');
}

static void print_calls(struct syt_out *o, const struct syt_image *i,
                        const struct syt_image_summary *s)
{
	struct syt_table *t = syt_table_create("  CALL", "MEANS", ">EVENTS", ">IN CALLS",
	                                       ">LONGEST", ">BYTES", NULL);
	uint32_t nr;
	struct by_use *sorted = sort_uses(s->calls, i->nr_calls, &nr);

	for (uint32_t n = 0; n < nr; n++) {
		const struct syt_call_info *c = &i->calls[sorted[n].index];

		syt_table_row(t);
		syt_table_cell(t, "  %s", c->name);
		syt_table_cell(t, "%s", syt_shape_text(c->shape));
		use_cells(t, sorted[n].use);
	}
	free(sorted);
	syt_out_char(o, '\n');
	syt_table_end(t, o);
}

static void print_threads(struct syt_out *o, const struct syt_image *i,
                          const struct syt_image_summary *s)
{
	struct syt_table *t = syt_table_create("  THREAD", ">TID", "NAME", ">BY", ">EVENTS",
	                                       ">IN CALLS", ">LONGEST", ">BYTES", NULL);

	for (uint32_t n = 0; n < i->nr_threads; n++) {
		const struct syt_thread *th = &i->threads[n];

		if (!th->nr_rows && !th->tid)
			continue;
		syt_table_row(t);
		syt_table_cell(t, "  %" PRIu32 ".%" PRIu32, i->index, th->index);
		syt_table_cell(t, "%" PRIu32, th->tid);
		syt_table_cell(t, "%s", th->name ? th->name : "");
		if (th->creator == SYT_NONE)
			syt_table_cell(t, "%s", "");
		else
			syt_table_cell(t, "%" PRIu32 ".%" PRIu32, i->index, th->creator);
		use_cells(t, &s->threads[n]);
	}
	syt_out_char(o, '\n');
	syt_table_end(t, o);
}

static void print_modules(struct syt_out *o, const struct syt_image *i)
{
	struct syt_table *t =
		syt_table_create("  MODULE", ">START", ">END", "BUILD-ID", "PATH", NULL);

	for (uint32_t n = 0; n < i->nr_modules; n++) {
		const struct syt_module_info *m = &i->modules[n];
		char id[41] = "";

		if (!m->id)
			continue;
		for (uint32_t k = 0; k < m->build_id_bytes && k < 20; k++)
			snprintf(id + 2 * k, 3, "%02x", m->build_id[k]);
		syt_table_row(t);
		syt_table_cell(t, "  %" PRIu32, m->id);
		syt_table_cell(t, "0x%" PRIx64, m->start);
		syt_table_cell(t, "0x%" PRIx64, m->end);
		syt_table_cell(t, "%s", id);
		syt_table_cell(t, "%s", m->path);
	}
	syt_out_char(o, '\n');
	syt_table_end(t, o);
}

void syt_stat_text(struct syt_command *c)
{
	const struct syt_stat_options *options = c->options;
	struct syt_out *o = c->out;

	for (uint32_t n = 0; n < c->trace->nr_images; n++) {
		const struct syt_image *i = &c->trace->images[n];
		struct syt_image_summary s;

		if (n)
			syt_out_char(o, '\n');
		syt_summary_make(&s, i);
		if (n || !options->has_begun)
			syt_stat_text_identity(o, i);
		print_accounting(o, i);
		print_leaves(o, &s.leaves);
		print_calls(o, i, &s);
		print_threads(o, i, &s);
		if (options->has_modules)
			print_modules(o, i);
		syt_summary_fini(&s);
	}
}
