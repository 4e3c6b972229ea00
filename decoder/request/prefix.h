/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The certain part of the event string of a request that has no answer yet (doc/requests.md, "Online").
 *
 * The string lists segments depth first, so later events may come in between: in a segment that goes on, in a segment that has
 * not begun, and in a further segment that got work from the same event. The certain part ends before the first place where
 * this is possible, and with the first step that no request of the model made there.
 */
#ifndef SYT_DECODER_REQUEST_PREFIX_H
#define SYT_DECODER_REQUEST_PREFIX_H

#include "decoder/request/workload.h"

struct syt_prefixes {
	const struct syt_workload *model;
	uint32_t open, close; /* symbols of the brackets in the model, or SYT_AUTOMATON_NONE */
	bool has_siblings;    /* in the model, an event gives work to several segments */
};

/* MODEL must outlive P, which needs no close. */
void syt_prefixes_open(struct syt_prefixes *p, const struct syt_workload *model);

struct syt_prefix {
	uint32_t nr;    /* number of certain steps */
	bool is_unseen; /* no request of the model made the last one of them there */
};

/* Finds the certain part of the string STEPS, which has symbols of the model, or SYT_AUTOMATON_NONE for unknown symbols. */
struct syt_prefix syt_prefix_of(const struct syt_prefixes *p, const uint32_t *steps, uint32_t nr);

#endif
