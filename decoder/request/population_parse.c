/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Reads files of strings and files of labels. Both are untrusted input that a person may have written. The limits are those
 * of models (workload.h). */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/lines.h"
#include "base/store.h"
#include "decoder/read/number.h"
#include "decoder/request/workload.h"

/* Reads the lines of the file at PATH. Returns false after a message, also if PARSE returns false. */
static bool read_lines(const char *path, bool (*parse)(void *to, const struct syt_lines *l),
                       void *to)
{
	struct syt_lines l;
	bool is_end, is_good;

	if (!syt_lines_open(&l, path))
		return false;
	l.is_by_hand = true;
	while ((is_good = syt_lines_next(&l, &is_end)) && !is_end)
		if (!(is_good = parse(to, &l)))
			break;
	syt_lines_close(&l);
	return is_good;
}

/* Returns false after the message WHAT about the byte AT of the line. */
static bool complain(const struct syt_lines *l, const char *at, const char *what)
{
	return syt_lines_complain(l, l->number, (size_t)(at - l->line) + 1, what);
}

/* ---- strings ---- */

struct strings {
	struct syt_population *population;
	uint32_t *steps; /* of a line */
	size_t room;
};

static bool parse_string(void *to, const struct syt_lines *l)
{
	struct strings *s = to;
	struct syt_population *p = s->population;
	const char *at = l->line + strspn(l->line, " \t");
	uint32_t nr = 0;

	for (size_t bytes; *at; at += strspn(at, " \t")) {
		bytes = strcspn(at, " \t");
		if (nr == SYT_WORKLOAD_STEPS)
			return complain(l, at, "the line has too many symbols");
		*SYT_ADD(s->steps, nr, s->room) = syt_text_set_add(&p->symbols, at, bytes);
		if (p->symbols.nr > SYT_WORKLOAD_SYMBOLS)
			return complain(l, at, "the file has too many different symbols");
		at += bytes;
	}
	syt_population_add(p, syt_population_behaviour(p, s->steps, nr), NULL, 0);
	return true;
}

bool syt_population_read_strings(struct syt_population *p, const char *path)
{
	struct strings s = {.population = p};
	bool is_good = read_lines(path, parse_string, &s);

	free(s.steps);
	return is_good;
}

/* ---- labels ---- */

static bool parse_label(void *to, const struct syt_lines *l)
{
	struct syt_request_labels *labels = to;
	struct syt_request_label label = {0};
	char *tab = strchr(l->line, '\t');

	if (!*l->line || *l->line == '#')
		return true;
	if (!tab)
		return complain(l, l->line + strlen(l->line),
		                "the line is not a number, a tab and a label");
	*tab = '\0';
	if (!syt_number_parse(l->line, &label.request) || !label.request)
		return complain(l, l->line, "the line does not begin with the number of a request");
	if (!tab[1])
		return complain(l, tab + 1, "the label is empty");
	label.label = syt_text_set_add(&labels->texts, tab + 1, strlen(tab + 1));
	if (labels->texts.nr > SYT_WORKLOAD_SYMBOLS)
		return complain(l, tab + 1, "the file has too many different labels");
	*SYT_ADD(labels->all, labels->nr, labels->room) = label;
	return true;
}

bool syt_request_labels_read(struct syt_request_labels *l, const char *path)
{
	memset(l, 0, sizeof(*l));
	return read_lines(path, parse_label, l);
}

void syt_request_labels_close(struct syt_request_labels *l)
{
	syt_text_set_close(&l->texts);
	free(l->all);
	memset(l, 0, sizeof(*l));
}
