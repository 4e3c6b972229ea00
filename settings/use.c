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

bool syt_is_option(const struct argp_option *o)
{
	return o->name && !(o->flags & (OPTION_DOC | OPTION_ALIAS));
}

static size_t nr_options(const struct argp *argp)
{
	const struct argp_option *o = argp->options;
	size_t nr = 0;

	while (o && (o[nr].name || o[nr].key || o[nr].doc || o[nr].group))
		nr++;
	return nr;
}

static void open_part(struct syt_settings_use *use, const struct argp *argp, void *input)
{
	struct syt_settings_part *p = &use->parts[use->nr_parts++];

	*p = (struct syt_settings_part){
		.use = use, .input = input, .original = *argp, .nr = nr_options(argp)};
	p->argp = &p->original; /* a copy, because ARGP may be a local variable of the caller */
	p->all = syt_calloc(p->nr + 1, sizeof(*p->all));
	for (size_t i = 0; i < p->nr; i++)
		p->all[i] = (struct syt_effective){.key = argp->options[i].name,
		                                   .is_shared = use->nr_parts == 1};
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

bool syt_use_find(struct syt_settings_use *use, const char *name, struct syt_settings_part **part,
                  size_t *i)
{
	for (unsigned n = 0; n < use->nr_parts; n++) {
		*part = &use->parts[n];
		for (*i = 0; *i < (*part)->nr; ++*i)
			if (syt_is_option(&(*part)->argp->options[*i]) &&
			    !strcmp((*part)->argp->options[*i].name, name))
				return true;
	}
	return false;
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
static bool hand_over(struct syt_settings_part *p, const struct argp_option *o,
                      const struct syt_setting *x, char *argument)
{
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

	error_t error = p->argp->parser(o->key, argument, &state);

	fclose(err);
	free(place);
	if (bytes) {
		said[strcspn(said, "\n")] = 0; /* without the next line, "Try ... --help" */
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
			const struct argp_option *o = &use->parts[n].argp->options[i];

			if (!syt_is_option(o))
				continue;
			fprintf(f, "%s%s", nr++ ? ", " : "", o->name);
			syt_nearest_try(&nearest, o->name);
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

/* Finds the option with the opposite meaning: "no-stacks" for "stacks", and "stacks" for "no-stacks". */
static bool find_opposite(struct syt_settings_use *use, const char *name,
                          struct syt_settings_part **part, size_t *i)
{
	bool is_no = !strncmp(name, "no-", 3), is_there;
	char *opposite = syt_asprintf("%s%s", is_no ? "" : "no-", is_no ? name + 3 : name);

	is_there = syt_use_find(use, opposite, part, i);
	free(opposite);
	return is_there;
}

/* Returns true if a source with higher priority has set the option NAME or its opposite. */
static bool is_decided(struct syt_settings_use *use, const char *name)
{
	struct syt_settings_part *part;
	size_t i;

	return (syt_use_find(use, name, &part, &i) && part->all[i].origin != SYT_FROM_DEFAULT) ||
	       (find_opposite(use, name, &part, &i) && part->all[i].origin != SYT_FROM_DEFAULT);
}

static void note_set(struct syt_effective *e, const struct syt_setting *x, const char *value)
{
	e->origin = SYT_FROM_FILE;
	e->setting = x;
	e->value = value;
}

/* Applies the setting X of an option without argument. "no" sets the opposite option if there is one. */
static void consider_flag(struct syt_settings_use *use, struct syt_settings_part *part, size_t i,
                          const struct syt_setting *x)
{
	struct syt_settings_part *other = NULL;
	size_t k;
	bool is_on = is_word(x->value, yes);

	if (!is_on && !is_word(x->value, no))
		syt_settings_end_at(x,
		                    syt_asprintf("%s takes yes or no, not '%s'", x->key, x->value));
	if (!find_opposite(use, x->key, &other, &k))
		other = NULL;
	if (is_on && !hand_over(part, &part->argp->options[i], x, NULL))
		return;
	if (!is_on && other && !hand_over(other, &other->argp->options[k], x, NULL))
		return;
	note_set(&part->all[i], x, is_on ? "yes" : "no");
	if (other)
		note_set(&other->all[k], x, is_on ? "no" : "yes");
}

static void consider(struct syt_settings_use *use, const struct syt_setting *x, bool is_shared)
{
	struct syt_settings_part *part;
	size_t i;

	if (!syt_use_find(use, x->key, &part, &i) || (is_shared && part != use->parts))
		end_unknown(use, x, is_shared);
	const struct argp_option *o = &part->argp->options[i];

	if (x->file->layer == SYT_SETTINGS_PROJECT && o->flags & SYT_OPTION_NOT_OF_PROJECT)
		syt_settings_end_at(
			x, syt_asprintf("a project file cannot set '%s'; set it in your user file "
		                        "instead, see syntrace.conf(5)",
		                        x->key));
	if (is_decided(use, x->key))
		return;
	if (!o->arg)
		consider_flag(use, part, i, x);
	else if (hand_over(part, o, x, x->value))
		note_set(&part->all[i], x, x->value);
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
			struct syt_effective *e = &use->parts[n].all[i];
			const struct syt_settings_variable *v =
				e->key && e->origin == SYT_FROM_DEFAULT
					? syt_variable_of(use->settings, e->key)
					: NULL;

			if (!v)
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

/* Reads the sources in the order of priority, so the first of several exclusive options is valid. */
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
		if (p->argp->options[i].key != key || !syt_is_option(&p->argp->options[i]))
			continue;
		p->all[i].origin = SYT_FROM_COMMAND_LINE;
		p->all[i].value = argument ? argument : "yes";
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
		use->parts[0].wrapped.children = use->children;
	}
	argp_parse(&use->parts[0].wrapped, argc, argv, flags, NULL, &use->parts[0]);
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
