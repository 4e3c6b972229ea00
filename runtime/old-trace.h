/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Renames a finished trace, so that a new trace can take its name.
 *
 * DIR becomes DIR.old. A finished trace with this name is removed first. The name, the magic and the
 * trace id of each file in the directory must prove that syntrace wrote the file, and no process may
 * still record. Any other DIR.old stays untouched, and DIR.old.1 to DIR.old.9 are tried in the same way.
 */
#ifndef SYT_RUNTIME_OLD_TRACE_H
#define SYT_RUNTIME_OLD_TRACE_H

#include <stdbool.h>

#include "runtime/text.h"

#define SYT_OLD_TRACE_NAMES 10u

/* Appends the new directory name number NR to B: 0 is DIR.old, 1 is DIR.old.1. */
void syt_old_trace_name(struct syt_text_buffer *b, const char *dir, unsigned nr);

/* Renames the trace directory DIR; stores the number of its new name in *NR. Returns 0 or -errno; -EEXIST:
 * no name is free. */
int syt_old_trace_move(const char *dir, unsigned *nr);

#endif
