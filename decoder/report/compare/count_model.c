/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/compare/count_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

#define ONE_IN 1e6
#define UNITS_MIN 20u     /* least units of work of a single run that can show a count per unit */
#define EXACT_SHARE 0.001 /* tolerated part of a count: events at the start and end of a run */
#define ABOUT_SHARE 0.005 /* EXACT_SHARE for a count of which only the average is known */
#define EXACT_EVENTS 2    /* tolerated number of events */
/* EXACT_SHARE for a single run, whose count may be a whole number per unit by chance */
#define EXACT_SHARE_ONE 0.0005
/* With fewer instances of a task in a run, on average and in the run with the fewest, the counts for each instance show
 * no rule. A run may contain one kind of request less often than the others. */
#define INSTANCES_MEAN 20.0
#define INSTANCES_MIN 5.0
#define COUNT_MIN 20.0 /* a smaller count has only a model per run */
#define RANGE_MOST 4.0 /* largest quotient of the limits of a range; a wider range is useless */
#define SURE_TIMES 4.0 /* a count this many times above the limit of chance is no chance */

static const char *const suffixes[] = {"/unit", "/run", "/s", "/task"};

/* Returns the value of Student's t that is exceeded on either side with a probability of one in a million. FREEDOM
 * is the number of degrees of freedom. */
static double student(unsigned freedom)
{
	static const double t[] = {0,   0,   1000, 130.2, 49.5, 28.5, 20.0, 15.8, 13.3, 11.6, 10.5,
	                           9.7, 9.1, 8.6,  8.2,   7.9,  7.6,  7.4,  7.2,  7.1,  6.9,  6.8,
	                           6.7, 6.6, 6.5,  6.4,   6.4,  6.3,  6.2,  6.2,  6.1};
	unsigned most = sizeof(t) / sizeof(t[0]) - 1;

	return t[freedom < most ? freedom : most];
}

double syt_count_model_chance(double as_much)
{
	return as_much > 0 ? ceil(log(ONE_IN) / log1p(as_much)) : INFINITY;
}

double syt_count_model_rounded(double x, bool is_up)
{
	static const double steps[] = {1, 2, 5, 10};
	double power;

	if (!(x > 0))
		return 0;
	power = pow(10, floor(log10(x)));
	if (is_up) {
		for (unsigned i = 0; i < 4; i++)
			if (x <= steps[i] * power * (1 + 1e-9))
				return steps[i] * power;
	}
	for (unsigned i = 4; !is_up && i-- > 0;)
		if (x >= steps[i] * power * (1 - 1e-9))
			return steps[i] * power;
	return power;
}

static int by_value(const void *a_, const void *b_)
{
	const double *a = a_, *b = b_;

	return *a < *b ? -1 : *a > *b;
}

double syt_median(double *x, size_t nr)
{
	qsort(x, nr, sizeof(*x), by_value);
	return (x[(nr - 1) / 2] + x[nr / 2]) / 2;
}

/* Returns how well the count of each run agrees with X times the size of the run. */
static enum syt_count_model_kind agreement(double x, const uint64_t *counts,
                                           const struct syt_size *sizes, enum syt_per per,
                                           unsigned nr)
{
	enum syt_count_model_kind kind = SYT_COUNT_MODEL_EXACT;

	for (unsigned i = 0; i < nr; i++) {
		double n = (double)counts[i], share = nr > 1 ? ABOUT_SHARE : EXACT_SHARE_ONE;
		double off = fabs(n - x * sizes[i].of[per]);

		if (off > fmax(1, n * share))
			return SYT_COUNT_MODEL_NONE;
		if (nr > 1 && off > fmax(EXACT_EVENTS, n * EXACT_SHARE))
			kind = SYT_COUNT_MODEL_ABOUT;
	}
	return kind;
}

static void learn_range(struct syt_count_model *l, const double *x, unsigned nr)
{
	double mean = 0, square = 0, half;

	for (unsigned i = 0; i < nr; i++)
		mean += x[i] / nr;
	for (unsigned i = 0; i < nr; i++)
		square += (x[i] - mean) * (x[i] - mean) / (nr - 1);
	half = student(nr - 1) * sqrt(square * (1 + 1.0 / nr));
	if (mean - half <= 0 || mean + half > RANGE_MOST * (mean - half))
		return;
	*l = (struct syt_count_model){SYT_COUNT_MODEL_RANGE,
	                              syt_count_model_rounded(mean - half, false),
	                              syt_count_model_rounded(mean + half, true)};
}

static void learn_model(struct syt_count_models *l, enum syt_per per, const uint64_t *counts,
                        const struct syt_size *sizes, unsigned nr, bool is_made)
{
	double *x = syt_alloc(nr, sizeof(*x)), m;

	for (unsigned i = 0; i < nr; i++)
		x[i] = (double)counts[i];
	if (per != SYT_PER_RUN && per != SYT_PER_TASK && syt_median(x, nr) < COUNT_MIN) {
		free(x);
		return;
	}
	for (unsigned i = 0; i < nr; i++)
		x[i] = (double)counts[i] / sizes[i].of[per];
	m = syt_median(x, nr);
	/* in a single run, only a whole number per unit of work is certainly no chance */
	bool is_whole = (per == SYT_PER_UNIT || per == SYT_PER_TASK) && sizes[0].of[per] >= UNITS_MIN && round(m) >= 1;

	if (nr == 1 && is_whole)
		m = round(m);
	enum syt_count_model_kind kind = agreement(m, counts, sizes, per, nr);

	if ((nr > 1 || is_whole || (is_made && per == SYT_PER_RUN)) && kind != SYT_COUNT_MODEL_NONE)
		l->of[per] = (struct syt_count_model){kind, m, m};
	else if (nr >= SYT_RUNS_FEW)
		learn_range(&l->of[per], x, nr);
	free(x);
}

bool syt_count_model_is_per_task(enum syt_fact_type type)
{
	return type == SYT_FACT_PART || type == SYT_FACT_ARC;
}

bool syt_count_model_is_presence(enum syt_fact_type type)
{
	return type == SYT_FACT_WAIT || type == SYT_FACT_EDGE;
}

/* Removes useless count models: all models of facts that are compared by presence only, ranges beside an exact
 * model, and a model per second that stands alone. A fact of type NEXT or OBJECT never keeps a range. */
static void keep_best(struct syt_count_models *l, enum syt_fact_type type)
{
	bool has_exact = false;

	for (unsigned per = 0; per < SYT_PER_SECOND; per++)
		has_exact |= l->of[per].kind == SYT_COUNT_MODEL_EXACT ||
		             l->of[per].kind == SYT_COUNT_MODEL_ABOUT;
	for (unsigned per = 0; per < SYT_NR_PERS; per++) {
		bool needs_exact = has_exact || type == SYT_FACT_NEXT || type == SYT_FACT_OBJECT;

		if (syt_count_model_is_presence(type) ||
		    (needs_exact && l->of[per].kind == SYT_COUNT_MODEL_RANGE))
			l->of[per] = (struct syt_count_model){SYT_COUNT_MODEL_NONE, 0, 0};
	}
	/* A model per second explains counts that a clock drives, but cannot require a count: another machine may
	 * be slower. */
	if (l->of[SYT_PER_UNIT].kind == SYT_COUNT_MODEL_NONE &&
	    l->of[SYT_PER_RUN].kind == SYT_COUNT_MODEL_NONE)
		l->of[SYT_PER_SECOND] = (struct syt_count_model){SYT_COUNT_MODEL_NONE, 0, 0};
}

bool syt_count_models_demand(const struct syt_count_models *l)
{
	for (unsigned per = 0; per < SYT_NR_PERS; per++)
		if (l->of[per].kind != SYT_COUNT_MODEL_NONE)
			return true;
	return l->must_occur;
}

void syt_count_models_learn(struct syt_count_models *l, enum syt_fact_type type,
                            const uint64_t *counts, const struct syt_size *sizes, unsigned nr,
                            bool has_units)
{
	bool is_per_task = syt_count_model_is_per_task(type);
	enum syt_per first = is_per_task ? SYT_PER_TASK : has_units ? SYT_PER_UNIT : SYT_PER_RUN;
	uint64_t least = UINT64_MAX;
	double units = 0, instances = 0, instances_least = INFINITY;

	memset(l, 0, sizeof(*l));
	for (unsigned i = 0; i < nr; i++) {
		least = counts[i] < least ? counts[i] : least;
		units = fmax(units, sizes[i].of[is_per_task ? SYT_PER_TASK : SYT_PER_UNIT]);
	}
	for (unsigned i = 0; i < nr; i++) {
		instances += sizes[i].of[SYT_PER_TASK];
		instances_least = fmin(instances_least, sizes[i].of[SYT_PER_TASK]);
	}
	if (is_per_task && (instances < INSTANCES_MEAN * nr || instances_least < INSTANCES_MIN))
		return;
	if (!least) /* the fact does not occur in one of the runs */
		return;
	for (unsigned per = first; per < SYT_NR_PERS && (is_per_task || per != SYT_PER_TASK); per++)
		learn_model(l, (enum syt_per)per, counts, sizes, nr, type == SYT_FACT_MAKE);
	keep_best(l, type);
	if (syt_count_model_is_presence(type) && nr < SYT_RUNS_FEW)
		return;
	if (!syt_count_models_demand(l) && type != SYT_FACT_NEXT && type != SYT_FACT_OBJECT)
		l->must_occur = (double)least >= fmax(SURE_TIMES * syt_count_model_chance(nr),
		                                      has_units || is_per_task ? units / SURE_TIMES : 0);
}

/* ---- count models as text ---- */

static void write_number(FILE *f, double x)
{
	if (x == floor(x) && x < 1e15)
		fprintf(f, "%.0f", x);
	else
		fprintf(f, "%.3g", x);
}

void syt_count_models_write(FILE *f, const struct syt_count_models *l)
{
	const char *between = "";

	for (unsigned per = 0; per < SYT_NR_PERS; per++) {
		const struct syt_count_model *model = &l->of[per];

		if (model->kind == SYT_COUNT_MODEL_NONE)
			continue;
		fprintf(f, "%s%s", between, model->kind == SYT_COUNT_MODEL_ABOUT ? "~" : "");
		write_number(f, model->low);
		if (model->kind == SYT_COUNT_MODEL_RANGE) {
			fputs("..", f);
			write_number(f, model->high);
		}
		fputs(suffixes[per], f);
		between = " ";
	}
	if (!*between)
		fputs(l->must_occur ? "+" : "*", f);
}

/* Parses the number at TEXT and sets *END behind it. */
static bool parse_number(const char *text, double *x, const char **end)
{
	char copy[80];
	size_t bytes = strspn(text, "0123456789.e+-");
	const char *dots = strstr(text, "..");
	char *last;

	bytes = dots && dots < text + bytes ? (size_t)(dots - text) : bytes;
	if (!bytes || bytes >= sizeof(copy) || !strchr("0123456789.", *text))
		return false;
	memcpy(copy, text, bytes);
	copy[bytes] = '\0';
	*x = strtod(copy, &last);
	*end = text + bytes;
	return !*last && *x >= 0 && *x <= 1e18;
}

bool syt_count_range_parse(const char *text, double *low, double *high)
{
	bool is_range;

	if (!parse_number(text, low, &text))
		return false;
	is_range = !strncmp(text, "..", 2);
	*high = *low;
	return (!is_range || parse_number(text + 2, high, &text)) && !*text && *low <= *high;
}

/* Parses one count model, such as "1/unit", "~0.58/unit" or "12..40/run", in *AT, and moves *AT behind it. */
static bool parse_model(struct syt_count_models *l, const char **at)
{
	bool is_about = **at == '~';
	size_t bytes = strcspn(*at += is_about, " \t");
	char model[80], *slash, *dots;
	double low, high;
	unsigned per = 0;

	if (bytes >= sizeof(model) || !(*at)[bytes])
		return false;
	memcpy(model, *at, bytes);
	model[bytes] = '\0';
	slash = strchr(model, '/');
	while (slash && per < SYT_NR_PERS && strcmp(slash, suffixes[per]) != 0)
		per++;
	if (!slash || per == SYT_NR_PERS || l->of[per].kind != SYT_COUNT_MODEL_NONE)
		return false;
	*slash = '\0';
	dots = strstr(model, "..");
	if (!syt_count_range_parse(model, &low, &high) || (dots && is_about))
		return false;
	l->of[per] = (struct syt_count_model){dots       ? SYT_COUNT_MODEL_RANGE
	                                      : is_about ? SYT_COUNT_MODEL_ABOUT
	                                                 : SYT_COUNT_MODEL_EXACT,
	                                      low, high};
	*at += bytes;
	return true;
}

bool syt_count_models_parse(struct syt_count_models *l, const char *text)
{
	memset(l, 0, sizeof(*l));
	if (*text == '*' || *text == '+') {
		l->must_occur = *text == '+';
		return text[1] == '\t';
	}
	while (parse_model(l, &text)) {
		if (*text == '\t')
			return true;
		text++; /* skips the space between two models */
	}
	return false;
}
