/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The command sampling: the calls of a trace, and what samplers would keep of it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/command/runs.h"
#include "decoder/command/view.h"
#include "decoder/report/sampling/view.h"
#include "decoder/show/coverage_print.h"
#include "format/sampler_text.h"

struct samplers {
	struct syt_sampler_options *all;
	size_t nr, room;
};

struct tuning {
	bool is_given;
	struct syt_sampler_options options;
	double at_most; /* share of the trace */
};

struct options {
	struct samplers replay;
	struct tuning tune;
	const char *against;
	uint64_t seed, limit;
};

#define SAMPLERS_HELP "a sampler is p:P, bump[:lambda=4,floor=0.01] or bucket[:size=1,rate=1]"

static void parse_replay(void *field, const char *name, const char *arg, struct argp_state *state)
{
	struct samplers *samplers = field;
	const char *end = arg;

	for (bool has_more = true; has_more; end += has_more) {
		struct syt_sampler_options o;
		const char *begin = end;

		end = syt_sampler_parse(&o, begin);
		if (!end) {
			argp_error(state, "--%s takes samplers, not '%s': " SAMPLERS_HELP, name,
			           begin);
			return;
		}
		*SYT_ADD(samplers->all, samplers->nr, samplers->room) = o;
		has_more = *end == ',';
	}
}

/* Parses ",at-most=5%" as a share. Returns false if TEXT has another form. */
static bool parse_at_most(const char *text, double *share)
{
	double percent;
	char *end;

	if (!syt_sampler_word(&text, ",at-most="))
		return false;
	percent = strtod(text, &end);
	*share = percent / 100;
	return end != text && !strcmp(end, "%") && percent > 0 && percent <= 100;
}

static void parse_tune(void *field, const char *name, const char *arg, struct argp_state *state)
{
	struct tuning *t = field;
	const char *end = syt_sampler_parse(&t->options, arg);

	t->at_most = 1;
	t->is_given = end && t->options.kind != SYT_SAMPLER_P &&
	              (!*end || parse_at_most(end, &t->at_most));
	if (!t->is_given)
		argp_error(state,
		           "--%s takes bump or bucket, and a limit like ',at-most=5%%', not '%s'",
		           name, arg);
}

/* clang-format off */
#define AT(member_) offsetof(struct options, member_)
static const struct syt_option option_rows[] = {
	{{"replay", 0, "SAMPLER,...", 0, "print which part of the trace each SAMPLER would keep: p:P, bump[:lambda=4,floor=0.01,at=site,hops=2] or bucket[:size=1,rate=1,at=site,hops=2]", 0}, AT(replay), parse_replay},
	{{"tune", 0, "SAMPLER", 0, "find the parameters of bump or bucket that keep the most information in at most as many events as p:0.1 keeps, or, with SAMPLER,at-most=PERCENT%, in at most this share of the trace", 0}, AT(tune), parse_tune},
	{{"against", 0, "FULL", SYT_OPTION_NOT_OF_PROJECT, "compare the call paths of the trace with those of FULL, the trace of another run", 0}, AT(against), syt_parse_word},
	{{"seed", 0, "N", 0, "begin the random numbers with N; an equal N gives equal results (default: 1)", 0}, AT(seed), syt_parse_limit},
	SYT_OPTION_LIMIT(AT(limit), "print at most N calls and N call paths (default: 10 as text, all in JSON)"),
	SYT_OPTION_END,
};
/* clang-format on */

static const struct options defaults = {.limit = SYT_LIMIT_AUTO, .seed = 1};

static void check(void *options, struct argp_state *state)
{
	const struct options *o = options;

	if (!!o->replay.nr + o->tune.is_given + !!o->against > 1)
		argp_error(state, "use only one of --replay, --tune and --against");
}

static void fini(void *options)
{
	free(((struct options *)options)->replay.all);
}

struct job {
	struct syt_view *v;
	const struct syt_sample_input *in;
};

static bool compare(void *context, const char *path, const struct syt_trace_data *trace,
                    struct syt_symbols *symbols)
{
	const struct job *j = context;
	struct syt_sample_input full;
	struct syt_order order;
	bool is_good;

	(void)path;
	if (syt_order_open_for(&order, trace, (struct syt_edges_wanted){0, 0}))
		return false;
	is_good = !syt_sample_input_open(&full, &order, symbols);
	if (is_good) {
		syt_sampling_print_against(j->v, j->in, &full);
		syt_sample_input_close(&full);
	}
	syt_order_close(&order);
	return is_good;
}

static enum syt_exit tune(const struct job *j, const struct options *o)
{
	struct syt_sample_tuned tuned;

	syt_sample_tune(&tuned, j->in, &o->tune.options, o->tune.at_most, o->seed);
	if (!tuned.is_found) {
		syt_warn("no parameters were found that keep %llu to %llu events",
		         (unsigned long long)tuned.least, (unsigned long long)tuned.most);
		return SYT_EXIT_FINDINGS;
	}
	syt_sampling_print_tuned(j->v, j->in, &tuned, o->seed);
	return SYT_EXIT_OK;
}

static enum syt_exit print(struct syt_command *c, struct job *j)
{
	const struct options *o = c->options;

	if (o->replay.nr)
		syt_sampling_print_replays(j->v, j->in, o->replay.all, o->replay.nr, o->seed);
	else if (o->tune.is_given)
		return tune(j, o);
	else if (!o->against)
		syt_sampling_print_counts(j->v, j->in);
	else if (!syt_runs_each(c, o->against, compare, j))
		return SYT_EXIT_UNREADABLE;
	return SYT_EXIT_OK;
}

static enum syt_exit run(struct syt_command *c)
{
	const struct options *o = c->options;
	const bool needs_edges = o->replay.nr || o->tune.is_given;
	enum syt_exit status = SYT_EXIT_UNREADABLE;
	struct syt_sample_input in;
	struct syt_order order;
	struct syt_view v;

	if (syt_command_view_open(&v, &order, c,
	                          needs_edges ? syt_sample_edges : (struct syt_edges_wanted){0, 0}))
		return SYT_EXIT_UNREADABLE;
	v.limit = syt_limit_of(o->limit, !v.is_json);
	if (!syt_sample_input_open(&in, &order, c->symbols)) {
		syt_coverage_begin(v.out, &order, v.is_json);
		status = print(c, &(struct job){&v, &in});
		syt_coverage_end(v.out, &order, v.is_json);
		syt_sample_input_close(&in);
	}
	syt_command_view_close(&v, &order);
	return status;
}

const struct syt_report syt_report_sampling = {
	.name = "sampling",
	.summary = "the calls of a trace, and which part of it samplers would keep",
	.doc = "Prints the number of calls by intercepted function and by call path. With "
	       "--replay, "
	       "prints how much of the trace samplers would keep, and how much of its "
	       "information: its call paths, turns, kinds of edges and times. With --tune, finds "
	       "the best parameters of a sampler.",
	.formats = 1u << SYT_FORMAT_TEXT | 1u << SYT_FORMAT_JSONL,
	.options = option_rows,
	.options_bytes = sizeof(struct options),
	.defaults = &defaults,
	.check = check,
	.fini = fini,
	.run = run,
};
