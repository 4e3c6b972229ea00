/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The mix of a workload: comparison with a model, synthetic requests, and comparison with labels. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/store.h"
#include "base/table.h"
#include "decoder/report/workload/view.h"
#include "decoder/request/distance.h"
#include "decoder/show/coverage_print.h"
#include "decoder/show/wrap.h"

/* ---- comparison with a model ---- */

/* Counts the requests of V by the clusters of MODEL. The last count is of requests that no cluster is near. */
static uint64_t *count_clusters(const struct syt_workload_view *v, const struct syt_workload *model)
{
	uint64_t *counts = syt_calloc((size_t)model->nr_clusters + 1, sizeof(*counts));
	uint64_t *order = syt_workload_order(&v->population);
	struct syt_workload_scorer s;

	syt_workload_scorer_open(&s, model, &v->population);
	SYT_EACH(i, 0, v->population.nr_members) {
		uint32_t k = syt_workload_score(&s, order[i], false).cluster;

		counts[k == SYT_WORKLOAD_NONE ? model->nr_clusters : k]++;
	}
	syt_workload_scorer_close(&s);
	syt_store_free(order);
	return counts;
}

/* Writes whether the mix has shifted, and the limits of a shift. */
static void put_shift_text(const struct syt_workload_view *v, const struct syt_shift *s)
{
	struct syt_out words;

	syt_wrap_begin(&words, v->out);
	syt_out_printf(&words,
	               "The mix of requests has %sshifted: the shares of the clusters differ by "
	               "%.1f %%, with a probability of %.2g if only chance caused the difference.",
	               s->is_shift ? "" : "not ", 100 * s->variation, s->p);
	if (!s->is_shift)
		syt_out_printf(&words,
		               " A shift is at least %.0f %%, and has a probability below %g.",
		               100 * SYT_SHIFT_VARIATION, SYT_SHIFT_P);
	syt_wrap_end(&words, v->out, 0);
	syt_out_char(v->out, '\n');
}

static void put_shift(const struct syt_workload_view *v, const struct syt_shift *s)
{
	struct syt_json j = {.out = v->out};

	if (v->is_json) {
		syt_json_begin_line(&j, "shift");
		syt_json_u64(&j, "requests", v->population.nr_members);
		syt_json_u64(&j, "degrees", s->degrees);
		syt_json_key(&j, "g");
		syt_out_printf(v->out, "%.6f", s->g);
		syt_json_key(&j, "p");
		syt_out_printf(v->out, "%.6g", s->p);
		syt_json_key(&j, "variation");
		syt_out_printf(v->out, "%.6f", s->variation);
		syt_json_bool(&j, "shift", s->is_shift);
		syt_json_end_line(&j);
		return;
	}
	put_shift_text(v, s);
}

static void put_share(struct syt_json *j, const char *key, uint64_t part, uint64_t all)
{
	syt_json_key(j, key);
	syt_out_printf(j->out, "%.6f", all ? (double)part / (double)all : 0.0);
}

/* Prints the shares of all clusters, in the model and in the run. */
static void put_clusters(const struct syt_workload_view *v, const uint64_t *before,
                         const uint64_t *now, uint32_t nr)
{
	struct syt_json j = {.out = v->out};
	struct syt_table *t = v->is_json ? NULL
	                                 : syt_table_create(">CLUSTER", ">MODEL", ">SHARE", ">RUN",
	                                                    ">SHARE", NULL);
	uint64_t all_before = 0, all_now = 0;

	for (uint32_t k = 0; k <= nr; k++) {
		all_before += before[k];
		all_now += now[k];
	}
	for (uint32_t k = 0; k <= nr; k++) {
		if (v->is_json) {
			syt_json_begin_line(&j, "cluster");
			if (k == nr)
				syt_json_null(&j, "cluster");
			else
				syt_json_u64(&j, "cluster", k);
			syt_json_u64(&j, "requests", now[k]);
			put_share(&j, "share", now[k], all_now);
			put_share(&j, "model_share", before[k], all_before);
			syt_json_end_line(&j);
			continue;
		}
		syt_table_row(t);
		if (k == nr)
			syt_table_cell(t, "new");
		else
			syt_table_cell(t, "%" PRIu32, k);
		syt_table_cell(t, "%" PRIu64, before[k]);
		syt_table_cell(t, "%.1f %%", syt_percent(before[k], all_before));
		syt_table_cell(t, "%" PRIu64, now[k]);
		syt_table_cell(t, "%.1f %%", syt_percent(now[k], all_now));
	}
	if (t)
		syt_table_end(t, v->out);
}

/* Compares the counts NOW of the clusters with the counts of MODEL, by groups of clusters with the same steps. */
static struct syt_shift compare_groups(const struct syt_workload *model, const uint64_t *now)
{
	uint32_t nr = model->nr_clusters, *group = syt_workload_groups(model);
	uint64_t *of_model = syt_calloc((size_t)nr + 1, sizeof(*of_model));
	uint64_t *of_run = syt_calloc((size_t)nr + 1, sizeof(*of_run));
	struct syt_shift shift;

	for (uint32_t k = 0; k < nr; k++) {
		of_model[group[k]] += model->clusters[k].count;
		of_run[group[k]] += now[k];
	}
	of_run[nr] = now[nr];
	shift = syt_mix_shift(of_model, of_run, nr + 1);
	free(group);
	free(of_model);
	free(of_run);
	return shift;
}

bool syt_workload_print_shift(const struct syt_workload_view *v, const struct syt_workload *model)
{
	uint64_t *before = syt_calloc((size_t)model->nr_clusters + 1, sizeof(*before));
	uint64_t *now = count_clusters(v, model);
	struct syt_shift shift = compare_groups(model, now);

	for (uint32_t k = 0; k < model->nr_clusters; k++)
		before[k] = model->clusters[k].count;
	put_shift(v, &shift);
	put_clusters(v, before, now, model->nr_clusters);
	free(before);
	free(now);
	return shift.is_shift;
}

/* ---- synthetic requests ---- */

static void put_generated(struct syt_out *out, const struct syt_workload *m, uint32_t k,
                          uint64_t after)
{
	struct syt_json j = {.out = out};
	const struct syt_workload_cluster *c = &m->clusters[k];

	syt_json_begin_line(&j, "generated");
	syt_json_u64(&j, "cluster", k);
	syt_json_u64(&j, "behaviour", m->known.members[k].behaviour);
	syt_json_u64(&j, SYT_KEY("after", "after_previous"), after);
	syt_json_begin(&j, "components", '[');
	for (uint32_t i = c->first_part; i < c->first_part + c->nr_parts; i++) {
		const struct syt_workload_part *p = &m->parts[i];

		syt_json_begin(&j, NULL, '{');
		syt_json_string(&j, "component", m->known.components.all[p->component]);
		for (unsigned r = 0; r < SYT_NR_RESOURCES; r++) {
			const char *key = syt_workload_resource_key((enum syt_resource)r);

			if (p->norms[r].median < 0)
				syt_json_null(&j, key);
			else
				syt_json_u64(&j, key,
				             syt_amount_of_log((enum syt_resource)r,
				                               p->norms[r].median));
		}
		syt_json_end(&j);
	}
	syt_json_end(&j);
	syt_json_end_line(&j);
}

static void put_string(struct syt_out *out, const struct syt_workload *m, uint32_t k)
{
	uint32_t behaviour = m->known.members[k].behaviour;
	const uint32_t *steps = syt_behaviour_steps(&m->known, behaviour);

	for (uint32_t i = 0; i < m->known.behaviours[behaviour].nr; i++) {
		if (i)
			syt_out_char(out, ' ');
		syt_out_string(out, m->known.symbols.all[steps[i]]);
	}
	syt_out_char(out, '\n');
}

void syt_workload_print_mix(struct syt_out *out, bool is_json, const struct syt_workload *model,
                            uint64_t nr, uint64_t seed)
{
	uint64_t *counts = syt_calloc(model->nr_clusters, sizeof(*counts));
	uint64_t state = seed;
	uint32_t *draws;

	for (uint32_t k = 0; k < model->nr_clusters; k++)
		counts[k] = model->clusters[k].count;
	draws = syt_mix_draw(counts, model->nr_clusters, nr, seed);
	SYT_EACH(i, 0, nr) {
		if (out->is_closed)
			break;
		if (is_json)
			put_generated(out, model, draws[i],
			              syt_mix_interval(&state, model->interval_ns));
		else
			put_string(out, model, draws[i]);
	}
	syt_store_free(draws);
	free(counts);
}

/* ---- labels ---- */

struct labels {
	const struct syt_workload_view *v;
	struct syt_request_labels read;
	uint32_t *of;    /* [member]: number of the label */
	bool *has_label; /* [member] */
	/* the requests with a label */
	struct syt_workload_view chosen;
	uint32_t *of_chosen; /* [member] */
};

/* Returns the member with the number REQUEST of the command line, or UINT64_MAX. */
static uint64_t member_of(const struct syt_workload_view *v, uint64_t request)
{
	uint64_t low = 0, high = v->population.nr_members;

	if (!v->origins)
		return request && request <= high ? request - 1 : UINT64_MAX;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (v->origins[middle].request < request)
			low = middle + 1;
		else
			high = middle;
	}
	return low < v->population.nr_members && v->origins[low].request == request ? low
	                                                                            : UINT64_MAX;
}

/* Gives each request its label. A request without an end is no member, and needs none. */
static void set_labels(struct labels *l)
{
	for (size_t i = 0; i < l->read.nr; i++) {
		uint64_t member = member_of(l->v, l->read.all[i].request);

		if (member == UINT64_MAX)
			continue;
		l->has_label[member] = true;
		l->of[member] = l->read.all[i].label;
	}
}

static void put_error(struct syt_json *j, const char *key, double error)
{
	syt_json_key(j, key);
	if (error < 0)
		syt_out_string(j->out, "null");
	else
		syt_out_printf(j->out, "%.6f", error);
}

static void cell_error(struct syt_table *t, double error)
{
	if (error < 0)
		syt_table_cell(t, "-");
	else
		syt_table_cell(t, "%.3f", error);
}

static void put_errors(const struct syt_workload_view *v, const double *clusters,
                       const double *labels)
{
	struct syt_json j = {.out = v->out};
	struct syt_table *t = v->is_json ? NULL
	                                 : syt_table_create("COMPONENT", "RESOURCE", ">CLUSTERS",
	                                                    ">LABELS", NULL);

	for (uint32_t c = 0; c < v->population.components.nr; c++) {
		for (unsigned r = 0; r < SYT_NR_RESOURCES; r++) {
			size_t at = (size_t)c * SYT_NR_RESOURCES + r;

			if (clusters[at] < 0 && labels[at] < 0)
				continue;
			if (v->is_json) {
				syt_json_begin_line(&j, "error");
				syt_json_string(&j, "component", v->population.components.all[c]);
				syt_json_string(&j, "resource",
				                syt_resource_word((enum syt_resource)r));
				put_error(&j, SYT_KEY("clusters", "cluster_error"), clusters[at]);
				put_error(&j, SYT_KEY("labels", "label_error"), labels[at]);
				syt_json_end_line(&j);
				continue;
			}
			syt_table_row(t);
			syt_table_cell(t, "%s", v->population.components.all[c]);
			syt_table_cell(t, "%s", syt_resource_word((enum syt_resource)r));
			cell_error(t, clusters[at]);
			cell_error(t, labels[at]);
		}
	}
	if (t)
		syt_table_end(t, v->out);
}

/* Writes how many requests have labels, and explains the table. */
static void put_nr_labels(const struct labels *l)
{
	struct syt_out words;

	syt_wrap_begin(&words, l->v->out);
	syt_out_printf(&words,
	               "%" PRIu64 " of %" PRIu64 " requests have a label. There are %" PRIu32
	               " label%s and %" PRIu32 " cluster%s. The table has the error of the "
	               "prediction that each request does the work of the typical request of its "
	               "cluster, or of its label: the root mean square error divided by the mean.",
	               l->chosen.population.nr_members, l->v->population.nr_members,
	               l->read.texts.nr, l->read.texts.nr == 1 ? "" : "s", l->chosen.clusters.nr,
	               l->chosen.clusters.nr == 1 ? "" : "s");
	syt_wrap_end(&words, l->v->out, 0);
	syt_out_char(l->v->out, '\n');
}

/* Returns the errors of a grouping. Each group is represented by the member that is nearest to its mean work: for clusters and for
 * labels, so the comparison judges the grouping alone. */
static double *find_errors(const struct syt_population *p, const uint32_t *of, uint32_t nr)
{
	uint64_t *representatives = syt_mix_representatives(p, of, nr);
	double *errors = syt_mix_errors(p, of, representatives);

	free(representatives);
	return errors;
}

static void print_comparison(const struct labels *l)
{
	const struct syt_workload_view *v = &l->chosen;
	const struct syt_population *p = &v->population;
	double *clusters = find_errors(p, v->clusters.of, v->clusters.nr);
	double *labels = find_errors(p, l->of_chosen, l->read.texts.nr);

	if (v->is_json)
		syt_workload_put_summary(v);
	else
		put_nr_labels(l);
	put_errors(v, clusters, labels);
	free(clusters);
	free(labels);
}

/* Clusters the requests with a label alone: the two groupings are groupings of the same requests. */
static void compare(struct labels *l, uint32_t most)
{
	const struct syt_workload_view *v = l->v;
	struct syt_population *p = &l->chosen.population;
	uint64_t nr = 0;

	l->chosen = *v;
	syt_population_choose(p, &v->population, l->has_label);
	l->of_chosen = syt_store_alloc(p->nr_members, sizeof(*l->of_chosen));
	SYT_EACH(i, (uint64_t)0, v->population.nr_members)
		if (l->has_label[i])
			l->of_chosen[nr++] = l->of[i];
	syt_clusters_open_few(&l->chosen.clusters, p, most);
	print_comparison(l);
	syt_clusters_close(&l->chosen.clusters);
	syt_population_close(p);
	syt_store_free(l->of_chosen);
}

bool syt_workload_print_labels(const struct syt_workload_view *v, const char *path,
                               uint32_t nr_clusters)
{
	const uint64_t nr = v->population.nr_members;
	struct labels l = {
		.v = v,
		.of = syt_store_alloc(nr, sizeof(*l.of)),
		.has_label = syt_store_alloc(nr, sizeof(*l.has_label)),
	};
	bool is_good = syt_request_labels_read(&l.read, path);

	if (!nr_clusters)
		nr_clusters = l.read.texts.nr < SYT_WORKLOAD_FEW_CLUSTERS
		                      ? l.read.texts.nr
		                      : SYT_WORKLOAD_FEW_CLUSTERS;
	if (is_good) {
		set_labels(&l);
		compare(&l, nr_clusters ? nr_clusters : 1);
	}
	syt_request_labels_close(&l.read);
	syt_store_free(l.of);
	syt_store_free(l.has_label);
	return is_good;
}
