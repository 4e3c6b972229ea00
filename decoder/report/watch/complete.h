/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Decides which requests of a window are complete. The blocks of a window begin at different times, so a request at its begin
 * lacks the events of some threads, and would look odd.
 */
#ifndef SYT_DECODER_REPORT_WATCH_COMPLETE_H
#define SYT_DECODER_REPORT_WATCH_COMPLETE_H

#include "decoder/read/trace.h"

struct syt_complete {
	/* all events since then are in the window; 0: the window is the whole trace; UINT64_MAX: never certain */
	syt_time from;
	bool is_short; /* the window lacks events since the begin of the oldest request that it should have */
};

/* TRACE is a window that should have all requests that began at OLDEST_NS or later. Earlier requests were judged or left out
 * before: the blocks of the window may begin before, but not all at the same time. */
struct syt_complete syt_complete_of(const struct syt_trace_data *trace, uint64_t oldest_ns);

#endif
