/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Compares the requests of a trace that is being recorded with the model of a workload (doc/requests.md, "Online").
 *
 * Each analysis reads a window of the trace: the events since the oldest request that is not judged, and --window before
 * it. The window is matched like a trace whose beginning was overwritten. A request is judged once, MARGIN after its end.
 * decoder/report/watch/pace.h limits the events of a window. If they do not reach back to the oldest request, the requests
 * before the window are left out.
 */
#ifndef SYT_DECODER_REPORT_WATCH_ONLINE_H
#define SYT_DECODER_REPORT_WATCH_ONLINE_H

#include "base/out.h"
#include "decoder/read/symbol.h"
#include "decoder/request/mix.h"

#define SYT_ONLINE_BYTES (UINT64_C(256) << 20) /* maximum memory for the events of a window */
#define SYT_ONLINE_SHIFT_REQUESTS 200u         /* number of requests whose mix is compared */

struct syt_odd_judge;

/* An odd request. The pointers are valid during the callback. */
struct syt_odd_alarm {
	struct syt_odd_judge *judge;
	uint64_t request; /* index in the requests of the window */
	bool is_over;     /* the request has ended */
	uint64_t ns;      /* time of the request, until now if it has not ended */
	double sample;    /* as syt_online_sample() */
};

struct syt_online_eye {
	void *context;
	bool (*wants)(void *context, bool is_over);
	void (*tell_odd)(void *context, const struct syt_odd_alarm *a);
	void (*tell_shift)(void *context, const struct syt_shift *s);
};

struct syt_online;

/* Reads the model in the file MODEL. Returns NULL after a message. The other arguments must outlive the result. */
struct syt_online *syt_online_create(const char *model, uint64_t window_ns, uint64_t one_in,
                                     struct syt_symbols *symbols);
void syt_online_destroy(struct syt_online *o); /* may be NULL */

/* The event clock, as the last look at the trace read it. */
struct syt_online_clock {
	uint64_t ticks; /* 0: no process has begun */
	double ns_per_tick;
};

/* Makes an analysis of the trace in the directory DIR, if one is due or if IS_LAST. */
void syt_online_look(struct syt_online *o, const char *dir, struct syt_online_clock clock,
                     bool is_last, const struct syt_online_eye *eye);

/* Returns the share of the events of the trace whose requests were judged. */
double syt_online_sample(const struct syt_online *o);

/* Print an alarm as a line of text or of JSON. SINCE is the number of alarms that the option --every suppressed since the
 * last printed alarm. */
void syt_alarm_odd_text(struct syt_out *o, const struct syt_odd_alarm *a, uint64_t since);
void syt_alarm_odd_json(struct syt_out *o, const struct syt_odd_alarm *a, uint64_t since);
void syt_alarm_shift_text(struct syt_out *o, const struct syt_shift *s);
void syt_alarm_shift_json(struct syt_out *o, const struct syt_shift *s);

#endif
