/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/compare/baseline.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/lines.h"
#include "decoder/read/number.h"

#define MAGIC "syntrace-baseline"
#define BUILD                                                                                      \
	"build" /* first word of the line of a program or library; no type of fact has this name */
#define NAME "name" /* first word of the line of an object; no type of fact has this name */
#define SECONDS "seconds" /* first word of the line of the durations */
#define VERSION 2u  /* version 1 has neither origin, nor builds, nor names of objects */
#define MOST_BUILDS 4096u

static uint64_t units_of(enum syt_work_unit_rule rule, const struct syt_run *run)
{
	return rule == SYT_WORK_UNIT_EXCHANGE ? run->nr_exchanges
	       : rule == SYT_WORK_UNIT_VISIT  ? run->nr_visits
	                                      : 1;
}

struct syt_size syt_baseline_size(enum syt_work_unit_rule rule, const struct syt_run *run)
{
	uint64_t units = units_of(rule, run);

	/* a run without units of work gets the divisor 1, which makes each count a finding */
	return (struct syt_size){
		{units ? (double)units : 1, 1, run->seconds > 0 ? run->seconds : 1, 0}};
}

/* ---- learning ---- */

/* A fact and the run in which it occurred. */
struct sighting {
	const struct syt_fact *fact;
	uint32_t run;
};

static int by_fact(const void *a_, const void *b_)
{
	const struct sighting *a = a_, *b = b_;
	int order = syt_fact_compare(a->fact->type, a->fact->name, b->fact->type, b->fact->name);

	return order ? order : a->run < b->run ? -1 : a->run > b->run;
}

bool syt_baseline_is_rare(enum syt_fact_type type, const uint64_t *counts, size_t nr)
{
	double chance = syt_count_model_chance((double)nr);

	for (size_t i = 0; i < nr; i++)
		if ((double)counts[i] >= chance * SYT_RARE)
			return false;
	/* a wait that occurs at all may occur often at another time */
	return type != SYT_FACT_MAKE && type != SYT_FACT_WAIT;
}

static void choose_unit(struct syt_baseline *b, const struct syt_run *runs, size_t nr,
                        const char *function)
{
	b->rule = function ? SYT_WORK_UNIT_VISIT : SYT_WORK_UNIT_EXCHANGE;
	if (function)
		b->function = syt_asprintf("%s", function);
	for (size_t i = 0; i < nr && !function; i++)
		if (!runs[i].nr_exchanges)
			b->rule = SYT_WORK_UNIT_RUN;
}

static double percentage(uint64_t part, uint64_t all)
{
	return all ? 100.0 * (double)part / (double)all : 0;
}

void syt_baseline_sum_up(struct syt_baseline *b, const struct syt_run *runs, size_t nr)
{
	uint64_t acquires = 0, unattributed = 0, received = 0, unmatched = 0;

	b->nr_runs = nr;
	for (size_t i = 0; i < nr; i++) {
		b->units += units_of(b->rule, &runs[i]);
		b->nr_events += runs[i].nr_events;
		b->nr_lost += runs[i].nr_lost;
		b->nr_blind += runs[i].nr_blind;
		acquires += runs[i].acquires;
		unattributed += runs[i].unattributed;
		received += runs[i].bytes_received;
		unmatched += runs[i].bytes_unmatched;
	}
	b->units = (b->units + nr / 2) / nr;
	b->unattributed_percent = percentage(unattributed, acquires);
	b->unmatched_percent = percentage(unmatched, received);
}

static void learn_range(double *low, double *high, double x, bool is_first)
{
	*low = is_first ? x : fmin(*low, x);
	*high = is_first ? x : fmax(*high, x);
}

static void learn_ranges(struct syt_baseline *b, const struct syt_run *runs, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		double wakes = (double)runs[i].nr_wakes /
		               syt_baseline_size(b->rule, &runs[i]).of[SYT_PER_UNIT];

		learn_range(&b->wakes_low, &b->wakes_high, wakes, !i);
		learn_range(&b->seconds_low, &b->seconds_high, runs[i].seconds, !i);
	}
}

/* Learns the names of the objects of the call paths in B. */
static void learn_objects(struct syt_baseline *b, const struct syt_run *runs, size_t nr)
{
	for (size_t n = 0; n < b->nr; n++) {
		const char *part = b->norms[n].name;

		for (size_t bytes; *part; part += bytes + (part[bytes] == '\t')) {
			bytes = strcspn(part, "\t");
			for (size_t i = 0; i < nr; i++) {
				const char *object =
					syt_path_objects_find(&runs[i].objects, part, bytes);

				if (object)
					syt_path_objects_add(&b->objects, part, bytes, object);
			}
		}
	}
	syt_path_objects_sort(&b->objects);
}

void syt_baseline_learn(struct syt_baseline *b, const struct syt_run *runs, size_t nr,
                        const char *function)
{
	struct syt_size *sizes = syt_alloc(nr, sizeof(*sizes));
	uint64_t *counts = syt_alloc(nr, sizeof(*counts));
	struct sighting *all;
	size_t nr_all = 0;

	memset(b, 0, sizeof(*b));
	choose_unit(b, runs, nr, function);
	syt_baseline_sum_up(b, runs, nr);
	b->units += !b->units;
	learn_ranges(b, runs, nr);
	b->origin = syt_run_origin_copy(&runs[0].origin);
	for (size_t i = 0; i < nr; i++)
		syt_builds_add_all(&b->builds, &runs[i].builds);
	for (size_t i = 0; i < nr; i++) {
		sizes[i] = syt_baseline_size(b->rule, &runs[i]);
		nr_all += runs[i].nr;
	}
	all = syt_alloc(nr_all, sizeof(*all));
	nr_all = 0;
	for (size_t i = 0; i < nr; i++)
		for (size_t k = 0; k < runs[i].nr; k++)
			all[nr_all++] = (struct sighting){&runs[i].facts[k], (uint32_t)i};
	if (nr_all)
		qsort(all, nr_all, sizeof(*all), by_fact);
	for (size_t i = 0, next; i < nr_all; i = next) {
		const struct syt_fact *f = all[i].fact;
		struct syt_count_models models;

		memset(counts, 0, nr * sizeof(*counts));
		for (next = i; next < nr_all; next++) {
			if (syt_fact_compare(f->type, f->name, all[next].fact->type,
			                     all[next].fact->name) != 0)
				break;
			counts[all[next].run] += all[next].fact->nr;
		}
		if (syt_baseline_is_rare(f->type, counts, nr))
			continue;
		syt_count_models_learn(&models, f->type, counts, sizes, (unsigned)nr,
		                       b->rule != SYT_WORK_UNIT_RUN);
		/* a new order of calls is no finding, so the baseline omits orders that need not occur */
		if (f->type == SYT_FACT_NEXT && !syt_count_models_demand(&models))
			continue;
		syt_grow(&b->norms, &b->room, b->nr + 1, sizeof(*b->norms));
		b->norms[b->nr++] = (struct syt_norm){f->type, syt_asprintf("%s", f->name), models};
	}
	learn_objects(b, runs, nr);
	free(all);
	free(counts);
	free(sizes);
}

void syt_baseline_close(struct syt_baseline *b)
{
	for (size_t i = 0; i < b->nr; i++)
		free(b->norms[i].name);
	free(b->norms);
	free(b->function);
	syt_path_objects_close(&b->objects);
	syt_builds_close(&b->builds);
	syt_run_origin_close(&b->origin);
	memset(b, 0, sizeof(*b));
}

static int by_name(const void *a_, const void *b_)
{
	const struct syt_norm *a = a_, *b = b_;

	return syt_fact_compare(a->type, a->name, b->type, b->name);
}

void syt_baseline_sort(struct syt_baseline *b)
{
	if (b->nr)
		qsort(b->norms, b->nr, sizeof(*b->norms), by_name);
}

enum syt_rule_type syt_baseline_rule_type(enum syt_fact_type type)
{
	return type == SYT_FACT_TASK   ? SYT_RULE_TASK
	       : type == SYT_FACT_PART ? SYT_RULE_PART
	                               : SYT_RULE_ARC;
}

const struct syt_norm *syt_baseline_find(const struct syt_baseline *b, enum syt_fact_type type,
                                         const char *name)
{
	struct syt_norm key = {.type = type, .name = (char *)(uintptr_t)name};

	return b->nr ? bsearch(&key, b->norms, b->nr, sizeof(key), by_name) : NULL;
}

/* ---- writing ---- */

/* Rounds N to two digits, so that a new baseline of the same program differs little. */
static uint64_t two_digits(uint64_t n)
{
	uint64_t power = 1;

	while (n / power >= 100)
		power *= 10;
	return (n + power / 2) / power * power;
}

static double percent(double x)
{
	return x >= 1 ? fmin(100, ceil(x))
	              : syt_count_model_rounded(fmax(x, x > 0 ? 0.01 : 0), true);
}

void syt_baseline_write(FILE *f, const struct syt_baseline *b)
{
	fprintf(f, MAGIC " %u\n", VERSION);
	fprintf(f, "unit %s%s%s\n", syt_work_unit_texts[b->rule], b->function ? " of " : "",
	        b->function ? b->function : "");
	fprintf(f, "runs %" PRIu64 "\n", b->nr_runs);
	fprintf(f, "units %" PRIu64 "\n", two_digits(b->units));
	fprintf(f, "events %" PRIu64 "\n", two_digits(b->nr_events));
	fprintf(f, "lost %" PRIu64 "\n", two_digits(b->nr_lost));
	fprintf(f, "blind %" PRIu64 "\n", b->nr_blind);
	fprintf(f, "unattributed %g\n", percent(b->unattributed_percent));
	fprintf(f, "unmatched %g\n", percent(b->unmatched_percent));
	fprintf(f, "wakes %g..%g\n", syt_count_model_rounded(b->wakes_low, false),
	        syt_count_model_rounded(b->wakes_high, true));
	fprintf(f, "recorded %s\n", b->origin.recorded);
	fprintf(f, "host %s\n", b->origin.host);
	fprintf(f, "recorder %s\n", b->origin.recorder);
	fprintf(f, "program %s\n", b->origin.program);
	if (b->seconds_low > 0)
		fprintf(f, SECONDS " %g..%g\n", syt_count_model_rounded(b->seconds_low, false),
		        syt_count_model_rounded(b->seconds_high, true));
	for (size_t i = 0; i < b->builds.nr; i++)
		fprintf(f, BUILD "\t%s\t%s\t%s\n", b->builds.all[i].names, b->builds.all[i].id,
		        b->builds.all[i].name);
	for (size_t i = 0; i < b->nr; i++) {
		fprintf(f, "%s\t", syt_fact_type_text(b->norms[i].type));
		syt_count_models_write(f, &b->norms[i].models);
		fprintf(f, "\t%s\n", b->norms[i].name);
	}
	for (size_t i = 0; i < b->objects.nr; i++)
		fprintf(f, NAME "\t%s\t%s\n", b->objects.all[i].object, b->objects.all[i].path);
}

/* ---- reading ---- */

static bool complain(const struct syt_lines *s, const char *what)
{
	return syt_lines_complain(s, s->number, 1, what);
}

/* Reads the line "KEY VALUE". Returns VALUE, or NULL after a message. */
static const char *header(struct syt_lines *s, const char *key)
{
	size_t bytes = strlen(key);
	bool is_end;

	if (!syt_lines_next(s, &is_end))
		return NULL;
	if (is_end || strncmp(s->line, key, bytes) != 0 || s->line[bytes] != ' ') {
		syt_warn("%s:%" PRIu64 ":1: expected '%s ...'", s->path, s->number, key);
		return NULL;
	}
	return s->line + bytes + 1;
}

/* Returns false after the message WHAT about the value of the line "KEY VALUE". */
static bool complain_value(const struct syt_lines *s, const char *key, const char *what)
{
	return syt_lines_complain(s, s->number, strlen(key) + 2, what);
}

static bool header_number(struct syt_lines *s, const char *key, uint64_t least, uint64_t *v)
{
	const char *text = header(s, key);

	if (!text)
		return false;
	if (!syt_number_parse(text, v) || *v < least || *v > UINT64_C(1000000000000000))
		return complain_value(s, key, "the number is out of range");
	return true;
}

static bool header_percent(struct syt_lines *s, const char *key, double *v)
{
	const char *text = header(s, key);
	char *end;

	if (!text)
		return false;
	*v = strtod(text, &end);
	if (end == text || *end || !(*v >= 0 && *v <= 100))
		return complain_value(s, key, "expected a percentage from 0 to 100");
	return true;
}

static bool read_unit(struct syt_lines *s, struct syt_baseline *b)
{
	const char *text = header(s, "unit");

	if (!text)
		return false;
	if (strcmp(text, "run") == 0)
		b->rule = SYT_WORK_UNIT_RUN;
	else if (strcmp(text, "exchange") == 0)
		b->rule = SYT_WORK_UNIT_EXCHANGE;
	else if (strncmp(text, "visit of ", 9) == 0 && text[9]) {
		b->rule = SYT_WORK_UNIT_VISIT;
		b->function = syt_asprintf("%s", text + 9);
	} else
		return complain_value(s, "unit", "expected the unit run, exchange or 'visit of FUNCTION'");
	return true;
}

static bool read_wakes(struct syt_lines *s, struct syt_baseline *b)
{
	const char *text = header(s, "wakes");

	if (!text)
		return false;
	if (!syt_count_range_parse(text, &b->wakes_low, &b->wakes_high))
		return complain_value(s, "wakes", "expected two numbers: 10..50");
	return true;
}

static bool header_text(struct syt_lines *s, const char *key, char **to)
{
	const char *text = header(s, key);

	*to = text ? syt_asprintf("%s", text) : NULL;
	return text;
}

static bool read_origin(struct syt_lines *s, struct syt_run_origin *o)
{
	return header_text(s, "recorded", &o->recorded) && header_text(s, "host", &o->host) &&
	       header_text(s, "recorder", &o->recorder) && header_text(s, "program", &o->program);
}

/* Reads the present line, "build", names of functions, id and name, separated by tabs. */
static bool read_build(struct syt_lines *s, struct syt_baseline *b)
{
	char *names = s->line + sizeof(BUILD), *id = strchr(names, '\t');
	char *name = id ? strchr(id + 1, '\t') : NULL;

	if (!name || !name[1] || strchr(name + 1, '\t'))
		return complain(
			s, "expected 'build', the kind of function names, a build-id and a name, "
			   "separated by tabs");
	if (b->builds.nr == MOST_BUILDS)
		return complain(s, "too many builds");
	*id++ = *name++ = '\0';
	syt_builds_add(&b->builds, name, id, names);
	return true;
}

/* Reads the present line, "name", a name of an object and a call path, separated by tabs. */
static bool read_object(struct syt_lines *s, struct syt_baseline *b)
{
	char *object = s->line + sizeof(NAME), *path = strchr(object, '\t');

	if (!path || path == object || !path[1] || strchr(path + 1, '\t'))
		return complain(s, "expected 'name', the name of an object and a call path, "
		                   "separated by tabs");
	*path++ = '\0';
	syt_path_objects_add(&b->objects, path, strlen(path), object);
	return true;
}

static bool read_seconds(struct syt_lines *s, struct syt_baseline *b)
{
	if (!syt_count_range_parse(s->line + sizeof(SECONDS), &b->seconds_low, &b->seconds_high))
		return complain_value(s, SECONDS, "expected two numbers: 0.5..2");
	return true;
}

static bool read_header(struct syt_lines *s, struct syt_baseline *b)
{
	uint64_t version;

	if (!header_number(s, MAGIC, 1, &version))
		return false;
	if (version > VERSION) {
		syt_warn("%s:1:%zu: the baseline has version %" PRIu64
		         ", but this program reads versions up to %u; "
		         "make a new baseline",
		         s->path, sizeof(MAGIC) + 1, version, VERSION);
		return false;
	}
	b->wakes_high = INFINITY; /* unknown: wakes explain no difference */
	return read_unit(s, b) && header_number(s, "runs", 1, &b->nr_runs) &&
	       header_number(s, "units", 0, &b->units) &&
	       header_number(s, "events", 0, &b->nr_events) &&
	       header_number(s, "lost", 0, &b->nr_lost) &&
	       header_number(s, "blind", 0, &b->nr_blind) &&
	       header_percent(s, "unattributed", &b->unattributed_percent) &&
	       header_percent(s, "unmatched", &b->unmatched_percent) &&
	       (version < 2 || (read_wakes(s, b) && read_origin(s, &b->origin)));
}

static bool has_parts(const char *name, unsigned parts)
{
	unsigned nr = 1;

	if (!*name)
		return false;
	for (const char *p = name; *p; p++)
		nr += *p == '\t';
	return nr == parts;
}

/* Reads the present line: a fact. Adds the facts of tasks to RULES. */
static bool read_norm(struct syt_lines *s, struct syt_baseline *b, struct syt_rules *rules)
{
	struct syt_rule_error error;
	char *models = strchr(s->line, '\t'), *name = models ? strchr(models + 1, '\t') : NULL;
	struct syt_norm norm = {.type = SYT_NR_FACT_TYPES};

	if (!name)
		return complain(s, "expected a type, counts and a name, separated by tabs");
	norm.type = syt_fact_type_find(s->line, (size_t)(models - s->line));
	if (norm.type == SYT_NR_FACT_TYPES)
		return complain(s, "unknown word at the begin of the line");
	if (!syt_count_models_parse(&norm.models, models + 1))
		return syt_lines_complain(s, s->number, (size_t)(models - s->line) + 2,
		                   "expected counts: 3/unit, 12..40/run, 5/s, 1/task, + or *");
	if (!has_parts(name + 1, syt_fact_type_parts(norm.type)))
		return syt_lines_complain(s, s->number, (size_t)(name - s->line) + 2,
		                   "the name has a wrong number of parts");
	if (b->nr && syt_fact_compare(b->norms[b->nr - 1].type, b->norms[b->nr - 1].name, norm.type,
	                              name + 1) >= 0)
		return complain(s, "the lines are not sorted, or a line appears twice");
	if (norm.type <= SYT_FACT_ARC &&
	    !syt_rules_add(rules, syt_baseline_rule_type(norm.type), name + 1, s->number,
	                   (size_t)(name - s->line) + 2, &error))
		return syt_lines_complain(s, error.line, error.column, error.message);
	norm.name = syt_asprintf("%s", name + 1);
	syt_grow(&b->norms, &b->room, b->nr + 1, sizeof(*b->norms));
	b->norms[b->nr++] = norm;
	return true;
}

/* Reads a line behind the header. */
static bool read_line(struct syt_lines *s, struct syt_baseline *b, struct syt_rules *rules)
{
	if (!strncmp(s->line, BUILD "\t", sizeof(BUILD)))
		return read_build(s, b);
	if (!strncmp(s->line, NAME "\t", sizeof(NAME)))
		return read_object(s, b);
	if (!strncmp(s->line, SECONDS " ", sizeof(SECONDS)))
		return read_seconds(s, b);
	return read_norm(s, b, rules);
}

bool syt_baseline_is_file(const char *path)
{
	char begin[sizeof(MAGIC)];
	FILE *f = fopen(path, "re");
	bool is = f && fread(begin, 1, sizeof(begin), f) == sizeof(begin) &&
	          !memcmp(begin, MAGIC " ", sizeof(begin));

	if (f)
		fclose(f);
	return is;
}

bool syt_baseline_read(struct syt_baseline *b, const char *path)
{
	struct syt_lines s;
	struct syt_rules rules = {.nr_tasks = 0};
	struct syt_rule_error error;
	bool is_end = false, is_good;

	memset(b, 0, sizeof(*b));
	if (!syt_lines_open(&s, path))
		return false;
	is_good = read_header(&s, b);
	while (is_good && syt_lines_next(&s, &is_end)) {
		if (is_end)
			break;
		is_good = read_line(&s, b, &rules);
	}
	if (is_good && !syt_rules_check(&rules, &error))
		is_good = syt_lines_complain(&s, error.line, error.column, error.message);
	is_good &= is_end;
	syt_path_objects_sort(&b->objects);
	syt_rules_close(&rules);
	syt_lines_close(&s);
	if (!is_good)
		syt_baseline_close(b);
	return is_good;
}
