/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "base/err.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/progress.h"

static const char *program = "syntrace", *memory_advice = "";
static int memory_status = 1;

void syt_err_open(const char *name, int status, const char *advice)
{
	program = name;
	memory_status = status;
	memory_advice = advice;
}

/* Writes a line with escapes for control characters and bytes above HIGHEST. Without free memory, writes
 * nothing. */
static void write_line(const char *text, const char *tail, unsigned char highest)
{
	char *line = malloc(4 * strlen(text) + 1), *to = line;

	if (!line)
		return;
	for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
		if (*p < 0x20 || *p == 0x7f || *p > highest)
			to += sprintf(to, "\\x%02x", *p);
		else
			*to++ = (char)*p;
	}
	*to = 0;
	syt_progress_erase();
	fprintf(stderr, "%s: %s%s%s\n", program, line, tail ? ": " : "", tail ? tail : "");
	free(line);
}

static void say(const char *tail, const char *format, va_list args)
{
	char *text;

	if (vasprintf(&text, format, args) < 0)
		return;
	write_line(text, tail, UINT8_MAX);
	free(text);
}

void syt_warn(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(NULL, format, args);
	va_end(args);
}

void syt_warn_errno(const char *format, ...)
{
	const char *why = strerror(errno);
	va_list args;

	va_start(args, format);
	say(why, format, args);
	va_end(args);
}

void syt_warn_bytes(const char *message)
{
	write_line(message, NULL, 0x7e);
}

void syt_die(int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(NULL, format, args);
	va_end(args);
	exit(status);
}

void syt_die_of_memory(size_t nr, size_t bytes)
{
	syt_die(memory_status, "out of memory (%zu x %zu bytes)%s", nr, bytes, memory_advice);
}

static void *must(void *p, size_t nr, size_t bytes)
{
	if (!p)
		syt_die_of_memory(nr, bytes);
	return p;
}

void *syt_alloc(size_t nr, size_t bytes)
{
	return must(reallocarray(NULL, nr ? nr : 1, bytes), nr, bytes);
}

void *syt_calloc(size_t nr, size_t bytes)
{
	return must(calloc(nr ? nr : 1, bytes), nr, bytes);
}

void *syt_realloc(void *old, size_t nr, size_t bytes)
{
	return must(reallocarray(old, nr ? nr : 1, bytes), nr, bytes);
}

char *syt_strndup(const void *text, size_t bytes)
{
	return must(strndup(text, bytes), bytes, 1);
}

char *syt_vasprintf(const char *format, va_list args)
{
	char *text;

	return must(vasprintf(&text, format, args) < 0 ? NULL : text, 1, 1);
}

char *syt_asprintf(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	char *text = syt_vasprintf(format, args);

	va_end(args);
	return text;
}

FILE *syt_memstream(char **text, size_t *bytes)
{
	return must(open_memstream(text, bytes), 1, 1);
}

void syt_grow(void *array, size_t *room, size_t nr, size_t bytes)
{
	void *old;

	if (nr <= *room)
		return;
	memcpy(&old, array, sizeof(old));
	*room = *room + *room / 2 + 16;
	if (*room < nr)
		*room = nr;
	old = syt_realloc(old, *room, bytes);
	memcpy(array, &old, sizeof(old));
}
