/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* syntrace-decode diagnose: what all reports say first, for who does not know yet which one to ask. */
#include "decoder/base/json.h"
#include "decoder/show/coverage_print.h"
#include "decoder/report/diagnose/finding.h"
#include "decoder/command/command.h"

enum { NR_REPORTS = 4 };

struct diagnosis {
	struct syt_finding findings[NR_REPORTS];
	unsigned nr;
};

static void find(struct diagnosis *d, struct syt_finding f)
{
	d->findings[d->nr++] = f;
}

static void find_path(struct syt_command *c, struct diagnosis *d, struct syt_order *o,
                      struct syt_labels *labels)
{
	struct syt_place first, last;
	struct syt_path p;

	if (!syt_path_ends(&o->places, &first, &last) ||
	    syt_path_open(&p, o, syt_place_row(&o->places, first)->in, last))
		return;
	find(d, syt_finding_of_path(&p, last, labels, c->symbols, c->out->has_colors));
	syt_path_close(&p);
}

static void find_contention(struct syt_command *c, struct diagnosis *d, struct syt_order *o,
                            struct syt_labels *labels)
{
	struct syt_contention contention;

	syt_contention_open(&contention, o, labels);
	find(d, syt_finding_of_contention(&contention, c->symbols, c->out->has_colors));
	syt_contention_close(&contention);
}

static void find_waits(struct syt_command *c, struct diagnosis *d, struct syt_order *o,
                       struct syt_labels *labels)
{
	struct syt_waits waits;

	syt_waits_open(&waits, o, labels, NULL);
	find(d, syt_finding_of_waits(&waits, c->symbols, c->out->has_colors));
	syt_waits_close(&waits);
}

static void find_lock_order(struct syt_command *c, struct diagnosis *d, struct syt_order *o,
                            struct syt_labels *labels)
{
	struct syt_lock_order l;

	syt_lock_order_open(&l, o, labels);
	find(d, syt_finding_of_lock_order(&l, c->symbols, true, c->out->has_colors));
	syt_lock_order_close(&l);
}

static void print_text(struct syt_command *c, const struct syt_finding *f)
{
	syt_out_char(c->out, '\n');
	syt_out_color(c->out, SYT_COLOR_BOLD);
	syt_out_string(c->out, f->title);
	syt_out_color(c->out, SYT_COLOR_NONE);
	syt_out_printf(c->out, " (more: syntrace-decode %s)\n", f->verb);
	if (f->tone == SYT_TONE_BAD) {
		syt_out_color(c->out, SYT_COLOR_DIM);
		syt_out_string(c->out, f->headline);
		syt_out_color(c->out, SYT_COLOR_NONE);
		syt_out_char(c->out, '\n');
	}
	syt_out_string(c->out, f->text);
	syt_out_char(c->out, '\n');
}

static void print_json(struct syt_command *c, const struct syt_finding *f)
{
	struct syt_json j = {.out = c->out};

	syt_json_begin_line(&j, "finding");
	syt_finding_json(&j, f);
	syt_json_end_line(&j);
}

/* What stands out first. */
static void print(struct syt_command *c, const struct diagnosis *d)
{
	for (enum syt_tone tone = SYT_TONE_BAD; tone <= SYT_TONE_GOOD; tone++) {
		for (unsigned n = d->nr; n-- > 0;) {
			const struct syt_finding *f = &d->findings[n];

			if (f->tone != tone)
				continue;
			if (c->format == SYT_FORMAT_JSONL)
				print_json(c, f);
			else
				print_text(c, f);
		}
	}
}

static enum syt_exit run(struct syt_command *c)
{
	const struct syt_edges_wanted of_waits = {SYT_EDGES_BUT_LOCKS, SYT_EDGES_ALL};
	/* and may be another one the next time */
	const struct syt_edges_wanted of_locks = {SYT_EDGES_ALL, 1u << SYT_CLASS_CAUSAL};
	struct diagnosis d = {.nr = 0};
	struct syt_labels *labels;
	struct syt_order order;
	enum syt_exit status;

	if (syt_order_open(&order, c->trace))
		return SYT_EXIT_UNREADABLE;
	labels = syt_labels_create(&order.places, c->symbols, 0);
	/* in the reverse order of how much each says of a cause */
	find_path(c, &d, &order, labels);
	syt_edges_narrow(&order.edges, of_waits);
	find_waits(c, &d, &order, labels);
	find_contention(c, &d, &order, labels);
	syt_edges_narrow(&order.edges, of_locks);
	find_lock_order(c, &d, &order, labels);
	if (c->format == SYT_FORMAT_JSONL)
		syt_coverage_json(c->out, &order);
	else
		syt_coverage_line(c->out, &order);
	print(c, &d);
	/* the last one is of the order of locks; who waits for an answer is no defect */
	status = d.findings[d.nr - 1].tone == SYT_TONE_BAD ? SYT_EXIT_FINDINGS : SYT_EXIT_OK;
	for (unsigned n = 0; n < d.nr; n++)
		syt_finding_free(&d.findings[n]);
	syt_labels_destroy(labels);
	syt_order_close(&order);
	return status;
}

const struct syt_verb syt_verb_diagnose = {
	.name = "diagnose",
	.summary = "why it is slow, or stuck: what every report says first",
	.doc = "Prints what stands out in a trace: deadlocks and orders of locks that can end in "
	       "one, locks and waits that cost time and who is to blame, and what determined the "
	       "end; and which verb says more. Exit status 1 when there is a deadlock, or can be.",
	.formats = 1u << SYT_FORMAT_TEXT | 1u << SYT_FORMAT_JSONL,
	.run = run,
};
