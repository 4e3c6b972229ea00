/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#define _GNU_SOURCE
#include "tool/say.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One write per line, so that lines of several processes do not mix. */
static void say(const char *tail, const char *format, va_list arguments)
{
	char *text;

	if (vasprintf(&text, format, arguments) < 0)
		return;
	fprintf(stderr, "syntrace: %s%s%s\n", text, tail ? ": " : "", tail ? tail : "");
	free(text);
}

void syt_say(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(NULL, format, arguments);
	va_end(arguments);
}

void syt_say_errno(const char *format, ...)
{
	const char *why = strerror(errno);
	va_list arguments;

	va_start(arguments, format);
	say(why, format, arguments);
	va_end(arguments);
}

void *syt_need(void *memory)
{
	if (!memory) {
		syt_say("out of memory");
		exit(SYT_STATUS_TOOL);
	}
	return memory;
}

char *syt_text(const char *format, ...)
{
	char *text;
	va_list arguments;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	return syt_need(text);
}

void syt_print_escaped(const char *text, bool is_json)
{
	for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
		if (is_json && (*p == '"' || *p == '\\'))
			printf("\\%c", *p);
		else if (*p >= 0x20 && *p < 0x7f)
			putchar(*p);
		else
			printf(is_json ? "\\u%04x" : "\\x%02x", *p);
	}
}
