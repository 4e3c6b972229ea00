/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/model/rename.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/lines.h"

#define BETWEEN " = "

/* Applies the present line of L to M. NEW_OF[task] gets the new name of a task. */
static bool take_line(const struct syt_lines *l, const struct syt_model *m, char **new_of)
{
	char *between = strstr(l->line, BETWEEN), *to;
	uint32_t task;

	if (!*l->line || *l->line == '#')
		return true;
	if (!between || between == l->line)
		return syt_lines_complain(l, l->number, 1, "expected 'NAME = NEW NAME'");
	*between = '\0';
	to = between + strlen(BETWEEN);
	if (!*to || *to == '@' || strchr(to, '\t'))
		return syt_lines_complain(
			l, l->number, (size_t)(to - l->line) + 1,
			"expected a name without '@' at its begin, and without a tab");
	task = syt_model_find(m, l->line);
	if (task == SYT_NONE)
		return true;
	if (new_of[task])
		return syt_lines_complain(l, l->number, 1, "an earlier line renames this task");
	new_of[task] = syt_asprintf("%s", to);
	for (uint32_t i = 0; i < m->nr_tasks; i++)
		if (i != task && !strcmp(new_of[i] ? new_of[i] : m->tasks[i].name, to))
			return syt_lines_complain(l, l->number, (size_t)(to - l->line) + 1,
			                          "another task has this name");
	return true;
}

bool syt_model_rename(struct syt_model *m, const char *path)
{
	char **new_of = syt_calloc(m->nr_tasks, sizeof(*new_of));
	bool is_end = false, is_good;
	struct syt_lines l;

	is_good = syt_lines_open(&l, path);
	l.is_by_hand = true;
	while (is_good && (is_good = syt_lines_next(&l, &is_end)) && !is_end)
		is_good = take_line(&l, m, new_of);
	syt_lines_close(&l);
	for (uint32_t i = 0; i < m->nr_tasks; i++) {
		if (!is_good || !new_of[i]) {
			free(new_of[i]);
			continue;
		}
		free(m->tasks[i].name);
		m->tasks[i].name = new_of[i];
	}
	free(new_of);
	return is_good;
}
