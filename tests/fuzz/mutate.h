/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Changes recipes and events so that they stay valid recipes and events. Only one thread may use these
 * functions. */
#ifndef SYT_TESTS_FUZZ_MUTATE_H
#define SYT_TESTS_FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/* A function of libFuzzer: changes the NR bytes at DATA, which has space for ROOM bytes; returns the
 * new number of bytes. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t nr, size_t room);

/* Changes events, which were encoded at RAW with FIRST as the base of their times; decodes, changes and
 * encodes them. Stores the new number of events in *NR_EVENTS. Returns the new number of bytes. */
size_t syt_mutate_events(uint8_t *raw, size_t nr, size_t room, uint64_t first, uint32_t *nr_events,
                         unsigned seed);

/* Mutates a recipe. */
size_t syt_mutate_recipe(uint8_t *data, size_t nr, size_t room, unsigned seed);

/* Makes a recipe at OUT from items of the recipes A and B; returns its number of bytes. */
size_t syt_mutate_cross(const uint8_t *a, size_t nr_a, const uint8_t *b, size_t nr_b, uint8_t *to,
                        size_t room, unsigned seed);

#endif
