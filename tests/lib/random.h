/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Reproducible random numbers for property-based tests: the same seed gives the same test. */
#ifndef SYT_TESTS_LIB_RANDOM_H
#define SYT_TESTS_LIB_RANDOM_H

#include <stdint.h>

struct syt_random {
	uint64_t state;
};

/* splitmix64: adds a constant to the state and mixes the bits; every seed is good. */
static inline uint64_t syt_random_u64(struct syt_random *r)
{
	uint64_t z = (r->state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* In [0, below). */
static inline uint64_t syt_random_below(struct syt_random *r, uint64_t below)
{
	return syt_random_u64(r) % below;
}

/* Returns numbers of each magnitude equally often, which finds the limits of variable-length encodings. */
static inline uint64_t syt_random_magnitude(struct syt_random *r)
{
	unsigned bits = (unsigned)syt_random_below(r, 65);
	uint64_t v = syt_random_u64(r);

	return bits == 64 ? v : v & ((UINT64_C(1) << bits) - 1);
}

#endif
