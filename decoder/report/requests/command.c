/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The command requests: the exchanges of the program with the outside, and the work for each of them. */
#include <inttypes.h>
#include <string.h>

#include "decoder/command/view.h"
#include "decoder/read/number.h"
#include "decoder/report/requests/view.h"
#include "decoder/show/coverage_print.h"

/* The value of --show: the number of a request, or its rank. */
struct choice {
	uint64_t number; /* from 1; 0: the rank counts */
	uint64_t rank;   /* from 1: the slowest or the oddest request has the rank 1 */
	bool is_odd;     /* the rank is among the oddest requests */
};

struct options {
	struct choice show;
	unsigned sort;
	uint64_t limit, one_in;
	const char *against, *per;
	bool has_all;
};

/* Parses "NAME" or "NAME:K" in ARG. Returns false if ARG is neither. */
static bool parse_rank(const char *arg, const char *name, uint64_t *rank)
{
	size_t bytes = strlen(name);

	*rank = 1;
	return !strncmp(arg, name, bytes) &&
	       (!arg[bytes] || (arg[bytes] == ':' && syt_number_parse(arg + bytes + 1, rank)));
}

static void parse_choice(void *field, const char *name, const char *arg, struct argp_state *state)
{
	struct choice *c = field;
	bool is_good;

	*c = (struct choice){0};
	c->is_odd = parse_rank(arg, "odd", &c->rank);
	is_good = c->is_odd || parse_rank(arg, "slowest", &c->rank);
	if (!is_good) {
		c->rank = 0;
		is_good = syt_number_parse(arg, &c->number);
	}
	if (!is_good || !(c->number || c->rank))
		argp_error(
			state,
			"--%s takes the number of a request, slowest, slowest:K, odd or odd:K, not "
			"'%s'",
			name, arg);
}

static void parse_sort(void *field, const char *name, const char *arg, struct argp_state *state)
{
	unsigned n = syt_word_find(syt_request_sorts, SYT_NR_REQUEST_SORTS, arg);

	if (n == SYT_NR_REQUEST_SORTS)
		argp_error(state,
		           "--%s takes time, cpu, ran, in, out, files, lock, queue, other or odd, "
		           "not '%s'",
		           name, arg);
	else
		*(unsigned *)field = n;
}

/* clang-format off */
#define AT(member_) offsetof(struct options, member_)
static const struct syt_option option_rows[] = {
	{{"show", 0, "N", 0, "print the steps of a request: of the request with the number N, of the slowest or slowest:K (the K-th slowest), or of the odd or odd:K (the K-th oddest)", 0}, AT(show), parse_choice},
	{{"sort", 0, "COLUMN", 0, "sort the list by time, cpu, ran, in, out, files, lock, queue, other or odd, most first (default: time)", 0}, AT(sort), parse_sort},
	{{"against", 0, "MODEL", 0, "print the requests that depart from MODEL, a file that workload --save wrote, oddest first; the exit status is 1 if there are any", 0}, AT(against), syt_parse_text},
	{{"one-in", 0, "N", 0, "a request departs from the model if at most one in N of its requests is as odd (default: 100)", 0}, AT(one_in), syt_parse_limit},
	{{"per", 0, "FUNCTION", 0, "list the calls of FUNCTION in the place of requests", 0}, AT(per), syt_parse_word},
	{{"all", 0, NULL, 0, "also list requests without an end, and requests on connections with missing events", 0}, AT(has_all), syt_parse_true},
	SYT_OPTION_LIMIT(AT(limit), "print at most N requests (default: 10 as text, all in JSON)"),
	SYT_OPTION_END,
};
/* clang-format on */

#define ONE_IN 100u
static const struct options defaults = {.limit = SYT_LIMIT_AUTO, .one_in = ONE_IN};

/* Finds the chosen request. Returns false after a message. */
static bool find_chosen(const struct syt_requests_view *v, const struct choice *c, uint64_t *r)
{
	uint64_t nr, *order = c->is_odd ? syt_odd_order(v->judge, &nr) : syt_requests_order(v, &nr);
	bool is_found = c->number ? c->number <= v->g->requests.nr : c->rank <= nr;

	if (is_found)
		*r = c->number ? c->number - 1 : order[c->rank - 1];
	syt_store_free(order);
	if (!is_found) {
		syt_warn("there is no request %" PRIu64 ": the trace has %" PRIu64 " requests",
		         c->number ? c->number : c->rank, c->number ? v->g->requests.nr : nr);
		return false;
	}
	if (!syt_extents_has(&v->g->extents, *r)) {
		syt_warn("request %" PRIu64
		         " came from a server of the trace, and is a part of another request",
		         *r + 1);
		return false;
	}
	return true;
}

static enum syt_exit print(struct syt_requests_view *v, const struct options *o)
{
	enum syt_exit status = SYT_EXIT_OK;
	uint64_t r;

	if (o->show.number || o->show.rank) {
		if (!find_chosen(v, &o->show, &r))
			return SYT_EXIT_USAGE;
		syt_requests_print_trail(v, r);
		return SYT_EXIT_OK;
	}
	syt_coverage_begin(v->of->out, v->g->order, v->of->is_json);
	if (o->against && !(v->of->is_json && o->has_all))
		status = syt_requests_print_findings(v) ? SYT_EXIT_FINDINGS : SYT_EXIT_OK;
	else if (v->of->is_json)
		syt_requests_print_json(v);
	else
		syt_requests_print_list(v);
	if (o->against && v->of->is_json && o->has_all && syt_requests_nr_findings(v))
		status = SYT_EXIT_FINDINGS;
	syt_coverage_end(v->of->out, v->g->order, v->of->is_json);
	return status;
}

/* Reads the model of --against, or learns one from the trace itself. Returns false after a message. */
static bool open_model(struct syt_workload *model, const struct options *o,
                       const struct syt_population *population)
{
	if (o->against)
		return syt_workload_read(model, o->against);
	syt_workload_learn(model, population);
	return true;
}

/* Returns true if the options ask how odd requests are. */
static bool wants_model(const struct options *o, bool is_json)
{
	return is_json || o->against || o->show.is_odd || o->sort == SYT_REQUEST_BY_ODD;
}

static enum syt_exit run_gathered(struct syt_view *v, const struct options *o,
                                  struct syt_gathered *g)
{
	enum syt_exit status = SYT_EXIT_UNREADABLE;
	struct syt_clusters clusters;
	struct syt_workload model;
	struct syt_odd_judge judge;
	struct syt_requests_view view = {
		.of = v,
		.g = g,
		.clusters = &clusters,
		.is_against = o->against,
		.sort = (enum syt_request_sort)o->sort,
		.limit = syt_limit_of(o->limit, !v->is_json),
		.has_all = o->has_all,
		.function = o->per,
	};

	syt_clusters_open(&clusters, g->population);
	if (!wants_model(o, v->is_json)) {
		status = print(&view, o);
	} else if (open_model(&model, o, g->population)) {
		syt_odd_judge_open(&judge, g, v->symbols, &model, o->one_in);
		view.judge = &judge;
		status = print(&view, o);
		syt_odd_judge_close(&judge);
		syt_workload_close(&model);
	}
	syt_clusters_close(&clusters);
	return status;
}

static enum syt_exit run(struct syt_command *c)
{
	const struct options *o = c->options;
	enum syt_exit status = SYT_EXIT_UNREADABLE;
	struct syt_population population = {0};
	struct syt_gathered g;
	struct syt_order order;
	struct syt_view v;

	if (syt_command_view_open(&v, &order, c, syt_extent_edges))
		return SYT_EXIT_UNREADABLE;
	if (!syt_gather_open(&g, &order, c->symbols, &population, o->per)) {
		if (o->per && !g.requests.nr)
			syt_warn("no call stack of the trace contains the function %s", o->per);
		else
			status = run_gathered(&v, o, &g);
		syt_gather_close(&g);
	}
	syt_population_close(&population);
	syt_command_view_close(&v, &order);
	return status;
}

const struct syt_report syt_report_requests = {
	.name = "requests",
	.summary =
		"the requests from the outside, and the work of all threads and programs for each "
		"of them",
	.doc = "Lists the requests that the servers in the trace received from the outside. The "
	       "decoder follows each request over threads and processes: through messages, queues "
	       "and "
	       "the creation of threads. For each program, the list shows how long threads ran for "
	       "the request, their CPU time, the received and sent bytes, the calls for files, and "
	       "the waits. Requests with similar steps and similar work have the same cluster. "
	       "The option --show prints the steps of one request.",
	.formats = 1u << SYT_FORMAT_TEXT | 1u << SYT_FORMAT_JSONL,
	.options = option_rows,
	.options_bytes = sizeof(struct options),
	.defaults = &defaults,
	.run = run,
	.finding = {.title = "Requests",
                    .section = "requests",
                    .edges = SYT_FINDING_EDGES_BUT_LOCKS,
                    .find = syt_requests_find_page},
};
