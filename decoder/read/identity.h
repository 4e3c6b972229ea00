/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Finds the trace to which the directory of each dump belongs. */
#ifndef SYT_DECODER_IDENTITY_H
#define SYT_DECODER_IDENTITY_H

#include <stddef.h>

#include "decoder/read/image.h"

/* Sets `home_id` of the images of LOADINGS: the id in the shared file beside the dump or, without
 * that file, the id of the first dump of the directory. LOADINGS are in the order in which their
 * dumps were found. */
void syt_identity_read(struct syt_loading **loadings, size_t nr);

#endif
