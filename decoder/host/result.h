/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Adds the clocks of a component and their bounds to the placement, when place.h has set them. */
#ifndef SYT_DECODER_HOST_RESULT_H
#define SYT_DECODER_HOST_RESULT_H

#include "decoder/host/cut.h"

void syt_host_result_add(struct syt_host_axis *c);

#endif
