/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Random numbers that one seed determines. A state is any number; at first it is the seed. */
#ifndef SYT_BASE_RANDOM_H
#define SYT_BASE_RANDOM_H

#include <stdint.h>

/* Mixes the bits of X (the last step of splitmix64). */
static inline uint64_t syt_mix_bits(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* Returns 64 random bits (splitmix64). */
static inline uint64_t syt_random_next(uint64_t *state)
{
	return syt_mix_bits(*state += UINT64_C(0x9e3779b97f4a7c15));
}

/* Returns a random number from (0, 1], with 53 bits. */
static inline double syt_random_unit(uint64_t *state)
{
	return ((double)(syt_random_next(state) >> 11) + 1) / 9007199254740992.0;
}

#endif
