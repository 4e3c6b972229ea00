/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/compare/view.h"

#include <inttypes.h>
#include <stdlib.h>

#include "decoder/show/print.h"
#include "decoder/show/wrap.h"

#define MOST_TIMES 10u

/* ---- shared by the formats ---- */

/* Returns the size and the losses of the old runs or, with IS_AFTER, of the new runs. */
static struct syt_baseline side_of(const struct syt_comparison *c, bool is_after)
{
	struct syt_baseline after = {.rule = c->before->rule};

	if (!is_after)
		return *c->before;
	syt_baseline_sum_up(&after, c->after, c->nr_after);
	return after;
}

static const char *plural(uint64_t nr)
{
	return nr == 1 ? "" : "s";
}

/* Returns the unit of work of the comparison C in words. The baseline file and JSON have shorter names. */
static const char *unit_text(const struct syt_comparison *c)
{
	switch (c->before->rule) {
	case SYT_WORK_UNIT_EXCHANGE:
		return "request";
	case SYT_WORK_UNIT_VISIT:
		return "call of the function";
	default:
		return syt_work_unit_texts[c->before->rule];
	}
}

void syt_difference_side_text(struct syt_out *out, const struct syt_comparison *c, bool is_after)
{
	struct syt_baseline s = side_of(c, is_after);

	syt_out_printf(out,
	               "%" PRIu64 " run%s, %" PRIu64 " event%s (%" PRIu64
	               " lost or overwritten); unknown cause of %.2f %% of the locks, waits and "
	               "receives, unknown sender of %.2f %% of the received bytes, %" PRIu64
	               " blind spot%s (activity that syntrace cannot record)",
	               s.nr_runs, plural(s.nr_runs), s.nr_events, plural(s.nr_events), s.nr_lost,
	               s.unattributed_percent, s.unmatched_percent, s.nr_blind, plural(s.nr_blind));
	if (c->before->rule == SYT_WORK_UNIT_RUN)
		return;
	if (c->before->rule == SYT_WORK_UNIT_EXCHANGE)
		syt_out_printf(out, "; %" PRIu64 " request%s with an answer", s.units,
		               plural(s.units));
	else
		syt_out_printf(out, "; %" PRIu64 " call%s of the function", s.units,
		               plural(s.units));
	if (s.nr_runs != 1)
		syt_out_string(out, " in each run");
}

#define MOST_RENAMES 10u
#define ID_SHOWN 12 /* number of shown digits of a build-id */

/* Returns the first file that has another build on each side, or NULL. Prefers the program to its libraries. */
static const struct syt_build *changed_build(const struct syt_comparison *c)
{
	const struct syt_builds *b = &c->before->builds;
	const struct syt_build *found = NULL;

	for (size_t n = 0; n < b->nr; n++) {
		const struct syt_build *now = syt_builds_find(&c->builds, b->all[n].name);

		if (!now ||
		    (!strcmp(now->id, b->all[n].id) && !strcmp(now->names, b->all[n].names)))
			continue;
		if (!found ||
		    (c->before->origin.program && !strcmp(now->name, c->before->origin.program)))
			found = &b->all[n];
	}
	return found;
}

static void build_text(struct syt_out *out, const struct syt_build *b, const char *when)
{
	syt_out_safe_bytes(out, b->id, strlen(b->id) < ID_SHOWN ? strlen(b->id) : ID_SHOWN);
	syt_out_printf(out, " %s (function names: ", when);
	syt_out_safe_bytes(out, b->names, strlen(b->names));
	syt_out_char(out, ')');
}

static void note_builds(struct syt_out *out, const struct syt_comparison *c)
{
	const struct syt_build *before = changed_build(c);

	syt_out_string(out, "The builds differ: ");
	syt_out_safe_bytes(out, before->name, strlen(before->name));
	syt_out_string(out, " has the build ID ");
	build_text(out, before, "before");
	syt_out_string(out, ", and ");
	build_text(out, syt_builds_find(&c->builds, before->name), "after");
	syt_out_char(out, '.');
}

static void note_matched(struct syt_out *out, uint64_t nr)
{
	syt_out_printf(out,
	               "Matched: %" PRIu64
	               " call path%s that differ%s only by names of functions, inlined "
	               "functions or tail calls.",
	               nr, plural(nr), nr == 1 ? "s" : "");
}

static void note_unnamed(struct syt_out *out, uint64_t nr)
{
	syt_out_printf(out,
	               "Not comparable in detail: %" PRIu64
	               " call path%s contain%s functions without names "
	               "on one side, so only the sums of similar call paths are compared.",
	               nr, plural(nr), nr == 1 ? "s" : "");
}

static void note_rename(struct syt_out *out, const struct syt_matches *m, size_t nr)
{
	const struct syt_rename *r = &m->renames[nr];

	syt_out_printf(out, "Renamed: the %s ", r->is_program ? "program" : "function");
	syt_out_safe_bytes(out, r->before, strlen(r->before));
	syt_out_string(out, " is now ");
	syt_out_safe_bytes(out, r->after, strlen(r->after));
	if (nr + 1 == MOST_RENAMES && m->nr > MOST_RENAMES)
		syt_out_printf(out, " (and %zu more renamed functions)", m->nr - MOST_RENAMES);
	syt_out_char(out, '.');
}

char *syt_difference_note(const struct syt_comparison *c, unsigned nr)
{
	const struct syt_matches *m = c->matches;
	struct syt_out words;
	char *text;

	syt_out_open(&words, -1, false);
	if (changed_build(c) && !nr--)
		note_builds(&words, c);
	else if (m->nr_paths > m->nr_unnamed && !nr--)
		note_matched(&words, m->nr_paths - m->nr_unnamed);
	else if (m->nr_unnamed && !nr--)
		note_unnamed(&words, m->nr_unnamed);
	else if (nr < m->nr && nr < MOST_RENAMES)
		note_rename(&words, m, nr);
	text = syt_out_take(&words);
	syt_out_close(&words);
	if (*text)
		return text;
	free(text);
	return NULL;
}

const char *syt_difference_role(enum syt_fact_type type, unsigned part)
{
	static const char *const roles[SYT_NR_FACT_TYPES][3] = {
		[SYT_FACT_TASK] = {"task", "", "root"},
		[SYT_FACT_PART] = {"task", "part"},
		[SYT_FACT_MAKE] = {"at"},
		[SYT_FACT_CALL] = {"at"},
		[SYT_FACT_WAIT] = {"at"},
		[SYT_FACT_HELD] = {"call", "under the lock taken in"},
		[SYT_FACT_NEXT] = {"after", "next"},
		[SYT_FACT_EDGE] = {"by", "from", "to"},
		[SYT_FACT_OBJECT] = {"a", "at"},
	};

	return part < 3 ? roles[type][part] : NULL;
}

const char *syt_difference_part(const char *name, unsigned part, size_t *bytes)
{
	for (; part; part--) {
		name += strcspn(name, "\t");
		name += *name == '\t';
	}
	*bytes = strcspn(name, "\t");
	return name;
}

const char *syt_difference_object(const struct syt_comparison *c, const char *path, size_t bytes)
{
	const char *object = NULL;

	for (size_t i = 0; i < c->nr_after && !object; i++)
		object = syt_path_objects_find(&c->after[i].objects, path, bytes);
	return object ? object : syt_path_objects_find(&c->before->objects, path, bytes);
}

static void number(struct syt_out *out, double x)
{
	syt_out_printf(out, x < 1000 ? "%.3g" : "%.0f", x);
}

static void per_text(struct syt_out *out, const struct syt_comparison *c, enum syt_per per)
{
	static const char *const texts[] = {NULL, " per run", " per second", " per task"};

	if (per == SYT_PER_UNIT)
		syt_out_printf(out, " per %s", unit_text(c));
	else
		syt_out_string(out, texts[per]);
}

void syt_difference_headline(struct syt_out *out, const struct syt_comparison *c,
                             const struct syt_difference *f)
{
	static const struct {
		const char *one, *several;
	} whats[] = {
		[SYT_FACT_TASK] = {"task", "tasks"},
		[SYT_FACT_PART] = {"in a task", "in a task"},
		[SYT_FACT_MAKE] = {"thread or process", "threads or processes"},
		[SYT_FACT_CALL] = {"call", "calls"},
		[SYT_FACT_WAIT] = {"waiting call", "waiting calls"},
		[SYT_FACT_HELD] = {"call under a lock", "calls under a lock"},
		[SYT_FACT_NEXT] = {"order of calls", "orders of calls"},
		[SYT_FACT_EDGE] = {"hand-off between threads", "hand-offs between threads"},
		[SYT_FACT_OBJECT] = {"sync object", "sync objects"},
	};
	static const char *const changes[] = {"new", "no more", "more", "fewer"};

	syt_out_printf(out, "%s %s: ", changes[f->change],
	               f->change == SYT_CHANGE_NEW ? whats[f->type].one : whats[f->type].several);
	if (f->change != SYT_CHANGE_GONE)
		number(out, f->seen);
	else
		syt_out_string(out, "none");
	if (f->change != SYT_CHANGE_NEW && f->high > 0) {
		syt_out_string(out, " instead of ");
		number(out, f->low);
		if (f->high > f->low) {
			syt_out_string(out, " to ");
			number(out, f->high);
		}
	}
	per_text(out, c, f->per);
	if (f->change != SYT_CHANGE_GONE)
		syt_out_printf(out, " (%" PRIu64 " in all)", f->nr);
}

bool syt_difference_has_task(const struct syt_difference *f)
{
	return f->task && f->type > SYT_FACT_ARC;
}

bool syt_difference_is_shown(const struct syt_difference_view *v, const struct syt_difference *f)
{
	return v->has_all || (!f->follows && !f->is_undecided);
}

/* ---- text ---- */

static void text_finding(struct syt_out *to, const struct syt_difference_view *v,
                         const struct syt_difference *f, size_t nr)
{
	struct syt_out words, *out = &words;

	syt_out_char(to, '\n');
	syt_wrap_begin(&words, to);
	syt_out_printf(out, "%zu. ", nr);
	syt_out_color(out, f->follows || f->is_undecided ? SYT_COLOR_DIM : SYT_COLOR_BOLD);
	syt_difference_headline(out, v->c, f);
	syt_out_color(out, SYT_COLOR_NONE);
	if (f->is_undecided)
		syt_out_string(out, "  [undecided: events are missing]");
	else if (f->follows)
		syt_out_string(out, "  [a consequence of another difference]");
	syt_out_char(out, '\n');
	if (syt_difference_has_task(f)) {
		syt_out_string(out, "   task ");
		syt_out_safe_bytes(out, f->task, f->task_bytes);
		syt_out_char(out, '\n');
	}
	for (unsigned part = 0; syt_difference_role(f->type, part); part++) {
		size_t bytes;
		const char *text = syt_difference_part(f->name, part, &bytes);
		const char *object = syt_difference_object(v->c, text, bytes);

		if (!*syt_difference_role(f->type, part))
			continue;
		syt_out_printf(out, "   %s ", syt_difference_role(f->type, part));
		syt_out_safe_bytes(out, text, bytes);
		if (object) {
			syt_out_string(out, " on ");
			syt_out_safe_bytes(out, object, strlen(object));
		}
		syt_out_char(out, '\n');
	}
	syt_wrap_end_lines(&words, to);
}

static void text_times(struct syt_out *out, const struct syt_comparison *c)
{
	if (!c->nr_slower)
		return;
	syt_out_string(out, "\nTimes between two calls that changed, only as a hint (each run "
	                    "after differs from "
	                    "each run before):\n");
	for (size_t i = 0; i < c->nr_slower && i < MOST_TIMES; i++) {
		size_t bytes;
		const char *to = syt_difference_part(c->slower[i].name, 1, &bytes);

		syt_out_string(out, "  ");
		syt_print_span(out, (uint64_t)c->slower[i].before_ns);
		syt_out_string(out, " -> ");
		syt_print_span(out, (uint64_t)c->slower[i].after_ns);
		per_text(out, c, c->before->rule == SYT_WORK_UNIT_RUN ? SYT_PER_RUN : SYT_PER_UNIT);
		syt_out_string(out, " before ");
		syt_out_safe_bytes(out, to, bytes);
		syt_out_char(out, '\n');
	}
}

static void put_text(struct syt_out *out, const struct syt_difference_view *v)
{
	const struct syt_comparison *c = v->c;
	struct syt_out words;
	unsigned nr_notes = 0;
	size_t nr = 0;

	syt_wrap_begin(&words, out);
	syt_out_string(&words, "Before: ");
	syt_difference_side_text(&words, c, false);
	syt_out_string(&words, ".\nAfter:  ");
	syt_difference_side_text(&words, c, true);
	syt_out_printf(&words,
	               ".\nCompared: %zu count%s of calls, waits and objects; not compared: %zu "
	               "count%s that var%s between the runs before, and %zu difference%s that may "
	               "be chance because %s few events.\n",
	               c->nr_compared, plural(c->nr_compared), c->nr_varying, plural(c->nr_varying),
	               c->nr_varying == 1 ? "ies" : "y", c->nr_perhaps, plural(c->nr_perhaps),
	               c->nr_perhaps == 1 ? "it has" : "they have");
	if (c->before->nr_runs < SYT_RUNS_FEW)
		syt_out_string(&words, "Few counts are compared, because fewer than three runs "
		                       "before do not show which counts vary; five runs are "
		                       "better.\n");
	for (char *note; (note = syt_difference_note(c, nr_notes)); nr_notes++) {
		syt_out_printf(&words, "%s\n", note);
		free(note);
	}
	if (!c->nr_findings && !c->nr_following)
		syt_out_string(&words, "No difference.\n");
	else
		syt_out_printf(
			&words,
			"%zu difference%s; %zu more that follow%s from other differences%s.\n",
			c->nr_findings, plural(c->nr_findings), c->nr_following,
			c->nr_following == 1 ? "s" : "",
			v->has_all || !c->nr_following ? "" : " (--all shows them)");
	if (c->nr_undecided)
		syt_out_printf(&words, "%zu difference%s undecided because events are missing%s.\n",
		               c->nr_undecided, c->nr_undecided == 1 ? " is" : "s are",
		               v->has_all ? "" : " (--all shows them)");
	syt_wrap_end_lines(&words, out);
	for (size_t i = 0; i < c->nr && !out->is_closed; i++)
		if (syt_difference_is_shown(v, &c->all[i]))
			text_finding(out, v, &c->all[i], ++nr);
	text_times(out, c);
}

/* ---- JSON ---- */

static void json_number(struct syt_json *j, const char *key, double x)
{
	syt_json_key(j, key);
	syt_out_printf(j->out, "%.6g", x);
}

static void json_side(struct syt_json *j, const struct syt_comparison *c, const char *key,
                      bool is_after)
{
	const struct syt_run_origin *origin = is_after ? &c->after[0].origin : &c->before->origin;
	const struct syt_builds *builds = is_after ? &c->builds : &c->before->builds;
	struct syt_baseline s = side_of(c, is_after);

	syt_json_begin(j, key, '{');
	syt_json_u64(j, "runs", s.nr_runs);
	syt_json_u64(j, "units", s.units);
	syt_json_u64(j, "events", s.nr_events);
	syt_json_u64(j, "lost", s.nr_lost);
	json_number(j, "unattributed_percent", s.unattributed_percent);
	json_number(j, "unmatched_percent", s.unmatched_percent);
	syt_json_u64(j, SYT_KEY("blind", "blind_spots"), s.nr_blind);
	syt_json_string(j, SYT_KEY("recorded", "recorded_at"), origin->recorded);
	syt_json_string(j, "host", origin->host);
	syt_json_string(j, "recorder", origin->recorder);
	syt_json_string(j, "program", origin->program);
	syt_json_begin(j, "builds", '[');
	for (size_t i = 0; i < builds->nr; i++) {
		syt_json_begin(j, NULL, '{');
		syt_json_string(j, SYT_KEY("name", "file_name"), builds->all[i].name);
		syt_json_string(j, "build_id", builds->all[i].id);
		syt_json_string(j, "names", builds->all[i].names);
		syt_json_end(j);
	}
	syt_json_end(j);
	syt_json_end(j);
}

/* Prints the name of each part's object. */
static void json_objects(struct syt_json *j, const struct syt_comparison *c, const char *name,
                         unsigned nr_parts)
{
	syt_json_begin(j, "object_names", '[');
	for (unsigned part = 0; part < nr_parts; part++) {
		size_t bytes;
		const char *text = syt_difference_part(name, part, &bytes);

		syt_json_string(j, NULL, syt_difference_object(c, text, bytes));
	}
	syt_json_end(j);
}

static void json_name(struct syt_json *j, const char *name, unsigned nr_parts)
{
	syt_json_begin(j, SYT_KEY("name", "fact_parts"), '[');
	for (unsigned part = 0; part < nr_parts; part++) {
		size_t bytes;
		const char *text = syt_difference_part(name, part, &bytes);

		syt_json_open_string(j, NULL);
		syt_json_piece(j, text, bytes);
		syt_json_close_string(j);
	}
	syt_json_end(j);
}

static void json_finding(struct syt_out *out, const struct syt_comparison *c,
                         const struct syt_difference *f)
{
	static const char *const pers[] = {"unit", "run", "second", "task"};
	struct syt_json j = {.out = out};

	syt_json_begin_line(&j, "finding");
	syt_json_string(&j, "fact", syt_fact_type_text(f->type));
	syt_json_string(&j, "change", syt_change_text(f->change));
	syt_json_string(&j, "per", pers[f->per]);
	syt_json_begin(&j, SYT_KEY("expected", "expected_range"), '[');
	json_number(&j, NULL, f->low);
	json_number(&j, NULL, f->high);
	syt_json_end(&j);
	json_number(&j, "seen", f->seen);
	syt_json_u64(&j, "count", f->nr);
	syt_json_bool(&j, "follows", f->follows);
	syt_json_bool(&j, "undecided", f->is_undecided);
	json_name(&j, f->name, syt_fact_type_parts(f->type));
	json_objects(&j, c, f->name, syt_fact_type_parts(f->type));
	if (f->task) {
		syt_json_open_string(&j, "task");
		syt_json_piece(&j, f->task, f->task_bytes);
		syt_json_close_string(&j);
	} else {
		syt_json_string(&j, "task", NULL);
	}
	syt_json_end_line(&j);
}

static void json_time(struct syt_out *out, const struct syt_slower *s)
{
	struct syt_json j = {.out = out};

	syt_json_begin_line(&j, "time");
	json_number(&j, "before_ns", s->before_ns);
	json_number(&j, "after_ns", s->after_ns);
	json_name(&j, s->name, syt_fact_type_parts(SYT_FACT_NEXT));
	syt_json_end_line(&j);
}

static void json_rename(struct syt_out *out, const struct syt_rename *r)
{
	struct syt_json j = {.out = out};

	syt_json_begin_line(&j, "renamed");
	syt_json_string(&j, SYT_KEY("kind", "renamed_kind"),
	                r->is_program ? "program" : "function");
	syt_json_string(&j, SYT_KEY("before", "old_name"), r->before);
	syt_json_string(&j, SYT_KEY("after", "new_name"), r->after);
	syt_json_u64(&j, "paths", r->nr_paths);
	syt_json_end_line(&j);
}

static void put_json(struct syt_out *out, const struct syt_difference_view *v)
{
	const struct syt_comparison *c = v->c;
	struct syt_json j = {.out = out};

	syt_json_begin_line(&j, "comparison");
	syt_json_string(&j, "unit", syt_work_unit_texts[c->before->rule]);
	syt_json_string(&j, "function", c->before->function);
	json_side(&j, c, SYT_KEY("before", "before_runs"), false);
	json_side(&j, c, SYT_KEY("after", "after_runs"), true);
	syt_json_u64(&j, "compared", c->nr_compared);
	syt_json_u64(&j, "varying", c->nr_varying);
	syt_json_u64(&j, "perhaps", c->nr_perhaps);
	syt_json_u64(&j, "findings", c->nr_findings);
	syt_json_u64(&j, "following", c->nr_following);
	syt_json_u64(&j, SYT_KEY("undecided", "undecided_findings"), c->nr_undecided);
	syt_json_bool(&j, SYT_KEY("times", "times_compared"), c->has_times);
	syt_json_bool(&j, "same_builds", syt_builds_are_same(&c->before->builds, &c->builds));
	syt_json_u64(&j, SYT_KEY("matched", "matched_paths"), c->matches->nr_paths);
	syt_json_u64(&j, SYT_KEY("unnamed", "unnamed_paths"), c->matches->nr_unnamed);
	syt_json_end_line(&j);
	for (size_t i = 0; i < c->matches->nr && !out->is_closed; i++)
		json_rename(out, &c->matches->renames[i]);
	for (size_t i = 0; i < c->nr && !out->is_closed; i++)
		json_finding(out, c, &c->all[i]);
	for (size_t i = 0; i < c->nr_slower && !out->is_closed; i++)
		json_time(out, &c->slower[i]);
}

enum syt_exit syt_difference_print(struct syt_command *c, const struct syt_difference_view *v)
{
	static void (*const put[])(struct syt_out *, const struct syt_difference_view *) = {
		[SYT_FORMAT_TEXT] = put_text,
		[SYT_FORMAT_JSONL] = put_json,
		[SYT_FORMAT_MARKDOWN] = syt_difference_markdown,
		[SYT_FORMAT_JUNIT] = syt_difference_junit};

	put[c->format](c->out, v);
	return v->c->nr_findings || v->c->nr_following ? SYT_EXIT_FINDINGS : SYT_EXIT_OK;
}
