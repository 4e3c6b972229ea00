/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/compare/task_rules.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/compare.h"
#include "base/err.h"
#include "decoder/model/merge.h"
#include "decoder/model/rename.h"

static enum syt_fact_type fact_type(enum syt_rule_type type)
{
	return type == SYT_RULE_TASK   ? SYT_FACT_TASK
	       : type == SYT_RULE_PART ? SYT_FACT_PART
	                               : SYT_FACT_ARC;
}

#define MOST_ROUNDS 8u /* of learning */

/* ---- lists of rules with counts ---- */

/* A rule, and its counts in one run. */
struct seen {
	enum syt_rule_type type;
	uint32_t run;
	char *text;
	uint64_t nr, most;
};

struct list {
	size_t nr, room;
	struct seen *all;
	uint32_t run; /* number of the run whose rules are being added */
};

SYT_COMPARATOR(by_rule, struct seen)
{
	int order;

	SYT_ORDER_BY(type);
	order = strcmp(a->text, b->text);
	return order ? order : SYT_COMPARE(a->run, b->run);
}

static void put(void *context, enum syt_rule_type type, char *text, uint64_t nr, uint64_t most)
{
	struct list *l = context;
	struct seen seen = {type, l->run, text, nr, most};

	*SYT_ADD(l->all, l->nr, l->room) = seen;
}

static void sort(struct list *l)
{
	if (l->nr)
		qsort(l->all, l->nr, sizeof(*l->all), by_rule);
}

static void close_list(struct list *l)
{
	for (size_t i = 0; i < l->nr; i++)
		free(l->all[i].text);
	free(l->all);
	memset(l, 0, sizeof(*l));
}

/* Returns the end of the elements from FIRST on that have the same rule. */
static size_t end_of(const struct list *l, size_t first)
{
	size_t end = first;

	while (end < l->nr && l->all[end].type == l->all[first].type &&
	       !strcmp(l->all[end].text, l->all[first].text))
		end++;
	return end;
}

static const struct seen *find(const struct list *l, enum syt_rule_type type, const char *text,
                               uint32_t run)
{
	struct seen key = {.type = type, .text = (char *)(uintptr_t)text, .run = run};

	return l->nr ? bsearch(&key, l->all, l->nr, sizeof(key), by_rule) : NULL;
}

/* Compares the task with which the rule TEXT begins with the task NAME, which ends before a tab or at its end. The order is
 * the order of rules, because names contain no control characters. */
static int compare_task(const char *text, const char *name)
{
	size_t bytes = strcspn(name, "\t");
	int order = strncmp(text, name, bytes);

	return order ? order : (unsigned char)text[bytes] - '\t';
}

/* Returns the index of the first rule of type task about the task NAME in the sorted list L, or the number of rules. */
static size_t find_task(const struct list *l, const char *name)
{
	size_t at = SYT_BISECT(i, 0, l->nr,
	                       l->all[i].type == SYT_RULE_TASK &&
	                               compare_task(l->all[i].text, name) < 0);

	return at < l->nr && l->all[at].type == SYT_RULE_TASK &&
	                       !compare_task(l->all[at].text, name)
	               ? at
	               : l->nr;
}

/* ---- application of rules ---- */

static bool is_known(const void *context, const char *path)
{
	return syt_baseline_find(context, SYT_FACT_CALL, path) ||
	       syt_baseline_find(context, SYT_FACT_WAIT, path) ||
	       syt_baseline_find(context, SYT_FACT_MAKE, path);
}

/* Adds the rules of the sorted list L that agree with the rules before them to R, and drops the others from L. */
static void add_rules(struct syt_rules *r, struct list *l)
{
	struct syt_rule_error error;
	size_t nr = 0;

	memset(r, 0, sizeof(*r));
	for (size_t i = 0; i < l->nr; i++) {
		if (syt_rules_add(r, l->all[i].type, l->all[i].text, i + 1, 1, &error))
			l->all[nr++] = l->all[i];
		else
			free(l->all[i].text);
	}
	l->nr = nr;
	syt_rules_check(r, &error);
}

/* Adds the counts of the tasks, parts and arcs in the graph IN to TO. */
static void apply(const struct syt_rules *r, const struct syt_baseline *b,
                  const struct syt_model_input *in, struct list *to)
{
	struct syt_model_forest forest;

	syt_rules_apply(&forest, r, in, is_known, b);
	syt_rules_count(&forest, r, in, put, to);
	syt_model_forest_close(&forest);
}

/* Applies the rules of L to all runs. Returns the counts, sorted. */
static struct list count_all(struct list *l, const struct syt_baseline *b,
                             const struct syt_run *runs, size_t nr)
{
	struct list counts = {.nr = 0};
	struct syt_rules rules;

	add_rules(&rules, l);
	for (size_t i = 0; i < nr; i++) {
		counts.run = (uint32_t)i;
		apply(&rules, b, &runs[i].graph, &counts);
	}
	sort(&counts);
	syt_rules_close(&rules);
	return counts;
}

/* ---- learning ---- */

/* Adds the tasks that the miner finds in the graph IN of NR_RUNS runs to L, with the names in the file RENAME. A task must occur
 * as often in each run as in the model of one run, so that both models have the same tasks. */
static bool mine(struct list *l, const struct syt_model_input *in, size_t nr_runs,
                 const char *rename)
{
	uint64_t least = SYT_MODEL_LEAST * (uint64_t)nr_runs;
	struct syt_model_options options = {
		.least = (uint32_t)(least < UINT32_MAX ? least : UINT32_MAX)};
	struct syt_model model;
	bool is_good;

	if (!in->nr_leaves)
		return true;
	if (syt_model_open(&model, in, &options))
		return false;
	is_good = !rename || syt_model_rename(&model, rename);
	syt_rules_of_model(&model, SYT_MODEL_LEAST, put, l);
	syt_model_close(&model);
	return is_good;
}

/* Drops the tasks that do not occur in COUNTS, and their parts and arcs. Returns false if there are none. */
static bool drop_absent(struct list *l, const struct list *counts)
{
	size_t nr = 0, nr_before = l->nr;

	for (size_t i = 0; i < l->nr; i++) {
		if (find_task(counts, l->all[i].text) < counts->nr)
			l->all[nr++] = l->all[i];
		else
			free(l->all[i].text);
	}
	l->nr = nr;
	return nr < nr_before;
}

static bool is_enter(const struct seen *s)
{
	return s->type == SYT_RULE_ARC &&
	       !strncmp(s->text + strcspn(s->text, "\t"), "\tenter\t", 7);
}

/* Adds the parts and begins of tasks that the runs contain beyond the rules of L, unless they are rare. Returns false if there
 * are none. */
static bool add_parts(struct list *l, const struct list *counts, size_t nr_runs)
{
	uint64_t *nrs = syt_alloc(nr_runs, sizeof(*nrs));
	size_t nr_before = l->nr;

	for (size_t i = 0, next; i < counts->nr; i = next) {
		const struct seen *s = &counts->all[i];
		struct seen key = *s;

		next = end_of(counts, i);
		key.run = 0;
		if ((s->type != SYT_RULE_PART && !is_enter(s)) ||
		    (nr_before && bsearch(&key, l->all, nr_before, sizeof(key), by_rule)))
			continue;
		memset(nrs, 0, nr_runs * sizeof(*nrs));
		for (size_t k = i; k < next; k++)
			nrs[counts->all[k].run] = counts->all[k].nr;
		if (is_enter(s) || !syt_baseline_is_rare(SYT_FACT_PART, nrs, nr_runs))
			put(l, s->type, syt_asprintf("%s", s->text), s->nr, s->most);
	}
	free(nrs);
	sort(l);
	return l->nr > nr_before;
}

/* Returns the number of instances of the task of the rule NAME in run number RUN. */
static uint64_t instances_in(const struct list *counts, uint32_t run, const char *name)
{
	size_t at = find_task(counts, name);
	const struct seen *s =
		at < counts->nr ? find(counts, SYT_RULE_TASK, counts->all[at].text, run) : NULL;

	return s ? s->nr : 0;
}

static void learn_norm(struct syt_baseline *b, const struct seen *rule, const struct list *counts,
                       const struct syt_run *runs, size_t nr)
{
	struct syt_norm norm = {.type = fact_type(rule->type)};
	struct syt_size *sizes = syt_alloc(nr, sizeof(*sizes));
	uint64_t *nrs = syt_calloc(nr, sizeof(*nrs));

	for (uint32_t i = 0; i < nr; i++) {
		const struct seen *s = find(counts, rule->type, rule->text, i);

		sizes[i] = syt_baseline_size(b->rule, &runs[i]);
		sizes[i].of[SYT_PER_TASK] = (double)instances_in(counts, i, rule->text);
		nrs[i] = s ? s->nr : 0;
	}
	syt_count_models_learn(&norm.models, norm.type, nrs, sizes, (unsigned)nr,
	                       b->rule != SYT_WORK_UNIT_RUN);
	norm.name = syt_asprintf("%s", rule->text);
	*SYT_ADD(b->norms, b->nr, b->room) = norm;
	free(sizes);
	free(nrs);
}

/* Makes the list L of the rules of the baseline B that are about tasks. */
static void list_rules(struct list *l, const struct syt_baseline *b)
{
	for (size_t i = 0; i < b->nr && b->norms[i].type <= SYT_FACT_ARC; i++)
		put(l, syt_baseline_rule_type(b->norms[i].type),
		    syt_asprintf("%s", b->norms[i].name), 0, 0);
	sort(l);
}

/* Returns the name of BYTES at NAME, or, if TAKEN contains it, the first free one of NAME~new, NAME~new2, and so on. */
static char *free_name(const char *name, size_t bytes, const struct list *taken)
{
	char *text = syt_strndup(name, bytes);

	for (unsigned n = 1; find_task(taken, text) < taken->nr; n++) {
		free(text);
		text = n == 1 ? syt_asprintf("%.*s~new", (int)bytes, name)
		              : syt_asprintf("%.*s~new%u", (int)bytes, name, n);
	}
	return text;
}

/* Returns the rule TEXT with names of tasks that TAKEN does not contain. */
static char *rename_tasks(const char *text, const struct list *taken)
{
	char *renamed;
	size_t bytes;
	FILE *f = syt_memstream(&renamed, &bytes);

	for (const char *word = text;; word += bytes + 1) {
		bool is_marked = word != text && *word == '@';
		char *name = NULL;

		bytes = strcspn(word, "\t");
		if (word == text || is_marked)
			name = free_name(word + is_marked, bytes - is_marked, taken);
		fprintf(f, "%s%.*s", is_marked ? "@" : "", name ? (int)strlen(name) : (int)bytes,
		        name ? name : word);
		free(name);
		if (!word[bytes])
			break;
		fputc('\t', f);
	}
	fclose(f);
	return renamed;
}

/* Marks the leaves that also the old runs contained outside of all tasks, so that they make no new tasks. */
static void keep_outside(struct syt_model_forest *forest, const struct syt_rules *r,
                         const struct syt_baseline *keep, const struct syt_model_input *in)
{
	bool *is_outside = syt_calloc(in->nr_labels, sizeof(*is_outside));

	for (uint32_t i = 0; i < in->nr_labels; i++)
		is_outside[i] = is_known(keep, in->labels[i].text) &&
		                !syt_rules_have_part(r, in->labels[i].text);
	SYT_EACH(i, 0, in->nr_leaves)
		if (forest->up[i] == SYT_NONE && is_outside[in->leaves[i].label])
			forest->up[i] = 0;
	free(is_outside);
}

/* Starts the rules L with the tasks of KEEP that occur in the graph IN, and removes their leaves from IN. */
static void keep_tasks(struct list *l, const struct syt_baseline *keep,
                       const struct syt_baseline *b, struct syt_model_input *in)
{
	struct syt_model_forest forest;
	struct list counts = {.nr = 0};
	struct syt_rules rules;

	list_rules(l, keep);
	add_rules(&rules, l);
	syt_rules_apply(&forest, &rules, in, is_known, b);
	syt_rules_count(&forest, &rules, in, put, &counts);
	drop_absent(l, &counts);
	if (rules.nr_tasks)
		keep_outside(&forest, &rules, keep, in);
	syt_model_remove(in, forest.up);
	syt_model_forest_close(&forest);
	syt_rules_close(&rules);
	close_list(&counts);
}

/* Adds the tasks that the miner finds in the graph IN of NR_RUNS runs, with names that the tasks of L do not have. */
static bool add_mined(struct list *l, const struct syt_model_input *in, size_t nr_runs,
                      const char *rename)
{
	struct list mined = {.nr = 0};
	bool is_good = mine(&mined, in, nr_runs, rename);

	for (size_t i = 0; i < mined.nr; i++) {
		char *text = rename_tasks(mined.all[i].text, l);

		free(mined.all[i].text);
		mined.all[i].text = text;
	}
	for (size_t i = 0; i < mined.nr; i++)
		put(l, mined.all[i].type, mined.all[i].text, 0, 0);
	free(mined.all);
	sort(l);
	return is_good;
}

bool syt_task_rules_learn(struct syt_baseline *b, const struct syt_run *runs, size_t nr,
                          const struct syt_baseline *keep, const char *rename)
{
	const struct syt_model_input **graphs = syt_alloc(nr, sizeof(*graphs));
	struct list rules = {.nr = 0}, counts;
	struct syt_model_input all;
	bool is_good = true;

	for (size_t i = 0; i < nr; i++)
		graphs[i] = &runs[i].graph;
	if (!syt_model_merge(&all, graphs, nr)) {
		if (keep)
			keep_tasks(&rules, keep, b, &all);
		is_good = add_mined(&rules, &all, nr, rename);
		syt_model_input_close(&all);
	}
	free(graphs);
	/* The runs may lack tasks, and may contain further parts, which are rules, too. Each change of the rules may change
	 * what the next application finds. The counts then follow from the final rules. */
	for (unsigned round = 0;; round++) {
		counts = count_all(&rules, b, runs, nr);
		if (round == MOST_ROUNDS ||
		    (!drop_absent(&rules, &counts) && !add_parts(&rules, &counts, nr)))
			break;
		close_list(&counts);
	}
	for (size_t i = 0; i < rules.nr; i++)
		learn_norm(b, &rules.all[i], &counts, runs, nr);
	close_list(&counts);
	close_list(&rules);
	syt_baseline_sort(b);
	return is_good;
}

/* ---- later runs ---- */

bool syt_task_rules_apply(const struct syt_baseline *b, const struct syt_model_input *in,
                          struct syt_model_forest *forest)
{
	struct list list = {.nr = 0};
	struct syt_rules rules;
	bool has_tasks = false;

	memset(forest, 0, sizeof(*forest));
	list_rules(&list, b);
	add_rules(&rules, &list);
	if (rules.nr_tasks) {
		syt_rules_apply(forest, &rules, in, is_known, b);
		has_tasks = forest->nr_nodes > in->nr_leaves;
	}
	if (!has_tasks)
		syt_model_forest_close(forest);
	syt_rules_close(&rules);
	close_list(&list);
	return has_tasks;
}

void syt_task_rules_count(const struct syt_baseline *b, struct syt_run *runs, size_t nr)
{
	struct list rules = {.nr = 0};
	struct syt_rules compiled;

	list_rules(&rules, b);
	add_rules(&compiled, &rules);
	for (size_t i = 0; i < nr && compiled.nr_tasks; i++) {
		struct syt_run *run = &runs[i];
		struct list counts = {.nr = 0};

		apply(&compiled, b, &run->graph, &counts);
		sort(&counts);
		run->facts = syt_realloc(run->facts, run->nr + counts.nr, sizeof(*run->facts));
		memmove(run->facts + counts.nr, run->facts, run->nr * sizeof(*run->facts));
		for (size_t k = 0; k < counts.nr; k++) {
			const struct seen *s = &counts.all[k];
			uint64_t nr_bursts = s->nr / s->most;

			/* all occurrences in one instance are one burst */
			run->facts[k] = (struct syt_fact){.type = fact_type(s->type),
			                                  .name = s->text,
			                                  .nr = s->nr,
			                                  .most = s->most,
			                                  .nr_slices = nr_bursts < SYT_SLICES
			                                                       ? (uint32_t)nr_bursts
			                                                       : SYT_SLICES};
		}
		run->nr += counts.nr;
		run->has_tasks = true;
		free(counts.all);
	}
	syt_rules_close(&compiled);
	close_list(&rules);
}

uint64_t syt_task_rules_instances(const struct syt_run *run, const char *name)
{
	const struct syt_fact *f = run->facts;
	size_t at = SYT_BISECT(i, 0, run->nr,
	                       f[i].type == SYT_FACT_TASK && compare_task(f[i].name, name) < 0);

	return at < run->nr && f[at].type == SYT_FACT_TASK && !compare_task(f[at].name, name)
	               ? f[at].nr
	               : 0;
}
