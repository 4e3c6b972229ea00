/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Parses numbers and times of the command line. */
#ifndef SYT_DECODER_NUMBER_H
#define SYT_DECODER_NUMBER_H

#include <stdbool.h>

#include "decoder/read/trace.h"

/* An instant in time, parsed from text. "12.345" and "12s" are seconds, and "12345" is ns. The units are ns, us, ms,
 * s and m (minutes). A leading + counts from the begin of the trace. "2026-11-22T13:05:49.123Z" is a wall-clock time in UTC, in
 * the form of --wall-clock. */
struct syt_moment {
	bool is_set, is_relative, is_wall_clock;
	uint64_t ns;
};

#define SYT_MOMENT_HELP                                                                            \
	"a time is in seconds as printed, in ns as in JSON, +TIME from the trace's begin, or a "   \
	"UTC "                                                                                     \
	"date and time as printed by --wall-clock"

bool syt_moment_parse(const char *text, struct syt_moment *m);

/* Parses a length of time, for example "50ms": a number with the unit us, ms, s or m (minutes), from a microsecond to a day. TEXT has
 * BYTES bytes. Sets *NS to 0 and returns false if TEXT is no length of time. */
bool syt_span_parse(const char *text, size_t bytes, uint64_t *ns);

/* Returns the instant M on the time line of TRACE, or OTHERWISE if the user did not give M. */
syt_time syt_moment_time(const struct syt_moment *m, const struct syt_trace_data *trace,
                         syt_time otherwise);

/* Parses a number of bytes: "512K", "2M", "1G", "1048576". Returns false if TEXT has another form. */
bool syt_size_parse(const char *text, uint64_t *bytes);

/* Parses a decimal number. Returns false if TEXT is not a number or the number does not fit. */
bool syt_number_parse(const char *text, uint64_t *v);

#endif
