/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The command tasks lists the leaf tasks: the work of each thread between two synchronization points. */
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/sort.h"
#include "decoder/command/command.h"
#include "decoder/order/task.h"
#include "decoder/order/task_sum.h"
#include "decoder/read/number.h"
#include "decoder/show/print.h"

struct options {
	struct syt_moment from, to;
	uint64_t limit;
	struct syt_option_number pid;
	const char *label; /* text that the label of each listed task contains; NULL: any label */
	bool has_summary;
};

/* clang-format off */
#define AT(member_) offsetof(struct options, member_)
static const struct syt_option option_rows[] = {
	{{"from", 0, "TIME", 0, "print only tasks that begin at this time or later: in seconds as printed, in ns as in JSON, or +TIME after the begin of the trace", 0},
	 AT(from), syt_parse_moment},
	{{"to", 0, "TIME", 0, "print only tasks that begin before this time", 0}, AT(to), syt_parse_moment},
	SYT_OPTION_PID(AT(pid), "print only tasks of the process with this pid"),
	{{"label", 0, "TEXT", 0, "print only tasks with TEXT in their label, the names of the calls at which a task begins and ends", 0}, AT(label), syt_parse_text},
	SYT_OPTION_LIMIT(AT(limit), "print at most N tasks; with --summary, at most N lines"),
	{{"summary", 0, NULL, 0, "print one line for all tasks that begin and end at the same calls, with their number and durations", 0}, AT(has_summary), syt_parse_true},
	SYT_OPTION_END,
};
/* clang-format on */

struct job {
	struct syt_command *c;
	const struct options *o;
	struct syt_labels *labels;
	struct syt_tasks tasks;
	syt_time from, to;
};

static bool has_text(const struct job *j, uint32_t label)
{
	const char *end = syt_label_end(j->labels, label);

	return strstr(syt_label_begin(j->labels, label), j->o->label) ||
	       (end && strstr(end, j->o->label));
}

static bool keeps(const struct job *j, const struct syt_task *t)
{
	syt_time begin = syt_task_begin(&j->tasks, t);

	return begin >= j->from && begin < j->to &&
	       (!j->o->pid.is_given ||
	        j->tasks.places->threads[t->thread]->image->file.pid == j->o->pid.value) &&
	       (!j->o->label || has_text(j, t->label));
}

/* Prints one line, not a row of a table, because there may be millions of tasks. */
static void print_text(const struct job *j, const struct syt_task *t)
{
	const struct syt_thread *thread = j->tasks.places->threads[t->thread];
	struct syt_out *out = j->c->out;
	uint64_t cpu = syt_task_cpu(&j->tasks, t);

	syt_print_seconds(out, SYT_TIME_NS(syt_task_begin(&j->tasks, t)));
	syt_out_char(out, ' ');
	syt_print_id(out, thread, t->begin);
	syt_out_string(out, "..");
	syt_print_id(out, thread, t->end);
	syt_out_string(out, " took ");
	syt_print_span(out, SYT_TIME_NS(syt_task_span(&j->tasks, t)));
	if (cpu != SYT_CPU_UNKNOWN) {
		syt_out_string(out, " (CPU ");
		syt_print_span(out, cpu);
		syt_out_char(out, ')');
	}
	syt_out_string(out, "  ");
	syt_print_colored(out, SYT_COLOR_CYAN,
	                  syt_label_short(syt_label_own_begin(j->labels, t->label), 2));
	syt_out_string(out, " -> ");
	syt_print_colored(out, SYT_COLOR_CYAN,
	                  syt_label_short(syt_label_own_end(j->labels, t->label), 2));
	syt_out_char(out, '\n');
}

static void print_json(const struct job *job, const struct syt_task *t)
{
	const struct syt_thread *thread = job->tasks.places->threads[t->thread];
	struct syt_json j = {.out = job->c->out};
	uint64_t cpu = syt_task_cpu(&job->tasks, t);

	syt_json_begin_line(&j, "task");
	syt_json_id(&j, "id", thread, t->begin);
	syt_json_u64(&j, "pid", thread->image->file.pid);
	syt_json_u64(&j, "tid", thread->tid);
	syt_json_id(&j, "begin", thread, t->begin);
	syt_json_id(&j, "end", thread, t->end);
	syt_json_time(&j, "ts", SYT_TIME_NS(syt_task_begin(&job->tasks, t)));
	syt_json_u64(&j, "dur", SYT_TIME_NS(syt_task_span(&job->tasks, t)));
	if (cpu == SYT_CPU_UNKNOWN)
		syt_json_null(&j, "cpu");
	else
		syt_json_u64(&j, "cpu", cpu);
	syt_column_label.json(&j, "label",
	                      &(struct syt_cell){.view = &(struct syt_view){.labels = job->labels},
	                                         .field = &t->label});
	syt_json_end_line(&j);
}

struct sum {
	uint32_t label;
	uint64_t nr, total_ns, max_ns;
};

static int longest_first(const void *a_, const void *b_)
{
	const struct sum *a = a_, *b = b_;

	SYT_ORDER(b->total_ns, a->total_ns);
	SYT_ORDER_BY(label);
	return 0;
}

/* clang-format off */
#define SUM(member_) offsetof(struct sum, member_)
static const struct syt_column sum_columns[] = {
	{NULL,           "label", &syt_column_label,       SUM(label)},
	{">TASKS",       "tasks", &syt_column_u64,         SUM(nr)},
	{">TOTAL",       "total", &syt_column_ns,          SUM(total_ns)},
	{">LONGEST",     "max",   &syt_column_ns,          SUM(max_ns)},
	{"BEGINS AFTER", NULL,    &syt_column_label_begin, SUM(label)},
	{"ENDS AT",      NULL,    &syt_column_label_end,   SUM(label)},
};
/* clang-format on */

static const struct syt_listing sums = SYT_LISTING("label", sum_columns);

/* Sums the tasks by label (the call paths where they begin and end). Several call stacks may have one label. */
static struct sum *sum_labels(const struct job *j, uint64_t *nr)
{
	const struct syt_task_filter filter = {j->from, j->to, j->o->pid.is_given, j->o->pid.value};
	size_t nr_tasks;
	struct syt_task_sum *tasks = syt_task_sums(j->tasks.places, &filter, &nr_tasks);
	struct sum *all = syt_calloc(nr_tasks, sizeof(*all)); /* sums of tasks with equal labels */

	for (size_t i = 0; i < nr_tasks; i++) {
		const struct syt_task_sum *t = &tasks[i];
		uint32_t label = syt_label_between(j->labels, t->image, t->begin, t->end);

		all[label].label = label;
		all[label].nr += t->nr;
		all[label].total_ns += t->total_ns;
		if (t->max_ns > all[label].max_ns)
			all[label].max_ns = t->max_ns;
	}
	free(tasks);
	*nr = 0;
	for (uint32_t i = 0; i < syt_labels_nr(j->labels); i++)
		if (!j->o->label || has_text(j, i))
			all[(*nr)++] = all[i];
	return all;
}

/* Returns the number of all tasks of the trace. */
static uint64_t nr_of_all(const struct job *j)
{
	const struct syt_task_filter filter = {.to = UINT64_MAX};
	uint64_t nr = 0;
	size_t nr_sums;
	struct syt_task_sum *sums_of_all = syt_task_sums(j->tasks.places, &filter, &nr_sums);

	for (size_t i = 0; i < nr_sums; i++)
		nr += sums_of_all[i].nr;
	free(sums_of_all);
	return nr;
}

static void summarize(const struct job *j)
{
	uint64_t nr;
	struct sum *all = sum_labels(j, &nr);

	if (nr)
		qsort(all, nr, sizeof(*all), longest_first);
	else if (j->c->format == SYT_FORMAT_TEXT)
		syt_print_no_match(j->c->out, j->c->trace, "leaf task", nr_of_all(j));
	syt_listing_all(&sums,
	                &(struct syt_view){.out = j->c->out,
	                                   .labels = j->labels,
	                                   .limit = j->o->limit,
	                                   .is_json = j->c->format == SYT_FORMAT_JSONL},
	                all, nr, sizeof(*all), NULL);
	free(all);
}

struct keyed {
	syt_time begin;
	uint64_t task;
};

static int by_begin(const void *a_, const void *b_)
{
	const struct keyed *a = a_, *b = b_;

	SYT_ORDER_BY(begin);
	SYT_ORDER_BY(task);
	return 0;
}

static void list(const struct job *j)
{
	struct keyed *kept = syt_store_alloc(j->tasks.nr, sizeof(*kept));
	uint64_t nr = 0;

	SYT_EACH(i, 0, j->tasks.nr)
		if (keeps(j, &j->tasks.all[i]))
			kept[nr++] = (struct keyed){syt_task_begin(&j->tasks, &j->tasks.all[i]), i};
	if (!nr && j->c->format == SYT_FORMAT_TEXT)
		syt_print_no_match(j->c->out, j->c->trace, "leaf task", j->tasks.nr);
	syt_sort(kept, nr, sizeof(*kept), by_begin);
	if (j->o->limit && nr > j->o->limit)
		nr = j->o->limit;
	SYT_EACH_FAR(i, 0, nr) {
		if (j->c->out->is_closed)
			break;
		if (j->c->format == SYT_FORMAT_JSONL)
			print_json(j, &j->tasks.all[kept[i].task]);
		else
			print_text(j, &j->tasks.all[kept[i].task]);
	}
	syt_store_free(kept);
}

static bool is_sparse(const void *options)
{
	return ((const struct options *)options)->has_summary;
}

static enum syt_exit run(struct syt_command *c)
{
	struct job j = {.c = c, .o = c->options};
	struct syt_places places;

	if (syt_places_open(&places, c->trace)) {
		syt_warn("a thread has more than 4294967294 events: the report cannot number them");
		return SYT_EXIT_UNREADABLE;
	}
	j.labels = syt_labels_create(&places, c->symbols, 0);
	j.from = syt_moment_time(&j.o->from, c->trace, 0);
	j.to = syt_moment_time(&j.o->to, c->trace, UINT64_MAX);
	j.tasks.places = &places;
	if (j.o->has_summary) {
		summarize(&j);
	} else {
		syt_tasks_open(&j.tasks, &places, j.labels);
		list(&j);
		syt_tasks_close(&j.tasks);
	}
	syt_labels_destroy(j.labels);
	syt_places_close(&places);
	return SYT_EXIT_OK;
}

const struct syt_report syt_report_tasks = {
	.name = "tasks",
	.summary = "the leaf tasks: the work of each thread between two consecutive "
		   "synchronization events",
	.doc = "Prints the leaf tasks in the order of time. A leaf task is the work of one thread "
	       "between two consecutive synchronization events, for example from a "
	       "pthread_mutex_lock to the pthread_mutex_unlock. Waits are not part of a task.",
	.formats = 1u << SYT_FORMAT_TEXT | 1u << SYT_FORMAT_JSONL,
	.options = option_rows,
	.options_bytes = sizeof(struct options),
	.is_sparse = is_sparse,
	.run = run,
};
