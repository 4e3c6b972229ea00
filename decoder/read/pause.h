/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The times during which recording was paused. The trace's shared file holds the begin and end of
 * each pause. The dumps tell when the last call that a pause left out had returned.
 */
#ifndef SYT_DECODER_PAUSE_H
#define SYT_DECODER_PAUSE_H

#include "decoder/read/image.h"

/* Sets the pauses of the images. Requires their clocks. */
void syt_pauses_read(struct syt_loading **loadings, size_t nr);

/* Sets the pauses from the BYTES of a shared file, for the images of its trace. */
void syt_pauses_add(struct syt_loading **loadings, size_t nr, const void *bytes, size_t nr_bytes);

/* Finds for each pause of L the end of the last call that it left out. Requires rows. */
void syt_pauses_settle(struct syt_loading *l);

#endif
