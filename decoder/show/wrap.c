/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/show/wrap.h"

#include <stdlib.h>

/* Shortens a word of *BYTES bytes that no line of a terminal can hold: breaks behind a function of a call path, or
 * between two characters. */
static void cut_word(const char *word, size_t *bytes, unsigned most)
{
	size_t fits = syt_out_fitting(word, most), at = fits;

	if (fits >= *bytes || !fits)
		return;
	while (at && word[at - 1] != ';')
		at--;
	*bytes = at ? at : fits;
}

/* Writes TEXT and a newline to OUT. Breaks at spaces so that no line is longer than SYT_WRAP_COLUMNS or the
 * terminal, unless a single word is longer. Indents all lines but the first by INDENT columns. Colour sequences occupy no column. */
static void wrap(struct syt_out *out, const char *text, unsigned indent)
{
	unsigned column = 0, most = SYT_WRAP_COLUMNS;

	if (out->columns && out->columns < most)
		most = out->columns;
	while (*text) {
		size_t nr_spaces = strspn(text, " "), bytes = strcspn(text + nr_spaces, " ");

		/* a number and a following "%" stay on one line */
		if (!strncmp(text + nr_spaces + bytes, " %", 2))
			bytes += 1 + strcspn(text + nr_spaces + bytes + 1, " ");

		if (out->columns && !out->is_unwrapped && most > indent)
			cut_word(text + nr_spaces, &bytes, most - indent);

		unsigned columns = syt_out_columns(text + nr_spaces, bytes);

		if (!out->is_unwrapped && column > indent && column + nr_spaces + columns > most) {
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
	words->has_wall_clock = out->has_wall_clock;
	words->wall_offset_ns = out->wall_offset_ns;
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

void syt_wrap_end_facts(struct syt_out *words, struct syt_out *out)
{
	bool is_unwrapped = out->is_unwrapped;

	out->is_unwrapped |= !out->columns;
	syt_wrap_end_lines(words, out);
	out->is_unwrapped = is_unwrapped;
}
