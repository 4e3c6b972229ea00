/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Finds the frame that distinguishes call paths with the same end. */
#ifndef SYT_DECODER_ORDER_DISTINGUISH_H
#define SYT_DECODER_ORDER_DISTINGUISH_H

#include <stddef.h>

/* Returns the last COMPONENTS parts of one side: "serve;read". */
const char *syt_label_short(const char *side, unsigned components);

/* Returns the last COMPONENTS parts of SIDE, one of NR_SIDES sides, preceded by the distinguishing
 * frame: "serve;read" or, if the frame lies further out, "serve;..;read". The frame is the caller
 * at which most of the sides with the same end differ. It distinguishes locks that are taken in one
 * wrapper function. Returns NULL if no other side has the same end. The caller frees the text. */
char *syt_distinguish(char *const *sides, size_t nr_sides, const char *side, unsigned components);

#endif
