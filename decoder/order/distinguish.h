/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* What tells call paths apart that end alike. */
#ifndef SYT_DECODER_ORDER_DISTINGUISH_H
#define SYT_DECODER_ORDER_DISTINGUISH_H

#include <stddef.h>

/* The last COMPONENTS parts of one side: "serve;read". */
const char *syt_label_short(const char *side, unsigned components);

/* The last COMPONENTS parts of SIDE, one of the NR_SIDES, with who called that in front, or, "who;..;read",
 * of all callers further out the one at whom most of those part that end so: where locks are taken by
 * functions for that, it is he who tells one lock from another.  NULL: no other one ends so. */
char *syt_distinguish(char *const *sides, size_t nr_sides, const char *side, unsigned components);

#endif
