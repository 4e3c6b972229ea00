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

bool syt_query_equals(struct syt_fleet_query *q, const char *key, const char *value)
{
	if (q->nr_wheres == SYT_QUERY_WHERES)
		return false;
	q->keys[q->nr_wheres] = key;
	q->values[q->nr_wheres++] = value;
	return true;
}

bool syt_query_where(struct syt_fleet_query *q, const char *text)
{
	const char *equals = strchr(text, '=');
	const char *key = equals ? syt_query_dimension(text, (size_t)(equals - text)) : NULL;

	return key && syt_query_equals(q, key, equals + 1);
}

bool syt_query_is_by(const char *text)
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

bool syt_query_time(const char *text, int64_t *ns)
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
