/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "settings/use.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "settings/layers.h"
#include "settings/nearest.h"

/* ---- options ---- */

/* Returns true if O is an option, and neither documentation nor an alias. */
static bool is_option(const struct argp_option *o)
{
	return o->name && !(o->flags & (OPTION_DOC | OPTION_ALIAS));
}

static void open_part(struct syt_settings_use *use, const struct argp *argp, void *input)
{
	struct syt_settings_part *p = &use->parts[use->nr_parts++];
	size_t room = 0;

	*p = (struct syt_settings_part){.use = use, .input = input, .original = *argp};
	/* points to a copy, because ARGP may be a local variable of the caller */
	p->argp = &p->original;
	for (const struct argp_option *o = argp->options;
	     o && (o->name || o->key || o->doc || o->group); o++) {
		if (!is_option(o))
			continue;
		syt_grow(&p->all, &room, p->nr + 1, sizeof(*p->all));
		p->all[p->nr++] = (struct syt_settings_choice){
			p, o, {.key = o->name, .is_shared = use->nr_parts == 1}};
	}
}

void syt_use_open(struct syt_settings_use *use, struct syt_settings *s,
                  const struct syt_settings_verb *verb, const struct argp *argp, void *input)
{
	*use = (struct syt_settings_use){.settings = s, .verb = *verb};
	open_part(use, argp, input);
	if (argp->children && argp->children->argp)
		open_part(use, argp->children->argp, NULL);
}

void syt_use_close(struct syt_settings_use *use)
{
	for (unsigned n = 0; n < use->nr_parts; n++)
		free(use->parts[n].all);
}

struct syt_settings_choice *syt_use_find(struct syt_settings_use *use, const char *name)
{
	for (unsigned n = 0; n < use->nr_parts; n++)
		for (size_t i = 0; i < use->parts[n].nr; i++)
			if (!strcmp(use->parts[n].all[i].option->name, name))
				return &use->parts[n].all[i];
	return NULL;
}

/* ---- one setting ---- */

static const char *const yes[] = {"yes", "true", "on", NULL};
static const char *const no[] = {"no", "false", "off", NULL};

static bool is_word(const char *text, const char *const *words)
{
	for (; *words; words++)
		if (!strcmp(text, *words))
			return true;
	return false;
}

/* Passes the setting X to the parser of the option. An error message of the parser is printed with the file and the
 * line of X. Returns false if a setting with higher priority excludes X. */
static bool pass_on(const struct syt_settings_choice *c, const struct syt_setting *x,
                    char *argument)
{
	const struct syt_settings_part *p = c->part;
	char *said = NULL, *place = syt_asprintf("%s:%u", x->file->path, x->line);
	size_t bytes = 0;
	FILE *err = syt_memstream(&said, &bytes);
	struct argp_state state = {
		.root_argp = p->argp,
		.flags = ARGP_NO_EXIT,
		.input = p->input,
		.hook = (void *)(uintptr_t)x,
		.name = place,
		.err_stream = err,
		.out_stream = err,
	};

	error_t error = p->argp->parser(c->option->key, argument, &state);

	fclose(err);
	free(place);
	if (bytes) {
		/* cuts off the second line of the message, "Try ... --help" */
		said[strcspn(said, "\n")] = 0;
		syt_settings_end(said);
	}
	if (error && error != ECANCELED)
		syt_settings_end_at(x, syt_asprintf("%s", strerror(error)));
	free(said);
	return !error;
}

/* Ends the program because of an unknown key, with the list of the known keys. */
static void __attribute__((noreturn))
end_unknown(struct syt_settings_use *use, const struct syt_setting *x, bool is_shared)
{
	struct syt_nearest_name nearest = {.wanted = x->key};
	size_t bytes, nr = 0;
	char *names;
	FILE *f = syt_memstream(&names, &bytes);

	for (unsigned n = 0; n < (is_shared ? 1 : use->nr_parts); n++) {
		for (size_t i = 0; i < use->parts[n].nr; i++) {
			const char *name = use->parts[n].all[i].option->name;

			fprintf(f, "%s%s", nr++ ? ", " : "", name);
			syt_nearest_try(&nearest, name);
		}
	}
	fclose(f);
	char *hint = syt_nearest_text(&nearest);
	char *why = syt_asprintf(
		"unknown key '%s' in [%s]%s (known keys: %s%s)", x->key, x->section, hint,
		nr ? names : "none",
		is_shared ? "; an option of only some verbs belongs in [decode VERB]" : "");

	free(hint);
	free(names);
	syt_settings_end_at(x, why);
}

/* Returns the option with the opposite meaning, or NULL: "no-stacks" for "stacks", and "stacks" for "no-stacks". */
static struct syt_settings_choice *opposite_of(struct syt_settings_use *use, const char *name)
{
	bool is_no = !strncmp(name, "no-", 3);
	char *opposite = syt_asprintf("%s%s", is_no ? "" : "no-", is_no ? name + 3 : name);
	struct syt_settings_choice *c = syt_use_find(use, opposite);

	free(opposite);
	return c;
}

static void note_set(struct syt_settings_choice *c, const struct syt_setting *x, const char *value)
{
	c->effective.origin = SYT_FROM_FILE;
	c->effective.setting = x;
	c->effective.value = value;
}

/* Applies the setting X of the option C without argument. "no" sets the option OPPOSITE, unless it is NULL. */
static void consider_flag(struct syt_settings_choice *c, struct syt_settings_choice *opposite,
                          const struct syt_setting *x)
{
	bool is_on = is_word(x->value, yes);
	struct syt_settings_choice *set = is_on ? c : opposite;

	if (!is_on && !is_word(x->value, no))
		syt_settings_end_at(x,
		                    syt_asprintf("%s takes yes or no, not '%s'", x->key, x->value));
	if (set && !pass_on(set, x, NULL))
		return;
	note_set(c, x, is_on ? "yes" : "no");
	if (opposite)
		note_set(opposite, x, is_on ? "no" : "yes");
}

static void consider(struct syt_settings_use *use, const struct syt_setting *x, bool is_shared)
{
	struct syt_settings_choice *c = syt_use_find(use, x->key);
	struct syt_settings_choice *opposite = opposite_of(use, x->key);

	if (!c || (is_shared && c->part != use->parts))
		end_unknown(use, x, is_shared);
	if (x->file->layer == SYT_SETTINGS_PROJECT && c->option->flags & SYT_OPTION_NOT_OF_PROJECT)
		syt_settings_end_at(
			x, syt_asprintf("a project file cannot set '%s'; set it in your user file "
		                        "instead, see syntrace.conf(5)",
		                        x->key));
	/* A source with higher priority has already set the option or its opposite. */
	if (c->effective.origin != SYT_FROM_DEFAULT ||
	    (opposite && opposite->effective.origin != SYT_FROM_DEFAULT))
		return;
	if (!c->option->arg)
		consider_flag(c, opposite, x);
	else if (pass_on(c, x, x->value))
		note_set(c, x, x->value);
}

/* ---- effective settings ---- */

const struct syt_settings_variable *syt_variable_of(const struct syt_settings *s, const char *key)
{
	for (const struct syt_settings_variable *v = s->variables; v && v->key; v++) {
		const char *value = getenv(v->name);

		if (!strcmp(v->key, key) && value && *value)
			return v;
	}
	return NULL;
}

static void heed_variables(struct syt_settings_use *use)
{
	for (unsigned n = 0; n < use->nr_parts; n++) {
		for (size_t i = 0; i < use->parts[n].nr; i++) {
			struct syt_effective *e = &use->parts[n].all[i].effective;
			const struct syt_settings_variable *v =
				syt_variable_of(use->settings, e->key);

			if (!v || e->origin != SYT_FROM_DEFAULT)
				continue;
			e->origin = SYT_FROM_VARIABLE;
			e->variable = v;
			e->value = v->value ? v->value : getenv(v->name);
		}
	}
}

static void heed_section(struct syt_settings_use *use, const struct syt_settings_file *f,
                         const char *section, bool is_shared)
{
	for (size_t i = f->nr; section && i--;)
		if (!strcmp(f->all[i].section, section))
			consider(use, &f->all[i], is_shared);
}

/* Reads the sources of settings in decreasing order of priority, so the first of several exclusive options
 * is valid. */
void syt_use_settle(struct syt_settings_use *use)
{
	struct syt_settings *s = use->settings;

	if (use->is_settled || !s)
		return;
	use->is_settled = true;
	syt_settings_open(s);
	heed_variables(use);
	for (unsigned n = s->nr_files; n--;) {
		heed_section(use, &s->files[n], use->verb.own, false);
		heed_section(use, &s->files[n], use->verb.shared, true);
	}
}

/* ---- argp ---- */

static void note_given(struct syt_settings_part *p, int key, const char *argument)
{
	for (size_t i = 0; i < p->nr; i++) {
		if (p->all[i].option->key != key)
			continue;
		p->all[i].effective.origin = SYT_FROM_COMMAND_LINE;
		p->all[i].effective.value = argument ? argument : "yes";
	}
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct syt_settings_part *p = state->input;
	error_t error = ARGP_ERR_UNKNOWN;

	if (key == ARGP_KEY_END)
		syt_use_settle(p->use);
	else
		note_given(p, key, argument);
	state->input = p->input;
	if (p->argp->parser)
		error = p->argp->parser(key, argument, state);
	state->input = p;
	if (key == ARGP_KEY_INIT && p == p->use->parts && p->use->nr_parts > 1) {
		p->use->parts[1].input = state->child_inputs[0];
		state->child_inputs[0] = &p->use->parts[1];
		error = 0;
	}
	return error;
}

static char *filter(int key, const char *text, void *input)
{
	const struct syt_settings_part *p = input;

	if (!p || !p->argp->help_filter)
		return (char *)(uintptr_t)text;
	return p->argp->help_filter(key, text, p->input);
}

static void wrap(struct syt_settings_part *p)
{
	p->wrapped = *p->argp;
	p->wrapped.parser = parse;
	p->wrapped.help_filter = filter;
}

void syt_settings_parse(struct syt_settings *s, const struct syt_settings_verb *verb,
                        const struct argp *argp, int argc, char **argv, unsigned flags, void *input)
{
	struct syt_settings_use *use;

	if (!s) {
		argp_parse(argp, argc, argv, flags, NULL, input);
		return;
	}
	use = s->use = syt_alloc(sizeof(*use), 1);
	syt_use_open(use, s, verb, argp, input);
	for (unsigned n = 0; n < use->nr_parts; n++)
		wrap(&use->parts[n]);
	if (use->nr_parts > 1) {
		use->children[0] = *argp->children;
		use->children[0].argp = &use->parts[1].wrapped;
	}
	use->children[use->nr_parts - 1] = (struct argp_child){&syt_help_argp, 0, NULL, 0};
	use->parts[0].wrapped.children = use->children;
	syt_use_check_names(use, argc, argv, flags);
	argp_parse(&use->parts[0].wrapped, argc, argv, flags | ARGP_NO_HELP, NULL, &use->parts[0]);
}

void syt_settings_close(struct syt_settings *s)
{
	for (unsigned n = 0; n < s->nr_files; n++)
		syt_settings_file_close(&s->files[n]);
	s->nr_files = 0;
	if (s->use)
		syt_use_close(s->use);
	free(s->use);
	s->use = NULL;
}

const struct syt_setting *syt_settings_source(const struct argp_state *state)
{
	return state->hook;
}
