/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Where the calling thread's time goes: a timer interrupts it some three thousand times a second, and the
 * handler notes the instruction that comes next.  The handler calls nothing, so nothing is recorded of it.
 */
#ifndef SYT_BENCH_SAMPLE_H
#define SYT_BENCH_SAMPLE_H

#include <stdbool.h>

/* For the calling thread; once. */
void sample_init(void);
void sample_switch(bool on);

/* What was found, by instruction, to the file PATH: "COUNT ADDRESS ADDRESS-1 OBJECT". */
void sample_write(const char *path);

#endif
