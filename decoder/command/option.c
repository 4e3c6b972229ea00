/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/command/option.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "decoder/read/number.h"

unsigned syt_word_find(const char *const *words, unsigned nr, const char *arg)
{
	unsigned n = 0;

	while (n < nr && strcmp(words[n], arg) != 0)
		n++;
	return n;
}

void syt_parse_true(void *field, const char *name, const char *arg, struct argp_state *state)
{
	(void)name, (void)arg, (void)state;
	*(bool *)field = true;
}

void syt_parse_false(void *field, const char *name, const char *arg, struct argp_state *state)
{
	(void)name, (void)arg, (void)state;
	*(bool *)field = false;
}

void syt_parse_text(void *field, const char *name, const char *arg, struct argp_state *state)
{
	(void)name, (void)state;
	*(const char **)field = arg;
}

void syt_parse_word(void *field, const char *name, const char *arg, struct argp_state *state)
{
	if (!*arg)
		argp_error(state, "--%s takes a value that is not empty", name);
	*(const char **)field = arg;
}

void syt_parse_number(void *field, const char *name, const char *arg, struct argp_state *state)
{
	struct syt_option_number *n = field;

	n->is_given = true;
	if (!syt_number_parse(arg, &n->value))
		argp_error(state, "--%s takes a number, not '%s'", name, arg);
}

void syt_parse_limit(void *field, const char *name, const char *arg, struct argp_state *state)
{
	uint64_t *limit = field;

	if (!syt_number_parse(arg, limit) || !*limit)
		argp_error(state, "--%s takes a number of at least 1, not '%s'", name, arg);
}

void syt_parse_least(void *field, const char *name, const char *arg, struct argp_state *state)
{
	char *end;
	double percent = strtod(arg, &end);

	if (end == arg || *end || !(percent >= 0 && percent <= 100))
		argp_error(state, "--%s takes a percentage from 0 to 100, not '%s'", name, arg);
	else
		*(unsigned *)field = (unsigned)(percent * 10);
}

void syt_parse_moment(void *field, const char *name, const char *arg, struct argp_state *state)
{
	if (!syt_moment_parse(arg, field))
		argp_error(state, "--%s takes a time, not '%s': " SYT_MOMENT_HELP, name, arg);
}

void syt_parse_list(void *field, const char *name, const char *arg, struct argp_state *state)
{
	struct syt_option_list *l = field;

	(void)name, (void)state;
	*SYT_ADD(l->items, l->nr, l->room) = arg;
}

/* Returns true if ARG is a pattern for ids: it contains only digits, dots and the wildcards * and ?. */
static bool is_pattern(const char *arg)
{
	return *arg && !arg[strspn(arg, "0123456789.*?")];
}

void syt_parse_number_list(void *field, const char *name, const char *arg, struct argp_state *state)
{
	if (!is_pattern(arg))
		argp_error(state, "--%s takes a number, not '%s'", name, arg);
	syt_parse_list(field, name, arg, state);
}

void syt_parse_thread_list(void *field, const char *name, const char *arg, struct argp_state *state)
{
	if (!is_pattern(arg))
		argp_error(state, "--%s takes P.T or a thread id, not '%s'", name, arg);
	syt_parse_list(field, name, arg, state);
}

bool syt_list_matches(const struct syt_option_list *l, const char *text)
{
	for (size_t n = 0; n < l->nr; n++)
		if (fnmatch(l->items[n], text, 0) == 0)
			return true;
	return !l->nr;
}

bool syt_list_matches_thread(const struct syt_option_list *l, const struct syt_thread *t)
{
	char tid[12], id[24];

	snprintf(tid, sizeof(tid), "%u", t->tid);
	snprintf(id, sizeof(id), "%u.%u", t->image->index, t->index);
	return syt_list_matches(l, tid) || syt_list_matches(l, id);
}
