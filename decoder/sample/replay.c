/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/sample/replay.h"

#include "base/random.h"
#include "base/store.h"
#include "decoder/sample/turn.h"

/* The state of the sampler in a thread. */
struct sampling {
	struct syt_sample_turn turn;
	uint8_t kept; /* of the thread's latest event, see syt_sample_replay() */
	bool is_open;
	struct syt_sites sites;
};

/* Returns the hops of the mark that reaches the event E, plus 1, or 0 without a mark. */
static uint8_t marked(const struct syt_sample_input *in, const struct syt_sample_event *e,
                      const uint8_t *kept)
{
	uint8_t most = 0;

	for (uint32_t i = e->first_source; i < e[1].first_source; i++) {
		const struct syt_sample_source *s = &in->sources[i];

		/* an acquire with the time of its source is before it if its thread has the smaller number */
		if (s->is_mark && &in->events[s->from] < e && kept[s->from] > most + 1)
			most = kept[s->from] - 1;
	}
	return most;
}

static bool is_accepted(const struct syt_sampler *sampler, struct sampling *t,
                        const struct syt_sample_event *e, bool is_root)
{
	uint64_t hash = e->site;
	struct syt_site *site = syt_sites_find(&t->sites, syt_random_next(&hash));

	return !syt_site_skips(site) &&
	       syt_sampler_accepts(sampler, &t->sites, site, is_root, e->ns);
}

uint64_t syt_sample_replay(const struct syt_sample_input *in, const struct syt_sampler_options *o,
                           uint64_t seed, uint64_t most, uint8_t *kept)
{
	struct sampling *threads = syt_store_alloc(in->nr_threads, sizeof(*threads));
	struct syt_sampler sampler;
	uint64_t nr = 0;

	syt_sampler_init(&sampler, o);
	for (uint64_t i = 0; i < in->nr && nr <= most; i++) {
		const struct syt_sample_event *e = &in->events[i];
		struct sampling *t = &threads[e->thread];
		bool is_root;

		if (!t->is_open) {
			t->is_open = true;
			syt_sites_init(&t->sites, seed << 32 ^ e->thread, e->ns);
		}
		is_root = syt_sample_turn_begins(&t->turn, e->site, e->depth, e->is_wait, t->kept,
		                                 e->ns);
		if (is_root)
			t->kept = 0;
		if (!t->kept && (is_root || !o->at_root) && is_accepted(&sampler, t, e, is_root))
			t->kept = o->hops + 1;
		if (!t->kept)
			t->kept = marked(in, e, kept);
		kept[i] = t->kept;
		nr += t->kept > 0;
	}
	syt_store_free(threads);
	return nr;
}
