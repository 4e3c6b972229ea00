/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Values of options that several verbs have. A wrong one ends the program, with what is right. */
#ifndef SYT_DECODER_COMMAND_VALUES_H
#define SYT_DECODER_COMMAND_VALUES_H

#include <argp.h>
#include <stdint.h>

/* --limit: a number from 1 on. */
uint64_t syt_value_limit(const char *arg, struct argp_state *state);

/* --least: a percentage from 0 to 100; returns thousandths. */
unsigned syt_value_least(const char *arg, struct argp_state *state);

#endif
