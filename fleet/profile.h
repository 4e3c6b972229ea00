/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The waits of a fleet, or its holdings of locks, as a profile for pprof (base/profile.proto), compressed by gzip. */
#ifndef SYT_FLEET_PROFILE_H
#define SYT_FLEET_PROFILE_H

#include "fleet/selection.h"
#include "fleet/store.h"

/* Sums the facts of EVENT, wait or hold, that Q selects, by call path and lock. With the symbols of Q, functions have their
 * files and lines, with inlined functions. A sample has three values: the number of the facts'
 * waits, their recorded nanoseconds, and the nanoseconds of the fleet that they stand for (weights of windows). Stores the
 * profile in *BYTES, which the caller frees, and its size in *NR. Returns 0, or -1 after a message. */
int syt_fleet_profile(struct syt_fleet_store *s, const struct syt_fleet_query *q, const char *event,
                      char **bytes, size_t *nr);

#endif
