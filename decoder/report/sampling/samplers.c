/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Prints what samplers keep of a trace, and the comparison of two runs. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/counts.h"
#include "base/err.h"
#include "decoder/report/sampling/view.h"
#include "decoder/sample/metrics.h"
#include "decoder/sample/replay.h"
#include "format/sampler_text.h"

#define SAMPLER_TEXT 80u

/* One sample of a trace, and its measures. */
struct sample {
	char sampler[SAMPLER_TEXT];
	uint64_t nr; /* number of kept events */
	struct syt_sample_coverage has;
	double similarity, entropy;
};

struct measuring {
	const struct syt_view *v;
	const struct syt_sample_input *in;
	struct syt_sample_coverage of; /* the whole trace */
	struct syt_sample_path *full;  /* [path] */
	struct syt_table *table;       /* NULL in JSON */
};

/* Returns the number of millionths V as text, without zeros at the end. */
static const char *decimal(uint64_t v, char text[32])
{
	int nr = snprintf(text, 32, "%" PRIu64 ".%06u", v / SYT_SAMPLER_UNIT,
	                  (unsigned)(v % SYT_SAMPLER_UNIT));

	while (text[nr - 1] == '0')
		nr--;
	text[text[nr - 1] == '.' ? nr - 1 : nr] = '\0';
	return text;
}

/* Writes the text with which the user gets the same sampler. */
static void write_sampler(char text[SAMPLER_TEXT], const struct syt_sampler_options *o)
{
	char a[32], b[32], hops[16] = "";
	const char *at = o->at_root && o->kind != SYT_SAMPLER_P ? ",at=root" : "";

	if (o->hops != SYT_SAMPLER_HOPS)
		snprintf(hops, sizeof(hops), ",hops=%u", o->hops);
	if (o->kind == SYT_SAMPLER_P)
		snprintf(text, SAMPLER_TEXT, "p:%s%s", decimal(o->p, a), hops);
	else if (o->kind == SYT_SAMPLER_BUMP)
		snprintf(text, SAMPLER_TEXT, "bump:lambda=%s,floor=%s%s%s", decimal(o->lambda, a),
		         decimal(o->floor, b), at, hops);
	else
		snprintf(text, SAMPLER_TEXT, "bucket:size=%s,rate=%s%s%s", decimal(o->size, a),
		         decimal(o->rate, b), at, hops);
}

/* Measures the sample KEPT of the trace; NULL: the whole trace. */
static void measure(const struct measuring *m, const uint8_t *kept, struct sample *s)
{
	struct syt_sample_path *paths = syt_calloc(m->in->nr_paths, sizeof(*paths));

	syt_sample_paths(m->in, kept, paths);
	s->similarity = syt_sample_similarity(m->full, paths, m->in->nr_paths);
	s->entropy = syt_sample_entropy(paths, m->in->nr_paths);
	syt_sample_coverage(m->in, kept, &s->has);
	free(paths);
}

/* Returns the size of NR events, each with the mean of the trace. */
static uint64_t size_of(const struct syt_sample_input *in, uint64_t nr)
{
	return in->nr ? (uint64_t)llround((double)in->bytes * ((double)nr / (double)in->nr)) : 0;
}

static double share(uint64_t part, uint64_t all)
{
	return all ? (double)part / (double)all : 0;
}

static void json_number(struct syt_json *j, const char *key, double v, unsigned digits)
{
	if (!isfinite(v)) {
		syt_json_null(j, key);
		return;
	}
	syt_json_key(j, key);
	syt_out_printf(j->out, "%.*f", (int)digits, v);
}

static void json_members(const struct measuring *m, struct syt_json *j, const struct sample *s)
{
	syt_json_string(j, "sampler", s->sampler);
	syt_json_u64(j, "events", s->nr);
	syt_json_u64(j, "size", size_of(m->in, s->nr));
	json_number(j, "TFCR", share(s->nr, m->in->nr), 6);
	json_number(j, "SC", share(s->has.paths, m->of.paths), 6);
	json_number(j, "SS", s->similarity, 6);
	json_number(j, "IEn", s->entropy, 6);
	syt_json_u64(j, "paths_whole", s->has.paths);
	syt_json_u64(j, SYT_KEY("paths", "call_paths"), m->of.paths);
	syt_json_u64(j, "turns_whole", s->has.turns);
	syt_json_u64(j, "turns", m->of.turns);
	syt_json_u64(j, "turn_shapes_whole", s->has.turn_shapes);
	syt_json_u64(j, "turn_shapes", m->of.turn_shapes);
	syt_json_u64(j, "edge_kinds_whole", s->has.edge_kinds);
	syt_json_u64(j, "edge_kinds", m->of.edge_kinds);
	syt_json_u64(j, "edges_whole", s->has.edges_whole);
	syt_json_u64(j, "edges", s->has.edges);
}

static void print_json(const struct measuring *m, const struct sample *s)
{
	struct syt_json j = {.out = m->v->out};

	syt_json_begin_line(&j, "sampler");
	json_members(m, &j, s);
	syt_json_end_line(&j);
}

static void percent(struct syt_table *t, uint64_t part, uint64_t all)
{
	if (all)
		syt_table_cell(t, "%.1f %%", 100 * share(part, all));
	else
		syt_table_cell(t, "%s", "");
}

static void print_text(const struct measuring *m, const struct sample *s)
{
	struct syt_table *t = m->table;

	syt_table_row(t);
	syt_table_cell(t, "%s", s->sampler);
	syt_table_cell(t, "%" PRIu64, s->nr);
	percent(t, s->nr, m->in->nr);
	percent(t, s->has.paths, m->of.paths);
	percent(t, s->has.turn_shapes, m->of.turn_shapes);
	syt_table_cell(t, "%u", s->has.edge_kinds);
	percent(t, s->has.edges_whole, s->has.edges);
	syt_table_cell(t, "%.3g", s->similarity);
	syt_table_cell(t, "%.3g", s->entropy);
}

static void begin(struct measuring *m, const struct syt_view *v, const struct syt_sample_input *in)
{
	memset(m, 0, sizeof(*m));
	m->v = v;
	m->in = in;
	m->full = syt_calloc(in->nr_paths, sizeof(*m->full));
	syt_sample_paths(in, NULL, m->full);
	syt_sample_coverage(in, NULL, &m->of);
	if (!v->is_json)
		m->table = syt_table_create("SAMPLER", ">EVENTS", ">TFCR", ">PATHS", ">TURN SHAPES",
		                            ">KINDS OF EDGES", ">EDGES", ">SS", ">IEN", NULL);
}

static void end(struct measuring *m)
{
	if (m->table) {
		syt_table_end(m->table, m->v->out);
		syt_out_blank_line(m->v->out);
	}
	free(m->full);
}

static void print(const struct measuring *m, const struct sample *s)
{
	if (m->v->is_json)
		print_json(m, s);
	else
		print_text(m, s);
}

static void print_whole(const struct measuring *m)
{
	struct sample s = {.sampler = "always", .nr = m->in->nr};

	measure(m, NULL, &s);
	print(m, &s);
}

static void replay(const struct measuring *m, const struct syt_sampler_options *o, uint64_t seed,
                   struct sample *s)
{
	uint8_t *kept = syt_store_alloc(m->in->nr, 1);

	write_sampler(s->sampler, o);
	s->nr = syt_sample_replay(m->in, o, seed, m->in->nr, kept);
	measure(m, kept, s);
	syt_store_free(kept);
}

/* Prints the sample of a shadow recording: the events that the recorder would have written whole. */
static void print_recorded(const struct measuring *m)
{
	struct sample s = {.sampler = "recorded", .nr = m->in->nr - m->in->nr_unselected};
	uint8_t *kept = syt_store_alloc(m->in->nr, 1);

	for (uint64_t i = 0; i < m->in->nr; i++)
		kept[i] = !m->in->events[i].is_unselected;
	measure(m, kept, &s);
	print(m, &s);
	syt_store_free(kept);
}

void syt_sampling_print_replays(const struct syt_view *v, const struct syt_sample_input *in,
                                const struct syt_sampler_options *samplers, size_t nr,
                                uint64_t seed)
{
	struct measuring m;

	begin(&m, v, in);
	print_whole(&m);
	if (in->nr_unselected)
		print_recorded(&m);
	for (size_t i = 0; i < nr && !v->out->is_closed; i++) {
		struct sample s;

		replay(&m, &samplers[i], seed, &s);
		print(&m, &s);
	}
	end(&m);
}

void syt_sampling_print_tuned(const struct syt_view *v, const struct syt_sample_input *in,
                              const struct syt_sample_tuned *tuned, uint64_t seed)
{
	struct measuring m;
	struct sample s;

	begin(&m, v, in);
	replay(&m, &tuned->options, seed, &s);
	if (v->is_json) {
		struct syt_json j = {.out = v->out};

		syt_json_begin_line(&j, "tuned");
		json_members(&m, &j, &s);
		json_number(&j, "objective", tuned->objective, 6);
		syt_json_u64(&j, "events_least", tuned->least);
		syt_json_u64(&j, "events_most", tuned->most);
		syt_json_u64(&j, "replays", tuned->nr_replays);
		syt_json_u64(&j, "seed", seed);
		syt_json_end_line(&j);
	} else {
		syt_out_printf(v->out,
		               "The best of %u samplers that keep %" PRIu64 " to %" PRIu64
		               " events is %s, with SS/IEn = %.3g.\n\n",
		               tuned->nr_replays, tuned->least, tuned->most, s.sampler,
		               tuned->objective);
		print_whole(&m);
		print(&m, &s);
	}
	end(&m);
}

/* Returns the call paths of IN in the places that FULL has for the same texts. The call paths that only IN has follow. */
static struct syt_sample_path *paths_by_text(const struct syt_sample_input *in,
                                             const struct syt_sample_input *full)
{
	struct syt_sample_path *own = syt_calloc(in->nr_paths, sizeof(*own));
	struct syt_sample_path *all =
		syt_calloc((size_t)full->nr_paths + in->nr_paths, sizeof(*all));

	syt_sample_paths(in, NULL, own);
	for (uint32_t i = 0; i < in->nr_paths; i++) {
		uint32_t at = syt_call_path_find(full->paths, syt_call_path_text(in->paths, i));

		all[at == SYT_NONE ? full->nr_paths + i : at] = own[i];
	}
	free(own);
	return all;
}

struct comparison {
	/* call paths of the full run, those that both runs have, and those that only the other run has */
	uint32_t paths, common, other;
	double similarity, entropy, full_entropy;
};

static void compare(struct comparison *c, const struct syt_sample_input *in,
                    const struct syt_sample_input *full)
{
	uint32_t nr = full->nr_paths + in->nr_paths;
	struct syt_sample_path *all = paths_by_text(in, full);
	struct syt_sample_path *wanted = syt_calloc(nr, sizeof(*wanted));

	syt_sample_paths(full, NULL, wanted);
	*c = (struct comparison){
		.paths = full->nr_paths,
		.similarity = syt_sample_similarity(wanted, all, nr),
		.entropy = syt_sample_entropy(all, nr),
		.full_entropy = syt_sample_entropy(wanted, nr),
	};
	for (uint32_t i = 0; i < full->nr_paths; i++)
		c->common += all[i].nr > 0;
	for (uint32_t i = full->nr_paths; i < nr; i++)
		c->other += all[i].nr > 0;
	free(wanted);
	free(all);
}

void syt_sampling_print_against(const struct syt_view *v, const struct syt_sample_input *in,
                                const struct syt_sample_input *full)
{
	struct syt_json j = {.out = v->out};
	struct comparison c;

	compare(&c, in, full);
	if (!v->is_json) {
		syt_out_printf(v->out,
		               "%u of the %u call paths of the full run occur (%.1f %%), and %u "
		               "others. SS is %.3g ms, IEn is %.3g (full run: %.3g).\n\n",
		               c.common, c.paths, 100 * share(c.common, c.paths),
		               c.other, c.similarity, c.entropy, c.full_entropy);
		return;
	}
	syt_json_begin_line(&j, "against");
	json_number(&j, "SC", share(c.common, c.paths), 6);
	json_number(&j, "SS", c.similarity, 6);
	json_number(&j, "IEn", c.entropy, 6);
	json_number(&j, "IEn_full", c.full_entropy, 6);
	syt_json_u64(&j, "paths_whole", c.common);
	syt_json_u64(&j, SYT_KEY("paths", "call_paths"), c.paths);
	syt_json_u64(&j, "paths_other", c.other);
	syt_json_end_line(&j);
}
