/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/compare/match.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/compare.h"
#include "base/counts.h"
#include "base/err.h"
#include "decoder/model/merge.h"
#include "decoder/read/symbol.h"
#include "decoder/report/compare/alignment.h"

#define MOST_FUNCTIONS 256u   /* call paths with more functions are not matched */
#define MOST_STEPS 400000000u /* maximum number of steps of all alignments */
#define NO_PATH UINT32_MAX

/* A call path. Its last part is the intercepted call, and its first part is the program. */
struct path {
	const char *text;
	struct syt_call_parts parts;
	bool is_before, is_after; /* the call path occurs on this side */
	bool is_lost,
		is_gained; /* it may be one side of a pair: it lacks calls, or has more calls */
	uint32_t parent;   /* union-find: class of matching call paths */
	uint32_t next;     /* next call path of the class, or NO_PATH */
	uint32_t best_cost;
};

struct pair {
	uint32_t lost, gained, cost;
};

struct class
{
	uint32_t nr, nr_before, nr_after; /* numbers of call paths: all, and those of each side */
	uint32_t first;                   /* first call path of the class */
	uint32_t shown;                   /* call path that names the class */
	bool is_unnamed, is_renamed, is_usual;
};

struct matcher {
	struct syt_sides *sides;
	const struct syt_comparison *first; /* the comparison by equal texts */
	struct syt_counts by_text; /* 128-bit hash of a text -> index of the call path, plus one */
	struct syt_counts functions; /* hash of a function -> bit 0: occurs before; bit 1: after */
	size_t nr, room;
	struct path *paths;
	size_t nr_pairs, room_pairs;
	struct pair *pairs;
	uint64_t nr_steps;
	struct class *classes; /* [index of the root path] */
};

static bool is_about_calls(enum syt_fact_type type)
{
	return type == SYT_FACT_MAKE || type == SYT_FACT_CALL || type == SYT_FACT_WAIT;
}

/* ---- call paths ---- */

/* Splits P->text, "program: function;function;call". */
static void split(struct path *p)
{
	const char *colon = strstr(p->text, ": "), *at = colon ? colon + 2 : p->text;
	size_t room = 0;

	*SYT_ADD(p->parts.all, p->parts.nr, room) =
		(struct syt_call_part){p->text, colon ? (size_t)(colon - p->text) : 0, false, true};
	for (const char *end;; at = end + 1) {
		end = strchrnul(at, ';');
		*SYT_ADD(p->parts.all, p->parts.nr, room) = (struct syt_call_part){
			at, (size_t)(end - at), syt_call_is_address(at, (size_t)(end - at)), false};
		if (!*end)
			return;
	}
}

static uint64_t *function_at(struct matcher *m, const struct syt_call_part *p)
{
	XXH128_hash_t h = XXH3_128bits(p->text, p->bytes);

	return syt_counts_at(&m->functions, h.low64, h.high64);
}

static uint64_t number_of(const struct matcher *m, const char *text, size_t bytes)
{
	XXH128_hash_t h = XXH3_128bits(text, bytes);

	return syt_counts_of(&m->by_text, h.low64, h.high64);
}

static struct path *add_path(struct matcher *m, const char *text, bool is_after)
{
	XXH128_hash_t h = XXH3_128bits(text, strlen(text));
	uint64_t *number = syt_counts_at(&m->by_text, h.low64, h.high64);

	if (!*number) {
		struct path new = {.text = text, .parent = (uint32_t)m->nr};

		split(&new);
		*SYT_ADD(m->paths, m->nr, m->room) = new;
		*number = m->nr;
	}

	struct path *p = &m->paths[*number - 1];

	for (unsigned n = 1; n < p->parts.nr; n++)
		*function_at(m, &p->parts.all[n]) |= is_after ? 2 : 1;
	p->is_before |= !is_after;
	p->is_after |= is_after;
	return p;
}

static void add_paths(struct matcher *m)
{
	const struct syt_sides *s = m->sides;

	for (size_t n = 0; n < s->before->nr; n++)
		if (is_about_calls(s->before->norms[n].type))
			add_path(m, s->before->norms[n].name, false);
	for (size_t i = 0; i < s->nr_after; i++)
		for (size_t n = 0; n < s->after[i].nr; n++)
			if (is_about_calls(s->after[i].facts[n].type))
				add_path(m, s->after[i].facts[n].name, true);
	for (size_t n = 0; n < m->nr; n++) {
		struct path *p = &m->paths[n];

		p->is_lost = !p->is_after;
		p->is_gained = !p->is_before;
		for (unsigned k = 1; k < p->parts.nr; k++)
			p->parts.all[k].is_known = *function_at(m, &p->parts.all[k]) == 3;
	}
	for (size_t n = 0; n < m->first->nr; n++) {
		const struct syt_difference *d = &m->first->all[n];
		uint64_t number =
			is_about_calls(d->type) ? number_of(m, d->name, strlen(d->name)) : 0;

		if (number && (d->change == SYT_CHANGE_GONE || d->change == SYT_CHANGE_LESS))
			m->paths[number - 1].is_lost = true;
		else if (number)
			m->paths[number - 1].is_gained = true;
	}
}

/* ---- pairs of call paths ---- */

static void improve(uint32_t *to, uint32_t cost)
{
	*to = cost < *to ? cost : *to;
}

static bool may_match(struct matcher *m, const struct path *a, const struct path *b)
{
	if (!a->is_lost || !b->is_gained || a->parts.nr > MOST_FUNCTIONS ||
	    b->parts.nr > MOST_FUNCTIONS ||
	    !syt_call_parts_equal(&a->parts.all[0], &b->parts.all[0]) ||
	    !syt_call_parts_equal(&a->parts.all[a->parts.nr - 1], &b->parts.all[b->parts.nr - 1]))
		return false;
	m->nr_steps += (uint64_t)a->parts.nr * b->parts.nr;
	return true;
}

/* Finds the pairs of a lost and a gained call path that match at the lowest cost, for one of the two at least. */
static void find_pairs(struct matcher *m)
{
	for (size_t n = 0; n < m->nr; n++)
		m->paths[n].best_cost = SYT_ALIGN_NEVER;
	for (uint32_t i = 0; i < m->nr; i++) {
		for (uint32_t j = 0; m->paths[i].is_lost && j < m->nr; j++) {
			uint32_t cost;

			if (m->nr_steps++ > MOST_STEPS)
				break;
			if (!may_match(m, &m->paths[i], &m->paths[j]))
				continue;
			cost = syt_align_cost(&m->paths[i].parts, &m->paths[j].parts);
			if (cost >= SYT_ALIGN_NEVER)
				continue;
			*SYT_ADD(m->pairs, m->nr_pairs, m->room_pairs) = (struct pair){i, j, cost};
			improve(&m->paths[i].best_cost, cost);
			improve(&m->paths[j].best_cost, cost);
		}
	}
	for (size_t n = m->nr_pairs, kept = 0; n; n--) {
		struct pair p = m->pairs[kept];

		if (p.cost == m->paths[p.lost].best_cost || p.cost == m->paths[p.gained].best_cost)
			kept++;
		else
			m->pairs[kept] = m->pairs[--m->nr_pairs];
	}
}

/* ---- classes of matching call paths ---- */

static uint32_t root_of(struct matcher *m, uint32_t n)
{
	while (m->paths[n].parent != n)
		n = m->paths[n].parent = m->paths[m->paths[n].parent].parent;
	return n;
}

static bool has_unnamed(const struct path *p)
{
	for (unsigned n = 1; n < p->parts.nr; n++)
		if (p->parts.all[n].is_unnamed)
			return true;
	return false;
}

/* Returns true if path B names a class better than path A: a new call path, then one with fewer functions. */
static bool is_better_name(const struct path *a, const struct path *b)
{
	if (has_unnamed(a) != has_unnamed(b))
		return has_unnamed(a);
	if (a->is_after != b->is_after)
		return b->is_after;
	return b->parts.nr < a->parts.nr;
}

static void make_classes(struct matcher *m)
{
	for (size_t n = 0; n < m->nr_pairs; n++) {
		uint32_t a = root_of(m, m->pairs[n].lost), b = root_of(m, m->pairs[n].gained);

		m->paths[a < b ? b : a].parent = a < b ? a : b;
	}
	m->classes = syt_calloc(m->nr, sizeof(*m->classes));
	for (uint32_t n = 0; n < m->nr; n++) {
		struct class *c = &m->classes[root_of(m, n)];
		struct path *p = &m->paths[n];

		p->next = c->nr ? c->first : NO_PATH;
		c->first = n;
		if (!c->nr++)
			c->shown = n;
		else if (is_better_name(&m->paths[c->shown], p))
			c->shown = n;
		c->nr_before += p->is_before;
		c->nr_after += p->is_after;
		c->is_unnamed |= has_unnamed(p);
	}
}

/* Adds the count models FROM to the models TO of the same type. */
static void add_models(struct syt_count_models *to, const struct syt_count_models *from)
{
	for (unsigned per = 0; per < SYT_NR_PERS; per++) {
		struct syt_count_model *a = &to->of[per];
		const struct syt_count_model *b = &from->of[per];

		if (a->kind == SYT_COUNT_MODEL_NONE || b->kind == SYT_COUNT_MODEL_NONE)
			*a = (struct syt_count_model){SYT_COUNT_MODEL_NONE, 0, 0};
		else
			*a = (struct syt_count_model){a->kind > b->kind ? a->kind : b->kind,
			                              a->low + b->low, a->high + b->high};
	}
	to->must_occur |= from->must_occur;
}

/* Returns true if the sums of the calls of class ROOT agree on both sides. */
static bool is_usual(struct matcher *m, uint32_t root)
{
	const struct syt_sides *s = m->sides;
	uint64_t *counts = syt_alloc(s->nr_after, sizeof(*counts));
	bool result = true;

	for (unsigned type = 0; type < SYT_NR_FACT_TYPES; type++) {
		struct syt_count_models models = {.must_occur = false};
		bool has_models = false;

		if (!is_about_calls((enum syt_fact_type)type))
			continue;
		memset(counts, 0, s->nr_after * sizeof(*counts));
		for (uint32_t n = m->classes[root].first; n != NO_PATH; n = m->paths[n].next) {
			const char *name = m->paths[n].text;
			const struct syt_norm *norm;

			norm = syt_baseline_find(s->before, (enum syt_fact_type)type, name);
			if (norm && has_models)
				add_models(&models, &norm->models);
			else if (norm)
				models = norm->models;
			has_models |= norm != NULL;
			for (size_t i = 0; i < s->nr_after; i++) {
				const struct syt_fact *f =
					syt_run_find(&s->after[i], (enum syt_fact_type)type, name);

				counts[i] += f ? f->nr : 0;
			}
		}
		if (has_models)
			result &= syt_comparison_is_usual(m->first, (enum syt_fact_type)type,
			                                  &models, counts);
	}
	free(counts);
	return result;
}

/* ---- renamed functions ---- */

static void add_rename(struct syt_matches *m, struct syt_call_part before,
                       struct syt_call_part after, bool is_program)
{
	for (size_t n = 0; n < m->nr; n++) {
		struct syt_rename *r = &m->renames[n];

		if (r->is_program == is_program && strlen(r->before) == before.bytes &&
		    strlen(r->after) == after.bytes &&
		    !memcmp(r->before, before.text, before.bytes) &&
		    !memcmp(r->after, after.text, after.bytes)) {
			r->nr_paths++;
			return;
		}
	}
	*SYT_ADD(m->renames, m->nr, m->room) =
		(struct syt_rename){syt_strndup(before.text, before.bytes),
	                            syt_strndup(after.text, after.bytes), is_program, 1};
}

static void tell_rename(void *matches, const struct syt_call_part *before,
                        const struct syt_call_part *after)
{
	add_rename(matches, *before, *after, false);
}

/* Finds the renamed functions of the pair P, and adds them to RENAMES. */
static void find_renames(struct matcher *m, const struct pair *p, struct syt_matches *renames)
{
	syt_align_renames(&m->paths[p->lost].parts, &m->paths[p->gained].parts, tell_rename,
	                  renames);
}

/* Decides which classes remain. A class whose counts differ remains only if its call paths differ by more than the names
 * of functions; otherwise one function disappeared, and another function came. */
static void choose_classes(struct matcher *m, struct syt_matches *result)
{
	for (size_t n = 0; n < m->nr_pairs; n++) {
		struct class *c = &m->classes[root_of(m, m->pairs[n].lost)];
		struct syt_matches here = {.nr = 0};

		find_renames(m, &m->pairs[n], &here);
		c->is_renamed |= here.nr > 0;
		syt_matches_close(&here);
	}
	for (uint32_t n = 0; n < m->nr; n++)
		if (m->paths[n].parent == n && m->classes[n].nr > 1)
			m->classes[n].is_usual = is_usual(m, n);
	for (size_t n = 0; n < m->nr_pairs; n++) {
		uint32_t root = root_of(m, m->pairs[n].lost);

		if (m->classes[root].is_usual)
			find_renames(m, &m->pairs[n], result);
	}
}

static bool is_kept(const struct class *c)
{
	return c->nr_before && c->nr_after && (c->is_usual || !c->is_renamed);
}

/* A class of one call path of each side, with the same functions, keeps its old text. Then the rules of the tasks in the baseline
 * need no other texts. */
static void name_classes(struct matcher *m, struct syt_matches *result)
{
	for (uint32_t n = 0; n < m->nr; n++) {
		struct class *c = &m->classes[n];

		if (m->paths[n].parent != n || c->nr < 2 || !is_kept(c))
			continue;
		if (c->nr_before > 1 || c->nr_after > 1 || c->is_unnamed || c->is_renamed)
			result->has_other_rules = true;
		else if (!m->paths[c->shown].is_before)
			c->shown = m->paths[c->first].is_before ? c->first : m->paths[c->first].next;
	}
}

/* ---- new names of facts ---- */

/* Returns the class of the call path at TEXT, or NULL. */
static const struct class *class_of(struct matcher *m, const char *text, size_t bytes)
{
	uint64_t number = number_of(m, text, bytes);
	const struct class *c = number ? &m->classes[root_of(m, (uint32_t)number - 1)] : NULL;

	return c && c->nr > 1 && is_kept(c) ? c : NULL;
}

/* Returns the new name of a fact, or NULL if it stays. The caller frees the name. Sets *IS_MERGED if several call paths
 * of one side become one. */
static char *new_name(struct matcher *m, const char *name, bool *is_merged)
{
	bool is_new = false;
	size_t bytes, all;
	char *text;
	FILE *f = syt_memstream(&text, &all);

	for (const char *part = name;; part += bytes + 1) {
		const struct class *c;

		bytes = strcspn(part, "\t");
		c = class_of(m, part, bytes);
		if (c)
			fputs(m->paths[c->shown].text, f);
		else
			fwrite(part, 1, bytes, f);
		is_new |= c != NULL;
		*is_merged |= c && (c->nr_before > 1 || c->nr_after > 1);
		if (!part[bytes])
			break;
		fputc('\t', f);
	}
	fclose(f);
	if (is_new)
		return text;
	free(text);
	return NULL;
}

static int by_fact(const void *a_, const void *b_)
{
	const struct syt_fact *a = a_, *b = b_;

	return syt_fact_compare(a->type, a->name, b->type, b->name);
}

static int by_norm(const void *a_, const void *b_)
{
	const struct syt_norm *a = a_, *b = b_;

	return syt_fact_compare(a->type, a->name, b->type, b->name);
}

/* Sorts the facts of RUN, and makes one fact of the facts with equal names. */
static void merge_facts(struct syt_run *run)
{
	size_t nr = 0;

	if (run->nr)
		qsort(run->facts, run->nr, sizeof(*run->facts), by_fact);
	for (size_t n = 0; n < run->nr; n++) {
		struct syt_fact *f = &run->facts[n], *to = nr ? &run->facts[nr - 1] : NULL;

		if (!to || by_fact(to, f)) {
			run->facts[nr++] = *f;
			continue;
		}
		to->nr += f->nr;
		to->most += f->most;
		to->nr_slices = f->nr_slices > to->nr_slices ? f->nr_slices : to->nr_slices;
		to->ns += f->ns;
		free(f->name);
	}
	run->nr = nr;
}

static void merge_norms(struct syt_baseline *b)
{
	size_t nr = 0;

	if (b->nr)
		qsort(b->norms, b->nr, sizeof(*b->norms), by_norm);
	for (size_t n = 0; n < b->nr; n++) {
		struct syt_norm *norm = &b->norms[n], *to = nr ? &b->norms[nr - 1] : NULL;

		if (!to || by_norm(to, norm)) {
			b->norms[nr++] = *norm;
			continue;
		}
		add_models(&to->models, &norm->models);
		free(norm->name);
	}
	b->nr = nr;
}

/* Gives a fact of TYPE its new name in *NAME. Returns false if the fact is dropped: the objects of several call paths
 * may be the same objects, so their numbers have no sum. */
static bool rename_fact(struct matcher *m, enum syt_fact_type type, char **name)
{
	bool is_merged = false;
	char *new = new_name(m, *name, &is_merged);

	if (!new)
		return true;
	free(*name);
	*name = new;
	return type != SYT_FACT_OBJECT || !is_merged;
}

/* Gives the leaves of the run the new names of their call paths. */
static void rename_labels(struct matcher *m, struct syt_model_input *in)
{
	const struct syt_model_input *only = in;
	struct syt_model_input new;
	bool is_merged = false;

	for (uint32_t i = 0; i < in->nr_labels; i++) {
		char *text = new_name(m, in->labels[i].text, &is_merged);

		if (!text)
			continue;
		free((char *)(uintptr_t)in->labels[i].text);
		in->labels[i].text = text;
	}
	if (syt_model_merge(&new, &only, 1))
		return;
	syt_model_input_close(in);
	*in = new;
}

static void rename_run(struct matcher *m, struct syt_run *run)
{
	size_t nr = 0;

	if (run->graph.owns_texts)
		rename_labels(m, &run->graph);

	for (size_t n = 0; n < run->nr; n++) {
		if (rename_fact(m, run->facts[n].type, &run->facts[n].name))
			run->facts[nr++] = run->facts[n];
		else
			free(run->facts[n].name);
	}
	run->nr = nr;
	merge_facts(run);
}

/* The texts of the call paths belong to the facts that get new names, so this function first copies the names of the
 * classes. */
static void rename_all(struct matcher *m)
{
	struct syt_sides *s = m->sides;
	struct syt_baseline *b = s->before;
	size_t nr = 0;

	for (size_t n = 0; n < m->nr; n++)
		m->paths[n].text = syt_asprintf("%s", m->paths[n].text);
	for (size_t n = 0; n < b->nr; n++) {
		if (rename_fact(m, b->norms[n].type, &b->norms[n].name))
			b->norms[nr++] = b->norms[n];
		else
			free(b->norms[n].name);
	}
	b->nr = nr;
	merge_norms(b);
	for (size_t n = 0; n < s->nr_old; n++)
		rename_run(m, &s->old[n]);
	for (size_t n = 0; n < s->nr_after; n++)
		rename_run(m, &s->after[n]);
	for (size_t n = 0; n < m->nr; n++)
		free((char *)(uintptr_t)m->paths[n].text);
}

/* ---- renamed programs ---- */

/* Returns the only program that PROGRAMS contains with the value SIDE, and its length in *BYTES. Returns NULL if there is
 * none, or if there are several. */
static const char *only_program(const struct syt_counts *programs, uint64_t side, size_t *bytes,
                                const struct matcher *m)
{
	const char *found = NULL;

	for (size_t n = 0; n < m->nr; n++) {
		const struct syt_call_part *p = &m->paths[n].parts.all[0];
		XXH128_hash_t h = XXH3_128bits(p->text, p->bytes);

		if (syt_counts_of(programs, h.low64, h.high64) != side)
			continue;
		if (found && (p->bytes != *bytes || memcmp(found, p->text, p->bytes) != 0))
			return NULL; /* several programs */
		found = p->text;
		*bytes = p->bytes;
	}
	return found;
}

static void rename_program(char **name, struct syt_call_part from, struct syt_call_part to)
{
	size_t all;
	char *text;
	FILE *f = syt_memstream(&text, &all);

	for (const char *part = *name;; part++) {
		if (!strncmp(part, from.text, from.bytes) && !strncmp(part + from.bytes, ": ", 2)) {
			fwrite(to.text, 1, to.bytes, f);
			part += from.bytes;
		}
		for (; *part && *part != '\t'; part++)
			fputc(*part, f);
		if (!*part)
			break;
		fputc('\t', f);
	}
	fclose(f);
	free(*name);
	*name = text;
}

static bool is_of_program(const struct path *p, const struct syt_call_part *program)
{
	return syt_call_parts_equal(&p->parts.all[0], program);
}

/* Returns true if the function identifies a program. Most programs have main() and functions of the language's
 * library. */
static bool is_of_one_program(const struct syt_call_part *function)
{
	char name[256];

	if (function->is_unnamed || function->bytes >= sizeof(name))
		return false;
	memcpy(name, function->text, function->bytes);
	name[function->bytes] = 0;
	return strcmp(name, "main") != 0 && !syt_symbol_is_of_language(name);
}

/* Returns true if a function with a name occurs in the program FROM before and in the program TO after. */
static bool have_common_function(const struct matcher *m, const struct syt_call_part *from,
                                 const struct syt_call_part *to)
{
	struct syt_counts functions = {.nr = 0};
	bool result = false;

	for (unsigned side = 0; side < 2; side++) {
		for (size_t n = 0; n < m->nr; n++) {
			const struct syt_call_parts *parts = &m->paths[n].parts;

			if (!is_of_program(&m->paths[n], side ? to : from))
				continue;
			for (unsigned k = 1; k + 1 < parts->nr; k++) {
				const struct syt_call_part *p = &parts->all[k];
				XXH128_hash_t h = XXH3_128bits(p->text, p->bytes);

				if (!is_of_one_program(p))
					continue;
				if (!side)
					*syt_counts_at(&functions, h.low64, h.high64) = 1;
				else
					result |= syt_counts_of(&functions, h.low64, h.high64) != 0;
			}
		}
	}
	syt_counts_fini(&functions);
	return result;
}

/* Returns true if the call path P has the same functions and counts in the program TO after, and one of them has a
 * name. */
static bool has_twin(struct matcher *m, const struct path *p, const struct syt_call_part *to)
{
	const struct syt_sides *s = m->sides;
	char *text = syt_asprintf("%.*s%s", (int)to->bytes, to->text, p->text + p->parts.all[0].bytes);
	uint64_t *counts = syt_alloc(s->nr_after, sizeof(*counts));
	bool result = false;

	for (unsigned k = 1; k + 1 < p->parts.nr; k++)
		result |= !p->parts.all[k].is_unnamed;
	for (unsigned type = 0; type < SYT_NR_FACT_TYPES && result; type++) {
		const struct syt_norm *norm =
			is_about_calls((enum syt_fact_type)type)
				? syt_baseline_find(s->before, (enum syt_fact_type)type, p->text)
				: NULL;

		if (!norm)
			continue;
		for (size_t i = 0; i < s->nr_after; i++) {
			const struct syt_fact *f =
				syt_run_find(&s->after[i], (enum syt_fact_type)type, text);

			counts[i] = f ? f->nr : 0;
			result &= f != NULL;
		}
		result = result && syt_comparison_is_usual(m->first, (enum syt_fact_type)type,
		                                           &norm->models, counts);
	}
	free(counts);
	free(text);
	return result;
}

/* Returns true if the program FROM before and the program TO after are one program with two names: they have a function
 * in common, or all call paths and their counts. */
static bool is_same_program(struct matcher *m, const struct syt_call_part *from,
                            const struct syt_call_part *to)
{
	size_t nr_from = 0, nr_to = 0;
	bool have_twins = true;

	if (have_common_function(m, from, to))
		return true;
	for (size_t n = 0; n < m->nr; n++) {
		const struct path *p = &m->paths[n];

		nr_to += is_of_program(p, to);
		if (is_of_program(p, from)) {
			nr_from++;
			have_twins = have_twins && has_twin(m, p, to);
		}
	}
	return have_twins && nr_from == nr_to;
}

/* If each side has one program that the other side lacks, and these are the same program, it was renamed: gives the old
 * facts its new name. */
static bool match_programs(struct matcher *m, struct syt_matches *result)
{
	struct syt_counts programs = {.nr = 0};
	struct syt_baseline *b = m->sides->before;
	struct syt_call_part from = {.text = NULL}, to = {.text = NULL};
	char *old, *new;

	for (size_t n = 0; n < m->nr; n++) {
		const struct syt_call_part *p = &m->paths[n].parts.all[0];
		XXH128_hash_t h = XXH3_128bits(p->text, p->bytes);

		*syt_counts_at(&programs, h.low64, h.high64) |=
			(m->paths[n].is_before ? 1u : 0) | (m->paths[n].is_after ? 2u : 0);
	}
	from.text = only_program(&programs, 1, &from.bytes, m);
	to.text = only_program(&programs, 2, &to.bytes, m);
	syt_counts_fini(&programs);
	if (!from.text || !to.text || !is_same_program(m, &from, &to))
		return false;
	add_rename(result, from, to, true);
	from.text = old = syt_strndup(from.text, from.bytes);
	to.text = new = syt_strndup(to.text, to.bytes);
	for (size_t n = 0; n < b->nr; n++)
		rename_program(&b->norms[n].name, from, to);
	merge_norms(b);
	for (size_t n = 0; n < b->objects.nr; n++)
		rename_program(&b->objects.all[n].path, from, to);
	syt_path_objects_sort(&b->objects);
	for (size_t i = 0; i < m->sides->nr_old; i++) {
		for (size_t n = 0; n < m->sides->old[i].nr; n++)
			rename_program(&m->sides->old[i].facts[n].name, from, to);
		merge_facts(&m->sides->old[i]);
	}
	free(old);
	free(new);
	return true;
}

/* ---- the whole ---- */

static void close_matcher(struct matcher *m)
{
	for (size_t n = 0; n < m->nr; n++)
		free(m->paths[n].parts.all);
	free(m->paths);
	free(m->pairs);
	free(m->classes);
	syt_counts_fini(&m->by_text);
	syt_counts_fini(&m->functions);
	*m = (struct matcher){.sides = m->sides};
}

static void count_matches(struct matcher *m, struct syt_matches *result)
{
	for (uint32_t n = 0; n < m->nr; n++) {
		const struct class *c = &m->classes[n];

		if (m->paths[n].parent != n || c->nr < 2 || !is_kept(c))
			continue;
		result->nr_paths += c->nr_before;
		result->nr_unnamed += c->is_unnamed ? c->nr_before : 0;
	}
}

static int by_rename(const void *a_, const void *b_)
{
	const struct syt_rename *a = a_, *b = b_;
	int order = strcmp(a->before, b->before);

	SYT_ORDER_BY(is_program);
	return order ? order : strcmp(a->after, b->after);
}

void syt_match(struct syt_matches *result, struct syt_sides *sides)
{
	struct matcher m = {.sides = sides};
	struct syt_comparison first;
	bool is_other_program = true;

	*result = (struct syt_matches){.nr = 0};
	for (unsigned round = 0; round < 2 && is_other_program; round++) {
		syt_comparison_open(&first, sides->before, sides->after, sides->nr_after);
		m.first = &first;
		is_other_program = false;
		if (first.nr &&
		    (result->nr || !syt_builds_extend(&sides->before->builds, &first.builds))) {
			add_paths(&m);
			is_other_program = !round && match_programs(&m, result);
			if (!is_other_program) {
				find_pairs(&m);
				make_classes(&m);
				choose_classes(&m, result);
				name_classes(&m, result);
				count_matches(&m, result);
				if (m.nr_pairs)
					rename_all(&m);
			}
			close_matcher(&m);
		}
		syt_comparison_close(&first);
	}
	if (result->nr)
		qsort(result->renames, result->nr, sizeof(*result->renames), by_rename);
}

void syt_matches_close(struct syt_matches *m)
{
	for (size_t n = 0; n < m->nr; n++) {
		free(m->renames[n].before);
		free(m->renames[n].after);
	}
	free(m->renames);
	*m = (struct syt_matches){.nr = 0};
}
