/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The automaton of a workload (Magpie, fig. 6), as DOT, as text and as JSON lines. */
#include <inttypes.h>
#include <stdlib.h>

#include "decoder/report/graph/view.h"
#include "decoder/report/workload/view.h"
#include "decoder/request/behaviour.h"

#define MOST_LABEL_BYTES 60u

static double share(uint64_t part, uint64_t all)
{
	return all ? (double)part / (double)all : 0;
}

void syt_workload_print_dot(struct syt_out *out, const struct syt_automaton *a,
                            const struct syt_population *p)
{
	syt_out_string(out, "digraph workload {\n"
	                    "\tgraph [rankdir=LR, fontname=\"sans-serif\"];\n"
	                    "\tnode [shape=circle, fontname=\"sans-serif\", fontsize=10];\n"
	                    "\tedge [fontname=\"sans-serif\", fontsize=9];\n");
	for (uint32_t i = 0; i < a->nr_states && !out->is_closed; i++) {
		const struct syt_automaton_state *s = &a->states[i];

		syt_out_printf(out, "\ts%" PRIu32 " [label=\"%" PRIu32 "\\n%" PRIu64 "\"%s];\n", i,
		               i, s->visits, s->ends ? ", shape=doublecircle" : "");
		for (uint32_t n = s->first; n < s->first + s->nr; n++) {
			const struct syt_automaton_transition *t = &a->transitions[n];

			syt_out_printf(out, "\ts%" PRIu32 " -> s%" PRIu32 " [label=\"", i, t->to);
			syt_graph_put_quoted(out, syt_symbol_short(p->symbols.all[t->symbol]),
			                     MOST_LABEL_BYTES);
			syt_out_printf(out, " %.3f\"];\n", share(t->count, s->visits));
		}
	}
	syt_out_string(out, "}\n");
}

static void put_state_json(struct syt_out *out, uint32_t i, const struct syt_automaton_state *s)
{
	struct syt_json j = {.out = out};

	syt_json_begin_line(&j, "state");
	syt_json_u64(&j, SYT_KEY("state", "state_number"), i);
	syt_json_u64(&j, SYT_KEY("visits", "state_visits"), s->visits);
	syt_json_u64(&j, SYT_KEY("ends", "ends_there"), s->ends);
	syt_json_end_line(&j);
}

static void put_transition_json(struct syt_out *out, uint32_t from, uint64_t visits,
                                const struct syt_automaton_transition *t,
                                const struct syt_population *p)
{
	struct syt_json j = {.out = out};

	syt_json_begin_line(&j, "transition");
	syt_json_u64(&j, SYT_KEY("from", "from_state"), from);
	syt_json_u64(&j, SYT_KEY("to", "to_state"), t->to);
	syt_json_string(&j, "symbol", p->symbols.all[t->symbol]);
	syt_json_u64(&j, "count", t->count);
	syt_json_key(&j, "p");
	syt_out_printf(out, "%.6f", share(t->count, visits));
	syt_json_end_line(&j);
}

static void put_state_text(struct syt_out *out, uint32_t i, const struct syt_automaton_state *s)
{
	syt_out_printf(out, "State %" PRIu32 ": %" PRIu64 " visit%s", i, s->visits,
	               s->visits == 1 ? "" : "s");
	if (s->ends)
		syt_out_printf(out, ", %.1f %% end here", 100 * share(s->ends, s->visits));
	syt_out_char(out, '\n');
}

/* Prints what the limits of doc/requests.md keep out of the automaton A. */
static void put_limits(const struct syt_workload_view *v, const struct syt_automaton *a)
{
	struct syt_json j = {.out = v->out};

	if (v->is_json) {
		syt_json_begin_line(&j, "automaton");
		syt_json_u64(&j, SYT_KEY("left_out", "behaviours_left_out"), a->nr_left_out);
		syt_json_u64(&j, SYT_KEY("unmerged", "unmerged_states"), a->nr_unmerged);
		syt_json_end_line(&j);
	} else if (a->nr_left_out || a->nr_unmerged) {
		syt_out_printf(v->out,
		               "Incomplete: %" PRIu64 " rare behaviour%s left out, %" PRIu32
		               " state%s not compared with all other states.\n",
		               a->nr_left_out, a->nr_left_out == 1 ? "" : "s", a->nr_unmerged,
		               a->nr_unmerged == 1 ? "" : "s");
	}
}

void syt_workload_print_automaton(const struct syt_workload_view *v, const struct syt_automaton *a,
                                  const struct syt_population *p)
{
	for (uint32_t i = 0; i < a->nr_states && !v->out->is_closed; i++) {
		const struct syt_automaton_state *s = &a->states[i];

		if (v->is_json)
			put_state_json(v->out, i, s);
		else
			put_state_text(v->out, i, s);
		for (uint32_t n = s->first; n < s->first + s->nr; n++) {
			const struct syt_automaton_transition *t = &a->transitions[n];

			if (v->is_json) {
				put_transition_json(v->out, i, s->visits, t, p);
				continue;
			}
			syt_out_printf(v->out, "  %5.1f %% to state %" PRIu32 " by ",
			               100 * share(t->count, s->visits), t->to);
			syt_out_safe(v->out, syt_symbol_short(p->symbols.all[t->symbol]));
			syt_out_char(v->out, '\n');
		}
	}
	put_limits(v, a);
}
