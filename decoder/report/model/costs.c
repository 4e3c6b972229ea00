/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/model/costs.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/err.h"
#include "decoder/analysis/call_path.h"
#include "decoder/order/label.h"

#define LEAST_COST 1.0  /* percent of the latency from which a cost is printed */
#define LEAST_PATH 10.0 /* percent of the latency from which a call path is printed */
#define MOST_SITES                                                                                 \
	8u /* number of call paths of a call that are considered, the longest times first */

/* ---- the end of a call path ---- */

static bool is_nameless(const char *text, size_t bytes)
{
	return memmem(text, bytes, "+0x", 3) != NULL;
}

#define MOST_FRAMES 5u /* number of functions at the end of a call path that are considered */

/* The end of a call path. */
struct end {
	const char *call;
	const char *function
		[MOST_FRAMES]; /* the innermost functions, the innermost first; NULL: none */
	size_t bytes[MOST_FRAMES];
	bool is_nameless[MOST_FRAMES];
};

static struct end end_of(const char *path)
{
	const char *colon = strstr(path, ": "), *next;
	struct end e = {.call = colon ? colon + 2 : path};

	for (; (next = strchr(e.call, ';')); e.call = next + 1) {
		memmove(e.function + 1, e.function, (MOST_FRAMES - 1) * sizeof(e.function[0]));
		memmove(e.bytes + 1, e.bytes, (MOST_FRAMES - 1) * sizeof(e.bytes[0]));
		memmove(e.is_nameless + 1, e.is_nameless,
		        (MOST_FRAMES - 1) * sizeof(e.is_nameless[0]));
		e.function[0] = e.call;
		e.bytes[0] = (size_t)(next - e.call);
		e.is_nameless[0] = is_nameless(e.call, e.bytes[0]);
	}
	return e;
}

/* Adds to TEXT the function with the index I of E. */
static void add_function(char **text, const struct end *e, unsigned i)
{
	char *longer = syt_asprintf("%s%s%.*s", *text, **text ? " in " : "", (int)e->bytes[i],
	                            e->function[i]);

	free(*text);
	*text = longer;
}

/* Returns the functions at the end of a call path, from malloc: of the innermost three, two with a symbol; without any, the
 * innermost function and the next function with a symbol. */
static char *functions_of(const struct end *e)
{
	char *text = syt_asprintf("%s", "");
	unsigned nr = 0;

	for (unsigned i = 0; i < 3 && e->function[i] && nr < 2; i++)
		if (!e->is_nameless[i]) {
			add_function(&text, e, i);
			nr++;
		}
	if (nr || !e->function[0])
		return text;
	add_function(&text, e, 0);
	for (unsigned i = 3; i < MOST_FRAMES && e->function[i]; i++)
		if (!e->is_nameless[i]) {
			add_function(&text, e, i);
			break;
		}
	return text;
}

/* Returns the end of a call path, from malloc. */
static char *path_text(const char *path)
{
	struct end e = end_of(path);
	char *functions = functions_of(&e);
	char *text = syt_asprintf("%s%s%s", e.call, *functions ? " of " : "", functions);

	free(functions);
	return text;
}

void syt_model_put_path(struct syt_out *out, const char *path)
{
	char *text = path_text(path);

	syt_out_safe(out, text);
	free(text);
}

/* Writes BYTES of the untrusted TEXT. */
static void put_bytes(struct syt_out *out, const char *text, size_t bytes)
{
	char *copy = syt_strndup(text, bytes);

	syt_out_safe(out, copy);
	free(copy);
}

void syt_model_put_call(struct syt_out *out, const char *path)
{
	struct end e = end_of(path);

	for (unsigned i = 0; i < 3 && e.function[i]; i++) {
		if (e.is_nameless[i])
			continue;
		put_bytes(out, e.function[i], e.bytes[i]);
		syt_out_string(out, i ? ";..;" : ";");
		break;
	}
	syt_out_safe(out, e.call);
}

/* ---- the costs of a task ---- */

/* The costs with one place in the code. */
struct site {
	char *text; /* from malloc */
	syt_time time;
};

/* The costs with one call, or the time in which threads ran. */
struct group {
	const char *call; /* NULL: `kind` tells all */
	uint8_t kind;     /* SYT_COST_IN includes SYT_COST_BEHIND_IN */
	syt_time time;
	syt_time behind; /* part of `time` that is in other work of the thread */
	unsigned nr;
	struct site sites[MOST_SITES]; /* the longest first */
};

SYT_COMPARATOR(by_time, struct group)
{
	if (a->time != b->time)
		return a->time > b->time ? -1 : 1;
	SYT_ORDER_BY(kind);
	return a->call && b->call ? strcmp(a->call, b->call) : 0;
}

SYT_COMPARATOR(by_site, struct site)
{
	if (a->time != b->time)
		return a->time > b->time ? -1 : 1;
	return strcmp(a->text, b->text);
}

static double percent(double part, double all)
{
	return all > 0 ? 100 * part / all : 0;
}

static const char *call_of(const char *path)
{
	const char *call = syt_label_short(path, 1), *colon = strstr(call, ": ");

	return colon ? colon + 2
	             : call; /* a path with one function contains the name of the program */
}

/* Returns the place of the cost C in the code, from malloc. */
static char *site_of(const struct syt_model *m, const struct syt_model_cost *c)
{
	const char *path = syt_call_path_text(m->in->paths, c->path);
	struct end e = end_of(path);
	char *text, *before;

	if (c->kind == SYT_COST_IN || c->kind == SYT_COST_BEHIND_IN)
		return functions_of(&e);
	before = path_text(path);
	text = c->until == SYT_NONE
	               ? syt_asprintf("after %s", before)
	               : syt_asprintf("after %s until %s", before,
	                              call_of(syt_call_path_text(m->in->paths, c->until)));
	free(before);
	return text;
}

static void add_site(struct group *g, const struct syt_model *m, const struct syt_model_cost *c)
{
	char *text = site_of(m, c);
	unsigned at = 0;

	while (at < g->nr && strcmp(g->sites[at].text, text) != 0)
		at++;
	if (at < g->nr || g->nr == MOST_SITES || !*text)
		free(text);
	else
		g->sites[g->nr++] = (struct site){text, 0};
	if (at < g->nr)
		g->sites[at].time += c->time;
}

static size_t find_groups(const struct syt_model *m, const struct syt_model_latency *l,
                          struct group *groups)
{
	size_t nr = 0;

	for (size_t i = 0; i < l->nr; i++) {
		const struct syt_model_cost *c = &l->costs[i];
		bool is_in = c->kind == SYT_COST_IN || c->kind == SYT_COST_BEHIND_IN;
		const char *call =
			is_in ? call_of(syt_call_path_text(m->in->paths, c->path)) : NULL;
		uint8_t kind = is_in ? SYT_COST_IN : c->kind;
		size_t at = 0;

		while (at < nr &&
		       (groups[at].kind != kind || (call && strcmp(groups[at].call, call) != 0)))
			at++;
		if (at == nr)
			groups[nr++] = (struct group){.call = call, .kind = kind};
		groups[at].time += c->time;
		groups[at].behind += c->kind == SYT_COST_BEHIND_IN ? c->time : 0;
		add_site(&groups[at], m, c);
	}
	for (size_t i = 0; i < nr; i++)
		if (groups[i].nr)
			qsort(groups[i].sites, groups[i].nr, sizeof(groups[i].sites[0]), by_site);
	if (nr)
		qsort(groups, nr, sizeof(*groups), by_time);
	return nr;
}

static const char *kind_text(const struct group *g)
{
	switch ((enum syt_cost_kind)g->kind) {
	case SYT_COST_AFTER:
		return "running";
	case SYT_COST_BEHIND_AFTER:
		return "while its thread ran other work";
	default:
		return "in ";
	}
}

/* Writes a group, whose share of the latency ALL is SHARE. */
static void put_group(struct syt_out *out, const struct group *g, double share, double all)
{
	double behind = percent((double)g->behind, all);
	const char *comma = " (";

	syt_out_string(out, kind_text(g));
	syt_out_safe(out, g->call ? g->call : "");
	for (unsigned i = 0; i < 2 && i < g->nr; i++) {
		double part = percent((double)g->sites[i].time, all);
		bool is_all = part > share - 0.5;

		if (part < LEAST_PATH)
			break;
		if (g->call && is_all) {
			syt_out_string(out, " of ");
		} else {
			syt_out_string(out, comma);
			comma = ", ";
			if (!is_all)
				syt_out_printf(out, "%.0f %% ", part);
			syt_out_string(out, g->call ? "of " : "");
		}
		syt_out_safe(out, g->sites[i].text);
	}
	if (behind >= LEAST_COST) {
		syt_out_string(out, comma);
		comma = ", ";
		if (behind <= share - 0.5)
			syt_out_printf(out, "%.0f %% ", behind);
		syt_out_string(out, "while its thread did other work");
	}
	syt_out_string(out, *comma == ',' ? ")" : "");
}

void syt_model_put_costs(struct syt_out *out, const struct syt_model *m,
                         const struct syt_model_latency *l, unsigned most)
{
	struct group *groups = syt_calloc(l->nr, sizeof(*groups));
	size_t nr = find_groups(m, l, groups);

	for (size_t i = 0; i < nr && i < most; i++) {
		double share = percent((double)groups[i].time, (double)l->all);

		if (share < LEAST_COST)
			break;
		syt_out_printf(out, "%s%.0f %% ", i ? ", " : "", share);
		put_group(out, &groups[i], share, (double)l->all);
	}
	for (size_t i = 0; i < nr; i++)
		for (unsigned n = 0; n < groups[i].nr; n++)
			free(groups[i].sites[n].text);
	free(groups);
}
