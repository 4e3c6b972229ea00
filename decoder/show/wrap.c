/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/show/wrap.h"

#include <stdlib.h>

/* Returns the number of columns that a word occupies. Colour sequences and continuation bytes of UTF-8
 * occupy none. */
static unsigned columns_of(const char *word, size_t bytes)
{
	unsigned nr = 0;

	for (size_t i = 0; i < bytes; i++) {
		if (word[i] == '\033')
			while (i < bytes && word[i] != 'm')
				i++;
		else
			nr += ((unsigned char)word[i] & 0xc0) != 0x80;
	}
	return nr;
}

/* Writes TEXT and a newline to OUT. Breaks at spaces so that no line is longer than SYT_WRAP_COLUMNS, unless a
 * single word is longer. Indents all lines but the first by INDENT columns. Colour sequences occupy no column. */
static void wrap(struct syt_out *out, const char *text, unsigned indent)
{
	unsigned column = 0;

	while (*text) {
		size_t nr_spaces = strspn(text, " "), bytes = strcspn(text + nr_spaces, " ");

		/* a number and a following "%" stay on one line */
		if (!strncmp(text + nr_spaces + bytes, " %", 2))
			bytes += 1 + strcspn(text + nr_spaces + bytes + 1, " ");

		unsigned columns = columns_of(text + nr_spaces, bytes);

		if (!out->is_unwrapped && column > indent &&
		    column + nr_spaces + columns > SYT_WRAP_COLUMNS) {
			syt_out_printf(out, "\n%*s", (int)indent, "");
			column = indent;
		} else {
			syt_out_bytes(out, text, nr_spaces);
			column += (unsigned)nr_spaces;
		}
		syt_out_bytes(out, text + nr_spaces, bytes);
		column += columns;
		text += nr_spaces + bytes;
	}
	syt_out_char(out, '\n');
}

void syt_wrap_begin(struct syt_out *words, const struct syt_out *out)
{
	syt_out_open(words, -1, out->has_colors);
}

void syt_wrap_end(struct syt_out *words, struct syt_out *out, unsigned indent)
{
	char *text = syt_out_take(words);

	wrap(out, text, indent);
	free(text);
	free(words->buffer);
}

void syt_wrap_end_lines(struct syt_out *words, struct syt_out *out)
{
	char *text = syt_out_take(words), *line = text, *end;

	for (; *line; line = end) {
		size_t nr_spaces = strspn(line, " ");

		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		wrap(out, line, nr_spaces ? (unsigned)nr_spaces + 4 : 3);
	}
	free(text);
	free(words->buffer);
}
