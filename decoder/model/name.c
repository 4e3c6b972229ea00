/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/model/name.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/counts.h"
#include "base/err.h"
#include "decoder/read/call.h"

bool syt_name_next(const char **path, struct syt_name_part *function)
{
	const char *end = strchr(*path, ';');

	if (!end)
		return false;
	*function = (struct syt_name_part){*path, (size_t)(end - *path)};
	*path = end + 1;
	return true;
}

const char *syt_name_path(const char *text)
{
	const char *colon = strstr(text, ": ");

	return colon ? colon + 2 : text;
}

const char *syt_name_functions(const struct syt_model_input *in, uint32_t label, bool is_own)
{
	const char *own = in->labels[label].own;

	return is_own && own ? own : syt_name_path(in->labels[label].text);
}

const char *syt_name_call(const char *path)
{
	const char *end = strrchr(path, ';');

	return end ? end + 1 : path;
}

bool syt_name_is(const struct syt_name_part *p, const char *text, size_t bytes)
{
	return p->bytes == bytes && !memcmp(p->text, text, bytes);
}

bool syt_name_is_nameless(const struct syt_name_part *p)
{
	return memmem(p->text, p->bytes, "+0x", 3) != NULL;
}

/* Returns true if two labels begin with the same program and function. */
static bool is_same_entry(const struct syt_model_input *in, uint32_t a, uint32_t b)
{
	size_t bytes = strcspn(in->labels[a].text, ";");

	return strcspn(in->labels[b].text, ";") == bytes &&
	       !memcmp(in->labels[a].text, in->labels[b].text, bytes);
}

/* ---- the labels of all leaves of a task ---- */

void syt_name_leaves_open(struct syt_name_leaves *l, const struct syt_refine_names *n)
{
	*l = (struct syt_name_leaves){
		.seen_task = syt_calloc(n->f->nr_tasks, sizeof(*l->seen_task)),
		.seen_label =
			syt_calloc(n->in->nr_labels + n->f->nr_relative, sizeof(*l->seen_label))};
}

void syt_name_leaves_close(struct syt_name_leaves *l)
{
	free(l->seen_task);
	free(l->seen_label);
	free(l->tasks);
	free(l->labels);
}

void syt_name_leaves_find(struct syt_name_leaves *l, const struct syt_refine_names *n,
                          uint32_t task, bool is_all)
{
	l->nr_tasks = l->nr_labels = 0;
	l->walk++;
	*SYT_ADD(l->tasks, l->nr_tasks, l->room_tasks) = task;
	l->seen_task[task] = l->walk;
	while (l->nr_tasks) {
		uint32_t at = l->tasks[--l->nr_tasks];

		for (size_t i = n->first_part[at]; i < n->first_part[at + 1]; i++) {
			struct syt_model_what what = n->p->all[n->parts[i]].what;
			uint32_t *seen = what.is_task ? &l->seen_task[what.number]
			                              : &l->seen_label[what.number];

			if (*seen == l->walk)
				continue;
			/* the leaves of a function with several callers are not all below this task */
			if (!is_all && ((what.is_task && n->f->names && n->f->names[what.number]) ||
			                (!what.is_task && what.number >= n->in->nr_labels)))
				continue;
			*seen = l->walk;
			if (what.is_task)
				*SYT_ADD(l->tasks, l->nr_tasks, l->room_tasks) = what.number;
			else
				*SYT_ADD(l->labels, l->nr_labels, l->room_labels) = what.number;
		}
	}
}

/* Returns the deepest function that all LABELS that begin like ROOT have in common, from malloc, or NULL. The function STOP
 * (NULL: none) and all functions below it are only part of the task. */
static char *common_function(const struct syt_model_input *in, uint32_t root,
                             const uint32_t *labels, size_t nr, bool is_own, const char *stop)
{
	struct syt_counts seen = {0}; /* function -> number of labels that contain it */
	struct syt_name_part function, deepest = {NULL, 0};
	uint64_t nr_alike = 0;
	const char *path;

	for (size_t i = 0; i < nr; i++) {
		if (!is_same_entry(in, labels[i], root))
			continue;
		nr_alike++;
		for (path = syt_name_functions(in, labels[i], is_own);
		     syt_name_next(&path, &function);) {
			uint64_t *count =
				syt_counts_at(&seen, XXH3_64bits(function.text, function.bytes), 0);

			if (*count + 1 == nr_alike)
				*count = nr_alike;
		}
	}
	for (path = syt_name_functions(in, root, is_own); syt_name_next(&path, &function);) {
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
	struct syt_name_leaves leaves;
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
	syt_name_leaves_open(&leaves, n);
	for (uint32_t i = 0; i < nr; i++) {
		if (n->first_part[i] == n->first_part[i + 1])
			continue;
		syt_name_leaves_find(&leaves, n, i, false);
		stop = function_at_root(n, i);
		n->function[i] = common_function(in, n->root[i], leaves.labels, leaves.nr_labels,
		                                 true, stop);
		if (!n->function[i])
			n->other[i] = common_function(in, n->root[i], leaves.labels,
			                              leaves.nr_labels, false, stop);
	}
	syt_name_leaves_close(&leaves);
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

/* ---- names of tasks whose functions have no symbol ---- */

#define MOST_FRAMES 3u /* number of innermost functions among which word_of() looks for a symbol */

/* Returns the innermost function with a symbol of the call path PATH, or of its functions FUNCTIONS, otherwise the call. */
static struct syt_name_part word_of(const char *path, const char *functions)
{
	struct syt_name_part word = {syt_name_call(path), strlen(syt_name_call(path))}, function;
	unsigned nr_nameless = 0;

	while (syt_name_next(&functions, &function)) {
		nr_nameless = syt_name_is_nameless(&function) ? nr_nameless + 1 : 0;
		if (!nr_nameless && function.bytes)
			word = function;
	}
	if (nr_nameless >= MOST_FRAMES)
		return (struct syt_name_part){syt_name_call(path), strlen(syt_name_call(path))};
	return word;
}

static struct syt_name_part word_of_label(const struct syt_refine_names *n, uint32_t label)
{
	const char *path;

	if (label < n->in->nr_labels)
		return word_of(n->in->labels[label].text, syt_name_functions(n->in, label, true));
	path = n->f->relative[label - n->in->nr_labels];
	return word_of(path, syt_name_path(path));
}

/* Finds the functions of the program that wait for the readiness of descriptors: event loops. */
static void find_loops(const struct syt_refine_names *n, struct syt_counts *loops)
{
	for (uint32_t i = 0; i < n->in->nr_labels; i++) {
		const char *path = syt_name_functions(n->in, i, true);
		struct syt_name_part function;

		while (n->in->labels[i].turn == SYT_TURN_READY && syt_name_next(&path, &function))
			*syt_counts_at(loops, XXH3_64bits(function.text, function.bytes), 0) = 1;
	}
}

/* Returns true if NAME, the function that the leaves of a task have in common, tells a reader little: it has no symbol, or it
 * is an event loop, which executes all tasks of a thread. */
static bool is_vague(const struct syt_counts *loops, const char *name)
{
	struct syt_name_part function = {name, strlen(name)};

	return syt_name_is_nameless(&function) ||
	       syt_counts_of(loops, XXH3_64bits(function.text, function.bytes), 0);
}

static bool is_send(const char *call)
{
	enum syt_shape shape = syt_call_shape(call);

	return shape == SYT_SHAPE_SEND || shape == SYT_SHAPE_TRANSFER;
}

/* A call of a task that sends. */
struct sender {
	struct syt_name_part word;
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
static char *name_by_calls(const struct syt_refine_names *n, uint32_t task,
                           struct syt_name_leaves *l)
{
	struct syt_name_part first = word_of_label(n, n->root[task]);
	struct sender last = {{NULL, 0}, false};

	syt_name_leaves_find(l, n, task, true);
	for (size_t i = 0; i < l->nr_labels; i++) {
		uint32_t label = l->labels[i];
		bool is_relative = label >= n->in->nr_labels;
		const char *path = is_relative ? n->f->relative[label - n->in->nr_labels]
		                               : n->in->labels[label].text;
		struct sender s = {word_of_label(n, label),
		                   !is_relative && !is_same_entry(n->in, label, n->root[task])};

		if (is_send(syt_name_call(path)) && is_before(&s, &last))
			last = s;
	}
	if (!last.word.text || syt_name_is(&last.word, first.text, first.bytes))
		return syt_strndup(first.text, first.bytes);
	return syt_asprintf("%.*s..%.*s", (int)first.bytes, first.text, (int)last.word.bytes,
	                    last.word.text);
}

void syt_refine_name(struct syt_model_forest *f, struct syt_refine_names *n)
{
	char **names = syt_calloc(f->nr_tasks, sizeof(*names));
	struct syt_counts loops = {0};
	struct syt_name_leaves leaves;

	if (!f->names)
		f->names = syt_calloc(f->nr_tasks, sizeof(*f->names));
	syt_name_leaves_open(&leaves, n);
	find_loops(n, &loops);
	for (uint32_t i = 0; i < f->nr_tasks; i++) {
		const char *name;

		if (n->first_part[i] == n->first_part[i + 1] && !f->names[i])
			continue;
		name = f->names[i] ? f->names[i] : n->function[i] ? n->function[i] : n->other[i];
		if (!name || (!f->names[i] && is_vague(&loops, name)))
			names[i] = name_by_calls(n, i, &leaves);
		else
			names[i] = syt_strndup(name, SIZE_MAX);
	}
	syt_counts_fini(&loops);
	syt_name_leaves_close(&leaves);
	syt_name_make_unique(n, names);
	for (uint32_t i = 0; i < f->nr_tasks; i++)
		free(f->names[i]);
	free(f->names);
	f->names = names;
}
