/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Copies a dump while its process continues to write to it. The copy looks as if the process had been killed. */
#ifndef SYT_TOOL_COPY_H
#define SYT_TOOL_COPY_H

#include <stdbool.h>

/* Copies FROM, a dump in the format of this version, into the empty file TO. Returns false after a message if TO
 * cannot be written; NAME is its name in messages. */
bool syt_copy_dump(int from, int to, const char *name);

#endif
