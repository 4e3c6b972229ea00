/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The options of a verb, from its command line and from configuration files. */
#ifndef SYT_TOOL_OPTIONS_H
#define SYT_TOOL_OPTIONS_H

#include <argp.h>

#include "settings/settings.h"
#include "tool/verbs.h"

/* Does the same as argp_parse(), and also reads configuration files.  VERB: name of the verb, and its section in
 * the files.  USAGE: the exit status for wrong usage or a wrong file. */
void syt_options_parse(const char *verb, const struct argp *argp, int argc, char **argv,
                       unsigned flags, int usage, void *options);

/* Calls EACH for the options of VERB, with the values they have without a command line.  NAME: its name. */
void syt_options_show(const char *name, const struct syt_launcher_verb *verb,
                      syt_settings_shown *shown, void *context);

#endif
