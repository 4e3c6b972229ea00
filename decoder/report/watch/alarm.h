/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * While a trace is being recorded: which calls take longer than they may, and which locks are held for longer; also calls that
 * have not returned, and locks that are still held (doc/reports.md, "Alarms").
 */
#ifndef SYT_DECODER_REPORT_WATCH_ALARM_H
#define SYT_DECODER_REPORT_WATCH_ALARM_H

#include "decoder/read/tail.h"

enum syt_alarm_kind { SYT_ALARM_SLOW, SYT_ALARM_HOLD };

struct syt_alarm_rule {
	enum syt_alarm_kind kind;
	uint64_t ns; /* longer than that */
	const char *
		call; /* SLOW: only calls with this name, with * and ?; NULL: those that are harmful whatever ended them */
};

struct syt_alarm {
	enum syt_alarm_kind kind;
	struct syt_tail_image
		*image;  /* its definitions, and the frames of the stack, have been read */
	uint32_t thread; /* T */
	uint32_t call;   /* which is slow, or took the lock: index in the image's calls */
	uint32_t object; /* index in the image's objects, or SYT_NONE */
	uint32_t stack;  /* of the call */
	uint64_t ns;     /* how long it took, or has taken until now */
	uint64_t at_ns;  /* its begin, by CLOCK_MONOTONIC; about */
	bool is_over;    /* the call has returned, the lock was released */
	bool has_ended;  /* the thread that holds it has ended */
};

struct syt_alarms {
	const struct syt_alarm_rule *rules;
	size_t nr_rules;
	/* Whether it may be told now. What is not over is asked about again at the next look. */
	bool (*wants)(void *context, bool is_over);
	void (*tell)(void *context, const struct syt_alarm *a);
	void *context;
};

/* For syt_tail_look(). */
struct syt_tail_eye syt_alarms_eye(struct syt_alarms *a);
/* Frees what is kept of the images of T. */
void syt_alarms_fini(struct syt_tail *t);

/* "50ms": a number with a unit, us, ms or s, from a microsecond to a day. */
bool syt_alarm_span_parse(const char *text, size_t bytes, uint64_t *ns);

#endif
