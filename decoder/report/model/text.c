/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The model as text. */
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
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

/* The signs that the report explains at its end, if it has printed them. */
static const struct {
	/* pattern of fnmatch() for a sentence; one fixed text, so that long sentences take linear time */
	const char *sign;
	const char *text;
	bool is_name; /* the sign counts only if a task has it in its name: it is a usual word too */
} legend[] = {
	{"* x[0-9]*", "xN: number of occurrences.", false},
	{"*p99*",
         "p50, p99: half and 99 % of them take at most this long, from the end of the "
         "first call on.",
         false},
	{"*time: *", "time: the calls in which the mean passes; running: outside of calls.", false},
	{"*while its thread*",
         "While its thread did other work: the occurrence waited while its thread "
         "served others; no part contains this time.",
         false},
	{"*parts: *", "parts: calls (FUNCTION;CALL) and tasks in their order.", false},
	{"*@*", "@NAME: a part that is a task too.", false},
	{"* %[,)]*", "PART (N %): its share of the mean of the task around it.", false},
	{"*[0-9]..[0-9]*", "xA..B: how often in one occurrence.", false},
	{"*\\[[a-z]*",
         "[stream] or another word: how the work came to the part, unless the same "
         "thread went on.",
         false},
	{"* with *", "NAME with F: of the tasks in NAME, the one that contains F somewhere.", true},
	{"* at *", "NAME at CALL: of the tasks in NAME, the one that begins with CALL.", true},
	{"*~*",
         "NAME~1234: a task in NAME that no function tells apart, with a checksum of its parts.",
         true},
	{"*leaf task*", "Leaf task: the work of a thread between two synchronization calls.",
         false},
	{"* shape*", "Shapes: different trees of parts.", false},
};
#define NR_SIGNS (sizeof(legend) / sizeof(legend[0]))

/* Prints a sentence, and notes its signs. */
static void end_words(const struct syt_model_view *v, struct syt_out *words, unsigned indent)
{
	char *text = syt_strndup(words->buffer, words->used);

	for (size_t i = 0; i < NR_SIGNS; i++)
		if (!(*v->signs & 1u << i) && !fnmatch(legend[i].sign, text, 0))
			*v->signs |= 1u << i;
	free(text);
	syt_wrap_end(words, v->out, indent);
}

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
	/* a task whose parts take its place: its number of occurrences, and the part with the arrow that leads to its root */
	uint64_t least, most;
	const struct syt_model_part *via;
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
	bool is_exact;        /* the details: no limit */
	unsigned nr, nr_left; /* number of printed items, and of items left out */
	/* locks and unlocks that follow each other */
	uint64_t locks; /* number of calls that lock */
	uint32_t lock;  /* the label of the last one */
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

/* Returns the number of bytes of the function with a symbol in the name of a task; 0: none. */
static size_t function_bytes(const struct syt_model *m, const struct syt_model_task *t)
{
	const char *path = path_of(m->in->labels[t->root].text), *end;
	size_t bytes;

	for (; (end = strchr(path, ';')); path = end + 1) {
		bytes = (size_t)(end - path);
		if (!strncmp(t->name, path, bytes) &&
		    (!t->name[bytes] || strchr(" +~", t->name[bytes])))
			return memmem(path, bytes, "+0x", 3) ? 0 : bytes;
	}
	return 0;
}

/* Returns true if the task T is a step of its own in the task TOP: another function, with a symbol. */
static bool is_step(const struct syt_model *m, const struct syt_model_task *t,
                    const struct syt_model_task *top)
{
	size_t bytes = function_bytes(m, t);

	return bytes && (bytes != function_bytes(m, top) || memcmp(t->name, top->name, bytes) != 0);
}

static bool begin_item(struct flow *f)
{
	if (f->nr >= MOST_FLOW && !f->is_exact) {
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

/* Prints the name of the lock on which the calls with a label work, if all have the same. */
static void put_lock(struct syt_out *out, struct syt_model_digest *d, uint32_t label)
{
	const char *title = syt_model_digest_lock(d, label);

	if (!title)
		return;
	syt_out_string(out, " on ");
	syt_out_safe(out, title);
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
		if (f->locks == 1)
			put_lock(f->out, f->digest, f->lock);
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

/* VIA: the part with the arrow that leads to P. */
static void put_flow_leaf(struct flow *f, const struct syt_model_part *p,
                          const struct syt_model_part *via, double share)
{
	const char *path = path_of(syt_model_part_text(f->m, p->what));
	const char *call = syt_label_short(path, 1);
	struct syt_model_arc start = syt_model_view_start(f->m, via->task, via->what);
	bool locks;

	if (is_lock(call, &locks) && (via->is_root || start.kind == SYT_EDGE_PROGRAM)) {
		add_module(f, path);
		if (locks)
			f->lock = p->what.number;
		f->has_locks = true;
		f->locks += locks ? p->most : 0;
		f->is_sometimes |= locks && p->least != p->most;
		f->locks_share += share;
		return;
	}
	end_locks(f);
	if (!begin_item(f))
		return;
	put_kind(f->out, f->m, via);
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

	levels[0] = (struct level){t->first_part, t->first_part + t->nr_parts, 1, 1, NULL};
	while (nr) {
		struct level *l = &levels[nr - 1];
		const struct syt_model_part *p = &f->m->parts[l->next], *via;
		struct syt_model_part part;
		double share = 0;

		if (l->next >= l->end) {
			nr--;
			continue;
		}
		l->next++;
		via = p->is_root && l->via ? l->via : p;
		part = *p;
		part.least *= l->least;
		part.most *= l->most;
		if (!p->what.is_task) {
			put_flow_leaf(f, &part, via, share_of(latency, p->what.number, SYT_NONE));
			put_flow_inside(f, latency, p->what.number);
			continue;
		}
		if (nr == 1)
			share = syt_model_digest_share(f->digest, (uint32_t)(p - f->m->parts));
		t = &f->m->tasks[p->what.number];
		if (nr < MOST_FLOW_DEPTH && !is_step(f->m, t, &f->m->tasks[f->task])) {
			levels[nr++] = (struct level){t->first_part, t->first_part + t->nr_parts,
			                              part.least, part.most, via};
			continue;
		}
		end_locks(f);
		if (!begin_item(f))
			continue;
		put_kind(f->out, f->m, via);
		syt_out_char(f->out, '@');
		syt_out_safe(f->out, t->name);
		if (part.least != 1 || part.most != 1) {
			syt_out_string(f->out, " x");
			put_times(f->out, &part);
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
	syt_out_string(&words, "   time: of the mean, ");
	syt_model_put_costs(&words, v->m, syt_model_digest_latency(v->digest, task), 4);
	end_words(v, &words, 9);
}

/* Writes the mean, the median and the 99th percentile. None of them has a larger error than one of the instances. */
static void put_latency(struct syt_out *out, const struct syt_model_view *v, uint32_t task)
{
	const struct syt_model_task *t = &v->m->tasks[task];
	struct syt_host_error e = syt_model_task_error(v->m, task);
	uint64_t mean = SYT_TIME_NS(syt_model_digest_latency(v->digest, task)->all) / t->count;

	syt_out_string(out, "mean ");
	syt_host_error_put_span(out, mean, e);
	syt_out_string(out, ", p50 ");
	syt_host_error_put_span(out, t->profile.latency_p50, e);
	syt_out_string(out, ", p99 ");
	syt_host_error_put_span(out, t->profile.latency_p99, e);
}

static void put_overview(const struct syt_model_view *v, uint32_t number, uint32_t task)
{
	const struct syt_model_task *t = &v->m->tasks[task];
	struct syt_out words;

	syt_wrap_begin(&words, v->out);
	syt_out_printf(&words, "%u. ", number);
	syt_out_safe(&words, t->name);
	syt_out_printf(&words, " x%" PRIu64 ": ", t->count);
	put_latency(&words, v, task);
	syt_out_string(&words, "; in ");
	syt_model_digest_put_threads(&words, v->digest, task);
	put_bytes(&words, t);
	syt_model_digest_put_peers(&words, v->digest, task);
	end_words(v, &words, 9);
	put_time(v, task);
	syt_wrap_begin(&words, v->out);
	syt_out_string(&words, "   parts: ");
	put_flow(&(struct flow){.out = &words, .digest = v->digest, .m = v->m, .task = task});
	end_words(v, &words, 9);
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

/* Returns true if a wait of this kind is usually a wait for work or for an answer. */
static bool is_for_work(unsigned kind)
{
	return kind == SYT_WAITS_FOR_PRODUCER || kind == SYT_WAITS_FOR_MESSAGE ||
	       kind == SYT_WAITS_FOR_READINESS;
}

/* Prints the waits of COUNT occurrences of a task on average: for work and answers, or all others. */
static void put_waits(struct syt_out *o, const uint64_t *waited, uint64_t count, bool for_work)
{
	const char *before = for_work ? "; waited for work or answers: " : "; waited: ";

	for (unsigned i = 0; i < SYT_NR_WAITS_KINDS; i++) {
		if (is_for_work(i) != for_work || waited[i] < count)
			continue;
		syt_out_printf(o, "%s%s ", before, syt_waits_kinds[i].noun);
		syt_print_span(o, waited[i] / count);
		before = ", ";
	}
}

/* Prints a part that is a leaf, and the calls inside of it that end no leaf. */
static void put_leaf_part(struct flow *f, const struct syt_model_part *p)
{
	const struct syt_model_latency *l = syt_model_digest_latency(f->digest, p->task);
	double part = syt_model_digest_share(f->digest, (uint32_t)(p - f->m->parts));
	double share = share_of(l, p->what.number, SYT_NONE);
	bool locks;

	begin_item(f);
	put_kind(f->out, f->m, p);
	put_name(f->out, f->m, p);
	if (is_lock(syt_label_short(syt_model_part_text(f->m, p->what), 1), &locks) && locks)
		put_lock(f->out, f->digest, p->what.number);
	/* other parts of the task can contain leaves with the same label */
	end_item(f, share < part ? share : part);
	put_flow_inside(f, l, p->what.number);
}

/* Prints the place of the part P that takes the most time, if this is a large share of the latency of the task around it. */
static void put_most(struct syt_out *out, const struct syt_model_view *v,
                     const struct syt_model_part *p, double of)
{
	const struct syt_model_latency *l = syt_model_digest_latency(v->digest, p->task);
	uint64_t number = (uint64_t)(p - v->m->parts) - v->m->tasks[p->task].first_part;
	const struct syt_count *most = NULL;
	const char *text = "";
	double share;

	for (size_t i = 0; i < l->places.nr; i++) {
		const struct syt_count *c = &l->places.all[i];
		const char *path = syt_call_path_text(v->m->in->paths, (uint32_t)c->b);

		if ((uint32_t)c->a != number || (most && c->nr < most->nr) ||
		    (most && c->nr == most->nr && strcmp(path, text) >= 0))
			continue;
		most = c;
		text = path;
	}
	share = most && l->all ? 100 * (double)most->nr / (double)l->all : 0;
	if (share < LEAST_MARKED)
		return;
	syt_out_string(out, ", ");
	if (share <= of - 0.5)
		syt_out_printf(out, "%.0f %% ", share);
	syt_out_string(out, most->a >> 32 == SYT_COST_IN ? "in " : "running after ");
	syt_model_put_path(out, text);
}

/* Prints a part that is a task: its share, and its call with the most time. */
static void put_task_part(struct syt_out *words, const struct syt_model_view *v,
                          const struct syt_model_part *p, bool has_summary)
{
	double share = syt_model_digest_share(v->digest, (uint32_t)(p - v->m->parts));

	put_kind(words, v->m, p);
	syt_out_char(words, '@');
	put_name(words, v->m, p);
	if (p->least != 1 || p->most != 1) {
		syt_out_string(words, " x");
		put_times(words, p);
	}
	if (share >= LEAST_MARKED) {
		syt_out_printf(words, " (%.0f %%", share);
		put_most(words, v, p, share);
		syt_out_char(words, ')');
	}
	if (has_summary) {
		syt_out_string(words, ": ");
		put_summary(words, v->m, p->what.number);
	}
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
	levels[nr++] = (struct level){.next = m->tasks[task].first_part,
	                              .end = m->tasks[task].first_part + m->tasks[task].nr_parts};
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
			put_task_part(&words, v, p, nr >= depth);
		} else { /* leaves that follow each other share a line */
			struct flow f = {
				.out = &words, .digest = v->digest, .m = m, .is_exact = true};

			for (; l->next < l->end && !m->parts[l->next].what.is_task; l->next++)
				put_leaf_part(&f, &m->parts[l->next]);
		}
		end_words(v, &words, 5 + 2 * level);
		if (p->what.is_task && nr < depth) {
			const struct syt_model_task *t = &m->tasks[p->what.number];

			levels[nr++] = (struct level){.next = t->first_part,
			                              .end = t->first_part + t->nr_parts};
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
	end_words(v, &words, 7);
	syt_wrap_begin(&words, v->out);
	syt_out_string(&words, "   latency: ");
	put_latency(&words, v, task);
	put_bytes(&words, t);
	end_words(v, &words, 7);
	put_time(v, task);
	syt_wrap_begin(&words, v->out);
	if (t->nr_threads > 1)
		syt_out_printf(&words, "   its %u threads together, on average: ran ",
		               t->nr_threads);
	else
		syt_out_string(&words, "   on average: ran ");
	syt_print_span(&words, t->profile.ran / t->count);
	if (t->profile.cpu != SYT_CPU_UNKNOWN) {
		syt_out_string(&words, " (CPU ");
		syt_print_span(&words, t->profile.cpu / t->count);
		syt_out_char(&words, ')');
	}
	put_waits(&words, t->profile.waited, t->count, false);
	put_waits(&words, t->profile.waited, t->count, true);
	end_words(v, &words, 7);
	put_parts(v, task);
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
		syt_host_error_put_span(v->out, SYT_TIME_NS(s.end - s.begin),
		                        syt_model_error(m, s));
		syt_out_char(v->out, '\n');
	}
}

/* Returns true if a sign of the report needs an explanation. */
static bool is_used(const struct syt_model_view *v, size_t sign)
{
	if (!(*v->signs & 1u << sign) || !legend[sign].is_name)
		return *v->signs & 1u << sign;
	for (uint32_t t = 0; t < v->m->nr_tasks; t++)
		if (!fnmatch(legend[sign].sign, v->m->tasks[t].name, 0))
			return true;
	return false;
}

/* Explains the signs of the report. */
static void put_legend(const struct syt_model_view *v)
{
	struct syt_out words;

	syt_wrap_begin(&words, v->out);
	for (size_t i = 0; i < NR_SIGNS; i++)
		if (is_used(v, i))
			syt_out_printf(&words, "%s%s", words.used ? " " : "", legend[i].text);
	if (v->has_instances)
		syt_out_string(&words, " 1.0.92: the first event of the occurrence (verb events).");
	if (v->is_overview)
		syt_out_string(&words, " --task='NAME' shows details.");
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
		end_words(v, &words, 3);
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
		end_words(v, &words, 3);
		return;
	}
	syt_out_close(&words);
}

/* Prints the work that passed from thread to thread along ways that the trace does not contain. */
static void put_hidden(const struct syt_model_view *v)
{
	for (unsigned kind = 0; kind < SYT_NR_HIDDEN; kind++) {
		char *text = syt_model_hidden_text(v->m->in, (enum syt_hidden)kind);
		struct syt_out words;

		if (!text)
			continue;
		syt_wrap_begin(&words, v->out);
		syt_out_safe(&words, text);
		syt_wrap_end(&words, v->out, 3);
		free(text);
	}
}

void syt_model_text(const struct syt_model_view *view)
{
	uint32_t nr = 0, signs = 0;
	struct syt_model_view with_signs = *view;
	const struct syt_model_view *v = &with_signs;
	const struct syt_model *m = v->m;
	const uint32_t *order = syt_model_digest_order(v->digest);
	struct syt_out words;

	with_signs.signs = &signs;
	syt_wrap_begin(&words, v->out);
	syt_out_printf(&words, "%" PRIu64 " leaf tasks, %.1f %% in %u task%s", m->nr_leaf_tasks,
	               syt_percent(m->nr_in_tasks, m->nr_leaf_tasks), m->nr_tasks,
	               m->nr_tasks == 1 ? "" : "s");
	if (m->in->nr_unseen)
		syt_out_printf(&words, "; the trace does not show the cause of %" PRIu64 " of them",
		               m->in->nr_unseen);
	end_words(v, &words, 0);
	if (m->nr_tasks && v->is_overview) {
		syt_wrap_begin(&words, v->out);
		syt_out_string(&words, "Threads, by time outside of recorded calls: ");
		syt_model_digest_put_busiest(&words, v->digest);
		end_words(v, &words, 3);
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
		put_hidden(v);
	if (m->nr_tasks)
		put_legend(v);
	syt_out_char(v->out, '\n');
}
