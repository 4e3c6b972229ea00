/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Finds the process images and threads that a viewer may identify by pid and tid: the first image with its pid, and
 * in this image the first thread with its tid. A viewer would confuse other images and threads with these, because
 * exec, reused numbers or other pid namespaces give them the same pid or tid. */
#ifndef SYT_DECODER_KNOWN_H
#define SYT_DECODER_KNOWN_H

#include "decoder/history/place.h"

struct syt_known {
	bool *images, *threads; /* images: by index in trace->images; threads: by number */
};

void syt_known_open(struct syt_known *k, const struct syt_places *places);
void syt_known_close(struct syt_known *k);

#endif
