/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * OpenMP. The decoder adds happens-before edges of these kinds:
 * - The begin of a parallel region happens before each thread's share of it, which happens before the region's end.
 * - The creation of a task happens before its run. The run happens before the first event that had to wait for the
 *   task: a taskwait, the end of a taskgroup, a barrier, or the end of the region.
 * - All arrivals at a barrier of a team happen before the virtual node of the round, which happens before all
 *   departures.
 *
 * The rule is sound because the recorder numbers regions, shares and tasks, counts each share's barriers, and
 * passes a task's number with its arguments, so the decoder needs no time here. OpenMP promises the order that the
 * edges state (OpenMP 5.1, 2.19: barrier, taskwait, taskgroup; 2.6: the implied barrier at a region's end). A task
 * has one edge to the first wait for it, which implies the order to later waits.
 *
 * Missing events: numbers are absolute, so an edge is left out only if one of its own two events is missing. The
 * order that `depend`, `ordered` and doacross loops impose is unknown.
 */
#include "decoder/match/match.h"
#include "base/bisect.h"
#include "base/compare.h"
#include "base/sort.h"

/* A thread's share of a parallel region, or a task. If has_made, has_enter or has_leave is false, that event is
 * missing. */
struct work {
	uint64_t number, parent; /* number of the creator; for a share: number of its region */
	uint64_t region, round;  /* 0: unknown; round: barriers of the region before the task */
	uint32_t first_child, next_child; /* index in works, plus 1 */
	struct syt_place made, enter, leave;
	bool is_task, has_made, has_enter, has_leave;
	bool is_awaited; /* the task has its edge to the first wait for it */
	bool is_closed;  /* this task and all its descendants have been waited for */
};

/* An operation of a share or task on its child tasks, in the order of the share or task. */
struct step {
	uint64_t context;
	syt_time at;
	struct syt_place place;
	uint32_t work; /* index of the created task in works, plus 1 */
	uint8_t shape;
};

/* A thread's wait at a barrier, or the begin or end of a parallel region. */
struct meeting {
	uint64_t region, round;
	struct syt_place place;
	uint8_t shape;
};

struct team {
	struct syt_match *m;
	uint32_t object;
	struct work *works;
	size_t nr_works, room_works;
	struct step *steps;
	size_t nr_steps, room_steps;
	struct meeting *meetings;
	size_t nr_meetings, room_meetings;
	uint32_t *stack; /* scratch memory: indices of shares and tasks to visit */
	size_t room_stack;
	uint32_t nr_rounds;
};

/* ---- collecting the events ---- */

static struct work *add_work(struct team *t, uint64_t number)
{
	struct work *w = SYT_STORE_ADD(t->works, t->nr_works, t->room_works);

	*w = (struct work){.number = number};
	return w;
}

/* Adds an operation of CONTEXT (the number of a share or task). WORK is the index of the created task plus 1, or
 * 0. */
static void add_step(struct team *t, struct syt_place at, uint8_t shape, uint64_t context,
                     uint32_t work)
{
	*SYT_STORE_ADD(t->steps, t->nr_steps, t->room_steps) =
		(struct step){context, syt_place_row(t->m->places, at)->in, at, work, shape};
}

static void collect_one(struct team *t, const struct syt_touch *touch)
{
	struct syt_place at = touch->place;
	const struct syt_extra *x = syt_place_extra(t->m->places, at);
	uint8_t shape = touch->shape;
	struct work *w;

	switch (shape) {
	case SYT_SHAPE_TEAM_ENTER:
	case SYT_SHAPE_TEAM_LEAVE:
	case SYT_SHAPE_TASK_ENTER:
	case SYT_SHAPE_TASK_LEAVE:
		w = add_work(t, x->offset2);
		w->is_task = shape == SYT_SHAPE_TASK_ENTER || shape == SYT_SHAPE_TASK_LEAVE;
		w->parent = w->is_task ? 0 : x->arg;
		if (shape == SYT_SHAPE_TEAM_ENTER || shape == SYT_SHAPE_TASK_ENTER) {
			w->has_enter = true;
			w->enter = at;
		} else {
			w->has_leave = true;
			w->leave = at;
		}
		break;
	case SYT_SHAPE_TASK:
		w = add_work(t, x->arg);
		w->is_task = w->has_made = true;
		w->made = at;
		w->parent = x->offset2;
		w->round = x->offset;
		break;
	case SYT_SHAPE_TASK_GROUP:
	case SYT_SHAPE_TASK_GROUP_END:
	case SYT_SHAPE_TASK_WAIT:
		/* a task outside of any region runs at once, in its creator's thread */
		if (x->offset2)
			add_step(t, at, shape, x->offset2, 0);
		else if (shape != SYT_SHAPE_TASK_GROUP)
			syt_match_unneeded(t->m);
		break;
	case SYT_SHAPE_TEAM_BARRIER:
		/* the team has one thread, or the region was cancelled */
		if (!x->arg || !touch->has_succeeded) {
			syt_match_unneeded(t->m);
			break;
		}
		/* fall through */
	case SYT_SHAPE_TEAM_BEGIN:
	case SYT_SHAPE_TEAM:
		*SYT_STORE_ADD(t->meetings, t->nr_meetings, t->room_meetings) =
			(struct meeting){x->arg, x->offset, at, shape};
		break;
	}
}

SYT_COMPARATOR(work_by_number, struct work)
{
	SYT_ORDER_BY(number);
	return a->is_task - b->is_task;
}

/* Merges the records that have one number. If two records contain the same event (in a damaged dump), the first
 * stays. */
static void merge_works(struct team *t)
{
	size_t nr = 0;

	syt_sort(t->works, t->nr_works, sizeof(*t->works), work_by_number);
	for (size_t i = 0; i < t->nr_works; i++) {
		const struct work *w = &t->works[i];
		struct work *to = nr ? &t->works[nr - 1] : NULL;

		if (!to || to->number != w->number || to->is_task != w->is_task) {
			t->works[nr++] = *w;
			continue;
		}
		if (w->has_made && !to->has_made) {
			to->has_made = true;
			to->made = w->made;
			to->parent = w->parent;
			to->round = w->round;
		}
		if (w->has_enter && !to->has_enter) {
			to->has_enter = true;
			to->enter = w->enter;
		}
		if (w->has_leave && !to->has_leave) {
			to->has_leave = true;
			to->leave = w->leave;
		}
	}
	t->nr_works = nr;
}

static struct work *find_work(const struct team *t, uint64_t number)
{
	struct work key = {.number = number, .is_task = false};
	size_t low = SYT_BISECT(i, 0, t->nr_works, work_by_number(&t->works[i], &key) < 0);

	return low < t->nr_works && t->works[low].number == number ? &t->works[low] : NULL;
}

/* Links tasks to their creators. The number of a task is larger than that of its creator, so creators come
 * first. */
static void link_works(struct team *t)
{
	for (size_t i = 0; i < t->nr_works; i++) {
		struct work *w = &t->works[i], *parent;

		if (!w->is_task) {
			w->region = w->parent;
			continue;
		}
		if (!w->has_made || !w->parent || w->parent >= w->number)
			continue;
		add_step(t, w->made, SYT_SHAPE_TASK, w->parent, (uint32_t)i + 1);
		parent = find_work(t, w->parent);
		if (!parent || parent >= w)
			continue;
		w->region = parent->region;
		w->next_child = parent->first_child;
		parent->first_child = (uint32_t)i + 1;
	}
}

/* ---- tasks ---- */

/* Adds an edge from FROM to TO, except within one thread, where the thread's own order implies it. */
static bool add_edge(struct team *t, enum syt_edge_kind kind, struct syt_place from,
                     struct syt_place to)
{
	return from.thread == to.thread || syt_match_cause(t->m, kind, from, to, t->object, false);
}

/* Counts the acquire TO and adds its happens-before edge from FROM. IS_KNOWN tells whether the event FROM is
 * recorded. */
static void match_begin(struct team *t, enum syt_edge_kind kind, bool is_known,
                        struct syt_place from, struct syt_place to)
{
	if (!is_known)
		syt_match_unattributed(t->m, SYT_REASON_NO_RELEASE);
	else if (add_edge(t, kind, from, to))
		syt_match_attributed(t->m, false);
	else
		syt_match_unattributed(t->m, SYT_REASON_BACKWARDS);
}

static bool await(struct team *t, struct work *w, struct syt_place at)
{
	if (!w->is_awaited && w->has_leave)
		w->is_awaited = add_edge(t, SYT_EDGE_TASK, w->leave, at);
	return w->is_awaited;
}

/* Adds edges to AT from the task TOP and all its descendants, which are done at AT. Returns true if it added an
 * edge. */
static bool await_all(struct team *t, uint32_t top, struct syt_place at)
{
	size_t nr = 0;
	bool any = false;

	*SYT_STORE_ADD(t->stack, nr, t->room_stack) = top;
	while (nr) {
		struct work *w = &t->works[t->stack[--nr]];

		if (w->is_closed)
			continue;
		w->is_closed = true;
		any |= await(t, w, at);
		for (uint32_t c = w->first_child; c; c = t->works[c - 1].next_child)
			*SYT_STORE_ADD(t->stack, nr, t->room_stack) = c - 1;
	}
	return any;
}

static void count_wait(struct team *t, bool any)
{
	if (any)
		syt_match_attributed(t->m, false);
	else
		syt_match_unneeded(t->m);
}

/* Sorts the operations of inner tasks first, because they wait for tasks before the outer tasks do. */
SYT_COMPARATOR(step_by_context, struct step)
{
	SYT_ORDER(b->context, a->context);
	SYT_ORDER_BY(at);
	return syt_place_compare(a->place, b->place);
}

/* Processes the NR operations S of one share or task. PENDING is scratch memory of the same size, for the created
 * tasks of groups that have not ended. */
static void match_steps(struct team *t, const struct step *s, size_t nr, size_t *pending)
{
	size_t nr_pending = 0, nr_waited = 0;

	for (size_t i = 0; i < nr; i++) {
		bool any = false;

		switch (s[i].shape) {
		case SYT_SHAPE_TASK:
		case SYT_SHAPE_TASK_GROUP:
			pending[nr_pending++] = i;
			break;
		case SYT_SHAPE_TASK_GROUP_END:
			while (nr_pending && s[pending[--nr_pending]].work)
				any |= await_all(t, s[pending[nr_pending]].work - 1, s[i].place);
			nr_waited = nr_pending < nr_waited ? nr_pending : nr_waited;
			count_wait(t, any);
			break;
		case SYT_SHAPE_TASK_WAIT:
			for (; nr_waited < nr_pending; nr_waited++) {
				uint32_t w = s[pending[nr_waited]].work;

				any |= w && await(t, &t->works[w - 1], s[i].place);
			}
			count_wait(t, any);
			break;
		}
	}
}

static void match_tasks(struct team *t)
{
	size_t *pending = syt_store_alloc(t->nr_steps, sizeof(*pending));

	syt_sort(t->steps, t->nr_steps, sizeof(*t->steps), step_by_context);
	for (size_t i = 0, end; i < t->nr_steps; i = end) {
		for (end = i; end < t->nr_steps && t->steps[end].context == t->steps[i].context;)
			end++;
		match_steps(t, &t->steps[i], end - i, pending);
	}
	syt_store_free(pending);
	for (size_t i = 0; i < t->nr_works; i++) {
		const struct work *w = &t->works[i];

		if (w->is_task && w->has_enter)
			match_begin(t, SYT_EDGE_TASK, w->has_made, w->made, w->enter);
	}
}

/* ---- barriers and regions ---- */

SYT_COMPARATOR(meeting_by_region, struct meeting)
{
	SYT_ORDER_BY(region);
	SYT_ORDER_BY(shape);
	SYT_ORDER_BY(round);
	return syt_place_compare(a->place, b->place);
}

static int task_by_round(const void *a_, const void *b_)
{
	const struct work *a = *(struct work *const *)a_, *b = *(struct work *const *)b_;

	SYT_ORDER_BY(region);
	SYT_ORDER_BY(round);
	return SYT_COMPARE(a->number, b->number);
}

/* The shares, and the tasks that nothing has waited for so far, sorted by region and barrier round. */
struct rest {
	struct work **all;
	size_t nr, next;
};

/* Advances r->next to the first task of barrier round ROUND in REGION. Returns the number of tasks of this
 * round. */
static size_t rest_of(struct rest *r, uint64_t region, uint64_t round)
{
	size_t end;

	while (r->next < r->nr &&
	       (r->all[r->next]->region < region ||
	        (r->all[r->next]->region == region && r->all[r->next]->round < round)))
		r->next++;
	for (end = r->next;
	     end < r->nr && r->all[end]->region == region && r->all[end]->round == round;)
		end++;
	return end - r->next;
}

/* Matches one round of a barrier: WAITS[0..NR) in one region, and the TASKS that had to be done in this round. */
static void match_round(struct team *t, const struct meeting *waits, size_t nr, struct work **tasks,
                        size_t nr_tasks)
{
	const struct syt_places *p = t->m->places;
	syt_time last = 0, first = UINT64_MAX;
	struct syt_place node;

	for (size_t i = 0; i < nr; i++) {
		const struct syt_row *r = syt_place_row(p, waits[i].place);

		last = r->in > last ? r->in : last;
		first = r->out < first ? r->out : first;
	}
	if (last > first) { /* a thread left before another arrived: the dump contradicts itself */
		for (size_t i = 0; i < nr; i++)
			syt_match_unattributed(t->m, SYT_REASON_UNCERTAIN);
		return;
	}
	for (size_t i = 0; i < nr_tasks; i++) {
		syt_time at = tasks[i]->is_task && tasks[i]->has_leave
		                      ? syt_place_row(p, tasks[i]->leave)->in
		                      : 0;

		last = at > last && at <= first ? at : last;
	}
	node = syt_edges_round(t->m->edges, (struct syt_round){t->object, t->nr_rounds++, last});
	for (size_t i = 0; i < nr_tasks; i++) {
		if (tasks[i]->is_task && tasks[i]->has_leave &&
		    syt_place_row(p, tasks[i]->leave)->in <= last)
			tasks[i]->is_awaited = syt_match_cause(t->m, SYT_EDGE_TASK, tasks[i]->leave,
			                                       node, t->object, false);
	}
	for (size_t i = 0; i < nr; i++)
		syt_match_cause(t->m, SYT_EDGE_BARRIER, waits[i].place, node, t->object, false);
	for (size_t i = 0; i < nr; i++) {
		syt_match_cause(t->m, SYT_EDGE_BARRIER, node, waits[i].place, t->object, false);
		syt_match_attributed(t->m, false);
	}
}

static void match_barriers(struct team *t, const struct meeting *s, size_t nr, struct rest *tasks)
{
	for (size_t i = 0, end; i < nr; i = end) {
		size_t nr_tasks = rest_of(tasks, s[i].region, s[i].round);

		for (end = i; end < nr && s[end].round == s[i].round;)
			end++;
		match_round(t, &s[i], end - i, tasks->all + tasks->next, nr_tasks);
	}
}

/* Matches the end of a parallel region. Returns true if it waited for another thread or for a task. */
static bool match_end(struct team *t, const struct meeting *end, const struct rest *r)
{
	bool any = false;

	for (size_t i = r->next; i < r->nr && r->all[i]->region == end->region; i++) {
		struct work *w = r->all[i];

		if (w->is_task && !w->is_awaited)
			any |= await(t, w, end->place);
		else if (!w->is_task && w->has_leave && w->leave.thread != end->place.thread)
			any |= add_edge(t, SYT_EDGE_TEAM, w->leave, end->place);
	}
	return any;
}

static const struct meeting *find_begin(const struct team *t, uint64_t region)
{
	struct meeting key = {.region = region, .shape = SYT_SHAPE_TEAM_BEGIN};
	size_t low = SYT_BISECT(i, 0, t->nr_meetings, meeting_by_region(&t->meetings[i], &key) < 0);

	return low < t->nr_meetings && t->meetings[low].region == region &&
	                       t->meetings[low].shape == SYT_SHAPE_TEAM_BEGIN
	               ? &t->meetings[low]
	               : NULL;
}

static void match_shares(struct team *t)
{
	static const struct syt_place nowhere;

	for (size_t i = 0; i < t->nr_works; i++) {
		const struct work *w = &t->works[i];
		const struct meeting *begin;

		if (w->is_task || !w->has_enter)
			continue;
		begin = find_begin(t, w->region);
		match_begin(t, SYT_EDGE_TEAM, begin != NULL, begin ? begin->place : nowhere,
		            w->enter);
	}
}

/* Matches the barriers and the end of one parallel region. */
static void match_region(struct team *t, const struct meeting *s, size_t nr, struct rest *r)
{
	size_t start, i = 0;

	while (i < nr && s[i].shape != SYT_SHAPE_TEAM_BARRIER)
		i++;
	(void)rest_of(r, s->region, 0);
	start = r->next;
	match_barriers(t, s + i, nr - i, r);
	r->next = start;
	for (size_t k = 0; k < i; k++)
		if (s[k].shape == SYT_SHAPE_TEAM)
			count_wait(t, match_end(t, &s[k], r));
}

static void match_regions(struct team *t)
{
	struct rest r = {syt_store_alloc(t->nr_works, sizeof(*r.all)), 0, 0};

	for (size_t i = 0; i < t->nr_works; i++)
		if (t->works[i].region && !t->works[i].is_awaited)
			r.all[r.nr++] = &t->works[i];
	syt_sort(r.all, r.nr, sizeof(*r.all), task_by_round);
	syt_sort(t->meetings, t->nr_meetings, sizeof(*t->meetings), meeting_by_region);
	match_shares(t);
	for (size_t i = 0, end; i < t->nr_meetings; i = end) {
		for (end = i;
		     end < t->nr_meetings && t->meetings[end].region == t->meetings[i].region;)
			end++;
		match_region(t, &t->meetings[i], end - i, &r);
	}
	syt_store_free(r.all);
}

void syt_match_team(struct syt_match *m, uint32_t object)
{
	struct syt_history h = syt_history_of(m->histories, object);
	struct team t = {.m = m, .object = object};

	for (uint64_t i = 0; i < h.nr; i++)
		if (h.touches[i].role == SYT_ROLE_SELF)
			collect_one(&t, &h.touches[i]);
	merge_works(&t);
	link_works(&t);
	match_tasks(&t);
	match_regions(&t);
	syt_store_free(t.works);
	syt_store_free(t.steps);
	syt_store_free(t.meetings);
	syt_store_free(t.stack);
}
