/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Writes the listings of the report waits, as tables and as JSON lines. */
#include <stdlib.h>

#include "base/compare.h"
#include "base/err.h"
#include "decoder/report/waits/waits.h"
#include "decoder/show/coverage_print.h"

SYT_COLUMN_WORD(class, struct syt_waits_group,
                syt_waits_classes[syt_waits_reasons[r->reason].class]);
SYT_COLUMN_WORD(reason, struct syt_waits_group, syt_waits_reasons[r->reason].word);
SYT_COLUMN_WORD(kind, struct syt_waits_group, syt_waits_kinds[r->kind].word);
SYT_COLUMN_WORD(charged, struct syt_waits_group,
                r->blame == SYT_NR_BLAMES ? NULL : syt_blame_word(r->blame));
SYT_COLUMN_PERCENT(share, struct syt_waits_group, syt_percent(r->time, r->of_wall));
SYT_COLUMN_WORD(culprit, struct syt_waits_group,
                r->culprit == SYT_NONE && r->blame != SYT_NR_BLAMES
                        ? syt_blame_text(r->blame)
                        : syt_view_path(c->view, r->culprit));
SYT_COLUMN_BOOL(stands_out, struct syt_waits_group,
                syt_waits_stands_out(r, c->view->least_thousandths));

SYT_COLUMN_EACH(by_class, SYT_NR_WAITS_CLASSES, syt_waits_classes[i], SYT_TIME_NS(all[i]));
SYT_COLUMN_EACH(by_reason, SYT_NR_WAITS_REASONS, syt_waits_reasons[i].word, SYT_TIME_NS(all[i]));

static void json_by_kind(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	const struct syt_waits_sums *s = c->row;

	syt_json_begin(j, key, '{');
	for (unsigned i = 0; i < SYT_NR_WAITS_KINDS; i++)
		by_class.json(j, syt_waits_kinds[i].word,
		              &(struct syt_cell){.field = s->by_kind[i]});
	syt_json_end(j);
}

static const struct syt_column_type by_kind = {.json = json_by_kind};

/* In this column, the field is the trace-wide index of a thread. */
SYT_COLUMN_WORD(name, void,
                syt_thread_name(c->view->order->places.threads[*(const uint32_t *)c->field]));

static syt_time sum_of_classes(const syt_time *by)
{
	return by[SYT_WAITS_CLASS_HARMFUL] + by[SYT_WAITS_CLASS_IDLE] +
	       by[SYT_WAITS_CLASS_UNDECIDED];
}

/* In these columns, the row is an array of times by class, and its parent is the kind of wait. */
SYT_COLUMN_WORD(row_kind, void, syt_waits_kinds[*(const unsigned *)c->parent].word);
SYT_COLUMN_PERCENT(kind_share, syt_time,
                   syt_percent(sum_of_classes(r),
                               ((const struct syt_waits *)c->view->report)->all.wall));

/* clang-format off */
#define SUMS(member_)  offsetof(struct syt_waits_sums, member_)
#define GROUP(member_) offsetof(struct syt_waits_group, member_)

#define SUMS_COLUMNS                                                                     \
	{">TIME",         "wall_ns",       &syt_column_time, SUMS(wall)},                 \
	{">ON CPU",       "on_cpu_ns",     &syt_column_time, SUMS(on_cpu)},               \
	{">OFF CPU",      "off_cpu_ns",    &syt_column_time, SUMS(off_cpu)},              \
	{">?NOT MEASURED", "unmeasured_ns", &syt_column_time, SUMS(unmeasured)},          \
	{NULL,            "waits",         &syt_column_u64,  SUMS(nr_waits)},             \
	{NULL,            "waited_ns",     &by_class,        SUMS(by_class)},             \
	{NULL,            SYT_KEY("by_kind_ns", "by_wait_kind_ns"),    &by_kind,         0},                          \
	{NULL,            "by_reason_ns",  &by_reason,       SUMS(by_reason)},            \
	{">HARMFUL",      NULL, &syt_column_time, SUMS(by_class[SYT_WAITS_CLASS_HARMFUL])}, \
	{">IDLE",         NULL, &syt_column_time, SUMS(by_class[SYT_WAITS_CLASS_IDLE])},    \
	{">UNDECIDED",    NULL, &syt_column_time, SUMS(by_class[SYT_WAITS_CLASS_UNDECIDED])}

/* In this listing, the parent of a row is the struct syt_waits. */
static const struct syt_column sums_columns[] = {
	{NULL, "threads", &syt_column_u64, offsetof(struct syt_waits, nr_threads) | SYT_OF_PARENT},
	SUMS_COLUMNS,
};

/* In this listing, the parent of a row is the trace-wide index of the thread. */
static const struct syt_column thread_columns[] = {
	{">THREAD", "thread", &syt_column_thread, SYT_OF_PARENT},
	{NULL,      "pid",    &syt_column_pid,    SYT_OF_PARENT},
	{">?TID",   "tid",    &syt_column_tid,    SYT_OF_PARENT},
	{"NAME",    SYT_KEY("name", "thread_name"),   &name,              SYT_OF_PARENT},
	SUMS_COLUMNS,
};

/* Columns of the waits at one call path (paths), and of groups with a cause. Text shows groups only. */
#define GROUP_COLUMNS                                                           \
	{"CLASS",     SYT_KEY("class", "wait_class"),   &class,             0},                         \
	{"WHY",       "reason",  &reason,            0},                         \
	{"FOR",       SYT_KEY("kind", "wait_kind"),    &kind,              0},                         \
	{"WAITED IN", "path",    &syt_column_path,   GROUP(waiter)},             \
	{">?THREADS", "threads", &syt_column_u32,    GROUP(nr_threads)},         \
	{">WAITS",    "waits",   &syt_column_u64,    GROUP(nr)},                 \
	{">WAITED",   "wait_ns", &syt_column_time,   GROUP(time)},               \
	{">SHARE",    NULL,      &share,             0},                         \
	{NULL,        "of_ns",   &syt_column_time,   GROUP(of_wall)},            \
	{">?MOST IN", "thread",  &syt_column_thread, GROUP(thread)},             \
	{NULL,        "max_ns",  &syt_column_time,   GROUP(most)},               \
	{NULL,        SYT_KEY("wait", "wait_event"),    &syt_column_place,  GROUP(at)},                 \
	{NULL,        "object",  &syt_column_object_if, GROUP(object)},          \
	{NULL,        "several_objects", &syt_column_bool, GROUP(has_others)}

static const struct syt_column path_columns[] = {
	GROUP_COLUMNS,
	{NULL, "stands_out", &stands_out,       0},
	{NULL, "stack",      &syt_column_stack, GROUP(at)},
};

static const struct syt_column group_columns[] = {
	GROUP_COLUMNS,
	{NULL, SYT_KEY("cpu", "cpu_use"),        &syt_column_cpu_use, GROUP(cpu)},
	{"ENDED OR HELD BY", "ended_by",      &syt_column_path,  GROUP(ender)},
	{NULL,               "charged",       &charged,          0},
	{NULL,               "culprit",       &syt_column_path,  GROUP(culprit)},
	{"CAUSED BY",        NULL,            &culprit,          0},
	{NULL,               "culprit_event", &syt_column_place, GROUP(by)},
	{NULL,               "stack",         &syt_column_stack, GROUP(at)},
	{NULL,               "culprit_stack", &syt_column_stack, GROUP(by)},
};

static const struct syt_column kind_columns[] = {
	{"FOR",        NULL, &row_kind,        0},
	{">HARMFUL",   NULL, &syt_column_time, SYT_WAITS_CLASS_HARMFUL * sizeof(syt_time)},
	{">IDLE",      NULL, &syt_column_time, SYT_WAITS_CLASS_IDLE * sizeof(syt_time)},
	{">UNDECIDED", NULL, &syt_column_time, SYT_WAITS_CLASS_UNDECIDED * sizeof(syt_time)},
	{">SHARE",     NULL, &kind_share,      0},
};
/* clang-format on */

static const struct syt_listing sums = SYT_LISTING("waits", sums_columns);
static const struct syt_listing of_threads = SYT_LISTING("thread", thread_columns);
static const struct syt_listing paths = SYT_LISTING("path", path_columns);
static const struct syt_listing groups = SYT_LISTING("wait", group_columns);
static const struct syt_listing kinds = SYT_LISTING(NULL, kind_columns);

static void list_kinds(const struct syt_view *v, const struct syt_waits *w)
{
	struct syt_listing_writer l;

	syt_listing_begin(&l, &kinds, v);
	for (unsigned i = 0; i < SYT_NR_WAITS_KINDS; i++)
		if (sum_of_classes(w->all.by_kind[i]))
			syt_listing_row(&l, w->all.by_kind[i], &i);
	syt_listing_end(&l);
}

/* Lists the NR threads whose trace-wide indices are in NUMBERS, in this order. */
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
	syt_finding_begin_report(v, syt_waits_headline, syt_waits_findings);
	if (v->is_json) {
		syt_listing_one(&sums, v, &w->all, w);
		list_threads(v, w, numbers, nr);
		syt_listing_all(&paths, v, w->paths, w->nr_paths, sizeof(*w->paths), NULL);
	}
	syt_listing_all(&groups, v, w->groups, w->nr_groups, sizeof(*w->groups), NULL);
	if (!v->is_json) {
		syt_out_char(v->out, '\n');
		list_kinds(v, w);
		syt_out_char(v->out, '\n');
		if (nr)
			qsort_r(numbers, nr, sizeof(*numbers), most_harmful_first, w->threads);
		list_threads(v, w, numbers, nr);
	}
	syt_coverage_end(v->out, v->order, v->is_json);
	free(numbers);
}
