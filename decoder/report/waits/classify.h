/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Whether a call waited, for what, and whether that is harmful. */
#ifndef SYT_DECODER_REPORT_WAITS_CLASSIFY_H
#define SYT_DECODER_REPORT_WAITS_CLASSIFY_H

#include "decoder/report/waits/service.h"
#include "decoder/report/waits/waits.h"

struct syt_wait_reason {
	enum syt_waits_kind kind;
	enum syt_waits_reason reason; /* AWAITED and JOINED are not told from TIME here */
	uint32_t edge;                /* who ended it, for certain; or SYT_NONE */
	uint32_t lock;                /* whose holdings are known; or SYT_NONE */
};

/* What a call of SHAPE on an object of KIND waits for, if it does. */
enum syt_waits_kind syt_waits_kind_of(uint8_t shape, enum syt_kind kind);

/* False when the event AT, which took some time, did not wait.  IS_LONG: it did for certain, or took
 * long enough for the recorder to have measured CPU time. */
bool syt_wait_classify(struct syt_wait_reason *why, const struct syt_blamer *blamer,
                       const struct syt_services *services, struct syt_place at, bool is_long);

/* Of a call of IMAGE that had not returned when the dump ended. */
struct syt_wait_reason syt_wait_classify_unended(const struct syt_image *image,
                                                 const struct syt_waiting_info *waiting);

#endif
