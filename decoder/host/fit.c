/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/host/fit.h"

#include <math.h>

#include "base/bisect.h"
#include "base/store.h"

double syt_host_wander(const struct syt_host_placing *g, const struct syt_host_pair *pair)
{
	const double *ppm = g->options->wander_ppm;

	return ppm ? 1e-6 * fmax(ppm[pair->hosts[0]], ppm[pair->hosts[1]]) : 1e-6;
}

/* Returns the time of a message by the clock of hosts[1]. */
static int64_t second_clock(const struct syt_host_message *m)
{
	return m->from < m->to ? m->receive_ns : m->send_ns;
}

bool syt_host_is_dropped(const struct syt_host_pair_work *w, uint32_t connection)
{
	for (uint32_t i = 0; i < w->nr_dropped; i++)
		if (w->dropped[i] == connection)
			return true;
	return false;
}

/* Returns the limit at the time X, between the message AT and the one before it. */
static struct syt_host_point edge_of(const struct syt_host_placing *g, size_t pair, unsigned way,
                                     uint64_t at, const int64_t base[2], double x)
{
	const struct syt_host_pair *p = &g->pairs[pair];
	const struct syt_host_message *m = p->messages[way];
	double delay = INFINITY;

	if (at > 0 && at < p->nr[way] &&
	    !syt_host_is_dropped(&g->work[pair], m[at - 1].connection) &&
	    !syt_host_is_dropped(&g->work[pair], m[at].connection))
		delay = syt_host_message_between(p, &m[at - 1], &m[at], x + (double)base[0]);
	return (struct syt_host_point){.x = x,
	                               .d = (way ? -delay : delay) - (double)(base[1] - base[0]),
	                               .connection = at < p->nr[way] ? m[at].connection : 0};
}

/* Collects the points with BEGIN <= x <= END, relative to BASE. */
static void gather(const struct syt_host_placing *g, size_t pair, const int64_t base[2],
                   double begin, double end, struct syt_host_fit *f)
{
	const struct syt_host_pair *p = &g->pairs[pair];

	for (unsigned way = 0; way < 2; way++) {
		const struct syt_host_message *m = p->messages[way];
		const uint64_t first = SYT_BISECT(i, 0, p->nr[way],
		                                  (double)(syt_host_message_at(&m[i]) - base[0]) <
		                                          begin),
			       last = SYT_BISECT(i, first, p->nr[way],
		                                 (double)(syt_host_message_at(&m[i]) - base[0]) <=
		                                         end);
		size_t nr = 0;

		f->edges[way][0] = edge_of(g, pair, way, first, base, begin);
		f->edges[way][1] = edge_of(g, pair, way, last, base, end);
		f->points[way] = syt_store_alloc(last - first, sizeof(*f->points[way]));
		SYT_EACH(i, first, last) {
			const int64_t x = syt_host_message_at(&m[i]) - base[0];

			if (syt_host_is_dropped(&g->work[pair], m[i].connection))
				continue;
			f->points[way][nr++] = (struct syt_host_point){
				.x = (double)x,
				.d = (double)(second_clock(&m[i]) - base[1] - x),
				.connection = m[i].connection,
				.nr = m[i].nr};
			f->nr_messages[way] += m[i].nr;
		}
		f->sides[way] = (struct syt_host_side){.points = f->points[way], .nr = nr};
	}
}

void syt_host_fit_free(struct syt_host_fit *f)
{
	for (unsigned way = 0; way < 2; way++)
		syt_store_free(f->points[way]);
	*f = (struct syt_host_fit){.is_joined = false};
}

struct syt_host_fit syt_host_fit_pair(const struct syt_host_placing *g, size_t pair,
                                      const int64_t base[2], double begin, double end)
{
	struct syt_host_fit f = {.is_joined = false};

	if (g->p->states[pair] == SYT_HOST_CONTRADICTS)
		return f;
	gather(g, pair, base, begin, end, &f);
	f.is_joined = syt_host_gap_find(&f.sides[0], &f.sides[1], &f.gap);
	if (!f.is_joined)
		return f;
	if (begin < -1e18 || end > 1e18) /* all of the pair */
		syt_host_squares_fit(&f.sides[0], &f.sides[1], f.points[0][0].x, &f.squares);
	else
		syt_host_squares_fit(&f.sides[0], &f.sides[1], begin / 2 + end / 2, &f.squares);
	f.line = g->options->method == SYT_HOST_SQUARES && f.squares.nr_used > 1 &&
	                         fabs(f.squares.line.slope) <= SYT_HOST_RATE_MAX
	                 ? f.squares.line
	                 : f.gap.line;
	return f;
}

double syt_host_fit_weight(const struct syt_host_fit *f)
{
	const double fallback = fmax(f->squares.margin, fabs(f->gap.width) / 2);
	const double weight = f->squares.nr_used > 2 ? f->squares.residual : fallback;

	return isfinite(weight) ? weight : 1e18;
}

void syt_host_fit_whole(void *context, size_t pair, unsigned worker)
{
	struct syt_host_placing *g = context;
	const struct syt_host_pair *p = &g->pairs[pair];
	struct syt_host_pair_work *w = &g->work[pair];

	(void)worker;
	if (!p->nr[0] || !p->nr[1])
		return;
	w->base[0] = syt_host_message_at(p->messages[0]);
	w->base[1] = second_clock(p->messages[0]);
	w->whole = syt_host_fit_pair(g, pair, w->base, -INFINITY, INFINITY);
	for (unsigned way = 0; way < 2; way++) { /* the line is enough */
		syt_store_free(w->whole.points[way]);
		w->whole.points[way] = NULL;
	}
	if (!w->whole.is_joined && g->p->states[pair] == SYT_HOST_JOINED)
		g->p->states[pair] = w->nr_dropped ? SYT_HOST_CONTRADICTS : SYT_HOST_ONE_WAY;
}
