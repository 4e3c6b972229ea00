/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The model as JSON lines (doc/json.md). */
#include "base/json.h"
#include "decoder/analysis/call_path.h"
#include "decoder/report/model/view.h"
#include "decoder/show/print.h"

static void put_waits(struct syt_json *j, const char *key, const uint64_t *waited)
{
	syt_json_begin(j, key, '{');
	for (unsigned i = 0; i < SYT_NR_WAITS_KINDS; i++)
		if (waited[i])
			syt_json_u64(j, syt_waits_kinds[i].word, waited[i]);
	syt_json_end(j);
}

static void put_profile(struct syt_json *j, const struct syt_model_profile *p)
{
	syt_json_u64(j, "ran", p->ran);
	if (p->cpu == SYT_CPU_UNKNOWN)
		syt_json_null(j, "cpu");
	else
		syt_json_u64(j, "cpu", p->cpu);
	syt_json_u64(j, SYT_KEY("sent", "bytes_sent"), p->sent);
	syt_json_u64(j, SYT_KEY("received", "bytes_received"), p->received);
	put_waits(j, SYT_KEY("waits", "waits_by_kind"), p->waited);
	put_waits(j, SYT_KEY("own_waits", "own_waits_by_kind"), p->own_waited);
}

static void put_task(struct syt_json *j, const struct syt_model *m, const struct syt_model_task *t)
{
	syt_json_begin_line(j, "task");
	syt_json_string(j, "task", t->name);
	syt_json_u64(j, SYT_KEY("layer", "task_layer"), t->layer);
	syt_json_bool(j, "top", t->is_top);
	syt_json_u64(j, "count", t->count);
	syt_json_u64(j, "top_count", t->nr_top);
	syt_json_u64(j, "leaf_tasks", t->nr_leaf_tasks);
	syt_json_u64(j, "shapes", t->nr_shapes);
	syt_json_u64(j, "threads", t->nr_threads);
	syt_json_string(j, SYT_KEY("root", "root_path"), m->in->labels[t->root].text);
	syt_json_begin(j, "latency", '{');
	syt_json_u64(j, "p50", t->profile.latency_p50);
	syt_json_u64(j, "p99", t->profile.latency_p99);
	syt_json_u64(j, "max", t->profile.latency_max);
	syt_host_error_json(j, SYT_HOST_ERROR_KEY,
	                    syt_model_task_error(m, (uint32_t)(t - m->tasks)));
	syt_json_end(j);
	put_profile(j, &t->profile);
	syt_json_end_line(j);
}

static void put_part(struct syt_json *j, const struct syt_model *m, const struct syt_model_part *p)
{
	syt_json_begin_line(j, "part");
	syt_json_string(j, "task", m->tasks[p->task].name);
	syt_json_string(j, "part", syt_model_part_text(m, p->what));
	syt_json_string(j, "is", p->what.is_task ? "task" : "leaf");
	syt_json_u64(j, "count", p->count);
	syt_json_u64(j, SYT_KEY("least", "least_parts"), p->least);
	syt_json_u64(j, SYT_KEY("most", "most_parts"), p->most);
	syt_json_bool(j, SYT_KEY("root", "is_root"), p->is_root);
	if (p->what.is_task)
		put_waits(j, SYT_KEY("waits", "waits_by_kind"), p->waited);
	syt_json_end_line(j);
}

/* Prints where the latency of TASK goes. */
static void put_costs(struct syt_json *j, const struct syt_model *m,
                      struct syt_model_walker *walker, uint32_t task)
{
	static const char *const kinds[] = {"call", "run", "other_call", "other_run"};
	struct syt_model_latency l;

	syt_model_latency_open(&l, walker, task);
	for (size_t i = 0; i < l.nr; i++) {
		syt_json_begin_line(j, "cost");
		syt_json_string(j, "task", m->tasks[task].name);
		syt_json_string(j, "path", syt_call_path_text(m->in->paths, l.costs[i].path));
		if (l.costs[i].until != SYT_NONE)
			syt_json_string(j, "until",
			                syt_call_path_text(m->in->paths, l.costs[i].until));
		syt_json_string(j, "spent", kinds[l.costs[i].kind]);
		syt_json_u64(j, "dur", SYT_TIME_NS(l.costs[i].time));
		syt_json_end_line(j);
	}
	syt_model_latency_close(&l);
}

static void put_arc(struct syt_json *j, const struct syt_model *m, const struct syt_model_arc *a)
{
	syt_json_begin_line(j, "arc");
	syt_json_string(j, "task", a->task == SYT_NONE ? NULL : m->tasks[a->task].name);
	syt_json_string(j, SYT_KEY("from", "from_part"), syt_model_part_text(m, a->from));
	syt_json_string(j, "from_is", a->from.is_task ? "task" : "leaf");
	syt_json_string(j, SYT_KEY("to", "to_part"), syt_model_part_text(m, a->to));
	syt_json_string(j, "to_is", a->to.is_task ? "task" : "leaf");
	syt_json_string(j, "kind", syt_arc_kind_text(a->kind));
	syt_json_bool(j, SYT_KEY("start", "is_start"), a->is_start);
	syt_json_bool(j, SYT_KEY("inferred", "is_inferred"), a->is_inferred);
	syt_json_bool(j, "across", a->is_across);
	syt_json_u64(j, "count", a->count);
	syt_json_end_line(j);
}

static void put_count(struct syt_json *j, const struct syt_model *m, const char *type,
                      const struct syt_model_count *c)
{
	syt_json_begin_line(j, type);
	syt_json_string(j, "part", m->in->labels[c->label].text);
	syt_json_u64(j, "count", c->count);
	syt_json_end_line(j);
}

static void put_hidden(struct syt_json *j, const struct syt_model_hidden *h)
{
	syt_json_begin_line(j, "hidden");
	syt_json_string(j, "hidden", h->kind == SYT_HIDDEN_REQUEST ? "request" : "wake-up");
	syt_json_string(j, "part", h->path);
	syt_json_u64(j, "count", h->count);
	syt_json_end_line(j);
}

static void put_id(struct syt_json *j, const char *key, const struct syt_model *m,
                   struct syt_place at)
{
	syt_json_id(j, key, m->in->order->places.threads[at.thread], at.row);
}

static void put_leaf_tasks(struct syt_json *j, const struct syt_model *m, uint32_t node)
{
	struct syt_model_walk w = syt_model_walk_of(node);

	syt_json_begin(j, SYT_KEY("leaf_tasks", "leaf_task_ids"), '[');
	for (uint32_t n; (n = syt_model_walk_next(m, &w)) != SYT_NONE;) {
		uint64_t nr = syt_model_is_leaf(m, n) ? syt_model_leaf_tasks(m->in, n) : 0;

		for (uint64_t i = 0; i < nr; i++) {
			const struct syt_task *t = &m->in->tasks->all[m->in->leaves[n].task + i];

			put_id(j, NULL, m, (struct syt_place){t->thread, t->begin});
		}
	}
	syt_json_end(j);
}

static void put_instance(struct syt_json *j, const struct syt_model *m, uint32_t node)
{
	struct syt_model_span s = syt_model_span(m, node);
	uint32_t up = m->up[node];

	syt_json_begin_line(j, "instance");
	syt_json_string(j, "task", syt_model_part_text(m, syt_model_what(m, node)));
	put_id(j, "id", m, syt_model_place(m, node));
	if (up == SYT_NONE) {
		syt_json_null(j, "parent");
		syt_json_null(j, "parent_task");
	} else {
		put_id(j, "parent", m, syt_model_place(m, up));
		syt_json_string(j, "parent_task", syt_model_part_text(m, syt_model_what(m, up)));
	}
	syt_json_time(j, "ts", SYT_TIME_NS(s.begin));
	syt_json_u64(j, "dur", SYT_TIME_NS(s.end - s.begin));
	syt_host_error_json(j, SYT_HOST_ERROR_KEY, syt_model_error(m, s));
	put_leaf_tasks(j, m, node);
	syt_json_end_line(j);
}

void syt_model_json(const struct syt_model_view *v)
{
	const struct syt_model *m = v->m;
	struct syt_json j = {.out = v->out};
	struct syt_model_walker *walker = syt_model_walker_create(m);
	bool is_all = v->task == SYT_NONE;
	uint64_t nr_left = v->limit ? v->limit : UINT64_MAX;

	syt_json_begin_line(&j, "model");
	syt_json_u64(&j, "leaf_tasks", m->nr_leaf_tasks);
	syt_json_u64(&j, "in_tasks", m->nr_in_tasks);
	syt_json_u64(&j, SYT_KEY("tasks", "nr_tasks"), m->nr_tasks);
	syt_json_u64(&j, "unseen", m->in->nr_unseen);
	syt_json_u64(&j, SYT_KEY("least", "least_occurrences"), m->options.least);
	syt_json_begin(&j, "outside", '{');
	put_profile(&j, &m->outside);
	syt_json_end(&j);
	syt_json_end_line(&j);
	for (uint32_t t = 0; t < m->nr_tasks && nr_left; t++) {
		const struct syt_model_task *task = &m->tasks[t];

		if (!v->is_shown[t])
			continue;
		nr_left--;
		put_task(&j, m, task);
		for (uint32_t i = 0; i < task->nr_parts; i++)
			put_part(&j, m, &m->parts[task->first_part + i]);
		for (uint32_t i = 0; i < task->nr_arcs; i++)
			put_arc(&j, m, &m->arcs[task->first_arc + i]);
		put_costs(&j, m, walker, t);
		for (uint64_t i = 0;
		     v->has_instances && i < task->count && (!v->limit || i < v->limit); i++)
			put_instance(&j, m, m->instances[task->first_instance + i]);
	}
	for (uint32_t i = 0; is_all && i < m->nr_arcs; i++)
		if (m->arcs[i].task == SYT_NONE)
			put_arc(&j, m, &m->arcs[i]);
	for (uint32_t i = 0; is_all && i < m->nr_rest; i++)
		put_count(&j, m, "rest", &m->rest[i]);
	for (uint32_t i = 0; is_all && i < m->nr_joined; i++)
		put_count(&j, m, "joined", &m->joined[i]);
	syt_model_walker_destroy(walker);
	for (size_t i = 0; is_all && i < m->in->nr_hidden; i++)
		put_hidden(&j, &m->in->hidden[i]);
}
