/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The end of recording at a time that `syntrace resume --for` stored. A program that controls the recording may be
 * killed, so the recorder itself begins the pause. It looks at the deadline only when it seals a block: a process
 * that seals none records few events.
 */
#ifndef SYT_RUNTIME_DEADLINE_H
#define SYT_RUNTIME_DEADLINE_H

#include "format/format.h"

/* Begins a pause of the trace if its deadline is before NOW, a reading of the clocks. Lock-free; any thread and signal
 * handler may call it. Of several threads that notice the deadline, one begins the pause. */
void syt_deadline_check(const struct syt_clock_pair *now);

#endif
