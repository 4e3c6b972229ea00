/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The listings of the report waits, as tables and as JSON lines. */
#include <stdlib.h>

#include "base/compare.h"
#include "base/err.h"
#include "decoder/report/waits/view.h"
#include "decoder/show/coverage_print.h"

/* ---- types of columns: a row is a struct syt_waits_group ---- */

static const struct syt_waits_group *group_of(const struct syt_cell *c)
{
	return c->row;
}

static const char *word_class(const struct syt_cell *c)
{
	return syt_waits_class_word(syt_waits_class((enum syt_waits_reason)group_of(c)->reason));
}

static const char *word_reason(const struct syt_cell *c)
{
	return syt_waits_reason_word((enum syt_waits_reason)group_of(c)->reason);
}

static const char *word_kind(const struct syt_cell *c)
{
	return syt_waits_kind_word((enum syt_waits_kind)group_of(c)->kind);
}

static const char *word_charged(const struct syt_cell *c)
{
	unsigned blame = group_of(c)->blame;

	return blame == SYT_NR_BLAMES ? NULL : syt_blame_word((enum syt_blame_kind)blame);
}

static void text_share(struct syt_table *t, const struct syt_cell *c)
{
	syt_table_cell(t, "%.1f %%", syt_percent(group_of(c)->time, group_of(c)->of_wall));
}

static void text_culprit(struct syt_table *t, const struct syt_cell *c)
{
	const struct syt_waits_group *g = group_of(c);
	bool is_word = g->culprit == SYT_NONE && g->blame != SYT_NR_BLAMES;

	syt_table_cell(t, "%s",
	               is_word ? syt_blame_text((enum syt_blame_kind)g->blame)
	                       : syt_view_path(c->view, g->culprit));
}

static void json_stands_out(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	syt_json_bool(j, key, syt_waits_stands_out(c->row, c->view->least_thousandths));
}

static const struct syt_column_type class = {.word = word_class};
static const struct syt_column_type reason = {.word = word_reason};
static const struct syt_column_type kind = {.word = word_kind};
static const struct syt_column_type charged = {.word = word_charged};
static const struct syt_column_type share = {.text = text_share};
static const struct syt_column_type culprit = {.text = text_culprit};
static const struct syt_column_type stands_out = {.json = json_stands_out};

/* ---- types of columns: a row is a struct syt_waits_sums ---- */

static void put_classes(struct syt_json *j, const char *key, const syt_time *by)
{
	syt_json_begin(j, key, '{');
	for (unsigned c = 0; c < SYT_NR_WAITS_CLASSES; c++)
		syt_json_u64(j, syt_waits_class_word((enum syt_waits_class)c), SYT_TIME_NS(by[c]));
	syt_json_end(j);
}

static void json_by_class(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	put_classes(j, key, c->field);
}

static void json_by_kind(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	const struct syt_waits_sums *s = c->row;

	syt_json_begin(j, key, '{');
	for (unsigned i = 0; i < SYT_NR_WAITS_KINDS; i++)
		put_classes(j, syt_waits_kind_word((enum syt_waits_kind)i), s->by_kind[i]);
	syt_json_end(j);
}

static void json_by_reason(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	const syt_time *by = c->field;

	syt_json_begin(j, key, '{');
	for (unsigned i = 0; i < SYT_NR_WAITS_REASONS; i++)
		syt_json_u64(j, syt_waits_reason_word((enum syt_waits_reason)i),
		             SYT_TIME_NS(by[i]));
	syt_json_end(j);
}

static uint64_t number_threads(const struct syt_cell *c)
{
	const struct syt_waits *w = c->view->report;
	uint64_t nr = 0;

	for (uint32_t i = 0; i < w->order->places.nr_threads; i++)
		nr += w->threads[i].wall != 0;
	return nr;
}

/* Returns the thread of a row.  The parent of the row is the trace-wide number of the thread. */
static const struct syt_thread *thread_of(const struct syt_cell *c)
{
	return c->view->order->places.threads[*(const uint32_t *)c->parent];
}

static uint64_t number_pid(const struct syt_cell *c)
{
	return thread_of(c)->image->file.pid;
}

static uint64_t number_tid(const struct syt_cell *c)
{
	return thread_of(c)->tid;
}

static const char *word_name(const struct syt_cell *c)
{
	return thread_of(c)->name;
}

static const struct syt_column_type by_class = {.json = json_by_class};
static const struct syt_column_type by_kind = {.json = json_by_kind};
static const struct syt_column_type by_reason = {.json = json_by_reason};
static const struct syt_column_type threads = {.number = number_threads};
static const struct syt_column_type pid = {.number = number_pid};
static const struct syt_column_type tid = {.number = number_tid};
static const struct syt_column_type name = {.word = word_name};

/* ---- types of columns: a row is a kind, an unsigned ---- */

static const syt_time *classes_of(const struct syt_cell *c)
{
	const struct syt_waits *w = c->view->report;

	return w->all.by_kind[*(const unsigned *)c->row];
}

static const char *word_row_kind(const struct syt_cell *c)
{
	return syt_waits_kind_word((enum syt_waits_kind) * (const unsigned *)c->row);
}

static uint64_t ns_harmful(const struct syt_cell *c)
{
	return SYT_TIME_NS(classes_of(c)[SYT_WAITS_CLASS_HARMFUL]);
}

static uint64_t ns_idle(const struct syt_cell *c)
{
	return SYT_TIME_NS(classes_of(c)[SYT_WAITS_CLASS_IDLE]);
}

static uint64_t ns_undecided(const struct syt_cell *c)
{
	return SYT_TIME_NS(classes_of(c)[SYT_WAITS_CLASS_UNDECIDED]);
}

static syt_time sum_of_classes(const syt_time *by)
{
	return by[SYT_WAITS_CLASS_HARMFUL] + by[SYT_WAITS_CLASS_IDLE] +
	       by[SYT_WAITS_CLASS_UNDECIDED];
}

static void text_kind_share(struct syt_table *t, const struct syt_cell *c)
{
	const struct syt_waits *w = c->view->report;

	syt_table_cell(t, "%.1f %%", syt_percent(sum_of_classes(classes_of(c)), w->all.wall));
}

static const struct syt_column_type row_kind = {.word = word_row_kind};
static const struct syt_column_type harmful = {.ns = ns_harmful};
static const struct syt_column_type idle = {.ns = ns_idle};
static const struct syt_column_type undecided = {.ns = ns_undecided};
static const struct syt_column_type kind_share = {.text = text_kind_share};

/* ---- listings ---- */

/* clang-format off */
#define SUMS(member_)  offsetof(struct syt_waits_sums, member_)
#define GROUP(member_) offsetof(struct syt_waits_group, member_)

#define SUMS_COLUMNS                                                                     \
	{">TIME",         "wall_ns",       &syt_column_time, SUMS(wall)},                 \
	{">ON CPU",       "on_cpu_ns",     &syt_column_time, SUMS(on_cpu)},               \
	{">OFF CPU",      "off_cpu_ns",    &syt_column_time, SUMS(off_cpu)},              \
	{">NOT MEASURED", "unmeasured_ns", &syt_column_time, SUMS(unmeasured)},           \
	{NULL,            "waits",         &syt_column_u64,  SUMS(nr_waits)},             \
	{NULL,            "waited_ns",     &by_class,        SUMS(by_class)},             \
	{NULL,            "by_kind_ns",    &by_kind,         0},                          \
	{NULL,            "by_reason_ns",  &by_reason,       SUMS(by_reason)},            \
	{">HARMFUL",      NULL, &syt_column_time, SUMS(by_class[SYT_WAITS_CLASS_HARMFUL])}, \
	{">IDLE",         NULL, &syt_column_time, SUMS(by_class[SYT_WAITS_CLASS_IDLE])},    \
	{">UNDECIDED",    NULL, &syt_column_time, SUMS(by_class[SYT_WAITS_CLASS_UNDECIDED])}

static const struct syt_column sums_columns[] = {
	{NULL, "threads", &threads, 0},
	SUMS_COLUMNS,
};

/* The parent is the thread's trace-wide number. */
static const struct syt_column thread_columns[] = {
	{">THREAD", "thread", &syt_column_thread, SYT_OF_PARENT},
	{NULL,      "pid",    &pid,               0},
	{">TID",    "tid",    &tid,               0},
	{"NAME",    "name",   &name,              0},
	SUMS_COLUMNS,
};

/* Columns of paths and of groups.  Text shows groups only. */
#define GROUP_COLUMNS                                                           \
	{"CLASS",     "class",   &class,             0},                         \
	{"WHY",       "reason",  &reason,            0},                         \
	{"FOR",       "kind",    &kind,              0},                         \
	{"WAITED IN", "path",    &syt_column_path,   GROUP(waiter)},             \
	{">THREADS",  "threads", &syt_column_u32,    GROUP(nr_threads)},         \
	{">WAITS",    "waits",   &syt_column_u64,    GROUP(nr)},                 \
	{">WAITED",   "wait_ns", &syt_column_time,   GROUP(time)},               \
	{">SHARE",    NULL,      &share,             0},                         \
	{NULL,        "of_ns",   &syt_column_time,   GROUP(of_wall)},            \
	{">MOST IN",  "thread",  &syt_column_thread, GROUP(thread)},             \
	{NULL,        "max_ns",  &syt_column_time,   GROUP(most)},               \
	{NULL,        "wait",    &syt_column_place,  GROUP(at)}

static const struct syt_column path_columns[] = {
	GROUP_COLUMNS,
	{NULL, "stands_out", &stands_out,       0},
	{NULL, "stack",      &syt_column_stack, GROUP(at)},
};

static const struct syt_column group_columns[] = {
	GROUP_COLUMNS,
	{"ENDED OR HELD BY", "ended_by",      &syt_column_path,  GROUP(ender)},
	{NULL,               "charged",       &charged,          0},
	{NULL,               "culprit",       &syt_column_path,  GROUP(culprit)},
	{"CHARGED TO",       NULL,            &culprit,          0},
	{NULL,               "culprit_event", &syt_column_place, GROUP(by)},
	{NULL,               "stack",         &syt_column_stack, GROUP(at)},
	{NULL,               "culprit_stack", &syt_column_stack, GROUP(by)},
};

static const struct syt_column kind_columns[] = {
	{"FOR",        NULL, &row_kind,   0},
	{">HARMFUL",   NULL, &harmful,    0},
	{">IDLE",      NULL, &idle,       0},
	{">UNDECIDED", NULL, &undecided,  0},
	{">SHARE",     NULL, &kind_share, 0},
};
/* clang-format on */

static const struct syt_listing sums = SYT_LISTING("waits", sums_columns);
static const struct syt_listing of_threads = SYT_LISTING("thread", thread_columns);
static const struct syt_listing paths = SYT_LISTING("path", path_columns);
static const struct syt_listing groups = SYT_LISTING("wait", group_columns);
static const struct syt_listing kinds = SYT_LISTING(NULL, kind_columns);

static void list_groups(const struct syt_view *v, const struct syt_waits *w)
{
	syt_listing_all(&groups, v, w->groups, w->nr_groups, sizeof(*w->groups), NULL);
}

static void list_kinds(const struct syt_view *v, const struct syt_waits *w)
{
	struct syt_listing_writer l;

	syt_listing_begin(&l, &kinds, v);
	for (unsigned i = 0; i < SYT_NR_WAITS_KINDS; i++)
		if (sum_of_classes(w->all.by_kind[i]))
			syt_listing_row(&l, &i, NULL);
	syt_listing_end(&l);
}

/* Lists NR threads in the order of NUMBERS. */
static void list_threads(const struct syt_view *v, const struct syt_waits *w,
                         const uint32_t *numbers, uint32_t nr)
{
	struct syt_listing_writer l;

	syt_listing_begin(&l, &of_threads, v);
	for (uint32_t i = 0; i < nr; i++)
		if (w->threads[numbers[i]].wall &&
		    !syt_listing_row(&l, &w->threads[numbers[i]], &numbers[i]))
			break;
	syt_listing_end(&l);
}

static int most_harmful_first(const void *a_, const void *b_, void *threads_)
{
	const struct syt_waits_sums *sums_ = threads_;
	uint32_t x = *(const uint32_t *)a_, y = *(const uint32_t *)b_;
	const struct syt_waits_sums *a = &sums_[x], *b = &sums_[y];

	SYT_ORDER(b->by_class[SYT_WAITS_CLASS_HARMFUL], a->by_class[SYT_WAITS_CLASS_HARMFUL]);
	SYT_ORDER(b->wall, a->wall);
	return x < y ? -1 : x > y;
}

void syt_waits_list(const struct syt_view *v)
{
	const struct syt_waits *w = v->report;
	uint32_t nr = w->order->places.nr_threads;
	uint32_t *numbers = syt_alloc(nr ? nr : 1, sizeof(*numbers));

	for (uint32_t i = 0; i < nr; i++)
		numbers[i] = i;
	if (v->is_json) {
		syt_coverage_json(v->out, w->order);
		syt_listing_one(&sums, v, &w->all, NULL);
		list_threads(v, w, numbers, nr);
		syt_listing_all(&paths, v, w->paths, w->nr_paths, sizeof(*w->paths), NULL);
		list_groups(v, w);
	} else {
		syt_coverage_line(v->out, w->order);
		syt_waits_headline(v->out, v);
		syt_out_char(v->out, '\n');
		syt_waits_findings(v->out, v);
		syt_out_char(v->out, '\n');
		list_groups(v, w);
		syt_out_char(v->out, '\n');
		list_kinds(v, w);
		syt_out_char(v->out, '\n');
		if (nr)
			qsort_r(numbers, nr, sizeof(*numbers), most_harmful_first, w->threads);
		list_threads(v, w, numbers, nr);
	}
	free(numbers);
}
