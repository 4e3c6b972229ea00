/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* What holds for a verb: between the files of this room. */
#ifndef SYT_SETTINGS_USE_H
#define SYT_SETTINGS_USE_H

#include "settings/settings.h"

#define SYT_SETTINGS_PARTS 2u /* the outer argp and its child */

/* An argp, and what holds for each of its options. */
struct syt_settings_part {
	struct syt_settings_use *use;
	const struct argp *argp;
	void *input;
	struct argp original, wrapped; /* argp is the original */
	size_t nr;
	struct syt_effective *all; /* all[i]: argp->options[i] */
};

struct syt_settings_use {
	struct syt_settings *settings;
	struct syt_settings_verb verb;
	bool is_settled;
	unsigned nr_parts;
	struct syt_settings_part parts[SYT_SETTINGS_PARTS];
	struct argp_child children[SYT_SETTINGS_PARTS]; /* of the wrapped outer argp */
};

void syt_use_open(struct syt_settings_use *use, struct syt_settings *s,
                  const struct syt_settings_verb *verb, const struct argp *argp, void *input);
void syt_use_close(struct syt_settings_use *use);
/* Reads the files, unless that has been done, and hands the settings to the parsers. Once. */
void syt_use_settle(struct syt_settings_use *use);

bool syt_use_find(struct syt_settings_use *use, const char *name, struct syt_settings_part **part,
                  size_t *i);
bool syt_is_option(const struct argp_option *o);
/* The variable of the option KEY that is set, or NULL. */
const struct syt_settings_variable *syt_variable_of(const struct syt_settings *s, const char *key);

#endif
