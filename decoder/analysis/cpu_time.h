/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The CPU time of threads: how much of a stretch of time a thread was on a CPU.
 *
 * Some events have the thread's CPU time (samples): each event after a long call or after a long time without
 * events, and at least one event in 5 ms. Between two samples, the trace does not show when the thread was on a
 * CPU. Therefore the CPU time of a stretch has a lower and an upper bound; they are equal if the stretch begins and
 * ends with a sample. A thread is off the CPU while it waits in a call.
 *
 * The samples of a thread are gathered when they are first needed. Only one thread at a time may use a struct
 * syt_cpu_times.
 */
#ifndef SYT_DECODER_ANALYSIS_CPU_TIME_H
#define SYT_DECODER_ANALYSIS_CPU_TIME_H

#include "decoder/history/place.h"

struct syt_cpu_samples;

struct syt_cpu_times {
	const struct syt_places *places;
	struct syt_cpu_samples *threads; /* [trace-wide index of the thread] */
};

/* A stretch of time, or a sum of stretches, and the bounds of its CPU time. */
struct syt_cpu_use {
	syt_time of; /* length */
	syt_time least, most;
};

/* PLACES must outlive C. */
void syt_cpu_times_open(struct syt_cpu_times *c, const struct syt_places *places);
void syt_cpu_times_close(struct syt_cpu_times *c);

/* Returns the CPU time of THREAD (trace-wide index) from FROM to TO. */
struct syt_cpu_use syt_cpu_used(const struct syt_cpu_times *c, uint32_t thread, syt_time from,
                                syt_time to);

static inline void syt_cpu_add(struct syt_cpu_use *sum, struct syt_cpu_use u)
{
	sum->of += u.of;
	sum->least += u.least;
	sum->most += u.most;
}

/* Returns true if the samples tell anything about the CPU time. */
static inline bool syt_cpu_is_known(const struct syt_cpu_use *u)
{
	return u->least || u->most < u->of;
}

#endif
