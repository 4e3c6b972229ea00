/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Writes models of workloads as text. Fields have tabs between them, the symbols of a string have blanks:
 *
 *	syntrace-workload 1
 *	requests	NR	BEHAVIOURS	BEHAVIOURS-OF-ONE-REQUEST	NS-BETWEEN-REQUESTS
 *	symbol	TEXT
 *	component	TEXT	SCALE of each resource
 *	cluster	COUNT	SYMBOL...
 *	work	COMPONENT	AMOUNT of each resource	MEDIAN of each resource	MAD of each resource
 *	behaviour	COUNT	SYMBOL...
 *	state	VISITS	ENDS
 *	to	SYMBOL	STATE	COUNT
 *	structure-score	SCORE	COUNT
 *	work-score	SCORE	COUNT
 *	cpu-score	SCORE	COUNT
 *	joint-score	SCORE	COUNT
 *
 * Symbols, components and states have numbers from 0, in the order of their lines. A line `work` belongs to the cluster
 * before it, a line `to` to the state before it. "-" stands for an unknown amount or norm. Models of older versions have
 * no lines `cpu-score` and `joint-score`; their lines `work-score` include the CPU time.
 */
#include <math.h>

#include "base/err.h"
#include "base/lines.h"
#include "decoder/request/workload.h"

/* Returns true if a text of a model contains the byte C as \xNN. */
static bool is_escaped(unsigned char c)
{
	return c < 0x20 || c == 0x7f || c == '\\';
}

static void put_text(struct syt_out *o, const char *text)
{
	static const char digits[] = "0123456789abcdef";

	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		const char escaped[] = {'\\', 'x', digits[c >> 4], digits[c & 15]};

		if (is_escaped(c))
			syt_out_bytes(o, escaped, sizeof(escaped));
		else
			syt_out_char(o, *text);
	}
}

static void put_number(struct syt_out *o, uint64_t v)
{
	syt_out_char(o, '\t');
	syt_out_u64(o, v);
}

static void put_decimal(struct syt_out *o, double v)
{
	uint64_t micro = (uint64_t)llround(v * SYT_WORKLOAD_MICRO);

	syt_out_printf(o, "\t%llu.%06llu", (unsigned long long)(micro / SYT_WORKLOAD_MICRO),
	               (unsigned long long)(micro % SYT_WORKLOAD_MICRO));
}

static void put_steps(struct syt_out *o, const struct syt_population *known, uint32_t behaviour)
{
	const uint32_t *steps = syt_behaviour_steps(known, behaviour);

	syt_out_char(o, '\t');
	for (uint32_t i = 0; i < known->behaviours[behaviour].nr; i++) {
		if (i)
			syt_out_char(o, ' ');
		syt_out_u64(o, steps[i]);
	}
	syt_out_char(o, '\n');
}

static void put_names(const struct syt_workload *w, struct syt_out *o)
{
	for (uint32_t i = 0; i < w->known.symbols.nr; i++) {
		syt_out_string(o, "symbol\t");
		put_text(o, w->known.symbols.all[i]);
		syt_out_char(o, '\n');
	}
	for (uint32_t i = 0; i < w->known.components.nr; i++) {
		syt_out_string(o, "component\t");
		put_text(o, w->known.components.all[i]);
		for (unsigned r = 0; r < SYT_NR_RESOURCES; r++)
			put_decimal(o, w->scale[i * SYT_NR_RESOURCES + r]);
		syt_out_char(o, '\n');
	}
}

/* Returns the amount of the representative of CLUSTER. */
static uint64_t amount_of(const struct syt_workload *w, uint32_t cluster, uint32_t component,
                          unsigned resource)
{
	const struct syt_member *m = &w->known.members[cluster];

	for (uint32_t i = 0; i < m->nr_parts; i++)
		if (w->known.parts[m->first_part + i].component == component)
			return w->known.parts[m->first_part + i].amounts[resource];
	return 0;
}

static void put_work(const struct syt_workload *w, uint32_t cluster,
                     const struct syt_workload_part *part, struct syt_out *o)
{
	syt_out_string(o, "work");
	put_number(o, part->component);
	for (unsigned r = 0; r < SYT_NR_RESOURCES; r++) {
		uint64_t amount = amount_of(w, cluster, part->component, r);

		if (amount == SYT_AMOUNT_UNKNOWN)
			syt_out_string(o, "\t-");
		else
			put_number(o, amount);
	}
	for (unsigned i = 0; i < 2 * SYT_NR_RESOURCES; i++) {
		const struct syt_workload_norm *n = &part->norms[i % SYT_NR_RESOURCES];

		if (n->median < 0)
			syt_out_string(o, "\t-");
		else
			put_decimal(o, i < SYT_NR_RESOURCES ? n->median : n->mad);
	}
	syt_out_char(o, '\n');
}

static void put_clusters(const struct syt_workload *w, struct syt_out *o)
{
	for (uint32_t i = 0; i < w->nr_clusters; i++) {
		const struct syt_workload_cluster *c = &w->clusters[i];

		syt_out_string(o, "cluster");
		put_number(o, c->count);
		put_steps(o, &w->known, w->known.members[i].behaviour);
		for (uint32_t j = c->first_part; j < c->first_part + c->nr_parts; j++)
			put_work(w, i, &w->parts[j], o);
	}
	for (uint32_t i = 0; i < w->nr_learnt; i++) {
		syt_out_string(o, "behaviour");
		put_number(o, w->learnt[i].count);
		put_steps(o, &w->known, w->learnt[i].behaviour);
	}
}

static void put_automaton(const struct syt_automaton *a, struct syt_out *o)
{
	for (uint32_t i = 0; i < a->nr_states; i++) {
		const struct syt_automaton_state *s = &a->states[i];

		syt_out_string(o, "state");
		put_number(o, s->visits);
		put_number(o, s->ends);
		syt_out_char(o, '\n');
		for (uint32_t j = s->first; j < s->first + s->nr; j++) {
			syt_out_string(o, "to");
			put_number(o, a->transitions[j].symbol);
			put_number(o, a->transitions[j].to);
			put_number(o, a->transitions[j].count);
			syt_out_char(o, '\n');
		}
	}
}

static void put_scores(const struct syt_odd_scores *s, const char *word, struct syt_out *o)
{
	for (uint32_t i = 0; i < s->nr; i++) {
		syt_out_string(o, word);
		put_number(o, s->all[i].score);
		put_number(o, s->all[i].count);
		syt_out_char(o, '\n');
	}
}

/* Returns an upper bound of the number of bytes of the names. */
static uint64_t name_bytes(const struct syt_text_set *s, uint64_t *most)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < s->nr; i++) {
		uint64_t bytes = 0;

		for (const char *c = s->all[i]; *c; c++)
			bytes += is_escaped((unsigned char)*c) ? 4 : 1;
		*most = bytes > *most ? bytes : *most;
		sum += bytes;
	}
	return sum;
}

bool syt_workload_save(const struct syt_workload *w, struct syt_out *o)
{
	uint64_t most = 0, bytes = name_bytes(&w->known.symbols, &most);

	bytes += name_bytes(&w->known.components, &most);
	if (most > SYT_LINE_MOST / 2 || bytes > SYT_LINES_BYTES / 4 ||
	    w->known.components.nr > SYT_WORKLOAD_COMPONENTS) {
		syt_warn("the names of the symbols and components are too long for a model");
		return false;
	}
	syt_out_string(o, "syntrace-workload 1\nrequests");
	put_number(o, w->nr_requests);
	put_number(o, w->nr_behaviours);
	put_number(o, w->nr_once);
	put_number(o, w->interval_ns);
	syt_out_char(o, '\n');
	put_names(w, o);
	put_clusters(w, o);
	put_automaton(&w->automaton, o);
	put_scores(&w->calibration.kinds[SYT_ODD_STRUCTURE], "structure-score", o);
	put_scores(&w->calibration.kinds[SYT_ODD_AMOUNT], "work-score", o);
	put_scores(&w->calibration.kinds[SYT_ODD_CPU], "cpu-score", o);
	put_scores(&w->calibration.joint, "joint-score", o);
	return true;
}
