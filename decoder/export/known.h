/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Finds the images and threads that a viewer may identify by pid and tid: the first image with its pid, and in this
 * image the first thread with its tid. A viewer would confuse later images and threads with these (exec, reused
 * numbers, other pid namespaces).
 */
#ifndef SYT_DECODER_KNOWN_H
#define SYT_DECODER_KNOWN_H

#include "decoder/history/place.h"

struct syt_known {
	bool *images, *threads; /* by index in trace->images; by trace-wide number */
};

void syt_known_open(struct syt_known *k, const struct syt_places *places);
void syt_known_close(struct syt_known *k);

#endif
