/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Copies a dump while its process continues to write to it. The copy is like the dump of a killed process. */
#ifndef SYT_TOOL_COPY_H
#define SYT_TOOL_COPY_H

#include <stdbool.h>

#include "format/format.h"

/* Copies FROM, a dump in the format of this version, into the empty file TO, without blocks of events before SINCE.
 * Messages name TO as NAME. Returns false after a message if TO cannot be written. */
bool syt_copy_dump(int from, int to, const char *name, const struct syt_clock_pair *since);

#endif
