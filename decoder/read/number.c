/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/read/number.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/err.h"

#define SPAN_MIN_NS UINT64_C(1000)
#define SPAN_MAX_NS (UINT64_C(86400) * 1000000000)

/* Reads the digits at *P. Returns false on overflow or if there is no digit. */
static bool digits(const char **p, uint64_t *v)
{
	const char *start = *p;

	for (*v = 0; isdigit((unsigned char)**p); ++*p)
		if (__builtin_mul_overflow(*v, 10u, v) ||
		    __builtin_add_overflow(*v, (unsigned)(**p - '0'), v))
			return false;
	return *p > start;
}

bool syt_number_parse(const char *text, uint64_t *v)
{
	return digits(&text, v) && !*text;
}

bool syt_size_parse(const char *text, uint64_t *bytes)
{
	static const char units[] = "KMGT";
	const char *unit;

	if (!digits(&text, bytes))
		return false;
	if (!*text)
		return true;
	unit = strchr(units, *text);
	return unit && !text[1] &&
	       !__builtin_mul_overflow(*bytes, UINT64_C(1024) << 10 * (unit - units), bytes);
}

static uint64_t unit_ns(const char *unit, bool has_point)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}, {"m", 60000000000}};

	if (!*unit)
		return has_point ? 1000000000 : 1;
	for (unsigned n = 0; n < sizeof(units) / sizeof(units[0]); n++)
		if (strcmp(unit, units[n].name) == 0)
			return units[n].ns;
	return 0;
}

/* Reads a date and a time of day in UTC, "2026-11-22T13:05:49", from *P, and stores the ns since 1970. */
static bool date(const char **p, uint64_t *ns)
{
	struct tm tm = {0};
	const char *end = strptime(*p, "%Y-%m-%dT%H:%M:%S", &tm);
	time_t s = end ? timegm(&tm) : -1;

	*p = end;
	return s >= 0 && !__builtin_mul_overflow((uint64_t)s, UINT64_C(1000000000), ns);
}

bool syt_moment_parse(const char *text, struct syt_moment *m)
{
	uint64_t whole, part = 0, scale = 1;

	*m = (struct syt_moment){.is_set = true, .is_relative = *text == '+'};
	text += m->is_relative;
	m->is_wall_clock = !m->is_relative && strchr(text, 'T');
	if (!(m->is_wall_clock ? date(&text, &m->ns) : digits(&text, &whole)))
		return false;
	bool has_point = *text == '.';

	if (has_point) {
		/* reads nine decimals; further decimals are below a nanosecond */
		for (text++; isdigit((unsigned char)*text); text++) {
			if (scale == 1000000000)
				continue;
			part = part * 10 + (unsigned)(*text - '0');
			scale *= 10;
		}
	}
	if (m->is_wall_clock)
		return !strcmp(text, "Z") &&
		       !__builtin_add_overflow(m->ns, part * (1000000000 / scale), &m->ns);
	uint64_t unit = unit_ns(text, has_point);

	if (!unit || __builtin_mul_overflow(whole, unit, &m->ns))
		return false;
	m->ns += part * unit / scale;
	return true;
}

syt_time syt_moment_time(const struct syt_moment *m, const struct syt_trace_data *trace,
                         syt_time otherwise)
{
	uint64_t ns = m->ns;

	if (!m->is_set)
		return otherwise;
	if (m->is_wall_clock && __builtin_sub_overflow(ns, trace->wall_offset_ns, &ns))
		return 0;
	if (m->is_relative && __builtin_add_overflow(ns, SYT_TIME_NS(trace->begin), &ns))
		return UINT64_MAX;
	return ns > UINT64_MAX >> SYT_TIME_SHIFT ? UINT64_MAX : ns << SYT_TIME_SHIFT;
}

bool syt_span_parse(const char *text, size_t bytes, uint64_t *ns)
{
	char *copy = syt_strndup(text, bytes);
	size_t unit = strspn(copy, "0123456789.");
	struct syt_moment m;
	bool is_span = *copy != '.' &&
	               (!strcmp(copy + unit, "us") || !strcmp(copy + unit, "ms") ||
	                !strcmp(copy + unit, "s") || !strcmp(copy + unit, "m")) &&
	               syt_moment_parse(copy, &m) && m.ns >= SPAN_MIN_NS && m.ns <= SPAN_MAX_NS;

	free(copy);
	*ns = is_span ? m.ns : 0;
	return is_span;
}
