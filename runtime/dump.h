/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Inside of runtime/: what the parts of one dump tell each other at a fork.  A forked child has a dump
 * of its own, so whatever is numbered within a dump starts again.
 */
#ifndef SYT_RUNTIME_DUMP_H
#define SYT_RUNTIME_DUMP_H

void syt_meta_begin(void);    /* the dump is new: what follows goes into chunks of its own */
void syt_objects_reset(void); /* ids start again */

#endif
