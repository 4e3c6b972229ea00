/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The clusters of a workload, as text and as JSON lines. */
#include <inttypes.h>

#include "base/table.h"
#include "decoder/report/workload/view.h"
#include "decoder/request/behaviour.h"
#include "decoder/show/coverage_print.h"
#include "decoder/show/wrap.h"

#define MOST_SHOWN 24u /* number of steps of a representative as text */

/* Returns the number of behaviours that only one request has. */
static uint64_t nr_once(const struct syt_population *p)
{
	uint64_t nr = 0;

	for (uint32_t i = 0; i < p->nr_behaviours; i++)
		nr += p->behaviours[i].count == 1;
	return nr;
}

const char *syt_workload_resource_key(enum syt_resource r)
{
	switch (r) {
	case SYT_RESOURCE_RECEIVED:
		return SYT_KEY("received", "bytes_received");
	case SYT_RESOURCE_SENT:
		return SYT_KEY("sent", "bytes_sent");
	case SYT_RESOURCE_FILE_BYTES:
		return SYT_KEY("file_bytes", "bytes_of_files");
	default:
		return syt_resource_word(r);
	}
}

static void put_amounts(struct syt_json *j, const struct syt_population *p,
                        const struct syt_member *m)
{
	syt_json_begin(j, "components", '[');
	for (uint64_t i = m->first_part; i < m->first_part + m->nr_parts; i++) {
		const struct syt_work_part *part = &p->parts[i];

		syt_json_begin(j, NULL, '{');
		syt_json_string(j, "component", p->components.all[part->component]);
		for (unsigned r = 0; r < SYT_NR_RESOURCES; r++) {
			const char *key = syt_workload_resource_key((enum syt_resource)r);

			if (part->amounts[r] == SYT_AMOUNT_UNKNOWN)
				syt_json_null(j, key);
			else
				syt_json_u64(j, key, part->amounts[r]);
		}
		syt_json_end(j);
	}
	syt_json_end(j);
}

static void put_cluster(const struct syt_workload_view *v, uint32_t k)
{
	struct syt_json j = {.out = v->out};
	const struct syt_population *p = &v->population;
	const struct syt_cluster *c = &v->clusters.all[k];
	const struct syt_member *m = &p->members[c->representative];
	const uint32_t *steps = syt_behaviour_steps(p, m->behaviour);

	syt_json_begin_line(&j, "cluster");
	syt_json_u64(&j, "cluster", k);
	syt_json_u64(&j, "requests", c->count);
	syt_json_key(&j, "share");
	syt_out_printf(v->out, "%.6f", (double)c->count / (double)p->nr_members);
	if (v->origins) {
		syt_json_u64(&j, SYT_KEY("run", "run_number"), v->origins[c->representative].run);
		syt_json_u64(&j, "representative", v->origins[c->representative].request);
	} else {
		syt_json_null(&j, SYT_KEY("run", "run_number"));
		syt_json_u64(&j, "representative", c->representative + 1);
	}
	syt_json_begin(&j, "string", '[');
	for (uint32_t i = 0; i < p->behaviours[m->behaviour].nr; i++)
		syt_json_string(&j, NULL, p->symbols.all[steps[i]]);
	syt_json_end(&j);
	put_amounts(&j, p, m);
	syt_json_end_line(&j);
}

void syt_workload_put_summary(const struct syt_workload_view *v)
{
	struct syt_json j = {.out = v->out};
	const struct syt_population *p = &v->population;

	syt_json_begin_line(&j, "workload");
	syt_json_u64(&j, "requests", p->nr_members);
	syt_json_u64(&j, "behaviours", p->nr_behaviours);
	syt_json_u64(&j, "clusters", v->clusters.nr);
	syt_json_key(&j, SYT_KEY("unseen", "unseen_share"));
	syt_out_printf(v->out, "%.6f",
	               p->nr_members ? (double)nr_once(p) / (double)p->nr_members : 0.0);
	syt_json_end_line(&j);
}

static void print_json(const struct syt_workload_view *v)
{
	syt_workload_put_summary(v);
	for (uint32_t k = 0; k < v->clusters.nr && !v->out->is_closed; k++)
		if (!v->limit || k < v->limit)
			put_cluster(v, k);
}

/* ---- text ---- */

/* The event string of a representative. */
struct string {
	const uint32_t *steps;
	uint32_t nr;
};

static struct string string_of(const struct syt_workload_view *v, uint32_t k)
{
	const struct syt_population *p = &v->population;
	uint32_t behaviour = p->members[v->clusters.all[k].representative].behaviour;

	return (struct string){syt_behaviour_steps(p, behaviour), p->behaviours[behaviour].nr};
}

/* Returns the number of steps with which the representatives of the first NR clusters begin. */
static uint32_t nr_common(const struct syt_workload_view *v, uint32_t nr)
{
	struct string first = string_of(v, 0);
	uint32_t nr_same = first.nr;

	for (uint32_t k = 1; k < nr; k++) {
		struct string s = string_of(v, k);
		uint32_t i = 0;

		while (i < nr_same && i < s.nr && s.steps[i] == first.steps[i])
			i++;
		nr_same = i;
	}
	return nr_same;
}

/* Writes the steps of S from FROM up to TO, at most MOST_SHOWN of them. */
static void put_steps(struct syt_out *out, const struct syt_workload_view *v, struct string s,
                      uint32_t from, uint32_t to)
{
	uint32_t end = to - from > MOST_SHOWN ? from + MOST_SHOWN : to;

	for (uint32_t i = from; i < end; i++) {
		syt_out_char(out, ' ');
		syt_out_safe(out, syt_symbol_short(v->population.symbols.all[s.steps[i]]));
	}
	if (end < to)
		syt_out_printf(out, " … (%" PRIu32 " more)", to - end);
}

/* Returns the first cluster whose representative has the same behaviour as the one of K. */
static uint32_t first_alike(const struct syt_workload_view *v, uint32_t k)
{
	const struct syt_member *members = v->population.members;
	const struct syt_cluster *all = v->clusters.all;
	uint32_t first = 0;

	while (members[all[first].representative].behaviour !=
	       members[all[k].representative].behaviour)
		first++;
	return first;
}

static void put_string(const struct syt_workload_view *v, uint32_t k, uint32_t from)
{
	struct string s = string_of(v, k);
	uint32_t alike = first_alike(v, k);
	struct syt_out words;

	syt_wrap_begin(&words, v->out);
	syt_out_printf(&words, "  %" PRIu32 ":", k);
	if (alike < k) {
		syt_out_printf(&words, " the steps of %" PRIu32 ", with other amounts of work",
		               alike);
	} else {
		if (from && from < s.nr)
			syt_out_string(&words, " …");
		put_steps(&words, v, s, from < s.nr ? from : 0, s.nr);
	}
	syt_wrap_end(&words, v->out, 5);
}

/* Writes the steps of the representatives of the first NR clusters. */
static void put_strings(const struct syt_workload_view *v, uint32_t nr)
{
	uint32_t from = nr > 1 ? nr_common(v, nr) : 0;
	struct syt_out words;

	if (!nr)
		return;
	syt_out_string(v->out, "\nThe steps of each example:\n");
	if (from) {
		syt_wrap_begin(&words, v->out);
		syt_out_string(&words, "  all:");
		put_steps(&words, v, string_of(v, 0), 0, from);
		syt_wrap_end(&words, v->out, 5);
	}
	for (uint32_t k = 0; k < nr; k++)
		put_string(v, k, from);
}

static void cell_amount(struct syt_table *t, const struct syt_work_part *part, enum syt_resource r)
{
	uint64_t amount = part->amounts[r];

	if (amount == SYT_AMOUNT_UNKNOWN)
		syt_table_cell(t, "?");
	else if (!amount)
		syt_table_cell(t, "-");
	else if (r == SYT_RESOURCE_CPU)
		syt_table_span(t, amount);
	else
		syt_table_cell(t, "%" PRIu64, amount);
}

static void put_head(struct syt_table *t, const struct syt_workload_view *v, uint32_t k)
{
	const struct syt_cluster *c = &v->clusters.all[k];

	syt_table_cell(t, "%" PRIu32, k);
	syt_table_cell(t, "%" PRIu64, c->count);
	syt_table_cell(t, "%.1f %%", syt_percent(c->count, v->population.nr_members));
	if (!v->origins)
		syt_table_cell(t, "line %" PRIu64, c->representative + 1);
	else if (v->nr_runs > 1)
		syt_table_cell(t, "%" PRIu64 " of run %" PRIu32,
		               v->origins[c->representative].request,
		               v->origins[c->representative].run);
	else
		syt_table_cell(t, "%" PRIu64, v->origins[c->representative].request);
}

static void put_rows(struct syt_table *t, const struct syt_workload_view *v, uint32_t k)
{
	const struct syt_population *p = &v->population;
	const struct syt_member *m = &p->members[v->clusters.all[k].representative];

	for (uint32_t i = 0; i < m->nr_parts || !i; i++) {
		const struct syt_work_part *part = &p->parts[m->first_part + i];

		syt_table_row(t);
		if (i) {
			for (unsigned n = 0; n < 4; n++)
				syt_table_cell(t, "%s", "");
		} else {
			put_head(t, v, k);
		}
		if (i == m->nr_parts)
			break;
		syt_table_cell(t, "%s", p->components.all[part->component]);
		for (unsigned r = 0; r < SYT_NR_RESOURCES; r++)
			cell_amount(t, part, (enum syt_resource)r);
	}
}

static void print_text(const struct syt_workload_view *v)
{
	const struct syt_population *p = &v->population;
	uint32_t nr = v->limit && v->limit < v->clusters.nr ? (uint32_t)v->limit : v->clusters.nr;
	struct syt_table *t;

	syt_out_printf(
		v->out, "%" PRIu64 " request%s, %" PRIu32 " behaviour%s, %" PRIu32 " cluster%s.",
		p->nr_members, p->nr_members == 1 ? "" : "s", p->nr_behaviours,
		p->nr_behaviours == 1 ? "" : "s", v->clusters.nr, v->clusters.nr == 1 ? "" : "s");
	if (p->nr_members)
		syt_out_printf(v->out,
		               " About %.1f %% of further requests will have a new behaviour.",
		               syt_percent(nr_once(p), p->nr_members));
	syt_out_string(v->out, nr ? "\n\n" : "\n");
	t = syt_table_create(">CLUSTER", ">REQUESTS", ">SHARE", ">EXAMPLE", "COMPONENT", ">CPU",
	                     ">IN", ">OUT", ">FILE CALLS", ">FILE BYTES", NULL);
	for (uint32_t k = 0; k < nr; k++)
		put_rows(t, v, k);
	syt_table_end(t, v->out);
	if (nr < v->clusters.nr)
		syt_out_printf(v->out, "%" PRIu32 " more; --limit=N prints more of them.\n",
		               v->clusters.nr - nr);
	put_strings(v, nr);
}

void syt_workload_print(const struct syt_workload_view *v)
{
	if (v->is_json)
		print_json(v);
	else
		print_text(v);
}
