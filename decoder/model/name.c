/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/model/refine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/compare.h"
#include "base/counts.h"
#include "base/err.h"
#include "decoder/read/call.h"

/* A function on a call path. */
struct part {
	const char *text;
	size_t bytes;
};

/* Cuts the next function off *PATH, a path whose last part is the call. Returns false after the last function. */
static bool next_function(const char **path, struct part *function)
{
	const char *end = strchr(*path, ';');

	if (!end)
		return false;
	*function = (struct part){*path, (size_t)(end - *path)};
	*path = end + 1;
	return true;
}

static const char *path_of(const char *text)
{
	const char *colon = strstr(text, ": ");

	return colon ? colon + 2 : text;
}

/* Returns the functions on a label's call path, each followed by ';', and perhaps the call. IS_OWN: only those of the
 * program itself. */
static const char *functions_of(const struct syt_model_input *in, uint32_t label, bool is_own)
{
	const char *own = in->labels[label].own;

	return is_own && own ? own : path_of(in->labels[label].text);
}

/* Returns true if two labels begin with the same program and function. */
static bool is_same_entry(const struct syt_model_input *in, uint32_t a, uint32_t b)
{
	size_t bytes = strcspn(in->labels[a].text, ";");

	return strcspn(in->labels[b].text, ";") == bytes &&
	       !memcmp(in->labels[a].text, in->labels[b].text, bytes);
}

/* ---- the labels of all leaves of a task ---- */

/* A walk through all tasks below a task, each once. */
struct gather {
	uint32_t walk;                    /* number of the present walk, from 1 */
	uint32_t *seen_task, *seen_label; /* number of the last walk that saw it */
	size_t nr_tasks, room_tasks, nr_labels, room_labels;
	uint32_t *tasks, *labels;
};

/* Finds the labels of all leaves of TASK. Unless IS_ALL, the leaves of functions with several callers are left out. */
static void gather(const struct syt_refine_names *n, uint32_t task, bool is_all, struct gather *g)
{
	g->nr_tasks = g->nr_labels = 0;
	g->walk++;
	*SYT_ADD(g->tasks, g->nr_tasks, g->room_tasks) = task;
	g->seen_task[task] = g->walk;
	while (g->nr_tasks) {
		uint32_t at = g->tasks[--g->nr_tasks];

		for (size_t i = n->first_part[at]; i < n->first_part[at + 1]; i++) {
			struct syt_model_what what = n->p->all[n->parts[i]].what;
			uint32_t *seen = what.is_task ? &g->seen_task[what.number]
			                              : &g->seen_label[what.number];

			if (*seen == g->walk)
				continue;
			/* the leaves of a function with several callers are not all below this task */
			if (!is_all && ((what.is_task && n->f->names && n->f->names[what.number]) ||
			                (!what.is_task && what.number >= n->in->nr_labels)))
				continue;
			*seen = g->walk;
			if (what.is_task)
				*SYT_ADD(g->tasks, g->nr_tasks, g->room_tasks) = what.number;
			else
				*SYT_ADD(g->labels, g->nr_labels, g->room_labels) = what.number;
		}
	}
}

static void gather_labels(const struct syt_refine_names *n, uint32_t task, struct gather *g)
{
	gather(n, task, false, g);
}

/* Returns the deepest function that all LABELS that begin like ROOT have in common, from malloc, or NULL. The function STOP
 * (NULL: none) and all functions below it are only part of the task. */
static char *common_function(const struct syt_model_input *in, uint32_t root,
                             const uint32_t *labels, size_t nr, bool is_own, const char *stop)
{
	struct syt_counts seen = {0}; /* function -> number of labels that contain it */
	struct part function, deepest = {NULL, 0};
	uint64_t nr_alike = 0;
	const char *path;

	for (size_t i = 0; i < nr; i++) {
		if (!is_same_entry(in, labels[i], root))
			continue;
		nr_alike++;
		for (path = functions_of(in, labels[i], is_own); next_function(&path, &function);) {
			uint64_t *count =
				syt_counts_at(&seen, XXH3_64bits(function.text, function.bytes), 0);

			if (*count + 1 == nr_alike)
				*count = nr_alike;
		}
	}
	for (path = functions_of(in, root, is_own); next_function(&path, &function);) {
		if (stop && strlen(stop) == function.bytes &&
		    !memcmp(stop, function.text, function.bytes))
			break;
		if (!nr_alike ||
		    syt_counts_of(&seen, XXH3_64bits(function.text, function.bytes), 0) == nr_alike)
			deepest = function;
	}
	syt_counts_fini(&seen);
	return deepest.text ? syt_strndup(deepest.text, deepest.bytes) : NULL;
}

/* Finds the label of most first leaves of each task; of equally many, the first. */
static void find_roots(struct syt_refine_names *n)
{
	struct syt_counts roots = {0}; /* (task, label) -> number */
	uint64_t *most = syt_calloc(n->f->nr_tasks, sizeof(*most));

	SYT_EACH(i, 0, n->f->nr_nodes - n->in->nr_leaves)
		++*syt_counts_at(&roots, n->f->task_of[i], n->in->leaves[n->f->root_of[i]].label);
	for (size_t i = 0; i < roots.nr; i++) {
		const struct syt_count *c = &roots.all[i];

		if (c->nr < most[c->a] || (c->nr == most[c->a] && c->b > n->root[c->a]))
			continue;
		most[c->a] = c->nr;
		n->root[c->a] = (uint32_t)c->b;
	}
	free(most);
	n->roots = roots;
}

/* Returns the name of the function with several callers with which TASK begins, or NULL. */
static const char *function_at_root(const struct syt_refine_names *n, uint32_t task)
{
	for (size_t i = n->first_part[task]; i < n->first_part[task + 1]; i++) {
		const struct syt_model_part *p = &n->p->all[n->parts[i]];

		if (p->is_root && p->what.is_task && n->f->names && n->f->names[p->what.number])
			return n->f->names[p->what.number];
	}
	return NULL;
}

void syt_refine_names_open(struct syt_refine_names *n, const struct syt_model_forest *f,
                           const struct syt_model_input *in, const struct syt_forest_parts *p)
{
	uint32_t nr = f->nr_tasks;
	struct gather g = {0};
	const char *stop;

	*n = (struct syt_refine_names){.in = in, .f = f, .p = p};
	n->first_part = syt_calloc((size_t)nr + 1, sizeof(*n->first_part));
	n->parts = syt_alloc(p->nr, sizeof(*n->parts));
	n->root = syt_calloc(nr, sizeof(*n->root));
	n->function = syt_calloc(nr, sizeof(*n->function));
	n->other = syt_calloc(nr, sizeof(*n->other));
	for (size_t i = 0; i < p->nr; i++)
		n->first_part[p->all[i].task + 1]++;
	for (uint32_t i = 0; i < nr; i++)
		n->first_part[i + 1] += n->first_part[i];
	for (size_t i = p->nr; i-- > 0;)
		n->parts[n->first_part[p->all[i].task]++] = (uint32_t)i;
	memmove(n->first_part + 1, n->first_part, nr * sizeof(*n->first_part));
	n->first_part[0] = 0;
	find_roots(n);
	g.seen_task = syt_calloc(nr, sizeof(*g.seen_task));
	g.seen_label = syt_calloc(in->nr_labels + f->nr_relative, sizeof(*g.seen_label));
	for (uint32_t i = 0; i < nr; i++) {
		if (n->first_part[i] == n->first_part[i + 1])
			continue;
		gather_labels(n, i, &g);
		stop = function_at_root(n, i);
		n->function[i] = common_function(in, n->root[i], g.labels, g.nr_labels, true, stop);
		if (!n->function[i])
			n->other[i] =
				common_function(in, n->root[i], g.labels, g.nr_labels, false, stop);
	}
	free(g.seen_task);
	free(g.seen_label);
	free(g.tasks);
	free(g.labels);
}

void syt_refine_names_close(struct syt_refine_names *n)
{
	for (uint32_t i = 0; i < n->f->nr_tasks; i++) {
		free(n->function[i]);
		free(n->other[i]);
	}
	free(n->function);
	free(n->other);
	free(n->first_part);
	free(n->parts);
	free(n->root);
	syt_counts_fini(&n->roots);
}

/* ---- unique names ---- */

struct named {
	char *name;
	size_t base_bytes; /* of `name`: the function, without the texts that make the name unique */
	uint32_t task;
	uint32_t
		nr_outer; /* number of callers of the function that all first leaves have in common */
	uint64_t content; /* hash of the parts */
};

SYT_COMPARATOR(by_name, struct named)
{
	int order = strcmp(a->name, b->name);

	if (order)
		return order;
	SYT_ORDER_BY(content);
	SYT_ORDER_BY(task);
	return 0;
}

static const char *last_function(const char *path)
{
	const char *end = strrchr(path, ';');

	return end ? end + 1 : path;
}

static bool is_text(const struct part *p, const char *text, size_t bytes)
{
	return p->bytes == bytes && !memcmp(p->text, text, bytes);
}

/* ---- names of tasks whose functions have no symbol ---- */

/* Returns true if a part of a call path is a place without a symbol: "module+0x1234". */
static bool is_nameless(const struct part *p)
{
	return memmem(p->text, p->bytes, "+0x", 3) != NULL;
}

#define MOST_FRAMES 3u /* number of innermost functions among which word_of() looks for a symbol */

/* Returns the innermost function with a symbol of the call path PATH, or of its functions FUNCTIONS, otherwise the call. */
static struct part word_of(const char *path, const char *functions)
{
	struct part word = {last_function(path), strlen(last_function(path))}, function;
	unsigned nr_nameless = 0;

	while (next_function(&functions, &function)) {
		nr_nameless = is_nameless(&function) ? nr_nameless + 1 : 0;
		if (!nr_nameless && function.bytes)
			word = function;
	}
	if (nr_nameless >= MOST_FRAMES)
		return (struct part){last_function(path), strlen(last_function(path))};
	return word;
}

static struct part word_of_label(const struct syt_refine_names *n, uint32_t label)
{
	const char *path;

	if (label < n->in->nr_labels)
		return word_of(n->in->labels[label].text, functions_of(n->in, label, true));
	path = n->f->relative[label - n->in->nr_labels];
	return word_of(path, path_of(path));
}

/* Finds the functions of the program that wait for the readiness of descriptors: event loops. */
static void find_loops(const struct syt_refine_names *n, struct syt_counts *loops)
{
	for (uint32_t i = 0; i < n->in->nr_labels; i++) {
		const char *path = functions_of(n->in, i, true);
		struct part function;

		while (n->in->labels[i].turn == SYT_TURN_READY && next_function(&path, &function))
			*syt_counts_at(loops, XXH3_64bits(function.text, function.bytes), 0) = 1;
	}
}

/* Returns true if NAME, the function that the leaves of a task have in common, tells a reader little: it has no symbol, or it
 * is an event loop, which executes all tasks of a thread. */
static bool is_vague(const struct syt_counts *loops, const char *name)
{
	struct part function = {name, strlen(name)};

	return is_nameless(&function) ||
	       syt_counts_of(loops, XXH3_64bits(function.text, function.bytes), 0);
}

static bool is_send(const char *call)
{
	enum syt_shape shape = syt_call_shape(call);

	return shape == SYT_SHAPE_SEND || shape == SYT_SHAPE_TRANSFER;
}

/* A call of a task that sends. */
struct sender {
	struct part word;
	bool is_elsewhere; /* in a thread that begins with another function than the task */
};

static bool is_before(const struct sender *a, const struct sender *b)
{
	size_t bytes = a->word.bytes < b->word.bytes ? a->word.bytes : b->word.bytes;
	int order;

	if (!b->word.text || a->is_elsewhere != b->is_elsewhere)
		return !b->word.text || b->is_elsewhere;
	order = memcmp(a->word.text, b->word.text, bytes);
	return order < 0 || (!order && a->word.bytes < b->word.bytes);
}

/* Returns a name made of calls: the call with which TASK begins, and the call with which it sends: "read..sendmsg". The
 * result is from malloc. */
static char *name_by_calls(const struct syt_refine_names *n, uint32_t task, struct gather *g)
{
	struct part first = word_of_label(n, n->root[task]);
	struct sender last = {{NULL, 0}, false};

	gather(n, task, true, g);
	for (size_t i = 0; i < g->nr_labels; i++) {
		uint32_t label = g->labels[i];
		bool is_relative = label >= n->in->nr_labels;
		const char *path = is_relative ? n->f->relative[label - n->in->nr_labels]
		                               : n->in->labels[label].text;
		struct sender s = {word_of_label(n, label),
		                   !is_relative && !is_same_entry(n->in, label, n->root[task])};

		if (is_send(last_function(path)) && is_before(&s, &last))
			last = s;
	}
	if (!last.word.text || is_text(&last.word, first.text, first.bytes))
		return syt_strndup(first.text, first.bytes);
	return syt_asprintf("%.*s..%.*s", (int)first.bytes, first.text, (int)last.word.bytes,
	                    last.word.text);
}

/* Returns a hash of the labels of all leaves of a task, which does not depend on numbers. */
static uint64_t content_of(const struct syt_refine_names *n, uint32_t task, struct gather *g)
{
	uint64_t sum = 0;

	gather_labels(n, task, g);
	for (size_t i = 0; i < g->nr_labels; i++) {
		const char *text = n->in->labels[g->labels[i]].text;

		sum += XXH3_64bits(text, strlen(text));
	}
	for (size_t i = n->first_part[task]; i < n->first_part[task + 1]; i++) {
		const struct syt_model_part *p = &n->p->all[n->parts[i]];
		const char *text = p->what.is_task ? n->f->names[p->what.number]
		                   : p->what.number < n->in->nr_labels
		                           ? NULL
		                           : n->f->relative[p->what.number - n->in->nr_labels];

		sum += p->what.is_task ? 1 : 0;
		sum += text ? XXH3_64bits(text, strlen(text)) : 0;
	}
	return sum;
}

#define MOST_FUNCTIONS 256u /* maximum number of functions on a call path that names consider */

/* The functions on a call path, around the function that gives a task its name. */
struct around {
	struct part all[MOST_FUNCTIONS + 2]; /* the program, the functions, the call */
	size_t nr, at; /* number of parts; index of the naming function, or nr */
};

static void look_around(const struct syt_refine_names *n, uint32_t label, const char *name,
                        size_t bytes, struct around *a)
{
	const char *text = n->in->labels[label].text, *call = last_function(text);

	for (int is_own = 1; is_own >= 0; is_own--) {
		const char *path = functions_of(n->in, label, is_own);

		a->nr = 0;
		a->all[a->nr++] = (struct part){text, strcspn(text, ":;")};
		while (a->nr <= MOST_FUNCTIONS && next_function(&path, &a->all[a->nr]))
			a->nr++;
		a->all[a->nr++] = (struct part){call, strlen(call)};
		for (a->at = a->nr; a->at-- > 1;)
			if (is_text(&a->all[a->at], name, bytes))
				return;
	}
	a->at = a->nr;
}

/* Returns the function that is LEVEL calls outside of the naming function; the program follows the outermost function.
 * Returns NULL if there is none. */
static const struct part *outer(const struct around *a, size_t level)
{
	return a->at < a->nr && level < a->at ? &a->all[a->at - 1 - level] : NULL;
}

/* Counts the callers of the naming function that all first leaves of each task have in common. */
static void find_outer(const struct syt_refine_names *n, struct named *all, size_t nr)
{
	struct named **named_of = syt_calloc(n->f->nr_tasks, sizeof(*named_of));

	for (size_t i = 0; i < nr; i++) {
		named_of[all[i].task] = &all[i];
		all[i].nr_outer = MOST_FUNCTIONS;
	}
	for (size_t i = 0; i < n->roots.nr; i++) {
		struct named *t = named_of[n->roots.all[i].a];
		struct around first, other;
		uint32_t level = 0;

		if (!t || n->roots.all[i].b == n->root[t->task])
			continue;
		look_around(n, n->root[t->task], t->name, t->base_bytes, &first);
		look_around(n, (uint32_t)n->roots.all[i].b, t->name, t->base_bytes, &other);
		for (; level < t->nr_outer; level++) {
			const struct part *f = outer(&first, level), *o = outer(&other, level);

			if (!f || !o || !is_text(f, o->text, o->bytes))
				break;
		}
		t->nr_outer = level;
	}
	free(named_of);
}

/* Sets TEXTS to the innermost callers of the naming function that are not equal in all tasks of a run. */
static void tell_callers(const struct syt_refine_names *n, const struct named *run, size_t nr,
                         char **texts)
{
	struct around *a = syt_alloc(nr, sizeof(*a));
	bool has_different = false, has_any = true;

	for (size_t i = 0; i < nr; i++)
		look_around(n, n->root[run[i].task], run[i].name, run[i].base_bytes, &a[i]);
	for (uint32_t level = 0; has_any && !has_different; level++) {
		const struct part *first = NULL;

		has_any = false;
		for (size_t i = 0; i < nr; i++) {
			const struct part *p = level < run[i].nr_outer ? outer(&a[i], level) : NULL;

			has_different |= i && (!p != !first ||
			                       (p && !is_text(p, first->text, first->bytes)));
			has_any |= p != NULL;
			first = i ? first : p;
		}
		for (size_t i = 0; i < nr && has_different; i++) {
			const struct part *p = level < run[i].nr_outer ? outer(&a[i], level) : NULL;

			texts[i] = p ? syt_strndup(p->text, p->bytes) : NULL;
		}
	}
	free(a);
}

/* A function, a call or a part in a task of a run. */
struct word {
	struct part part;
	uint64_t hash;
	uint32_t task;  /* index in the run */
	uint32_t depth; /* number of functions before it on the call path */
};

SYT_COMPARATOR(by_word, struct word)
{
	SYT_ORDER_BY(hash);
	SYT_ORDER_BY(task);
	SYT_ORDER_BY(depth);
	return 0;
}

struct words {
	size_t nr, room;
	struct word *all;
};

static void add_word(struct words *w, const char *text, size_t bytes, uint32_t task, uint32_t depth)
{
	*SYT_ADD(w->all, w->nr, w->room) =
		(struct word){{text, bytes}, XXH3_64bits(text, bytes), task, depth};
}

static void add_path(struct words *w, const char *path, const char *call, uint32_t task)
{
	struct part function;
	uint32_t depth = 0;

	while (next_function(&path, &function))
		add_word(w, function.text, function.bytes, task, depth++);
	add_word(w, call, strlen(call), task, MOST_FUNCTIONS);
}

/* Finds the functions, the calls and the parts of all tasks of a run, each once for each task. With IS_OWN, the program's
 * functions are enough. */
static void find_words(const struct syt_refine_names *n, const struct named *run, size_t nr,
                       bool is_own, struct gather *g, struct words *w)
{
	size_t nr_kept = 0;

	for (uint32_t i = 0; i < nr; i++) {
		uint32_t task = run[i].task;

		gather_labels(n, task, g);
		for (size_t l = 0; l < g->nr_labels; l++)
			add_path(w, functions_of(n->in, g->labels[l], is_own),
			         last_function(n->in->labels[g->labels[l]].text), i);
		for (size_t k = n->first_part[task]; k < n->first_part[task + 1]; k++) {
			struct syt_model_what what = n->p->all[n->parts[k]].what;

			if (what.is_task && n->f->names[what.number])
				add_word(w, n->f->names[what.number],
				         strlen(n->f->names[what.number]), i, 0);
			else if (!what.is_task && what.number >= n->in->nr_labels) {
				const char *text = n->f->relative[what.number - n->in->nr_labels];

				add_path(w, path_of(text), last_function(text), i);
			}
		}
	}
	if (w->nr)
		qsort(w->all, w->nr, sizeof(*w->all), by_word);
	for (size_t i = 0; i < w->nr; i++)
		if (!i || w->all[i].hash != w->all[nr_kept - 1].hash ||
		    w->all[i].task != w->all[nr_kept - 1].task)
			w->all[nr_kept++] = w->all[i];
	w->nr = nr_kept;
}

/* Returns true if A tells more about a task than B: a function further out; of equally many, the first by text. */
static bool is_better(const struct word *a, const struct word *b)
{
	size_t bytes =
		a->part.bytes < (b ? b->part.bytes : 0) ? a->part.bytes : (b ? b->part.bytes : 0);
	int order;

	if (b && is_nameless(&a->part) != is_nameless(&b->part))
		return is_nameless(&b->part);
	if (!b || a->depth != b->depth)
		return !b || a->depth < b->depth;
	order = memcmp(a->part.text, b->part.text, bytes);
	return order < 0 || (!order && a->part.bytes < b->part.bytes);
}

/* Sets TEXTS to a function that only one task of a run contains. With IS_SPLIT, one function that some tasks of the run
 * contain is enough: the fewest, because a task with more than the usual parts is rare. */
static void tell_functions(const struct syt_refine_names *n, const struct named *run, size_t nr,
                           struct gather *g, bool is_split, bool is_own, char **texts)
{
	const struct word **best = syt_calloc(nr, sizeof(const struct word *));
	struct words w = {0};
	size_t first_best = 0, nr_best = nr;

	find_words(n, run, nr, is_own, g, &w);
	for (size_t i = 0, end; i < w.nr; i = end) {
		for (end = i + 1; end < w.nr && w.all[end].hash == w.all[i].hash;)
			end++;
		if (end - i == 1 && !is_split && is_better(&w.all[i], best[w.all[i].task]))
			best[w.all[i].task] = &w.all[i];
		if (end - i < nr_best || (end - i == nr_best && nr_best < nr &&
		                          is_better(&w.all[i], &w.all[first_best]))) {
			first_best = i;
			nr_best = end - i;
		}
	}
	for (size_t i = 0; is_split && nr_best < nr && i < nr_best; i++)
		best[w.all[first_best + i].task] = &w.all[first_best + i];
	for (size_t i = 0; i < nr; i++)
		if (best[i])
			texts[i] = syt_strndup(best[i]->part.text, best[i]->part.bytes);
	free(best);
	free(w.all);
}

#define MOST_ALIKE 64u /* more tasks with the same name are distinguished by their contents only */

/* Returns the end of the run of equal names that begins at FIRST. */
static size_t end_of_run(const struct named *all, size_t nr, size_t first)
{
	size_t end = first + 1;

	while (end < nr && !strcmp(all[end].name, all[first].name))
		end++;
	return end;
}

/* Returns true if TASK consists of occurrences of one other task. */
static bool is_loop(const struct syt_refine_names *n, uint32_t task)
{
	return n->first_part[task + 1] - n->first_part[task] == 1 &&
	       n->p->all[n->parts[n->first_part[task]]].what.is_task;
}

/* Returns true if the first leaves of all tasks of a run begin with the same call. */
static bool has_one_root(const struct syt_refine_names *n, const struct named *run, size_t nr)
{
	const char *first = last_function(n->in->labels[n->root[run[0].task]].text);

	for (size_t i = 1; i < nr; i++)
		if (strcmp(last_function(n->in->labels[n->root[run[i].task]].text), first))
			return false;
	return true;
}

/* The texts that make equal names different, in the order in which they are tried. */
enum step {
	STEP_LOOP,
	STEP_CALLER,
	STEP_FUNCTION,
	STEP_ROOT,
	STEP_SPLIT,
	STEP_SPLIT_2,
	STEP_SPLIT_3,
	STEP_CONTENT,
	STEP_NUMBER,
	NR_STEPS
};
static const char *const separators[] = {"",       " in ",   " with ", " at ", " with ",
                                         " with ", " with ", "~",      "~"};

/* Returns the separator before the text of STEP behind NAME. */
static const char *separator(const char *name, enum step step)
{
	bool is_second = step >= STEP_SPLIT && step <= STEP_SPLIT_3 && strstr(name, " with ");

	return is_second ? " and " : separators[step];
}

/* Returns the function TEXT without the name of its module, if this module is the program and the function has no symbol:
 * "+0x1234". LABEL begins with the name of the program. */
static const char *without_program(const char *text, const char *label)
{
	size_t bytes = strcspn(label, ":");

	return label[bytes] && !strncmp(text, label, bytes) && !strncmp(text + bytes, "+0x", 3)
	               ? text + bytes
	               : text;
}

/* Appends to the equal names of a run the text of STEP. */
static void append(const struct syt_refine_names *n, struct named *run, size_t nr, enum step step,
                   struct gather *g)
{
	char **texts = syt_calloc(nr, sizeof(*texts));

	if (step == STEP_CALLER && nr <= MOST_ALIKE)
		tell_callers(n, run, nr, texts);
	else if ((step == STEP_FUNCTION || (step >= STEP_SPLIT && step <= STEP_SPLIT_3)) &&
	         nr <= MOST_ALIKE)
		tell_functions(n, run, nr, g, step != STEP_FUNCTION, step <= STEP_SPLIT, texts);
	for (size_t i = 0; i < nr; i++) {
		const char *root = last_function(n->in->labels[n->root[run[i].task]].text);

		if (step == STEP_LOOP && is_loop(n, run[i].task))
			texts[i] = syt_strndup("+", 1);
		else if (step == STEP_ROOT && !has_one_root(n, run, nr))
			texts[i] = syt_strndup(root, SIZE_MAX);
		else if (step == STEP_CONTENT)
			texts[i] = syt_asprintf("%04x", (unsigned)(run[i].content & 0xffff));
		else if (step == STEP_NUMBER)
			texts[i] = syt_asprintf("%zu", i + 1);
	}
	for (size_t i = 0; i < nr; i++) {
		const char *program = n->in->labels[n->root[run[i].task]].text;
		char *longer =
			texts[i] ? syt_asprintf("%s%s%s", run[i].name, separator(run[i].name, step),
		                                without_program(texts[i], program))
				 : NULL;

		if (longer) {
			free(run[i].name);
			run[i].name = longer;
		}
		free(texts[i]);
	}
	free(texts);
}

void syt_refine_name(struct syt_model_forest *f, struct syt_refine_names *n)
{
	struct named *all = syt_calloc(f->nr_tasks, sizeof(*all));
	struct syt_counts loops = {0};
	struct gather g = {0};
	size_t nr = 0;

	if (!f->names)
		f->names = syt_calloc(f->nr_tasks, sizeof(*f->names));
	g.seen_task = syt_calloc(f->nr_tasks, sizeof(*g.seen_task));
	g.seen_label = syt_calloc(n->in->nr_labels + f->nr_relative, sizeof(*g.seen_label));
	find_loops(n, &loops);
	for (uint32_t i = 0; i < f->nr_tasks; i++) {
		const char *name;
		char *copy;

		if (n->first_part[i] == n->first_part[i + 1] && !f->names[i])
			continue;
		name = f->names[i] ? f->names[i] : n->function[i] ? n->function[i] : n->other[i];
		if (!name || (!f->names[i] && is_vague(&loops, name)))
			copy = name_by_calls(n, i, &g);
		else
			copy = syt_strndup(name, SIZE_MAX);
		all[nr++] = (struct named){.name = copy, .base_bytes = strlen(copy), .task = i};
	}
	syt_counts_fini(&loops);
	find_outer(n, all, nr);
	for (size_t i = 0; i < nr; i++)
		all[i].content = content_of(n, all[i].task, &g);
	for (enum step step = 0; step < NR_STEPS && nr; step++) {
		qsort(all, nr, sizeof(*all), by_name);
		for (size_t i = 0, end; i < nr; i = end) {
			end = end_of_run(all, nr, i);
			if (end - i > 1)
				append(n, &all[i], end - i, step, &g);
		}
	}
	for (size_t i = 0; i < nr; i++) {
		free(f->names[all[i].task]);
		f->names[all[i].task] = all[i].name;
	}
	free(all);
	free(g.seen_task);
	free(g.seen_label);
	free(g.tasks);
	free(g.labels);
}
