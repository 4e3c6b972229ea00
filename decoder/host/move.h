/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The events of the sockets that may have their other end on another clock, from all dumps.
 *
 * Positions in a stream are absolute (decoder/match/channel.h).
 */
#ifndef SYT_DECODER_MOVE_H
#define SYT_DECODER_MOVE_H

#include "decoder/host/connect.h"

/* An event of an end. */
struct syt_host_move {
	/* positions in the stream; a move without bytes has equal positions. BEGIN of SYT_HOST_ACCEPT is the listening socket:
	 * the index of its end, or SYT_NONE. END of SYT_HOST_TAKE is the time by which the earlier ones have ended. */
	uint64_t begin, end;
	syt_time from, to; /* begin and end of the call, or nearest limits of them */
	uint32_t of;       /* index of the end */
	uint8_t what;      /* enum syt_host_what */
	bool is_peek;      /* a receive with MSG_PEEK, which consumed nothing */
	bool may_be_error; /* a report of select(), which does not tell data from errors */
};

enum syt_host_what {
	SYT_HOST_SEND,
	SYT_HOST_RECV,
	SYT_HOST_CONNECT,
	SYT_HOST_ACCEPT,
	SYT_HOST_TAKE, /* accept, of the listening socket */
	SYT_HOST_SHUT, /* shutdown of sending */
	SYT_HOST_DEAF, /* shutdown of receiving */
	SYT_HOST_CLOSE,
	SYT_HOST_EOF,
	SYT_HOST_FAILED, /* a receive with an error */
	SYT_HOST_READY,  /* a readiness call reported the socket as readable, without an error */
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

#endif
