/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Samples of perf: which function a thread executed at which time. Reads the text of `perf script` with the fields
 * tid, time, ip, sym and dso, in any order of samples, as these commands make it:
 *
 *	perf record -k CLOCK_MONOTONIC -g syntrace record PROGRAM
 *	perf script -F comm,tid,time,event,ip,sym,dso >FILE
 *
 * The text is untrusted. Lines that are not understood are skipped and counted, and long lines are cut.
 */
#ifndef SYT_DECODER_READ_PERF_H
#define SYT_DECODER_READ_PERF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

/* One sample. The name is an index in `names`. */
struct syt_perf_sample {
	uint64_t ns; /* CLOCK_MONOTONIC, as the times of a trace */
	uint32_t tid, name;
};

struct syt_perf {
	size_t nr, room;
	struct syt_perf_sample *all; /* sorted by tid, then time */
	size_t nr_names, room_names;
	char **names;
	struct syt_hash index; /* of the names */
	uint64_t
		nr_skipped; /* number of samples without a known thread or time, or beyond the limit */
};

/* Reads the file PATH. Returns 0, or -1 after a message (syt_warn). */
int syt_perf_open(struct syt_perf *p, const char *path);
void syt_perf_close(struct syt_perf *p);

/* The number of samples of each function in a set of stretches of time. */
struct syt_perf_sum {
	const struct syt_perf *perf;
	uint64_t nr;
	uint64_t *counts; /* [name] */
};

void syt_perf_sum_open(struct syt_perf_sum *s, const struct syt_perf *perf);
void syt_perf_sum_close(struct syt_perf_sum *s);

/* Adds the samples of the thread TID in [FROM_NS, TO_NS). */
void syt_perf_add(struct syt_perf_sum *s, uint32_t tid, uint64_t from_ns, uint64_t to_ns);

/* Returns the function with the most samples that was not returned yet, and stores its number of samples in *NR; NULL:
 * there is none. */
const char *syt_perf_next(struct syt_perf_sum *s, uint64_t *nr);

#endif
