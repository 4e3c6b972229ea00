/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "base/lines.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/out.h"

#define NOT_TEXT "the line contains a control character"

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

const char *syt_line_mistake(const char *begin, const char *end, const char **message)
{
	uint32_t code;

	for (unsigned bytes; begin < end; begin += bytes) {
		bytes = syt_utf8((const unsigned char *)begin, (const unsigned char *)end, &code);
		*message = !bytes ? "the line contains invalid UTF-8" : NOT_TEXT;
		if (!bytes || (code < 0x20 && code != '\t'))
			return begin;
	}
	return NULL;
}

bool syt_lines_next(struct syt_lines *l, bool *is_end)
{
	const char *message, *mistake;
	size_t bytes = 0;
	int c;

	l->number++;
	while ((c = getc(l->file)) != EOF && c != '\n') {
		if (bytes == SYT_LINE_MOST)
			return syt_lines_complain(l, l->number, bytes + 1, "the line is too long");
		if (c < 0x20 && c != '\t')
			return syt_lines_complain(l, l->number, bytes + 1, NOT_TEXT);
		if (l->bytes++ == SYT_LINES_BYTES)
			return syt_lines_complain(l, l->number, bytes + 1, SYT_LINES_TOO_LARGE);
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
	mistake = l->is_by_hand ? syt_line_mistake(l->line, l->line + bytes - 1, &message) : NULL;
	return !mistake ||
	       syt_lines_complain(l, l->number, (size_t)(mistake - l->line) + 1, message);
}

void syt_lines_close(struct syt_lines *l)
{
	free(l->line);
	if (l->file)
		fclose(l->file);
	*l = (struct syt_lines){.path = NULL};
}
