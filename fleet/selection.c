/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "fleet/selection.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST_BY 6u

static const char *const dimensions[] = {"day",  "host",  "service", "version", "build", "event",
                                         "what", "class", "reason",  "charged", "call"};

const char *syt_query_dimension(const char *text, size_t bytes)
{
	for (size_t n = 0; n < sizeof(dimensions) / sizeof(dimensions[0]); n++)
		if (strlen(dimensions[n]) == bytes && !memcmp(dimensions[n], text, bytes))
			return dimensions[n];
	return NULL;
}

static bool equals(struct syt_fleet_query *q, const char *key, const char *value)
{
	if (q->nr_wheres == SYT_QUERY_WHERES)
		return false;
	q->keys[q->nr_wheres] = key;
	q->values[q->nr_wheres++] = value;
	return true;
}

/* Adds the condition TEXT, KEY=VALUE. Returns false if KEY is no dimension, or there are too many conditions. */
static bool where(struct syt_fleet_query *q, const char *text)
{
	const char *end = strchr(text, '=');
	const char *key = end ? syt_query_dimension(text, (size_t)(end - text)) : NULL;

	return key && equals(q, key, end + 1);
}

/* Returns true if TEXT is a list of dimensions. */
static bool is_by(const char *text)
{
	unsigned nr = 0;

	for (const char *p = text;; p++) {
		size_t bytes = strcspn(p, ",");

		if (!syt_query_dimension(p, bytes) || ++nr > MOST_BY)
			return false;
		p += bytes;
		if (!*p)
			return true;
	}
}

/* Parses "2026-11-24", "2026-11-24T13:05:49" (UTC) or nanoseconds since 1970. */
static bool parse_time(const char *text, int64_t *ns)
{
	struct tm tm = {0};
	const char *end = strptime(text, "%Y-%m-%d", &tm);
	char *rest;

	if (end && *end == 'T')
		end = strptime(end + 1, "%H:%M:%S", &tm);
	if (end && (!*end || !strcmp(end, "Z"))) {
		*ns = (int64_t)timegm(&tm) * 1000000000;
		return *ns >= 0;
	}
	*ns = strtoll(text, &rest, 10);
	return rest != text && !*rest && *ns >= 0;
}

static bool parse_limit(const char *text, uint64_t *limit)
{
	char *end;

	*limit = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && *limit;
}

const char *syt_query_set(struct syt_fleet_query *q, const char *option, const char *value)
{
	if (!strcmp(option, "by")) {
		q->by = value;
		return is_by(value) ? NULL : "takes dimensions: " SYT_QUERY_DIMENSIONS;
	}
	if (!strcmp(option, "where"))
		return where(q, value) ? NULL
		                       : "takes up to 16 DIMENSION=VALUE: " SYT_QUERY_DIMENSIONS;
	if (!strcmp(option, "service"))
		return equals(q, "service", value) ? NULL : "is one condition too many";
	if (!strcmp(option, "from") || !strcmp(option, "to"))
		return parse_time(value, *option == 'f' ? &q->from : &q->to)
		               ? NULL
		               : "takes a time: 2026-11-24, 2026-11-24T13:05:00 (UTC), or ns since "
		                 "1970";
	if (!strcmp(option, "limit"))
		return parse_limit(value, &q->limit) ? NULL : "takes a number from 1 on";
	if (!strcmp(option, "against"))
		q->against = value;
	else if (!strcmp(option, "version"))
		q->version = value;
	else
		return "is no option of a query";
	return NULL;
}

const char *syt_query_finish(struct syt_fleet_query *q)
{
	bool is_versions = !strcmp(q->question, "versions");

	if (is_versions != (q->against && q->version) ||
	    (!is_versions && (q->against || q->version)))
		return "the question versions, and no other, needs 'against' and 'version'";
	if (q->by && strcmp(q->question, "locks") != 0 && strcmp(q->question, "waits") != 0)
		return "only the questions locks and waits take 'by'";
	if (!strcmp(q->question, "lines") && !q->symbols)
		return "the question lines needs the symbols of the programs: use --symbols=DIR";
	q->to = q->to ? q->to : INT64_MAX;
	return NULL;
}

/* Returns true if Q has a condition on KEY. */
static bool selects(const struct syt_fleet_query *q, const char *key)
{
	for (unsigned n = 0; n < q->nr_wheres; n++)
		if (!strcmp(q->keys[n], key))
			return true;
	return false;
}

const char *syt_query_waits(const struct syt_fleet_query *q)
{
	return selects(q, "class") ? "event = 'wait'" : "event = 'wait' AND class <> 'idle'";
}

bool syt_query_is_of_window(const char *key)
{
	return !strcmp(key, "day") || !strcmp(key, "host") || !strcmp(key, "service") ||
	       !strcmp(key, "version") || !strcmp(key, "build");
}
