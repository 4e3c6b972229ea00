/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/host/join.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "decoder/host/certain.h"
#include "decoder/host/connect.h"
#include "decoder/host/message.h"
#include "decoder/read/image.h"
#include "decoder/read/number.h"

#define MESSAGES_BYTES (UINT64_C(256) << 20)
#define TSC_WANDER_PPM 1
#define ROUNDS_MAX 4u             /* placements without contradicting connections */
#define MONOTONIC_WANDER_PPM 1000 /* adjtimex(2) slews CLOCK_MONOTONIC */

/* ---- the hosts ---- */

/* Returns the time by which the reader shifted the clock M to align it with the clocks of the other hosts. */
static int64_t shift_of(const struct syt_clock_map *m, const struct syt_clocks *c)
{
	uint64_t shift = (uint64_t)m->real_offset_ns - (uint64_t)*c->wall_offset_ns;

	return c->nr > 1 && shift < UINT64_C(1) << 58 ? (int64_t)shift : 0;
}

static void find_hosts(struct syt_hosts *h, const struct syt_clocks *c)
{
	h->nr_images = c->nr_loadings;
	h->of_image = syt_alloc(c->nr_loadings, sizeof(*h->of_image));
	for (uint32_t n = 0; n < c->nr_loadings; n++) {
		const struct syt_image *i = &c->loadings[n]->image;

		h->of_image[n] = i->host;
		h->nr = i->host >= h->nr ? i->host + 1 : h->nr;
	}
	h->all = syt_calloc(h->nr, sizeof(*h->all));
	for (uint32_t n = c->nr_loadings; n--;) {
		const struct syt_loading *l = c->loadings[n];

		h->all[l->image.host] = (struct syt_host_info){
			.clock_source = l->image.file.clock_source,
			.shift_ns = shift_of(l->clock, c),
		};
		memcpy(h->all[l->image.host].name, l->image.file.host, sizeof(h->all->name));
	}
}

/* ---- the messages ---- */

struct joining {
	struct syt_hosts *hosts;
	const struct syt_host_settings *settings;
	const struct syt_clocks *clocks;
	struct syt_host_ends ends;
	struct syt_host_moves moves;
	struct syt_thinning *thinning;
	uint32_t connection; /* number of the connection whose messages are taken */
};

/* The clock of a host is a straight line of its ticks, unless it has two sources, which only CLOCK_MONOTONIC relates. */
static void straighten(const struct joining *j)
{
	const struct syt_clock_map **first = syt_calloc(j->hosts->nr, sizeof(*first));
	bool *is_mixed = syt_calloc(j->hosts->nr, sizeof(*is_mixed));

	for (uint32_t n = 0; n < j->clocks->nr_loadings; n++) {
		uint32_t host = j->hosts->of_image[n];

		if (!first[host])
			first[host] = j->clocks->loadings[n]->clock;
		is_mixed[host] |= first[host] != j->clocks->loadings[n]->clock;
	}
	for (uint32_t n = 0; n < j->hosts->nr; n++)
		if (!is_mixed[n])
			syt_clock_straighten(&j->clocks->all[first[n] - j->clocks->all]);
	free(first);
	free(is_mixed);
}

static void take_message(void *context, uint32_t from, syt_time sent, syt_time received)
{
	struct joining *j = context;
	const struct syt_host_end *e = &j->ends.all[from];

	if (received >= INT64_MAX || sent >= INT64_MAX)
		return;
	syt_thinning_add(j->thinning, e->clock, j->ends.all[e->peer].clock,
	                 (int64_t)SYT_TIME_NS(sent),
	                 (int64_t)SYT_TIME_NS(received + (1 << SYT_TIME_SHIFT) - 1), j->connection);
}

static double *wanders(const struct joining *j)
{
	double *ppm = syt_alloc(j->hosts->nr, sizeof(*ppm));

	for (uint32_t n = 0; n < j->hosts->nr; n++)
		ppm[n] = j->settings->wander_ppm >= 0                     ? j->settings->wander_ppm
		         : j->hosts->all[n].clock_source == SYT_CLOCK_TSC ? TSC_WANDER_PPM
		                                                          : MONOTONIC_WANDER_PPM;
	return ppm;
}

/* Returns the number of the host that the user chose as the reference. */
static uint32_t reference_of(const struct joining *j)
{
	const char *text = j->settings->reference;
	uint64_t number;

	if (!text)
		return SYT_HOST_NONE;
	if (syt_number_parse(text, &number) && number < j->hosts->nr)
		return (uint32_t)number;
	for (uint32_t n = 0; n < j->hosts->nr; n++)
		if (!strcmp(j->hosts->all[n].name, text))
			return n;
	syt_warn("--reference=%s: no host of the trace has this number or name; the decoder "
	         "chooses the reference",
	         text);
	return SYT_HOST_NONE;
}

static void extend(struct syt_host_span *s, int64_t ns)
{
	s->first_ns = ns < s->first_ns ? ns : s->first_ns;
	s->last_ns = ns > s->last_ns ? ns : s->last_ns;
}

static void extend_by_ticks(struct syt_host_span *s, const struct syt_loading *l, uint64_t ticks)
{
	uint32_t hint = 0;

	if (ticks)
		extend(s, (int64_t)SYT_TIME_NS(syt_clock_time(l->clock, ticks, &hint)));
}

/* Returns the time from the first to the last known event of each host. */
static struct syt_host_span *spans_of(const struct joining *j)
{
	struct syt_host_span *spans = syt_alloc(j->hosts->nr, sizeof(*spans));

	for (uint32_t n = 0; n < j->hosts->nr; n++)
		spans[n] = (struct syt_host_span){INT64_MAX, INT64_MIN};
	for (uint32_t n = 0; n < j->clocks->nr_loadings; n++) {
		const struct syt_loading *l = j->clocks->loadings[n];
		struct syt_host_span *s = &spans[j->hosts->of_image[n]];

		if (l->has_header)
			extend_by_ticks(s, l, l->image.file.start.ticks);
		if (l->is_latest_sound)
			extend_by_ticks(s, l, l->image.file.latest.ticks);
		for (size_t k = 0; k < l->nr_segments; k++) {
			extend_by_ticks(s, l, l->segments[k].first_ticks);
			extend_by_ticks(s, l, l->segments[k].cal.ticks);
		}
	}
	for (uint32_t n = 0; n < j->ends.nr; n++)
		if (j->ends.all[n].is_known) {
			extend(&spans[j->ends.all[n].clock],
			       (int64_t)SYT_TIME_NS(j->ends.all[n].first));
			extend(&spans[j->ends.all[n].clock],
			       (int64_t)SYT_TIME_NS(j->ends.all[n].last));
		}
	return spans;
}

static struct syt_placement *place(struct joining *j)
{
	const struct syt_host_settings *s = j->settings;
	double *wander_ppm = wanders(j);
	struct syt_host_span *spans = spans_of(j);
	uint64_t nr_pairs;

	j->thinning = syt_thinning_create(MESSAGES_BYTES);
	for (uint32_t n = 0; n < j->ends.nr; n++) {
		const struct syt_host_end *e = &j->ends.all[n];

		if (e->peer == SYT_NONE || j->ends.all[e->peer].clock == e->clock || s->is_apart)
			continue;
		j->connection = n < e->peer ? n : e->peer;
		syt_messages_of(&j->moves, &j->ends, n, take_message, j);
	}

	const struct syt_host_pair *pairs = syt_thinning_end(j->thinning, &nr_pairs);
	struct syt_placement *p = syt_hosts_place(j->hosts->nr, pairs, nr_pairs,
	                                          &(struct syt_host_options){
							  .method = s->method,
							  .segment_ns = (int64_t)s->segment_ns,
							  .wander_ppm = wander_ppm,
							  .reference = reference_of(j),
							  .nr_workers = j->clocks->nr_workers,
							  .recorded = spans,
						  });

	syt_thinning_destroy(j->thinning);
	free(wander_ppm);
	free(spans);
	return p;
}

/* ---- the second look at the connections, with bounds ---- */

struct look {
	const struct syt_placement *placement;
	struct syt_certain *certain;
};

static bool may_precede(void *context, uint32_t a, syt_time first, uint32_t b, syt_time last)
{
	struct look *l = context;
	int64_t at = syt_host_joined(l->placement, b, (int64_t)SYT_TIME_NS(last));

	return !syt_certain_before(l->certain, b, at, a,
	                           syt_host_joined(l->placement, a, (int64_t)SYT_TIME_NS(first)));
}

static bool has_open_end(const struct syt_host_ends *ends)
{
	for (uint32_t n = 0; n < ends->nr; n++)
		if (ends->all[n].peer == SYT_NONE && ends->all[n].is_known)
			return true;
	return false;
}

/* Separates the ends of the connections that P dropped, so that they are not paired again. */
static void separate(struct syt_host_ends *ends, const struct syt_placement *p)
{
	for (size_t i = 0; i < p->nr_all_dropped; i++) {
		struct syt_host_end *e = &ends->all[p->dropped[i]];

		if (e->peer == SYT_NONE)
			continue;
		ends->all[e->peer].is_known = e->is_known = false;
		ends->all[e->peer].peer = SYT_NONE;
		e->peer = SYT_NONE;
	}
}

/* Places the hosts again without the connections that contradict the others. A message of such a connection can have
 * displaced a message of another one (thinning.h). */
static struct syt_placement *place_consistently(struct joining *j)
{
	struct syt_placement *p = place(j);

	for (unsigned round = 0; p->nr_all_dropped && round < ROUNDS_MAX; round++) {
		separate(&j->ends, p);
		syt_placement_free(p);
		p = place(j);
	}
	separate(&j->ends, p);
	return p;
}

static struct syt_placement *place_all(struct joining *j)
{
	struct syt_placement *p;

	syt_host_ends_pair(&j->ends, NULL, NULL);
	p = place_consistently(j);
	if (!has_open_end(&j->ends))
		return p;

	struct look look = {p, syt_certain_create(p)};
	uint32_t nr = syt_host_ends_pair(&j->ends, may_precede, &look);

	syt_certain_destroy(look.certain);
	if (!nr)
		return p;
	syt_placement_free(p);
	return place_consistently(j);
}

/* ---- the axis ---- */

/* Returns the time by which the axis moves, so that no event is before its origin. */
static int64_t choose_axis(const struct joining *j, const struct syt_placement *p)
{
	int64_t least = 0;

	for (uint32_t n = 0; n < j->clocks->nr_loadings; n++) {
		const struct syt_loading *l = j->clocks->loadings[n];
		uint32_t hint = 0;

		if (!l->has_header) /* its first tick is unknown */
			continue;

		syt_time start = syt_clock_time(l->clock, l->image.file.start.ticks, &hint);
		int64_t at = syt_host_joined(p, j->hosts->of_image[n], (int64_t)SYT_TIME_NS(start));

		least = at < least ? at : least;
	}
	return -least;
}

static syt_time axis_time(int64_t ns)
{
	return ns < 0 ? 0 : (syt_time)ns << SYT_TIME_SHIFT;
}

static void bend(struct syt_clock_map *map, const struct syt_placement *p, uint32_t host,
                 int64_t axis_ns)
{
	const struct syt_host_clock *c = &p->clocks[host];

	if (c->component == SYT_HOST_NONE) {
		syt_clock_shift(map, axis_ns);
		return;
	}
	uint32_t nr = p->components[c->component].nr_segments + 1, kept = 0;
	struct syt_clock_knot *knots = syt_alloc(nr + 1, sizeof(*knots));

	for (uint32_t n = 0; n < nr; n++) {
		int64_t from = c->local_ns[n] < 0 ? 0 : c->local_ns[n];
		int64_t to = syt_host_joined(p, host, from) + axis_ns;
		struct syt_clock_knot knot = {axis_time(from), axis_time(to)};

		/* times before the origin of a clock do not occur */
		if (kept && (knot.from <= knots[kept - 1].from || knot.to <= knots[kept - 1].to))
			kept--;
		knots[kept++] = knot;
	}
	if (kept >= 2)
		syt_clock_bend(map, knots, kept);
	free(knots);
}

/* Returns true if events of the two hosts are on one axis. */
static bool are_joined(const struct syt_placement *p, uint32_t a, uint32_t b)
{
	return a == b || (p->clocks[a].component != SYT_HOST_NONE &&
	                  p->clocks[a].component == p->clocks[b].component);
}

static void set_pairs(struct syt_hosts *h, const struct syt_host_ends *ends)
{
	size_t room = 0;

	for (uint32_t n = 0; n < ends->nr; n++) {
		const struct syt_host_end *e = &ends->all[n];

		if (e->peer == SYT_NONE || e->peer < n ||
		    !are_joined(h->placement, e->clock, ends->all[e->peer].clock))
			continue;
		*SYT_ADD(h->pairs, h->nr_pairs, room) =
			(struct syt_socket_pair){{e->image, ends->all[e->peer].image},
		                                 {e->object, ends->all[e->peer].object}};
	}
}

/* Returns true if all sockets are on one host, in one network namespace. */
static bool is_one_network(const struct syt_clocks *c)
{
	const struct syt_endpoint_info *first = NULL;

	for (uint32_t n = 0; n < c->nr_loadings; n++) {
		const struct syt_image *i = &c->loadings[n]->image;

		if (i->host)
			return false;
		for (uint32_t k = 0; k < i->nr_objects; k++) {
			const struct syt_endpoint_info *e = i->objects[k].endpoint;

			if (!e || i->objects[k].kind != SYT_KIND_STREAM)
				continue;
			if (!first)
				first = e;
			if (e->netns != first->netns)
				return false;
		}
	}
	return true;
}

struct syt_hosts *syt_hosts_join(const struct syt_join *settings, const struct syt_clocks *clocks)
{
	if (is_one_network(clocks))
		return NULL;

	struct syt_hosts *h = syt_calloc(1, sizeof(*h));
	struct joining j = {.hosts = h, .settings = (const void *)settings, .clocks = clocks};

	find_hosts(h, clocks);
	syt_host_ends_find(&j.ends, clocks->loadings, clocks->nr_loadings, h->of_image,
	                   h->of_image);
	if (h->nr < 2 && !j.ends.nr) {
		syt_host_ends_close(&j.ends);
		syt_hosts_destroy(h);
		return NULL;
	}
	if (j.ends.nr && h->nr > 1)
		straighten(&j);
	syt_host_moves_read(&j.moves, &j.ends, clocks->loadings, clocks->nr_loadings,
	                    clocks->nr_workers);
	struct syt_placement *p = place_all(&j);

	h->placement = p;
	h->axis_ns = choose_axis(&j, p);
	for (uint32_t n = 0; n < clocks->nr; n++)
		for (uint32_t k = 0; k < clocks->nr_loadings; k++)
			if (clocks->loadings[k]->clock == &clocks->all[n]) {
				bend(&clocks->all[n], p, h->of_image[k], h->axis_ns);
				break;
			}
	*clocks->wall_offset_ns -= h->axis_ns;
	set_pairs(h, &j.ends);
	h->certain = syt_certain_create(p);
	syt_host_moves_close(&j.moves);
	syt_host_ends_close(&j.ends);
	return h;
}

void syt_hosts_destroy(struct syt_hosts *h)
{
	if (h->certain)
		syt_certain_destroy(h->certain);
	if (h->placement)
		syt_placement_free((struct syt_placement *)(uintptr_t)h->placement);
	free(h->all);
	free(h->of_image);
	free(h->pairs);
	free(h);
}

/* ---- certain order ---- */

syt_time syt_hosts_needed(const struct syt_hosts *h, uint32_t a, syt_time at, uint32_t b)
{
	double needed;

	if (a == b)
		return 0;
	needed = syt_certain_needed(h->certain, a, (int64_t)SYT_TIME_NS(at) - h->axis_ns, b);
	/* one more ns, because times are rounded */
	return needed < 0x1p59 ? (syt_time)(ceil(needed) + 1) << SYT_TIME_SHIFT : UINT64_MAX;
}

syt_time syt_hosts_earliest(const struct syt_hosts *h, uint32_t a, syt_time at, uint32_t b)
{
	syt_time needed = a == b ? 0 : syt_hosts_needed(h, b, at, a);

	return at > needed ? at - needed : 0;
}

syt_time syt_hosts_latest(const struct syt_hosts *h, uint32_t a, syt_time at, uint32_t b)
{
	syt_time needed = a == b ? 0 : syt_hosts_needed(h, a, at, b);

	return at > UINT64_MAX - needed ? UINT64_MAX : at + needed;
}
