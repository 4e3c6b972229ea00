/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The C part of dlopen and dlmopen. preload/dl-entry.S calls it before the real functions. */
#ifndef SYT_PRELOAD_DL_H
#define SYT_PRELOAD_DL_H

#include "preload/libc.h"

void syt_dlopen(const char *file, int mode);
void syt_dlmopen(Lmid_t space, const char *file, int mode);

#endif
