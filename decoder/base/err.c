/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/base/err.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void say(const char *format, va_list args)
{
	char *text;

	if (vasprintf(&text, format, args) < 0)
		return;
	flockfile(stderr);
	fputs_unlocked("syntrace-decode: ", stderr);
	for (const char *p = text; *p; p++) {
		unsigned char c = (unsigned char)*p;

		if (c < 0x20 || c == 0x7f)
			fprintf(stderr, "\\x%02x", c);
		else
			putc_unlocked(c, stderr);
	}
	putc_unlocked('\n', stderr);
	funlockfile(stderr);
	free(text);
}

void syt_warn(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args);
	va_end(args);
}

void syt_die(enum syt_exit status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args);
	va_end(args);
	exit(status);
}

static void *must(void *p, size_t nr, size_t bytes)
{
	if (!p)
		syt_die(SYT_EXIT_UNREADABLE,
		        "out of memory (%zu x %zu bytes): decode fewer dumps at a time", nr, bytes);
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

char *syt_asprintf(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	int n = vasprintf(&text, format, args);

	va_end(args);
	return must(n < 0 ? NULL : text, 1, 1);
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
