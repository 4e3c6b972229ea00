/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

#include "settings/use.h"

const char *syt_settings_origin_text(enum syt_settings_origin origin)
{
	static const char *const texts[] = {
		[SYT_FROM_DEFAULT] = "default",
		[SYT_FROM_FILE] = "file",
		[SYT_FROM_VARIABLE] = "environment",
		[SYT_FROM_COMMAND_LINE] = "command line",
	};

	return texts[origin];
}

#define STANDARD "(default: "

/* Returns the text between "(default: " and ")" in the help of C, or NULL. The caller frees the text. */
static char *standard_of(const struct syt_settings_choice *c)
{
	const struct syt_settings_part *p = c->part;
	const struct argp_option *o = c->option;
	char *help = p->argp->help_filter ? p->argp->help_filter(o->key, o->doc, p->input)
	                                  : (char *)(uintptr_t)o->doc;
	const char *from = help ? strstr(help, STANDARD) : NULL, *to = from;
	char *text = NULL;

	if (from) {
		from += sizeof(STANDARD) - 1;
		to = from + strcspn(from, ")");
		text = syt_strndup(from, (size_t)(to - from));
	} else if (!o->arg) {
		text = syt_asprintf("no");
	}
	if (help != o->doc)
		free(help);
	return text;
}

static void show_option(const struct syt_settings_choice *c, syt_settings_shown *shown,
                        void *context)
{
	struct syt_effective e = c->effective;
	char *standard = e.origin == SYT_FROM_DEFAULT ? standard_of(c) : NULL;

	if (standard)
		e.value = standard;
	shown(context, &e);
	free(standard);
}

/* Calls SHOWN for the environment variables that correspond to no option. */
static void show_variables(struct syt_settings_use *use, syt_settings_shown *shown, void *context)
{
	const struct syt_settings *s = use->settings;

	for (const struct syt_settings_variable *v = s->variables; v && v->key; v++) {
		if (!v->standard || syt_use_find(use, v->key) ||
		    (v != s->variables && !strcmp(v->key, v[-1].key)))
			continue;
		const struct syt_settings_variable *set = syt_variable_of(s, v->key);

		shown(context,
		      &(struct syt_effective){.key = v->key,
		                              .is_shared = true,
		                              .value = set ? getenv(set->name) : v->standard,
		                              .origin = set ? SYT_FROM_VARIABLE : SYT_FROM_DEFAULT,
		                              .variable = set});
	}
}

static void show(struct syt_settings_use *use, syt_settings_shown *shown, void *context)
{
	for (unsigned n = 0; n < use->nr_parts; n++) {
		for (size_t i = 0; i < use->parts[n].nr; i++)
			show_option(&use->parts[n].all[i], shown, context);
		if (!n)
			show_variables(use, shown, context);
	}
}

void syt_settings_show(const struct syt_settings *s, syt_settings_shown *shown, void *context)
{
	show(s->use, shown, context);
}

void syt_settings_show_verb(struct syt_settings *s, const struct syt_settings_verb *verb,
                            const struct argp *argp, void *input, void *child_input,
                            syt_settings_shown *shown, void *context)
{
	struct syt_settings_use use;

	syt_use_open(&use, s, verb, argp, input);
	use.parts[1].input = child_input;
	for (unsigned n = 0; n < use.nr_parts; n++) {
		void *child = NULL;
		struct argp_state state = {
			.root_argp = argp, .input = use.parts[n].input, .child_inputs = &child};

		if (use.parts[n].argp->parser)
			use.parts[n].argp->parser(ARGP_KEY_INIT, NULL, &state);
	}
	syt_use_settle(&use);
	show(&use, shown, context);
	syt_use_close(&use);
}
