/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "settings/layers.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "settings/nearest.h"

void syt_settings_end(char *message)
{
	syt_warn_bytes(message);
	free(message);
	exit(argp_err_exit_status);
}

void syt_settings_end_at(const struct syt_setting *x, char *why)
{
	char *message = syt_asprintf("%s:%u: %s", x->file->path, x->line, why);

	free(why);
	syt_settings_end(message);
}

static char *user_path(void)
{
	const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (xdg && *xdg == '/')
		return syt_asprintf("%s/syntrace/config", xdg);
	return home && *home ? syt_asprintf("%s/.config/syntrace/config", home) : NULL;
}

static void open_file(struct syt_settings *s, enum syt_settings_layer layer, char *path)
{
	struct syt_settings_file *f = &s->files[s->nr_files];

	if (!path)
		return;
	syt_settings_file_open(f, layer, path);
	s->nr_files++;
	if (f->state == SYT_SETTINGS_WRONG)
		syt_settings_end(syt_asprintf("%s", f->problem));
	if (f->state == SYT_SETTINGS_REFUSED)
		syt_warn_bytes(f->problem);
}

static bool is_launcher_verb(const char *name, struct syt_nearest_name *nearest)
{
	static const char *const verbs[] = {
#define VERB(name_, what_) #name_,
#include "settings/launcher-verbs.def"
#undef VERB
	};
	bool is_one = false;

	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++) {
		is_one |= !strcmp(verbs[i], name);
		syt_nearest_try(nearest, verbs[i]);
	}
	return is_one;
}

#define DECODE "decode"
#define DECODE_BYTES (sizeof(DECODE) - 1)

static bool is_decode_section(const struct syt_settings *s, const char *name,
                              struct syt_nearest_name *nearest)
{
	syt_nearest_try(nearest, DECODE);
	if (strncmp(name, DECODE, DECODE_BYTES) ||
	    (name[DECODE_BYTES] && name[DECODE_BYTES] != ' '))
		return false;
	if (!name[DECODE_BYTES] || !s->decode_verbs)
		return true;
	*nearest = (struct syt_nearest_name){.wanted = name + DECODE_BYTES + 1};
	for (const char *const *v = s->decode_verbs; *v; v++) {
		if (!strcmp(*v, nearest->wanted))
			return true;
		syt_nearest_try(nearest, *v);
	}
	return false;
}

static void check_section(const struct syt_settings *s, const struct syt_setting *x)
{
	struct syt_nearest_name nearest = {.wanted = x->section};

	if (is_launcher_verb(x->section, &nearest) || is_decode_section(s, x->section, &nearest))
		return;
	char *hint = syt_nearest_text(&nearest);
	char *why = syt_asprintf("unknown section [%s]%s (sections are [VERB] for a verb of "
	                         "syntrace such as [record], [decode] and [decode VERB])",
	                         x->section, hint);

	free(hint);
	syt_settings_end_at(x, why);
}

void syt_settings_open(struct syt_settings *s)
{
	const char *named = getenv(SYT_SETTINGS_VARIABLE);

	if (s->is_open)
		return;
	s->is_open = true;
	if (named && *named) {
		open_file(s, SYT_SETTINGS_NAMED, syt_asprintf("%s", named));
	} else if (!named) {
		open_file(s, SYT_SETTINGS_SYSTEM,
		          syt_asprintf("%s", SYT_SYSCONFDIR "/syntrace.conf"));
		open_file(s, SYT_SETTINGS_USER, user_path());
		open_file(s, SYT_SETTINGS_PROJECT, syt_asprintf("%s", ".syntrace.conf"));
	}
	for (unsigned n = 0; n < s->nr_files; n++)
		for (size_t i = 0; i < s->files[n].nr; i++)
			check_section(s, &s->files[n].all[i]);
}
