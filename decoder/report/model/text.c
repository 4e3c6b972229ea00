/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The model as text. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/analysis/call_path.h"
#include "decoder/order/label.h"
#include "decoder/read/call.h"
#include "decoder/report/model/view.h"
#include "decoder/show/coverage_print.h"
#include "decoder/show/print.h"
#include "decoder/show/wrap.h"

#define MOST_SUMMARY 8u  /* number of parts in the summary of a part that is not shown itself */
#define LEAST_SHOWN 2u   /* number of tasks in an overview, however short they are */
#define LEAST_WEIGHT 1.0 /* percent of all latencies from which an overview shows further tasks */
#define MOST_OTHERS 6u   /* number of names of tasks that are not printed themselves */

struct syt_model_arc syt_model_view_start(const struct syt_model *m, uint32_t task,
                                          struct syt_model_what part)
{
	const struct syt_model_task *t = &m->tasks[task];
	struct syt_model_arc best = {.kind = SYT_EDGE_PROGRAM};

	for (uint32_t i = t->first_arc; i < t->first_arc + t->nr_arcs; i++) {
		const struct syt_model_arc *a = &m->arcs[i];

		if (a->is_start && a->to.is_task == part.is_task && a->to.number == part.number &&
		    a->count > best.count)
			best = *a;
	}
	return best;
}

static void put_kind(struct syt_out *o, const struct syt_model *m, const struct syt_model_part *p)
{
	struct syt_model_arc start = syt_model_view_start(m, p->task, p->what);

	if (p->is_root || start.kind == SYT_EDGE_PROGRAM)
		return;
	syt_out_printf(o, "[%s%s] ", syt_arc_kind_text(start.kind),
	               start.is_inferred ? ", inferred" : "");
}

static void put_times(struct syt_out *o, const struct syt_model_part *p)
{
	if (p->least == p->most)
		syt_out_printf(o, "%" PRIu64, p->most);
	else
		syt_out_printf(o, "%" PRIu64 "..%" PRIu64, p->least, p->most);
}

static void put_name(struct syt_out *o, const struct syt_model *m, const struct syt_model_part *p)
{
	const char *text = syt_model_part_text(m, p->what);

	if (!p->what.is_task) {
		const char *colon = strstr(text, ": "); /* after the name of the program */

		text = syt_label_short(colon ? colon + 2 : text, 2);
	}
	syt_out_safe(o, text);
	if (!p->what.is_task && (p->least != 1 || p->most != 1)) {
		syt_out_string(o, " x");
		put_times(o, p);
	}
}

/* ---- the overview of a task ---- */

struct level {
	uint32_t next, end; /* parts that are still to be printed */
};

#define MOST_FLOW 12u      /* number of calls and tasks in an overview */
#define MOST_FLOW_DEPTH 4u /* number of layers in an overview */
#define LEAST_MARKED 10.0  /* percent of the latency from which a part is marked with its share */
#define MOST_MODULE 40u    /* maximum of bytes of a module's name */

/* The calls of a task, in one sentence. */
struct flow {
	struct syt_out *out;
	struct syt_model_digest *digest;
	const struct syt_model *m;
	uint32_t task;
	unsigned nr, nr_left; /* number of printed items, and of items left out */
	/* locks and unlocks that follow each other */
	uint64_t locks; /* number of calls that lock */
	bool has_locks, is_sometimes;
	double locks_share;
	char module[MOST_MODULE +
	            1]; /* the library of all of these calls; "": no library, or several */
};

static const char *path_of(const char *text)
{
	const char *colon = strstr(text, ": "); /* after the name of the program */

	return colon ? colon + 2 : text;
}

/* Returns true if CALL locks or unlocks, and sets *LOCKS. */
static bool is_lock(const char *call, bool *locks)
{
	enum syt_shape shape = syt_call_shape(call);

	*locks = shape == SYT_SHAPE_LOCK || shape == SYT_SHAPE_RDLOCK;
	return *locks || shape == SYT_SHAPE_UNLOCK;
}

/* Returns true if the text is a place in code without a symbol: "module+0x1234". */
static bool is_nameless(const char *text)
{
	return strstr(text, "+0x") != NULL;
}

/* Returns true if a task has the name of a function with a symbol. */
static bool is_function(const struct syt_model *m, const struct syt_model_task *t)
{
	const char *path = path_of(m->in->labels[t->root].text), *end;
	size_t bytes;

	for (; (end = strchr(path, ';')); path = end + 1) {
		bytes = (size_t)(end - path);
		if (!strncmp(t->name, path, bytes) &&
		    (!t->name[bytes] || strchr(" +~", t->name[bytes])))
			return !memmem(path, bytes, "+0x", 3);
	}
	return false;
}

static bool begin_item(struct flow *f)
{
	if (f->nr >= MOST_FLOW) {
		f->nr_left++;
		return false;
	}
	syt_out_string(f->out, f->nr++ ? ", " : "");
	return true;
}

static void end_item(struct flow *f, double share)
{
	if (share >= LEAST_MARKED)
		syt_out_printf(f->out, " (%.0f %%)", share);
}

/* Prints the locks that follow each other as one item. */
static void end_locks(struct flow *f)
{
	if (!f->has_locks)
		return;
	if (begin_item(f)) {
		if (f->locks > 1)
			syt_out_printf(f->out, "%s%" PRIu64 " locks",
			               f->is_sometimes ? "up to " : "", f->locks);
		else
			syt_out_string(f->out, f->locks ? "a lock" : "unlock");
		if (*f->module) {
			syt_out_string(f->out, " of ");
			syt_out_safe(f->out, f->module);
		}
		end_item(f, f->locks_share);
	}
	f->has_locks = f->is_sometimes = false;
	f->locks = 0;
	f->locks_share = 0;
}

/* Adds the module of the innermost function, if it is a library, to the locks that follow each other. */
static void add_module(struct flow *f, const char *path)
{
	const char *function = syt_label_short(path, 2), *plus = strstr(function, "+0x");
	const char *so = strstr(function, ".so");
	size_t bytes = plus && so && so < plus ? (size_t)(plus - function) : 0;

	bytes = bytes < MOST_MODULE ? bytes : 0;
	if (!f->has_locks) {
		memcpy(f->module, function, bytes);
		f->module[bytes] = '\0';
	} else if (strlen(f->module) != bytes || memcmp(f->module, function, bytes) != 0) {
		f->module[0] = '\0';
	}
}

static void put_flow_leaf(struct flow *f, const struct syt_model_part *p, double share)
{
	const char *path = path_of(syt_model_part_text(f->m, p->what));
	const char *call = syt_label_short(path, 1);
	struct syt_model_arc start = syt_model_view_start(f->m, p->task, p->what);
	bool locks;

	if (is_lock(call, &locks) && (p->is_root || start.kind == SYT_EDGE_PROGRAM)) {
		add_module(f, path);
		f->has_locks = true;
		f->locks += locks ? p->most : 0;
		f->is_sometimes |= locks && p->least != p->most;
		f->locks_share += share;
		return;
	}
	end_locks(f);
	if (!begin_item(f))
		return;
	put_kind(f->out, f->m, p);
	syt_model_put_call(f->out, path);
	if (p->least != 1 || p->most != 1) {
		syt_out_string(f->out, " x");
		put_times(f->out, p);
	}
	end_item(f, share);
}

/* Returns the share of the latency in the leaves with LABEL: in the call PATH, or outside of such calls. */
static double share_of(const struct syt_model_latency *l, uint32_t label, uint32_t path)
{
	return l->all ? 100 * (double)syt_counts_of(&l->leaves, label, path) / (double)l->all : 0;
}

/* Prints the calls that end no leaf, for example of files, inside of the leaves with LABEL. */
static void put_flow_inside(struct flow *f, const struct syt_model_latency *l, uint32_t label)
{
	for (size_t i = 0; i < l->nr; i++) {
		const struct syt_model_cost *c = &l->costs[i]; /* the longest first */
		double share = share_of(l, label, c->path);

		if (c->kind != SYT_COST_IN || share < LEAST_MARKED)
			continue;
		end_locks(f);
		if (!begin_item(f))
			continue;
		syt_model_put_call(f->out, path_of(syt_call_path_text(f->m->in->paths, c->path)));
		end_item(f, share);
	}
}

/* Prints the parts of f->task in one sentence: calls, and tasks with the name of a function. The parts of other tasks
 * take the place of the task. */
static void put_flow(struct flow *f)
{
	const struct syt_model_latency *latency = syt_model_digest_latency(f->digest, f->task);
	struct level levels[MOST_FLOW_DEPTH];
	const struct syt_model_task *t = &f->m->tasks[f->task];
	unsigned nr = 1;

	levels[0].next = t->first_part;
	levels[0].end = t->first_part + t->nr_parts;
	while (nr) {
		const struct syt_model_part *p = &f->m->parts[levels[nr - 1].next];
		double share = 0;

		if (levels[nr - 1].next >= levels[nr - 1].end) {
			nr--;
			continue;
		}
		levels[nr - 1].next++;
		if (!p->what.is_task) {
			put_flow_leaf(f, p, share_of(latency, p->what.number, SYT_NONE));
			put_flow_inside(f, latency, p->what.number);
			continue;
		}
		if (nr == 1)
			share = syt_model_digest_share(f->digest, (uint32_t)(p - f->m->parts));
		t = &f->m->tasks[p->what.number];
		if (!is_function(f->m, t) && nr < MOST_FLOW_DEPTH) {
			levels[nr].next = t->first_part;
			levels[nr++].end = t->first_part + t->nr_parts;
			continue;
		}
		end_locks(f);
		if (!begin_item(f))
			continue;
		put_kind(f->out, f->m, p);
		syt_out_char(f->out, '@');
		syt_out_safe(f->out, t->name);
		if (p->least != 1 || p->most != 1) {
			syt_out_string(f->out, " x");
			put_times(f->out, p);
		}
		end_item(f, share);
	}
	end_locks(f);
	if (f->nr_left)
		syt_out_printf(f->out, ", and %u more", f->nr_left);
}

/* Prints the bytes of an occurrence on average. */
static void put_bytes(struct syt_out *out, const struct syt_model_task *t)
{
	uint64_t received = t->profile.received / t->count, sent = t->profile.sent / t->count;

	if (!received && !sent)
		return;
	syt_out_string(out, "; ");
	if (received)
		syt_out_printf(out, "received %" PRIu64 " bytes", received);
	if (sent)
		syt_out_printf(out, "%ssent %" PRIu64 " bytes", received ? " and " : "", sent);
}

/* Prints where the latency of TASK goes. */
static void put_time(const struct syt_model_view *v, uint32_t task)
{
	struct syt_out words;

	if (!syt_model_digest_latency(v->digest, task)->all)
		return;
	syt_wrap_begin(&words, v->out);
	syt_out_string(&words, "   time: ");
	syt_model_put_costs(&words, v->m, syt_model_digest_latency(v->digest, task), 4);
	syt_wrap_end(&words, v->out, 9);
}

static void put_overview(const struct syt_model_view *v, uint32_t number, uint32_t task)
{
	const struct syt_model_task *t = &v->m->tasks[task];
	struct syt_out words;

	syt_wrap_begin(&words, v->out);
	syt_out_printf(&words, "%u. ", number);
	syt_out_safe(&words, t->name);
	syt_out_printf(&words, " x%" PRIu64 ": mean ", t->count);
	syt_print_span(&words,
	               SYT_TIME_NS(syt_model_digest_latency(v->digest, task)->all) / t->count);
	syt_out_string(&words, ", p50 ");
	syt_print_span(&words, t->profile.latency_p50);
	syt_out_string(&words, ", p99 ");
	syt_print_span(&words, t->profile.latency_p99);
	syt_out_string(&words, "; in ");
	syt_model_digest_put_threads(&words, v->digest, task);
	put_bytes(&words, t);
	syt_model_digest_put_peers(&words, v->digest, task);
	syt_wrap_end(&words, v->out, 9);
	put_time(v, task);
	syt_wrap_begin(&words, v->out);
	syt_out_string(&words, "   parts: ");
	put_flow(&(struct flow){.out = &words, .digest = v->digest, .m = v->m, .task = task});
	syt_wrap_end(&words, v->out, 9);
}

/* ---- the details of a task ---- */

/* Prints the begin of the parts of TASK in one line. */
static void put_summary(struct syt_out *o, const struct syt_model *m, uint32_t task)
{
	const struct syt_model_task *t = &m->tasks[task];

	for (uint32_t i = 0; i < t->nr_parts; i++) {
		syt_out_string(o, i ? ", " : "");
		if (i == MOST_SUMMARY) {
			syt_out_printf(o, "and %u more", t->nr_parts - i);
			return;
		}
		put_kind(o, m, &m->parts[t->first_part + i]);
		put_name(o, m, &m->parts[t->first_part + i]);
	}
}

static uint64_t sum_of(const uint64_t *waited)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < SYT_NR_WAITS_KINDS; i++)
		sum += waited[i];
	return sum;
}

/* Prints the waits of COUNT occurrences of a task on average, by kind of wait, after BEFORE. */
static void put_waits(struct syt_out *o, const char *before, const uint64_t *waited, uint64_t count)
{
	const char *comma = " (";
	uint64_t sum = sum_of(waited);

	if (sum < count)
		return;
	syt_out_string(o, before);
	syt_print_span(o, sum / count);
	for (unsigned i = 0; i < SYT_NR_WAITS_KINDS; i++) {
		if (waited[i] < count)
			continue;
		syt_out_printf(o, "%s%s ", comma, syt_waits_kinds[i].noun);
		syt_print_span(o, waited[i] / count);
		comma = ", ";
	}
	syt_out_string(o, *comma == ',' ? ")" : "");
}

/* Prints the share of a part in the latency of its task. */
static void put_share(struct syt_out *out, const struct syt_model_view *v, uint32_t part)
{
	double share = syt_model_digest_share(v->digest, part);

	if (share >= LEAST_MARKED)
		syt_out_printf(out, " (%.0f %%)", share);
}

/* Prints the parts of TASK, and of its parts down to the depth of the view. */
static void put_parts(const struct syt_model_view *v, uint32_t task)
{
	const struct syt_model *m = v->m;
	struct level levels[SYT_MODEL_DEPTH + 1];
	uint64_t depth = v->depth < SYT_MODEL_DEPTH ? v->depth : SYT_MODEL_DEPTH;
	unsigned nr = 0;

	if (!depth)
		return;
	levels[nr++] = (struct level){m->tasks[task].first_part,
	                              m->tasks[task].first_part + m->tasks[task].nr_parts};
	while (nr) {
		unsigned level = nr;
		struct level *l = &levels[nr - 1];
		const struct syt_model_part *p = &m->parts[l->next];
		struct syt_out words;

		if (l->next >= l->end) {
			nr--;
			continue;
		}
		syt_wrap_begin(&words, v->out);
		syt_out_printf(&words, "%*s", 1 + 2 * (int)nr, "");
		if (p->what.is_task) {
			l->next++;
			put_kind(&words, m, p);
			syt_out_char(&words, '@');
			put_name(&words, m, p);
			syt_out_string(&words, " x");
			put_times(&words, p);
			put_share(&words, v, (uint32_t)(p - m->parts));
			put_waits(&words, ", waited ", p->waited, m->tasks[p->task].count);
			if (nr >= depth) {
				syt_out_string(&words, ": ");
				put_summary(&words, m, p->what.number);
			}
		} else { /* leaves that follow each other share a line */
			const char *comma = "";

			for (; l->next < l->end && !m->parts[l->next].what.is_task; l->next++) {
				syt_out_string(&words, comma);
				put_kind(&words, m, &m->parts[l->next]);
				put_name(&words, m, &m->parts[l->next]);
				put_share(&words, v, l->next);
				comma = ", ";
			}
		}
		syt_wrap_end(&words, v->out, 5 + 2 * level);
		if (p->what.is_task && nr < depth) {
			const struct syt_model_task *t = &m->tasks[p->what.number];

			levels[nr++] = (struct level){t->first_part, t->first_part + t->nr_parts};
		}
	}
}

static void put_task(const struct syt_model_view *v, uint32_t number, uint32_t task)
{
	const struct syt_model_task *t = &v->m->tasks[task];
	uint64_t mean = (t->nr_leaf_tasks + t->count / 2) / t->count;
	struct syt_out words;

	syt_wrap_begin(&words, v->out);
	syt_out_printf(&words, "%u. ", number);
	syt_out_safe(&words, t->name);
	syt_out_printf(&words, " x%" PRIu64 ": %" PRIu64 " leaf task%s, %u thread%s, %u shape%s",
	               t->count, mean, mean == 1 ? "" : "s", t->nr_threads,
	               t->nr_threads == 1 ? "" : "s", t->nr_shapes, t->nr_shapes == 1 ? "" : "s");
	if (!t->is_top)
		syt_out_string(&words, ", part of other tasks");
	syt_wrap_end(&words, v->out, 7);
	syt_wrap_begin(&words, v->out);
	syt_out_string(&words, "   latency: mean ");
	syt_print_span(&words,
	               SYT_TIME_NS(syt_model_digest_latency(v->digest, task)->all) / t->count);
	syt_out_string(&words, ", p50 ");
	syt_print_span(&words, t->profile.latency_p50);
	syt_out_string(&words, ", p99 ");
	syt_print_span(&words, t->profile.latency_p99);
	syt_out_string(&words, "; on average ");
	if (t->nr_threads > 1)
		syt_out_printf(&words, "its %u threads together ", t->nr_threads);
	syt_out_string(&words, "ran ");
	syt_print_span(&words, t->profile.ran / t->count);
	if (t->profile.cpu != SYT_CPU_UNKNOWN) {
		syt_out_string(&words, " (CPU ");
		syt_print_span(&words, t->profile.cpu / t->count);
		syt_out_char(&words, ')');
	}
	put_waits(&words, ", waited ", t->profile.waited, t->count);
	if (t->profile.sent)
		syt_out_printf(&words, ", sent %" PRIu64 " bytes", t->profile.sent / t->count);
	if (t->profile.received)
		syt_out_printf(&words, ", received %" PRIu64 " bytes",
		               t->profile.received / t->count);
	syt_wrap_end(&words, v->out, 7);
	put_time(v, task);
	put_parts(v, task);
	if (v->depth && t->layer > 1 && sum_of(t->profile.own_waited) >= t->count &&
	    100 * (sum_of(t->profile.own_waited) / t->count) >=
	            sum_of(t->profile.waited) / t->count) { /* at least 1 % */
		syt_wrap_begin(&words, v->out);
		put_waits(&words, "   between these parts: waited ", t->profile.own_waited,
		          t->count);
		syt_wrap_end(&words, v->out, 7);
	}
}

static void put_instances(const struct syt_model_view *v, uint32_t task)
{
	const struct syt_model *m = v->m;
	const struct syt_model_task *t = &m->tasks[task];

	for (uint64_t i = 0; i < t->count; i++) {
		uint32_t node = m->instances[t->first_instance + i];
		struct syt_place at = syt_model_place(m, node);
		struct syt_model_span s = syt_model_span(m, node);

		if (v->limit && i == v->limit) {
			syt_out_printf(v->out,
			               "   %" PRIu64 " more occurrences; --limit=%" PRIu64
			               " prints them\n",
			               t->count - i, t->count);
			return;
		}
		syt_out_string(v->out, "   ");
		syt_print_id(v->out, m->in->order->places.threads[at.thread], at.row);
		syt_out_string(v->out, "  at ");
		syt_print_seconds(v->out, SYT_TIME_NS(s.begin));
		syt_out_string(v->out, ", ");
		syt_print_span(v->out, SYT_TIME_NS(s.end - s.begin));
		syt_out_char(v->out, '\n');
	}
}

/* Returns true if the model has equal names with a text that tells them apart. */
static bool has_longer_names(const struct syt_model *m)
{
	for (uint32_t t = 0; t < m->nr_tasks; t++)
		if (strstr(m->tasks[t].name, " with ") || strstr(m->tasks[t].name, " at ") ||
		    strchr(m->tasks[t].name, '~'))
			return true;
	return false;
}

/* Explains the signs of the report. */
static void put_legend(const struct syt_model_view *v)
{
	struct syt_out words;

	syt_wrap_begin(&words, v->out);
	syt_out_string(&words,
	               "xN: number of occurrences. p50, p99: half and 99 % of them take at most "
	               "this long. time: the calls in which the latency passes, in percent "
	               "of the mean. ");
	syt_out_string(&words, v->is_overview ? "parts: calls and tasks (@NAME) in their order; "
	                                      : "@NAME: a part that is a task too; ");
	syt_out_string(
		&words,
		"(N %): share of the mean, without the time in which the thread did other work; "
		"xA..B: how often in one occurrence; [stream] or another word: how the "
		"work came to the part, unless the same thread went on. ");
	if (has_longer_names(v->m))
		syt_out_string(&words,
		               "NAME with F, NAME at F and NAME~1234 tell tasks with equal names "
		               "apart, by a function F that only one of them contains. ");
	syt_out_string(&words,
	               "Leaf task: the work of a thread between two synchronization calls.");
	if (v->is_overview)
		syt_out_string(&words, " --task='NAME' shows details.");
	else
		syt_out_string(&words, " Shapes: occurrences with equal parts have one shape.");
	syt_wrap_end(&words, v->out, 3);
}

/* Prints the calls outside of tasks that took the most time. */
static void put_outside(const struct syt_model_view *v)
{
	struct syt_out words, calls;
	char *text;

	syt_out_open(&calls, -1, false);
	if (syt_model_digest_put_outside(&calls, v->digest, 3)) {
		text = syt_out_take(&calls);
		syt_wrap_begin(&words, v->out);
		syt_out_printf(&words, "Outside of all tasks: %s", text);
		syt_wrap_end(&words, v->out, 3);
		free(text);
	}
	syt_out_close(&calls);
}

/* Prints the names of the tasks that are not printed: first top tasks, then parts of other tasks. */
static void put_others(const struct syt_model_view *v, uint32_t nr_shown)
{
	const uint32_t *order = syt_model_digest_order(v->digest);
	const struct syt_model *m = v->m;
	struct syt_out words;
	uint32_t nr = 0, nr_put = 0, nr_top = 0;

	syt_wrap_begin(&words, v->out);
	syt_out_string(&words, "More tasks: ");
	for (uint32_t i = 0; i < m->nr_tasks; i++) {
		const struct syt_model_task *t = &m->tasks[order[i]];

		nr_top += v->task == SYT_NONE && t->is_top;
		if (v->task == SYT_NONE ? t->is_top && nr_top <= nr_shown
		                        : !v->is_shown[order[i]] || order[i] == v->task)
			continue;
		nr++;
		if (nr_put >= MOST_OTHERS || is_nameless(t->name) || strchr(t->name, '~'))
			continue;
		syt_out_string(&words, nr_put++ ? ", " : "");
		syt_out_safe(&words, t->name);
		syt_out_printf(&words, " x%" PRIu64, t->count);
	}
	if (nr > nr_put)
		syt_out_printf(&words, "%s%u%s", nr_put ? ", and " : "", nr - nr_put,
		               nr_put ? " more" : "");
	if (nr && v->task == SYT_NONE && nr_shown < nr_top)
		syt_out_printf(&words, "; --limit=%u prints all tasks that are not part of others",
		               nr_top);
	if (nr) {
		syt_wrap_end(&words, v->out, 3);
		return;
	}
	syt_out_close(&words);
}

/* Prints the work that passed from thread to thread along ways that the trace does not contain. */
static void put_hidden(struct syt_out *out, const struct syt_model_input *in)
{
	uint64_t nr[] = {0, 0};
	const char *most[] = {NULL, NULL};

	for (size_t i = 0; i < in->nr_hidden; i++) {
		const struct syt_model_hidden *h = &in->hidden[i];

		most[h->kind] = nr[h->kind] ? most[h->kind] : h->path;
		nr[h->kind] += h->count;
	}
	for (unsigned kind = 0; kind < sizeof(nr) / sizeof(nr[0]); kind++) {
		struct syt_out words;

		if (!nr[kind])
			continue;
		syt_wrap_begin(&words, out);
		syt_out_printf(
			&words,
			kind == SYT_HIDDEN_REQUEST
				? "Hidden hand-offs: %" PRIu64
				  " time%s, a thread found a connection readable, another thread "
				  "received the request, and no recorded event led from the first "
				  "thread to the second (most in "
				: "Possibly hidden hand-offs: %" PRIu64
				  " wake-up%s of condition variables for which no thread ever "
				  "waited "
				  "(most in ",
			nr[kind], nr[kind] == 1 ? "" : "s");
		syt_out_safe(&words, syt_label_short(most[kind], 2));
		syt_out_string(
			&words,
			kind == SYT_HIDDEN_REQUEST
				? "). The threads pass this work by atomic operations or direct "
				  "system calls, which are not recorded; the tasks lack these arcs."
				: "). Threads that find work there without a wait may use atomic "
				  "operations, which are not recorded; the tasks lack such arcs.");
		syt_wrap_end(&words, out, 3);
	}
}

void syt_model_text(const struct syt_model_view *v)
{
	const struct syt_model *m = v->m;
	const uint32_t *order = syt_model_digest_order(v->digest);
	uint32_t nr = 0, layers = 0;
	struct syt_out words;

	for (uint32_t t = 0; t < m->nr_tasks; t++)
		layers = m->tasks[t].layer > layers ? m->tasks[t].layer : layers;
	syt_wrap_begin(&words, v->out);
	syt_out_printf(&words,
	               "%" PRIu64 " leaf tasks, %.1f %% in %u task%s of %u layer%s; %" PRIu64
	               " arrival%s of unknown sender",
	               m->nr_leaf_tasks, syt_percent(m->nr_in_tasks, m->nr_leaf_tasks), m->nr_tasks,
	               m->nr_tasks == 1 ? "" : "s", layers, layers == 1 ? "" : "s",
	               m->in->nr_unseen, m->in->nr_unseen == 1 ? "" : "s");
	syt_wrap_end(&words, v->out, 0);
	if (m->nr_tasks && v->is_overview) {
		syt_wrap_begin(&words, v->out);
		syt_out_string(&words, "Time outside of calls: ");
		syt_model_digest_put_busiest(&words, v->digest);
		syt_wrap_end(&words, v->out, 3);
	}
	for (uint32_t i = 0; i < m->nr_tasks; i++) {
		uint32_t t = order[i];

		/* the parts show the tasks that are part of others */
		if (v->task == SYT_NONE ? !m->tasks[t].is_top : t != v->task)
			continue;
		if ((v->limit && nr == v->limit) ||
		    (v->is_overview && !v->is_limited && nr >= LEAST_SHOWN &&
		     syt_model_digest_weight(v->digest, t) < LEAST_WEIGHT))
			break;
		(v->is_overview ? put_overview : put_task)(v, ++nr, t);
		if (v->has_instances)
			put_instances(v, t);
	}
	if (v->is_overview)
		put_outside(v);
	put_others(v, nr);
	if (v->task == SYT_NONE)
		put_hidden(v->out, m->in);
	if (m->nr_tasks)
		put_legend(v);
	syt_out_char(v->out, '\n');
}
