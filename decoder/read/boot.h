/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Tells several clocks with one boot id apart.
 *
 * Clones of a snapshot of a virtual machine share their boot id. With the clock source CLOCK_MONOTONIC, each time
 * namespace has a clock of its own. The clock pairs show both.
 *
 * CLOCK_REALTIME minus the time of the event clock is constant, except for steps. Clock pairs with equal differences lie on
 * one line. Lines with clock pairs of one dump belong to one clock, whose CLOCK_REALTIME was stepped. Between two lines, a clock
 * may do what a suspended or a corrected clock does: only CLOCK_REALTIME advances by more than the event clock. If
 * CLOCK_REALTIME advances by less, or CLOCK_MONOTONIC by another time than the event clock, each line is a clock.
 *
 * A recording stamped by the TSC has one clock: all its processes read the same counter.
 */
#ifndef SYT_DECODER_BOOT_H
#define SYT_DECODER_BOOT_H

#include "decoder/read/image.h"

/* Sets the number `twin` of the images of LOADINGS: 0, except for the second and later clocks with one boot id. */
void syt_boots_split(struct syt_loading *const *loadings, size_t nr);

#endif
