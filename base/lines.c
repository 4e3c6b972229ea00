/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "base/lines.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

bool syt_lines_open(struct syt_lines *l, const char *path)
{
	*l = (struct syt_lines){.path = path, .file = fopen(path, "re")};
	if (!l->file)
		syt_warn("%s: %s", path, strerror(errno));
	return l->file;
}

bool syt_lines_complain(const struct syt_lines *l, uint64_t line, size_t column, const char *what)
{
	syt_warn("%s:%" PRIu64 ":%zu: %s", l->path, line, column, what);
	return false;
}

bool syt_lines_next(struct syt_lines *l, bool *is_end)
{
	size_t bytes = 0;
	int c;

	l->number++;
	while ((c = getc(l->file)) != EOF && c != '\n') {
		if (bytes == SYT_LINE_MOST)
			return syt_lines_complain(l, l->number, bytes + 1, "the line is too long");
		if (c < 0x20 && c != '\t')
			return syt_lines_complain(l, l->number, bytes + 1,
			                          "the line contains a control character");
		*SYT_ADD(l->line, bytes, l->room) = (char)c;
	}
	*is_end = c == EOF && !bytes;
	if (ferror(l->file))
		return syt_lines_complain(l, l->number, 1, strerror(errno));
	if (c == EOF && bytes && !l->is_by_hand)
		return syt_lines_complain(l, l->number, bytes + 1, "the file ends in a line");
	if (l->number > SYT_LINES_MOST && !*is_end)
		return syt_lines_complain(l, l->number, 1, "the file has too many lines");
	*SYT_ADD(l->line, bytes, l->room) = '\0';
	return true;
}

void syt_lines_close(struct syt_lines *l)
{
	free(l->line);
	if (l->file)
		fclose(l->file);
	*l = (struct syt_lines){.path = NULL};
}
