/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Writes the listings of the report contention, as tables and as JSON lines. */
#include "decoder/report/contention/contention.h"
#include "decoder/show/coverage_print.h"

SYT_COLUMN_WORD(state, struct syt_contention_lock,
                r->state == SYT_HOLDINGS_FOREIGN     ? "foreign"
                : r->state == SYT_HOLDINGS_PRESHARED ? "preshared"
                                                     : "known");
/* Only the waits of a sampled trace have the last kind. */
SYT_COLUMN_EACH(by_kind, SYT_BLAME_NOT_SAMPLED + !!all[SYT_BLAME_NOT_SAMPLED], syt_blame_word(i),
                SYT_TIME_NS(all[i]));
SYT_COLUMN_BOOL(is_convoy, struct syt_contention_lock, syt_contention_is_convoy(r));
SYT_COLUMN_BOOL(stands_out, struct syt_contention_lock,
                syt_contention_stands_out(r, c->view->least_thousandths));
SYT_COLUMN_BOOL(is_herd, struct syt_contention_herd, syt_contention_is_herd(r));
SYT_COLUMN_WORD(blame_kind, struct syt_contention_blame, syt_blame_word(r->blame.kind));
SYT_COLUMN_PERCENT(share, struct syt_contention_blame,
                   syt_percent(r->blame.time,
                               ((const struct syt_contention_lock *)c->parent)->wait.total));
SYT_COLUMN_WORD(culprit, struct syt_contention_blame,
                r->blame.side == SYT_NONE ? syt_blame_text(r->blame.kind)
                                          : syt_view_path(c->view, r->blame.side));

SYT_COLUMN_PERCENT(across_share, struct syt_contention_across,
                   syt_percent(r->time,
                               ((const struct syt_contention_lock *)c->parent)->hold.total));
SYT_COLUMN_WORD(across_file, struct syt_contention_across, syt_view_file(c->view, r->at));

static void text_indented_path(struct syt_table *t, const struct syt_cell *c)
{
	syt_table_cell(t, "  %s", syt_view_path(c->view, *(const uint32_t *)c->field));
}

static const struct syt_column_type indented_path = {.text = text_indented_path};

/* clang-format off */
#define SUMS(member_)  offsetof(struct syt_contention, member_)
#define LOCK(member_)  offsetof(struct syt_contention_lock, member_)
#define PATH(member_)  offsetof(struct syt_contention_path, member_)
#define BLAME(member_) offsetof(struct syt_contention_blame, member_)
#define ACROSS(member_) offsetof(struct syt_contention_across, member_)
#define HERD(member_)  offsetof(struct syt_contention_herd, member_)

static const struct syt_column sums_columns[] = {
	{NULL, "locks",             &syt_column_size, SUMS(nr_locks)},
	{NULL, "unknown_locks",     &syt_column_u64,  SUMS(nr_unknown_locks)},
	{NULL, "acquired",          &syt_column_u64,  SUMS(nr_acquired)},
	{NULL, "waits",             &syt_column_u64,  SUMS(nr_waits)},
	{NULL, "wait_ns",           &syt_column_time, SUMS(waited)},
	{NULL, "charged_ns",        &by_kind,         SUMS(by_kind)},
	{NULL, "untold",            &syt_column_u64,  SUMS(nr_untold)},
	{NULL, "unended",           &syt_column_u64,  SUMS(nr_unended)},
	{NULL, "ambiguous_wakeups", &syt_column_u64,  SUMS(nr_ambiguous_wakeups)},
	{NULL, "not_looked_at",     &syt_column_u64,  SUMS(nr_others)},
	{NULL, "inferred_locks",    &syt_column_u64,  SUMS(nr_inferred)},
};

static const struct syt_column lock_columns[] = {
	{NULL,        "process",         &syt_column_process,     LOCK(object)},
	{"LOCK",      "object",          &syt_column_object,      LOCK(object)},
	{NULL,        SYT_KEY_1("name"),            &syt_column_object_name, LOCK(object)},
	{">PROCESS",  NULL,              &syt_column_process,     LOCK(object)},
	{NULL,        "holders",         &state,                  0},
	{NULL,        "inferred",        &syt_column_bool,        LOCK(is_inferred)},
	{">THREADS",  "threads",         &syt_column_u32,         LOCK(nr_threads)},
	{NULL,        "waiting_threads", &syt_column_u32,         LOCK(nr_waiters)},
	{">ACQUIRED", "acquired",        &syt_column_u64,         LOCK(nr_acquired)},
	{NULL,        "busy",            &syt_column_u64,         LOCK(nr_busy)},
	{NULL,        "given_up",        &syt_column_u64,         LOCK(nr_given_up)},
	{NULL,        "untold",          &syt_column_u64,         LOCK(nr_untold)},
	{NULL,        "unended",         &syt_column_u64,         LOCK(nr_unended)},
	{">WAITS",    NULL,              &syt_column_u64,         LOCK(wait.nr)},
	SYT_SPREAD_COLUMNS(">WAITED", "wait", LOCK(wait)),
	SYT_SPREAD_COLUMNS(">HELD", "hold", LOCK(hold)),
	{NULL,        "charged_ns",      &by_kind,                LOCK(by_kind)},
	{NULL,        "lifetime_ns",     &syt_column_time,        LOCK(lifetime)},
	{NULL,        "releases",        &syt_column_u64,         LOCK(nr_releases)},
	{NULL,        "queued",          &syt_column_u64,         LOCK(nr_queued)},
	{NULL,        "crowded",         &syt_column_u64,         LOCK(nr_crowded)},
	{NULL,        "convoy",          &is_convoy,              0},
	{NULL,        "stands_out",      &stands_out,             0},
};

/* In these listings, the parent of a row is the lock. */
static const struct syt_column path_columns[] = {
	{NULL,            "process",  &syt_column_process,     LOCK(object) | SYT_OF_PARENT},
	{NULL,            "object",   &syt_column_object,      LOCK(object) | SYT_OF_PARENT},
	{NULL,            SYT_KEY_1("name"),     &syt_column_object_name, LOCK(object) | SYT_OF_PARENT},
	{NULL,            "path",     &syt_column_path,        PATH(side)},
	{"  ACQUIRED BY", NULL,       &indented_path,          PATH(side)},
	{">ACQUIRED",     "acquired", &syt_column_u64,         PATH(nr_acquired)},
	{">WAITS",        NULL,       &syt_column_u64,         PATH(wait.nr)},
	SYT_SPREAD_COLUMNS(">WAITED", "wait", PATH(wait)),
	SYT_SPREAD_COLUMNS(">HELD", "hold", PATH(hold)),
	{NULL,            "example",  &syt_column_place,       PATH(at)},
	{NULL,            "stack",    &syt_column_stack,       PATH(at)},
};

static const struct syt_column blame_columns[] = {
	{NULL,          "process",       &syt_column_process,     LOCK(object) | SYT_OF_PARENT},
	{NULL,          "object",        &syt_column_object,      LOCK(object) | SYT_OF_PARENT},
	{NULL,          SYT_KEY_1("name"),          &syt_column_object_name, LOCK(object) | SYT_OF_PARENT},
	{NULL,          SYT_KEY("kind", "cause"), &blame_kind,             0},
	{NULL,          "passed_on",     &syt_column_bool,        BLAME(blame.is_passed_on)},
	{"  WAITED IN", NULL,            &indented_path,          BLAME(waiter)},
	{">WAITS",      NULL,            &syt_column_u64,         BLAME(nr_waits)},
	{">WAITED",     "wait_ns",       &syt_column_time,        BLAME(blame.time)},
	{NULL,          "waits",         &syt_column_u64,         BLAME(nr_waits)},
	{">SHARE",      NULL,            &share,                  0},
	{">ON CPU",     SYT_KEY("cpu", "cpu_use"),           &syt_column_cpu_use,     BLAME(blame.cpu)},
	{NULL,          "waiter",        &syt_column_path,        BLAME(waiter)},
	{"HELD BY",     "holder",        &syt_column_path,        BLAME(blame.direct)},
	{NULL,          "culprit",       &syt_column_path,        BLAME(blame.side)},
	{"CAUSED BY",   NULL,            &culprit,                0},
	{NULL,          "through",       &syt_column_object,      BLAME(blame.object)},
	{NULL,          SYT_KEY("wait", "wait_event"), &syt_column_place,       BLAME(wait)},
	{NULL,          "culprit_event", &syt_column_place,       BLAME(blame.at)},
	{NULL,          "waiter_stack",  &syt_column_stack,       BLAME(wait)},
	{NULL,          "culprit_stack", &syt_column_stack,       BLAME(blame.at)},
};

static const struct syt_column across_columns[] = {
	{NULL,          "process",    &syt_column_process,     LOCK(object) | SYT_OF_PARENT},
	{NULL,          "object",     &syt_column_object,      LOCK(object) | SYT_OF_PARENT},
	{"  HELD ACROSS", NULL,       &indented_path,          ACROSS(side)},
	{NULL,          SYT_KEY("call", "call_path"),       &syt_column_path,        ACROSS(side)},
	{">TIMES",      "calls",      &syt_column_u64,         ACROSS(nr)},
	{">TIME",       "ns",         &syt_column_time,        ACROSS(time)},
	{">OF HELD",    NULL,         &across_share,           0},
	{">LONGEST",    "max_ns",     &syt_column_time,        ACROSS(most)},
	{"FILE",        SYT_KEY("file", "file_path"),       &across_file,            0},
	{"TAKEN BY",    "holder",     &syt_column_path,        ACROSS(holder)},
	{NULL,          "example",    &syt_column_place,       ACROSS(at)},
	{NULL,          "stack",      &syt_column_stack,       ACROSS(at)},
};

static const struct syt_column herd_columns[] = {
	{NULL,        "process",    &syt_column_process,     HERD(object)},
	{"BROADCAST", "object",     &syt_column_object,      HERD(object)},
	{NULL,        SYT_KEY_1("name"),       &syt_column_object_name, HERD(object)},
	{NULL,        "path",       &syt_column_path,        HERD(side)},
	{">TIMES",    "broadcasts", &syt_column_u64,         HERD(nr_broadcasts)},
	{">WOKEN",    "woken",      &syt_column_u64,         HERD(nr_woken)},
	{">IN VAIN",  "in_vain",    &syt_column_u64,         HERD(nr_in_vain)},
	{">MOST",     "most",       &syt_column_u64,         HERD(most)},
	{"BY",        NULL,         &syt_column_path,        HERD(side)},
	{NULL,        "stands_out", &is_herd,                0},
	{NULL,        "example",    &syt_column_place,       HERD(at)},
	{NULL,        "stack",      &syt_column_stack,       HERD(at)},
};
/* clang-format on */

static const struct syt_listing sums = SYT_LISTING("contention", sums_columns);
static const struct syt_listing locks = SYT_LISTING("lock", lock_columns);
static const struct syt_listing paths = SYT_LISTING("path", path_columns);
static const struct syt_listing blames = SYT_LISTING("blame", blame_columns);
static const struct syt_listing across = SYT_LISTING("held_across", across_columns);
static const struct syt_listing herds = SYT_LISTING("herd", herd_columns);

static void list_herds(const struct syt_view *v, const struct syt_contention *c)
{
	struct syt_listing_writer w;

	syt_listing_begin(&w, &herds, v);
	for (size_t i = 0; i < c->nr_herds; i++)
		if (syt_view_shows(v, c->herds[i].object) &&
		    !syt_listing_row(&w, &c->herds[i], NULL))
			break;
	syt_listing_end(&w);
}

static void list_details(const struct syt_view *v, const struct syt_contention_lock *l)
{
	syt_listing_all(&paths, v, l->paths, l->nr_paths, sizeof(*l->paths), l);
	syt_listing_all(&blames, v, l->blames, l->nr_blames, sizeof(*l->blames), l);
	syt_listing_all(&across, v, l->across, l->nr_across, sizeof(*l->across), l);
}

/* Lists the locks. In JSON, the lines of a lock's call paths and causes follow the line of the lock. */
static void list_locks(const struct syt_view *v, const struct syt_contention *c)
{
	struct syt_listing_writer w;
	bool has_more = true;

	syt_listing_begin(&w, &locks, v);
	for (size_t i = 0; i < c->nr_locks && has_more; i++) {
		if (!syt_view_shows(v, c->locks[i].object))
			continue;
		has_more = syt_listing_row(&w, &c->locks[i], NULL);
		if (v->is_json)
			list_details(v, &c->locks[i]);
	}
	syt_listing_end(&w);
}

/* Prints the tables of each lock that threads waited for, or that the user chose. */
static void put_details(const struct syt_view *v, const struct syt_contention *c)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < c->nr_locks && (!v->limit || nr < v->limit); i++) {
		const struct syt_contention_lock *l = &c->locks[i];

		if (!syt_view_shows(v, l->object))
			continue;
		nr++;
		if (!l->wait.nr && !l->nr_across && !v->object)
			continue;
		syt_out_char(v->out, '\n');
		syt_contention_put_lock(v->out, v, l);
		syt_out_char(v->out, '\n');
		list_details(v, l);
	}
}

void syt_contention_list(const struct syt_view *v)
{
	const struct syt_contention *c = v->report;

	syt_finding_begin_report(v, syt_contention_headline, syt_contention_findings);
	if (v->is_json)
		syt_listing_one(&sums, v, c, NULL);
	list_locks(v, c);
	list_herds(v, c);
	if (!v->is_json)
		put_details(v, c);
	syt_coverage_end(v->out, v->order, v->is_json);
}
