/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Finds the stack frame that distinguishes call paths with the same end. The text of a call path is
 * "main;serve;read". */
#ifndef SYT_DECODER_ORDER_DISTINGUISH_H
#define SYT_DECODER_ORDER_DISTINGUISH_H

#include <stddef.h>

/* Returns the last COMPONENTS functions of the call path SIDE, such as "serve;read". */
const char *syt_label_short(const char *side, unsigned components);

/* Returns the last COMPONENTS functions of the call path SIDE, preceded by a distinguishing frame: "serve;read" or,
 * if this frame lies further out, "serve;..;read". SIDE is one of the NR_SIDES call paths SIDES. The distinguishing
 * frame is the caller at which most of the call paths with the same end differ, such as the caller of a wrapper of
 * pthread_mutex_lock. Returns NULL if no other call path has the same end. The caller must free the text. */
char *syt_distinguish(char *const *sides, size_t nr_sides, const char *side, unsigned components);

#endif
