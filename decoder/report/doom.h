/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Deadlocks that a trace ends with: who waits for whom. */
#ifndef SYT_DECODER_DOOM_H
#define SYT_DECODER_DOOM_H

#include "decoder/report/lockorder.h"

/* Fills the dooms of L, whose kept locks are there. */
void syt_lockorder_find_dooms(struct syt_lockorder *l);

#endif
