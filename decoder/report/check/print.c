/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The members of the JSON lines must keep their names, because other programs read them; others may be added. */
#include "decoder/report/check/view.h"

#include <inttypes.h>
#include <stdio.h>

#include "decoder/read/call.h"
#include "decoder/show/print.h"
#include "decoder/show/wrap.h"

/* ---- the listing of checks: a row is a struct syt_checked ---- */

static const struct syt_checked *checked_of(const struct syt_cell *c)
{
	return c->row;
}

SYT_COLUMN_WORD(type_name, struct syt_checked, r->invariant->name);
SYT_COLUMN_WORD(type_proves, struct syt_checked, r->invariant->proves);
SYT_COLUMN_WORD(type_unit, struct syt_checked, r->invariant->unit);

static void text_unproven(struct syt_table *t, const struct syt_cell *c)
{
	syt_table_cell(t, "%" PRIu64, syt_check_unproven(&checked_of(c)->result));
}

static void json_unproven(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	const uint64_t *unproven = c->field;

	syt_json_begin(j, key, '{');
	for (unsigned i = 0; i < SYT_NR_EXCUSES; i++)
		if (unproven[i])
			syt_json_u64(j, syt_excuse_name((enum syt_excuse)i), unproven[i]);
	syt_json_end(j);
}

static void json_sums(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	const struct syt_check *result = &checked_of(c)->result;

	syt_json_begin(j, key, '{');
	for (unsigned i = 0; i < result->nr_sums; i++)
		syt_json_u64(j, result->sums[i].name, result->sums[i].value);
	syt_json_end(j);
}

static const struct syt_column_type type_unproven = {.text = text_unproven, .json = json_unproven};
static const struct syt_column_type type_sums = {.json = json_sums};

/* clang-format off */
#define CHECKED(member_) offsetof(struct syt_checked, result.member_)
static const struct syt_column check_columns[] = {
	{"INVARIANT",       SYT_KEY("name", "check_name"), &type_name,      0},
	{NULL,              "proves",     &type_proves,    0},
	{NULL,              SYT_KEY("unit", "checked_unit"), &type_unit,      0},
	{">CHECKED",        "checked",    &syt_column_u64, CHECKED(nr_checked)},
	{"",                NULL,         &type_unit,      0},
	{">VIOLATED",       "violations", &syt_column_u64, CHECKED(nr_violations)},
	{">UNPROVEN",       "unproven",   &type_unproven,  CHECKED(unproven)},
	{NULL,              "sums",       &type_sums,      0},
	{"~MEANING",        NULL,         &type_proves,    0},
};
/* clang-format on */

static const struct syt_listing checks = SYT_LISTING("check", check_columns);

/* ---- text ---- */

/* Writes the id of the event AT, "0.3.17", or "0.3" if AT stands for the whole thread. */
static void place_text(const struct syt_order *o, struct syt_place at, char *text, size_t bytes)
{
	const struct syt_thread *t = syt_place_thread(&o->places, at);

	if (at.row == SYT_NONE)
		snprintf(text, bytes, "%" PRIu32 ".%" PRIu32, t->image->index, t->index);
	else
		syt_order_node_text(o, at, text, bytes);
}

static const struct syt_image *image_of(const struct syt_order *o, const struct syt_violation *f)
{
	if (f->image != SYT_NONE)
		return &o->places.trace->images[f->image];
	return f->nr_at ? syt_place_image(&o->places, f->at[0]) : NULL;
}

static void text_sums(struct syt_out *out, const struct syt_checked *all, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++) {
		const struct syt_check *c = &all[i].result;

		for (unsigned k = 0; k < c->nr_sums; k++) {
			if (!k)
				syt_out_printf(out, "\n%s:", all[i].invariant->name);
			syt_out_string(out, k ? ", " : " ");
			for (const char *p = c->sums[k].name; *p; p++)
				syt_out_char(out, *p == '_' ? ' ' : *p);
			syt_out_printf(out, " %" PRIu64, c->sums[k].value);
		}
	}
	syt_out_char(out, '\n');
}

static void text_excuses(struct syt_out *out, const struct syt_checked *all, unsigned nr)
{
	bool has_title = false;

	for (unsigned i = 0; i < nr; i++) {
		for (unsigned k = 0; k < SYT_NR_EXCUSES; k++) {
			uint64_t unproven = all[i].result.unproven[k];

			if (!unproven)
				continue;
			if (!has_title)
				syt_out_string(out, "\nNot proven, because:\n");
			has_title = true;
			syt_out_printf(out, "  %-12s %10" PRIu64 " %s: %s\n",
			               all[i].invariant->name, unproven, all[i].invariant->unit,
			               syt_excuse_text((enum syt_excuse)k));
		}
	}
}

static void text_place(const struct syt_view *v, struct syt_place at)
{
	const struct syt_order *o = v->order;
	struct syt_out *out = v->out;
	char id[SYT_NODE_TEXT];

	place_text(o, at, id, sizeof(id));
	if (at.row == SYT_NONE) {
		syt_out_printf(out, "    thread %s\n", id);
		return;
	}
	const struct syt_row *r = syt_place_row(&o->places, at);
	const char *call = syt_place_call(&o->places, at)->name;

	syt_out_string(out, "    ");
	syt_print_seconds(out, SYT_TIME_NS(r->in));
	syt_out_string(out, " to ");
	syt_print_seconds(out, SYT_TIME_NS(r->out));
	syt_out_printf(out, " %s ", id);
	syt_out_safe(out, call ? call : "?");
	if (v->symbols && r->stack) {
		const struct syt_image *image = syt_place_image(&o->places, at);

		syt_out_string(out, " in ");
		syt_out_safe(out, syt_symbol_function(v->symbols, image, r->stack));
	}
	syt_out_char(out, '\n');
}

static void text_finding(const struct syt_view *v, const struct syt_violation *f)
{
	const struct syt_image *image = image_of(v->order, f);
	struct syt_out *out = v->out;

	syt_out_string(out, "  ");
	if (f->object != SYT_NONE) {
		syt_view_put_object(v, out, f->object);
		syt_out_string(out, ": ");
	} else if (image)
		syt_out_printf(out, "process %" PRIu32 ": ", image->index);
	syt_out_safe(out, f->what);
	if (f->has_numbers)
		syt_out_printf(out, ": %" PRIu64 ", not %" PRIu64, f->found, f->expected);
	syt_out_char(out, '\n');
	for (unsigned i = 0; i < f->nr_at; i++)
		text_place(v, f->at[i]);
}

void syt_check_text(const struct syt_view *v, const struct syt_checked *all, unsigned nr)
{
	uint64_t nr_violations = 0;
	struct syt_out words, *out = &words;
	struct syt_view to_words = *v;

	syt_listing_all(&checks, v, all, nr, sizeof(*all), NULL);
	syt_out_char(v->out, '\n');
	syt_wrap_begin(&words, v->out);
	to_words.out = out;
	text_sums(out, all, nr);
	text_excuses(out, all, nr);
	for (unsigned i = 0; i < nr; i++) {
		const struct syt_check *c = &all[i].result;

		nr_violations += c->nr_violations;
		if (!c->nr_violations)
			continue;
		syt_out_char(out, '\n');
		syt_out_color(out, SYT_COLOR_RED);
		syt_out_printf(out, "VIOLATED: %s, %" PRIu64 " times", all[i].invariant->name,
		               c->nr_violations);
		syt_out_color(out, SYT_COLOR_NONE);
		syt_out_printf(out, "\n  Likely cause: %s\n", all[i].invariant->means);
		for (uint64_t k = 0; k < c->nr_findings; k++)
			text_finding(&to_words, &c->findings[k]);
		if (c->nr_findings < c->nr_violations)
			syt_out_printf(out, "  and %" PRIu64 " more (--limit)\n",
			               c->nr_violations - c->nr_findings);
	}
	if (nr_violations)
		syt_out_printf(out, "\n%" PRIu64 " violations\n", nr_violations);
	else
		syt_out_string(out, "\nNo violations\n");
	syt_wrap_end_facts(&words, v->out);
}

/* ---- JSON ---- */

static void json_place(struct syt_json *j, const struct syt_order *o, struct syt_place at)
{
	char id[SYT_NODE_TEXT];

	place_text(o, at, id, sizeof(id));
	syt_json_begin(j, NULL, '{');
	syt_json_string(j, at.row == SYT_NONE ? "thread" : "id", id);
	if (at.row != SYT_NONE) {
		const struct syt_row *r = syt_place_row(&o->places, at);

		syt_json_string(j, "call", syt_place_call(&o->places, at)->name);
		syt_json_u64(j, "in", SYT_TIME_NS(r->in));
		syt_json_u64(j, "out", SYT_TIME_NS(r->out));
	}
	syt_json_end(j);
}

static void json_finding(const struct syt_view *v, const struct syt_invariant *invariant,
                         const struct syt_violation *f)
{
	const struct syt_image *image = image_of(v->order, f);
	struct syt_json j = {.out = v->out};

	syt_json_begin_line(&j, "violation");
	syt_json_string(&j, "check", invariant->name);
	syt_json_string(&j, "what", f->what);
	syt_json_string(&j, "means", invariant->means);
	if (image)
		syt_json_u64(&j, "process", image->index);
	if (f->object != SYT_NONE)
		syt_column_object.json(&j, "object",
		                       &(struct syt_cell){.view = v, .field = &f->object});
	syt_json_begin(&j, SYT_KEY("events", "at_events"), '[');
	for (unsigned i = 0; i < f->nr_at; i++)
		json_place(&j, v->order, f->at[i]);
	syt_json_end(&j);
	if (f->has_numbers) {
		syt_json_u64(&j, SYT_KEY("expected", "expected_count"), f->expected);
		syt_json_u64(&j, "found", f->found);
	}
	syt_json_end_line(&j);
}

void syt_check_json(const struct syt_view *v, const struct syt_checked *all, unsigned nr)
{
	uint64_t nr_violations = 0, nr_unproven = 0;
	struct syt_json j = {.out = v->out};

	for (unsigned i = 0; i < nr; i++) {
		const struct syt_check *c = &all[i].result;

		nr_violations += c->nr_violations;
		nr_unproven += syt_check_unproven(c);
		syt_listing_one(&checks, v, &all[i], NULL);
		for (uint64_t k = 0; k < c->nr_findings; k++)
			json_finding(v, all[i].invariant, &c->findings[k]);
	}
	syt_json_begin_line(&j, "verdict");
	syt_json_bool(&j, "good", !nr_violations);
	syt_json_u64(&j, "checks", nr);
	syt_json_u64(&j, "violations", nr_violations);
	syt_json_u64(&j, SYT_KEY("unproven", "unproven_total"), nr_unproven);
	syt_json_end_line(&j);
}
