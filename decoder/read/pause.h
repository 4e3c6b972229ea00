/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Times during which recording was paused: the trace's shared file says when, the dumps from when on no call that was left
 * out can still take effect.
 */
#ifndef SYT_DECODER_PAUSE_H
#define SYT_DECODER_PAUSE_H

#include "decoder/read/image.h"

/* Sets the pauses of the images; clocks are set. */
void syt_pauses_read(struct syt_loading **loadings, size_t nr);

/* The same from a shared file's BYTES, for the images of its trace. */
void syt_pauses_add(struct syt_loading **loadings, size_t nr, const void *bytes, size_t nr_bytes);

/* When each of L's is over for all threads. Rows are there. */
void syt_pauses_settle(struct syt_loading *l);

#endif
