/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The options of a verb, from its command line and from configuration files. */
#ifndef SYT_TOOL_OPTIONS_H
#define SYT_TOOL_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "settings/settings.h"
#include "tool/verbs.h"

/* Parses the command line of the verb ROW and the configuration files, and runs the verb. Returns the result of the
 * verb. */
int syt_verb_run(const struct syt_verb_row *row, int argc, char **argv);

/* Calls SHOWN for each option of the verb ROW with the value that the option has without a command line. */
void syt_options_show(const struct syt_verb_row *row, syt_settings_shown *shown, void *context);

/* The functions syt_parse_*() return false if TEXT is not a valid value. */

/* Parses a number of bytes with an optional K, M, G or T (powers of 1024), as the recorder does. */
bool syt_parse_size(const char *text, uint64_t *bytes);
/* Parses a decimal number from LEAST to MOST. */
bool syt_parse_number(const char *text, double least, double most, double *number);
/* Parses a whole number from 1 to MOST. */
bool syt_parse_count(const char *text, unsigned long most, unsigned long *count);

/* Parses the argument of --format. Ends the program if the format is unknown. Returns true for jsonl. */
bool syt_parse_format(const struct argp_state *state, const char *text);

#endif
