/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/command/values.h"

#include <stdlib.h>

#include "decoder/read/number.h"

uint64_t syt_value_limit(const char *arg, struct argp_state *state)
{
	uint64_t limit;

	if (!syt_number_parse(arg, &limit) || !limit)
		argp_error(state, "--limit takes a number from 1 on, not '%s'", arg);
	return limit;
}

unsigned syt_value_least(const char *arg, struct argp_state *state)
{
	char *end;
	double percent = strtod(arg, &end);

	if (end == arg || *end || !(percent >= 0 && percent <= 100))
		argp_error(state, "--least takes a percentage from 0 to 100, not '%s'", arg);
	return (unsigned)(percent * 10);
}
