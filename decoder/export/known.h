/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Which images and threads a viewer may know by their pid and tid: the first image with its pid, and
 * of that the first thread with its tid.  Later ones (exec, numbers used again, other pid
 * namespaces) would be mixed up with them.
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
