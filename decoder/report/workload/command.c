/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The command workload: the kinds of requests of one or several runs, and a model of them. */
#include <stdlib.h>

#include "base/store.h"
#include "decoder/command/outfile.h"
#include "decoder/command/runs.h"
#include "decoder/report/workload/view.h"
#include "decoder/request/gather.h"

struct options {
	const char *save, *against, *labels, *strings, *per;
	struct syt_option_number generate, clusters;
	uint64_t seed, limit;
	bool has_automaton;
};

/* clang-format off */
#define AT(member_) offsetof(struct options, member_)
static const struct syt_option option_rows[] = {
	{{"save", 0, "FILE", SYT_OPTION_NOT_OF_PROJECT, "write a model of the requests to FILE, for --against of requests, workload and watch", 0}, AT(save), syt_parse_text},
	{{"automaton", 0, NULL, 0, "print the automaton of the steps: its states, and the transitions between them", 0}, AT(has_automaton), syt_parse_true},
	{{"clusters", 0, "N", 0, "merge similar clusters until at most N are left (default: requests within a fixed distance form a cluster; with --labels, as many clusters as labels)", 0}, AT(clusters), syt_parse_number},
	{{"against", 0, "MODEL", 0, "compare the shares of the clusters with MODEL, a file that --save wrote; the exit status is 1 if the mix of requests has shifted", 0}, AT(against), syt_parse_text},
	{{"generate", 0, "N", 0, "print N synthetic requests with the mix of a model; name this file of --save in place of a trace", 0}, AT(generate), syt_parse_number},
	{{"seed", 0, "N", 0, "begin the random order of synthetic requests with N; an equal N gives an equal order (default: 1)", 0}, AT(seed), syt_parse_limit},
	{{"labels", 0, "FILE", SYT_OPTION_NOT_OF_PROJECT, "compare the clusters with the groups in FILE; each of its lines is the number of a request, a tab and the label of its group", 0}, AT(labels), syt_parse_text},
	{{"per", 0, "FUNCTION", 0, "examine the calls of FUNCTION in the place of requests", 0}, AT(per), syt_parse_word},
	{{"strings", 0, "FILE", SYT_OPTION_NOT_OF_PROJECT, "read the requests from FILE in place of traces: each line is a request, and blanks separate its steps", 0}, AT(strings), syt_parse_text},
	SYT_OPTION_LIMIT(AT(limit), "print at most N clusters (default: 10 as text, all in JSON)"),
	SYT_OPTION_END,
};
/* clang-format on */

static const struct options defaults = {.limit = SYT_LIMIT_AUTO, .seed = 1};

static void check(void *options, struct argp_state *state)
{
	const struct options *o = options;
	int nr = !!o->save + o->has_automaton + !!o->against + o->generate.is_given + !!o->labels;

	if (nr > 1)
		argp_error(
			state,
			"use only one of --save, --automaton, --against, --generate and --labels");
	if (o->clusters.is_given && nr > !!o->labels)
		argp_error(state, "--clusters goes with --labels or with the list of clusters");
	if (o->clusters.is_given &&
	    (!o->clusters.value || o->clusters.value > SYT_WORKLOAD_FEW_CLUSTERS))
		argp_error(state, "--clusters takes a number from 1 to %u",
		           SYT_WORKLOAD_FEW_CLUSTERS);
	if (o->strings && o->generate.is_given)
		argp_error(state, "--generate reads a model, not --strings");
	if (o->generate.is_given && o->generate.value > UINT32_MAX)
		argp_error(state, "--generate takes at most 4294967295");
}

static bool reads_itself(const void *options)
{
	(void)options;
	return true;
}

static bool needs_no_trace(const void *options)
{
	return ((const struct options *)options)->strings;
}

static bool add_run(void *context, const char *path, const struct syt_trace_data *trace,
                    struct syt_symbols *symbols)
{
	struct syt_workload_view *v = context;
	struct syt_gathered g;
	struct syt_order order;
	bool is_good;

	(void)path;
	if (syt_order_open_for(&order, trace, syt_extent_edges))
		return false;
	v->nr_runs++;
	is_good = !syt_gather_open(&g, &order, symbols, &v->population, v->function);
	if (is_good) {
		for (uint64_t i = 0; i < g.nr; i++)
			*SYT_STORE_ADD(v->origins, v->nr_members, v->room_members) =
				(struct syt_workload_origin){v->nr_runs, g.request_of[i] + 1};
		syt_gather_close(&g);
	}
	syt_order_close(&order);
	return is_good;
}

static bool read_population(struct syt_workload_view *v, struct syt_command *c,
                            const struct options *o)
{
	if (o->strings)
		return syt_population_read_strings(&v->population, o->strings);
	for (size_t i = 0; i < c->nr_inputs; i++)
		if (!syt_runs_each(c, c->inputs[i], add_run, v))
			return false;
	if (o->labels && v->nr_runs > 1) {
		syt_warn("--labels takes one run, because each run numbers its requests from 1");
		return false;
	}
	return true;
}

static enum syt_exit save(const struct syt_workload *model, const char *path)
{
	struct syt_outfile f;
	uint64_t bytes;

	if (syt_outfile_open(&f, path, false))
		return SYT_EXIT_UNREADABLE;
	return syt_outfile_close(&f, syt_workload_save(model, &f.out) ? 0 : -1, &bytes)
	               ? SYT_EXIT_UNREADABLE
	               : SYT_EXIT_OK;
}

static enum syt_exit print_against(const struct syt_workload_view *v, const char *path)
{
	struct syt_workload model;
	bool is_shift;

	if (!syt_workload_read(&model, path))
		return SYT_EXIT_UNREADABLE;
	is_shift = syt_workload_print_shift(v, &model);
	syt_workload_close(&model);
	return is_shift ? SYT_EXIT_FINDINGS : SYT_EXIT_OK;
}

/* Learns the automaton of all requests and prints it. */
static void print_automaton(const struct syt_workload_view *v, bool is_dot)
{
	const struct syt_population *p = &v->population;
	uint64_t *counts = syt_store_alloc(p->nr_behaviours, sizeof(*counts));
	struct syt_automaton a;

	for (uint32_t i = 0; i < p->nr_behaviours; i++)
		counts[i] = p->behaviours[i].count;
	syt_automaton_learn(&a, p, counts, SYT_AUTOMATON_ALPHA);
	if (is_dot)
		syt_workload_print_dot(v->out, &a, p);
	else
		syt_workload_print_automaton(v, &a, p);
	syt_automaton_close(&a);
	syt_store_free(counts);
}

static enum syt_exit generate(struct syt_command *c, const struct options *o)
{
	struct syt_workload model;
	enum syt_exit status = SYT_EXIT_OK;

	if (c->nr_inputs != 1) {
		syt_warn("--generate takes one model, a file that --save wrote");
		return SYT_EXIT_USAGE;
	}
	if (!syt_workload_read(&model, c->inputs[0]))
		return SYT_EXIT_UNREADABLE;
	if (model.nr_clusters) {
		syt_workload_print_mix(c->out, c->format == SYT_FORMAT_JSONL, &model,
		                       o->generate.value, o->seed);
	} else {
		syt_warn("%s: the model has no requests", c->inputs[0]);
		status = SYT_EXIT_UNREADABLE;
	}
	syt_workload_close(&model);
	return status;
}

/* MOST: the number of clusters, or 0. */
static void print_clusters(struct syt_workload_view *v, uint32_t most)
{
	if (most)
		syt_clusters_open_few(&v->clusters, &v->population, most);
	else
		syt_clusters_open(&v->clusters, &v->population);
	syt_workload_print(v);
	syt_clusters_close(&v->clusters);
}

static enum syt_exit print(struct syt_workload_view *v, const struct options *o, bool is_dot)
{
	enum syt_exit status = SYT_EXIT_OK;
	struct syt_workload model;

	if (o->has_automaton || is_dot) {
		print_automaton(v, is_dot);
	} else if (o->save) {
		syt_workload_learn(&model, &v->population);
		status = save(&model, o->save);
		syt_workload_close(&model);
	} else if (o->against) {
		status = print_against(v, o->against);
	} else if (o->labels) {
		if (!syt_workload_print_labels(v, o->labels, (uint32_t)o->clusters.value))
			status = SYT_EXIT_UNREADABLE;
	} else {
		print_clusters(v, (uint32_t)o->clusters.value);
	}
	return status;
}

/* Returns false, after a message, if the options and the other words of the command line contradict each other. */
static bool check_words(const struct syt_command *c, const struct options *o)
{
	if (c->format == SYT_FORMAT_DOT &&
	    (o->save || o->against || o->labels || o->generate.is_given))
		syt_warn("the format dot is only for --automaton");
	else if (o->strings && c->nr_inputs)
		syt_warn("--strings takes the place of traces; leave out %s", c->inputs[0]);
	else
		return true;
	return false;
}

static enum syt_exit run(struct syt_command *c)
{
	const struct options *o = c->options;
	enum syt_exit status = SYT_EXIT_UNREADABLE;
	struct syt_workload_view v = {
		.out = c->out,
		.function = o->per,
		.is_json = c->format == SYT_FORMAT_JSONL,
		.limit = syt_limit_of(o->limit, c->format != SYT_FORMAT_JSONL),
	};

	if (!check_words(c, o))
		return SYT_EXIT_USAGE;
	if (o->generate.is_given)
		return generate(c, o);
	if (read_population(&v, c, o))
		status = print(&v, o, c->format == SYT_FORMAT_DOT);
	syt_population_close(&v.population);
	syt_store_free(v.origins);
	return status;
}

const struct syt_report syt_report_workload = {
	.name = "workload",
	.summary = "the kinds of requests of one or several runs, and a model of them",
	.doc = "Groups the requests of one or several runs by their steps and by their work. "
	       "Prints "
	       "each group (cluster) with its share, and with one request as an example. The "
	       "option --save writes a model of the requests. With --against, "
	       "the verb requests compares single requests with the model, and this verb compares "
	       "the mix of requests.",
	.formats = 1u << SYT_FORMAT_TEXT | 1u << SYT_FORMAT_JSONL | 1u << SYT_FORMAT_DOT,
	.options = option_rows,
	.options_bytes = sizeof(struct options),
	.defaults = &defaults,
	.check = check,
	.run = run,
	.reads_itself = reads_itself,
	.needs_no_trace = needs_no_trace,
	.args_doc = "[RUN...]",
};
