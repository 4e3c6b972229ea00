/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The ends of process images. A process that was killed, or copied while it ran, made no last event. */
#ifndef SYT_DECODER_ORDER_END_H
#define SYT_DECODER_ORDER_END_H

#include "decoder/history/edge.h"

/* Returns an array with the end of each process image: the wait by which its parent reaped the process, or the begin of the
 * pause with which its recording ended, or the last instant at which the process is known to have run. The edges must
 * be complete. The caller frees the array. */
syt_time *syt_ends_find(const struct syt_places *p, const struct syt_edges *edges);

/* Returns true if the process of the image I has ended, or made an exec. */
bool syt_image_is_over(const struct syt_image *i);

#endif
