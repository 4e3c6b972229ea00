/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* A copy of a dump into which its process goes on writing, as if the process had been killed meanwhile. */
#ifndef SYT_TOOL_COPY_H
#define SYT_TOOL_COPY_H

#include <stdbool.h>

/* FROM, a dump of this version's format, into the empty file TO. False after a message: NAME cannot be written. */
bool syt_copy_dump(int from, int to, const char *name);

#endif
