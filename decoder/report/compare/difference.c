/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/compare/difference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/err.h"
#include "decoder/report/compare/consequence.h"
#include "decoder/report/compare/task_rules.h"

#define LEAST_SHARE 0.05      /* least change of a count, as a part of the units of work */
#define LEAST_SHARE_WIDE 0.25 /* LEAST_SHARE for a count that depends on time, or for few runs */
#define LEAST_RELATIVE 0.02   /* least change of a count, as a part of the count */
/* a count that differs by more than this part from a whole number per unit is not whole */
#define WHOLE_SHARE 0.005
#define OTHER_TIME 1.25 /* a run that is this many times longer than all old runs is no usual run */
#define TICKS 1.5 /* a clock ticks a whole number of times, so the counts of short runs are inexact */

/* ---- comparison of one fact in one run ---- */

struct against {
	const struct syt_comparison *c;
	enum syt_fact_type type;
	double chance;       /* number of events that may be chance */
	double units, share; /* units of work, and the least change as a part of them */
	double seconds; /* duration of the run */
	double wakes; /* number of wakes of the run beyond the wakes of all old runs, or below them */
};

/* Returns how far a count may differ from the EXPECTED count of MODEL. */
static double allowance(const struct against *a, const struct syt_count_model *model,
                        double expected)
{
	if (a->type == SYT_FACT_MAKE && model->kind == SYT_COUNT_MODEL_EXACT)
		return 0.5 + expected * LEAST_RELATIVE;
	if (model->kind == SYT_COUNT_MODEL_ABOUT)
		return fmax(a->chance, fmax(a->units, expected) * LEAST_SHARE_WIDE);
	return fmax(fmax(a->chance, a->units * a->share), expected * LEAST_RELATIVE);
}

/* Returns -1 if N is less than MODEL allows, 1 if it is more, otherwise 0. */
static int departure(const struct against *a, const struct syt_count_model *model, double size,
                     double n)
{
	double low = model->low * size, high = model->high * size;

	if (n > high + allowance(a, model, high))
		return 1;
	return n < low - allowance(a, model, low) ? -1 : 0;
}

/* Returns true if N is a multiple or a whole part of EXPECTED, or a whole number per unit of work: a change of the
 * program mostly adds a call to each unit, doubles a count, or removes it. */
static bool is_deliberate(double n, double expected, const struct against *a)
{
	double large = fmax(n, expected), small = fmin(n, expected);
	double times = small > 0 ? round(large / small) : 0, each = round(n / a->units);

	if (a->units > 1 && each >= 1 && fabs(n - each * a->units) <= fmax(2, n * WHOLE_SHARE))
		return true;
	return small <= 0 ||
	       (times >= 2 && fabs(large - times * small) <= fmax(2, large * WHOLE_SHARE));
}

/* Returns true if further or missing wakes of threads that wait for work explain that N differs from MODEL in direction
 * DIRECTION. */
static bool is_due_to_wakes(const struct against *a, const struct syt_count_model *model,
                            double size, double n, int direction)
{
	double expected = (direction > 0 ? model->high : model->low) * size;

	return a->wakes > 0 && !is_deliberate(n, expected, a) &&
	       fabs(n - expected) <= a->wakes + allowance(a, model, expected);
}

/* Returns true if a clock may drive the count, as that of a timer, and if the longer or shorter run explains that N differs from
 * MODEL in direction DIRECTION. A count that follows the requests depends on no clock. */
static bool is_due_to_time(const struct against *a, const struct syt_count_model *model,
                           unsigned per, double size, double n, int direction)
{
	const struct syt_baseline *b = a->c->before;
	double expected = (direction > 0 ? model->high : model->low) * size;

	if (b->rule == SYT_WORK_UNIT_RUN || !(b->seconds_low > 0) || a->type == SYT_FACT_MAKE ||
	    per == SYT_PER_SECOND || syt_count_model_is_per_task(a->type) ||
	    model->high >= LEAST_SHARE * (per == SYT_PER_UNIT ? 1 : (double)b->units))
		return false;
	return direction > 0 ? a->seconds > b->seconds_high * OTHER_TIME &&
	                               n <= expected * a->seconds / b->seconds_low * TICKS
	                     : a->seconds < b->seconds_low / OTHER_TIME &&
	                               n >= expected * a->seconds / b->seconds_high / TICKS;
}

/* Returns true if N is not a whole number per unit of work, and the old runs are too few to show which counts vary.
 * Timing may then have caused the difference, because a change of the work in a unit makes another whole number. */
static bool is_part(const struct against *a, unsigned per, double size, double n)
{
	return (per == SYT_PER_UNIT || per == SYT_PER_TASK) && a->c->before->nr_runs < SYT_RUNS_FEW &&
	       fabs(n - round(n / size) * size) > fmax(2, n * WHOLE_SHARE);
}

/* Returns -1 if the count N is less than all models of a fact allow, 1 if it is more, otherwise 0. The result is
 * also 0 if the models disagree, because a mixture of them then explains N. */
static int depart(const struct against *a, const struct syt_count_models *models,
                  const struct syt_size *size, uint64_t n)
{
	bool has_model = false;
	int all = 0;

	for (unsigned per = 0; per < SYT_NR_PERS; per++) {
		const struct syt_count_model *model = &models->of[per];
		int one;

		if (model->kind == SYT_COUNT_MODEL_NONE)
			continue;
		one = departure(a, model, size->of[per], (double)n);
		if (!one || (has_model && one != all) ||
		    is_part(a, per, size->of[per], (double)n) ||
		    is_due_to_wakes(a, model, size->of[per], (double)n, one) ||
		    is_due_to_time(a, model, per, size->of[per], (double)n, one))
			return 0;
		has_model = true;
		all = one;
	}
	if (has_model && a->type == SYT_FACT_NEXT) /* facts of the call show the new successor */
		return all < 0 ? all : 0;
	return has_model ? all : models->must_occur && !n ? -1 : 0;
}

static bool is_new(const struct against *a, const struct syt_fact *f)
{
	double n = f ? (double)f->nr : 0;
	bool is_timing = syt_count_model_is_presence(a->type);

	if (a->type == SYT_FACT_NEXT || a->type == SYT_FACT_TASK || a->type == SYT_FACT_ARC ||
	    (is_timing && a->c->before->nr_runs < SYT_RUNS_FEW))
		return false;
	if (a->type == SYT_FACT_MAKE)
		return n > 0;
	/* all events in a slice (1/64 of the run) are one occurrence, which may be chance */
	if (!f || f->nr_slices < fmin(a->chance, SYT_SLICES / 2.0))
		return false;
	/* without a unit of work, a rare event is not recognizable */
	if (a->c->before->rule == SYT_WORK_UNIT_RUN && a->type != SYT_FACT_PART)
		return n >= a->chance * (is_timing ? 4 : 1);
	return n >= fmax(a->chance, a->units * a->share);
}

/* ---- comparison of all facts in all runs ---- */

/* Returns the divisors of the counts of the fact NAME of TYPE in RUN. */
static struct syt_size size_of(const struct syt_comparison *c, const struct syt_run *run,
                               enum syt_fact_type type, const char *name)
{
	struct syt_size size = syt_baseline_size(c->before->rule, run);

	if (syt_count_model_is_per_task(type))
		size.of[SYT_PER_TASK] = (double)syt_task_rules_instances(run, name);
	return size;
}

static struct against against(const struct syt_comparison *c, enum syt_fact_type type, const char *name,
                              const struct syt_run *run, const struct syt_size *size)
{
	const struct syt_baseline *b = c->before;
	/* Timing sometimes decides to which task a part belongs. If the number of all its calls differs, too, then timing
	 * does not explain the difference in the task. */
	bool is_wide = syt_count_model_is_presence(type) || b->nr_runs < SYT_RUNS_FEW ||
	               (type == SYT_FACT_PART && !syt_consequence_has_calls(c, name));
	double as_much = (double)b->nr_runs, units = size->of[SYT_PER_UNIT];
	double parts = syt_count_model_is_per_task(type) ? size->of[SYT_PER_TASK] : units;
	double wakes = (double)run->nr_wakes;

	if (b->rule != SYT_WORK_UNIT_RUN)
		as_much *= (double)b->units / units;
	return (struct against){c,
	                        type,
	                        syt_count_model_chance(as_much),
	                        parts,
	                        is_wide ? LEAST_SHARE_WIDE : LEAST_SHARE,
	                        run->seconds,
	                        type == SYT_FACT_MAKE ? 0
	                                              : fmax(wakes - b->wakes_high * units,
	                                                     b->wakes_low * units - wakes)};
}

/* Returns the divisor for the printed counts: the unit of work, unless the count per unit is below LEAST_SHARE. */
static enum syt_per told_per(const struct syt_count_models *models, const struct syt_comparison *c,
                             enum syt_fact_type type)
{
	const struct syt_count_model *unit = &models->of[SYT_PER_UNIT];

	if (type == SYT_FACT_PART)
		return SYT_PER_TASK;
	if (unit->kind != SYT_COUNT_MODEL_NONE && unit->high >= LEAST_SHARE)
		return SYT_PER_UNIT;
	for (unsigned per = SYT_PER_RUN; per < SYT_NR_PERS; per++)
		if (models->of[per].kind != SYT_COUNT_MODEL_NONE)
			return (enum syt_per)per;
	return c->before->rule == SYT_WORK_UNIT_RUN ? SYT_PER_RUN : SYT_PER_UNIT;
}

static void add(struct syt_comparison *c, struct syt_difference f)
{
	const struct syt_size size = size_of(c, &c->after[0], f.type, f.name);
	const struct syt_fact *fact = syt_run_find(&c->after[0], f.type, f.name);
	uint64_t lost = c->before->nr_lost;

	f.nr = fact ? fact->nr : 0;
	f.seen = (double)f.nr / size.of[f.per];
	if (f.change == SYT_CHANGE_GONE || f.change == SYT_CHANGE_LESS) {
		lost = 0;
		for (size_t i = 0; i < c->nr_after; i++)
			lost += c->after[i].nr_lost;
	}
	f.is_undecided = lost > 0;
	syt_grow(&c->all, &c->room, c->nr + 1, sizeof(*c->all));
	c->all[c->nr++] = f;
}

/* Returns the count of F without its largest burst, which may lie in two slices of the run. */
static uint64_t without_burst(const struct syt_fact *f)
{
	return f->nr > 2 * f->most ? f->nr - 2 * f->most : 0;
}

static void compare_norm(struct syt_comparison *c, const struct syt_norm *norm)
{
	enum syt_per per = told_per(&norm->models, c, norm->type);
	const struct syt_count_model *model = &norm->models.of[per];
	bool has_some = false;
	int all = 0;

	for (size_t i = 0; i < c->nr_after; i++) {
		struct syt_size size = size_of(c, &c->after[i], norm->type, norm->name);
		struct against a = against(c, norm->type, norm->name, &c->after[i], &size);
		const struct syt_fact *f = syt_run_find(&c->after[i], norm->type, norm->name);
		int one = depart(&a, &norm->models, &size, f ? f->nr : 0);

		/* Without an instance, the finding is about the task. Other numbers of tasks are no finding, because the
		 * counts of all calls are compared, too. */
		if (norm->type <= SYT_FACT_ARC &&
		    (!c->after[i].has_tasks || norm->type == SYT_FACT_ARC ||
		     (norm->type == SYT_FACT_TASK && f) ||
		     (norm->type == SYT_FACT_PART && !(size.of[SYT_PER_TASK] > 0))))
			return;

		/* a burst of events counts as one occurrence, which may be chance; the rest is not the number of
		 * calls, so wakes cannot explain it */
		a.wakes = 0;
		if (one > 0 && norm->type != SYT_FACT_MAKE &&
		    depart(&a, &norm->models, &size, without_burst(f)) <= 0)
			one = 0;
		/* Likewise, one of several bursts may be missing: a process that ends with the run. */
		if (one < 0 && f && norm->type != SYT_FACT_MAKE && without_burst(f) &&
		    depart(&a, &norm->models, &size, f->nr + 2 * f->most) >= 0)
			one = 0;
		has_some |= f != NULL;
		if (!one || (i && one != all))
			return;
		all = one;
	}
	if (all && norm->type <= SYT_FACT_PART &&
	    syt_consequence_may_be_chance(c, norm->type, norm->name, all > 0))
		c->nr_perhaps++;
	else if (all)
		add(c, (struct syt_difference){.type = norm->type,
		                               .change = all > 0    ? SYT_CHANGE_MORE
		                                         : has_some ? SYT_CHANGE_LESS
		                                                    : SYT_CHANGE_GONE,
		                               .name = norm->name,
		                               .per = per,
		                               .low = model->low,
		                               .high = model->high});
}

bool syt_comparison_is_usual(const struct syt_comparison *c, enum syt_fact_type type,
                             const struct syt_count_models *models, const uint64_t *counts)
{
	int all = 0;

	for (size_t i = 0; i < c->nr_after; i++) {
		struct syt_size size = syt_baseline_size(c->before->rule, &c->after[i]);
		struct against a = against(c, type, "", &c->after[i], &size);
		int one = depart(&a, models, &size, counts[i]);

		if (!one || (i && one != all))
			return true;
		all = one;
	}
	return false;
}

static void compare_new(struct syt_comparison *c, const struct syt_fact *f)
{
	static const struct syt_count_models none;
	bool is_sure = true, is_rare = false;

	if (syt_baseline_find(c->before, f->type, f->name))
		return;
	for (size_t i = 0; i < c->nr_after; i++) {
		struct syt_size size = size_of(c, &c->after[i], f->type, f->name);
		struct against a = against(c, f->type, f->name, &c->after[i], &size);
		const struct syt_fact *here = syt_run_find(&c->after[i], f->type, f->name);

		is_sure &= is_new(&a, here);
		is_rare |= !here || here->nr_slices < a.chance * SYT_RARE;
	}
	if (is_sure && f->type == SYT_FACT_PART && syt_consequence_may_be_chance(c, f->type, f->name, true))
		c->nr_perhaps++;
	else if (is_sure)
		add(c, (struct syt_difference){.type = f->type,
		                               .change = SYT_CHANGE_NEW,
		                               .name = f->name,
		                               .per = told_per(&none, c, f->type)});
	else
		c->nr_perhaps += !is_rare && f->type != SYT_FACT_NEXT && f->type != SYT_FACT_ARC;
}

static int by_importance(const void *a_, const void *b_)
{
	const struct syt_difference *a = a_, *b = b_;

	SYT_ORDER_BY(is_undecided);
	SYT_ORDER_BY(follows);
	SYT_ORDER_BY(is_moved);
	SYT_ORDER_BY(type);
	SYT_ORDER_BY(change);
	return strcmp(a->name, b->name);
}

/* Compares the facts about tasks, or all other facts. */
static void compare_all(struct syt_comparison *c, bool is_about_tasks)
{
	for (size_t i = 0; i < c->before->nr; i++)
		if ((c->before->norms[i].type <= SYT_FACT_ARC) == is_about_tasks)
			compare_norm(c, &c->before->norms[i]);
	for (size_t i = 0; i < c->after[0].nr; i++)
		if ((c->after[0].facts[i].type <= SYT_FACT_ARC) == is_about_tasks)
			compare_new(c, &c->after[0].facts[i]);
}

void syt_comparison_open(struct syt_comparison *c, const struct syt_baseline *before,
                         const struct syt_run *after, size_t nr_after)
{
	*c = (struct syt_comparison){.before = before, .after = after, .nr_after = nr_after};
	for (size_t i = 0; i < nr_after; i++)
		syt_builds_add_all(&c->builds, &after[i].builds);
	for (size_t i = 0; i < before->nr; i++) {
		bool is_compared = syt_count_models_demand(&before->norms[i].models);

		c->nr_compared += is_compared && before->norms[i].type != SYT_FACT_ARC;
		c->nr_varying += !is_compared && before->norms[i].type != SYT_FACT_ARC;
	}
	compare_all(c, false);
	for (size_t i = 0; i < c->nr; i++)
		syt_consequence_mark(c, &c->all[i]);
	compare_all(c, true);
	syt_consequence_find(c);
	for (size_t i = 0; i < c->nr; i++) {
		const struct syt_difference *f = &c->all[i];

		c->nr_undecided += f->is_undecided;
		c->nr_following += f->follows && !f->is_undecided;
	}
	c->nr_findings = c->nr - c->nr_undecided - c->nr_following;
	if (c->nr)
		qsort(c->all, c->nr, sizeof(*c->all), by_importance);
}

/* ---- times ---- */

#define TIMES_SHARE 0.01  /* smallest reported difference, as a part of all measured time */
#define TIMES_CHANGE 1.25 /* smallest reported quotient of the median times */

/* Fills TIMES with the ns per unit of work of the fact NAME in each run, sorted. Returns their median, or 0 if a
 * run has no time for NAME. */
static double median_of(double *times, const struct syt_comparison *c, const struct syt_run *runs,
                        size_t nr, const char *name)
{
	for (size_t i = 0; i < nr; i++) {
		const struct syt_fact *f = syt_run_find(&runs[i], SYT_FACT_NEXT, name);

		if (!f || !f->ns)
			return 0;
		times[i] = (double)f->ns /
		           syt_baseline_size(c->before->rule, &runs[i]).of[SYT_PER_UNIT];
	}
	return syt_median(times, nr);
}

static double all_ns(const struct syt_comparison *c, const struct syt_run *r)
{
	double sum = 0;

	for (size_t i = 0; i < r->nr; i++)
		sum += (double)r->facts[i].ns;
	return sum / syt_baseline_size(c->before->rule, r).of[SYT_PER_UNIT];
}

static int by_difference(const void *a_, const void *b_)
{
	const struct syt_slower *a = a_, *b = b_;
	double da = fabs(a->after_ns - a->before_ns), db = fabs(b->after_ns - b->before_ns);

	SYT_ORDER(db, da);
	return strcmp(a->name, b->name);
}

void syt_comparison_times(struct syt_comparison *c, const struct syt_run *before, size_t nr_before)
{
	double *a = syt_alloc(nr_before, sizeof(*a)), *b = syt_alloc(c->nr_after, sizeof(*b));
	const struct syt_run *r = &c->after[0];
	double all = all_ns(c, r);

	c->has_times = nr_before >= SYT_TIMES_RUNS && c->nr_after >= SYT_TIMES_RUNS;
	for (size_t i = 0; c->has_times && i < r->nr; i++) {
		const char *name = r->facts[i].name;
		double from = r->facts[i].type == SYT_FACT_NEXT
		                      ? median_of(a, c, before, nr_before, name)
		                      : 0;
		double to = from > 0 ? median_of(b, c, c->after, c->nr_after, name) : 0;

		if (!(to > 0) || (a[nr_before - 1] >= b[0] && b[c->nr_after - 1] >= a[0]) ||
		    fabs(to - from) < TIMES_SHARE * all ||
		    fmax(from, to) < TIMES_CHANGE * fmin(from, to))
			continue;
		syt_grow(&c->slower, &c->room_slower, c->nr_slower + 1, sizeof(*c->slower));
		c->slower[c->nr_slower++] = (struct syt_slower){name, from, to};
	}
	if (c->nr_slower)
		qsort(c->slower, c->nr_slower, sizeof(*c->slower), by_difference);
	free(a);
	free(b);
}

void syt_comparison_close(struct syt_comparison *c)
{
	free(c->all);
	free(c->slower);
	syt_counts_fini(&c->changed);
	syt_builds_close(&c->builds);
	*c = (struct syt_comparison){.before = NULL};
}

const char *syt_change_text(enum syt_change change)
{
	static const char *const texts[] = {"new", "gone", "more", "less"};

	return texts[change];
}
