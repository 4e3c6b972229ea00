/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Reads a text file of untrusted lines in bounded memory. Messages (syt_warn) name the file, the line and the column. */
#ifndef SYT_BASE_LINES_H
#define SYT_BASE_LINES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define SYT_LINE_MOST 1048576u               /* maximum number of bytes in a line */
#define SYT_LINES_MOST 1000000u              /* maximum number of lines */
#define SYT_LINES_BYTES (UINT64_C(64) << 20) /* maximum number of bytes in all lines */
#define SYT_LINES_TOO_LARGE "the file has more than 64 MiB"

struct syt_lines {
	const char *path;
	FILE *file;
	char *line; /* the present line, without its newline */
	size_t room;
	uint64_t number; /* number of the present line, from 1 */
	uint64_t bytes;  /* of the lines up to the present line */
	/* a person wrote the file: its last line may lack the newline, and its text must be UTF-8 */
	bool is_by_hand;
};

/* Opens the file at PATH. Returns false after a message. */
bool syt_lines_open(struct syt_lines *l, const char *path);
/* Reads the next line. Sets *IS_END at the end of the file. Returns false after a message. */
bool syt_lines_next(struct syt_lines *l, bool *is_end);
void syt_lines_close(struct syt_lines *l);

/* Returns the first byte of the line from BEGIN to END that no line of a person may contain, and describes it in *MESSAGE: a
 * control character except for the tab, or invalid UTF-8. Returns NULL if there is none. */
const char *syt_line_mistake(const char *begin, const char *end, const char **message);

/* Returns false after the message WHAT about COLUMN, from 1, of LINE. */
bool syt_lines_complain(const struct syt_lines *l, uint64_t line, size_t column, const char *what);

#endif
