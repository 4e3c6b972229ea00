/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Moves a finished trace out of the way of a new one.
 *
 * DIR becomes DIR.old.  A finished trace with this name is removed first.  The name, the magic and the trace id of each file
 * in the directory must prove that syntrace wrote the file, and no process may still record.  Any other DIR.old stays untouched, and DIR.old.1 to DIR.old.9 are tried in the same way.
 */
#ifndef SYT_RUNTIME_ASIDE_H
#define SYT_RUNTIME_ASIDE_H

#include <stdbool.h>

#include "runtime/text.h"

#define SYT_ASIDE_NAMES 10u

/* Adds to B the NRth of the names above. */
void syt_aside_name(struct syt_text_buffer *b, const char *dir, unsigned nr);

/* Moves DIR; *NR tells the name. Returns 0 or -errno; -EEXIST: all the names are taken. */
int syt_aside_move(const char *dir, unsigned *nr);

#endif
