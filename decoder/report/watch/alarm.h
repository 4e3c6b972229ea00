/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Finds slow calls and long holds of locks during the recording. This module also finds calls that have not
 * returned and locks that are still held (doc/reports.md, "Alarms"). */
#ifndef SYT_DECODER_REPORT_WATCH_ALARM_H
#define SYT_DECODER_REPORT_WATCH_ALARM_H

#include "base/out.h"
#include "decoder/read/symbol.h"
#include "decoder/read/tail.h"

enum syt_alarm_kind { SYT_ALARM_SLOW, SYT_ALARM_HOLD };

struct syt_alarm_rule {
	enum syt_alarm_kind kind;
	uint64_t ns; /* maximum time of a call, or of a hold of a lock, without an alarm */
	/* SLOW: a pattern of call names, with * and ?; NULL: the calls for which is_harmful() in alarm.c holds */
	const char *call;
};

struct syt_alarm {
	enum syt_alarm_kind kind;
	/* process image of the call; its definitions and the call stack have been read */
	struct syt_tail_image *image;
	uint32_t thread; /* index of the thread in the image */
	uint32_t call;   /* index in the image's calls: the slow or the locking call */
	uint32_t object; /* index of the sync object in the image's objects, or SYT_NONE */
	uint32_t stack;  /* call stack of the call */
	uint64_t ns;     /* length of the call or of the hold, until now if it is not over */
	uint64_t at_ns;  /* begin of the call or of the hold by CLOCK_MONOTONIC; approximate */
	bool is_over;    /* the call has returned, or the lock was released */
	bool has_ended;  /* the thread that holds the lock has ended */
};

struct syt_alarms {
	const struct syt_alarm_rule *rules;
	size_t nr_rules;
	/* Returns true if an alarm may be printed now. IS_OVER: the call or hold of the alarm is over. An alarm
	 * that is not over is offered again at the next look at the trace. */
	bool (*wants)(void *context, bool is_over);
	void (*tell)(void *context, const struct syt_alarm *a);
	void *context;
};

/* Returns the callbacks that A passes to syt_tail_look(). */
struct syt_tail_eye syt_alarms_eye(struct syt_alarms *a);
/* Frees the alarm states that belong to the process images of T. */
void syt_alarms_fini(struct syt_tail *t);

/* Prints an alarm as a line of text or of JSON. SINCE is the number of alarms that the option --every suppressed
 * since the last printed alarm. */
void syt_alarm_text(struct syt_out *o, struct syt_symbols *symbols, const struct syt_alarm *a,
                    uint64_t since);
void syt_alarm_json(struct syt_out *o, struct syt_symbols *symbols, const struct syt_alarm *a,
                    uint64_t since);

#endif
