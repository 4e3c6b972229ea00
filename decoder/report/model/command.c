/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The command model: tasks that consist of tasks, mined from the causal graph. */
#include <stdlib.h>
#include <string.h>

#include "decoder/analysis/call_path.h"
#include "decoder/command/view.h"
#include "decoder/model/rename.h"
#include "decoder/model/start.h"
#include "decoder/read/number.h"
#include "decoder/report/model/view.h"
#include "decoder/show/coverage_print.h"

#define MOST_SUGGESTED 5u /* number of names of tasks in the message about an unknown task */

struct options {
	const char *task, *rename;
	uint64_t depth, limit, least;
	bool has_instances, has_expand;
};

static void parse_number(void *field, const char *name, const char *arg, struct argp_state *state)
{
	uint64_t *number = field, value;

	if (!syt_number_parse(arg, &value) || value > UINT32_MAX) {
		argp_error(state, "--%s takes a number, not '%s'", name, arg);
		return;
	}
	*number = value;
}

/* clang-format off */
#define AT(member_) offsetof(struct options, member_)
static const struct syt_option option_rows[] = {
	{{"task", 0, "NAME", 0, "print only the task NAME, and the tasks of which it consists", 0}, AT(task), syt_parse_word},
	{{"depth", 0, "N", 0, "print N layers of parts below each task, as text or as a picture (default: 1 as text, all in a picture)", 0}, AT(depth), parse_number},
	{{"instances", 0, NULL, 0, "print each occurrence of a task, with its leaf tasks in JSON", 0}, AT(has_instances), syt_parse_true},
	{{"expand", 0, NULL, 0, "print all leaf tasks and the order between them, from the model alone", 0}, AT(has_expand), syt_parse_true},
	{{"rename", 0, "FILE", SYT_OPTION_NOT_OF_PROJECT, "give tasks the names in FILE; each of its lines is NAME = NEW NAME", 0}, AT(rename), syt_parse_text},
	{{"least", 0, "N", 0, "a task occurs at least N times (default: 5)", 0}, AT(least), parse_number},
	SYT_OPTION_LIMIT(AT(limit), "print at most N tasks, and N occurrences of each task (default: 6 tasks as text, all in JSON)"),
	SYT_OPTION_END,
};
/* clang-format on */

static const struct options defaults = {
	.depth = SYT_LIMIT_AUTO, .limit = SYT_LIMIT_AUTO, .least = SYT_MODEL_LEAST};

static void check(void *options, struct argp_state *state)
{
	const struct options *o = options;

	if (!o->least)
		argp_error(state, "--least takes a number from 1 on");
	if (o->has_expand && (o->task || o->has_instances))
		argp_error(state,
		           "--expand prints all leaf tasks; leave out --task and --instances");
}

/* Marks the task FIRST, and the tasks of which it consists. */
static void mark(const struct syt_model *m, uint32_t first, bool *is_shown)
{
	uint32_t *stack = syt_alloc(m->nr_tasks, sizeof(*stack));
	size_t nr = 0;

	stack[nr++] = first;
	is_shown[first] = true;
	while (nr) {
		const struct syt_model_task *t = &m->tasks[stack[--nr]];

		for (uint32_t i = t->first_part; i < t->first_part + t->nr_parts; i++) {
			struct syt_model_what what = m->parts[i].what;

			if (!what.is_task || is_shown[what.number])
				continue;
			is_shown[what.number] = true;
			stack[nr++] = what.number;
		}
	}
	free(stack);
}

/* Returns true if the time of TASK passes in, or after, a call whose path contains NAME. */
static bool passes_in(struct syt_model_digest *d, const struct syt_model *m, uint32_t task,
                      const char *name)
{
	const struct syt_model_latency *l = syt_model_digest_latency(d, task);

	for (size_t i = 0; i < l->nr; i++)
		if (strcasestr(syt_call_path_text(m->in->paths, l->costs[i].path), name))
			return true;
	return false;
}

enum likeness { ALIKE_NAME, ALIKE_CALL, ALIKE_ANY, NR_LIKENESSES };

/* Warns that M has no task NAME. Names the tasks with NAME in their names, or else the tasks with a call of this name, or else
 * the first tasks. */
static void complain_task(const struct syt_model *m, const char *name)
{
	static const char *const say[NR_LIKENESSES] = {"it has", "this call is in", "it has"};
	struct syt_model_digest *d = syt_model_digest_create(m);
	const uint32_t *order = syt_model_digest_order(d);
	struct syt_out names;
	uint32_t nr = 0;
	unsigned alike;
	char *text;

	syt_out_open(&names, -1, false);
	for (alike = 0; alike < NR_LIKENESSES; alike++) {
		for (uint32_t i = 0; i < m->nr_tasks && nr < MOST_SUGGESTED; i++) {
			uint32_t t = order[i];

			if ((alike == ALIKE_NAME && !strcasestr(m->tasks[t].name, name)) ||
			    (alike == ALIKE_CALL && !passes_in(d, m, t, name)))
				continue;
			syt_out_string(&names, nr++ ? ", '" : "'");
			syt_out_safe(&names, m->tasks[t].name);
			syt_out_char(&names, '\'');
		}
		if (nr)
			break;
	}
	text = syt_out_take(&names);
	if (nr)
		syt_warn("the model has no task '%s'; %s %s", name, say[alike], text);
	else
		syt_warn("the model has no task; --least=1 also finds tasks that occur once");
	free(text);
	syt_out_close(&names);
	syt_model_digest_destroy(d);
}

static enum syt_exit print(struct syt_command *c, const struct options *o, struct syt_model *m,
                           struct syt_order *order, struct syt_labels *labels)
{
	bool is_json = c->format == SYT_FORMAT_JSONL;
	bool *is_shown = syt_calloc(m->nr_tasks, sizeof(*is_shown));
	bool is_text = c->format == SYT_FORMAT_TEXT && !o->has_expand;
	struct syt_model_view v = {
		.out = c->out,
		.m = m,
		.is_shown = is_shown,
		.task = SYT_NONE,
		.depth = o->depth != SYT_LIMIT_AUTO     ? o->depth
	                 : c->format == SYT_FORMAT_TEXT ? 1
	                                                : SYT_MODEL_DEPTH,
		.limit = is_text && o->limit == SYT_LIMIT_AUTO && !o->task
	                         ? SYT_MODEL_SHOWN
	                         : syt_limit_of(o->limit, !is_json),
		.has_instances = o->has_instances,
		.is_limited = o->limit != SYT_LIMIT_AUTO,
		.is_overview =
			is_text && !o->task && !o->has_instances && o->depth == SYT_LIMIT_AUTO,
	};

	if (o->task) {
		v.task = syt_model_find(m, o->task);
		if (v.task == SYT_NONE) {
			complain_task(m, o->task);
			free(is_shown);
			return SYT_EXIT_USAGE;
		}
		mark(m, v.task, is_shown);
	} else {
		memset(is_shown, true, m->nr_tasks * sizeof(*is_shown));
	}
	if (!is_json && !o->has_expand)
		v.digest = syt_model_digest_create(m);
	if (c->format == SYT_FORMAT_DOT || c->format == SYT_FORMAT_SVG) {
		(c->format == SYT_FORMAT_DOT ? syt_model_dot : syt_model_svg)(&v);
		syt_model_digest_destroy(v.digest);
		free(is_shown);
		return SYT_EXIT_OK;
	}
	syt_coverage_begin(c->out, order, is_json);
	if (o->has_expand)
		syt_model_expand(&v, order, labels, is_json);
	else if (is_json)
		syt_model_json(&v);
	else
		syt_model_text(&v);
	if (v.digest)
		syt_model_digest_destroy(v.digest);
	syt_coverage_end(c->out, order, is_json);
	free(is_shown);
	return SYT_EXIT_OK;
}

static enum syt_exit run(struct syt_command *c)
{
	const struct options *o = c->options;
	struct syt_model_options options = {.least = (uint32_t)o->least};
	enum syt_exit status = SYT_EXIT_UNREADABLE;
	struct syt_model_input in;
	struct syt_model m;
	struct syt_order order;
	struct syt_tasks tasks;
	struct syt_view v;

	if (syt_command_view_open(&v, &order, c, syt_model_edges))
		return SYT_EXIT_UNREADABLE;
	syt_tasks_open(&tasks, &order.places, NULL);
	if (!syt_model_input_open(&in, &order, &tasks, c->symbols)) {
		if (!syt_model_open(&m, &in, &options)) {
			if (!o->rename || syt_model_rename(&m, o->rename))
				status = print(c, o, &m, &order, v.labels);
			syt_model_close(&m);
		}
		syt_model_input_close(&in);
	}
	syt_tasks_close(&tasks);
	syt_command_view_close(&v, &order);
	return status;
}

const struct syt_report syt_report_model = {
	.name = "model",
	.summary = "the work of the program as tasks that consist of tasks, with the resources of "
		   "each task",
	.doc = "Prints a hierarchical model of the work of a program. The smallest tasks are the "
	       "leaf tasks (the work of one thread between two synchronization events). Leaf tasks "
	       "that occur together again and again form a task, tasks form larger tasks. For each "
	       "task, the report prints its latency, the calls in which this time passes, its "
	       "threads, "
	       "its connections and its parts. --task and --depth print more about each task.",
	.formats = 1u << SYT_FORMAT_TEXT | 1u << SYT_FORMAT_JSONL | 1u << SYT_FORMAT_DOT |
                   1u << SYT_FORMAT_SVG,
	.options = option_rows,
	.options_bytes = sizeof(struct options),
	.defaults = &defaults,
	.check = check,
	.run = run,
	.finding = {.begin_page = syt_model_begin_page, .end_page = syt_model_end_page},
};
