/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A task may contain a call path without the callers of one of its functions (doc/models.md). A set of call paths therefore
 * has the whole call path, or all of its ends that begin with a function.
 */
#include "decoder/report/compare/consequence.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/err.h"

#define MORE 1u  /* bit in a set of call paths: a difference finds more calls than before */
#define FEWER 2u /* a difference finds fewer */

static bool is_about_calls(enum syt_fact_type type)
{
	return type == SYT_FACT_MAKE || type == SYT_FACT_CALL || type == SYT_FACT_WAIT;
}

static unsigned direction_of(const struct syt_difference *f)
{
	return f->change == SYT_CHANGE_NEW || f->change == SYT_CHANGE_MORE ? MORE : FEWER;
}

/* ---- sets of call paths; the keys are hashes of 128 bits ---- */

static uint64_t *at(struct syt_counts *set, const char *path, size_t bytes)
{
	XXH128_hash_t h = XXH3_128bits(path, bytes);

	return syt_counts_at(set, h.low64, h.high64);
}

static uint64_t of(const struct syt_counts *set, const char *path, size_t bytes)
{
	XXH128_hash_t h = XXH3_128bits(path, bytes);

	return syt_counts_of(set, h.low64, h.high64);
}

/* The ends of a call path, from the whole call path on: "program: f;g;call", "program: g;call", "program: call". */
struct ends {
	char *text; /* the present end */
	size_t program, bytes, next;
	const char *path;
	size_t path_bytes;
};

static void open_ends(struct ends *e, const char *path, size_t bytes)
{
	const char *colon = memmem(path, bytes, ": ", 2);
	size_t program = colon ? (size_t)(colon + 2 - path) : 0;

	*e = (struct ends){syt_alloc(bytes + 1, 1), program, 0, program, path, bytes};
	memcpy(e->text, path, bytes);
	e->text[bytes] = '\0';
}

static bool next_end(struct ends *e)
{
	const char *from, *semicolon;

	if (e->next > e->path_bytes) {
		free(e->text);
		return false;
	}
	from = e->path + e->next;
	e->bytes = e->program + (size_t)(e->path + e->path_bytes - from);
	memcpy(e->text + e->program, from, e->bytes - e->program);
	semicolon = memchr(from, ';', e->bytes - e->program);
	e->next = semicolon ? (size_t)(semicolon + 1 - e->path) : e->path_bytes + 1;
	return true;
}

/* Returns the first value in SET of an end of PATH that has a bit of MASK, or 0. */
static uint64_t of_ends(const struct syt_counts *set, const char *path, size_t bytes, uint64_t mask)
{
	uint64_t found = 0;
	struct ends e;

	for (open_ends(&e, path, bytes); next_end(&e);)
		found = found & mask ? found : of(set, e.text, e.bytes);
	return found & mask ? found : 0;
}

/* ---- differences of calls, and parts of tasks ---- */

void syt_consequence_mark(struct syt_comparison *c, const struct syt_difference *f)
{
	struct ends e;

	if (!is_about_calls(f->type))
		return;
	for (open_ends(&e, f->name, strlen(f->name)); next_end(&e);)
		*at(&c->changed, e.text, e.bytes) |= direction_of(f);
}

/* Returns the call path of a fact of type PART, or NULL if the part is a task. */
static const char *part_of(const char *name)
{
	return syt_rules_path(name + strcspn(name, "\t") + 1);
}

bool syt_consequence_has_calls(const struct syt_comparison *c, const char *name)
{
	const char *path = part_of(name);

	return path && of(&c->changed, path, strlen(path));
}

/* Returns true if one of the parts of the task of the fact NAME has its calls in C->changed. */
static bool has_changed_part(const struct syt_comparison *c, const char *name)
{
	size_t bytes = strcspn(name, "\t") + 1;

	for (size_t i = 0; i < c->before->nr && c->before->norms[i].type <= SYT_FACT_PART; i++) {
		const struct syt_norm *norm = &c->before->norms[i];

		if (norm->type == SYT_FACT_PART && !strncmp(norm->name, name, bytes) &&
		    syt_consequence_has_calls(c, norm->name))
			return true;
	}
	return false;
}

/* Returns true if ARC, the name of a fact, starts a part in the task of the fact NAME from the same thread: the part of the
 * fact, or any part if the fact is of type TASK. */
static bool starts_in_thread(const char *arc, enum syt_fact_type type, const char *name)
{
	static const char *const starts[] = {"start\tprogram\t", "start\tconnection\t"};
	size_t bytes = strcspn(name, "\t") + 1;

	if (strncmp(arc, name, bytes) != 0)
		return false;
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		if (strncmp(arc + bytes, starts[i], strlen(starts[i])) != 0)
			continue;
		return type == SYT_FACT_TASK || !strcmp(strrchr(arc, '\t') + 1, name + bytes);
	}
	return false;
}

bool syt_consequence_may_be_chance(const struct syt_comparison *c, enum syt_fact_type type,
                                   const char *name, bool is_growth)
{
	const struct syt_run *r = &c->after[0];
	bool is_in_thread = false;

	if (type == SYT_FACT_TASK ? has_changed_part(c, name) : syt_consequence_has_calls(c, name))
		return false;
	for (size_t i = 0; i < c->before->nr && !is_growth; i++)
		is_in_thread |= c->before->norms[i].type == SYT_FACT_ARC &&
		                starts_in_thread(c->before->norms[i].name, type, name);
	for (size_t i = 0; i < r->nr && is_growth; i++)
		is_in_thread |= r->facts[i].type == SYT_FACT_ARC &&
		                starts_in_thread(r->facts[i].name, type, name);
	return !is_in_thread;
}

/* The call paths and tasks of the differences of a comparison. */
struct links {
	struct syt_counts found;   /* call paths with a difference of their calls */
	struct syt_counts grown;   /* call paths with more calls than before, or new calls */
	struct syt_counts leading; /* call paths after which a call path of `grown` now follows */
	struct syt_counts in_task; /* call paths with a difference in a task: MORE, FEWER */
	struct syt_counts tasks;   /* tasks with more or fewer calls of a call path in `found` */
	struct syt_counts moved;   /* parts that moved from or to one of `tasks` */
	/* call path -> 1 + the index of the fact PART with most of its calls in the first new run; and of the
	 * first such fact of the baseline */
	struct syt_counts part_after, part_before;
};

/* Marks the call paths of a difference of a task: of its part, or of all parts of the task. */
static void link_task(const struct syt_comparison *c, struct links *l,
                      const struct syt_difference *f)
{
	size_t bytes = strcspn(f->name, "\t") + 1;
	const char *path = f->type == SYT_FACT_PART ? part_of(f->name) : NULL;

	if (path) {
		*at(&l->in_task, path, strlen(path)) |= direction_of(f);
		if (!f->is_moved)
			*at(&l->tasks, f->name, bytes) = 1;
	}
	for (size_t i = 0; i < c->before->nr && f->type == SYT_FACT_TASK; i++) {
		const struct syt_norm *norm = &c->before->norms[i];

		if (norm->type != SYT_FACT_PART || strncmp(norm->name, f->name, bytes) != 0)
			continue;
		path = part_of(norm->name);
		if (path)
			*at(&l->in_task, path, strlen(path)) |= direction_of(f);
	}
}

/* Marks the part of F if it moved from or to a task that has another difference. */
static void link_move(struct links *l, const struct syt_difference *f)
{
	size_t bytes = strcspn(f->name, "\t") + 1;

	if (f->is_moved && of(&l->tasks, f->name, bytes))
		*at(&l->moved, f->name + bytes, strlen(f->name + bytes)) = 1;
}

static void link_parts(const struct syt_comparison *c, struct links *l)
{
	const struct syt_run *r = &c->after[0];
	const char *path;
	uint64_t *index;

	for (size_t i = 0; i < r->nr; i++) {
		path = r->facts[i].type == SYT_FACT_PART ? part_of(r->facts[i].name) : NULL;
		if (!path)
			continue;
		index = at(&l->part_after, path, strlen(path));
		if (!*index || r->facts[*index - 1].nr < r->facts[i].nr)
			*index = i + 1;
	}
	for (size_t i = 0; i < c->before->nr; i++) {
		const struct syt_norm *norm = &c->before->norms[i];

		path = norm->type == SYT_FACT_PART ? part_of(norm->name) : NULL;
		if (!path)
			continue;
		index = at(&l->part_before, path, strlen(path));
		*index = *index ? *index : i + 1;
	}
}

static void link_all(struct syt_comparison *c, struct links *l)
{
	const struct syt_run *r = &c->after[0];

	for (size_t i = 0; i < c->nr; i++) {
		struct syt_difference *f = &c->all[i];

		f->is_moved = f->type == SYT_FACT_PART && !syt_consequence_has_calls(c, f->name);
		if (f->type <= SYT_FACT_PART)
			link_task(c, l, f);
		if (!is_about_calls(f->type))
			continue;
		*at(&l->found, f->name, strlen(f->name)) = 1;
		if (direction_of(f) == MORE)
			*at(&l->grown, f->name, strlen(f->name)) = 1;
	}
	for (size_t i = 0; i < c->nr; i++)
		link_move(l, &c->all[i]);
	for (size_t i = 0; i < r->nr; i++) {
		const char *name = r->facts[i].name;
		size_t bytes = strcspn(name, "\t");

		if (r->facts[i].type == SYT_FACT_NEXT &&
		    of(&l->grown, name + bytes + 1, strlen(name + bytes + 1)))
			*at(&l->leading, name, bytes) = 1;
	}
	link_parts(c, l);
}

/* ---- consequences ---- */

static bool follows(const struct links *l, const struct syt_difference *f)
{
	size_t bytes = strcspn(f->name, "\t");

	if (f->type <= SYT_FACT_ARC)
		return f->is_moved &&
		       of(&l->moved, f->name + bytes + 1, strlen(f->name + bytes + 1));
	if (is_about_calls(f->type))
		return of_ends(&l->in_task, f->name, strlen(f->name), direction_of(f)) != 0;
	if (f->type == SYT_FACT_NEXT && of(&l->leading, f->name, bytes))
		return true;
	for (const char *part = f->name; *part; part += bytes + (part[bytes] == '\t')) {
		bytes = strcspn(part, "\t");
		if (of(&l->found, part, bytes))
			return true;
	}
	return false;
}

/* Sets the task of F: the first part of the name of a fact about a task, otherwise the task with most of the calls. */
static void find_task(const struct syt_comparison *c, const struct links *l,
                      struct syt_difference *f)
{
	f->task = f->type <= SYT_FACT_ARC ? f->name : NULL;
	for (const char *part = f->name; *part && !f->task; part += *part == '\t') {
		size_t bytes = strcspn(part, "\t");
		uint64_t after = of_ends(&l->part_after, part, bytes, UINT64_MAX);
		uint64_t before = of_ends(&l->part_before, part, bytes, UINT64_MAX);

		if (after)
			f->task = c->after[0].facts[after - 1].name;
		else if (before)
			f->task = c->before->norms[before - 1].name;
		part += bytes;
	}
	f->task_bytes = f->task ? strcspn(f->task, "\t") : 0;
}

void syt_consequence_find(struct syt_comparison *c)
{
	struct links links = {.found = {.nr = 0}};

	link_all(c, &links);
	for (size_t i = 0; i < c->nr; i++) {
		c->all[i].follows = follows(&links, &c->all[i]);
		find_task(c, &links, &c->all[i]);
	}
	syt_counts_fini(&links.found);
	syt_counts_fini(&links.grown);
	syt_counts_fini(&links.leading);
	syt_counts_fini(&links.in_task);
	syt_counts_fini(&links.tasks);
	syt_counts_fini(&links.moved);
	syt_counts_fini(&links.part_after);
	syt_counts_fini(&links.part_before);
}
