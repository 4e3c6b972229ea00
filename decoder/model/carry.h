/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Carried connections: an event loop finds a connection ready, and puts it into a queue; another thread takes it and uses
 * it. The trace shows neither the connection in the queue nor the readiness of an untraced peer, but the use that
 * follows the hand-off tells which connection the event loop had found (doc/models.md).
 */
#ifndef SYT_DECODER_MODEL_CARRY_H
#define SYT_DECODER_MODEL_CARRY_H

#include "decoder/model/input.h"

/* Sets the starts of uses of accepted connections that follow a hand-off, and of the work that led to the hand-off.
 * HAS_ARRIVED[leaf] is true if work arrived at the leaf over an edge. BEFORE[leaf] is the previous use of the connection
 * that the leaf uses, or SYT_NONE. SENDS[leaf] is true if this use sends. REPORTED[leaf] is the last event before this
 * use that found the connection ready. Clears HAS_ARRIVED of the turns of an event loop that new work began. */
void syt_model_carry(struct syt_model_input *in, bool *has_arrived, const uint32_t *before,
                     const bool *sends, const struct syt_place *reported);

#endif
