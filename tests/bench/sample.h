/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Samples the calling thread: a timer interrupts it about three thousand times a second, and the
 * handler notes the next instruction. The handler makes no calls, so it adds no events.
 */
#ifndef SYT_BENCH_SAMPLE_H
#define SYT_BENCH_SAMPLE_H

#include <stdbool.h>

/* Starts sampling the calling thread; call it once. */
void sample_init(void);
void sample_switch(bool on);

/* Writes the samples, by instruction, to the file PATH: "COUNT ADDRESS ADDRESS-1 OBJECT". */
void sample_write(const char *path);

#endif
