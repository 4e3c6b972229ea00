/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Finds the messages between two clocks: pairs of events of which the first call began before the second call
 * ended.
 *
 * - A byte is sent before it is received. Sends that overlap in time may have exchanged their positions in the
 *   stream, so the message begins with the earliest of them. Receives that overlap end with the latest.
 * - A connect call begins before the accept call that returns its connection ends.
 * - The first shutdown, or else the first close, of one end begins before the other end reads the end of file.
 *
 * Positions in a stream are absolute (decoder/match/channel.h), so missing events only reduce the number of
 * messages. If a process that is not traced uses a socket too, its messages can contradict the others.
 */
#ifndef SYT_DECODER_MESSAGE_H
#define SYT_DECODER_MESSAGE_H

#include "decoder/host/connect.h"

/* An event of an end. */
struct syt_host_move {
	uint64_t begin, end; /* positions in the stream; a move without bytes has equal positions */
	syt_time from, to;   /* begin and end of the call, or nearest limits of them */
	uint32_t of;         /* index of the end */
	uint8_t what;        /* enum syt_host_what */
};

enum syt_host_what {
	SYT_HOST_SEND,
	SYT_HOST_RECV,
	SYT_HOST_CONNECT,
	SYT_HOST_ACCEPT,
	SYT_HOST_SHUT, /* close or shutdown */
	SYT_HOST_EOF,
	SYT_HOST_UNSURE, /* bytes without a certain position */
};

struct syt_host_moves {
	uint64_t nr;
	size_t room;
	struct syt_host_move *all; /* sorted by end, kind and time; memory of the store */
};

/* Reads the events of all ENDS from LOADINGS, whose clocks are set, and sets the known members of the ends. LOADINGS do not change. */
void syt_host_moves_read(struct syt_host_moves *moves, struct syt_host_ends *ends,
                         struct syt_loading *const *loadings, size_t nr, unsigned nr_workers);
void syt_host_moves_close(struct syt_host_moves *moves);

/* A message from the clock of the end FROM: sent not before SENT, received not after RECEIVED. */
typedef void syt_message_taker(void *context, uint32_t from, syt_time sent, syt_time received);

/* Calls TAKE for the messages that the end FROM sent to its peer. */
void syt_messages_of(const struct syt_host_moves *moves, const struct syt_host_ends *ends,
                     uint32_t from, syt_message_taker *take, void *context);

#endif
