/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/history/edge.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/compare.h"
#include "base/err.h"
#include "base/sort.h"
#include "base/work.h"

enum instant { INSTANT_IN, INSTANT_OUT };

/* clang-format off */
static const struct {
	const char *text;
	enum instant from, to;
	enum certainty { WEAK, SURE } certainty;
} kinds[] = {
#define EDGE(name_, text_, from_, to_, certainty_) {text_, INSTANT_##from_, INSTANT_##to_, certainty_},
#include "decoder/history/edge-kinds.def"
};
/* clang-format on */

void syt_edges_open(struct syt_edges *e, const struct syt_places *places)
{
	memset(e, 0, sizeof(*e));
	e->places = places;
	e->wanted = (struct syt_edges_wanted){SYT_EDGES_ALL, SYT_EDGES_ALL};
}

void syt_edges_close(struct syt_edges *e)
{
	syt_store_free(e->all);
	syt_store_free(e->rounds);
	memset(e, 0, sizeof(*e));
}

static syt_time instant(const struct syt_edges *e, struct syt_place at, enum instant which)
{
	if (at.thread == SYT_NONE)
		return e->rounds[at.row].at;
	return which == INSTANT_IN ? syt_place_row(e->places, at)->in
	                           : syt_place_row(e->places, at)->out;
}

syt_time syt_edge_begin(const struct syt_edges *e, const struct syt_edge *edge)
{
	return instant(e, edge->from, kinds[edge->kind].from);
}

syt_time syt_edge_end(const struct syt_edges *e, const struct syt_edge *edge)
{
	return instant(e, edge->to, kinds[edge->kind].to);
}

uint64_t syt_edges_from(const struct syt_edges *e, syt_time t)
{
	return SYT_BISECT(i, 0, e->nr, syt_edge_end(e, &e->all[i]) < t);
}

uint64_t syt_edges_from_near(const struct syt_edges *e, syt_time t, uint64_t *near)
{
	*near = SYT_BISECT_NEAR(i, (uint64_t)0, e->nr, *near, syt_edge_end(e, &e->all[i]) < t);
	return *near;
}

bool syt_edge_is_at_end(const struct syt_edge *edge, bool is_from)
{
	return (is_from ? kinds[edge->kind].from : kinds[edge->kind].to) == INSTANT_OUT;
}

bool syt_edges_holds(const struct syt_edges *e, enum syt_edge_kind kind, enum syt_edge_class class)
{
	return (e->wanted.kinds >> kind & e->wanted.classes >> class & 1) ||
	       e->needed_kinds >> kind & 1;
}

void syt_edges_narrow(struct syt_edges *e, struct syt_edges_wanted wanted)
{
	uint64_t nr = 0;

	e->wanted = wanted;
	SYT_EACH(n, 0, e->nr)
		if (syt_edges_holds(e, (enum syt_edge_kind)e->all[n].kind,
		                    (enum syt_edge_class)e->all[n].class))
			e->all[nr++] = e->all[n];
	e->nr = nr;
}

void syt_edges_copy(struct syt_edges *e, const struct syt_edges *from,
                    struct syt_edges_wanted wanted)
{
	*e = *from;
	e->wanted = wanted;
	e->all = NULL;
	e->nr = e->room = 0;
	SYT_EACH(n, 0, from->nr)
		if (syt_edges_holds(e, (enum syt_edge_kind)from->all[n].kind,
		                    (enum syt_edge_class)from->all[n].class))
			*SYT_STORE_ADD(e->all, e->nr, e->room) = from->all[n];
	e->rounds = syt_store_alloc(from->nr_rounds, sizeof(*e->rounds));
	e->room_rounds = from->nr_rounds;
	SYT_EACH(n, 0, from->nr_rounds)
		e->rounds[n] = from->rounds[n];
}

void syt_edges_count(struct syt_edges *e, enum syt_edge_kind kind, uint64_t nr)
{
	e->nr_of_kind[kind] += nr;
}

/* Returns true if events of the host of IMAGE may be missing at END, a time on the host of the image OF. */
static bool may_be_after(const struct syt_places *p, uint32_t image, uint32_t of, syt_time end)
{
	const struct syt_hosts *hosts = p->trace->hosts;
	uint32_t host = syt_hosts_of(hosts, image);

	return syt_hosts_latest(hosts, syt_hosts_of(hosts, of), end, host) >
	       syt_places_known_until(p, host);
}

/* Returns true if EDGE, from BEGIN to END, may be false because events are missing: a pause of the recording left them out, or
 * the reader read the trace before they were recorded. The source of a ready edge (to poll, select or epoll_wait) is computed
 * from the bytes received before. If a pause left out a receive, the computed source is too early: it lies before the end of
 * the pause. */
static bool is_doubtful(const struct syt_edges *e, const struct syt_edge *edge, syt_time begin,
                        syt_time end)
{
	const struct syt_places *p = e->places;

	if (!(p->is_paused || p->trace->read_at) || kinds[edge->kind].certainty == SURE ||
	    edge->to.thread == SYT_NONE)
		return false;
	uint32_t to = syt_place_image_idx(p, edge->to);
	uint32_t from = edge->from.thread == SYT_NONE ? to : syt_place_image_idx(p, edge->from);

	/* events of both hosts can be missing */
	if (may_be_after(p, to, to, end) || may_be_after(p, from, to, end))
		return true;
	return p->is_paused && edge->kind == SYT_EDGE_READY &&
	       syt_hosts_earliest(p->trace->hosts, syt_hosts_of(p->trace->hosts, from), begin,
	                          syt_hosts_of(p->trace->hosts, to)) < p->complete_from[to];
}

bool syt_edges_add_between(struct syt_edges *e, struct syt_edge edge, syt_time begin, syt_time end)
{
	if (begin > end) {
		if (!e->nr_defects++)
			e->first_defect = edge;
		return false;
	}
	if (is_doubtful(e, &edge, begin, end)) {
		e->nr_paused++;
		return false;
	}
	e->nr_of_kind[edge.kind]++;
	e->nr_ambiguous[edge.kind] += edge.flags & SYT_EDGE_AMBIGUOUS;
	if (!syt_edges_holds(e, (enum syt_edge_kind)edge.kind, (enum syt_edge_class)edge.class))
		return true;
	*SYT_STORE_ADD(e->all, e->nr, e->room) = edge;
	return true;
}

bool syt_edges_add(struct syt_edges *e, struct syt_edge edge)
{
	return syt_edges_add_between(e, edge, syt_edge_begin(e, &edge), syt_edge_end(e, &edge));
}

/* Returns EDGE with its indices of barrier rounds increased by FIRST. */
static struct syt_edge renumber(struct syt_edge edge, uint64_t first)
{
	if (edge.from.thread == SYT_NONE)
		edge.from.row += (uint32_t)first;
	if (edge.to.thread == SYT_NONE)
		edge.to.row += (uint32_t)first;
	return edge;
}

/* Copies of the edges of several collections: each job copies those of one. */
struct appending {
	struct syt_edges *to;
	struct syt_edges **from;
	uint64_t *first,
		*first_round; /* [job]: index of its first edge, and of its first round, in `to` */
};

static void append_edges(void *context, size_t job, unsigned worker)
{
	const struct appending *a = context;
	struct syt_edges *from = a->from[job];

	(void)worker;
	SYT_EACH(i, 0, from->nr)
		a->to->all[a->first[job] + i] = renumber(from->all[i], a->first_round[job]);
	syt_store_free(from->all);
	from->all = NULL;
}

/* Adds the counts and the rounds of FROM to those of E. */
static void append_rest(struct syt_edges *e, const struct syt_edges *from)
{
	if (from->nr_defects && !e->nr_defects)
		e->first_defect = renumber(from->first_defect, e->nr_rounds);
	e->nr_defects += from->nr_defects;
	for (unsigned i = 0; i < SYT_NR_EDGE_KINDS; i++) {
		e->nr_of_kind[i] += from->nr_of_kind[i];
		e->nr_ambiguous[i] += from->nr_ambiguous[i];
	}
	syt_store_grow(&e->rounds, &e->room_rounds, e->nr_rounds, e->nr_rounds + from->nr_rounds,
	               sizeof(*e->rounds));
	for (uint64_t i = 0; i < from->nr_rounds; i++)
		e->rounds[e->nr_rounds++] = from->rounds[i];
}

void syt_edges_append(struct syt_edges *e, struct syt_edges **from, size_t nr)
{
	unsigned nr_workers = e->places->trace->nr_workers;
	struct appending a = {e, from, syt_alloc(nr, sizeof(*a.first)),
	                      syt_alloc(nr, sizeof(*a.first_round))};
	uint64_t before = e->nr;

	for (size_t n = 0; n < nr; n++) {
		a.first[n] = e->nr;
		a.first_round[n] = e->nr_rounds;
		e->nr += from[n]->nr;
		append_rest(e, from[n]);
	}
	syt_store_widen(&e->all, &e->room, before, e->nr, sizeof(*e->all));
	syt_work(nr, nr_workers ? nr_workers : 1, append_edges, &a);
	for (size_t n = 0; n < nr; n++)
		syt_edges_close(from[n]);
	free(a.first);
	free(a.first_round);
}

struct syt_place syt_edges_round(struct syt_edges *e, struct syt_round round)
{
	*SYT_STORE_ADD(e->rounds, e->nr_rounds, e->room_rounds) = round;
	return (struct syt_place){SYT_NONE, (uint32_t)e->nr_rounds - 1};
}

/* Compares two edges with equal end times. The key of an item is the end time of an edge, and the value is the index of the
 * edge before sorting. */
static int compare(const void *a_, const void *b_, void *edges)
{
	const struct syt_edges *e = edges;
	const struct syt_sort_item *key_a = a_, *key_b = b_;
	const struct syt_edge *a = &e->all[key_a->value], *b = &e->all[key_b->value];
	syt_time begin_a = syt_edge_begin(e, a), begin_b = syt_edge_begin(e, b);

	SYT_ORDER(begin_a, begin_b);
	SYT_ORDER_BY(to.thread);
	SYT_ORDER_BY(to.row);
	SYT_ORDER_BY(from.thread);
	SYT_ORDER_BY(from.row);
	SYT_ORDER_BY(kind);
	SYT_ORDER_BY(object);
	SYT_ORDER_BY(bytes);
	SYT_ORDER(key_a->value, key_b->value);
	return 0;
}

#define EDGES_PER_JOB 65536u

/* The work of sorting that several threads share: each job handles EDGES_PER_JOB edges. */
struct sorting {
	const struct syt_edges *e;
	struct syt_sort_item *items;
	struct syt_edge *sorted;
};

static uint64_t end_of_job(const struct sorting *s, size_t job)
{
	uint64_t end = (job + 1) * (uint64_t)EDGES_PER_JOB;

	return end < s->e->nr ? end : s->e->nr;
}

static void make_items(void *context, size_t job, unsigned worker)
{
	const struct sorting *s = context;

	(void)worker;
	SYT_EACH_FAR(i, job * (uint64_t)EDGES_PER_JOB, end_of_job(s, job))
		s->items[i] = (struct syt_sort_item){syt_edge_end(s->e, &s->e->all[i]), i};
}

static void arrange(void *context, size_t job, unsigned worker)
{
	const struct sorting *s = context;

	(void)worker;
	SYT_EACH_FAR(i, job * (uint64_t)EDGES_PER_JOB, end_of_job(s, job))
		s->sorted[i] = s->e->all[s->items[i].value];
}

static void share(struct sorting *s, void (*run)(void *, size_t, unsigned))
{
	unsigned nr_workers = s->e->places->trace->nr_workers;

	syt_work((s->e->nr + EDGES_PER_JOB - 1) / EDGES_PER_JOB, nr_workers ? nr_workers : 1, run,
	         s);
}

void syt_edges_sort(struct syt_edges *e)
{
	struct syt_sort_item *k = syt_store_claim(e->nr, sizeof(*k));
	struct sorting s = {.e = e, .items = k};
	bool is_moved = false;

	share(&s, make_items);
	syt_sort_items(k, e->nr, e->places->trace->nr_workers);
	for (uint64_t i = 0, nr; i < e->nr; i += nr) {
		for (nr = 1; i + nr < e->nr && k[i + nr].key == k[i].key; nr++)
			;
		if (nr > 1)
			syt_sort_with(&k[i], nr, sizeof(*k), compare, e);
	}
	for (uint64_t i = 0; i < e->nr && !is_moved; i++)
		is_moved = k[i].value != i;
	if (is_moved) {
		s.sorted = syt_store_claim(e->nr, sizeof(*s.sorted));
		share(&s, arrange);
		syt_store_free(e->all);
		e->all = s.sorted;
		e->room = e->nr;
	}
	syt_store_free(k);
}

const char *syt_edge_kind_text(enum syt_edge_kind kind)
{
	return kinds[kind].text;
}

const char *syt_edge_class_text(enum syt_edge_class class)
{
	static const char *const texts[] = {"causal", "run-after", "inferred"};

	return texts[class];
}

enum syt_edge_kind syt_edge_kind_find(const char *text)
{
	unsigned i = 0;

	while (i < SYT_NR_EDGE_KINDS && strcmp(kinds[i].text, text))
		i++;
	return (enum syt_edge_kind)i;
}
