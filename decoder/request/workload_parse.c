/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Reads models of workloads (workload_save.c describes the text). A model is untrusted input. There is one text for each
 * model: the parser accepts no other spelling of a number, a name or an order. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/lines.h"
#include "decoder/request/workload.h"

#define MOST_DECIMAL                                                                               \
	UINT64_C(100000000) /* of a scale or a norm, in millionths: no logarithm is larger */
#define DECIMALS 6u

enum section {
	REQUESTS,
	SYMBOL,
	COMPONENT,
	CLUSTER,
	BEHAVIOUR,
	STATE,
	STRUCTURE,
	WORK,
	CPU,
	JOINT
};

struct parser {
	struct syt_lines lines;
	struct syt_workload *workload;
	enum section section;
	const char *p;   /* the rest of the line */
	uint32_t *steps; /* of a line */
	size_t room_steps;
	size_t room_scale;
	uint32_t nr_scale;
	uint64_t nr_steps;
	/* the cluster whose work is read */
	bool has_cluster;
	uint32_t cluster_behaviour;
	uint32_t nr_parts;
	size_t room_parts;
	struct syt_work_part *parts; /* of its representative */
	uint64_t nr_left;            /* requests in the last state without a transition so far */
	uint32_t last_to;            /* largest target of a transition, and its line */
	uint64_t last_to_line;
};

static bool complain(const struct parser *r, const char *what)
{
	return syt_lines_complain(&r->lines, r->lines.number, (size_t)(r->p - r->lines.line) + 1,
	                          what);
}

/* ---- fields ---- */

/* Reads the tab before a field. */
static bool read_tab(struct parser *r)
{
	if (*r->p != '\t')
		return complain(r, "expected a tab");
	r->p++;
	return true;
}

static bool read_end(struct parser *r)
{
	return !*r->p || complain(r, "expected the end of the line");
}

/* Reads digits up to MOST, without zeros at the begin. */
static bool read_digits(struct parser *r, uint64_t most, uint64_t *v)
{
	const char *begin = r->p;

	for (*v = 0; *r->p >= '0' && *r->p <= '9'; r->p++) {
		unsigned digit = (unsigned)(*r->p - '0');

		if (r->p > begin && *begin == '0')
			return complain(r, "a number begins with 0");
		if (*v > most / 10 || digit > most - 10 * *v)
			return complain(r, "the number is too large");
		*v = 10 * *v + digit;
	}
	return r->p > begin || complain(r, "expected a number");
}

static bool read_number(struct parser *r, uint64_t most, uint64_t *v)
{
	return read_tab(r) && read_digits(r, most, v);
}

static bool read_index(struct parser *r, uint32_t nr, uint32_t *v)
{
	uint64_t n;

	if (!nr)
		return complain(r, "the model has no such number");
	if (!read_digits(r, nr - 1, &n))
		return false;
	*v = (uint32_t)n;
	return true;
}

/* Reads a number with six decimals. */
static bool read_decimal(struct parser *r, double *v)
{
	uint64_t whole, micro = 0;

	if (!read_digits(r, MOST_DECIMAL / SYT_WORKLOAD_MICRO, &whole))
		return false;
	if (*r->p != '.')
		return complain(r, "expected a point");
	r->p++;
	for (unsigned i = 0; i < DECIMALS; i++, r->p++) {
		if (*r->p < '0' || *r->p > '9')
			return complain(r, "expected six decimals");
		micro = 10 * micro + (unsigned)(*r->p - '0');
	}
	*v = (double)(whole * SYT_WORKLOAD_MICRO + micro) / SYT_WORKLOAD_MICRO;
	return true;
}

static bool read_dash(struct parser *r)
{
	if (*r->p != '-')
		return false;
	r->p++;
	return true;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads an escaped byte. Returns 0 if the byte is wrong. */
static unsigned char read_escape(const char *p)
{
	int high, low, c;

	if (p[1] != 'x' || (high = hex_digit(p[2])) < 0 || (low = hex_digit(p[3])) < 0)
		return 0;
	c = 16 * high + low;
	return c < 0x20 || c == 0x7f || c == '\\' ? (unsigned char)c : 0;
}

/* Reads a text up to a tab into S, which must be larger than the last text of S. */
static bool read_text(struct parser *r, struct syt_text_set *s)
{
	char *text = syt_alloc(strlen(r->p) + 1, 1), *to = text;
	bool is_good = true;

	for (; is_good && *r->p && *r->p != '\t'; r->p += is_good)
		if (*r->p != '\\') {
			is_good = *r->p != 0x7f;
			*to++ = *r->p;
		} else {
			*to = (char)read_escape(r->p);
			is_good = *to++;
			r->p += is_good ? 3 : 0;
		}
	*to = '\0';
	if (!is_good)
		complain(r, "a byte is not escaped as a model requires");
	else if (s->nr && strcmp(s->all[s->nr - 1], text) >= 0)
		is_good = complain(r, "the names are not sorted");
	else
		syt_text_set_add(s, text, (size_t)(to - text));
	free(text);
	return is_good;
}

/* Reads the rest of the line as a string of symbols. Stores the number of its behaviour in *BEHAVIOUR. */
static bool read_steps(struct parser *r, uint32_t *behaviour)
{
	struct syt_population *known = &r->workload->known;
	uint32_t nr = 0, step = 0;

	if (!read_tab(r))
		return false;
	while (*r->p) {
		if (nr && *r->p != ' ')
			return complain(r, "expected a blank");
		r->p += nr > 0;
		if (!read_index(r, known->symbols.nr, &step))
			return false;
		if (nr == SYT_WORKLOAD_STEPS || ++r->nr_steps > SYT_WORKLOAD_ALL_STEPS)
			return complain(r, "too many symbols");
		*SYT_ADD(r->steps, nr, r->room_steps) = step;
	}
	*behaviour = syt_population_behaviour(known, r->steps, nr);
	return true;
}

/* ---- lines ---- */

static bool parse_requests(struct parser *r)
{
	struct syt_workload *w = r->workload;

	return read_number(r, SYT_WORKLOAD_COUNT, &w->nr_requests) &&
	       read_number(r, w->nr_requests, &w->nr_behaviours) &&
	       read_number(r, w->nr_behaviours, &w->nr_once) &&
	       read_number(r, SYT_WORKLOAD_COUNT, &w->interval_ns) && read_end(r);
}

static bool parse_symbol(struct parser *r)
{
	struct syt_text_set *s = &r->workload->known.symbols;

	if (s->nr == SYT_WORKLOAD_SYMBOLS)
		return complain(r, "too many symbols");
	return read_tab(r) && read_text(r, s) && read_end(r);
}

static bool parse_component(struct parser *r)
{
	struct syt_text_set *s = &r->workload->known.components;
	double scale;

	if (s->nr == SYT_WORKLOAD_COMPONENTS)
		return complain(r, "too many components");
	if (!read_tab(r) || !read_text(r, s))
		return false;
	for (unsigned i = 0; i < SYT_NR_RESOURCES; i++) {
		if (!read_tab(r) || !read_decimal(r, &scale))
			return false;
		*SYT_ADD(r->workload->scale, r->nr_scale, r->room_scale) = scale;
	}
	return read_end(r);
}

/* Adds the representative of the last cluster, once its work is read. */
static void end_cluster(struct parser *r)
{
	if (r->has_cluster)
		syt_population_add(&r->workload->known, r->cluster_behaviour, r->parts,
		                   r->nr_parts);
	r->has_cluster = false;
	r->nr_parts = 0;
}

static bool parse_cluster(struct parser *r)
{
	struct syt_workload *w = r->workload;
	struct syt_workload_cluster c = {.first_part = w->nr_parts};

	end_cluster(r);
	if (w->nr_clusters == SYT_WORKLOAD_CLUSTERS)
		return complain(r, "too many clusters");
	if (!read_number(r, SYT_WORKLOAD_COUNT, &c.count) || !read_steps(r, &r->cluster_behaviour))
		return false;
	if (w->nr_clusters && w->clusters[w->nr_clusters - 1].count < c.count)
		return complain(r, "the clusters are not sorted");
	r->has_cluster = true;
	*SYT_ADD(w->clusters, w->nr_clusters, w->room_clusters) = c;
	return true;
}

static bool read_amounts(struct parser *r, struct syt_work_part *part)
{
	for (unsigned i = 0; i < SYT_NR_RESOURCES; i++) {
		part->amounts[i] = SYT_AMOUNT_UNKNOWN;
		if (!read_tab(r) ||
		    (!read_dash(r) && !read_digits(r, SYT_AMOUNT_UNKNOWN - 1, &part->amounts[i])))
			return false;
	}
	return true;
}

static bool read_norms(struct parser *r, struct syt_workload_norm *norms)
{
	for (unsigned i = 0; i < SYT_NR_RESOURCES; i++) {
		norms[i] = (struct syt_workload_norm){-1, 0};
		if (!read_tab(r) || (!read_dash(r) && !read_decimal(r, &norms[i].median)))
			return false;
	}
	for (unsigned i = 0; i < SYT_NR_RESOURCES; i++) {
		if (!read_tab(r))
			return false;
		if (norms[i].median < 0 && !read_dash(r))
			return complain(r, "expected -");
		if (norms[i].median >= 0 && !read_decimal(r, &norms[i].mad))
			return false;
	}
	return true;
}

static bool parse_work(struct parser *r)
{
	struct syt_workload *w = r->workload;
	struct syt_work_part part;
	struct syt_workload_part norms;

	if (!r->has_cluster)
		return complain(r, "the work belongs to no cluster");
	if (w->nr_parts == SYT_WORKLOAD_PARTS)
		return complain(r, "too much work");
	if (!read_tab(r) || !read_index(r, w->known.components.nr, &part.component))
		return false;
	if (r->nr_parts && r->parts[r->nr_parts - 1].component >= part.component)
		return complain(r, "the components are not sorted");
	if (!read_amounts(r, &part) || !read_norms(r, norms.norms) || !read_end(r))
		return false;
	norms.component = part.component;
	*SYT_ADD(r->parts, r->nr_parts, r->room_parts) = part;
	*SYT_ADD(w->parts, w->nr_parts, w->room_parts) = norms;
	w->clusters[w->nr_clusters - 1].nr_parts++;
	return true;
}

static bool parse_behaviour(struct parser *r)
{
	struct syt_workload *w = r->workload;
	struct syt_workload_behaviour b;

	if (w->nr_learnt == SYT_WORKLOAD_BEHAVIOURS)
		return complain(r, "too many behaviours");
	if (!read_number(r, SYT_WORKLOAD_COUNT, &b.count))
		return false;
	if (b.count < 2)
		return complain(r, "the behaviour is too rare");
	if (!read_steps(r, &b.behaviour))
		return false;
	if (w->nr_learnt && syt_behaviour_compare(&w->known, w->learnt[w->nr_learnt - 1].behaviour,
	                                          b.behaviour) >= 0)
		return complain(r, "the behaviours are not sorted");
	*SYT_ADD(w->learnt, w->nr_learnt, w->room_learnt) = b;
	return true;
}

static bool end_state(const struct parser *r)
{
	return !r->nr_left ||
	       complain(r, "the visits of the last state are not the sum of its ends");
}

static bool parse_state(struct parser *r)
{
	struct syt_automaton *a = &r->workload->automaton;
	uint64_t visits, ends;

	if (!end_state(r))
		return false;
	if (a->nr_states == SYT_AUTOMATON_STATES)
		return complain(r, "too many states");
	if (!read_number(r, SYT_WORKLOAD_COUNT, &visits) || !read_number(r, visits, &ends) ||
	    !read_end(r))
		return false;
	syt_automaton_add_state(a, visits, ends);
	r->nr_left = visits - ends;
	return true;
}

static bool parse_transition(struct parser *r)
{
	struct syt_automaton *a = &r->workload->automaton;
	const struct syt_automaton_state *s;
	uint32_t symbol = 0, to = 0;
	uint64_t count;

	if (!a->nr_states)
		return complain(r, "the transition belongs to no state");
	if (a->nr_transitions == SYT_AUTOMATON_STATES)
		return complain(r, "too many transitions");
	if (!read_tab(r) || !read_index(r, r->workload->known.symbols.nr, &symbol) ||
	    !read_tab(r) || !read_index(r, SYT_AUTOMATON_STATES, &to) ||
	    !read_number(r, r->nr_left, &count) || !read_end(r))
		return false;
	s = &a->states[a->nr_states - 1];
	if (s->nr && a->transitions[a->nr_transitions - 1].symbol >= symbol)
		return complain(r, "the transitions are not sorted");
	if (!count)
		return complain(r, "no request took the transition");
	if (to >= r->last_to) {
		r->last_to = to;
		r->last_to_line = r->lines.number;
	}
	r->nr_left -= count;
	syt_automaton_add_transition(a, symbol, to, count);
	return true;
}

static bool parse_score(struct parser *r, struct syt_odd_scores *s)
{
	uint64_t score, count;

	if (s->nr == SYT_ODD_SCORES)
		return complain(r, "too many scores");
	if (!read_number(r, SYT_ODD_MOST, &score) || !read_number(r, SYT_WORKLOAD_COUNT, &count) ||
	    !read_end(r))
		return false;
	if (s->nr && s->all[s->nr - 1].score >= score)
		return complain(r, "the scores are not sorted");
	if (!count)
		return complain(r, "no request has the score");
	syt_odd_scores_add(s, (uint32_t)score, count);
	return true;
}

static bool parse_structure_score(struct parser *r)
{
	return parse_score(r, &r->workload->calibration.kinds[SYT_ODD_STRUCTURE]);
}

static bool parse_work_score(struct parser *r)
{
	return parse_score(r, &r->workload->calibration.kinds[SYT_ODD_AMOUNT]);
}

static bool parse_cpu_score(struct parser *r)
{
	return parse_score(r, &r->workload->calibration.kinds[SYT_ODD_CPU]);
}

static bool parse_joint_score(struct parser *r)
{
	return parse_score(r, &r->workload->calibration.joint);
}

/* ---- the file ---- */

static const struct {
	const char *word;
	enum section section;
	bool (*parse)(struct parser *);
} words[] = {
	{"requests", REQUESTS, parse_requests},
	{"symbol", SYMBOL, parse_symbol},
	{"component", COMPONENT, parse_component},
	{"cluster", CLUSTER, parse_cluster},
	{"work", CLUSTER, parse_work},
	{"behaviour", BEHAVIOUR, parse_behaviour},
	{"state", STATE, parse_state},
	{"to", STATE, parse_transition},
	{"structure-score", STRUCTURE, parse_structure_score},
	{"work-score", WORK, parse_work_score},
	{"cpu-score", CPU, parse_cpu_score},
	{"joint-score", JOINT, parse_joint_score},
};

static bool parse_line(struct parser *r)
{
	size_t bytes = strcspn(r->lines.line, "\t");

	r->p = r->lines.line;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strlen(words[i].word) != bytes || memcmp(words[i].word, r->p, bytes) != 0)
			continue;
		if (words[i].section < r->section ||
		    (r->lines.number == 2) != (words[i].section == REQUESTS))
			return complain(r, "the line is not in its place");
		r->section = words[i].section;
		r->p += bytes;
		return words[i].parse(r);
	}
	return complain(r, "unknown word");
}

/* Checks the model as a whole, at the end of the file. */
static bool check_end(struct parser *r)
{
	struct syt_workload *w = r->workload;

	r->p = r->lines.line;
	end_cluster(r);
	if (!w->automaton.nr_states)
		return complain(r, "the model has no state");
	if (w->automaton.nr_transitions && r->last_to >= w->automaton.nr_states)
		return syt_lines_complain(&r->lines, r->last_to_line, 1,
		                          "the model has no state with this number");
	if (!end_state(r))
		return false;
	for (uint32_t i = 0; i < w->known.nr_behaviours; i++)
		w->known.behaviours[i].count = 0;
	for (uint32_t i = 0; i < w->nr_learnt; i++)
		w->known.behaviours[w->learnt[i].behaviour].count = w->learnt[i].count;
	syt_automaton_complete(&w->automaton);
	return true;
}

static bool read_all(struct parser *r)
{
	bool is_end;

	if (!syt_lines_next(&r->lines, &is_end))
		return false;
	r->p = r->lines.line;
	if (is_end || strcmp(r->lines.line, "syntrace-workload 1") != 0)
		return complain(r, "the file is not a model of this version (syntrace-workload 1)");
	for (;;) {
		if (!syt_lines_next(&r->lines, &is_end))
			return false;
		if (is_end)
			return check_end(r);
		if (!parse_line(r))
			return false;
	}
}

bool syt_workload_read(struct syt_workload *w, const char *path)
{
	struct parser r = {.workload = w};
	bool is_good;

	memset(w, 0, sizeof(*w));
	if (!syt_lines_open(&r.lines, path))
		return false;
	is_good = read_all(&r);
	syt_lines_close(&r.lines);
	free(r.steps);
	free(r.parts);
	if (!is_good)
		syt_workload_close(w);
	return is_good;
}
