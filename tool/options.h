/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The options of a verb, from its command line and from configuration files. */
#ifndef SYT_TOOL_OPTIONS_H
#define SYT_TOOL_OPTIONS_H

#include <argp.h>

#include "settings/settings.h"
#include "tool/verbs.h"

/* As argp_parse(); VERB is its name and its section in configuration files, USAGE the exit status of wrong
 * usage, of a wrong file, too. */
void syt_options_parse(const char *verb, const struct argp *argp, int argc, char **argv,
                       unsigned flags, int usage, void *options);

/* Tells what would hold for VERB, whose name is NAME, without a command line. */
void syt_options_show(const char *name, const struct syt_launcher_verb *verb,
                      syt_settings_shown *shown, void *context);

#endif
