/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Prints an alarm as a line of text or of JSON. */
#ifndef SYT_DECODER_REPORT_WATCH_VIEW_H
#define SYT_DECODER_REPORT_WATCH_VIEW_H

#include "base/out.h"
#include "decoder/read/symbol.h"
#include "decoder/report/watch/alarm.h"

/* SINCE: the number of alarms that --every left out since the last printed alarm. */
void syt_alarm_text(struct syt_out *o, struct syt_symbols *symbols, const struct syt_alarm *a,
                    uint64_t since);
void syt_alarm_json(struct syt_out *o, struct syt_symbols *symbols, const struct syt_alarm *a,
                    uint64_t since);

#endif
