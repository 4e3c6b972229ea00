/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Compares every captured stack with the stack of libgcc's _Unwind_Backtrace. A program calls
 * oracle_check() at any place, as it would call an intercepted function. The first difference
 * prints both stacks and ends the program with status 1.
 */
#ifndef SYT_TESTS_STACK_ORACLE_H
#define SYT_TESTS_STACK_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/stack.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Captures the caller's stack with the thread's previous stack, without it, and with an unknown stack
 * top; all results must equal the reference. Any thread and signal handler may call it. */
void oracle_check(void);

/* Set in programs that contain code without call frame information, where both the recorder's and the
 * reference's walk end. */
extern bool oracle_is_cut_expected;

/* True once the constructor has run. */
bool oracle_is_set_up(void);

/* Checks made so far in all threads. */
unsigned long oracle_nr_checks(void);

/* Reads the frames of the recorded stack ID from the dump, innermost first, as absolute addresses with SYT_STACK_
 * flags. Returns the number of frames, and stores at most MAX. */
unsigned oracle_frames(uint32_t id, uint64_t *pcs, unsigned max);

/* Returns the path of the module with this ID, or NULL, and whether the module is marked as unmapped. */
const char *oracle_module_path(uint32_t id, bool *is_gone);
uint32_t oracle_module_of_frame(uint32_t stack_id);
unsigned oracle_nr_modules(void);
unsigned long oracle_nr_lost(void);

/* Returns a random number. Each thread has its own sequence. */
uint32_t oracle_random(void);

#ifdef __cplusplus
}
#endif
#endif
