/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Finds the messages between two clocks: pairs of events of which the first call began before the second call
 * ended.
 *
 * - A byte is sent before it is received. Sends that overlap in time may have exchanged their positions in the
 *   stream, so the message begins with the earliest of them. Receives that overlap end with the latest.
 * - A connect call begins before the accept call that returns its connection ends. It also begins before a readiness call
 *   ends that reported the listening socket after the previous accept call, because the queue is first in, first out.
 * - The first shutdown of one end, or without a shutdown each close, begins before the other end reads the end of file: a
 *   socket without a shutdown is closed when no process holds it.
 * - A readiness call reports a socket as readable if the first byte that was not received has arrived, or the end of file.
 *   The send of this byte, or of an earlier one, began before the call ended.
 *
 * Positions in a stream are absolute (decoder/match/channel.h), so missing events only reduce the number of
 * messages. If a process that is not traced uses a socket too, its messages can contradict the others.
 */
#ifndef SYT_DECODER_MESSAGE_H
#define SYT_DECODER_MESSAGE_H

#include "decoder/host/move.h"

/* A message from the clock of the end FROM: sent not before SENT, received not after RECEIVED. */
typedef void syt_message_taker(void *context, uint32_t from, syt_time sent, syt_time received);

/* Calls TAKE for the messages that the end FROM sent to its peer. */
void syt_messages_of(const struct syt_host_moves *moves, const struct syt_host_ends *ends,
                     uint32_t from, syt_message_taker *take, void *context);

#endif
