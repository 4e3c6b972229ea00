/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Changes to recipes and events that keep them recipes and events. Not for several threads. */
#ifndef SYT_TESTS_FUZZ_MUTATE_H
#define SYT_TESTS_FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/* libFuzzer's own: changes NR bytes at DATA, which has ROOM; returns how many there are then. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t nr, size_t room);

/* Changes events, which were encoded at RAW with FIRST as the base of their times; decodes, changes,
 * encodes. *NR_EVENTS: how many there are then. Returns how many bytes. */
size_t syt_mutate_events(uint8_t *raw, size_t nr, size_t room, uint64_t first, uint32_t *nr_events,
                         unsigned seed);

/* Mutates a recipe. */
size_t syt_mutate_recipe(uint8_t *data, size_t nr, size_t room, unsigned seed);

/* Items of both; returns the bytes at OUT. */
size_t syt_mutate_cross(const uint8_t *a, size_t nr_a, const uint8_t *b, size_t nr_b, uint8_t *to,
                        size_t room, unsigned seed);

#endif
