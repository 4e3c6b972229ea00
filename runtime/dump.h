/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Private to runtime/: functions that reset the recorder after a fork. A forked child has its own dump file, so
 * all numbers that count within a dump file start again. */
#ifndef SYT_RUNTIME_DUMP_H
#define SYT_RUNTIME_DUMP_H

/* the dump file is new: later definitions go into chunks of the new file */
void syt_meta_begin(void);
void syt_objects_reset(void); /* ids of sync objects start again */

#endif
