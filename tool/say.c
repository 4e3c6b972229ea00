/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "tool/say.h"

#include <stdio.h>

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
