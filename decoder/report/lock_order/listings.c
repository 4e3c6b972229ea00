/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Writes the JSON lines of the report lock-order. */
#include "decoder/read/call.h"
#include "decoder/report/lock_order/view.h"
#include "decoder/show/coverage_print.h"
#include "decoder/show/place_json.h"
#include "decoder/show/print.h"

/* ---- nested values ---- */

static void put_object(struct syt_json *j, const struct syt_view *v, const char *key,
                       uint32_t object)
{
	syt_column_object.json(j, key, &(struct syt_cell){.view = v, .field = &object});
}

static void put_thread(struct syt_json *j, const struct syt_view *v, uint32_t thread)
{
	const struct syt_cell c = {.view = v, .field = &thread};

	syt_column_thread.json(j, "thread", &c);
	syt_json_u64(j, "pid", syt_column_pid.number(&c));
	syt_json_u64(j, "tid", syt_column_tid.number(&c));
}

static void put_place(struct syt_json *j, const struct syt_view *v, struct syt_place at)
{
	const struct syt_places *p = &v->order->places;

	syt_json_place(j, "event", p, at);
	syt_json_side(j, "path", v->labels, syt_label_side(v->labels, at));
	syt_json_place_stack(j, "stack", v->symbols, p, at);
}

static void put_acquisition(struct syt_json *j, const struct syt_view *v, const char *key,
                            uint32_t object, bool is_shared, struct syt_place at)
{
	syt_json_begin(j, key, '{');
	put_object(j, v, "object", object);
	syt_json_bool(j, "inferred", syt_lockset_infers(&syt_lock_order_of(v)->locks, object));
	syt_json_bool(j, SYT_KEY("shared", "shared_lock"), is_shared);
	put_place(j, v, at);
	syt_json_end(j);
}

static void put_event(struct syt_json *j, const struct syt_view *v, const char *key,
                      struct syt_place at)
{
	syt_json_begin(j, key, '{');
	put_thread(j, v, at.thread);
	syt_json_string(j, "call", syt_place_call(&v->order->places, at)->name);
	put_place(j, v, at);
	syt_json_end(j);
}

static void put_hops(struct syt_json *j, const struct syt_view *v,
                     const struct syt_lock_order_arc *a, uint32_t instance)
{
	syt_json_begin(j, SYT_KEY("through", "through_edges"), '[');
	for (uint32_t i = 0; i < a->remote->nr; i++) {
		const struct syt_lock_order_hop *hop = &a->remote->instances[instance][i];

		syt_json_begin(j, NULL, '{');
		put_event(j, v, SYT_KEY("waits", "waits_in"), hop->wait);
		put_event(j, v, SYT_KEY("ended_by", "ended_by_event"), hop->send);
		syt_json_end(j);
	}
	syt_json_end(j);
}

static void put_waiting(struct syt_json *j, const struct syt_view *v, const char *key,
                        uint32_t thread)
{
	const struct syt_blocked_call *c =
		syt_blocked_call_of(&syt_lock_order_of(v)->blocked, thread);
	const struct syt_thread *t = v->order->places.threads[thread];

	if (!c)
		return;
	syt_json_begin(j, key, '{');
	syt_json_string(j, "call", t->image->calls[t->waiting.call].name);
	if (c->object != SYT_NONE)
		put_object(j, v, "object", c->object);
	if (c->object2 != SYT_NONE)
		put_object(j, v, "mutex", c->object2);
	if (c->reason == SYT_BLOCKED_JOIN)
		syt_column_thread.json(j, "for", &(struct syt_cell){.view = v, .field = &c->next});
	syt_json_time(j, SYT_KEY("since", "since_ns"), SYT_TIME_NS(c->since));
	syt_json_stack(j, "stack", v->symbols, t->image, t->waiting.stack);
	syt_json_end(j);
}

/* ---- types of columns ---- */

static void json_deadlocked(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	const struct syt_lock_order *l = syt_lock_order_of(c->view);
	const struct syt_blocked_group *g = c->row;

	syt_json_begin(j, key, '[');
	for (uint32_t i = 0; i < g->nr_core; i++) {
		uint32_t thread = l->blocked.calls[g->calls[i]].thread;

		syt_json_begin(j, NULL, '{');
		put_thread(j, c->view, thread);
		put_waiting(j, c->view, SYT_KEY("waits", "waits_in"), thread);
		syt_json_begin(j, "has", '[');
		for (size_t n = 0; n < l->nr_kept; n++)
			if (l->kept[n].thread == thread)
				put_acquisition(j, c->view, NULL, l->kept[n].object,
				                l->kept[n].is_shared, l->kept[n].acquire);
		syt_json_end(j);
		syt_json_end(j);
	}
	syt_json_end(j);
}

SYT_COLUMN_NUMBER(nr_others, struct syt_blocked_group, r->nr - r->nr_core);
SYT_COLUMN_BOOL(is_sure, struct syt_blocked_group, r->state == SYT_BLOCKED_STUCK);
SYT_COLUMN_WORD(verdict, struct syt_lock_order_cycle, syt_verdict_names[r->verdict].word);
SYT_COLUMN_NUMBER(similar, struct syt_lock_order_cycle, r->nr - 1);

static void json_gate(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	if (((const struct syt_lock_order_cycle *)c->row)->verdict == SYT_VERDICT_GATED)
		syt_column_object.json(j, key, c);
}

static void json_arcs(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	const struct syt_lock_order_cycle *cycle = c->row;

	syt_json_begin(j, key, '[');
	for (uint32_t i = 0; i < cycle->length; i++) {
		const struct syt_lock_order_arc *a =
			&syt_lock_order_of(c->view)->arcs[cycle->arcs[i]];
		uint32_t instance = cycle->instances[i];

		syt_json_begin(j, NULL, '{');
		put_thread(j, c->view, a->thread);
		syt_json_u64(j, "times", a->nr);
		put_acquisition(j, c->view, "held", a->from, a->from_is_shared,
		                a->instances[instance].from);
		if (a->remote)
			put_hops(j, c->view, a, instance);
		put_acquisition(j, c->view, "taken", a->to, a->to_is_shared,
		                a->instances[instance].to);
		syt_json_end(j);
	}
	syt_json_end(j);
}

static void json_waits(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	put_waiting(j, c->view, key, *(const uint32_t *)c->field);
}

static void json_held(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	const struct syt_lock_order_kept *k = c->row;

	put_acquisition(j, c->view, key, k->object, k->is_shared, k->acquire);
}

static const struct syt_column_type deadlocked = {.json = json_deadlocked};
static const struct syt_column_type gate = {.json = json_gate};
static const struct syt_column_type arcs = {.json = json_arcs};
static const struct syt_column_type waits = {.json = json_waits};
static const struct syt_column_type held = {.json = json_held};

/* ---- listings ---- */

/* clang-format off */
#define SUMS(member_)     offsetof(struct syt_lock_order, member_)
#define CYCLE(member_)    offsetof(struct syt_lock_order_cycle, member_)
#define KEPT(member_)     offsetof(struct syt_lock_order_kept, member_)

static const struct syt_column sums_columns[] = {
	{NULL, "locks",                 &syt_column_u32,  SUMS(nr_locks)},
	{NULL, SYT_KEY("arcs", "nr_arcs"), &syt_column_size, SUMS(nr_arcs)},
	{NULL, "cycles",                &syt_column_size, SUMS(nr_cycles)},
	{NULL, "deadlocks",             &syt_column_size, SUMS(nr_deadlocks)},
	{NULL, "cut",                   &syt_column_bool, SUMS(is_cut)},
	{NULL, "threads_left_out",      &syt_column_u64,  SUMS(nr_threads_left_out)},
	{NULL, "locks_left_out",        &syt_column_u64,  SUMS(nr_locks_left_out)},
	{NULL, "acquisitions_left_out", &syt_column_u64,  SUMS(nr_deep)},
	{NULL, "not_looked_at",         &syt_column_u64,  SUMS(nr_other_locks)},
	{NULL, "inferred_locks",        &syt_column_u64,  SUMS(locks.nr_inferred)},
	{NULL, "waits",                 &syt_column_u64,  SUMS(nr_waits)},
	{NULL, "waits_left_out",        &syt_column_u64,  SUMS(nr_waits_left_out)},
};

static const struct syt_column deadlock_columns[] = {
	{NULL, "length",  &syt_column_u32, offsetof(struct syt_blocked_group, nr_core)},
	{NULL, "others",  &nr_others,      0},
	{NULL, SYT_KEY("threads", "blocked_threads"), &deadlocked,     0},
	{NULL, "certain", &is_sure,        0},
};

static const struct syt_column cycle_columns[] = {
	{NULL, "verdict", &verdict,        0},
	{NULL, "length",  &syt_column_u32, CYCLE(length)},
	{NULL, "similar", &similar,        0},
	{NULL, "gate",    &gate,           CYCLE(gate)},
	{NULL, SYT_KEY("arcs", "lock_arcs"), &arcs,           0},
};

static const struct syt_column kept_columns[] = {
	{NULL, "thread",                 &syt_column_thread, KEPT(thread)},
	{NULL, "pid",                    &syt_column_pid,    KEPT(thread)},
	{NULL, "tid",                    &syt_column_tid,    KEPT(thread)},
	{NULL, "may_wait_for_condition", &syt_column_bool,   KEPT(has_waited)},
	{NULL, "silence_ns",             &syt_column_time,   KEPT(silence)},
	{NULL, SYT_KEY("waits", "waits_in"), &waits,             KEPT(thread)},
	{NULL, "held",                   &held,              0},
};
/* clang-format on */

static const struct syt_listing sums = SYT_LISTING("lock-order", sums_columns);
static const struct syt_listing deadlocks = SYT_LISTING("deadlock", deadlock_columns);
static const struct syt_listing cycles = SYT_LISTING("cycle", cycle_columns);
static const struct syt_listing kept = SYT_LISTING("kept", kept_columns);

/* Writes all listings of the report lock-order. The limit of rows holds for deadlocks and cycles together. */
void syt_lock_order_json(const struct syt_view *v)
{
	const struct syt_lock_order_report *r = v->report;
	const struct syt_lock_order *l = r->l;
	uint64_t nr = 0;

	syt_coverage_json(v->out, v->order);
	syt_listing_one(&sums, v, l, NULL);
	for (size_t i = 0; i < l->blocked.nr_groups && (!v->limit || nr < v->limit); i++)
		if (l->blocked.groups[i].is_cycle && ++nr)
			syt_listing_one(&deadlocks, v, &l->blocked.groups[i], NULL);
	for (size_t i = 0; i < l->nr_cycles && (!v->limit || nr < v->limit); i++) {
		if (!r->has_all && l->cycles[i].verdict != SYT_VERDICT_POSSIBLE)
			continue;
		nr++;
		syt_listing_one(&cycles, v, &l->cycles[i], NULL);
	}
	syt_listing_all(&kept, v, l->kept, l->nr_kept, sizeof(*l->kept), NULL);
}
