/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Decides for a call whether the program determines the number of such calls, or timing. */
#ifndef SYT_DECODER_ANALYSIS_CALL_RULE_H
#define SYT_DECODER_ANALYSIS_CALL_RULE_H

#include "decoder/history/place.h"

enum syt_call_rule {
	SYT_CALL_RULE_NONE, /* timing alone decides whether the call occurs, or the call failed */
	SYT_CALL_RULE_MAKE, /* the call made a thread or a process */
	SYT_CALL_RULE_CALL, /* the program determines the number of such calls */
	SYT_CALL_RULE_WAIT, /* the call occurs in each run; its number depends on time */
};

/* Returns the rule of the call of the event AT. */
enum syt_call_rule syt_call_rule_of(const struct syt_places *p, struct syt_place at);

/* Returns true if the call C opens a file. Such a call is an event only if it took long, so chance decides about the number. */
bool syt_call_opens_file(const struct syt_call_info *c);

#endif
