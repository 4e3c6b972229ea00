/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Private to runtime/: the reset of a dump's parts after a fork. A forked child has its own dump,
 * so all numbers that count within a dump start again.
 */
#ifndef SYT_RUNTIME_DUMP_H
#define SYT_RUNTIME_DUMP_H

void syt_meta_begin(void);    /* the dump is new: later records go into its own chunks */
void syt_objects_reset(void); /* object ids start again */

#endif
