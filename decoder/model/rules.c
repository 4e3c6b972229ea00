/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/model/rules.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/err.h"
#include "decoder/read/number.h"

/* ---- texts ---- */

/* A call path that begins like the name of a task, or like this mark, gets the mark '\'. */
char *syt_rules_path_text(const char *path)
{
	return syt_asprintf("%s%s", *path == '@' || *path == '\\' ? "\\" : "", path);
}

const char *syt_rules_path(const char *part)
{
	return *part == '@' ? NULL : part + (*part == '\\');
}

uint32_t syt_rule_text_find(const struct syt_rules *r, const char *text, size_t bytes)
{
	XXH128_hash_t h = XXH3_128bits(text, bytes);

	return (uint32_t)syt_counts_of(&r->by_text, h.low64, h.high64) - 1; /* 0 becomes SYT_NONE */
}

static uint32_t text_at(struct syt_rules *r, const char *text, size_t bytes)
{
	XXH128_hash_t h = XXH3_128bits(text, bytes);
	uint64_t *number = syt_counts_at(&r->by_text, h.low64, h.high64);

	if (!*number) {
		*SYT_ADD(r->texts, r->nr_texts, r->room_texts) =
			(struct syt_rule_text){syt_strndup(text, bytes), SYT_NONE, SYT_NONE, 0};
		*number = r->nr_texts;
	}
	return (uint32_t)*number - 1;
}

/* ---- reading ---- */

#define MOST_WORDS 5u
#define MOST_STEP_BYTES 3u

static const char *const arc_types[] = {"start", "inner", "enter"};
static const unsigned nr_words_of[] = {
	[SYT_RULE_TASK] = 3, [SYT_RULE_PART] = 2, [SYT_RULE_ARC] = 5};

struct line {
	struct syt_rules *r;
	const char *text;
	const char *word[MOST_WORDS];
	size_t bytes[MOST_WORDS];
	uint64_t line;
	size_t column;
	struct syt_rule_error *error;
};

static size_t column_of(const struct line *l, unsigned word)
{
	return l->column + (size_t)(l->word[word] - l->text);
}

static bool complain(const struct line *l, unsigned word, const char *message)
{
	*l->error = (struct syt_rule_error){message, l->line, column_of(l, word)};
	return false;
}

static bool split(struct line *l, enum syt_rule_type type)
{
	const char *at = l->text;

	for (unsigned i = 0; i < nr_words_of[type]; i++) {
		l->word[i] = at;
		l->bytes[i] = strcspn(at, "\t");
		at += l->bytes[i];
		if (!l->bytes[i])
			return complain(l, i, "a word is missing");
		if ((*at == '\t') != (i + 1 < nr_words_of[type]))
			return complain(l, i, *at ? "too many words" : "words are missing");
		at += *at == '\t';
	}
	return true;
}

/* Returns the task with the name WORD, or SYT_NONE after a message. */
static uint32_t find_task(const struct line *l, unsigned word)
{
	char *name = syt_asprintf("@%.*s", (int)l->bytes[word], l->word[word]);
	uint32_t text = syt_rule_text_find(l->r, name, strlen(name));

	free(name);
	if (text == SYT_NONE || l->r->texts[text].task == SYT_NONE) {
		complain(l, word, "no line 'task' contains this name");
		return SYT_NONE;
	}
	return l->r->texts[text].task;
}

static bool add_task(const struct line *l)
{
	struct syt_rules *r = l->r;
	char *name = syt_asprintf("@%.*s", (int)l->bytes[0], l->word[0]);
	char *number = syt_strndup(l->word[1], l->bytes[1]);
	uint32_t text = text_at(r, name, strlen(name));
	uint64_t step = 0;
	bool is_step = l->bytes[1] < MOST_STEP_BYTES && syt_number_parse(number, &step) && step &&
	               step <= SYT_RULE_STEPS;

	free(name);
	free(number);
	if (r->texts[text].task != SYT_NONE)
		return complain(l, 0, "another task has this name");
	if (!is_step)
		return complain(l, 1, "expected a step from 1 to 64");
	r->texts[text].task = r->nr_tasks;
	struct syt_rule_task task = {text, text_at(r, l->word[2], l->bytes[2]), (uint32_t)step,
	                             l->line, column_of(l, 2)};

	*SYT_ADD(r->tasks, r->nr_tasks, r->room_tasks) = task;
	r->has_step |= UINT64_C(1) << (step - 1);
	return true;
}

/* Returns the text of the part WORD of TASK, or SYT_NONE after a message. */
static uint32_t find_part(const struct line *l, unsigned word, uint32_t task)
{
	struct syt_rules *r = l->r;
	uint32_t text = text_at(r, l->word[word], l->bytes[word]), inner = r->texts[text].task;

	if (*l->word[word] != '@')
		return text;
	if (inner == SYT_NONE) {
		complain(l, word, "no line 'task' contains this name");
		return SYT_NONE;
	}
	if (r->tasks[inner].step >= r->tasks[task].step) {
		complain(l, word, "a task may only contain tasks with a lower step");
		return SYT_NONE;
	}
	return text;
}

static void note_part(struct syt_rules *r, uint32_t task, uint32_t text)
{
	uint64_t *is_part = syt_counts_at(&r->parts, task, text), *first;

	if (*is_part)
		return;
	*is_part = 1;
	first = syt_counts_at(&r->by_part,
	                      (uint64_t)r->tasks[task].step << 32 | r->tasks[task].root, text);
	*first = !*first || task + 1 < *first ? task + 1 : *first;
	r->texts[text].nr_in++;
}

static bool add_part(const struct line *l)
{
	uint32_t task = find_task(l, 0), text = task == SYT_NONE ? task : find_part(l, 1, task);

	if (text == SYT_NONE)
		return false;
	note_part(l->r, task, text);
	return true;
}

static uint8_t kind_of(const struct line *l, unsigned word)
{
	for (unsigned kind = 0; kind < SYT_NR_ARC_KINDS; kind++) {
		const char *text = syt_arc_kind_text((uint8_t)kind);

		if (strlen(text) == l->bytes[word] && !memcmp(text, l->word[word], l->bytes[word]))
			return (uint8_t)kind;
	}
	return SYT_NR_ARC_KINDS;
}

static bool is_word(const struct line *l, unsigned word, const char *text)
{
	return strlen(text) == l->bytes[word] && !memcmp(text, l->word[word], l->bytes[word]);
}

static bool add_enter(const struct line *l, uint32_t task, uint8_t kind)
{
	struct syt_rules *r = l->r;

	uint64_t key = (uint64_t)task << 8 | kind;
	uint32_t ends[2];

	for (unsigned i = 0; i < 2; i++) {
		if (*l->word[3 + i] == '@')
			return complain(l, 3 + i, "expected a call path");
		ends[i] = text_at(r, l->word[3 + i], l->bytes[3 + i]);
	}
	*syt_counts_at(&r->kinds, kind, ends[1]) = 1;
	*syt_counts_at(&r->enters, key, (uint64_t)ends[0] << 32 | ends[1]) = 1;
	*syt_counts_at(&r->enters, key, (uint64_t)SYT_NONE << 32 | ends[1]) = 1;
	return true;
}

static bool add_arc(const struct line *l)
{
	struct syt_rules *r = l->r;
	uint32_t task = find_task(l, 0), from, to;
	uint8_t kind = kind_of(l, 2);
	uint64_t *first, *is_there;
	struct syt_rule_arc *head;

	if (task == SYT_NONE)
		return false;
	if (!is_word(l, 1, "start") && !is_word(l, 1, "inner") && !is_word(l, 1, "enter"))
		return complain(l, 1, "expected 'start', 'inner' or 'enter'");
	if (kind == SYT_NR_ARC_KINDS)
		return complain(l, 2, "unknown kind of an arc");
	if (is_word(l, 1, "enter"))
		return add_enter(l, task, kind);
	from = find_part(l, 3, task);
	to = from == SYT_NONE ? from : find_part(l, 4, task);
	if (to == SYT_NONE)
		return false;
	if (is_word(l, 1, "inner"))
		return true;
	first = syt_counts_at(&r->by_key, (uint64_t)r->tasks[task].step << 8 | kind,
	                      (uint64_t)from << 32 | to);
	*first = *first ? *first : r->nr_arcs + 1;
	is_there = syt_counts_at(&r->of_arc, *first - 1, task);
	if (*is_there)
		return complain(l, 0, "the arc appears twice");
	*is_there = 1;
	*SYT_ADD(r->arcs, r->nr_arcs, r->room_arcs) = (struct syt_rule_arc){task, SYT_NONE, 0};
	head = &r->arcs[*first - 1];
	if (head->nr++ == SYT_RULE_ALIKE)
		return complain(l, 0, "too many tasks contain this arc");
	if (head->nr > 1) {
		r->arcs[r->nr_arcs - 1].next = head->next;
		head->next = r->nr_arcs - 1;
	}
	*syt_counts_at(&r->kinds, kind, to) = 1;
	return true;
}

bool syt_rules_add(struct syt_rules *r, enum syt_rule_type type, const char *text, uint64_t line,
                   size_t column, struct syt_rule_error *error)
{
	struct line l = {.r = r, .text = text, .line = line, .column = column, .error = error};

	if (!split(&l, type))
		return false;
	return type == SYT_RULE_TASK   ? add_task(&l)
	       : type == SYT_RULE_PART ? add_part(&l)
	                               : add_arc(&l);
}

bool syt_rules_check(struct syt_rules *r, struct syt_rule_error *error)
{
	for (uint32_t i = r->nr_tasks; i-- > 0;) {
		struct syt_rule_task *t = &r->tasks[i];
		struct syt_rule_text *root = &r->texts[t->root];

		if (*root->text == '@' &&
		    (root->task == SYT_NONE || r->tasks[root->task].step >= t->step)) {
			*error = (struct syt_rule_error){
				"a task may only begin with a task of a lower step", t->line,
				t->column};
			return false;
		}
		root->first_task = i;
		note_part(r, i, t->root);
	}
	return true;
}

void syt_rules_close(struct syt_rules *r)
{
	for (uint32_t i = 0; i < r->nr_texts; i++)
		free(r->texts[i].text);
	free(r->texts);
	free(r->tasks);
	free(r->arcs);
	syt_counts_fini(&r->by_text);
	syt_counts_fini(&r->parts);
	syt_counts_fini(&r->enters);
	syt_counts_fini(&r->kinds);
	syt_counts_fini(&r->by_key);
	syt_counts_fini(&r->by_part);
	syt_counts_fini(&r->of_arc);
	memset(r, 0, sizeof(*r));
}

/* ---- writing ---- */

/* Returns the text of a part of the model M. The caller frees the text. */
static char *part_text(const struct syt_model *m, struct syt_model_what what)
{
	const char *text = syt_model_part_text(m, what);

	return what.is_task ? syt_asprintf("@%s", text) : syt_rules_path_text(text);
}

/* Returns the steps of the tasks, as the miner finds them: first the tasks of one thread, by layers, then all others. */
static uint32_t *steps_of(const struct syt_model *m)
{
	bool *is_across = syt_calloc(m->nr_tasks, sizeof(*is_across));
	uint32_t *step = syt_calloc(m->nr_tasks, sizeof(*step));
	uint32_t most = 0, within = 0, nr = 0;

	for (uint32_t i = 0; i < m->nr_arcs; i++)
		if (m->arcs[i].task != SYT_NONE && m->arcs[i].is_start &&
		    m->arcs[i].kind != SYT_EDGE_PROGRAM)
			is_across[m->arcs[i].task] = true;
	for (uint32_t t = 0; t < m->nr_tasks; t++)
		most = m->tasks[t].layer > most ? m->tasks[t].layer : most;
	for (uint32_t layer = 1; layer <= most; layer++)
		for (uint32_t i = 0; i < m->nr_parts; i++) {
			const struct syt_model_part *p = &m->parts[i];

			if (m->tasks[p->task].layer != layer || !p->what.is_task ||
			    !is_across[p->what.number])
				continue;
			is_across[p->task] = true;
			if (step[p->task] <= step[p->what.number])
				step[p->task] = step[p->what.number] + 1;
		}
	for (uint32_t t = 0; t < m->nr_tasks; t++)
		if (!is_across[t] && m->tasks[t].layer > within)
			within = m->tasks[t].layer;
	for (uint32_t t = 0; t < m->nr_tasks; t++) {
		step[t] = is_across[t] ? within + 1 + step[t] : m->tasks[t].layer;
		nr = step[t] > nr ? step[t] : nr;
	}
	for (uint32_t t = 0; t < m->nr_tasks && nr > SYT_RULE_STEPS; t++)
		step[t] = m->tasks[t].layer;
	free(is_across);
	return step;
}

/* Calls PUT with the begins of instances that started from a leaf. */
static void put_enters(const struct syt_model *m, syt_rules_put *put, void *context)
{
	const struct syt_model_input *in = m->in;
	struct syt_counts enters = {.nr = 0};

	for (uint32_t t = 0; t < m->nr_tasks; t++)
		for (uint64_t i = 0; i < m->tasks[t].count; i++) {
			uint32_t root =
				syt_model_root(m, m->instances[m->tasks[t].first_instance + i]);
			const struct syt_model_leaf *leaf = &in->leaves[root];

			if (leaf->start != SYT_NONE)
				++*syt_counts_at(&enters, (uint64_t)t << 8 | leaf->kind,
				                 (uint64_t)in->leaves[leaf->start].label << 32 |
				                         leaf->label);
		}
	for (size_t i = 0; i < enters.nr; i++) {
		const struct syt_count *c = &enters.all[i];
		char *from = syt_rules_path_text(in->labels[c->b >> 32].text);
		char *to = syt_rules_path_text(in->labels[(uint32_t)c->b].text);

		put(context, SYT_RULE_ARC,
		    syt_rule_arc_text(m->tasks[c->a >> 8].name, SYT_RULE_ENTER, (uint8_t)c->a, from,
		                      to),
		    c->nr, c->nr);
		free(from);
		free(to);
	}
	syt_counts_fini(&enters);
}

void syt_rules_of_model(const struct syt_model *m, uint64_t least, syt_rules_put *put,
                        void *context)
{
	uint32_t *step = steps_of(m);

	for (uint32_t i = 0; i < m->nr_tasks; i++) {
		const struct syt_model_task *t = &m->tasks[i];
		char *root = part_text(m, m->parts[t->first_part].what);

		put(context, SYT_RULE_TASK, syt_asprintf("%s\t%u\t%s", t->name, step[i], root),
		    t->count, 1);
		free(root);
	}
	free(step);
	for (uint32_t i = 0; i < m->nr_parts; i++) {
		const struct syt_model_part *p = &m->parts[i];
		char *part = part_text(m, p->what);

		put(context, SYT_RULE_PART, syt_asprintf("%s\t%s", m->tasks[p->task].name, part),
		    p->count, p->most);
		free(part);
	}
	for (uint32_t i = 0; i < m->nr_arcs; i++) {
		const struct syt_model_arc *a = &m->arcs[i];
		char *from, *to;

		if (a->task == SYT_NONE || a->count < least)
			continue;
		from = part_text(m, a->from);
		to = part_text(m, a->to);
		put(context, SYT_RULE_ARC,
		    syt_rule_arc_text(m->tasks[a->task].name,
		                      a->is_start ? SYT_RULE_START : SYT_RULE_INNER, a->kind, from,
		                      to),
		    a->count, a->count);
		free(from);
		free(to);
	}
	put_enters(m, put, context);
}

char *syt_rule_arc_text(const char *task, enum syt_rule_arc_type type, uint8_t kind,
                        const char *from, const char *to)
{
	return syt_asprintf("%s\t%s\t%s\t%s\t%s", task, arc_types[type], syt_arc_kind_text(kind),
	                    from, to);
}
