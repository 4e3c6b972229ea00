/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#define _GNU_SOURCE
#include "tool/agent_policy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

#include "base/err.h"
#include "tool/options.h"

/* Parses one line. Returns false if the line is wrong. */
static bool parse(struct syt_policy *p, char *line)
{
	char *value = strchr(line, ' ');
	double seed;

	if (!*line || *line == '#')
		return true;
	if (!strcmp(line, "stop"))
		return p->is_stopped = true;
	if (!value)
		return false;
	*value++ = 0;
	if (!strcmp(line, "p_host"))
		return syt_parse_number(value, 1e-9, 1, &p->p_host);
	if (!strcmp(line, "period"))
		return syt_parse_number(value, 1, 86400, &p->period_s);
	if (!strcmp(line, "length"))
		return syt_parse_number(value, 0.001, 60, &p->length_s);
	if (!strcmp(line, "budget"))
		return syt_parse_number(value, 1e-9, 1e6, &p->budget);
	if (!strcmp(line, "seed")) {
		bool is_number = syt_parse_number(value, 0, 1e15, &seed);

		p->seed = is_number ? (uint64_t)seed : 0;
		return is_number;
	}
	if (!strcmp(line, "stop")) {
		*SYT_ADD(p->stops, p->nr_stops, p->room) = syt_asprintf("%s", value);
		return true;
	}
	return true; /* a key of a later version */
}

bool syt_policy_read(struct syt_policy *p, const char *path, int64_t now_s, bool is_quiet)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;
	struct stat st;
	bool is_valid = true;
	ssize_t n;

	*p = (struct syt_policy){.p_host = 0.01, .period_s = 3600, .length_s = 2, .budget = 0.001};
	if (!f)
		return false;
	is_valid = !fstat(fileno(f), &st) && now_s - st.st_mtime <= SYT_POLICY_AGE_S;
	while (is_valid && (n = getline(&line, &room, f)) > 0) {
		line[n - (line[n - 1] == '\n')] = 0;
		is_valid = parse(p, line);
		if (!is_valid && !is_quiet)
			syt_warn("%s: wrong line that begins with '%s': no windows", path, line);
	}
	free(line);
	fclose(f);
	return is_valid;
}

void syt_policy_clear(struct syt_policy *p)
{
	for (size_t n = 0; n < p->nr_stops; n++)
		free(p->stops[n]);
	free(p->stops);
	p->stops = NULL;
	p->nr_stops = p->room = 0;
}

bool syt_policy_stops(const struct syt_policy *p, const char *service, const char *version)
{
	size_t bytes = strlen(service);

	for (size_t n = 0; n < p->nr_stops; n++)
		if (!strncmp(p->stops[n], service, bytes) && p->stops[n][bytes] == ' ' &&
		    !strcmp(p->stops[n] + bytes + 1, version))
			return true;
	return p->is_stopped;
}

bool syt_policy_chooses(const struct syt_policy *p, const char *host, const char *service,
                        uint64_t slot, double *at_s)
{
	char *text = syt_asprintf("%s %s %llu", host, service, (unsigned long long)slot);
	double u = (double)(XXH3_64bits_withSeed(text, strlen(text), p->seed) >> 11) / 0x1p53;

	free(text);
	/* among the chosen slots, u is uniform in [0, p_host) */
	*at_s = u / p->p_host * p->period_s;
	return u < p->p_host;
}
