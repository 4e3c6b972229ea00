/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Makes equal names of tasks different: appends texts that depend only on call paths and on the set of tasks. */
#include "decoder/model/name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/compare.h"
#include "base/err.h"

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

/* Returns a hash of the labels of all leaves of a task, which does not depend on numbers. */
static uint64_t content_of(const struct syt_refine_names *n, uint32_t task,
                           struct syt_name_leaves *l)
{
	uint64_t sum = 0;

	syt_name_leaves_find(l, n, task, false);
	for (size_t i = 0; i < l->nr_labels; i++) {
		const char *text = n->in->labels[l->labels[i]].text;

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
	struct syt_name_part all[MOST_FUNCTIONS + 2]; /* the program, the functions, the call */
	size_t nr, at; /* number of parts; index of the naming function, or nr */
};

static void look_around(const struct syt_refine_names *n, uint32_t label, const char *name,
                        size_t bytes, struct around *a)
{
	const char *text = n->in->labels[label].text, *call = syt_name_call(text);

	for (int is_own = 1; is_own >= 0; is_own--) {
		const char *path = syt_name_functions(n->in, label, is_own);

		a->nr = 0;
		a->all[a->nr++] = (struct syt_name_part){text, strcspn(text, ":;")};
		while (a->nr <= MOST_FUNCTIONS && syt_name_next(&path, &a->all[a->nr]))
			a->nr++;
		a->all[a->nr++] = (struct syt_name_part){call, strlen(call)};
		for (a->at = a->nr; a->at-- > 1;)
			if (syt_name_is(&a->all[a->at], name, bytes))
				return;
	}
	a->at = a->nr;
}

/* Returns the function that is LEVEL calls outside of the naming function; the program follows the outermost function.
 * Returns NULL if there is none. */
static const struct syt_name_part *outer(const struct around *a, size_t level)
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
			const struct syt_name_part *f = outer(&first, level),
						   *o = outer(&other, level);

			if (!f || !o || !syt_name_is(f, o->text, o->bytes))
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
		const struct syt_name_part *first = NULL;

		has_any = false;
		for (size_t i = 0; i < nr; i++) {
			const struct syt_name_part *p =
				level < run[i].nr_outer ? outer(&a[i], level) : NULL;

			has_different |= i && (!p != !first ||
			                       (p && !syt_name_is(p, first->text, first->bytes)));
			has_any |= p != NULL;
			first = i ? first : p;
		}
		for (size_t i = 0; i < nr && has_different; i++) {
			const struct syt_name_part *p =
				level < run[i].nr_outer ? outer(&a[i], level) : NULL;

			texts[i] = p ? syt_strndup(p->text, p->bytes) : NULL;
		}
	}
	free(a);
}

/* A function, a call or a part in a task of a run. */
struct word {
	struct syt_name_part part;
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
	struct syt_name_part function;
	uint32_t depth = 0;

	while (syt_name_next(&path, &function))
		add_word(w, function.text, function.bytes, task, depth++);
	add_word(w, call, strlen(call), task, MOST_FUNCTIONS);
}

/* Finds the functions, the calls and the parts of all tasks of a run, each once for each task. With IS_OWN, the program's
 * functions are enough. */
static void find_words(const struct syt_refine_names *n, const struct named *run, size_t nr,
                       bool is_own, struct syt_name_leaves *l, struct words *w)
{
	size_t nr_kept = 0;

	for (uint32_t i = 0; i < nr; i++) {
		uint32_t task = run[i].task;

		syt_name_leaves_find(l, n, task, false);
		for (size_t k = 0; k < l->nr_labels; k++)
			add_path(w, syt_name_functions(n->in, l->labels[k], is_own),
			         syt_name_call(n->in->labels[l->labels[k]].text), i);
		for (size_t k = n->first_part[task]; k < n->first_part[task + 1]; k++) {
			struct syt_model_what what = n->p->all[n->parts[k]].what;

			if (what.is_task && n->f->names[what.number])
				add_word(w, n->f->names[what.number],
				         strlen(n->f->names[what.number]), i, 0);
			else if (!what.is_task && what.number >= n->in->nr_labels) {
				const char *text = n->f->relative[what.number - n->in->nr_labels];

				add_path(w, syt_name_path(text), syt_name_call(text), i);
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

	if (b && syt_name_is_nameless(&a->part) != syt_name_is_nameless(&b->part))
		return syt_name_is_nameless(&b->part);
	if (!b || a->depth != b->depth)
		return !b || a->depth < b->depth;
	order = memcmp(a->part.text, b->part.text, bytes);
	return order < 0 || (!order && a->part.bytes < b->part.bytes);
}

/* Sets TEXTS to a function that only one task of a run contains. With IS_SPLIT, one function that some tasks of the run
 * contain is enough: the fewest, because a task with more than the usual parts is rare. */
static void tell_functions(const struct syt_refine_names *n, const struct named *run, size_t nr,
                           struct syt_name_leaves *l, bool is_split, bool is_own, char **texts)
{
	const struct word **best = syt_calloc(nr, sizeof(const struct word *));
	struct words w = {0};
	size_t first_best = 0, nr_best = nr;

	find_words(n, run, nr, is_own, l, &w);
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
	const char *first = syt_name_call(n->in->labels[n->root[run[0].task]].text);

	for (size_t i = 1; i < nr; i++)
		if (strcmp(syt_name_call(n->in->labels[n->root[run[i].task]].text), first))
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
                   struct syt_name_leaves *l)
{
	char **texts = syt_calloc(nr, sizeof(*texts));

	if (step == STEP_CALLER && nr <= MOST_ALIKE)
		tell_callers(n, run, nr, texts);
	else if ((step == STEP_FUNCTION || (step >= STEP_SPLIT && step <= STEP_SPLIT_3)) &&
	         nr <= MOST_ALIKE)
		tell_functions(n, run, nr, l, step != STEP_FUNCTION, step <= STEP_SPLIT, texts);
	for (size_t i = 0; i < nr; i++) {
		const char *root = syt_name_call(n->in->labels[n->root[run[i].task]].text);

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

void syt_name_make_unique(const struct syt_refine_names *n, char **names)
{
	struct named *all = syt_calloc(n->f->nr_tasks, sizeof(*all));
	struct syt_name_leaves leaves;
	size_t nr = 0;

	for (uint32_t i = 0; i < n->f->nr_tasks; i++)
		if (names[i])
			all[nr++] = (struct named){
				.name = names[i], .base_bytes = strlen(names[i]), .task = i};
	syt_name_leaves_open(&leaves, n);
	find_outer(n, all, nr);
	for (size_t i = 0; i < nr; i++)
		all[i].content = content_of(n, all[i].task, &leaves);
	for (enum step step = 0; step < NR_STEPS && nr; step++) {
		qsort(all, nr, sizeof(*all), by_name);
		for (size_t i = 0, end; i < nr; i = end) {
			end = end_of_run(all, nr, i);
			if (end - i > 1)
				append(n, &all[i], end - i, step, &leaves);
		}
	}
	for (size_t i = 0; i < nr; i++)
		names[all[i].task] = all[i].name;
	free(all);
	syt_name_leaves_close(&leaves);
}
